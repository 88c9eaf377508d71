import type { Storage } from '../../core/storage/index.ts'
import type { User } from '../members/index.ts'
import type { DomainEvent } from './difference.ts'
import { notifierStatements } from './statements.ts'

/**
 * Until when the first news of a buyer wait; null: they do not. A message about the customer alone can make an account a
 * moment before the one that says where the purchase was begun, and with it the order and the language of the first mails.
 */
export const createPurchaseSettling = (storage: Storage, now: () => Date) => {
  const { openPurchase, ownPurchase } = notifierStatements(storage)

  return async (
    member: Pick<User, 'id' | 'created_at'>,
    { createdBy, domainEvents }: { createdBy: string | null; domainEvents: readonly DomainEvent[] },
  ): Promise<string | null> => {
    const until = new Date(Date.parse(member.created_at) + waitMs).toISOString()
    // By an intent's id the checkout itself made it.
    if (createdBy === null || !createdBy.includes(':') || until <= now().toISOString()) return null
    for (const bought of domainEvents.flatMap(boughtIn)) {
      const [own] = await storage.all(ownPurchase, { ...bought, member: member.id })
      if (own !== undefined) return null
      const asked = { ...bought, now: now().toISOString(), made: member.created_at }
      const [open] = await storage.all(openPurchase, asked)
      if (open !== undefined) return until
    }
    return null
  }
}

// Messages of one purchase arrive within seconds; after that it is nobody's that began here.
const waitMs = 20_000

const boughtIn = (item: DomainEvent): { provider: string; price: string }[] => {
  const object = 'subscription' in item ? item.subscription : 'payment' in item ? item.payment : null
  return object === null || object.price_id === null
    ? []
    : [{ provider: object.provider, price: object.price_id }]
}
