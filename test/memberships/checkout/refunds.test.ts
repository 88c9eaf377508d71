import test from 'ava'
import { z } from 'zod'
import { defineProvider, type Membership, MembershipError, type User } from '../../../src/index.ts'
import type { Change } from '../../../src/providers/contract.ts'
import { openHost } from '../../support/host.ts'
import { own } from '../../support/own-providers.ts'
import { refundObject, stripeEvent, stripeProvider } from '../../support/stripe-events.ts'
import { openStripeSite, type StripeSite } from '../../support/stripe-site.ts'
import { buy } from '../../support/visitor.ts'

const book = { path: '/membership/payment', product: 'price_book' }
function given(fake: StripeSite['fake']) {
  return fake.objects.list('refund').map(({ amount }) => amount)
}
async function userOf(m: Membership, email = 'ann@example.com'): Promise<User> {
  return (await m.users.findByEmail(email))!
}
async function paymentOf(m: Membership) {
  return (await userOf(m)).payments()[0]!
}

test('a partial refund and the rest are refunded, and access ends with the rest', async (t) => {
  const told: string[] = []
  const opened = await openStripeSite(t, {
    hooks: {
      'membership.refund:after': ({ payment }) => told.push(`${payment.id} ${payment.amount_refunded}`),
    },
  })
  const { m, fake } = opened
  await buy(opened, 'ann@example.com', book)
  await m.runDueJobs()
  const payment = await paymentOf(m)
  const part = await m.payments.refund({ payment, amount: 500 })
  t.like(part, { id: payment.id, amount: 1900, amount_refunded: 500, status: 'partially_refunded' })
  t.true((await userOf(m)).hasGate('book' as never))
  await fake.advance({ ms: 60_000 })
  const rest = await m.payments.refund({ payment })
  t.like(rest, { amount_refunded: 1900, status: 'refunded' })
  t.deepEqual(given(fake).sort(), [1400, 500])
  t.false((await userOf(m)).hasGate('book' as never))
  await fake.deliver()
  await m.runDueJobs()
  t.like(await paymentOf(m), { amount_refunded: 1900, status: 'refunded' }, 'the messages say the same')
  t.deepEqual(told, [`${payment.id} 1900`])
})

test('a refund requested by two at once, and repeated under its name, happens once', async (t) => {
  const opened = await openStripeSite(t)
  const { m, fake } = opened
  await buy(opened, 'ann@example.com', book)
  const payment = await paymentOf(m)
  const wish = { payment, amount: 300 }
  await Promise.all([m.payments.refund(wish), m.payments.refund(wish)])
  t.deepEqual(given(fake), [300])
  await m.payments.refund({ ...wish, key: 'ticket 7' })
  await m.payments.refund({ ...wish, key: 'ticket 7' })
  t.deepEqual(given(fake), [300, 300])
  t.is((await paymentOf(m)).amount_refunded, 600)
  // Of another payment the same name is another wish.
  await buy(opened, 'ben@example.com', book)
  const other = (await userOf(m, 'ben@example.com')).payments()[0]!
  await m.payments.refund({ payment: other, amount: 200, key: 'ticket 7' })
  t.deepEqual(given(fake).sort(), [200, 300, 300])
})

test('an impossible refund is refused before the provider is asked', async (t) => {
  const opened = await openStripeSite(t)
  const { m, fake } = opened
  await buy(opened, 'ann@example.com', book)
  const payment = await paymentOf(m)
  const before = fake.requests().length
  const { provider, account } = payment
  const cases: [string, Parameters<Membership['payments']['refund']>[0], string, RegExp][] = [
    ['more than was paid', { payment, amount: 1901 }, 'ERR_ACTION_REFUSED', /Only €19 of €19 is left/],
    ['nothing', { payment, amount: 0 }, 'ERR_USAGE', /above 0/],
    ['less than nothing', { payment, amount: -1 }, 'ERR_USAGE', /above 0/],
    ['half a cent', { payment, amount: 0.5 }, 'ERR_USAGE', /whole number/],
    [
      'an unknown payment',
      { payment: { provider, account, id: 'pi_unknown' } },
      'ERR_NOT_FOUND',
      /pi_unknown/,
    ],
    ['another account’s', { payment: { ...payment, account: 'shop' } }, 'ERR_NOT_FOUND', /no payment/],
  ]
  for (const [title, wish, code, message] of cases)
    await t.throwsAsync(m.payments.refund(wish), { code, message }, title)
  t.is(fake.requests().length, before)
})

