import { createLedger } from '../../../src/memberships/ledger/index.ts'
import type { ListedPage } from '../../../src/providers/contract.ts'
import type { Membership } from '../../../src/site/membership.ts'

/** What a site has, without when it was last heard of. */
export const holdings = async ({ storage }: Membership) => {
  const dataOf = (rows: { data: string }[]) =>
    rows.map(({ data }) => ({ ...JSON.parse(data), updated_at: null }))
  return {
    subscriptions: dataOf(
      await storage.read((db) => db.selectFrom('subscriptions').select('data').orderBy('id')),
    ),
    payments: dataOf(await storage.read((db) => db.selectFrom('payments').select('data').orderBy('id'))),
    customers: await storage.read((db) =>
      db
        .selectFrom('customers')
        .select(['customer_id', 'email'])
        .where('email', 'is not', null)
        .orderBy('customer_id'),
    ),
  }
}

/** Takes a page in as whoever imports would. */
export const takeIn = async (m: Membership, provider: string, page: ListedPage): Promise<void> => {
  let made = 0
  const ledger = createLedger({
    storage: m.storage,
    now: () => new Date(page.at),
    randomId: () => `member-${page.at}-${++made}-${Math.random()}`,
    rules: { create: true, roles: ['member'] },
    canFetch: () => false,
    tells: false,
  })
  const origin = { provider, account: '', id: `list:${page.at}`, source: 'fetch' as const, at: page.at }
  for (const change of page.changes) await ledger.apply([change], origin)
}
