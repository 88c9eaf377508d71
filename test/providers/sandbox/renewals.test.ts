import test from 'ava'
import fc from 'fast-check'
import { periodEnd, type Rhythm } from '../../../src/fakes/engine/index.ts'
import { addMonths } from '../../../src/providers/sandbox/periods.ts'
import { cards, openSandbox } from './support.ts'

const monthly = { interval: 'month', interval_count: 1 } as const
function secondsOf(moment: string) {
  return Date.parse(moment) / 1000
}
function nextEnd(anchor: string, rhythm: Rhythm, start: string) {
  return new Date(periodEnd(secondsOf(anchor), secondsOf(start), rhythm) * 1000).toISOString()
}
function ends(start: string, rhythm: Rhythm, count: number): string[] {
  const found: string[] = []
  for (let from = start; found.length < count; from = found.at(-1)!) found.push(nextEnd(start, rhythm, from))
  return found.map((end) => end.slice(0, 10))
}

test('the 31st becomes the last day of shorter months, and returns', (t) => {
  t.deepEqual(ends('2026-01-31T10:00:00.000Z', monthly, 4), [
    '2026-02-28',
    '2026-03-31',
    '2026-04-30',
    '2026-05-31',
  ])
  t.deepEqual(ends('2028-01-30T10:00:00.000Z', monthly, 2), ['2028-02-29', '2028-03-30'])
  t.deepEqual(ends('2028-02-29T00:00:00.000Z', { interval: 'year', interval_count: 1 }, 4), [
    '2029-02-28',
    '2030-02-28',
    '2031-02-28',
    '2032-02-29',
  ])
  t.deepEqual(ends('2026-08-31T00:00:00.000Z', { interval: 'month', interval_count: 3 }, 3), [
    '2026-11-30',
    '2027-02-28',
    '2027-05-31',
  ])
  t.deepEqual(ends('2026-02-20T00:00:00.000Z', { interval: 'week', interval_count: 2 }, 2), [
    '2026-03-06',
    '2026-03-20',
  ])
  t.is(addMonths(new Date('2026-12-31T23:59:59.999Z'), 2).toISOString(), '2027-02-28T23:59:59.999Z')
})

test('a renewal creates a new period and a payment at the moment the period ends', async (t) => {
  const shop = await openSandbox(t, '2026-01-31T10:00:00.000Z')
  const id = await shop.buy('small')
  await shop.moveTo('2026-02-28T09:59:59.999Z')
  t.is((await shop.events()).length, 4, 'not yet')
  await shop.moveTo('2026-02-28T18:00:00.000Z')
  const [payment, subscription] = (await shop.events()).slice(4)
  t.like(payment, { type: 'payment.created', created: '2026-02-28T10:00:00.000Z' })
  t.like(payment?.data, { subscription: id, amount: 1000, status: 'paid', paid: '2026-02-28T10:00:00.000Z' })
  t.like(subscription, { type: 'subscription.updated', created: '2026-02-28T10:00:00.000Z' })
  t.like(await shop.subscription(id), {
    status: 'active',
    current_period_start: '2026-02-28T10:00:00.000Z',
    current_period_end: '2026-03-31T10:00:00.000Z',
  })
  await shop.sandbox().work?.()
  t.is((await shop.events()).length, 6, 'once')
})

test('a trial ends in a subscription and its first payment', async (t) => {
  const shop = await openSandbox(t, '2026-01-24T10:00:00.000Z')
  const id = await shop.buy('trial')
  t.deepEqual(await shop.payments(), [])
  await shop.moveTo('2026-02-01T00:00:00.000Z')
  t.deepEqual(await shop.payments(), [['paid', 1000]])
  t.like(await shop.subscription(id), {
    status: 'active',
    trial_ends_at: '2026-01-31T10:00:00.000Z',
    current_period_start: '2026-01-31T10:00:00.000Z',
    current_period_end: '2026-02-28T10:00:00.000Z',
  })
  await shop.moveTo('2026-03-01T00:00:00.000Z')
  t.is(
    (await shop.subscription(id)).current_period_end,
    '2026-03-31T10:00:00.000Z',
    'counted from the trial’s end',
  )
})

