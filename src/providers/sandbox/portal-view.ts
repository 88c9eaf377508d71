import { formatMoney } from '../../core/dto/index.ts'
import type { Book } from './book.ts'
import { filedCardIn, openInvoices, paymentsIn, subscriptionsIn } from './customers.ts'
import type { SandboxSubscription } from './objects.ts'
import type { Prices } from './prices.ts'
import { changeFor, previewOf } from './swaps.ts'
import { paymentWords, pricePageWords, standingWords } from './words.ts'

/** What customers see of their book: their subscriptions with what can be done, the card on file, their payments. */
export const portalOf = (book: Book, customer: string, { prices, now }: { prices: Prices; now: Date }) => ({
  customer: { email: book.world.store.get('customer', customer).email, card: filedCardIn(book, customer) },
  subscriptions: subscriptionsIn(book)
    .sort(livingFirst)
    .map((one) => toRow(book, one, { prices, now })),
  payments: paymentsIn(book).map((payment) => paymentWords(payment, now)),
})

const livingFirst = (a: SandboxSubscription, b: SandboxSubscription): number =>
  Number(a.status === 'canceled') - Number(b.status === 'canceled') || (a.started < b.started ? 1 : -1)

const toRow = (book: Book, s: SandboxSubscription, { prices, now }: { prices: Prices; now: Date }) => {
  const isRunning = (s.status === 'active' || s.status === 'trialing') && s.paused === null
  return {
    id: s.id,
    title: s.price.label,
    price: pricePageWords(s.price),
    sentence: standingWords(s, now),
    cancel: s.status !== 'canceled' && !s.cancel_at_period_end,
    keep: s.status !== 'canceled' && s.paused === null && s.cancel_at_period_end,
    pause: isRunning && !s.cancel_at_period_end,
    resume: s.paused !== null,
    pay: openInvoices(book, s.id).length > 0,
    choices: isRunning ? prices.choicesFor(s.price).map((id) => toChoice(book, s, prices.priceOf(id))) : [],
  }
}

const toChoice = (
  { world }: Book,
  { id, quantity }: SandboxSubscription,
  price: ReturnType<Prices['priceOf']>,
) => {
  const current = world.store.get('subscription', id)
  const terms = { quantity, proration: 'now' as const, prorationAt: null }
  const { amount_due, currency } = previewOf(world, current, changeFor(world, current, terms, price))
  const { label, formatted, per } = pricePageWords(price)
  const due = amount_due === 0 ? 'nothing today' : `${formatMoney({ amount: amount_due, currency })} today`
  return { id: price.id, words: `${label}: ${formatted} ${per}, ${due}` }
}
