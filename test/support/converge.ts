import type { Parameters as Settings } from 'fast-check'
import { createMembership, type Membership, type MembershipOptions } from '../../src/index.ts'
import { atNewest } from './databases.ts'
import { toBody } from './stripe-events.ts'

/**
 * A fixed seed, so that a run can be had again; `FC_SEED=random` hunts, `FC_RUNS` says how long. `npm test`
 * tries a quarter of what `npm run test:all` and CI do.
 */
export function settings<T>(numRuns: number): Settings<T> {
  return {
    includeErrorInReport: true,
    numRuns: Number(process.env.FC_RUNS ?? Math.ceil(numRuns * share)),
    ...(process.env.FC_SEED === 'random' ? {} : { seed: Number(process.env.FC_SEED ?? 20_260_301) }),
  }
}

const share = process.env.TEST_PART === 'usual' && !process.env.TEST_PROPERTIES ? 1 / 4 : 1

function monthly(id: string, amount: number) {
  return { id, amount, currency: 'EUR', interval: 'month' as const }
}

/** Plans whose terms the purchases of the generated histories keep. */
export const plansOfHistories: MembershipOptions = {
  'membership.providers.stripe.accepts': 'everything',
  'membership.providers.stripe.plans': {
    gold: { prices: [monthly('price_gold', 2000)] },
    silver: { prices: [monthly('price_silver', 1000)] },
    book: { prices: [{ id: 'price_book', amount: 1900, currency: 'EUR', type: 'one_time' }] },
  },
}

/** One more instance on that database, with a clock of its own. */
export async function openInstance(
  url: string,
  now: () => Date,
  more: MembershipOptions = {},
): Promise<Membership> {
  return createMembership({
    install: false,
    'membership.compare.automatic': false,
    root: false,
    log: () => {},
    now,
    'membership.database.url': await atNewest(url),
    ...(url.startsWith('sqlite:')
      ? { 'membership.database.synchronous': 'normal' }
      : { 'membership.database.pool': 3 }),
    'membership.provider.handler': 'stripe',
    'membership.providers.stripe.webhook': 'whsec_test',
    ...more,
  })
}

/** Hands over one event as Stripe would, signed. */
export function deliver(m: Membership, event: Readonly<Record<string, unknown>>) {
  const body = toBody(event)
  return m.webhooks.receive('stripe', { body, headers: m.webhooks.sign('stripe', body) })
}

/** Everything that the theorems speak of; revisions count writes and differ. */
export async function stateOf({ storage }: Membership) {
  const members = await storage.read((db) =>
    db
      .selectFrom('customers as c')
      .innerJoin('members as m', 'm.id', 'c.member_id')
      .select(['c.customer_id', 'm.email']),
  )
  const memberOf = new Map(members.map((m) => [m.customer_id, m.email]))
  const subscriptions = await storage.read((db) => db.selectFrom('subscriptions').selectAll().orderBy('id'))
  const facts = await storage.read((db) => db.selectFrom('facts').selectAll().orderBy('kind').orderBy('id'))
  const refs = await storage.read((db) => db.selectFrom('payment_refs').selectAll().orderBy('ref'))
  const payments = await storage.read((db) => db.selectFrom('payments').selectAll().orderBy('id'))
  const customers = await storage.read((db) =>
    db.selectFrom('customers').selectAll().orderBy('provider').orderBy('account').orderBy('customer_id'),
  )
  const overdue = await storage.read((db) =>
    db.selectFrom('overdue').selectAll().orderBy('subscription_id').orderBy('at'),
  )
  return {
    overdue,
    customers: customers.map(({ revision: _, member_id: _m, ...row }) => ({
      ...row,
      member: memberOf.get(row.customer_id) ?? null,
    })),
    subscriptions: subscriptions.map((row) => ({
      ...comparable(row),
      member: memberOf.get(row.owner_id) ?? null,
    })),
    facts: facts.map(comparable),
    refs,
    payments: payments.map(({ revision: _, ...row }) => ({
      ...row,
      member: memberOf.get(row.owner_id) ?? null,
    })),
  }
}

/** The one thing that may depend on who came first: whose a purchase is, once that is decided. */
export function withoutMembers(state: Awaited<ReturnType<typeof stateOf>>) {
  return {
    ...state,
    customers: state.customers.map(({ member: _, ...row }) => row),
    subscriptions: state.subscriptions.map(({ member: _, ...row }) => row),
    payments: state.payments.map(({ member: _, ...row }) => row),
  }
}

function comparable<R extends { revision: number; prior_marks: string | null; tied: string | null }>({
  revision: _,
  ...row
}: R) {
  return { ...row, prior_marks: parsed(row.prior_marks), tied: parsed(row.tied) }
}

function parsed(text: string | null): unknown {
  return text === null ? null : JSON.parse(text)
}

/** How many facts the evidence does not decide. */
export async function contestedCount({ storage }: Membership): Promise<number> {
  const subscriptions = await storage.read((db) =>
    db.selectFrom('subscriptions').select('id').where('contested', '=', 1),
  )
  const facts = await storage.read((db) => db.selectFrom('facts').select('id').where('contested', '=', 1))
  return subscriptions.length + facts.length
}

/** A shuffle with some repeated, the same for the same seed. */
export function shuffled<T>(list: readonly T[], seed: number): T[] {
  const next = random(seed)
  return list
    .flatMap((item) => [{ item, at: next() }, ...(next() < 0.3 ? [{ item, at: next() }] : [])])
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item)
}

/** Numbers from 0 to 1. Source: mulberry32, public domain. */
export function random(seed: number) {
  let state = seed | 0
  return (): number => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}
