import test, { type ExecutionContext } from 'ava'
import { openStripeSite } from '../../support/stripe-site.ts'
import { askFake, buy, rejectRefund } from '../../support/visitor.ts'

// The tables of docs/reference/what-happens-to-limits.md, by what Stripe tells.

const ann = 'ann@example.com'
const exports = 'exports' as never

async function open(t: ExecutionContext, trial: { trial_days?: number } = {}) {
  const opened = await openStripeSite(t, {
    'membership.providers.stripe.pause': { max_days: 90 },
    'membership.providers.stripe.plans': {
      pro: {
        group: 'membership',
        limits: { exports: { amount: 10, every: 'year', trial: 4 }, jobs: { amount: 5, every: 'period' } },
        prices: [{ id: 'price_month', amount: 900, currency: 'EUR', interval: 'month', ...trial }],
      },
      team: {
        group: 'membership',
        limits: { exports: { amount: 25, every: 'year' } },
        prices: [{ id: 'price_team', amount: 2500, currency: 'EUR', interval: 'month' }],
      },
      pack: { prices: [{ id: 'price_book', amount: 1900, currency: 'EUR', adds: { exports: 8 } }] },
    },
  })
  const { m, fake } = opened
  const user = async () => (await m.users.findByEmail(ann))!
  const limit = async (name = exports) => (await user()).limit(name)
  const pass = async (by: { days?: number; ms?: number } = { ms: 5000 }) => {
    await fake.advance(by)
    await fake.deliver()
    await m.runDueJobs()
  }
  const bought = await buy(opened, ann)
  return { ...opened, ...bought, limit, pass, member: user }
}

test('change of plan: the count continues with the new amount', async (t) => {
  const { m, id, member, limit, pass } = await open(t)
  await m.limits.use(await member(), exports, 9)
  t.like(await limit(), { amount: 10, used: 9, left: 1 })
  await m.subscriptions.change({ user: await member(), subscriptionId: id, plan: 'team' })
  await pass()
  t.like(await limit(), { amount: 25, used: 9, left: 16, source: 'team' })
  await m.limits.use(await member(), exports, 12)
  await m.subscriptions.change({ user: await member(), subscriptionId: id, plan: 'pro' })
  await pass({ days: 32 })
  t.like(await limit(), { amount: 10, used: 21, left: 0, source: 'pro' }, 'never below zero')
})

test('pause: nothing is included while the gate is closed, and the count goes on afterwards', async (t) => {
  const { m, id, member, limit, pass } = await open(t)
  await m.limits.use(await member(), exports, 4)
  await m.subscriptions.pause({ user: await member(), subscriptionId: id })
  await pass({ days: 32 })
  t.like(await limit(), { amount: 0, left: 0, source: null })
  await t.throwsAsync(m.limits.use(await member(), exports), { code: 'ERR_LIMIT' })
  await m.subscriptions.resume({ user: await member(), subscriptionId: id })
  await pass()
  await pass()
  t.like(await limit(), { amount: 10, used: 4, left: 6 })
})

test('past due: the amount stays, and a count of the paid period begins anew only once it is paid', async (t) => {
  const { m, fake, id, member, limit, pass } = await open(t)
  await m.limits.use(await member(), exports, 4)
  await m.limits.use(await member(), 'jobs' as never, 5)
  fake.failNextPayment(id)
  await pass({ days: 32 })
  t.is((await member()).explain('pro' as never).reason, 'past_due')
  t.like(await limit(), { amount: 10, used: 4, left: 6 })
  t.like(await limit('jobs' as never), { used: 5, left: 0, resets_at: null })
  await t.throwsAsync(m.limits.use(await member(), 'jobs' as never), { code: 'ERR_LIMIT' })
  // Stripe tries again three days later.
  await pass({ days: 4 })
  t.is((await member()).explain('pro' as never).reason, 'subscription')
  t.like(await limit('jobs' as never), { used: 0, left: 5 })
})

test('trial: its own amount, and what was used counts on when it is paid', async (t) => {
  const { m, member, limit, pass } = await open(t, { trial_days: 14 })
  t.like(await limit(), { amount: 4, left: 4 })
  await m.limits.use(await member(), exports, 4)
  await t.throwsAsync(m.limits.use(await member(), exports), { code: 'ERR_LIMIT' })
  await pass({ days: 15 })
  await pass()
  t.like(await limit(), { amount: 10, used: 4, left: 6 })
})

test('dispute and refund of a top-up: what is left goes, what was used stays used', async (t) => {
  const opened = await open(t)
  const { m, fake, member, limit, pass, visitor } = opened
  const topUp = async () => {
    await buy(opened, ann, { path: '/membership/payment', product: 'price_book', visitor })
    await pass()
    return (await member()).payments().find((p) => p.purpose === 'one_time' && p.amount_refunded === 0)!
  }
  const first = await topUp()
  await m.limits.use(await member(), exports, 13)
  t.like(await limit(), { used: 10, left: 5, added: 5 })
  await m.payments.refund({ payment: first, amount: 950 })
  await pass()
  t.like(await limit(), { left: 1, added: 1 }, 'half of the price: four of the eight')
  const second = await topUp()
  t.like(await limit(), { left: 9 })
  const charge = fake.objects
    .list('charge')
    .find(({ amount, amount_refunded }) => amount === 1900 && amount_refunded === 0)!
  const dispute = fake.dispute(charge.id)
  await pass()
  t.is((await member()).payments().find(({ id }) => id === second.id)?.status, 'disputed')
  t.like(await limit(), { left: 1 }, 'a disputed top-up counts for nothing')
  fake.closeDispute(dispute.id, 'won')
  await pass()
  t.like(await limit(), { left: 9 }, 'until it is won')
})

test('a top-up comes back when the bank rejects its refund, and is gone when its dispute is lost', async (t) => {
  const opened = await open(t)
  const { m, fake, member, limit, pass, visitor } = opened
  await buy(opened, ann, { path: '/membership/payment', product: 'price_book', visitor })
  await pass()
  await m.limits.use(await member(), exports, 13)
  const payment = (await member()).payments().find((p) => p.purpose === 'one_time')!
  await m.payments.refund({ payment })
  await pass()
  t.like(await limit(), { left: 0, added: 0 })
  await rejectRefund(opened)
  t.like(await limit(), { left: 5, added: 5 }, 'what was used stays used')
  const dispute = fake.dispute(fake.objects.list('charge').find(({ amount }) => amount === 1900)!.id)
  await pass()
  fake.closeDispute(dispute.id, 'lost')
  await pass()
  t.like(await limit(), { left: 0, added: 0 })
  await t.throwsAsync(m.limits.use(await member(), exports), { code: 'ERR_LIMIT' })
})

test('dispute and refund of a subscription: nothing is included while access is closed', async (t) => {
  const { m, fake, id, member, limit, pass } = await open(t)
  await m.limits.use(await member(), exports, 3)
  await m.payments.refund({ payment: (await member()).payments()[0]! })
  await askFake(fake, 'DELETE', `/v1/subscriptions/${id}`)
  await pass()
  t.like(await limit(), { amount: 0, left: 0, source: null })
  await t.throwsAsync(m.limits.use(await member(), exports), { code: 'ERR_LIMIT' })
})
