import type { FakeServer, Subscription } from '../../src/fakes/engine/index.ts'

/**
 * What the books of some fakes say of money and memberships, by their own objects and nothing of ours: months
 * and currencies as `2026-03 EUR`.
 */
export function booksOf(fakes: readonly FakeServer[]) {
  const all = {
    received: new Map<string, number>(),
    refunded: new Map<string, number>(),
    begun: new Map<string, number>(),
    lost: new Map<string, number>(),
    /** Paid when the month began, for each month until the newest of the books. */
    paying: new Map<string, number>(),
    recurring: new Map<string, number>(),
    /** What an invoice asked for in vain first. */
    recovered: new Map<string, number>(),
  }
  const add = (map: Map<string, number>, key: string, amount: number) =>
    map.set(key, (map.get(key) ?? 0) + amount)
  const newest =
    fakes
      .map((fake) => fake.now().toISOString().slice(0, 7))
      .sort()
      .at(-1) ?? ''
  for (const fake of fakes) {
    const { books } = fake
    for (const { status, amount, currency, created } of books.list('charge'))
      if (status === 'paid') add(all.received, `${monthOf(created)} ${currency.toUpperCase()}`, amount)
    for (const { amount, currency, created } of books.list('refund'))
      add(all.refunded, `${monthOf(created)} ${currency.toUpperCase()}`, amount)
    for (const { status, first_failure, paid_at, paid, currency } of books.list('invoice'))
      if (status === 'paid' && first_failure !== null && paid_at !== null)
        add(all.recovered, `${monthOf(paid_at)} ${currency.toUpperCase()}`, paid)
    for (const subscription of books.list('subscription')) {
      const begins = beginsWithTrial(fake, subscription)
        ? (subscription.trial_end ?? subscription.created)
        : subscription.created
      const wasPaid = subscription.ended_at === null || subscription.ended_at > begins
      if (subscription.status === 'incomplete' || isFree(fake, subscription) || !wasPaid) continue
      add(all.begun, monthOf(begins), 1)
      if (subscription.ended_at !== null) add(all.lost, monthOf(subscription.ended_at), 1)
      for (let month = after(monthOf(begins)); month <= newest; month = after(month))
        if (subscription.ended_at === null || monthOf(subscription.ended_at) >= month)
          add(all.paying, month, 1)
      if (isPaying(fake, subscription))
        add(all.recurring, subscription.currency.toUpperCase(), monthlyOf(subscription))
    }
  }
  return all
}

function monthOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 7)
}

function after(month: string): string {
  const next = new Date(`${month}-01T00:00:00.000Z`)
  next.setUTCMonth(next.getUTCMonth() + 1)
  return next.toISOString().slice(0, 7)
}

function isPaying(fake: FakeServer, subscription: Subscription): boolean {
  return subscription.status === 'trialing'
    ? !isFree(fake, subscription) && isInPaidPeriod(fake, subscription)
    : (subscription.status === 'active' || subscription.status === 'past_due') &&
        subscription.paused_at === null &&
        subscription.collection === null
}

/** A trial of somebody who never paid. Stripe's pause is a trial, too, which begins in time that was paid. */
function isFree(fake: FakeServer, { id, status }: Subscription): boolean {
  return status === 'trialing' && paidInvoices(fake, id).length === 0
}

/** A later trial is a pause, and so is one of the first second if that was paid. */
function beginsWithTrial(fake: FakeServer, { id, created, trial_start }: Subscription): boolean {
  return (
    trial_start === created &&
    !paidInvoices(fake, id).some(({ reason, paid_at }) => reason === 'start' && paid_at === created)
  )
}

function isInPaidPeriod(fake: FakeServer, { id }: Subscription): boolean {
  return paidInvoices(fake, id).some(({ lines }) =>
    lines.some(({ amount, period }) => amount > 0 && period.end * 1000 > fake.now().getTime()),
  )
}

function paidInvoices({ books }: FakeServer, subscription: string) {
  return books
    .list('invoice')
    .filter(
      (invoice) => invoice.subscription === subscription && invoice.status === 'paid' && invoice.total > 0,
    )
}

const months = { day: 12 / 365, week: 84 / 365, month: 1, year: 12 }

function monthlyOf({ items }: Subscription): number {
  return items.reduce((sum, { price: { amount, rhythm }, quantity }) => {
    if (rhythm === null) return sum
    return sum + (amount * quantity) / (months[rhythm.interval] * rhythm.interval_count)
  }, 0)
}

/** Who paid what per month at one moment: by address, then by currency. */
type Paying = ReadonlyMap<string, ReadonlyMap<string, number>>

/** The movements of MRR by month and currency, as `2026-03 EUR churn`. */
export type MonthlyBooks = ReadonlyMap<string, number>

/**
 * Looks into the fakes' books at the end of each month. What moved between two of them is worked out from
 * nothing but who pays what then.
 */
export function watchMonths(fakes: readonly FakeServer[]) {
  const ends: { readonly month: string; readonly paying: Paying }[] = []

  /** Notes who pays what at the end of this month. */
  const look = (month: string): void => {
    const paying = new Map<string, Map<string, number>>()
    for (const fake of fakes)
      for (const subscription of fake.books.list('subscription')) {
        const person = fake.books.find('customer', subscription.customer)?.email
        if (!isPaying(fake, subscription) || person == null) continue
        const own = paying.get(person) ?? new Map<string, number>()
        paying.set(person, own)
        const currency = subscription.currency.toUpperCase()
        own.set(currency, (own.get(currency) ?? 0) + monthlyOf(subscription))
      }
    ends.push({ month, paying })
  }

  /** `samePerson` gives the address that a merged one belongs to. */
  const movements = (samePerson: (email: string) => string): MonthlyBooks => {
    const all = new Map<string, number>()
    const people = [...new Set(ends.flatMap(({ paying }) => [...paying.keys()].map(samePerson)))]
    for (const person of people) {
      const course = ends.map(({ month, paying }) => ({ month, pays: sumOf(paying, person, samePerson) }))
      let was: ReadonlyMap<string, number> = new Map()
      let everPaid = false
      for (const { month, pays } of course) {
        for (const currency of new Set([...was.keys(), ...pays.keys()])) {
          const [from, to] = [was.get(currency) ?? 0, pays.get(currency) ?? 0]
          const note = (what: string, amount: number) => {
            const key = `${month} ${currency} ${what}`
            all.set(key, (all.get(key) ?? 0) + amount)
          }
          note('start', from)
          note('end', to)
          if (Math.abs(to - from) < 1e-9) continue
          if (was.size === 0) note(everPaid ? 'reactivation' : 'new', to - from)
          else if (pays.size === 0) note('churn', to - from)
          else note(to > from ? 'expansion' : 'contraction', to - from)
        }
        was = pays
        everPaid ||= pays.size > 0
      }
    }
    return all
  }
  return { look, movements }
}

function sumOf(
  paying: Paying,
  person: string,
  samePerson: (email: string) => string,
): ReadonlyMap<string, number> {
  const sum = new Map<string, number>()
  for (const [email, own] of paying)
    if (samePerson(email) === person)
      for (const [currency, amount] of own) sum.set(currency, (sum.get(currency) ?? 0) + amount)
  return sum
}
