import test, { type ExecutionContext } from 'ava'
import type { Proration } from '../../../src/providers/contract.ts'
import { cards, openSandbox, type TestSandbox } from './support.ts'

// April has 30 days: on the 16th at midnight half of its 2,592,000 seconds are left.
const start = '2026-04-01T00:00:00.000Z'
const half = '2026-04-16T00:00:00.000Z'
const end = '2026-05-01T00:00:00.000Z'

let keys = 0
async function openWith(t: ExecutionContext, priceId: string, quantity = 1, card = cards.works) {
  const shop = await openSandbox(t, start)
  const id = await shop.buy(priceId, { quantity, card })
  const request = async (to: string, proration: Proration, count = 1, prorationAt: string | null = null) => ({
    subscription: await shop.subscription(id),
    priceId: to,
    quantity: count,
    proration,
    prorationAt,
    idempotencyKey: `key${++keys}`,
  })
  const swap = async (...args: Parameters<typeof request>) => shop.sandbox().swap!(await request(...args))
  const preview = async (...args: Parameters<typeof request>) =>
    shop.sandbox().preview!(await request(...args))
  return { shop, id, swap, preview }
}

test('an upgrade in mid-month costs half of the difference at once', async (t) => {
  const { shop, id, swap } = await openWith(t, 'small')
  await shop.moveTo(half)
  const answer = await swap('large', 'now')
  t.is(answer.at, '2026-04-15T23:59:59.000Z')
  t.like(answer.changes[0], {
    type: 'subscription',
    id,
    data: { price_id: 'large', current_period_end: end },
  })
  t.deepEqual(await shop.payments(), [
    ['paid', 1000],
    ['paid', 500],
  ])
  await shop.moveTo(end)
  t.deepEqual((await shop.payments()).at(-1), ['paid', 2000])
})

test('with the next invoice the difference is paid at the next renewal', async (t) => {
  const { shop, swap } = await openWith(t, 'small')
  await shop.moveTo(half)
  await swap('large', 'next')
  t.deepEqual(await shop.payments(), [['paid', 1000]])
  await shop.moveTo(end)
  t.deepEqual((await shop.payments()).slice(1), [['paid', 2500]])
  await shop.moveTo('2026-06-01T00:00:00.000Z')
  t.deepEqual((await shop.payments()).slice(2), [['paid', 2000]], 'once, not every month')
})

test('without proration only the next renewal changes', async (t) => {
  const { shop, swap } = await openWith(t, 'small')
  await shop.moveTo(half)
  await swap('large', 'none')
  t.deepEqual(await shop.payments(), [['paid', 1000]])
  await shop.moveTo(end)
  t.deepEqual((await shop.payments()).slice(1), [['paid', 2000]])
})

test('an immediate downgrade keeps the difference as credit, which later renewals use up', async (t) => {
  const { shop, swap } = await openWith(t, 'large')
  await shop.moveTo('2026-04-07T00:00:00.000Z') // 24 of 30 days left: 1600 back, 800 to pay
  await swap('small', 'now')
  t.deepEqual(await shop.payments(), [['paid', 2000]])
  await shop.moveTo(end)
  t.deepEqual((await shop.payments()).slice(1), [['paid', 200]])
  await shop.moveTo('2026-06-01T00:00:00.000Z')
  t.deepEqual((await shop.payments()).slice(2), [['paid', 1000]])
})

test('a credit larger than a renewal leaves nothing to pay, and the rest for the next', async (t) => {
  const { shop, id, swap } = await openWith(t, 'small', 4)
  await shop.moveTo('2026-04-02T00:00:00.000Z') // 29 of 30 days left of 4000: 3867; of 1000: 967
  await swap('small', 'now', 1)
  await shop.moveTo('2026-07-01T00:00:00.000Z')
  // 2900 of credit: May and June are free, July costs 100.
  t.deepEqual(await shop.payments(), [
    ['paid', 4000],
    ['paid', 100],
  ])
  t.is((await shop.subscription(id)).status, 'active')
})

