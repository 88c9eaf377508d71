import type { Charge, FakeServer, Subscription } from '../../src/fakes/engine/index.ts'
import { costs, type Seller } from './sellers.ts'

/** What a gate must be; `either` where the provider's books alone do not say it. */
export type Held = 'open' | 'closed' | 'either'

/**
 * What somebody has at a fake, through the payment pages that they were given: by its books, and by the rules
 * of the documentation.
 */
export function heldBy(
  { fake, seller }: { readonly fake: FakeServer; readonly seller: Seller },
  { pages }: { readonly pages: ReadonlySet<string> },
) {
  const { books } = fake
  const isNow = (end: number): boolean => end * 1000 > fake.now().getTime()
  const checkouts = books
    .list('checkout')
    .filter(({ id, subscription }) => pages.has(id) || (subscription !== null && pages.has(subscription)))
  const customers = new Set(checkouts.map(({ customer }) => customer).filter((id) => id !== null))
  const isTheirs = (customer: string | null): boolean => customer !== null && customers.has(customer)
  // No page knows of those that a site begins itself.
  const subscriptions = books
    .list('subscription')
    .filter(
      ({ id, customer }) => isTheirs(customer) || checkouts.some((checkout) => checkout.subscription === id),
    )
  const paidBy = (payment: string | null): Charge[] =>
    books.list('charge').filter((charge) => charge.payment === payment && payment !== null)
  const bills = books
    .list('invoice')
    .filter((bill) => subscriptions.some(({ id }) => id === bill.subscription))
  const once = checkouts.filter(({ mode, subtotal }) => mode === 'payment' && subtotal === costs.book)
  // Pays for the first period of what the site begins then.
  const firsts = checkouts.filter(({ mode, subtotal }) => mode === 'payment' && subtotal !== costs.book)
  const charges = [...checkouts, ...bills].flatMap(({ payment }) => paidBy(payment))
  const isDisputed = ({ id }: Charge): boolean =>
    seller.hidesDisputes !== true &&
    books.list('dispute').some(({ charge, status }) => charge === id && status !== 'won')
  const isKept = (charge: Charge): boolean =>
    charge.status === 'paid' && charge.refunded < charge.amount && !isDisputed(charge)
  const isKeptOf = ({ payment }: { payment: string | null }): boolean => paidBy(payment).some(isKept)
  const isTakenBack =
    seller.owesWhatIsTakenBack === true &&
    [...firsts, ...bills].some(({ payment }) => paidBy(payment).some(isDisputed))
  const ofSubscription = (subscription: Subscription): Held => {
    if (isLiving(subscription)) return isTakenBack ? 'either' : 'open'
    // A failed renewal has days of grace, and those of a provider that tells no failure have none to count from.
    if (subscription.status === 'past_due') return 'either'
    const isPaid = subscription.items.some(({ end }) => isNow(end))
    return subscription.status === 'canceled' && seller.endsAtOnce && isPaid ? 'either' : 'closed'
  }
  // What a site charges for a change, beside any bill.
  const isChangePaid = books
    .list('payment')
    .some(
      ({ id, status, customer, invoice, created }) =>
        status === 'paid' &&
        invoice === null &&
        isTheirs(customer) &&
        isNow(created + 31 * 86_400) &&
        checkouts.every(({ payment }) => payment !== id),
    )
  // Paid before a cheaper price took its place: some let it stay to its end, others give the rest back at once.
  const isPaidFor = (cost: number): boolean =>
    (cost === costs.team && isChangePaid) ||
    bills.some(
      ({ status, subscription, lines }) =>
        status === 'paid' &&
        subscriptions.some((item) => item.id === subscription && (isLiving(item) || seller.endsAtOnce)) &&
        lines.some((line) => line.price.amount === cost && isNow(line.period.end)),
    )
  // Where an approved change waits for its payment, the days of grace are of the plan that was paid last.
  const isInGrace = (cost: number): boolean =>
    seller.changesWhenPaid === true &&
    subscriptions.some(({ id, status }) => {
      const last = bills.findLast((bill) => bill.subscription === id && bill.status === 'paid')
      return status === 'past_due' && last?.lines.some(({ price }) => price.amount === cost)
    })
  const opens = (what: keyof typeof costs): Held => {
    const cost = costs[what]
    const all: Held[] = [
      ...subscriptions
        .filter((subscription) => subscription.items.some((item) => item.price.amount === cost))
        .map((subscription) =>
          seller.changesWhenPaid && !isPaidFor(cost) ? 'either' : ofSubscription(subscription),
        ),
      // The only thing that is sold once.
      ...(what === 'book' ? once : []).map((checkout) =>
        isKeptOf(checkout) ? ('open' as const) : ('closed' as const),
      ),
    ]
    return all.includes('open')
      ? 'open'
      : all.includes('either') || isPaidFor(cost) || isInGrace(cost)
        ? 'either'
        : 'closed'
  }
  return {
    living: subscriptions.filter(isLiving),
    subscriptions,
    charges,
    opens,
    /** Memberships whose first period was paid, and that nobody began. */
    unbegun: Math.max(0, firsts.filter(isKeptOf).length - subscriptions.length),
  }
}

function isLiving({ status }: Subscription): boolean {
  return status === 'active' || status === 'trialing'
}
