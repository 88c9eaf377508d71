import type { SubscriptionData } from '../../../src/core/dto/index.ts'
import type { CustomerChange, MoneyChange, MoneyFact, Ref, Stage } from '../../../src/providers/contract.ts'

// Worked out by hand from each payload and Stripe's API reference, not recorded from the code.

const words = {
  subscription: { kind: 'subscription' },
  customer: { kind: 'customer' },
  checkout: { kind: 'checkout' },
  intent: { kind: 'payment', part: 'collection' },
  charge: { kind: 'payment' },
  invoice: { kind: 'payment', part: 'bill' },
  invoice_payment: { kind: 'link' },
  refund: { kind: 'refund' },
  dispute: { kind: 'dispute' },
} as const
export type Word = keyof typeof words

/** An object by Stripe's word for it. */
export function ref(word: Word, id: string): Ref {
  return { ...words[word], id }
}

type Data = Omit<SubscriptionData, 'provider' | 'account' | 'updated_at'>

export type Expected =
  | { type: 'subscription'; id: string; stage: Stage; data: Partial<Data>; before?: Partial<Data> }
  | { type: 'customer'; id: string; stage: Stage; data: CustomerChange['data'] }
  | ({ type: 'money'; id: string; stage: Stage; data: Partial<MoneyFact> } & Pick<
      MoneyChange,
      'kind' | 'part'
    >)
  | { type: 'touch'; ref: Ref }

/** Unix seconds, as they stand in the payloads. */
interface SubscriptionFields {
  customer: string
  price: string
  product: string
  period: [number, number]
  started: number
  status?: Data['status']
  stage?: Stage
  quantity?: number
  amount?: number | null
  interval?: Data['interval']
  trialEnd?: number
  cancelAtPeriodEnd?: boolean
  cancelAt?: number
  canceled?: number
  ended?: number
  resumes?: number
  more?: Partial<Data>
  before?: Partial<Data>
}

function at(seconds: number | undefined): string | null {
  return seconds === undefined ? null : new Date(seconds * 1000).toISOString()
}

function subscription(id: string, f: SubscriptionFields): Expected {
  return {
    type: 'subscription',
    id,
    stage: f.stage ?? 'updated',
    data: {
      id,
      customer_id: f.customer,
      status: f.status ?? 'active',
      provider_status: null,
      price_id: f.price,
      product_id: f.product,
      quantity: f.quantity ?? 1,
      currency: 'USD',
      unit_amount: f.amount === undefined ? 2500 : f.amount,
      interval: f.interval === undefined ? 'month' : f.interval,
      started_at: at(f.started),
      trial_ends_at: at(f.trialEnd),
      current_period_start: at(f.period[0]),
      current_period_end: at(f.period[1]),
      cancel_at_period_end: f.cancelAtPeriodEnd ?? false,
      cancel_at: at(f.cancelAt),
      canceled_at: at(f.canceled),
      ended_at: at(f.ended),
      paused_at: null,
      resumes_at: at(f.resumes),
      livemode: false,
      ...f.more,
    },
    ...(f.before ? { before: f.before } : {}),
  }
}

function customer(id: string, data: Partial<CustomerChange['data']> = {}, stage?: Stage): Expected {
  return {
    type: 'customer',
    id,
    stage: stage ?? (data.deleted ? 'deleted' : 'updated'),
    data: { id, email: null, name: null, deleted: false, livemode: false, ...data },
  }
}

type MoneyWord = Exclude<Word, 'subscription' | 'customer'>

function money(
  word: MoneyWord,
  id: string,
  refs: Ref[],
  data: Partial<MoneyFact>,
  stage: Stage = 'updated',
): Expected {
  const place = words[word] as Pick<MoneyChange, 'kind' | 'part'>
  return { type: 'money', ...place, id, stage, data: { id, refs, ...data } }
}

function touch(word: Word, id: string): Expected {
  return { type: 'touch', ref: ref(word, id) }
}