test('credit in one currency pays nothing in another', async (t) => {
  const { shop, id, swap } = await openWith(t, 'large')
  await shop.moveTo(half)
  await swap('small', 'now') // 500 back
  const { customer_id } = await shop.subscription(id)
  const second = await shop.buy('yen', { intent: 'yen', customer: customer_id })
  await shop.moveTo('2026-05-16T00:00:00.000Z')
  t.deepEqual(await shop.payments(), [
    ['paid', 2000],
    ['paid', 1000],
    ['paid', 500],
    ['paid', 1000],
  ])
  t.like(await shop.subscription(second), { status: 'active', currency: 'JPY' })
})

test('time is counted in seconds', async (t) => {
  const { shop, swap } = await openWith(t, 'second')
  await shop.moveTo('2026-04-01T00:00:07.900Z')
  await swap('second2', 'now')
  // 2,592,000 seconds less 7: credit 2,591,993, charge twice that.
  t.deepEqual((await shop.payments())[1], ['paid', 2_591_993])
})

test('a larger quantity is charged like a dearer price', async (t) => {
  const { shop, id, swap } = await openWith(t, 'small')
  await shop.moveTo(half)
  await swap('small', 'now', 3)
  t.deepEqual((await shop.payments())[1], ['paid', 1000])
  t.like(await shop.subscription(id), { quantity: 3, price_id: 'small' })
  await shop.moveTo(end)
  t.deepEqual((await shop.payments())[2], ['paid', 3000])
})

for (const [proration, due] of [
  ['now', 9500],
  ['next', 9500],
  ['none', 10_000],
] as const)
  test(`another interval starts a new period, proration ${proration}`, async (t) => {
    const { shop, id, swap } = await openWith(t, 'small')
    await shop.moveTo(half)
    await swap('year', proration)
    t.like(await shop.subscription(id), {
      interval: 'year',
      current_period_start: half,
      current_period_end: '2027-04-16T00:00:00.000Z',
    })
    t.deepEqual(await shop.payments(), [
      ['paid', 1000],
      ['paid', due],
    ])
    await shop.moveTo('2027-04-15T00:00:00.000Z')
    t.is((await shop.payments()).length, 2)
    await shop.moveTo('2027-04-16T00:00:00.000Z')
    t.deepEqual((await shop.payments())[2], ['paid', 10_000])
  })

test('amounts waiting for the next renewal are settled when a new period starts sooner', async (t) => {
  const { shop, swap } = await openWith(t, 'small')
  await shop.moveTo(half)
  await swap('large', 'next') // 500 wait
  await swap('year', 'now') // credit of half of 2000
  t.deepEqual((await shop.payments())[1], ['paid', 9500])
})

test('a change during a trial is free and keeps its end', async (t) => {
  const { shop, id, swap, preview } = await openWith(t, 'trial')
  t.like(await preview('year', 'now'), {
    amount_due: 0,
    total: 0,
    lines: [],
    next_payment_at: '2026-04-08T00:00:00.000Z',
  })
  await swap('year', 'now')
  t.like(await shop.subscription(id), {
    status: 'trialing',
    price_id: 'year',
    trial_ends_at: '2026-04-08T00:00:00.000Z',
  })
  t.deepEqual(await shop.payments(), [])
  await shop.moveTo('2026-04-08T00:00:00.000Z')
  t.deepEqual(await shop.payments(), [['paid', 10_000]])
  t.like(await shop.subscription(id), { status: 'active', current_period_end: '2027-04-08T00:00:00.000Z' })
})

test('a preview states the later cost of the change, even after an hour', async (t) => {
  const { shop, swap, preview } = await openWith(t, 'small')
  await shop.moveTo(half)
  const seen = await preview('large', 'now')
  t.deepEqual(seen, {
    provider: 'sandbox',
    subscription_id: seen.subscription_id,
    currency: 'EUR',
    amount_due: 500,
    total: 500,
    lines: [
      { text: 'Unused time on pro, monthly', amount: -500, price_id: 'small' },
      { text: 'Remaining time on pro, monthly', amount: 1000, price_id: 'large' },
    ],
    next_payment_at: end,
    proration_at: half,
  })
  t.deepEqual(await shop.payments(), [['paid', 1000]], 'a preview does nothing')
  t.is((await shop.events('subscription')).length, 1)
  await shop.moveTo('2026-04-16T00:59:00.000Z')
  await swap('large', 'now', 1, seen.proration_at)
  t.deepEqual((await shop.payments())[1], ['paid', 500])
})