test('a failing card is retried after 3, 5 and 7 more days; then the subscription ends', async (t) => {
  const shop = await openSandbox(t, '2026-04-01T00:00:00.000Z')
  const id = await shop.buy('small', { card: cards.failsLater })
  t.deepEqual(await shop.payments(), [['paid', 1000]], 'the first payment works')
  await shop.moveTo('2026-05-01T00:00:00.000Z')
  t.like(await shop.subscription(id), {
    status: 'past_due',
    current_period_start: '2026-05-01T00:00:00.000Z',
    current_period_end: '2026-06-01T00:00:00.000Z',
  })
  await shop.moveTo('2026-07-01T00:00:00.000Z')
  const failed = (await shop.events('payment')).filter(({ type }) => type === 'payment.failed')
  t.deepEqual(
    failed.map(({ created }) => created.slice(0, 10)),
    ['2026-05-01', '2026-05-04', '2026-05-09', '2026-05-16'],
  )
  t.is(new Set(failed.map(({ data }) => data.id)).size, 1, 'one payment, tried four times')
  t.like((await shop.events('subscription')).at(-1), {
    type: 'subscription.deleted',
    created: '2026-05-16T00:00:00.000Z',
  })
  t.like(await shop.subscription(id), { status: 'canceled', ended_at: '2026-05-16T00:00:00.000Z' })
  t.deepEqual(await shop.payments(), [
    ['paid', 1000],
    ['failed', 1000],
  ])
})

test('a forced failure is paid three days later, and the next renewal at once', async (t) => {
  const shop = await openSandbox(t, '2026-04-01T00:00:00.000Z')
  const id = await shop.buy('small')
  await shop.sandbox().controls.failNext(id)
  t.true(await shop.sandbox().controls.isFailing(id))
  await shop.moveTo('2026-05-03T00:00:00.000Z')
  t.is((await shop.subscription(id)).status, 'past_due')
  t.false(await shop.sandbox().controls.isFailing(id))
  await shop.moveTo('2026-05-04T00:00:00.000Z')
  t.like(await shop.subscription(id), { status: 'active', current_period_end: '2026-06-01T00:00:00.000Z' })
  const paid = (await shop.events('payment')).at(-1)
  t.like(paid?.data, { status: 'paid', paid: '2026-05-04T00:00:00.000Z' })
  await shop.moveTo('2026-06-01T00:00:00.000Z')
  t.deepEqual(
    (await shop.payments()).map(([status]) => status),
    ['paid', 'paid', 'paid'],
  )
})

test('days that begin while a payment is open are billed separately; a late payment pays all', async (t) => {
  const shop = await openSandbox(t, '2026-04-01T00:00:00.000Z')
  const id = await shop.buy('day')
  await shop.sandbox().controls.failNext(id)
  await shop.moveTo('2026-04-06T00:00:00.000Z')
  t.like(await shop.subscription(id), { status: 'active', current_period_end: '2026-04-07T00:00:00.000Z' })
  const moments = (await shop.events()).map(({ created }) => created)
  t.deepEqual(moments, [...moments].sort(), 'told in the order in which it happened')
})

test('a cancellation at the period’s end takes effect then, not before', async (t) => {
  const shop = await openSandbox(t, '2026-04-01T00:00:00.000Z')
  const id = await shop.buy('small')
  await shop.moveTo('2026-04-10T00:00:00.000Z')
  await shop.sandbox().cancel!({ subscriptionId: id, when: 'period_end', idempotencyKey: 'a' })
  t.like(await shop.subscription(id), {
    status: 'active',
    cancel_at_period_end: true,
    canceled_at: '2026-04-10T00:00:00.000Z',
    ended_at: null,
  })
  await shop.moveTo('2026-06-15T00:00:00.000Z')
  t.like(await shop.subscription(id), {
    status: 'canceled',
    canceled_at: '2026-04-10T00:00:00.000Z',
    ended_at: '2026-05-01T00:00:00.000Z',
  })
  t.like((await shop.events()).at(-1), { type: 'subscription.deleted', created: '2026-05-01T00:00:00.000Z' })
  t.deepEqual(await shop.payments(), [['paid', 1000]])
})

