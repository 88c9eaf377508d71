import { createLedger } from '../../src/memberships/ledger/index.ts'
import type { ListedPage } from '../../src/providers/contract.ts'
import { neighboursOn } from '../../src/site/assembly/doors.ts'
import type { Membership } from '../../src/site/membership.ts'

/** What somebody has, without when it was last heard of. */
export async function holdings({ storage }: Membership) {
  const data = (row: { data: string }) => {
    // Of one of which only a refund or a dispute is known yet there is nothing to say.
    const { updated_at: _, ...rest } = JSON.parse(row.data) ?? {}
    return rest
  }
  const customers = await storage.read((db) =>
    db
      .selectFrom('customers as c')
      .leftJoin('members as m', 'm.id', 'c.member_id')
      .select(['c.customer_id', 'c.email', 'c.name', 'c.deleted', 'm.email as member'])
      .orderBy('c.customer_id'),
  )
  const subscriptions = await storage.read((db) =>
    db.selectFrom('subscriptions').select(['id', 'owner_id', 'status', 'data']).orderBy('id'),
  )
  const payments = await storage.read((db) =>
    db.selectFrom('payments').select(['id', 'owner_id', 'status', 'data']).orderBy('id'),
  )
  return {
    customers,
    subscriptions: subscriptions.map((row) => ({ ...row, data: data(row) })),
    payments: payments.map((row) => ({ ...row, data: data(row) })),
  }
}

/** Takes pages in as whoever imports would: each in one unit. */
export async function takeIn(m: Membership, provider: string, page: ListedPage): Promise<void> {
  let made = 0
  const ledger = createLedger({
    neighbours: neighboursOn(m.storage),
    storage: m.storage,
    now: () => new Date(),
    randomId: () => `member-${page.at}-${++made}-${Math.random()}`,
    rules: { create: true, roles: ['member'] },
    canFetch: () => false,
    reports: false,
  })
  const origin = { provider, account: '', id: `list:${page.at}`, source: 'fetch' as const, at: page.at }
  for (const change of page.changes) await ledger.apply([change], origin)
}