test('a preview of a change with a credit owes nothing', async (t) => {
  const { shop, preview } = await openWith(t, 'large')
  await shop.moveTo(half)
  t.like(await preview('small', 'now'), { amount_due: 0, total: -500 })
  t.like(await preview('small', 'next'), { amount_due: 0, total: -500 })
  t.like(await preview('small', 'none'), { amount_due: 0, total: 0, lines: [] })
})

test('nobody gains credit with a moment that was not paid for, or is in the future', async (t) => {
  const { shop, preview } = await openWith(t, 'large')
  await shop.moveTo('2026-05-16T12:00:00.000Z') // half of the 31 days of May
  // Within the period, too: on its last day somebody would have all of it back.
  for (const moment of [
    '2026-05-01T00:00:00.000Z',
    '2026-05-16T10:59:59.000Z',
    '2020-01-01T00:00:00.000Z',
    '2026-04-30T00:00:00.000Z',
    '2026-05-31T00:00:00.000Z',
  ])
    t.like(await preview('small', 'now', 1, moment), {
      total: -500,
      proration_at: '2026-05-16T12:00:00.000Z',
    })
})

test('a failing card leaves everything unchanged', async (t) => {
  const { shop, id, swap } = await openWith(t, 'small', 1, cards.failsLater)
  await shop.moveTo(half)
  const before = await shop.subscription(id)
  await t.throwsAsync(swap('large', 'now'), { code: 'ERR_PAYMENT_DECLINED' })
  t.deepEqual(await shop.subscription(id), before)
  t.deepEqual(await shop.payments(), [['paid', 1000]])
})

test('a bank’s question at a change is answered first: nothing changes before, and after a day it is dropped', async (t) => {
  const { shop, id, swap } = await openWith(t, 'small', 1, cards.asksAlways)
  await shop.moveTo(half)
  const before = await shop.subscription(id)
  const { payUrl } = await swap('large', 'now')
  t.is(payUrl, await shop.sandbox().payUrl!(id))
  t.like(await shop.subscription(id), { price_id: 'small', status: 'active' })
  t.deepEqual(await shop.payments(), [
    ['paid', 1000],
    ['pending', 500],
  ])
  t.is((await shop.submit(payUrl!, { action: 'pay', subscription: id })).status, 303)
  t.like(await shop.subscription(id), { price_id: 'large', current_period_end: end })
  t.deepEqual((await shop.payments())[1], ['paid', 500])
  t.is(await shop.sandbox().payUrl!(id), null)

  await swap('large', 'now', 2)
  await shop.moveTo('2026-04-17T00:00:00.000Z')
  t.is(await shop.sandbox().payUrl!(id), null)
  t.like(await shop.subscription(id), { price_id: 'large', quantity: 1, status: 'active' })
  t.deepEqual(
    { ...(await shop.subscription(id)), price_id: 'small', unit_amount: 1000 },
    {
      ...before,
      updated_at: (await shop.subscription(id)).updated_at,
      items: (await shop.subscription(id)).items,
    },
  )
})

test('a renewal with a bank’s question is open until it is answered', async (t) => {
  const { shop, id } = await openWith(t, 'small', 1, cards.asksAlways)
  await shop.moveTo(end)
  t.is((await shop.subscription(id)).status, 'past_due')
  t.deepEqual((await shop.payments())[1], ['pending', 1000])
  const page = await shop.sandbox().payUrl!(id)
  await shop.submit(page!, { action: 'pay', subscription: id })
  t.is((await shop.subscription(id)).status, 'active')
  t.deepEqual((await shop.payments())[1], ['paid', 1000])
})

test('impossible changes are refused', async (t) => {
  const { shop, id, swap } = await openWith(t, 'small')
  await t.throwsAsync(swap('once', 'now'), { code: 'ERR_PROVIDER_ANSWER', message: /paid once/ })
  await t.throwsAsync(swap('yen', 'now'), { code: 'ERR_PROVIDER_ANSWER', message: /JPY/ })
  await t.throwsAsync(swap('nothing', 'now'), { code: 'ERR_CONFIG' })
  await t.throwsAsync(swap('small', 'now', 0), { code: 'ERR_PROVIDER_ANSWER', message: /whole number/ })
  await t.throwsAsync(swap('small', 'now', 1.5), { code: 'ERR_PROVIDER_ANSWER' })
  await shop.sandbox().pause!({ subscriptionId: id, from: '', until: null, idempotencyKey: 'p' })
  await t.throwsAsync(swap('large', 'now'), { code: 'ERR_PROVIDER_ANSWER', message: /paused/ })
  await shop.sandbox().cancel!({ subscriptionId: id, when: 'now', idempotencyKey: 'c' })
  await t.throwsAsync(swap('large', 'now'), { code: 'ERR_PROVIDER_ANSWER', message: /ended/ })
})

