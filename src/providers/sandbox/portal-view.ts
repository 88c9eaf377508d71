import type { Voice } from '../../core/words/index.ts'
import type { Book } from './book.ts'
import { filedCardIn, openInvoices, paymentsIn, subscriptionsIn } from './customers.ts'
import type { SandboxSubscription } from './objects.ts'
import { paymentWords, pricePageWords, statusWords } from './page-words.ts'
import type { Prices } from './prices.ts'
import { changeFor, previewOf } from './swaps.ts'

/**
 * Builds the portal page of a book: the customer's subscriptions with their actions, the stored card, and the
 * payments.
 */
export function portalOf(book: Book, customer: string, seen: Seen) {
  return {
    customer: { email: book.world.store.get('customer', customer).email, card: filedCardIn(book, customer) },
    subscriptions: subscriptionsIn(book)
      .sort(livingFirst)
      .map((item) => toRow(book, item, seen)),
    payments: paymentsIn(book).map((payment) => ({
      ...paymentWords(payment, seen.now, seen.voice),
      text: seen.prices.titleFor(payment.price, seen.voice),
    })),
  }
}

/** Prices to choose from, the moment, and the language. */
export interface Seen {
  readonly prices: Prices
  readonly now: Date
  readonly voice: Voice
}

function livingFirst(a: SandboxSubscription, b: SandboxSubscription): number {
  return Number(a.status === 'canceled') - Number(b.status === 'canceled') || (a.started < b.started ? 1 : -1)
}

function toRow(book: Book, s: SandboxSubscription, { prices, now, voice }: Seen) {
  const isRunning = (s.status === 'active' || s.status === 'trialing') && s.paused === null
  return {
    id: s.id,
    title: prices.titleFor(s.price, voice),
    price: pricePageWords(s.price, voice),
    sentence: statusWords(s, now, voice),
    cancel: s.status !== 'canceled' && !s.cancel_at_period_end,
    keep: s.status !== 'canceled' && s.paused === null && s.cancel_at_period_end,
    pause: isRunning && !s.cancel_at_period_end,
    resume: s.paused !== null,
    /** The open plans in words; null where none is. */
    due: dueOf(book, s, voice),
    choices: isRunning
      ? prices.choicesFor(s.price).map((id) => toChoice(book, s, prices.priceOf(id), { prices, now, voice }))
      : [],
  }
}

function dueOf(book: Book, { id }: SandboxSubscription, voice: Voice): string | null {
  const [first, ...more] = openInvoices(book, id)
  if (first === undefined) return null
  const amount = more.reduce((sum, { remaining }) => sum + remaining, first.remaining)
  return voice.amount({ amount, currency: first.currency.toUpperCase() })
}

function toChoice(
  { world }: Book,
  { id, quantity }: SandboxSubscription,
  price: ReturnType<Prices['priceOf']>,
  { prices, voice }: Seen,
) {
  const current = world.store.get('subscription', id)
  const terms = { quantity, proration: 'now' as const, prorationAt: null }
  const { amount_due, currency } = previewOf(world, current, changeFor(world, current, terms, price))
  const { cost } = pricePageWords(price, voice)
  const title = prices.titleFor(price, voice)
  const amount = voice.amount({ amount: amount_due, currency })
  const words =
    amount_due === 0
      ? voice.say('portal.choice_free', { title, cost })
      : voice.say('portal.choice', { title, cost, amount })
  return { id: price.id, words }
}