const small = { price: 'small-monthly', product: 'prod_EYTX7RYhRjcwKD' }
const basic = { price: 'default', product: 'prod_EYTX7RYhRjcwKD', amount: 1000 }
const payPlan = {
  customer: 'cus_00000000000000',
  product: 'prod_00000000000000',
  started: 1466783124,
  period: [1486568724, 1488987924] as [number, number],
  amount: null,
  interval: null,
}
const oldPlan: Partial<Data> = {
  price_id: 'OLD_00000000000000',
  product_id: 'prod_00000000000000',
  unit_amount: 5000,
  interval: 'month',
  interval_count: 1,
}
const free = {
  price: 'price_1IDQm5JDPojXS6LNM31hxKzp',
  product: 'prod_Ip4vqwv3EJ7Mi0',
  amount: 0,
  customer: 'cus_IhGfebO16cMIGN',
}
const project312 = {
  project_id: '312',
  project_ref: 'tqevlzwwvzleheqncsph',
  project_name: 'temp webhooks',
  organization_id: '35',
  organization_slug: 'visible-emerald-fly',
}
const project205 = {
  project_id: '205',
  project_ref: 'bfsfqqxvuglpyllejiwe',
  project_name: 'copple-local',
  organization_id: '35',
  organization_slug: 'visible-emerald-fly',
}

