import {
  bodyScheme,
  type Change,
  createMembership,
  defineProvider,
  MembershipError,
  signHmac,
  verifyHmac,
} from 'membership'
import { providerContract, signed } from 'membership/testkit'
import { z } from 'zod'

// An example, and no provider of this package: Razorpay is received, and nothing is asked of it.
// Signature: https://razorpay.com/docs/webhooks/validate-test/ (HMAC-SHA256 of the raw body, hexadecimal)
const scheme = bodyScheme({ header: 'x-razorpay-signature' })

// https://razorpay.com/docs/webhooks/subscriptions: each message has the whole subscription, and the payment where one was tried.
const seconds = z
  .number()
  .int()
  .transform((at) => new Date(at * 1000).toISOString())
const subscription = z.object({
  id: z.string(),
  plan_id: z.string(),
  customer_id: z.string().nullish(),
  status: z.string(),
  quantity: z.number().int().nullish(),
  current_start: seconds.nullish(),
  current_end: seconds.nullish(),
  created_at: seconds,
  ended_at: seconds.nullish(),
})
const payment = z.object({
  id: z.string(),
  amount: z.number().int(),
  amount_refunded: z.number().int().nullish(),
  currency: z.string(),
  status: z.enum(['created', 'authorized', 'captured', 'refunded', 'failed']),
  email: z.string().nullish(),
  created_at: seconds,
})
const message = z.object({
  event: z.string(),
  created_at: seconds,
  payload: z.record(z.string(), z.unknown()),
})
const payloadOf = <T>(object: unknown, name: string, shape: z.ZodType<T>): T | null =>
  z.object({ [name]: z.object({ entity: shape }) }).safeParse(object).data?.[name]?.entity ?? null

/** https://razorpay.com/docs/payments/subscriptions/states/ */
const statuses = {
  created: 'incomplete',
  authenticated: 'incomplete',
  active: 'active',
  pending: 'past_due',
  halted: 'unpaid',
  paused: 'paused',
  cancelled: 'canceled',
  expired: 'expired',
  // Every period is charged: the last of them is still to be used up.
  completed: 'active',
} as const

function changesOf(object: unknown, at: string): Change[] {
  const s = payloadOf(object, 'subscription', subscription)
  const p = payloadOf(object, 'payment', payment)
  if (s === null) return []
  const [from, to, ended] = [s.current_start ?? null, s.current_end ?? null, s.ended_at ?? null]
  const isLast = s.status === 'completed'
  const item = { id: null, price_id: s.plan_id, product_id: null, quantity: s.quantity ?? 1 }
  const data = {
    id: s.id,
    customer_id: s.customer_id ?? null,
    price_id: s.plan_id,
    product_id: null,
    quantity: s.quantity ?? 1,
    items: [{ ...item, current_period_start: from, current_period_end: to }],
    status: statuses[s.status as keyof typeof statuses] ?? 'incomplete',
    provider_status: s.status,
    currency: p?.currency ?? null,
    unit_amount: null,
    interval: null,
    interval_count: null,
    started_at: s.created_at,
    trial_ends_at: null,
    current_period_start: from,
    current_period_end: to,
    cancel_at_period_end: isLast,
    cancel_at: isLast ? to : null,
    canceled_at: isLast ? null : ended,
    ended_at: isLast ? null : ended,
    paused_at: null,
    resumes_at: null,
    metadata: {},
  }
  // Razorpay has no messages about customers: the payer's address comes with the payment.
  const contact = p?.email ? { contact: { email: p.email, name: null } } : {}
  return [
    { type: 'subscription', id: s.id, at, stage: 'updated', data, ...contact },
    ...(p === null ? [] : [paymentOf(p, { at, subscriptionId: s.id, customerId: s.customer_id ?? null })]),
  ]
}

