import test from 'ava'
import {
  type PaymentData,
  type SubscriptionData,
  toPayment,
  toSubscription,
} from '../../../src/core/dto/index.ts'
import { differences, type NotifiedState } from '../../../src/memberships/hooks/difference.ts'
import { expiringCardOf } from '../../../src/memberships/hooks/reminders.ts'
import { toUser } from '../../../src/memberships/members/user.ts'

function payment(more: Partial<PaymentData>): PaymentData {
  return {
    id: 'pi_1',
    provider: 'stripe',
    account: '',
    customer_id: 'cus_1',
    subscription_id: null,
    purpose: 'one_time',
    invoice_id: null,
    price_id: 'price_book',
    items: [],
    quantity: 1,
    amount: 1900,
    amount_refunded: 0,
    currency: 'EUR',
    status: 'paid',
    paid_at: '2026-03-02T00:00:00.000Z',
    invoice_url: null,
    livemode: false,
    metadata: {},
    updated_at: '2026-03-02T00:00:00.000Z',
    ...more,
  }
}

function userWith(payments: readonly PaymentData[], subscriptions: readonly SubscriptionData[] = []) {
  return toUser(
    {
      id: 'ann',
      email: 'ann@example.com',
      email_verified: true,
      name: null,
      roles: [],
      language: null,
      content: {},
      created_at: '2026-03-01T00:00:00.000Z',
      subscriptions: () => subscriptions.map(toSubscription),
      payments: () => payments.map(toPayment),
      grants: [],
      customers: [],
    },
    { plans: [], pastDueSeconds: 0, fields: new Map(), now: () => new Date('2026-03-03T00:00:00Z') },
  )
}

/** The payments that are told as the member's looks follow each other. */
function toldAfter(...looks: readonly (readonly PaymentData[])[]): string[] {
  let told: NotifiedState | null = null
  const names: string[] = []
  for (const look of looks) {
    const { domainEvents: happened, next } = differences(told, userWith(look), {
      since: '2026-01-01T00:00:00.000Z',
      now: '2026-03-03T00:00:00.000Z',
    })
    for (const domainEvent of happened) if (domainEvent.name === 'payment') names.push(domainEvent.payment.id)
    told = next
  }
  return names
}

test('a payment that briefly looks open again is notified once', (t) => {
  t.deepEqual(toldAfter([payment({})], [payment({ status: 'pending' })], [payment({})]), ['pi_1'])
})

test('a payment notified under its invoice’s name is not notified again under its own', (t) => {
  const unlinked = payment({ id: 'in_1', invoice_id: 'in_1', subscription_id: 'sub_1' })
  const linked = payment({ id: 'pi_1', invoice_id: 'in_1', subscription_id: 'sub_1' })
  t.deepEqual(toldAfter([unlinked], [linked], [linked]), ['in_1'])
})

test('a payment partly refunded before the first check still counts as arrived', (t) => {
  const partly = payment({ status: 'partially_refunded', amount_refunded: 100 })
  t.deepEqual(toldAfter([partly], [partly], [payment({ status: 'refunded' })]), ['pi_1'])
})

test('a dispute won before any notification makes the payment news', (t) => {
  t.deepEqual(toldAfter([], [payment({ status: 'disputed' })], [payment({})]), ['pi_1'])
  t.deepEqual(toldAfter([payment({})], [payment({ status: 'disputed' })], [payment({})]), ['pi_1'])
})

function subscription(status: SubscriptionData['status']): SubscriptionData {
  return {
    id: 'sub_1',
    provider: 'stripe',
    account: '',
    customer_id: 'cus_1',
    price_id: 'price_month',
    product_id: null,
    quantity: 1,
    items: [],
    status,
    provider_status: null,
    currency: 'EUR',
    unit_amount: 900,
    interval: 'month',
    interval_count: 1,
    started_at: '2026-03-02T00:00:00.000Z',
    trial_ends_at: null,
    current_period_start: '2026-03-02T00:00:00.000Z',
    current_period_end: '2026-04-02T00:00:00.000Z',
    cancel_at_period_end: false,
    cancel_at: null,
    canceled_at: null,
    ended_at: null,
    paused_at: null,
    resumes_at: null,
    past_due_since: null,
    livemode: false,
    metadata: {},
    updated_at: '2026-03-02T00:00:00.000Z',
  }
}

test('a payment of unknown purpose is notified once its purpose is known, however late, and once', (t) => {
  const bare = payment({ price_id: null, purpose: 'unknown' })
  const known = payment({ purpose: 'one_time' })
  for (const subscriptions of [[], [subscription('active')]]) {
    let told: NotifiedState | null = null
    const seen = [bare, bare, known, known].map((item, days) => {
      const now = new Date(Date.parse('2026-03-09T12:00:00Z') + days * 10 * 86_400_000).toISOString()
      const { domainEvents: happened, next } = differences(told, userWith([item], subscriptions), {
        since: '2026-01-01',
        now,
      })
      told = next
      return happened.filter(({ name }) => name === 'payment').length
    })
    t.deepEqual(seen, [0, 0, 1, 0])
  }
  // What was paid before telling began is known, and does not become news by being assigned.
  const [since, now] = ['2026-03-09T12:00:00.000Z', '2026-03-30T12:00:00.000Z']
  const { next } = differences(null, userWith([bare]), { since, now })
  t.deepEqual(
    differences(next, userWith([known]), { since, now }).domainEvents.filter(
      ({ name }) => name === 'payment',
    ),
    [],
  )
})

