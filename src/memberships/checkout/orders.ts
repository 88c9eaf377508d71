import type { Storage } from '../../core/storage/index.ts'
import type { Consent } from './consent.ts'

/** Statements about orders kept with purchases. */
export function orderStatements(storage: Storage) {
  return {
    /** Finds the newest order of a member for this price, as it was shown and agreed to. */
    ordered: storage.prepare<{ member: string; provider: string; price: string }, { consent: string | null }>(
      'intent-ordered',
      (db, p) =>
        db
          .selectFrom('intents')
          .select('consent')
          .where('member_id', '=', p.member)
          .where('provider', '=', p.provider)
          .where('price_id', '=', p.price)
          .where('consent', 'is not', null)
          .orderBy('created_at', 'desc')
          .limit(1),
    ),
  }
}

export function createOrders({ storage, now }: { storage: Storage; now: () => Date }) {
  const { ordered } = orderStatements(storage)
  return {
    /** The member's order of this price within the last month, as it was shown; null where none was kept. */
    orderOf: async (member: string, bought: { provider: string; price: string }): Promise<Consent | null> => {
      const [row] = await storage.all(ordered, { member, ...bought })
      const order = row?.consent ? (JSON.parse(row.consent) as Consent) : null
      return order !== null && Date.parse(order.at) > now().getTime() - monthMs ? order : null
    },
  }
}

// A checkout may be paid for a week, and a bank takes two more.
const monthMs = 30 * 86_400_000
