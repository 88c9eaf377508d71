import { type Storage, step } from '../../core/storage/index.ts'
import { type MemberLife, nothing } from '../life.ts'
import { deletionStatements } from './deletion-statements.ts'
import { accountLifeStatements } from './life-statements.ts'
import { mergeRequestStatements } from './merge-request-statements.ts'

/** Links, changes of the address, requests to merge, and deletions, in the life of a member. */
export function accountLife(storage: Storage) {
  const statements = accountLifeStatements(storage)
  const mergeRequests = mergeRequestStatements(storage)
  const { find } = deletionStatements(storage)
  /** Changes a row, and so fails, if the deletion of one of them has begun after all. */
  const nobodyLeaves = ({ kept, merged }: { kept: { id: string }; merged: { id: string } }) => [
    step(statements.nobodyLeaves, { kept: kept.id, merged: merged.id }, 0),
  ]
  return {
    name: 'account',
    tables: ['deletions', 'login_links', 'email_changes', 'merge_wishes'],
    eraseRecords: nothing,
    lock: nothing,
    erase: ({ id: member_id, email, addresses }) => [
      ...addresses.map((address) => step(statements.links, { email: address })),
      // Whoever typed the address into a change of their own has to prove it anew.
      ...(email === null ? [] : [step(statements.changesTo, { email })]),
      step(statements.emailChanges, { member_id }),
      step(mergeRequests.erase, { member_id }),
    ],
    export: async ({ id }) => {
      const [leaving] = await storage.all(find, { member_id: id })
      return {
        deletion: leaving ? { requested_at: leaving.requested_at, done_at: leaving.done_at } : null,
      }
    },
    merge: nobodyLeaves,
    unmerge: nobodyLeaves,
    restore: async ({ at }) => {
      const [row] = await storage.all(statements.openLinks, {})
      return {
        ended: { links: Number(row?.links ?? 0), emailChanges: Number(row?.changes ?? 0) },
        steps: [
          step(statements.endLinks, { at }),
          step(statements.endEmailChanges, { at }),
          step(statements.endMergeRequests, { at }),
        ],
        afterwards: [],
      }
    },
  } as const satisfies MemberLife
}
