import type { Storage } from '../../core/storage/index.ts'
import { mergeStatements } from './statements.ts'

/** Lists the accounts that were merged into one, with the addresses that they still have. */
export type MergedAccounts = (memberId: string) => Promise<readonly { id: string; email: string | null }[]>

/** Prepares the list. */
export function createMergedAccounts(storage: Storage): MergedAccounts {
  const { mergedInto } = mergeStatements(storage)
  return (member_id) => storage.all(mergedInto, { member_id })
}
