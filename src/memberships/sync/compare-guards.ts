import { comparisonRefused } from './compare-objects.ts'
import type { Place } from './compare-places.ts'
import type { OwnBooks } from './compare-statements.ts'
import type { Found } from './differences.ts'

export interface Guards {
  /**
   * Refuses an account that knows none of our subscriptions, because it must be a different account. It must neither
   * add strangers nor remove members. Fetches a few open subscriptions until one is known.
   * @throws ERR_COMPARE_REFUSED
   */
  assertSameBooks(place: Place): Promise<void>
  /**
   * Refuses to close more access than ends by chance.
   * @throws ERR_COMPARE_REFUSED
   */
  assertFewClosings(place: Place, found: readonly Found[]): Promise<void>
}

/** Guards that stop a comparison from writing implausible results. */
export function createGuards({ ours }: { ours: OwnBooks }): Guards {
  const assertSameBooks = async (place: Place): Promise<void> => {
    const ids = await ours.someLiving(place)
    for (const id of ids) if (await place.provider.fetch!({ kind: 'subscription', id })) return
    if (ids.length > 0)
      throw comparisonRefused(
        `${place.key} knows none of ${ids.length} subscriptions that are open here: another account is behind the key.`,
      )
  }

  const assertFewClosings = async (place: Place, found: readonly Found[]): Promise<void> => {
    const closing = found.filter((item) => item.mend === 'close').length
    if (closing <= fewEnough) return
    const open = await ours.countLiving(place)
    if (closing > open / 100)
      throw comparisonRefused(
        `${closing} of ${open} open subscriptions and payments of ${place.key} would close.`,
      )
  }

  return { assertSameBooks, assertFewClosings }
}

// As many may end by chance, also on a small site.
const fewEnough = 5