test('an undone cancellation renews; an immediate one ends at once, and twice is once', async (t) => {
  const shop = await openSandbox(t, '2026-04-01T00:00:00.000Z')
  const id = await shop.buy('small')
  const call = (idempotencyKey: string) => ({ subscriptionId: id, idempotencyKey })
  await shop.sandbox().cancel!({ ...call('a'), when: 'period_end' })
  await shop.sandbox().resume!(call('b'))
  t.like(await shop.subscription(id), { cancel_at_period_end: false, canceled_at: null })
  await shop.moveTo('2026-05-02T00:00:00.000Z')
  t.is((await shop.payments()).length, 2)
  await shop.sandbox().cancel!({ ...call('c'), when: 'now' })
  await shop.sandbox().cancel!({ ...call('d'), when: 'now' })
  t.like(await shop.subscription(id), { status: 'canceled', ended_at: '2026-05-02T00:00:00.000Z' })
  t.is((await shop.events()).filter(({ type }) => type === 'subscription.deleted').length, 1)
  await t.throwsAsync(shop.sandbox().resume!(call('e')), { code: 'ERR_PROVIDER_ANSWER' })
})

test('a pause begins at the end of the paid period, charges nothing, and ends with a paid period', async (t) => {
  const shop = await openSandbox(t, '2026-04-01T00:00:00.000Z')
  const id = await shop.buy('small')
  const pause = (until: string, key: string) =>
    shop.sandbox().pause!({
      subscriptionId: id,
      from: '2026-05-01T00:00:00.000Z',
      until,
      idempotencyKey: key,
    })
  await t.throwsAsync(pause('2026-04-30T00:00:00.000Z', '0'), { code: 'ERR_PROVIDER_ANSWER' })
  await pause('2026-06-20T00:00:00.000Z', 'a')
  t.like(await shop.subscription(id), {
    status: 'active',
    paused_at: '2026-05-01T00:00:00.000Z',
    resumes_at: '2026-06-20T00:00:00.000Z',
  })
  await shop.moveTo('2026-06-19T23:59:59.000Z')
  t.is((await shop.subscription(id)).status, 'paused')
  t.deepEqual(await shop.payments(), [['paid', 1000]])
  await shop.moveTo('2026-06-20T00:00:00.000Z')
  t.like(await shop.subscription(id), {
    status: 'active',
    current_period_start: '2026-06-20T00:00:00.000Z',
    current_period_end: '2026-07-20T00:00:00.000Z',
    paused_at: null,
    resumes_at: null,
  })
  t.is((await shop.payments()).length, 2)
})

test('a pause without an end lasts until it is ended by paying; a cancellation ends it too', async (t) => {
  const shop = await openSandbox(t, '2026-04-01T00:00:00.000Z')
  const id = await shop.buy('small')
  const call = (idempotencyKey: string) => ({ subscriptionId: id, idempotencyKey })
  await shop.sandbox().pause!({ ...call('a'), from: '', until: null })
  await shop.moveTo('2027-04-03T00:00:00.000Z')
  t.is((await shop.subscription(id)).status, 'paused')
  await shop.sandbox().controls.failNext(id)
  await t.throwsAsync(shop.sandbox().resume!(call('b')), { code: 'ERR_PAYMENT_DECLINED' })
  t.is((await shop.subscription(id)).status, 'paused')
  await shop.sandbox().cancel!({ ...call('c'), when: 'period_end' })
  t.is((await shop.subscription(id)).status, 'canceled')
  t.deepEqual(await shop.payments(), [['paid', 1000]])
})

/** A year of two members, one with a card that fails in summer, seen at these moments only. */
async function year(t: Parameters<typeof openSandbox>[0], moments: readonly string[]) {
  const shop = await openSandbox(t, '2026-01-31T10:00:00.000Z')
  await shop.buy('small', { intent: 'ada' })
  const second = await shop.buy('trial', { intent: 'bob' })
  await shop.buy('large', { intent: 'cleo', card: cards.failsLater })
  await shop.begin('year', 'dora')
  await shop.sandbox().controls.failNext(second)
  for (const moment of moments) await shop.moveTo(moment)
  await shop.moveTo('2027-01-31T10:00:00.000Z')
  return shop.events()
}
const months = Array.from({ length: 11 }, (_, i) =>
  addMonths(new Date('2026-01-31T10:00:00.000Z'), i + 1).toISOString(),
)

