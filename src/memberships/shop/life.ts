import { type Storage, step } from '../../core/storage/index.ts'
import { type LeavingKey, type MemberLife, nothing } from '../life.ts'
import { shopLifeStatements } from './life-statements.ts'

/** Declarations in the life of a member. */
export function shopLife(storage: Storage) {
  const statements = shopLifeStatements(storage)
  return {
    name: 'shop',
    tables: ['declarations'],
    lock: nothing,
    eraseRecords: nothing,
    erase: ({ id, email }) => [step(statements.declarationsForget, { member_id: id, email })],
    export: async ({ id, email }) => ({
      declarations: await storage.all(statements.declarationsOf, { member_id: id, email }),
    }),
    // They were declared with an address, which stays known.
    merge: nothing,
    unmerge: nothing,
    restore: nothing,
  } as const satisfies MemberLife
}

/** Reads the numbers of a member's declarations. */
export function createDeclarationNumbers(storage: Storage) {
  const { numbers } = shopLifeStatements(storage)
  return async ({ id, email }: LeavingKey): Promise<string[]> =>
    (await storage.all(numbers, { member_id: id, email })).map((row) => row.id)
}