const subscriptions: Record<string, Expected[]> = {
  // Period on the item only; collection paused without an end; the API's made-up dates are kept as they are.
  'subscription--openapi-fixtures3.json': [
    subscription('sub_1Pgc6rB7WZ01zgkWNy0Cn5nw', {
      customer: 'cus_QXg1o8vcGmoR32',
      price: 'price_1PgafmB7WZ01zgkW6dKueIc5',
      product: 'prod_QXg1hqf4jFNsqG',
      amount: 2000,
      period: [1896570518, 976287773],
      started: 1234567890,
      trialEnd: 1234567890,
      cancelAtPeriodEnd: true,
      cancelAt: 1234567890,
      canceled: 1234567890,
      ended: 1234567890,
      // Pausing the collection of payments is no pause of access: docs.stripe.com/billing/subscriptions/pause-payment.
      more: { paused_at: null },
    }),
  ],
  'subscription.active--pay-vcr-2.json': [
    subscription('sub_JyYHeOGrefvt99', {
      ...small,
      customer: 'cus_JyYHwsiDUpzWIv',
      period: [1628049255, 1630727655],
      started: 1628049255,
    }),
  ],
  'subscription.active--pay-vcr-3.json': [
    subscription('sub_1NheflKXBGcbgpbZgIrXIQJB', {
      ...small,
      customer: 'cus_OUdxkwCCMhiFnj',
      period: [1692649560, 1695327960],
      started: 1692649560,
    }),
  ],
  'subscription.active--pay-vcr.json': [
    subscription('sub_1SRzqCKXBGcbgpbZ9C2XUF1a', {
      ...small,
      customer: 'cus_TOnRzwk3w8KAot',
      period: [1762799364, 1765391364],
      started: 1762799364,
    }),
  ],
  'subscription.active.cancel_at_period_end--pay-vcr.json': [
    subscription('sub_1SRzp3KXBGcbgpbZDcTsaVD4', {
      ...basic,
      customer: 'cus_TOnPTfYVb5cWQv',
      period: [1762799293, 1765391293],
      started: 1762799293,
      cancelAtPeriodEnd: true,
      cancelAt: 1765391293,
      canceled: 1762799297,
    }),
  ],
  'subscription.active.discount--pay-vcr.json': [
    subscription('sub_JGwG3QcNFy8PWy', {
      ...small,
      customer: 'cus_JGwGSOC6vwEhDG',
      period: [1617990273, 1620582273],
      started: 1617990273,
    }),
  ],
  'subscription.active.discounts--pay-vcr.json': [
    subscription('sub_1SRzoCKXBGcbgpbZDYbXPugg', {
      ...small,
      customer: 'cus_TOnOcioLlQifd9',
      period: [1762799240, 1765391240],
      started: 1762799240,
    }),
  ],
  // Collection is paused, and access is not.
  'subscription.active.pause_collection--pay-vcr.json': [
    subscription('sub_1SRzqaKXBGcbgpbZayOL8079', {
      ...small,
      customer: 'cus_TOnRCmtCxfIJa0',
      period: [1762799388, 1765391388],
      started: 1762799388,
      resumes: 1765391387,
    }),
  ],
  'subscription.active.quantity10--pay-vcr.json': [
    subscription('sub_1SRzqVKXBGcbgpbZq3nWwEUD', {
      ...small,
      customer: 'cus_TOnREDuUZ1WbhX',
      period: [1762799383, 1765391383],
      started: 1762799383,
      quantity: 10,
    }),
  ],
  'subscription.active.resumed--pay-vcr.json': [
    subscription('sub_1SRzqaKXBGcbgpbZayOL8079', {
      ...small,
      customer: 'cus_TOnRCmtCxfIJa0',
      period: [1762799388, 1765391388],
      started: 1762799388,
    }),
  ],
  'subscription.canceled--pay-vcr.json': [
    subscription('sub_1SRzp3KXBGcbgpbZDcTsaVD4', {
      ...basic,
      customer: 'cus_TOnPTfYVb5cWQv',
      status: 'canceled',
      period: [1762799293, 1765391293],
      started: 1762799293,
      canceled: 1762799297,
      ended: 1762799298,
    }),
  ],
  'subscription.canceled.on_trial--pay-vcr.json': [
    subscription('sub_1SOMr4KXBGcbgpbZnKDfiVUj', {
      ...basic,
      customer: 'cus_TL2wOKapdYV2oF',
      status: 'canceled',
      period: [1761934518, 1763144118],
      started: 1761934518,
      trialEnd: 1763144118,
      canceled: 1761934520,
      ended: 1761934520,
    }),
  ],
  'subscription.incomplete--pay-vcr.json': [
    subscription('sub_JGwHsv5GcPsajD', {
      ...small,
      customer: 'cus_JGwHbSlIvxVtff',
      status: 'incomplete',
      period: [1617990336, 1620582336],
      started: 1617990336,
    }),
  ],
  'subscription.trialing--pay-vcr.json': [
    subscription('sub_1SOMr4KXBGcbgpbZnKDfiVUj', {
      ...basic,
      customer: 'cus_TL2wOKapdYV2oF',
      status: 'trialing',
      period: [1761934518, 1763144118],
      started: 1761934518,
      trialEnd: 1763144118,
    }),
  ],
  'customer.subscription.created--pay.json': [
    subscription('sub_00000000000000', {
      ...payPlan,
      stage: 'created',
      price: 'FFBEGINNER_00000000000000',
      quantity: 2,
      trialEnd: 1467992724,
    }),
  ],
  'customer.subscription.created--stripe-sync-engine.json': [
    subscription('sub_JdIzvfy6o5GZRd', {
      ...free,
      stage: 'created',
      period: [1623148918, 1625740918],
      started: 1623148918,
      more: {
        metadata: project312,
        items: [
          {
            id: 'si_JdIzi4Tn5jV9PD',
            price_id: 'price_1IDQm5JDPojXS6LNM31hxKzp',
            product_id: 'prod_Ip4vqwv3EJ7Mi0',
            quantity: 1,
            current_period_start: at(1623148918),
            current_period_end: at(1625740918),
          },
          // A metered item has no quantity.
          {
            id: 'si_JdIzi4Tn5jVaaa',
            price_id: 'price_1IDQm5JDPojXS6LNM31hxKzp',
            product_id: 'prod_Ip4vqwv3EJ7Mi0',
            quantity: null,
            current_period_start: at(1623148918),
            current_period_end: at(1625740918),
          },
        ],
      },
    }),
  ],
  'customer.subscription.deleted--pay.json': [
    subscription('sub_00000000000000', {
      ...payPlan,
      stage: 'deleted',
      status: 'canceled',
      price: 'FFBEGINNER_00000000000000',
      trialEnd: 1467992724,
      canceled: 1487872069,
      ended: 1546925027,
    }),
  ],
  'customer.subscription.deleted--stripe-sync-engine.json': [
    subscription('sub_JdIzvfy6o5GZRd', {
      ...free,
      stage: 'deleted',
      status: 'canceled',
      period: [1623148918, 1625740918],
      started: 1623148918,
      canceled: 1623149102,
      ended: 1623149102,
      more: { metadata: project312 },
    }),
  ],
  'customer.subscription.paused--trigger.dev.json': [
    subscription('sub_1NYWgUI0XSgju2urmVcglalG', {
      customer: 'cus_OLD6IR3D8CJasG',
      price: 'price_1NYWgUI0XSgju2ur3rwJGw1n',
      product: 'prod_OLD6aEjleFDUfA',
      amount: 1500,
      status: 'paused',
      period: [1690473902, 1693152302],
      started: 1690473902,
    }),
  ],
  // Not one of Stripe's event names; a whole subscription all the same.
  'customer.subscription.trial_ended--pay.json': [
    subscription('sub_00000000000000', {
      ...payPlan,
      price: 'some-plan',
      quantity: 2,
      trialEnd: 1668631967,
      canceled: 1487872069,
      ended: 1668631967,
      before: oldPlan,
    }),
  ],
  'customer.subscription.trial_will_end--pay.json': [
    subscription('sub_00000000000000', {
      ...payPlan,
      price: 'some-plan',
      quantity: 2,
      trialEnd: 1668971983,
      canceled: 1487872069,
      ended: 1668971983,
      before: oldPlan,
    }),
  ],
  'customer.subscription.updated--pay.json': [
    subscription('sub_00000000000000', {
      ...payPlan,
      status: 'canceled',
      price: 'FFBEGINNER_00000000000000',
      quantity: 2,
      trialEnd: 1467992724,
      canceled: 1487872069,
      ended: 1487872069,
      before: { ...oldPlan, status: 'canceled', current_period_end: at(1488987924) },
    }),
  ],
  'customer.subscription.updated--stripe-sync-engine.json': [
    subscription('sub_JLEPMp81LApOJl', {
      ...free,
      period: [1618980344, 1621572344],
      started: 1618980344,
      more: { metadata: { ...project205, test: '1' } },
      before: { metadata: project205, status: 'active', price_id: free.price },
    }),
  ],
}

