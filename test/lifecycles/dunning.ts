import { useCard } from '../../src/fakes/engine/cards.ts'
import { openCheckout, saleOf } from '../../src/fakes/engine/checkout.ts'
import { addCustomer } from '../../src/fakes/engine/customers.ts'
import type { FakeServer, FakeServerOptions } from '../../src/fakes/engine/index.ts'
import type { Subscription } from '../../src/fakes/engine/objects.ts'
import { startSubscription } from '../../src/fakes/engine/starting.ts'
import { sellers } from '../simulation/sellers.ts'
import type { Fact } from './lifecycle.ts'
import { from, type Played } from './lifecycle.ts'

/** What a provider does with a renewal that fails, by its documentation. */
export interface Dunning {
  readonly provider: Played
  /** Days after the first failure at which it is tried again; null where `because` says that no page names them. */
  readonly retries: readonly number[] | null
  /** Why there are no documented days. The fake server then plays days of its own. */
  readonly because?: string
  /** The messages by which a failed renewal and its end are told. */
  readonly sends: readonly string[]
  /** Messages of other providers, or of other events of its own, that it does not send then. */
  readonly neverSends: readonly string[]
  readonly source: Fact['source']
  /** The fault because of which the fake server plays another life. */
  readonly fails?: string
}

export const dunnings: readonly Dunning[] = [
  {
    provider: 'stripe',
    retries: null,
    because: 'Each account sets its own.',
    sends: ['invoice.payment_failed', 'customer.subscription.updated', 'customer.subscription.deleted'],
    neverSends: ['subscription.past_due', 'charge.refunded'],
    source: from('https://docs.stripe.com/billing/subscriptions/overview'),
  },
  {
    provider: 'paddle',
    retries: null,
    because: 'No page names them.',
    sends: ['transaction.past_due', 'subscription.past_due', 'subscription.canceled'],
    neverSends: ['subscription.revoked', 'adjustment.created'],
    source: from('https://developer.paddle.com/webhooks/simulator/scenarios/subscription-canceled'),
  },
  {
    provider: 'paypal',
    retries: [5, 10],
    sends: ['BILLING.SUBSCRIPTION.PAYMENT.FAILED', 'BILLING.SUBSCRIPTION.SUSPENDED'],
    neverSends: ['PAYMENT.SALE.DENIED', 'BILLING.SUBSCRIPTION.CANCELLED'],
    source: from('https://developer.paypal.com/docs/subscriptions/customize/payment-failure-retry/'),
  },
  {
    provider: 'polar',
    retries: [2, 7, 14, 21],
    sends: ['order.created', 'subscription.past_due', 'subscription.revoked'],
    neverSends: ['order.refunded', 'invoice.payment_failed'],
    source: from(
      'https://github.com/polarsource/polar/blob/main/docs/features/subscriptions/failed-payments.mdx',
    ),
  },
  {
    provider: 'chargebee',
    retries: null,
    because: 'Each account sets its own.',
    sends: ['payment_failed', 'subscription_cancelled'],
    neverSends: ['subscription_expired', 'payment_refunded'],
    source: from('https://www.chargebee.com/docs/payments/2.0/dunning/dunning-v2'),
  },
  {
    provider: 'lemonsqueezy',
    retries: null,
    because: 'Four in two weeks; no page names the days.',
    sends: ['subscription_payment_failed', 'subscription_updated'],
    neverSends: ['subscription.past_due', 'subscription_paused'],
    source: from('https://docs.lemonsqueezy.com/help/online-store/recovery-dunning'),
  },
  {
    provider: 'creem',
    retries: null,
    because: 'No page names them.',
    sends: ['subscription.past_due', 'subscription.canceled'],
    neverSends: ['subscription.on_hold', 'refund.created'],
    source: from('https://docs.creem.io/code/webhooks'),
  },
  {
    provider: 'dodo',
    // With a window of 13 days, which is the default: after 12, 24, 48, 72 and 96 hours, each counted from the try before.
    retries: [0.5, 1.5, 3.5, 6.5, 10.5],
    sends: ['payment.failed', 'subscription.on_hold'],
    neverSends: ['subscription.cancelled', 'subscription.canceled'],
    source: from('https://docs.dodopayments.com/features/recovery/payment-retries', '2026-11-30'),
  },
  {
    provider: 'mollie',
    retries: [],
    sends: [],
    neverSends: ['subscription.past_due'],
    source: 'unknown',
  },
]

