import { type Step, type Storage, step } from '../../core/storage/index.ts'
import { invalidationStatements } from './invalidation-statements.ts'

/** For so many days whoever had an address before can take its change back. */
export const takeBackDays = 7

/**
 * Ends what was asked for before somebody proved to own an account, or said that everything is to end: changes of the
 * address and merges of accounts that wait, login links, and return pages that would open a session. Links that take a change back stay.
 */
export const createInvalidation = (storage: Storage) => {
  const statements = invalidationStatements(storage)

  /** Return pages of the member's purchases open no session any more. */
  const returnPages = (memberId: string, at: string): Step[] => [
    step(statements.returnPages, { member_id: memberId, at }),
  ]
  /** Changes of the address, and accounts that are to become one, that nobody confirmed yet. */
  const changes = (memberId: string, at: string): Step[] => [
    step(statements.changes, { member_id: memberId, at }),
    step(statements.mergeRequests, { member_id: memberId, at }),
  ]
  /** All of it. `email`: the address that the member has until now, to which links were sent. */
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
/** The steps that end what was asked for before. */
export type Invalidation = ReturnType<typeof createInvalidation>