test('Stripe’s refusals are explained: more than is left, refunded, disputed, unknown', async (t) => {
  const opened = await openStripeSite(t)
  const { m, fake } = opened
  await buy(opened, 'ann@example.com', book)
  const payment = await paymentOf(m)
  // In the dashboard; our books have not heard of it.
  fake.refund(payment.id, 1000)
  await t.throwsAsync(m.payments.refund({ payment }), {
    code: 'ERR_ACTION_REFUSED',
    message: /Less than that is left/,
  })
  fake.refund(payment.id, 900)
  await t.throwsAsync(m.payments.refund({ payment, amount: 1 }), {
    code: 'ERR_ACTION_REFUSED',
    message: /already/,
  })
  t.is(given(fake).length, 2)
  const stripe = stripeProvider({ secret: fake.secret, api_base: fake.url })
  const unknown = { payment: { ...payment, id: 'ch_unknown' }, amount: 1, idempotencyKey: 'one' }
  await t.throwsAsync(async () => stripe.refund!(unknown), { code: 'ERR_NOT_FOUND', message: /ch_unknown/ })

  await buy(opened, 'ben@example.com', book)
  const other = (await m.users.findByEmail('ben@example.com'))!.payments()[0]!
  fake.dispute(other.id)
  await t.throwsAsync(m.payments.refund({ payment: other }), {
    code: 'ERR_ACTION_REFUSED',
    message: /disputed/,
  })
})

test('the site’s hook is called before, and a renewal is refunded like any payment', async (t) => {
  let refuse = true
  const asked: unknown[] = []
  const opened = await openStripeSite(t, {
    hooks: {
      'membership.refund:before': ({ member, payment, amount }) => {
        asked.push([member?.email, payment.amount, amount])
        return refuse ? { refuse: 'Ask the office.' } : undefined
      },
    },
  })
  const { m, fake } = opened
  await buy(opened, 'ann@example.com')
  const payment = await paymentOf(m)
  t.not(payment.subscription_id, null)
  await t.throwsAsync(m.payments.refund({ payment, amount: 100 }), {
    code: 'ERR_REFUSED',
    message: 'Ask the office.',
  })
  t.deepEqual(given(fake), [])
  refuse = false
  t.like(await m.payments.refund({ payment, amount: 100 }), { amount_refunded: 100 })
  t.deepEqual(asked, [
    ['ann@example.com', 900, 100],
    ['ann@example.com', 900, 100],
  ])
  t.true((await userOf(m)).hasGate('pro' as never))
})

test('operators see all pages of a member’s invoices', async (t) => {
  const opened = await openStripeSite(t)
  const { m, fake } = opened
  await buy(opened, 'ann@example.com')
  await fake.advance({ months: 11, days: 1 })
  await fake.deliver()
  const bills = await m.invoices.list({ user: await userOf(m) })
  t.is(bills.length, 12)
  t.true(bills.every((bill) => bill.status === 'paid' && bill.total === 900 && bill.currency === 'EUR'))
  t.deepEqual(
    bills.map(({ created_at }) => created_at),
    bills
      .map(({ created_at }) => created_at)
      .sort()
      .reverse(),
  )
})

/** A provider that is listened to and can do nothing; `asks` counts what it is asked all the same. */
const bare = defineProvider({
  key: 'bare',
  options: z.strictObject({}),
  create: () => ({
    key: 'bare',
    verify: () => '',
    read: ({ body }) => [
      {
        id: 'm1',
        type: 'said',
        occurred_at: at,
        livemode: null,
        object_id: null,
        object: JSON.parse(body.toString()),
      },
    ],
    changes: ({ object }) => object as Change[],
  }),
})
const at = '2026-03-01T12:00:00.000Z'

function bought(status: 'active' | 'past_due' | 'canceled'): Change[] {
  return [
    {
      type: 'customer',
      id: 'c_1',
      stage: 'updated',
      data: { id: 'c_1', email: 'ann@example.com', name: null, deleted: false },
    },
    {
      type: 'subscription',
      id: 's_1',
      stage: 'updated',
      data: {
        id: 's_1',
        customer_id: 'c_1',
        price_id: 'p_1',
        product_id: null,
        quantity: 1,
        items: [],
        status,
        provider_status: null,
        currency: 'EUR',
        unit_amount: 900,
        interval: 'month',
        interval_count: 1,
        started_at: at,
        trial_ends_at: null,
        current_period_start: at,
        current_period_end: '2099-04-01T12:00:00.000Z',
        cancel_at_period_end: false,
        cancel_at: null,
        canceled_at: null,
        ended_at: null,
        paused_at: null,
        resumes_at: null,
        scheduled_change: null,
        metadata: {},
      },
    },
    {
      type: 'money',
      kind: 'payment',
      id: 'ch_1',
      stage: 'updated',
      data: {
        id: 'ch_1',
        refs: [],
        customer_id: 'c_1',
        price_id: 'p_1',
        amount: 900,
        currency: 'EUR',
        state: 'paid',
      },
    },
  ]
}

