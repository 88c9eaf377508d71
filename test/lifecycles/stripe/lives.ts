import {
  customerObject,
  invoiceObject,
  priceObject,
  stripeEvent,
  subscriptionItem,
  subscriptionObject,
} from '../../support/stripe-events.ts'
import { from, type Lifecycle, type Message, seconds } from '../lifecycle.ts'

type Fields = Record<string, unknown>

const plans = {
  pro: {
    name: 'Pro',
    group: 'm',
    prices: [{ id: 'price_gold', amount: 900, currency: 'EUR', interval: 'month' }],
  },
  team: {
    name: 'Team',
    group: 'm',
    prices: [{ id: 'price_team', amount: 2500, currency: 'EUR', interval: 'month' }],
  },
}

const says = (at: string, type: string, object: Fields, previous?: Fields): Message => ({
  at,
  event: stripeEvent(type, object, { created: seconds(at), ...(previous === undefined ? {} : { previous }) }),
})

const first = { start: '2026-03-01T00:00:00Z', end: '2026-04-01T00:00:00Z' }
const third = { start: '2026-05-01T00:00:00Z', end: '2026-06-01T00:00:00Z' }
const second = { start: '2026-04-01T00:00:00Z', end: '2026-05-01T00:00:00Z' }

const item = (period: typeof first, price: Fields = {}): Fields =>
  subscriptionItem({
    current_period_start: seconds(period.start),
    current_period_end: seconds(period.end),
    price: priceObject(price),
  })

const subscription = (period: typeof first, fields: Fields = {}, price: Fields = {}): Fields =>
  subscriptionObject({
    items: { object: 'list', data: [item(period, price)], has_more: false, total_count: 1 },
    ...fields,
  })

const line = (price: string, amount: number, period: typeof first, proration = false): Fields => ({
  id: `il_${price}${amount}`,
  object: 'line_item',
  amount,
  parent: {
    type: 'subscription_item_details',
    subscription_item_details: { proration, subscription: 'sub_1', subscription_item: 'si_1' },
  },
  period: { start: seconds(period.start), end: seconds(period.end) },
  pricing: { type: 'price_details', price_details: { price, product: `prod_${price}` } },
  quantity: 1,
})

const invoice = (id: string, status: string, period: typeof first, fields: Fields = {}): Fields =>
  invoiceObject({
    id,
    status,
    amount_paid: status === 'paid' ? 900 : 0,
    billing_reason: 'subscription_cycle',
    status_transitions: { paid_at: status === 'paid' ? seconds(period.start) : null },
    lines: { object: 'list', data: [line('price_gold', 900, period)], has_more: false },
    ...fields,
  })

const bought: readonly Message[] = [
  says('2026-03-01T00:00:01Z', 'customer.created', customerObject()),
  says('2026-03-01T00:00:05Z', 'customer.subscription.created', subscription(first)),
  says(
    '2026-03-01T00:00:06Z',
    'invoice.paid',
    invoice('in_1', 'paid', first, { billing_reason: 'subscription_create' }),
  ),
]

const pausing = from('https://docs.stripe.com/billing/subscriptions/pause-payment')
const void_ = { pause_collection: { behavior: 'void', resumes_at: seconds('2026-06-01T00:00:00Z') } }

