import type { ExecutionContext } from 'ava'
import type { Storage } from '../../src/core/storage/index.ts'
import type { Membership } from '../../src/index.ts'
import { createDeletions } from '../../src/memberships/account/index.ts'
import { createLives } from '../../src/site/assembly/lives.ts'
import { movable } from './account.ts'
import { deliver, openInstance } from './converge.ts'
import {
  chargeObject,
  checkoutObject,
  customerObject,
  intentObject,
  invoiceObject,
  month,
  start,
  stripeEvent,
  subscriptionItem,
  subscriptionObject,
} from './stripe-events.ts'

/** Ann, who has a subscription and a book, and wants to leave; Bob, who stays. */
export async function annLeaves(t: ExecutionContext, url: string) {
  const clock = movable(new Date((start + month / 2) * 1000).toISOString())
  const m = await openInstance(url, clock.now)
  t.teardown(() => m.close())
  const ann = await m.users.create({
    email: 'ann@example.com',
    name: 'Ann',
    verified: true,
    content: { town: 'Annville' },
  })
  const bob = await m.users.create({ email: 'bob@example.com', name: 'Bob', verified: true })
  await insertIntent(m, 'int_1', ann.id)
  await insertIntent(m, 'int_2', ann.id)
  const gift = await m.users.grant({ memberId: ann.id, gate: 'price_gift', reason: 'a gift for Ann' })
  await insertSession(m, 'ses_1', ann.id)
  await insertSession(m, 'ses_2', bob.id)
  for (const event of [...annsEvents(), ...bobsEvents()]) await deliver(m, event)
  return { m, clock, ann, bob, gift, ...deletionsOf(m, clock.now) }
}

export function annsEvents() {
  return [
    stripeEvent('customer.created', customerObject({ name: 'Ann' }), { id: 'evt_a1' }),
    stripeEvent('customer.subscription.created', subscriptionObject({ metadata: { note: 'for Ann' } }), {
      id: 'evt_a2',
      created: start + 1,
    }),
    stripeEvent('invoice.paid', invoiceObject(), { id: 'evt_a3', created: start + 2 }),
    stripeEvent('checkout.session.completed', checkoutObject(), { id: 'evt_a4', created: start + 3 }),
    stripeEvent('payment_intent.succeeded', intentObject(), { id: 'evt_a5', created: start + 3 }),
    stripeEvent('charge.succeeded', chargeObject(), { id: 'evt_a6', created: start + 3 }),
    // A checkout that she left before paying.
    stripeEvent('customer.created', customerObject({ id: 'cus_4', name: 'Ann' }), {
      id: 'evt_a7',
      created: start + 4,
    }),
  ]
}

function bobsEvents() {
  return [
    stripeEvent('customer.created', customerObject({ id: 'cus_b', email: 'bob@example.com', name: 'Bob' }), {
      id: 'evt_b1',
    }),
    stripeEvent(
      'customer.subscription.created',
      subscriptionObject({
        id: 'sub_b',
        customer: 'cus_b',
        items: { object: 'list', data: [subscriptionItem({ id: 'si_b' })] },
      }),
      { id: 'evt_b2', created: start + 1 },
    ),
  ]
}

/** The deletions of an instance. `provider.isDown` makes it refuse; else it cancels and says so by a message. */
export function deletionsOf(m: Membership, now: () => Date, storage: Storage = m.storage) {
  const provider = { isDown: false, isSilent: false, asked: 0 }
  const deletions = createDeletions({
    isManagedElsewhere: () => false,
    lives: createLives({ storage, now }),
    storage,
    now,
    log: () => {},
    findUser: m.users.findById,
    cancelAll: async (user) => {
      provider.asked++
      if (provider.isDown) throw new Error('the provider does not answer')
      for (const s of user.subscriptions())
        if (!s.ended && !provider.isSilent) await deliver(m, cancelled(s.id, s.customer_id ?? ''))
    },
  })
  return { deletions, provider }
}

/** What Stripe sends when a subscription is cancelled at once. */
function cancelled(id: string, customer: string) {
  const at = start + month / 2
  const object = subscriptionObject({ id, customer, status: 'canceled', canceled_at: at, ended_at: at })
  return stripeEvent('customer.subscription.deleted', object, { id: `evt_end_${id}`, created: at })
}

/** A checkout that a member began. */
export function insertIntent(m: Membership, id: string, member_id: string) {
  return m.storage.commit([
    {
      statement: m.storage.prepare<{ id: string; member_id: string }>('test-intent', (db, p) =>
        db.insertInto('intents').values({
          id: p.id,
          provider: 'stripe',
          mode: 'payment',
          plan: 'book',
          price_id: 'price_book',
          quantity: 1,
          member_id: p.member_id,
          checkout_id: { int_1: 'cs_1', int_2: 'cs_open' }[id] ?? `cs_${id}`,
          checkout_url: 'https://checkout.stripe.com/c/ann',
          redirect: '/ann/thanks',
          browser: 'anns-browser',
          status: 'open',
          created_at: '2026-03-01T00:00:00.000Z',
          expires_at: '2026-03-08T00:00:00.000Z',
          settled_at: null,
        }),
      ) as never,
      params: { id, member_id },
    },
  ])
}

function insertSession(m: Membership, id: string, member_id: string) {
  return m.storage.commit([
    {
      statement: m.storage.prepare<{ id: string; member_id: string }>('test-session', (db, p) =>
        db.insertInto('sessions').values({
          id: p.id,
          member_id: p.member_id,
          verified: 1,
          created_at: '2026-03-01T00:00:00.000Z',
          expires_at: '2027-03-01T00:00:00.000Z',
          revoked_at: null,
        }),
      ) as never,
      params: { id, member_id },
    },
  ])
}

const tables = [
  'members',
  'sessions',
  'customers',
  'subscriptions',
  'facts',
  'payment_refs',
  'payments',
  'grants',
  'intents',
  'events',
  'fetches',
  'deletions',
  'audit_log',
  'merges',
] as const

/** Every row of a member's tables, bodies as text, without what counts writes or says when they were made. */
export async function everything({ storage }: Pick<Membership, 'storage'>) {
  const all: Record<string, unknown[]> = {}
  for (const table of tables) {
    const rows = await storage.read((db) => db.selectFrom(table).selectAll())
    all[table] = rows
      .map((row) =>
        Object.fromEntries(
          Object.entries(row)
            .filter(([key]) => key !== 'revision' && key !== 'seq')
            .map(([key, value]) => [key, Buffer.isBuffer(value) ? value.toString() : value]),
        ),
      )
      .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  }
  return all
}

/** Where a name is still found: table and column. */
export async function tracesOf(m: Membership, name: RegExp): Promise<string[]> {
  const found: string[] = []
  for (const [table, rows] of Object.entries(await everything(m)))
    for (const row of rows as Record<string, unknown>[])
      for (const [column, value] of Object.entries(row))
        if (typeof value === 'string' && name.test(value)) found.push(`${table}.${column}`)
  return found
}
