import type { Storage } from '../../core/storage/index.ts'

/**
 * Lists every provider with a stored subscription or payment, configured or not. Each key costs one index step, however
 * many rows there are.
 */
export async function storedProviders(storage: Storage): Promise<string[]> {
  const subscriptions = await providersIn('subscriptions', storage)
  const payments = await providersIn('payments', storage)
  return [...new Set([...subscriptions, ...payments])]
}

/** Returns the customer under whom a subscription is stored; null for an unknown one. */
export async function storedCustomer(
  storage: Storage,
  { provider, accounts, id }: { provider: string; accounts: readonly string[]; id: string },
): Promise<string | null> {
  const [stored] = await storage.read((db) =>
    db
      .selectFrom('subscriptions')
      .select('owner_id')
      .where('provider', '=', provider)
      .where('account', 'in', accounts)
      .where('id', '=', id),
  )
  return stored?.owner_id ?? null
}

async function providersIn(
  table: 'subscriptions' | 'payments',
  storage: Storage,
  after = '',
): Promise<string[]> {
  const [next] = await storage.read((db) =>
    db.selectFrom(table).select('provider').where('provider', '>', after).orderBy('provider').limit(1),
  )
  return next ? [next.provider, ...(await providersIn(table, storage, next.provider))] : []
}
