import type { FakeServer, Subscription } from '../../src/fakes/engine/index.ts'

/** What the books of some merchants say of money and memberships, by their own objects and nothing of ours: months and
 *  currencies as `2026-03 EUR`. */
export const booksOf = (merchants: readonly FakeServer[]) => {
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
    merchants
      .map((one) => one.now().toISOString().slice(0, 7))
      .sort()
      .at(-1) ?? ''
  for (const { books } of merchants) {
    for (const { status, amount, currency, created } of books.list('charge'))
      if (status === 'paid') add(all.received, `${monthOf(created)} ${currency.toUpperCase()}`, amount)
    for (const { amount, currency, created } of books.list('refund'))
      add(all.refunded, `${monthOf(created)} ${currency.toUpperCase()}`, amount)
    for (const { status, first_failure, paid_at, paid, currency } of books.list('invoice'))
      if (status === 'paid' && first_failure !== null && paid_at !== null)
        add(all.recovered, `${monthOf(paid_at)} ${currency.toUpperCase()}`, paid)
    for (const one of books.list('subscription')) {
      const begins = one.trial_end ?? one.created
      const wasPaid = one.ended_at === null || one.ended_at > begins
      if (one.status === 'incomplete' || one.status === 'trialing' || !wasPaid) continue
      add(all.begun, monthOf(begins), 1)
      if (one.ended_at !== null) add(all.lost, monthOf(one.ended_at), 1)
      for (let month = after(monthOf(begins)); month <= newest; month = after(month))
        if (one.ended_at === null || monthOf(one.ended_at) >= month) add(all.paying, month, 1)
      if (isPaying(one)) add(all.recurring, one.currency.toUpperCase(), monthlyOf(one))
    }
  }
  return all
}

const monthOf = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 7)

const after = (month: string): string => {
  const next = new Date(`${month}-01T00:00:00.000Z`)
  next.setUTCMonth(next.getUTCMonth() + 1)
  return next.toISOString().slice(0, 7)
}

const isPaying = ({ status, paused_at, collection }: Subscription): boolean =>
  (status === 'active' || status === 'past_due') && paused_at === null && collection === null

const months = { day: 12 / 365, week: 84 / 365, month: 1, year: 12 }

const monthlyOf = ({ items }: Subscription): number =>
  items.reduce((sum, { price: { amount, rhythm }, quantity }) => {
    if (rhythm === null) return sum
    return sum + (amount * quantity) / (months[rhythm.interval] * rhythm.interval_count)
  }, 0)
