import type { Storage } from '../../core/storage/index.ts'

/** Every provider that a subscription or a payment is kept of, be it configured still or not. Each key is one step through
 *  the index of the rows, however many there are. */
export const storedProviders = async (storage: Storage): Promise<string[]> => {
  const subscriptions = await providersIn('subscriptions', storage)
  const payments = await providersIn('payments', storage)
  return [...new Set([...subscriptions, ...payments])]
}

const providersIn = async (
  table: 'subscriptions' | 'payments',
  storage: Storage,
  after = '',
): Promise<string[]> => {
  const [next] = await storage.read((db) =>
    db.selectFrom(table).select('provider').where('provider', '>', after).orderBy('provider').limit(1),
  )
  return next ? [next.provider, ...(await providersIn(table, storage, next.provider))] : []
}