test('a year in one jump equals twelve months', async (t) => {
  const jump = await year(t, [])
  t.deepEqual(jump, await year(t, months))
  const moments = jump.map(({ created }) => created)
  t.deepEqual(moments, [...moments].sort())
  // Ada pays 13 times; Bob's trial ends on 7 February, so 12, one of them tried twice; Cleo once, and four times in vain.
  const payments = jump.filter(({ object }) => object === 'payment')
  t.is(payments.filter(({ data }) => 'status' in data && data.status === 'paid').length, 13 + 12 + 1)
  t.is(payments.filter(({ type }) => type === 'payment.failed').length, 1 + 4)
  t.is(jump.filter(({ type }) => type === 'checkout.expired').length, 1, 'Dora never paid')
})

test('the year is the same however often it is read', async (t) => {
  const expected = await year(t, [])
  const from = Date.parse('2026-01-31T10:00:00.000Z')
  const to = Date.parse('2027-01-31T10:00:00.000Z')
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: from, max: to }), { maxLength: 6 }), async (looks) => {
      const moments = looks.sort((a, b) => a - b).map((ms) => new Date(ms).toISOString())
      t.deepEqual(await year(t, moments), expected)
    }),
    { numRuns: 10 },
  )
})

test('two processes changing one buyer’s data at once lose nothing', async (t) => {
  const first = await openSandbox(t, '2026-04-01T00:00:00.000Z')
  const id = await first.buy('small')
  const other = await openSandbox(t, '2026-04-01T00:00:00.000Z', { storage: first.storage })
  const { customer_id } = await first.subscription(id)
  const names = ['a', 'b', 'c', 'd', 'e', 'f']
  await Promise.all([
    ...names.map((name, i) =>
      [first, other][i % 2]!.sandbox().updateCustomer!({
        customerId: customer_id!,
        name,
        idempotencyKey: name,
      }),
    ),
    other.sandbox().cancel!({ subscriptionId: id, when: 'period_end', idempotencyKey: 'cancel' }),
    first.sandbox().controls.failNext(id),
  ])
  t.true((await first.subscription(id)).cancel_at_period_end)
  t.true(await other.sandbox().controls.isFailing(id))
  const told = [...(await first.events('customer')), ...(await other.events('customer'))]
  t.is(new Set(told.map(({ data }) => data.updated)).size, 1 + names.length, 'each change is told')
})

test('two processes renewing at once make one payment and one event per renewal', async (t) => {
  const first = await openSandbox(t, '2026-04-01T00:00:00.000Z')
  const id = await first.buy('small')
  const other = await openSandbox(t, '2026-04-01T00:00:00.000Z', { storage: first.storage })
  await first.events()
  await Promise.all([first.moveTo('2026-07-01T00:00:00.000Z'), other.moveTo('2026-07-01T00:00:00.000Z')])
  const told = [...(await first.events()), ...(await other.events())].map((event) => JSON.stringify(event))
  // Customer, subscription, payment and checkout; then a payment and a subscription for each of three months.
  t.is(new Set(told).size, 4 + 3 * 2)
  t.is(new Set(told.map((event) => (JSON.parse(event) as { id: string }).id)).size, 4 + 3 * 2)
  t.like(await first.subscription(id), { status: 'active', current_period_end: '2026-08-01T00:00:00.000Z' })
})

test('a code takes its part off the first payment, also where free days come first', async (t) => {
  const shop = await openSandbox(t, '2026-01-31T10:00:00.000Z')
  await shop.buy('trial', { code: 'TIDE' })
  t.deepEqual(await shop.payments(), [])
  await shop.moveTo('2026-02-07T18:00:00.000Z')
  t.deepEqual(await shop.payments(), [['paid', 800]])
  await shop.moveTo('2026-03-07T18:00:00.000Z')
  t.deepEqual(await shop.payments(), [
    ['paid', 800],
    ['paid', 1000],
  ])
})

test('a checkout that nobody tried to pay is no payment, also after its end', async (t) => {
  const shop = await openSandbox(t, '2026-01-31T10:00:00.000Z')
  await shop.begin('once')
  await shop.moveTo('2026-02-02T10:00:00.000Z')
  t.deepEqual(await shop.payments(), [])
})