export const stripeLives: readonly Lifecycle[] = [
  {
    provider: 'stripe',
    situation: 'Payment collection is paused with behavior void, to give two free months',
    fact: {
      says: 'Pausing payment collection with void gives the service for free for a while; the customer keeps access. To pause access there are other pauses.',
      source: pausing,
    },
    plans,
    steps: [
      { at: '2026-03-02T00:00:00Z', happens: 'paid', sends: bought, sees: { open: { pro: true } } },
      {
        at: '2026-03-21T12:00:00Z',
        happens: 'collection is paused within the paid month',
        sends: [
          says('2026-03-20T10:00:00Z', 'customer.subscription.updated', subscription(first, void_), {
            pause_collection: null,
          }),
        ],
        sees: { open: { pro: true } },
      },
      {
        at: '2026-04-02T12:00:00Z',
        happens: 'the first free month, its invoice only named',
        sends: [
          says(
            '2026-04-01T00:00:01Z',
            'customer.subscription.updated',
            subscription(second, { ...void_, latest_invoice: 'in_2' }),
            { latest_invoice: 'in_1' },
          ),
          says('2026-04-01T01:00:01Z', 'invoice.voided', invoice('in_2', 'void', second)),
        ],
        sees: { open: { pro: true } },
      },
      {
        at: '2026-04-03T12:00:00Z',
        happens: 'the same with its invoice, as a fetch gives it',
        sends: [
          says(
            '2026-04-03T01:00:00Z',
            'customer.subscription.updated',
            subscription(second, { ...void_, latest_invoice: invoice('in_2', 'void', second) }),
            { metadata: {} },
          ),
        ],
        sees: { open: { pro: true } },
      },
      {
        at: '2026-04-28T12:00:00Z',
        happens: 'later than any grace would last',
        sees: { open: { pro: true }, mails: [], until: '2026-05-01T00:00:00.000Z' },
      },
      {
        at: '2026-05-28T12:00:00Z',
        happens: 'the end of the second free month',
        sends: [
          says(
            '2026-05-01T00:00:01Z',
            'customer.subscription.updated',
            subscription(third, { ...void_, latest_invoice: 'in_3' }),
            { latest_invoice: 'in_2' },
          ),
          says('2026-05-01T01:00:01Z', 'invoice.voided', invoice('in_3', 'void', third)),
        ],
        sees: { open: { pro: true }, until: '2026-06-01T00:00:00.000Z' },
      },
    ],
  },
  {
    provider: 'stripe',
    situation: 'Payment collection is paused with keep_as_draft in the grace of a failed renewal',
    fact: {
      says: 'Pausing payment collection with keep_as_draft gives a customer more time to pay; the customer keeps access.',
      source: pausing,
    },
    plans,
    steps: [
      { at: '2026-03-02T00:00:00Z', happens: 'paid', sends: bought, sees: { open: { pro: true } } },
      {
        at: '2026-04-02T12:00:00Z',
        happens: 'the renewal failed',
        sends: [
          says(
            '2026-04-01T01:00:00Z',
            'customer.subscription.updated',
            subscription(second, { status: 'past_due', latest_invoice: 'in_2' }),
            { status: 'active' },
          ),
          says(
            '2026-04-01T01:00:01Z',
            'invoice.payment_failed',
            invoice('in_2', 'open', second, { next_payment_attempt: seconds('2026-04-04T00:00:00Z') }),
          ),
        ],
        sees: { open: { pro: true }, status: 'past_due' },
      },
      {
        at: '2026-04-03T12:00:00Z',
        happens: 'collection is paused',
        sends: [
          says(
            '2026-04-03T10:00:00Z',
            'customer.subscription.updated',
            subscription(second, {
              status: 'past_due',
              latest_invoice: invoice('in_2', 'open', second),
              pause_collection: { behavior: 'keep_as_draft', resumes_at: null },
            }),
            { pause_collection: null },
          ),
        ],
        sees: { open: { pro: true } },
      },
      { at: '2026-04-24T12:00:00Z', happens: 'the grace is over', sees: { open: { pro: false } } },
    ],
  },
  {
    provider: 'stripe',
    situation: 'An upgrade made at Stripe with allow_incomplete is not paid',
    fact: {
      says: 'With the default allow_incomplete, an update whose payment fails moves the subscription to past_due with the new price on it.',
      source: from('https://docs.stripe.com/api/subscriptions/update'),
    },
    setting: 'payment_behavior allow_incomplete',
    plans,
    steps: [
      {
        at: '2026-03-02T00:00:00Z',
        happens: 'paid',
        sends: bought,
        sees: { open: { pro: true, team: false } },
      },
      {
        at: '2026-03-11T12:00:00Z',
        happens: 'the upgrade is not paid',
        sends: [
          says(
            '2026-03-10T10:00:00Z',
            'invoice.created',
            invoice('in_2', 'open', first, {
              billing_reason: 'subscription_update',
              amount_due: 1333,
              total: 1333,
              lines: {
                object: 'list',
                data: [
                  line('price_gold', -600, { start: '2026-03-10T10:00:00Z', end: first.end }, true),
                  line('price_team', 1933, { start: '2026-03-10T10:00:00Z', end: first.end }, true),
                ],
                has_more: false,
              },
            }),
          ),
          says(
            '2026-03-10T10:00:01Z',
            'customer.subscription.updated',
            subscription(
              first,
              { status: 'past_due', latest_invoice: 'in_2' },
              { id: 'price_team', product: 'prod_team', unit_amount: 2500 },
            ),
            { status: 'active', latest_invoice: 'in_1', items: { data: [item(first)] } },
          ),
        ],
        sees: { open: { pro: true, team: false } },
      },
    ],
  },
]