const customers: Record<string, Expected[]> = {
  'customer--openapi-fixtures3.json': [customer('cus_QXg1o8vcGmoR32')],
  // Says nothing but its id; the event says that it is live.
  'customer.created--stripe-node-eventbridge_payload.json': [
    customer('cus_123', { livemode: true }, 'created'),
  ],
  'customer.deleted--pay.json': [customer('cus_EGxrcooteA3WAb', { deleted: true })],
  'customer.deleted--stripe-sync-engine.json': [customer('cus_IhGfebO16cMIGN', { deleted: true })],
  'customer.updated--pay.json': [customer('cus_1234')],
  'customer.updated--stripe-sync-engine.json': [
    customer('cus_IhGfebO16cMIGN', { email: 'person@example.com', name: 'Copple' }),
  ],
  'deleted_customer--openapi-fixtures3.json': [customer('cus_QXg1o8vcGmoR32', { deleted: true })],
}

function failedCharge(): Expected[] {
  return [
    money(
      'charge',
      'ch_3KtoMeJDPojXS6LN0igeffJ6',
      [ref('intent', 'pi_3KtoMeJDPojXS6LN0XnGDnI3'), ref('invoice', 'in_1KJdKkJDPojXS6LNSwSWkZSN')],
      {
        customer_id: 'cus_J7Mkgr8mvbl1eK',
        amount: 2500,
        amount_refunded: 0,
        currency: 'USD',
        state: 'failed',
        paid_at: undefined,
        livemode: true,
      },
    ),
  ]
}

function inquiry(stage: Stage): Expected[] {
  return [
    money(
      'dispute',
      'dp_1MLuxQJDPojXS6LNrukJCBBG',
      [ref('charge', 'ch_1IqtGAJDPojXS6LNstgEfUji'), ref('intent', 'pi_1IqtG9JDPojXS6LNOGnYrIqq')],
      { amount: 1000, currency: 'USD', state: 'pending', livemode: false },
      stage,
    ),
    touch('charge', 'ch_1IqtGAJDPojXS6LNstgEfUji'),
  ]
}

