import { type Step, type Storage, step } from '../../core/storage/index.ts'
import { invalidationStatements } from './invalidation-statements.ts'

/** Days during which the previous owner of an address can undo its change. */
export const takeBackDays = 7

/**
 * Voids requests made before a person proved to own an account, or asked to end all sessions. It covers waiting changes
 * of the address, merge requests, login links, and return pages that would open a session. Links that undo a change
 * stay valid.
 */
export const createInvalidation = (storage: Storage) => {
  const statements = invalidationStatements(storage)

  /** Return pages of the member's purchases no longer open a session. */
  const returnPages = (memberId: string, at: string): Step[] => [
    step(statements.returnPages, { member_id: memberId, at }),
  ]
  /** Voids unconfirmed changes of the address and merge requests. */
  const changes = (memberId: string, at: string): Step[] => [
    step(statements.changes, { member_id: memberId, at }),
    step(statements.mergeRequests, { member_id: memberId, at }),
  ]
  /** Voids everything. `email` is the address that links were sent to. */
  const all = ({ id: memberId, email }: Owner, at: string): Step[] => [
    ...returnPages(memberId, at),
    ...(email === null ? [] : [step(statements.links, { email, at })]),
    ...changes(memberId, at),
  ]
  return { all, changes, returnPages }
}
interface Owner {
  readonly id: string
  readonly email: string | null
}
export type Invalidation = ReturnType<typeof createInvalidation>
