/**
 * Writes the rows that a version of this package stores for the messages of each provider, with these messages:
 * `npx tsx test/memberships/ledger/rc1-rows.ts > test/fixtures/rc1-ledger.json`, in a checkout of that version. The
 * fixture is of 2.0.0-rc.1 as it was at 6ca7b530.
 */
import { createMembership, type Membership } from '../../../src/index.ts'
import { cases } from '../../providers/cases.ts'
import { openStripeSite } from '../../support/stripe-site.ts'
import { buy } from '../../support/visitor.ts'

/** The tables of the ledger, parents first. */
export const ledgerTables = [
  'members',
  'customers',
  'subscriptions',
  'facts',
  'payments',
  'payment_refs',
] as const

async function rowsOf(m: Membership): Promise<Record<string, unknown[]>> {
  const rows: Record<string, unknown[]> = {}
  for (const table of ledgerTables)
    rows[table] = await m.storage.read((db) => db.selectFrom(table).selectAll())
  return rows
}

const now = new Date('2026-03-02T12:00:00Z')

async function ofMessages(): Promise<Record<string, object>> {
  const made: Record<string, object> = {}
  for (const { definition, secret, options, plans = {}, story, events, sign } of cases) {
    const { key } = definition
    const m = await createMembership({
      ...{ install: false, root: false, log: () => {}, now: () => now },
      'membership.compare.automatic': false,
      'membership.database.url': 'sqlite::memory:',
      'membership.provider.handler': key as 'stripe',
      [`membership.providers.${key}`]: { webhook: secret, plans, ...options },
    })
    const messages: unknown[] = []
    for (const event of [
      ...[story.subscribes, story.buys, story.cancels, story.ends, story.refunds].flat(),
      ...events,
    ]) {
      const body = Buffer.from(JSON.stringify(event))
      const headers = sign?.(body, secret, now) ?? m.webhooks.sign(key, body)
      const outcome = await m.webhooks.receive(key, { body, headers }).catch(() => 'refused')
      if (outcome === 'processed') messages.push(event)
    }
    made[key] = { messages, rows: await rowsOf(m) }
    await m.close()
  }
  return made
}

/** A month that is paid, one that fails, an upgrade, a refund and a dispute, at the fake Stripe. */
async function ofStripe(): Promise<object> {
  const downs: (() => unknown)[] = []
  const opened = await openStripeSite({ teardown: (down) => void downs.push(down) })
  const { m, fake } = opened
  const arrive = async () => {
    await fake.advance({ ms: 5000 })
    await fake.deliver()
    await m.runDueJobs()
  }
  const { id, user } = await buy(opened, 'ann@example.com')
  await arrive()
  await fake.advance({ months: 1, ms: 7_200_000 })
  await arrive()
  await m.subscriptions.change({ user: (await m.users.findById(user.id))!, subscriptionId: id, plan: 'team' })
  await arrive()
  await buy(opened, 'ben@example.com')
  await arrive()
  fake.refund(fake.objects.list('charge').at(-1)!.id)
  await arrive()
  fake.dispute(fake.objects.list('charge')[0]!.id)
  await arrive()
  fake.useCard(fake.objects.list('customer')[0]!.id, '4000000000000341')
  await fake.advance({ months: 1, ms: 7_200_000 })
  await arrive()
  const made = { messages: fake.events(), rows: await rowsOf(m) }
  for (const down of downs.reverse()) await down()
  return made
}

if (process.argv[1]?.endsWith('rc1-rows.ts'))
  process.stdout.write(`${JSON.stringify({ ...(await ofMessages()), stripe: await ofStripe() })}\n`, () =>
    process.exit(0),
  )
