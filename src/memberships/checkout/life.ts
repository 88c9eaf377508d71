import { type Storage, step } from '../../core/storage/index.ts'
import { type MemberLife, nothing } from '../life.ts'
import { checkoutLifeStatements } from './life-statements.ts'

/** Checkouts in the life of a member. */
export const checkoutLife = (storage: Storage) => {
  const statements = checkoutLifeStatements(storage)
  return {
    name: 'checkout',
    tables: ['intents'],
    // No return page opens a session.
    lock: ({ id }) => [step(statements.forgetBrowsers, { member_id: id })],
    // The order stays, and names nobody.
    erase: nothing,
    export: async ({ id }) => {
      const checkouts = await storage.all(statements.checkouts, { member_id: id })
      return {
        checkouts: checkouts.map(({ id: _, consent, ...item }) => ({
          ...item,
          consent: consent && (JSON.parse(consent) as unknown),
        })),
      }
    },
    merge: ({ kept, merged }) => [step(statements.move, { kept: kept.id, merged: merged.id })],
    unmerge: ({ kept, merged }) => [step(statements.moveBack, { kept: kept.id, merged: merged.id })],
    restore: async ({ at }) => {
      const [row] = await storage.all(statements.enterable, {})
      return {
        ended: { returnPages: Number(row?.n ?? 0) },
        steps: [step(statements.endReturnPages, { at })],
        afterwards: [],
      }
    },
  } as const satisfies MemberLife
}

/** Reads the ids of a member's checkouts. */
export const createCheckoutIds = (storage: Storage) => {
  const { checkouts } = checkoutLifeStatements(storage)
  return async (member_id: string): Promise<string[]> =>
    (await storage.all(checkouts, { member_id })).map(({ id }) => id)
}
