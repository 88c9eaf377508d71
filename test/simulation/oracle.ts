import type { FakeStripe } from '../../src/testkit/index.ts'
import { gates, graceDays } from './plan.ts'

type Subscription = ReturnType<typeof toSubscription>
function toSubscription(fake: FakeStripe) {
  return fake.objects.list('subscription')[0]!
}
type Charge = ReturnType<typeof toCharge>
function toCharge(fake: FakeStripe) {
  return fake.objects.list('charge')[0]!
}

/**
 * Which gates the provider's own objects open, by the rules of the documentation and not by our code: a subscription that
 * is active or on trial, unless the money of its period was lost in a dispute; a failed renewal for the days of grace after its first failed try, where something was paid
 * before and nothing is disputed; a payment that belongs to no
 * subscription, unless it went back in full or is, or was lost in, a dispute.
 */
export function gatesOf(
  fake: FakeStripe,
  owned: { subscriptions: readonly Subscription[]; charges: readonly Charge[] },
): string[] {
  const held = new Set<string>()
  for (const subscription of owned.subscriptions)
    if (isOpen(fake, subscription)) for (const item of subscription.items.data) held.add(item.price.id)
  for (const charge of owned.charges) {
    const price = priceOfOneTime(fake, charge)
    if (price !== null && isKept(fake, charge)) held.add(price)
  }
  return Object.entries(gates)
    .filter(([, prices]) => prices.some((price) => held.has(price)))
    .map(([gate]) => gate)
    .sort()
}

function isOpen(fake: FakeStripe, open: Subscription): boolean {
  if (isLost(fake, open)) return false
  if (open.status === 'active' || open.status === 'trialing') return true
  if (open.status !== 'past_due') return false
  const charges = chargesOf(fake, open)
  const isTakenBack = charges.some(({ charge }) => statusOf(fake, charge) === 'disputed')
  const wasPaid = charges.some(({ charge }) => charge.paid && charge.amount_refunded < charge.amount)
  const failed = charges.filter(({ charge, invoice }) => invoice.status === 'open' && !charge.paid)
  const since = Math.min(...failed.map(({ charge }) => charge.created))
  return wasPaid && !isTakenBack && fake.now().getTime() < (since + graceDays * 86_400) * 1000
}

/** True if a dispute took the money of the running period, and no other charge paid for it. */
function isLost(fake: FakeStripe, open: Subscription): boolean {
  const now = fake.now().getTime() / 1000
  const running = chargesOf(fake, open).filter(({ invoice }) =>
    invoice.lines.data.some(({ amount, period }) => amount > 0 && period.start <= now && now < period.end),
  )
  const isGone = ({ charge }: (typeof running)[number]): boolean => {
    const disputes = fake.objects.list('dispute').filter((dispute) => dispute.charge === charge.id)
    return charge.amount_refunded >= charge.amount || disputes.some(({ status }) => status === 'lost')
  }
  const wasLost = running.some(({ charge }) =>
    fake.objects.list('dispute').some((dispute) => dispute.charge === charge.id && dispute.status === 'lost'),
  )
  return wasLost && !running.some((paid) => paid.charge.paid && !isGone(paid))
}

function chargesOf(fake: FakeStripe, open: Subscription) {
  const invoices = fake.objects
    .list('invoice')
    .filter(({ parent }) => parent.subscription_details.subscription === open.id)
  return invoices.flatMap((invoice) =>
    fake.objects
      .list('invoice_payment')
      .filter((payment) => payment.invoice === invoice.id)
      .flatMap(({ payment }) =>
        fake.objects.list('charge').filter((charge) => charge.payment_intent === payment.payment_intent),
      )
      .map((charge) => ({ charge, invoice })),
  )
}

/** What a payment page sold; null for a charge of a subscription's invoice. */
export function priceOfOneTime(fake: FakeStripe, charge: Charge): string | null {
  const intent = fake.objects.get(charge.payment_intent)
  return intent?.object === 'payment_intent' && typeof intent.metadata.price_id === 'string'
    ? intent.metadata.price_id
    : null
}

function isKept(fake: FakeStripe, charge: Charge): boolean {
  const disputes = fake.objects.list('dispute').filter((dispute) => dispute.charge === charge.id)
  return (
    charge.paid && charge.amount_refunded < charge.amount && disputes.every(({ status }) => status === 'won')
  )
}

/** What the status of a charge's payment must be called. */
export function statusOf(fake: FakeStripe, charge: Charge): string {
  const disputes = fake.objects.list('dispute').filter((dispute) => dispute.charge === charge.id)
  if (disputes.some(({ status }) => status !== 'won')) return 'disputed'
  if (charge.amount_refunded === 0) return 'paid'
  return charge.amount_refunded >= charge.amount ? 'refunded' : 'partially_refunded'
}