interface Action {
  readonly what: RegExp
  readonly status?: 'active' | 'past_due'
  readonly run: (m: Membership, user: User) => unknown
}

/** Every action of the public interface, and what its error calls it. */
const actions: {
  readonly [K in Exclude<keyof Membership['subscriptions'], 'get'> | 'refund' | 'invoices']: Action
} = {
  change: { what: /change a subscription/, run: (m, user) => m.subscriptions.change({ ...to, user }) },
  preview: { what: /change a subscription/, run: (m, user) => m.subscriptions.preview({ ...to, user }) },
  cancel: {
    what: /cancel a subscription/,
    run: (m, user) => m.subscriptions.cancel({ user, subscriptionId: 's_1', when: 'period_end' }),
  },
  resume: {
    what: /resume a subscription/,
    run: (m, user) => m.subscriptions.resume({ user, subscriptionId: 's_1' }),
  },
  pause: {
    what: /pause a subscription/,
    run: (m, user) => m.subscriptions.pause({ user, subscriptionId: 's_1', until: null }),
  },
  discount: {
    what: /reduce the next payment/,
    run: (m, user) => m.subscriptions.discount({ user, subscriptionId: 's_1' }),
  },
  renew: {
    what: /open a page for an unpaid invoice/,
    status: 'past_due',
    run: (m, user) => m.subscriptions.renew({ user, subscriptionId: 's_1' }),
  },
  describe: {
    what: /resume a subscription/,
    run: (m, user) => m.subscriptions.describe({ action: 'resume', user, subscriptionId: 's_1' }),
  },
  portal: {
    what: /open a page for cards and invoices/,
    run: (m, user) =>
      m.subscriptions.portal({
        user,
        provider: 'bare',
        subscriptionId: null,
        returnUrl: 'https://a.example',
        localUrl: '',
      }),
  },
  refund: {
    what: /refund a payment/,
    run: (m, user) => m.payments.refund({ payment: user.payments()[0]! }),
  },
  invoices: {
    what: /list the invoices of a customer/,
    run: (m, user) => m.invoices.list({ user }),
  },
}
/** And whatever else of it may ask a provider. */
const others: Record<string, Action> = {
  updateCustomer: {
    what: /change the name or address of a customer/,
    run: async (m, user) => (await m.viewOf(user)).provider('bare').updateCustomer({ name: 'Ann' }),
  },
  'webhooks.pull': {
    what: /cannot be asked/,
    run: async (m) => {
      for await (const pulledEvent of m.webhooks.pull('bare', new Date())) return pulledEvent
    },
  },
  sign: { what: /can make deliveries/, run: async (m) => m.webhooks.sign('bare', Buffer.from('{}')) },
}
const to = {
  subscriptionId: 's_1',
  plan: null,
  price: 'p_2',
  quantity: null,
  proration: null,
  prorationAt: null,
}

for (const [name, { what, status = 'active', run }] of Object.entries<Action>({ ...actions, ...others }))
  test(`${name} at a provider without support is one clear error that names both`, async (t) => {
    const asked: string[] = []
    const { m, site } = await openHost(t, {
      customProviders: [bare],
      ...own({ 'membership.providers.bare.webhook': 'a secret' }),
      ...own({ 'membership.providers.bare.pause': { max_days: 30 } }),
      ...own({ 'membership.providers.bare.discount': { percent: 50 } }),
      ...own({
        'membership.providers.bare.plans': {
          pro: {
            prices: ['p_1', 'p_2'].map((id, n) => ({
              id,
              amount: 900 * (n + 1),
              currency: 'EUR',
              interval: 'month',
            })),
          },
        },
      }),
      hooks: Object.fromEntries(
        ['change', 'pause', 'renew', 'cancel', 'refund'].map((item) => [
          `membership.${item}:before`,
          () => void asked.push(item),
        ]),
      ),
    })
    await fetch(`${site}/membership/webhooks/bare`, { method: 'POST', body: JSON.stringify(bought(status)) })
    const user = await userOf(m)
    t.is(user.subscriptions().length, 1)
    const error = await t.throwsAsync(async () => run(m, user), { instanceOf: MembershipError })
    t.like(error, { code: 'ERR_PROVIDER_UNSUPPORTED' })
    t.regex(error!.message, /\bbare\b/)
    t.regex(error!.message, what)
    t.deepEqual(asked, [], 'not even the site is asked')
    t.deepEqual(
      await m.storage.read((db) => db.selectFrom('intents').select('id')),
      [],
      'and nothing is begun',
    )
  })

