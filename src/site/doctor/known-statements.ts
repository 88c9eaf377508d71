import type { Ref } from '../../providers/contract.ts'
import type { Readable } from './statements.ts'

/**
 * Finds an object that the provider should know, in one account if `account` is given. It prefers a
 * subscription, because some providers have no customers. Returns null if the database has neither.
 */
export async function findKnown(
  storage: Readable,
  provider: string,
  account: string | null,
): Promise<Ref | null> {
  const [subscription] = await aSubscription(storage, provider, account)
  if (subscription) return { kind: 'subscription', id: subscription.id, parent: subscription.owner_id }
  const [customer] = await aCustomer(storage, provider, account)
  return customer ? { kind: 'customer', id: customer.customer_id } : null
}

function aSubscription({ read }: Readable, provider: string, account: string | null) {
  return read((db) =>
    db
      .selectFrom('subscriptions')
      .select(['id', 'owner_id'])
      .where('provider', '=', provider)
      .$if(account !== null, (query) => query.where('account', '=', account))
      .orderBy('provider')
      .orderBy('account')
      .orderBy('id')
      .limit(1),
  )
}

function aCustomer({ read }: Readable, provider: string, account: string | null) {
  return read((db) =>
    db
      .selectFrom('customers')
      .select('customer_id')
      .where('provider', '=', provider)
      .$if(account !== null, (query) => query.where('account', '=', account))
      .where('guest', '=', 0)
      .where('deleted', '=', 0)
      .orderBy('provider')
      .orderBy('account')
      .orderBy('customer_id')
      .limit(1),
  )
}