/** What a fake server did with a renewal that fails. */
export interface Dunned {
  readonly retries: readonly number[]
  readonly sent: ReadonlySet<string>
}

const start = new Date('2026-01-15T12:00:00Z')

/** Lets a renewal fail at a fake server, and follows it day by day until nothing is tried any more. */
export async function playDunning(
  provider: string,
  options: Pick<FakeServerOptions, 'dunning'> = {},
): Promise<Dunned> {
  const seller = sellers.find(({ key }) => key === provider)!
  const fake = await seller.open({ seed: 1, start, ...options })
  try {
    fake.addPrice({ id: 'a-price', unit_amount: 900, currency: 'eur', recurring: { interval: 'month' } })
    const { customer, id: subscription } = await begin(fake, provider)
    fake.useCard(customer, '4000000000000341')
    const before = fake.events().length
    await fake.advance(new Date('2026-02-15T12:00:00Z'))
    await fake.advance({ ms: 3_700_000 })
    const attempts = () =>
      fake.books
        .list('invoice')
        .filter((invoice) => invoice.subscription === subscription && invoice.status !== 'paid')
        .at(0)?.attempts ?? 0
    const retries: number[] = []
    for (let day = 1, known = attempts(); day <= 27; day++) {
      await fake.advance({ days: 1 })
      if (attempts() > known) retries.push(day)
      known = attempts()
    }
    return { retries, sent: new Set(fake.events().slice(before).map(typeOf)) }
  } finally {
    await fake.close()
  }
}

/** Sells a subscription: on the fake's page, or as a member agrees to it at PayPal and Mollie. */
async function begin(fake: FakeServer, provider: string): Promise<Subscription> {
  const [price] = fake.books.list('price')
  if (provider === 'paypal' || provider === 'mollie' || provider === 'stripe')
    return fake.act((world) => {
      const customer = addCustomer(world, { email: 'ann@example.com', name: 'Ann' }).id
      const method = useCard(world, customer, '4242424242424242').id
      return startSubscription(world, {
        customer,
        currency: 'eur',
        method,
        metadata: {},
        trialEnd: null,
        withoutMethod: 'cancel',
        coupon: null,
        code: null,
        items: [{ price: price!, quantity: 1 }],
      })
    })
  const page = await fake.act((world) => openCheckout(world, saleOf(price!, {})))
  await fake.pay(page.id, { email: 'ann@example.com' })
  return fake.books.list('subscription')[0]!
}

function typeOf(event: Record<string, unknown>): string {
  const { type, event_type, eventType, meta } = event
  const named = type ?? event_type ?? eventType ?? (meta as { event_name?: unknown } | undefined)?.event_name
  return String(named ?? 'ping')
}

/** True if these retries were seen. A fake server is looked at once a day. */
export function areSeen(retries: readonly number[], seen: Dunned): boolean {
  return String(retries.map(Math.ceil)) === String(seen.retries)
}

/** Lists what differs between the documentation and what a fake server did. */
export function differencesOf({ retries, sends, neverSends }: Dunning, seen: Dunned): string[] {
  return [
    ...(retries === null || areSeen(retries, seen)
      ? []
      : [`it tries again on days ${seen.retries.join(', ')}, and not ${retries.join(', ')}`]),
    ...sends.filter((type) => !seen.sent.has(type)).map((type) => `it never sends ${type}`),
    ...neverSends.filter((type) => seen.sent.has(type)).map((type) => `it sends ${type}`),
  ]
}
