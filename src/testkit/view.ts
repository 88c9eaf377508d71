import type { Grant } from '../core/access/index.ts'
import {
  moneyWriter,
  type PaymentData,
  type Plan,
  paymentSchema,
  type SubscriptionData,
  subscriptionSchema,
  toPayment,
  toSubscription,
} from '../core/dto/index.ts'
import { defaultPastDueDays } from '../core/duration.ts'
import { toUser, toView, type View } from '../memberships/members/index.ts'
import { digitsOf } from '../providers/registry.ts'
import { definitions } from './definitions.ts'

/** Contents of a view, as plain data. Fields left out get a harmless value. */
export interface PlainView {
  /** null or absent: nobody is logged in. */
  user?: {
    id?: string
    email?: string
    name?: string
    roles?: string[]
    content?: Record<string, unknown>
    subscriptions?: Partial<SubscriptionData>[]
    payments?: Partial<PaymentData>[]
    grants?: (Partial<Grant> & { gate: string })[]
    customers?: Record<string, string>
  } | null
  plans?: Plan[]
  /** Provider for new checkouts; by default the first that a subscription or payment names. */
  handler?: string
  /** Other providers that a form may name; none by default. */
  choices?: string[]
  now?: () => Date
}

/**
 * Builds a view from plain data, for tests of templates. Fields left out get a harmless value; wrong fields
 * throw.
 */
export function viewFrom({
  user,
  plans = [],
  handler,
  choices = [],
  now = () => new Date(),
}: PlainView = {}): View {
  const subscriptions = (user?.subscriptions ?? []).map((s, i) =>
    subscriptionSchema.parse({ ...emptySubscription, id: `sub_${i + 1}`, ...withItems(s) }),
  )
  const payments = (user?.payments ?? []).map((p, i) =>
    paymentSchema.parse({
      ...emptyPayment,
      id: `pay_${i + 1}`,
      purpose: p.subscription_id ? 'recurring' : 'one_time',
      ...p,
    }),
  )
  const named = [...subscriptions, ...payments].map(({ provider }) => provider)
  const keys = [...new Set([...(handler ? [handler] : []), ...choices, ...named])]
  const providerKeys = keys.length > 0 ? keys : [emptySubscription.provider]
  const rules = {
    plans,
    pastDueSeconds: defaultPastDueDays * 86_400,
    fields: new Map(providerKeys.map((key) => [key, key])),
    now,
  }
  const member = user && toUser(memberFrom(user, { subscriptions, payments }), rules)
  const usual = handler ?? providerKeys[0] ?? null
  return toView(member ?? null, {
    plans,
    providerKeys,
    handler: usual,
    sellers: [...(usual === null ? [] : [usual]), ...choices],
    money: moneyWriter(digitsOf(definitions)),
    can: () => ({ swap: true, preview: true, cancel: true, pause: true, portal: true }),
    updateCustomer: async () => {},
  })
}

function memberFrom(
  user: NonNullable<PlainView['user']>,
  {
    subscriptions,
    payments,
  }: { subscriptions: readonly SubscriptionData[]; payments: readonly PaymentData[] },
): Parameters<typeof toUser>[0] {
  return {
    id: user.id ?? 'member_1',
    email: user.email ?? 'member@example.com',
    email_verified: true,
    name: user.name ?? null,
    roles: user.roles ?? ['member'],
    language: null,
    content: user.content ?? {},
    created_at: moment,
    subscriptions: () => subscriptions.map(toSubscription),
    payments: () => payments.map(toPayment),
    grants: (user.grants ?? []).map((g, i) => ({
      id: `grant_${i + 1}`,
      source: 'manual',
      reason: null,
      starts_at: null,
      expires_at: null,
      ...g,
    })),
    customers: Object.entries(user.customers ?? {}).map(([provider, id]) => ({
      id,
      provider,
      account: '',
      email: null,
      name: null,
      deleted: false,
    })),
  }
}

const moment = '2026-01-01T00:00:00.000Z'

function withItems(s: Partial<SubscriptionData>): Partial<SubscriptionData> {
  return s.items || !s.price_id
    ? s
    : {
        ...s,
        items: [
          {
            id: null,
            price_id: s.price_id,
            product_id: null,
            quantity: 1,
            current_period_start: null,
            current_period_end: null,
          },
        ],
      }
}

const emptySubscription: Omit<SubscriptionData, 'id'> = {
  provider: 'stripe',
  account: '',
  customer_id: null,
  price_id: null,
  product_id: null,
  quantity: 1,
  items: [],
  status: 'active',
  provider_status: null,
  currency: null,
  unit_amount: null,
  interval: null,
  interval_count: null,
  started_at: null,
  trial_ends_at: null,
  current_period_start: null,
  current_period_end: null,
  cancel_at_period_end: false,
  cancel_at: null,
  canceled_at: null,
  ended_at: null,
  paused_at: null,
  resumes_at: null,
  past_due_since: null,
  livemode: false,
  metadata: {},
  updated_at: moment,
}

const emptyPayment: Omit<PaymentData, 'id' | 'purpose'> = {
  provider: 'stripe',
  account: '',
  customer_id: null,
  subscription_id: null,
  invoice_id: null,
  price_id: null,
  items: [],
  quantity: 1,
  amount: 0,
  amount_refunded: 0,
  currency: null,
  status: 'paid',
  paid_at: null,
  invoice_url: null,
  livemode: false,
  metadata: {},
  updated_at: moment,
}
