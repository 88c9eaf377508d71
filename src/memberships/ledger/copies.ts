import { createRecent } from '../../core/recent.ts'
import type { Origin } from './history.ts'
import type { Mark } from './message-order.ts'

export interface Copies {
  /** True if the row is known to hold the snapshot. */
  holds(origin: Origin, object: Named, at: string, mark: Mark): boolean
  /** Remembers a snapshot whose row was read and would not change. */
  note(origin: Origin, object: Named, at: string, mark: Mark): void
}

/**
 * Remembers the snapshots that this process already saw in their rows. Every event of a purchase can carry the same
 * copies of related objects. A row that holds a snapshot is neither read nor written for it again.
 */
export function createCopies(): Copies {
  const seen = createRecent<{ readonly at: string; readonly mark: Mark }>(50_000)

  return {
    holds: (origin: Origin, object: Named, at: string, mark: Mark): boolean => {
      const known = seen.get(nameOf(origin, object))
      return known !== undefined && known.at === at && isCopy(mark, known.mark)
    },
    note: (origin: Origin, object: Named, at: string, mark: Mark): void => {
      if (mark.source === 'event' && mark.follows === null) seen.set(nameOf(origin, object), { at, mark })
    },
  }
}

interface Named {
  readonly kind: string
  readonly id: string
}

function nameOf({ provider, account }: Origin, { kind, id }: Named): string {
  return [provider, account, kind, id].join('\u0000')
}

function isCopy(a: Mark, b: Mark): boolean {
  return (
    a.digest === b.digest &&
    a.stage === b.stage &&
    a.rank === b.rank &&
    a.source === b.source &&
    a.follows === b.follows
  )
}
