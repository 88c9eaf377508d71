import { createMarker } from '../../core/http/tokens.ts'
import { type Step, type Storage, step } from '../../core/storage/index.ts'
import type { Evidence, Place } from './evidence.ts'
import { trialStatements } from './statements.ts'

/** Remembers who had a subscription of which plan group, as hashes that nobody can reverse. */
export const createMarks = ({
  storage,
  secrets,
  now,
}: {
  storage: Storage
  secrets: () => readonly string[]
  now: () => Date
}) => {
  const statements = trialStatements(storage)
  const marker = createMarker(secrets, 'trials')
  const marksOf = (group: string, evidence: Evidence) => marker('of', group, ...evidence)
  const nameOf = ({ provider, account, id }: Place) => marker('subscription', provider, account, id)

  /** Steps that remember the subscription for every piece of evidence. */
  const note = (
    group: string,
    evidence: readonly Evidence[],
    place: Place,
    { beganAt = null }: { readonly beganAt?: string | null } = {},
  ): Step[] =>
    evidence.map((item) =>
      step(statements.note, {
        mark: marksOf(group, item)[0]!,
        first: nameOf(place)[0]!,
        at: now().toISOString(),
        began_at: beganAt,
      }),
    )

  /**
   * True if any evidence was seen with a subscription of the group. With `place`, it must be another subscription, and
   * not one that began later.
   */
  const isKnown = async (
    group: string,
    evidence: readonly Evidence[],
    place: (Place & { readonly startedAt?: string | null }) | null = null,
  ): Promise<boolean> => {
    const own = new Set(place === null ? [] : nameOf(place))
    const marks = evidence.flatMap((item) => marksOf(group, item))
    const found = await Promise.all(marks.map((mark) => storage.all(statements.find, { mark })))
    const isLater = (began: string | null) =>
      began !== null && place?.startedAt != null && began > place.startedAt
    return found.flat().some(({ first, began_at }) => !own.has(first) && !isLater(began_at))
  }

  return { note, isKnown }
}
export type Marks = ReturnType<typeof createMarks>
