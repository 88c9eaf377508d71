import { MembershipError } from '../../core/errors.ts'
import { UnitConflict } from '../../core/storage/index.ts'
import { type Deeds, deedBegins } from '../audit-log/index.ts'
import type { Planned } from './member-deeds.ts'

/** What became of a deed that was confirmed. */
export type Outcome =
  | { readonly is: 'done'; readonly result: unknown }
  /** It was done before, under the same key; or is being done, or failed then. */
  | { readonly is: 'repeated'; readonly was: 'begun' | 'done' | 'failed'; readonly error: string | null }

/** Does what was planned once for each key, between two notes in the log. */
export const createDoing =
  (deeds: Pick<Deeds, 'during' | 'find'>) =>
  async (planned: Planned, { key, by }: { key: string | null; by: string }): Promise<Outcome> => {
    if (key === null || !/^[\w-]{16,64}$/.test(key))
      throw new MembershipError('ERR_FORM', 'This form is not whole.', { action: 'Load the page again.' })
    const { action, memberId, subject, before } = planned
    try {
      const deed = { by, action, memberId, subject, before, key }
      const result = await deeds.during(deed, () => planned.run(), planned.after?.bind(planned))
      return { is: 'done', result }
    } catch (error) {
      const isSecond = error instanceof UnitConflict && error.step === deedBegins
      const known = isSecond ? await deeds.find(key) : null
      if (known === null) throw error
      return { is: 'repeated', was: known.outcome, error: known.error }
    }
  }
export type Doing = ReturnType<typeof createDoing>