const charges: Record<string, Expected[]> = {
  // Authorised, not captured.
  'charge--openapi-fixtures3.json': [
    money('charge', 'ch_1PgafuB7WZ01zgkWXYmPNZs8', [], {
      customer_id: undefined,
      amount: 100,
      amount_refunded: 0,
      currency: 'USD',
      state: 'pending',
      paid_at: undefined,
      email: undefined,
      name: 'Jenny Rosen',
    }),
  ],
  'charge.captured--stripe-sync-engine.json': failedCharge(),
  'charge.failed--stripe-sync-engine.json': failedCharge(),
  'charge.updated--stripe-sync-engine.json': failedCharge(),
  'charge.dispute.closed--stripe-sync-engine.json': inquiry('updated'),
  'charge.dispute.created--stripe-sync-engine.json': inquiry('created'),
  'charge.refunded--pay.json': [
    money('charge', 'ch_chargeid', [ref('intent', 'pm_1234')], {
      customer_id: 'cus_0dUMWLtzCTagWs',
      amount: 1500,
      amount_refunded: 500,
      currency: 'USD',
      state: 'paid',
      paid_at: at(1351497305),
      livemode: false,
    }),
    touch('refund', 're_3LQOJoKXBGcbgpbZ10i9Mg75'),
  ],
  'charge.refunded--stripe-sync-engine.json': [
    money(
      'charge',
      'ch_3Kl36gJDPojXS6LN0DCM4A8l',
      [ref('intent', 'pi_3Kl36gJDPojXS6LN02fQVtKR'), ref('invoice', 'in_1KJdKkJDPojXS6LNSwSWkZSN')],
      {
        customer_id: 'cus_J7Mkgr8mvbl1eK',
        amount: 2500,
        amount_refunded: 2500,
        currency: 'USD',
        state: 'paid',
        paid_at: at(1649129463),
        livemode: true,
      },
    ),
    touch('refund', 're_3Kl36gJDPojXS6LN0eP4yPDz'),
  ],
  'charge.succeeded--pay.json': [
    money('charge', 'ch_chargeid', [ref('intent', 'pm_1234')], {
      customer_id: 'cus_0dUMWLtzCTagWs',
      amount: 500,
      amount_refunded: 0,
      currency: 'USD',
      state: 'paid',
      paid_at: at(1351497305),
    }),
    // The event is eleven years younger than its charge: the money came with the event.
    money('invoice_payment', 'paid_ch_chargeid', [ref('charge', 'ch_chargeid')], {
      state: 'pending',
      paid_at: at(1700000009),
    }),
  ],
  'charge.succeeded--stripe-sync-engine.json': [
    money(
      'charge',
      'ch_3KtQThJDPojXS6LN0YmgbxGj',
      [ref('intent', 'pi_3KtQThJDPojXS6LN0H9EfsjV'), ref('invoice', 'in_1KJdKkJDPojXS6LNSwSWkZSN')],
      {
        customer_id: 'cus_J7Mkgr8mvbl1eK',
        amount: 3000,
        amount_refunded: 0,
        currency: 'USD',
        state: 'paid',
        paid_at: at(1651125926),
        livemode: false,
      },
    ),
  ],
  'charge.updated--pay.json': [
    money('charge', 'ch_1234', [ref('intent', 'pi_1234')], {
      customer_id: 'cus_1234',
      amount: 24900,
      amount_refunded: 0,
      currency: 'USD',
      state: 'paid',
      paid_at: at(1746103518),
      email: 'customer@example.org',
      name: 'Example Customer',
      livemode: true,
    }),
  ],
}

const checkouts: Record<string, Expected[]> = {
  // Names no price, so it is asked for.
  'checkout.session--openapi-fixtures3.json': [
    money(
      'checkout',
      'cs_test_a1YS1URlnyQCN5fUUduORoQ7Pw41PJqDWkIVQCpJPqkfIhd6tVY8XB1OLY',
      [ref('intent', 'pi_1PgafyB7WZ01zgkWSjxsAJo3')],
      {
        amount: undefined,
        currency: undefined,
        state: 'pending',
        checkout_status: 'open',
        purpose: 'one_time',
        email: 'example@example.com',
        price_id: undefined,
        intent_id: undefined,
      },
    ),
    touch('checkout', 'cs_test_a1YS1URlnyQCN5fUUduORoQ7Pw41PJqDWkIVQCpJPqkfIhd6tVY8XB1OLY'),
  ],
  'checkout.session.completed--pay.json': [
    money(
      'checkout',
      'cs_test_a1UejXx8ebIdTzFolicVypUAZpOBVkoQKDbaarXoPlPVtj8p0zujPEEhjT',
      [ref('subscription', 'sub_1LNkeSKXBGcbgpbZ7jMqOPSi')],
      {
        customer_id: 'cus_M5wW9RPFk9xNZ5',
        subscription_id: 'sub_1LNkeSKXBGcbgpbZ7jMqOPSi',
        amount: 1900,
        currency: 'USD',
        state: 'paid',
        checkout_status: 'complete',
        purpose: 'recurring',
        email: 'person@example.com',
        name: 'Chris Oliver',
      },
    ),
    touch('subscription', 'sub_1LNkeSKXBGcbgpbZ7jMqOPSi'),
  ],
  'checkout.session.completed--stripe-sync-engine.json': [
    money(
      'checkout',
      'cs_live_9RBjcHiy2i5p99Tf1MYM90c3SHK1grU0E6Ae6pKWR2KPA4ZiuKiB2X1Y3X',
      [ref('intent', 'pi_1IqxJOJDPojXS6LN9uOebAea'), ref('invoice', 'in_1KJqKBJDPojXS6LNJbvLUgEy')],
      {
        customer_id: 'cus_IhGfebO16cMIGN',
        subscription_id: undefined,
        amount: 999,
        currency: 'EUR',
        state: 'paid',
        checkout_status: 'complete',
        purpose: 'one_time',
        email: 'person@example.com',
        name: 'Copple',
        livemode: true,
      },
    ),
    touch('checkout', 'cs_live_9RBjcHiy2i5p99Tf1MYM90c3SHK1grU0E6Ae6pKWR2KPA4ZiuKiB2X1Y3X'),
  ],
}