function paymentOf(
  p: z.infer<typeof payment>,
  of: { readonly at: string; readonly subscriptionId: string; readonly customerId: string | null },
): Change {
  const isPaid = p.status === 'captured' || p.status === 'refunded'
  const unpaid = p.status === 'failed' ? ('failed' as const) : ('pending' as const)
  const state = isPaid ? ('paid' as const) : unpaid
  const data = {
    id: p.id,
    refs: [],
    customer_id: of.customerId,
    subscription_id: of.subscriptionId,
    amount: p.amount,
    amount_refunded: p.amount_refunded ?? 0,
    currency: p.currency.toUpperCase(),
    state,
    paid_at: isPaid ? p.created_at : null,
    email: p.email ?? null,
    purpose: 'recurring' as const,
  }
  return { type: 'money', kind: 'payment', id: p.id, at: of.at, stage: 'updated', data }
}

export const razorpay = defineProvider({
  key: 'razorpay',
  options: z.strictObject({}),
  // No message says it: test mode and live mode have webhooks with secrets of their own.
  mode: 'secret',
  create: () => ({
    key: 'razorpay',
    verify: (delivery, secrets, now) => verifyHmac(scheme, { delivery, secrets, now, toleranceSeconds: 300 }),
    sign: (body, secret, now) => signHmac(scheme, body, secret, now),
    read: ({ body, headers }) => {
      const { success, data } = message.safeParse(parsed(body))
      if (!success) throw new MembershipError('ERR_BODY_UNREADABLE', 'The body is no message of Razorpay.')
      // One id for every attempt to deliver: https://razorpay.com/docs/webhooks/validate-test/
      const id = [headers['x-razorpay-event-id'] ?? null].flat()[0] ?? null
      return [
        {
          id,
          type: data.event,
          occurred_at: data.created_at,
          livemode: null,
          object_id: null,
          object: data.payload,
        },
      ]
    },
    changes: ({ object, occurred_at }) => changesOf(object, occurred_at ?? new Date(0).toISOString()),
  }),
})

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return null
  }
}

/** Every check of a provider, and a life in three messages: a charge, an older message that comes late, the last period. */
export async function run(): Promise<string> {
  const start = Math.floor(Date.parse('2026-01-15T12:00:00Z') / 1000)
  const month = 31 * 86_400
  const event = (name: string, at: number, more: object = {}) => ({
    entity: 'event',
    account_id: 'acc_1',
    event: name,
    contains: ['subscription', 'payment'],
    created_at: at,
    payload: {
      subscription: {
        entity: {
          id: 'sub_1',
          entity: 'subscription',
          plan_id: 'plan_1',
          customer_id: 'cust_1',
          status: 'active',
          quantity: 1,
          current_start: start,
          current_end: start + month,
          created_at: start,
          ended_at: null,
          ...more,
        },
      },
      payment: {
        entity: {
          id: 'pay_1',
          entity: 'payment',
          amount: 49_900,
          amount_refunded: 0,
          currency: 'INR',
          status: 'captured',
          email: 'asha@example.com',
          created_at: start,
        },
      },
    },
  })
  for (const { run } of providerContract(razorpay, { events: [event('subscription.charged', start)] }))
    await run()
  const m = await createMembership({
    install: false,
    root: false,
    customProviders: [razorpay],
    now: () => new Date((start + 60) * 1000),
    'membership.database.url': 'sqlite::memory:',
    'membership.providers.razorpay': {
      webhook: 'a secret',
      livemode: false,
      plans: { pro: { prices: ['plan_1'] } },
    },
  })
  try {
    const now = new Date((start + 60) * 1000)
    const send = (message: object) =>
      m.webhooks.receive('razorpay', signed(razorpay, message, { secret: 'a secret', now }))
    await send(event('subscription.charged', start + 2))
    await send(event('subscription.pending', start + 1, { status: 'pending' }))
    const asha = await m.users.findByEmail('asha@example.com')
    await send(event('subscription.completed', start + 3, { status: 'completed', ended_at: start + 3 }))
    const later = await m.users.findByEmail('asha@example.com')
    const [s] = later?.subscriptions() ?? []
    return `${asha?.hasGate('pro')} ${asha?.payments()[0]?.amount}, open until ${later?.explain('pro').until === s?.current_period_end}`
  } finally {
    await m.close()
  }
}
export const expected = 'true 49900, open until true'
