import type { Storage } from '../../core/storage/index.ts'
import type { Consent } from './consent.ts'
import { orderStatements } from './order-statements.ts'

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