const freeTier = 'price_1IDQm5JDPojXS6LNM31hxKzp'

const invoices: Record<string, Expected[]> = {
  'invoice--openapi-fixtures3.json': [
    money('invoice', 'in_1Pgc6tB7WZ01zgkWu9fdqL6I', [ref('subscription', 'subscription')], {
      customer_id: 'cus_QXg1o8vcGmoR32',
      subscription_id: 'subscription',
      price_id: undefined,
      amount: 1000,
      currency: 'USD',
      state: 'pending',
      paid_at: undefined,
    }),
  ],
  'invoice--pay.json': [
    money(
      'invoice',
      'in_1RFFohKXBGcbgpbZk9MxzDMc',
      [ref('intent', 'pi_3RFFrjKXBGcbgpbZ0mAQxeI1'), ref('charge', 'ch_3RFFrjKXBGcbgpbZ0g57Qovb')],
      {
        customer_id: 'cus_S9YwWMaQEgeJYO',
        subscription_id: undefined,
        price_id: 'price_1KOpJJKXBGcbgpbZyDoF66XQ',
        quantity: 6,
        items: [
          { price_id: 'price_1KOpJJKXBGcbgpbZyDoF66XQ', product_id: 'prod_IxQQWtyij0rvGp', quantity: 6 },
          { price_id: 'price_1KOpJJKXBGcbgpbZyDoF66XQ', product_id: 'prod_IxQQWtyij0rvGp', quantity: 3 },
        ],
        amount: 24512,
        currency: 'USD',
        state: 'paid',
        paid_at: at(1744986363),
        email: 'missouri@example.org',
        name: 'Missouri',
      },
    ),
  ],
  'invoice.deleted--stripe-sync-engine.json': [
    money(
      'invoice',
      'in_xyz',
      [],
      {
        customer_id: 'cus_123',
        price_id: 'price_1',
        amount: 0,
        currency: 'USD',
        state: 'failed',
        email: 'some.email@gmail.com',
      },
      'deleted',
    ),
  ],
  'invoice.finalized--stripe-sync-engine.json': [
    money('invoice', 'in_1KJdKkJDPojXS6LNSwSWkZSN', [ref('subscription', 'sub_K4J0aB2bmSyb6b')], {
      customer_id: 'cus_J7Mkgr8mvbl1eK',
      subscription_id: 'sub_K4J0aB2bmSyb6b',
      price_id: freeTier,
      amount: 0,
      currency: 'USD',
      state: 'pending',
      paid_at: undefined,
    }),
  ],
  'invoice.paid--stripe-sync-engine.json': [
    money('invoice', 'in_1KJqKBJDPojXS6LNJbvLUgEy', [ref('subscription', 'sub_JsuPyCPhXWfZar')], {
      customer_id: 'cus_JsuO3bmrj0QlAw',
      subscription_id: 'sub_JsuPyCPhXWfZar',
      price_id: freeTier,
      quantity: 1,
      amount: 0,
      currency: 'USD',
      state: 'paid',
      paid_at: at(1642649110),
      livemode: false,
    }),
    touch('subscription', 'sub_JsuPyCPhXWfZar'),
  ],
  'invoice.payment_action_required--pay.json': [
    money('invoice', 'in_1234', [ref('intent', 'pi_1234'), ref('subscription', 'sub_1234')], {
      customer_id: 'cus_1234',
      subscription_id: 'sub_1234',
      price_id: 'price_1234',
      amount: 9184,
      currency: 'USD',
      state: 'pending',
      invoice_url: 'https://invoice.stripe.com/',
      livemode: true,
    }),
  ],
  // New shape: the subscription under `parent`, the price under `pricing`, nothing about what will pay it.
  'invoice.payment_failed--pay.json': [
    money('invoice', 'in_1234', [ref('subscription', 'sub_1234')], {
      customer_id: 'cus_1234',
      subscription_id: 'sub_1234',
      price_id: 'price_1234',
      items: [
        {
          price_id: 'price_1234',
          product_id: 'prod_1234',
          quantity: 1,
          amount: 24900,
          billed_for: 'renewal',
          period_start: '2025-04-23T18:45:06.000Z',
          period_end: '2026-04-23T18:45:06.000Z',
        },
      ],
      billed_for: 'renewal',
      amount: 24900,
      currency: 'USD',
      state: 'pending',
      email: 'customer@example.org',
      name: 'Example Customer',
      invoice_url: 'https://invoice.stripe.com/',
      livemode: true,
    }),
    touch('subscription', 'sub_1234'),
    touch('invoice', 'in_1234'),
  ],
  // The file's object is an invoice payment, whatever the event's name says.
  'invoice.updated--pay.json': [
    money(
      'invoice_payment',
      'inpay_1T4AIlGWAy8DppqhYcK0hqe3',
      [ref('invoice', 'in_1T4AIkGWAy8DppqhJAdbjaWb'), ref('intent', 'pi_3T4AIlGWAy8Dppqh3Vsl9Pya')],
      { amount: 2000, currency: 'USD', state: 'paid', paid_at: at(1771896040) },
    ),
  ],
  'invoice.updated--stripe-sync-engine.json': [
    money('invoice', 'in_1KJrLsJDPojXS6LN8xJ2QLQt', [ref('subscription', 'sub_JW4ilEI1mm5j4X')], {
      customer_id: 'cus_JVhbiWW9p3F6wq',
      subscription_id: 'sub_JW4ilEI1mm5j4X',
      price_id: freeTier,
      amount: 0,
      currency: 'USD',
      state: 'pending',
    }),
  ],
  'invoice.voided--stripe-sync-engine.json': [
    money('invoice', 'in_1KJqKBJDPojXS6LNJbvLUgEy', [ref('subscription', 'sub_JsuPyCPhXWfZar')], {
      customer_id: 'cus_JsuO3bmrj0QlAw',
      amount: 0,
      currency: 'USD',
      state: 'failed',
      paid_at: undefined,
    }),
  ],
  'invoice_payment--openapi-fixtures3.json': [
    money('invoice_payment', 'obj_123', [ref('invoice', 'invoice')], {
      // Its `currency` is no code, and a number without a currency is no money.
      amount: undefined,
      currency: undefined,
      state: 'pending',
      livemode: true,
    }),
  ],
  'invoice_payment.paid--stripe-sync-engine.json': [
    money(
      'invoice_payment',
      'inpay_1M3USa2eZvKYlo2CBjuwbq0N',
      [ref('invoice', 'in_103Q0w2eZvKYlo2C5PYwf6Wf'), ref('intent', 'pi_103Q0w2eZvKYlo2C364X582Z')],
      { amount: 2000, currency: 'USD', state: 'paid', paid_at: at(1391288554) },
    ),
  ],
}

