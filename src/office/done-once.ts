import { isMembershipError, MembershipError } from '../core/errors.ts'
import { UnitConflict } from '../core/storage/index.ts'
import { type Deeds, deedBegins } from '../memberships/audit-log/index.ts'
import type { Planned } from './member-deeds.ts'

/** The outcome of an action that was confirmed. */
export type Outcome =
  | {
      readonly is: 'done'
      readonly result: unknown
      /** Why its second step failed; null where that was done, or there is none. */
      readonly left: string | null
    }
  /** It was done before, under the same key; or is being done, or failed then. */
  | { readonly is: 'repeated'; readonly was: 'begun' | 'done' | 'failed'; readonly error: string | null }

/** Does what was planned once for each key, each step between two notes in the log. Sent again, a step that was done is not
 *  repeated, and one that was never begun is done. */
export const createDoing = (deeds: Pick<Deeds, 'during' | 'find'>) => {
  const once = async (planned: Planned, { key, by }: { key: string; by: string }): Promise<Outcome> => {
    const { action, memberId, subject, before } = planned
    try {
      const deed = { by, action, memberId, subject, before, key }
      const result = await deeds.during(deed, () => planned.run(), planned.after?.bind(planned))
      return { is: 'done', result, left: null }
    } catch (error) {
      const isSecond = error instanceof UnitConflict && error.step === deedBegins
      const known = isSecond ? await deeds.find(key) : null
      if (known === null) throw error
      return { is: 'repeated', was: known.outcome, error: known.error }
    }
  }

  return async (planned: Planned, { key, by }: { key: string | null; by: string }): Promise<Outcome> => {
    if (key === null || !/^[\w-]{16,64}$/.test(key))
      throw new MembershipError('ERR_FORM', 'This form is not whole.', { action: 'Load the page again.' })
    const first = await once(planned, { key, by })
    const isDone = first.is === 'done' || first.was === 'done'
    if (!planned.next || !isDone) return first
    const result = first.is === 'done' ? first.result : null
    try {
      const second = await once(planned.next, { key: `${key}-next`, by })
      if (second.is === 'done') return { is: 'done', result, left: null }
      return second.was === 'failed' ? { is: 'done', result, left: second.error } : first
    } catch (error) {
      if (!isMembershipError(error)) throw error
      return { is: 'done', result, left: error.message }
    }
  }
}
export type Doing = ReturnType<typeof createDoing>