test('a change to the current terms says so and notifies nobody', async (t) => {
  const { shop, swap } = await openWith(t, 'small')
  await shop.moveTo(half)
  t.like((await swap('small', 'now')).changes[0], { data: { price_id: 'small' } })
  t.is((await shop.events('subscription')).length, 1)
})

test('a scheduled change begins with the next period, at its price; nothing changes before', async (t) => {
  const { shop, id } = await openWith(t, 'large')
  await shop.moveTo(half)
  const planned = await schedule(shop, id, 'small', 3)
  t.like(planned.changes[0], {
    data: { price_id: 'large', quantity: 1, scheduled_change: { price_id: 'small', quantity: 3, at: end } },
  })
  t.deepEqual(await shop.payments(), [['paid', 2000]])
  // The newer wish counts.
  await schedule(shop, id, 'small')
  await shop.moveTo(end)
  t.like(await shop.subscription(id), { price_id: 'small', quantity: 1, scheduled_change: null })
  t.deepEqual(await shop.payments(), [
    ['paid', 2000],
    ['paid', 1000],
  ])
})

test('a scheduled change can be undone once or twice, and the next period is the old one', async (t) => {
  const { shop, id } = await openWith(t, 'large')
  await schedule(shop, id, 'year')
  for (const idempotencyKey of ['back', 'back', 'again']) {
    const kept = await shop.sandbox().unschedule!({ subscriptionId: id, idempotencyKey })
    t.like(kept.changes[0], { data: { price_id: 'large', scheduled_change: null } })
  }
  await shop.moveTo(end)
  t.deepEqual((await shop.payments()).at(-1), ['paid', 2000])
})

test('another interval begins with the scheduled period', async (t) => {
  const { shop, id } = await openWith(t, 'large')
  await schedule(shop, id, 'year')
  await shop.moveTo(end)
  t.like(await shop.subscription(id), { price_id: 'year', current_period_end: '2027-05-01T00:00:00.000Z' })
  t.deepEqual((await shop.payments()).at(-1), ['paid', 10_000])
})

test('an immediate change, a pause and a cancellation drop the schedule; an ending subscription accepts none', async (t) => {
  for (const does of ['swap', 'pause', 'cancel'] as const) {
    const { shop, id, swap } = await openWith(t, 'small')
    await schedule(shop, id, 'day')
    const call = { subscriptionId: id, idempotencyKey: `${does} it` }
    if (does === 'swap') await swap('large', 'now')
    if (does === 'pause')
      await shop.sandbox().pause!({ ...call, from: end, until: '2026-05-20T00:00:00.000Z' })
    if (does === 'cancel') await shop.sandbox().cancel!({ ...call, when: 'period_end' })
    t.is((await shop.subscription(id)).scheduled_change, null, does)
    if (does === 'swap') continue
    await t.throwsAsync(schedule(shop, id, 'day'), { code: 'ERR_PROVIDER_ANSWER' }, does)
  }
})

test('nothing can be scheduled that could not be sold', async (t) => {
  const { shop, id } = await openWith(t, 'small')
  for (const [price, quantity] of [
    ['yen', 1],
    ['once', 1],
    ['large', 0],
    ['large', 1.5],
  ] as const)
    await t.throwsAsync(schedule(shop, id, price, quantity), { code: 'ERR_PROVIDER_ANSWER' }, price)
})

async function schedule(shop: TestSandbox, id: string, priceId: string, quantity = 1) {
  return shop.sandbox().schedule!({
    subscription: await shop.subscription(id),
    priceId,
    quantity,
    at: (await shop.subscription(id)).current_period_end!,
    idempotencyKey: `plan${++keys}`,
  })
}