// The recordings share one object: the status in it says what holds, not the name of the event.
function intent(stage: Stage = 'updated'): Expected[] {
  return [
    money(
      'intent',
      'pi_1IqxJOJDPojXS6LN9uOebAea',
      [],
      { amount: 1000, currency: 'USD', state: 'pending', customer_id: undefined, livemode: false },
      stage,
    ),
  ]
}

function refund(stage: Stage = 'updated'): Expected[] {
  return [
    money(
      'refund',
      're_1Nispe2eZvKYlo2Cd31jOCgZ',
      [ref('charge', 'ch_1NirD82eZvKYlo2CIvbtLWuY'), ref('intent', 'pi_1GszsK2eZvKYlo2CfhZyoZLp')],
      { amount: 1000, currency: 'USD', state: 'succeeded', livemode: false },
      stage,
    ),
  ]
}

const intentsAndRefunds: Record<string, Expected[]> = {
  'payment_intent--openapi-fixtures3.json': [
    money('intent', 'pi_1PgafyB7WZ01zgkWSjxsAJo3', [], {
      amount: 1099,
      currency: 'USD',
      state: 'failed',
      livemode: false,
    }),
  ],
  'payment_intent.amount_capturable_updated--stripe-sync-engine.json': intent(),
  'payment_intent.canceled--stripe-sync-engine.json': intent(),
  'payment_intent.created--stripe-sync-engine.json': intent('created'),
  'payment_intent.payment_failed--stripe-sync-engine.json': intent(),
  'payment_intent.processing--stripe-sync-engine.json': intent(),
  'payment_intent.requires_action--stripe-sync-engine.json': intent(),
  'payment_intent.succeeded--stripe-sync-engine.json': intent(),
  'refund--openapi-fixtures3.json': [
    money('refund', 're_1Pgc72B7WZ01zgkWqPvrRrPE', [ref('charge', 'ch_1PgafuB7WZ01zgkWXYmPNZs8')], {
      amount: 100,
      currency: 'USD',
      state: 'succeeded',
    }),
  ],
  'refund.created--stripe-sync-engine.json': refund('created'),
  'refund.failed--stripe-sync-engine.json': refund(),
  'refund.updated--stripe-sync-engine.json': refund(),
}

