import { type Step, type Storage, step } from '../../core/storage/index.ts'
import type { Invalidation } from '../members/index.ts'
import { invalidationStatements } from './invalidation-statements.ts'

/** Prepares what voids a member's requests. Return pages are the checkouts' own. */
export function createInvalidation(
  storage: Storage,
  checkouts: { closeReturnPages(memberId: string, at: string): Step },
): Invalidation {
  const statements = invalidationStatements(storage)
  const returnPages: Invalidation['returnPages'] = (memberId, at) => [
    checkouts.closeReturnPages(memberId, at),
  ]
  const changes: Invalidation['changes'] = (memberId, at) => [
    step(statements.changes, { member_id: memberId, at }),
    step(statements.mergeRequests, { member_id: memberId, at }),
  ]
  return {
    all: ({ id, email }, at) => [
      ...returnPages(id, at),
      ...(email === null ? [] : [step(statements.links, { email, at })]),
      ...changes(id, at),
    ],
    changes,
    returnPages,
  }
}
