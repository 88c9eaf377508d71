import { type Storage, step } from '../../core/storage/index.ts'
import { type MemberLife, nothing } from '../life.ts'
import { raiseLifeStatements } from './life-statements.ts'

/** Price raises in the life of a member. */
export function raiseLife(storage: Storage) {
  const { raises } = raiseLifeStatements(storage)
  return {
    name: 'raises',
    tables: ['price_raises', 'price_raise_members'],
    eraseRecords: nothing,
    lock: nothing,
    erase: ({ id }) => [step(raises, { member_id: id })],
    // Ids and prices of subscriptions, which the copy has.
    export: nothing,
    // A raise is of a subscription, whoever has it.
    merge: nothing,
    unmerge: nothing,
    restore: nothing,
  } as const satisfies MemberLife
}