test('a refund rejected by the provider can be repeated, with and without a name', async (t) => {
  const opened = await openStripeSite(t)
  const { m, fake } = opened
  await buy(opened, 'ann@example.com', book)
  await m.runDueJobs()
  const payment = await paymentOf(m)
  for (const key of [undefined, 'ticket 7']) {
    const before = given(fake).length
    await m.payments.refund({ payment, amount: 300, key })
    t.is(given(fake).length, before + 1)
    // The bank sends it back: https://docs.stripe.com/refunds#failed-refunds
    await fake.advance({ ms: 10_000 })
    const made = fake.objects.list('refund').at(-1)!
    const failed = refundObject({ ...made, status: 'failed', failure_reason: 'expired_or_canceled_card' })
    const created = Math.floor(fake.now().getTime() / 1000)
    const event = { ...stripeEvent('refund.failed', failed, { created }), livemode: false }
    const body = Buffer.from(JSON.stringify(event))
    await m.webhooks.receive('stripe', { body, headers: m.webhooks.sign('stripe', body) as never })
    await fake.advance({ ms: 10_000 })
    await m.payments.refund({ payment, amount: 300, key })
    t.is(given(fake).length, before + 2, `asked for again ${key ?? 'without a name'}`)
  }
})

test('of three full refunds at once under three names, one is made and two are refused', async (t) => {
  const opened = await openStripeSite(t)
  const { m, fake } = opened
  await buy(opened, 'ann@example.com', book)
  await m.runDueJobs()
  const payment = await paymentOf(m)
  const tries = ['a', 'b', 'c'].map((key) => m.payments.refund({ payment, key }))
  const outcomes = await Promise.allSettled(tries)
  t.is(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
  t.deepEqual(given(fake), [1900])
})

test('a refund whose answer was lost ends when its money is seen, and an equal one is asked about for a day', async (t) => {
  const opened = await openStripeSite(t)
  const { m, fake } = opened
  await buy(opened, 'ann@example.com', book)
  await m.runDueJobs()
  const wish = { payment: await paymentOf(m), amount: 300 }
  const end = fake.outage({ kind: 'after' })
  await t.throwsAsync(m.payments.refund(wish), { code: 'ERR_PROVIDER_ANSWER' })
  end()
  t.deepEqual(given(fake), [300])
  await fake.deliver()
  t.is((await paymentOf(m)).amount_refunded, 300)
  await fake.advance({ ms: 120_000 })
  const repeated = await t.throwsAsync(m.payments.refund(wish), { code: 'ERR_ACTION_REFUSED' })
  t.is((repeated as MembershipError<'ERR_ACTION_REFUSED'>).reason, 'repeated')
  t.is(repeated?.message, '€3 of this payment was given back 2 minutes ago: again?')
  t.deepEqual(given(fake), [300], 'nothing is said to be done that is not')
  t.is((await m.payments.refund({ ...wish, again: true })).amount_refunded, 600)
  await fake.advance({ days: 2 })
  t.is((await m.payments.refund(wish)).amount_refunded, 900)
  t.deepEqual(given(fake), [300, 300, 300])
})

test('a lost answer whose money is not known here yet is asked for again under its name', async (t) => {
  const opened = await openStripeSite(t)
  const { m, fake } = opened
  await buy(opened, 'ann@example.com', book)
  const payment = await paymentOf(m)
  const end = fake.outage({ kind: 'after' })
  await t.throwsAsync(m.payments.refund({ payment, amount: 300 }), { code: 'ERR_PROVIDER_ANSWER' })
  end()
  t.is((await m.payments.refund({ payment, amount: 300 })).amount_refunded, 300)
  t.deepEqual(given(fake), [300])
})

test('a key names one refund: its repetition does nothing, and another amount or end under it is an error', async (t) => {
  const opened = await openStripeSite(t)
  const { m, fake } = opened
  await buy(opened, 'ann@example.com', book)
  const payment = await paymentOf(m)
  await m.payments.refund({ payment, amount: 300, key: 'ticket 7' })
  for (const more of [{ amount: 400 }, {}])
    await t.throwsAsync(m.payments.refund({ payment, key: 'ticket 7', ...more }), {
      code: 'ERR_IDEMPOTENCY_REUSED',
    })
  t.is((await m.payments.refund({ payment, amount: 300, key: 'ticket 7' })).amount_refunded, 300)
  t.is((await m.payments.refund({ payment, key: 'the rest' })).amount_refunded, 1900)
  t.is((await m.payments.refund({ payment, key: 'the rest' })).amount_refunded, 1900, 'repeated')
  t.deepEqual(given(fake).sort(), [1600, 300])
})
