import { refused } from './compare-objects.ts'
import type { Place } from './compare-places.ts'
import type { OwnBooks } from './compare-statements.ts'
import type { Found } from './differences.ts'

/** Guards that keep a comparison from writing what cannot be right. */
export const createGuards = ({ ours }: { ours: OwnBooks }) => {
  /**
   * An account that knows nothing of what stands here is another one: it must neither bring strangers in nor put members
   * out. Asks for a few of the open subscriptions, until one is known.
   * @throws ERR_COMPARE_REFUSED
   */
  const assertSameBooks = async (place: Place): Promise<void> => {
    const ids = await ours.someLiving(place)
    for (const id of ids) if (await place.provider.fetch!({ kind: 'subscription', id })) return
    if (ids.length > 0)
      throw refused(
        `${place.key} knows none of ${ids.length} subscriptions that are open here: another account is behind the key.`,
      )
  }

  /** @throws ERR_COMPARE_REFUSED where more would close than ends by chance */
  const assertFewClosings = async (place: Place, found: readonly Found[]): Promise<void> => {
    const closing = found.filter((item) => item.mend === 'close').length
    if (closing <= fewEnough) return
    const open = await ours.countLiving(place)
    if (closing > open / 100)
      throw refused(`${closing} of ${open} open subscriptions and payments of ${place.key} would close.`)
  }

  return { assertSameBooks, assertFewClosings }
}

export type Guards = ReturnType<typeof createGuards>

// As many may end by chance, also on a small site.
const fewEnough = 5
