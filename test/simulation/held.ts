import type { Charge, Merchant, Subscription } from '../../src/merchant/index.ts'
import type { Seller } from './sellers.ts'

/** What a gate must be; `either` where the provider's books alone do not say it. */
export type Held = 'open' | 'closed' | 'either'

/** What somebody has at a merchant, through the payment pages that they were given: by its books, and by the rules of the
 *  documentation. */
export const heldBy = (
  { merchant, seller }: { readonly merchant: Merchant; readonly seller: Seller },
  { pages }: { readonly pages: ReadonlySet<string> },
) => {
  const { books } = merchant
  const checkouts = books
    .list('checkout')
    .filter(({ id, subscription }) => pages.has(id) || (subscription !== null && pages.has(subscription)))
  const subscriptions = checkouts.flatMap(
    ({ subscription }) => books.find('subscription', subscription) ?? [],
  )
  const paidBy = (payment: string | null): Charge[] =>
    books.list('charge').filter((charge) => charge.payment === payment && payment !== null)
  const bills = books
    .list('invoice')
    .filter((bill) => subscriptions.some(({ id }) => id === bill.subscription))
  const once = checkouts.filter(({ mode }) => mode === 'payment')
  const charges = [...once, ...bills].flatMap(({ payment }) => paidBy(payment))
  const isKept = (charge: Charge): boolean =>
    charge.status === 'paid' &&
    charge.refunded < charge.amount &&
    books.list('dispute').every((one) => one.charge !== charge.id || one.status === 'won')
  const ofSubscription = (one: Subscription): Held => {
    if (one.status === 'active' || one.status === 'trialing') return 'open'
    // A failed renewal has days of grace, and those of a provider that tells no failure have none to count from.
    if (one.status === 'past_due') return 'either'
    const isPaid = one.items.some(({ end }) => end * 1000 > merchant.now().getTime())
    return one.status === 'canceled' && seller.endsAtOnce && isPaid ? 'either' : 'closed'
  }
  // Paid before a cheaper price took its place: some let it stay to its end, others give the rest back at once.
  const isPaidFor = (price: string): boolean =>
    bills.some(
      ({ status, subscription, lines }) =>
        status === 'paid' &&
        subscriptions.some((one) => one.id === subscription && one.status === 'active') &&
        lines.some((line) => line.price.id === price && line.period.end * 1000 > merchant.now().getTime()),
    )
  const opens = (price: string): Held => {
    const all: Held[] = [
      ...subscriptions
        .filter((one) => one.items.some((item) => item.price.id === price))
        .map((one) => (seller.changesWhenPaid && !isPaidFor(price) ? 'either' : ofSubscription(one))),
      // The only thing that is sold once: not every provider knows a price of it.
      ...(price === seller.prices.book ? once : []).map(({ payment }) =>
        paidBy(payment).some(isKept) ? ('open' as const) : ('closed' as const),
      ),
    ]
    return all.includes('open') ? 'open' : all.includes('either') || isPaidFor(price) ? 'either' : 'closed'
  }
  return { subscriptions, charges, opens }
}
