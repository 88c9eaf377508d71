import { type Storage, step } from '../../core/storage/index.ts'
import { type MemberLife, nothing } from '../life.ts'
import { shopLifeStatements } from './life-statements.ts'

/** Declarations in the life of a member. */
export const shopLife = (storage: Storage) => {
  const statements = shopLifeStatements(storage)
  return {
    name: 'shop',
    tables: ['declarations'],
    lock: nothing,
    erase: ({ id }) => [step(statements.declarationsForget, { member_id: id })],
    export: async ({ id, email }) => ({
      declarations: await storage.all(statements.declarationsOf, { member_id: id, email }),
    }),
    // They were declared with an address, which stays known.
    merge: nothing,
    unmerge: nothing,
    restore: nothing,
  } as const satisfies MemberLife
}
