import { type Storage, step } from '../../core/storage/index.ts'
import { type MemberLife, nothing } from '../life.ts'
import { mergeStatements } from './statements.ts'

/** Merges in the life of a member. */
export function mergingLife(storage: Storage) {
  const statements = mergeStatements(storage)
  return {
    name: 'merging',
    tables: ['merges'],
    eraseRecords: nothing,
    lock: nothing,
    erase: ({ id }) => [step(statements.erase, { member_id: id })],
    export: async ({ id }) => ({
      merged_accounts: await storage.all(statements.mergedInto, { member_id: id }),
    }),
    // Merging itself writes them, beside the steps of all lives.
    merge: nothing,
    unmerge: nothing,
    restore: nothing,
  } as const satisfies MemberLife
}
