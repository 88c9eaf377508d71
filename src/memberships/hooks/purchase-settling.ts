import type { Storage } from '../../core/storage/index.ts'
import type { User } from '../members/index.ts'
import type { DomainEvent } from './difference.ts'
import { notifierStatements } from './statements.ts'

/**
 * Returns the moment until which a buyer's first notification waits; null when it need not wait. A customer event can
 * create an account just before the event that names the checkout. Only that checkout knows the order and the language
 * of the first mails.
 */
export const createPurchaseSettling = (storage: Storage, now: () => Date) => {
  const { openPurchase, ownPurchase } = notifierStatements(storage)

  return async (
    member: Pick<User, 'id' | 'created_at'>,
    { createdBy, domainEvents }: { createdBy: string | null; domainEvents: readonly DomainEvent[] },
  ): Promise<string | null> => {
    const until = new Date(Date.parse(member.created_at) + waitMs).toISOString()
    // An intent's id has no colon: the checkout itself created the member.
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

// The events of one purchase arrive within seconds. After that the purchase did not begin on this site.
const waitMs = 20_000

const boughtIn = (item: DomainEvent): { provider: string; price: string }[] => {
  const object = 'subscription' in item ? item.subscription : 'payment' in item ? item.payment : null
  return object === null || object.price_id === null
    ? []
    : [{ provider: object.provider, price: object.price_id }]
}
