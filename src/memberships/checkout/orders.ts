import type { Storage } from '../../core/storage/index.ts'
import type { Consent } from './consent.ts'

/** The orders that purchases keep. */
export const orderStatements = (storage: Storage) => ({
  /** The order of what a member bought, as it was shown and agreed to; the newest. */
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
})

/** Finds the orders that purchases keep. */
export const createOrders = ({ storage, now }: { storage: Storage; now: () => Date }) => {
  const { ordered } = orderStatements(storage)
  return {
    /** The order of a price by a member within the last month, as it was shown; null where nothing was kept. */
    orderOf: async (member: string, bought: { provider: string; price: string }): Promise<Consent | null> => {
      const [row] = await storage.all(ordered, { member, ...bought })
      const order = row?.consent ? (JSON.parse(row.consent) as Consent) : null
      return order !== null && Date.parse(order.at) > now().getTime() - monthMs ? order : null
    },
  }
}

// A checkout may be paid for a week, and a bank takes two more.
const monthMs = 30 * 86_400_000