test('a payment whose invoice was notified is not notified again when both are joined late', (t) => {
  const invoice = payment({ id: 'in_1', invoice_id: 'in_1', subscription_id: 'sub_1' })
  const bare = payment({ price_id: null, purpose: 'unknown' })
  const joined = payment({ invoice_id: 'in_1', subscription_id: 'sub_1' })
  t.deepEqual(toldAfter([bare], [bare, invoice], [joined], [joined]), ['in_1'])
  t.deepEqual(toldAfter([invoice], [bare, invoice], [joined]), ['in_1'])
})

test('a trial that is a later start was there when it was last changed, not when it begins', (t) => {
  const since = '2026-03-01T00:00:00.000Z'
  const startedFrom = (updated_at: string) => {
    const trial = { ...subscription('trialing'), started_at: '2026-04-10T00:00:00.000Z', updated_at }
    return differences(null, userWith([], [trial]), { since, now: '2026-03-05T00:00:00.000Z' })
      .domainEvents.map(({ name }) => name)
      .filter((name) => name !== 'access')
  }
  t.deepEqual(startedFrom('2026-02-09T00:00:00.000Z'), [], 'it was there before')
  t.deepEqual(startedFrom('2026-03-04T00:00:00.000Z'), ['subscribe'])
})

test('purchases from before notifications began are not news, even for a member notified before', (t) => {
  const since = '2026-03-01T00:00:00.000Z'
  const look = (told: NotifiedState | null, ...of: Parameters<typeof userWith>) =>
    differences(told, userWith(...of), { since, now: '2026-03-05T00:00:00.000Z' })
  const names = ({ domainEvents: happened }: ReturnType<typeof look>) =>
    happened.map(({ name }) => name).filter((name) => name !== 'access')
  const first = look(null, [payment({})])
  t.deepEqual(names(first), ['payment'])
  // Of three years ago, and heard of only now: an invoice of each year, a subscription that still runs.
  const invoices = ['2023', '2024', '2025'].map((year) =>
    payment({ id: `in_${year}`, invoice_id: `in_${year}`, paid_at: `${year}-02-02T00:00:00.000Z` }),
  )
  const old = {
    ...subscription('active'),
    started_at: '2023-02-02T00:00:00.000Z',
    current_period_start: '2026-02-02T00:00:00.000Z',
  }
  const second = look(first.next, [payment({}), ...invoices], [old])
  t.deepEqual(names(second), [])
  // From here on it is like any other.
  const ended = { ...old, status: 'canceled' as const, canceled_at: '2026-03-04T00:00:00.000Z' }
  const back = invoices.map((invoice) => ({ ...invoice, status: 'refunded' as const }))
  t.deepEqual(names(look(second.next, [payment({}), ...back], [ended])), [
    'cancel',
    'refunded',
    'refunded',
    'refunded',
  ])
})

test('a subscription that briefly looks unpaid does not begin twice', (t) => {
  let told: NotifiedState | null = null
  const names: string[] = []
  for (const status of ['incomplete', 'active', 'incomplete', 'active', 'canceled'] as const) {
    const { domainEvents: happened, next } = differences(told, userWith([], [subscription(status)]), {
      since: '2026-01-01',
      now: '2026-03-05T00:00:00.000Z',
    })
    names.push(...happened.map(({ name }) => name).filter((name) => name !== 'access'))
    told = next
  }
  t.deepEqual(names, ['subscribe', 'cancel'])
})

const renewal = '2026-09-03T10:00:00.000Z'
function renewing(more: Partial<SubscriptionData> = {}) {
  return toSubscription({ ...subscription('active'), current_period_end: renewal, ...more })
}
function paidBy(card_expires: string | undefined, paid_at = '2026-08-03T10:00:00.000Z') {
  return toPayment(
    payment({
      id: paid_at,
      subscription_id: renewing().id,
      purpose: 'recurring',
      paid_at,
      ...(card_expires ? { card_expires } : {}),
    }),
  )
}

test('a card that expires in a month before the renewal is found, two weeks ahead', (t) => {
  const due = '2026-08-20T10:00:00.000Z'
  t.deepEqual(expiringCardOf(renewing(), [paidBy('2026-08')]), { expires: '2026-08', at: renewal, due })
})

test('a card works to the end of its last month', (t) => {
  t.is(expiringCardOf(renewing(), [paidBy('2026-09')]), null)
  t.is(expiringCardOf(renewing(), [paidBy('2027-01')]), null)
})

test('the newest payment names the card; a provider that names none gives no notice', (t) => {
  t.is(expiringCardOf(renewing(), [paidBy('2026-08', '2026-07-03T10:00:00.000Z'), paidBy('2029-12')]), null)
  t.is(expiringCardOf(renewing(), [paidBy(undefined)]), null)
  t.is(expiringCardOf(renewing(), []), null)
})

test('a subscription that ends, is paused or overdue, or is another one, needs no new card', (t) => {
  for (const other of [
    { cancel_at_period_end: true },
    { cancel_at: renewal },
    { paused_at: '2026-08-10T10:00:00.000Z' },
    { status: 'past_due' as const },
    { status: 'canceled' as const },
    { id: 'sub_2' },
  ])
    t.is(expiringCardOf(renewing(other), [paidBy('2026-08')]), null, JSON.stringify(other))
})