/** What about these is nobody's membership. */
const nothing = [
  'account.updated--pay.json',
  'billing_portal.session--openapi-fixtures3.json',
  'credit_note--openapi-fixtures3.json',
  'credit_note.created--stripe-sync-engine.json',
  'credit_note.voided--stripe-sync-engine.json',
  'customer.tax_id.created--stripe-sync-engine.json',
  'entitlements.active_entitlement_summary--openapi-fixtures3.json',
  'entitlements.active_entitlement_summary.updated--stripe-sync-engine.json',
  'event--openapi-fixtures3.json',
  // A preview without an id.
  'invoice.upcoming--pay.json',
  'payment_method--openapi-fixtures3.json',
  'payment_method.attached--pay.json',
  'payment_method.attached--stripe-sync-engine.json',
  'payment_method.detached--pay.json',
  'payment_method.detached--stripe-sync-engine.json',
  'payment_method.updated--pay.json',
  'payment_method.updated--stripe-sync-engine.json',
  'price--openapi-fixtures3.json',
  'price.created--stripe-sync-engine.json',
  'price.deleted--stripe-sync-engine.json',
  'price.updated--stripe-sync-engine.json',
  'product--openapi-fixtures3.json',
  'product.created--stripe-sync-engine.json',
  'product.deleted--stripe-sync-engine.json',
  'product.updated--stripe-sync-engine.json',
  'promotion_code--openapi-fixtures3.json',
  'setup_intent--openapi-fixtures3.json',
  'setup_intent.canceled--stripe-sync-engine.json',
  'setup_intent.created--stripe-sync-engine.json',
  'setup_intent.requires_action--stripe-sync-engine.json',
  'setup_intent.setup_failed--stripe-sync-engine.json',
  'setup_intent.succeeded--stripe-sync-engine.json',
  'subscription_item--openapi-fixtures3.json',
  'subscription_schedule--openapi-fixtures3.json',
  // Thin, and about no object.
  'thin.v2.billing.meter.error_report_triggered--stripe-node-eventbridge_v2_payload.json',
  'thin.v2.billing.meter.error_report_triggered--stripe-node-raw_v2_notification.json',
]

/** By file: the changes that its delivery means. */
export const expected: Readonly<Record<string, readonly Expected[]>> = {
  ...subscriptions,
  ...customers,
  ...charges,
  ...checkouts,
  ...invoices,
  ...intentsAndRefunds,
  // What a schedule will change is told with its subscription.
  ...Object.fromEntries(
    ['aborted', 'canceled', 'completed', 'created', 'expiring', 'released', 'updated'].map((type) => [
      `subscription_schedule.${type}--stripe-sync-engine.json`,
      [touch('subscription', 'sub_1N1sg4JDPojXS6LNGfq3slwm')],
    ]),
  ),
  ...Object.fromEntries(nothing.map((file) => [file, []])),
}
