import type { Books, Desk } from './books.ts'
import { charge } from './charges.ts'
import type { SandboxCheckout, SandboxSubscription } from './objects.ts'
import { addDays, isSameRhythm, nextEnd } from './periods.ts'
import { totalOf } from './proration.ts'

/** Days from one failed try to the next; after the last the subscription ends. */
const retryDays = [3, 5, 7]

const checkoutDays = 1

/** The moment until which a checkout can be paid. */
export const expiryOf = (checkout: Pick<SandboxCheckout, 'created' | 'updated'>): string =>
  addDays(checkout.created ?? checkout.updated, checkoutDays)

/** When something happens to a subscription by itself, or null. */
export const dueOf = (s: SandboxSubscription): string | null => {
  if (s.status === 'canceled') return null
  if (s.status === 'paused') return s.resumes
  const next = (s.status === 'past_due' ? s.retry_at : null) ?? s.period_end
  const due = s.cancel_at_period_end && s.period_end < next ? s.period_end : next
  // A period that ended while its predecessor was unpaid goes on when that is paid.
  return due > s.updated ? due : s.updated
}

/** When something happens to a checkout by itself, or null. */
export const checkoutDueOf = (c: SandboxCheckout): string | null =>
  c.status === 'open' ? expiryOf(c) : c.status === 'complete' && !c.paid ? c.pays_at : null

export interface RenewalDeps {
  readonly books: Books
  readonly now: () => Date
  /** Ends a checkout whose moment has come: paid, or expired. */
  readonly closeCheckout: (desk: Desk, checkout: SandboxCheckout, at: string) => Promise<void>
}

interface Due {
  readonly kind: 'subscription' | 'checkout'
  readonly id: string
  readonly owners: readonly string[]
  readonly at: string
}

/** Does what is due by the clock, in the order of its moments and one step at a time, however far the clock went. */
export const createRenewals = ({ books, now, closeCheckout }: RenewalDeps) => {
  const runDue = async (): Promise<void> => {
    const waiting = new Map<string, Due>()
    const plan = (due: Due | null) => {
      if (due !== null && due.at <= now().toISOString()) waiting.set(due.id, due)
    }
    for (const checkout of await books.all('checkout')) plan(ofCheckout(checkout))
    for (const subscription of await books.all('subscription')) plan(ofSubscription(subscription))
    for (let next = earliest(waiting); next !== null; next = earliest(waiting)) {
      waiting.delete(next.id)
      for (const due of await step(next)) plan(due)
    }
  }

  /** One step, and what is due after it. */
  const step = ({ kind, id, owners, at }: Due): Promise<(Due | null)[]> =>
    books.change(owners, async (desk) => {
      if (kind === 'subscription') {
        const current = await desk.get('subscription', id)
        // Somebody may have changed it since it was looked at.
        if (dueOf(current) !== at) return [ofSubscription(current)]
        return [ofSubscription(await advance(desk, current, at))]
      }
      const checkout = await desk.get('checkout', id)
      if (checkoutDueOf(checkout) !== at) return [ofCheckout(checkout)]
      await closeCheckout(desk, checkout, at)
      const { subscription } = await desk.get('checkout', id)
      return [subscription === null ? null : ofSubscription(await desk.get('subscription', subscription))]
    })

  return { runDue }
}

const ofCheckout = (checkout: SandboxCheckout): Due | null => {
  const at = checkoutDueOf(checkout)
  const owners = [checkout.id, ...(checkout.customer === null ? [] : [checkout.customer])]
  return at === null ? null : { kind: 'checkout', id: checkout.id, owners, at }
}

const ofSubscription = (subscription: SandboxSubscription): Due | null => {
  const at = dueOf(subscription)
  const { id, customer } = subscription
  return at === null ? null : { kind: 'subscription', id, owners: [customer], at }
}

const earliest = (waiting: ReadonlyMap<string, Due>): Due | null => {
  let first: Due | null = null
  for (const due of waiting.values())
    if (first === null || due.at < first.at || (due.at === first.at && due.id < first.id)) first = due
  return first
}

const advance = async (desk: Desk, s: SandboxSubscription, at: string): Promise<SandboxSubscription> => {
  if (s.status === 'paused') return goOn(desk, s, at)
  if (s.cancel_at_period_end && at >= s.period_end) return endNow(desk, s, at)
  if (s.status === 'past_due') return retry(desk, s, at)
  if (s.paused !== null)
    return desk.write('subscription', { ...s, status: 'paused' }, { type: 'subscription.updated', at })
  return renew(desk, s, at)
}

/** The end of a pause that has begun: a new period begins, and is paid. */
export const goOn = async (desk: Desk, s: SandboxSubscription, at: string): Promise<SandboxSubscription> => {
  // As pauses once were: what was left of the paid time is there still.
  if (s.paused !== null && s.paused < s.period_end)
    return desk.write('subscription', unpause(s, at), { type: 'subscription.updated', at })
  return renew(desk, { ...s, period_end: at, anchor: at, paused: null, resumes: null }, at)
}

const renew = async (desk: Desk, before: SandboxSubscription, at: string): Promise<SandboxSubscription> => {
  const { card } = await desk.get('customer', before.customer)
  const s = withScheduled(before)
  const period = {
    ...s,
    period_start: s.period_end,
    period_end: nextEnd(s.anchor ?? s.period_end, s.price, s.period_end),
    anchor: s.anchor ?? s.period_end,
    pending: [],
    fail_next: false,
  }
  const payment = await charge(desk, {
    subscription: period,
    about: `period ${period.period_start}`,
    amount: s.price.amount * s.quantity + totalOf(s.pending),
    at,
    fails: card === 'fails' || s.fail_next,
  })
  const renewed: SandboxSubscription =
    payment?.status === 'failed'
      ? {
          ...period,
          status: 'past_due',
          open_payment: payment.id,
          attempts: 1,
          retry_at: addDays(at, retryDays[0]!),
        }
      : { ...period, status: 'active' }
  return desk.write('subscription', renewed, { type: 'subscription.updated', at })
}

/** With the price that was agreed on for the next period; another rhythm is counted from its beginning. */
const withScheduled = (s: SandboxSubscription): SandboxSubscription => {
  if (s.scheduled === null) return s
  const { price, quantity } = s.scheduled
  const anchor = isSameRhythm(s.price, price) ? s.anchor : s.period_end
  return { ...s, price, quantity, anchor, scheduled: null }
}

const retry = async (desk: Desk, s: SandboxSubscription, at: string): Promise<SandboxSubscription> => {
  const { card } = await desk.get('customer', s.customer)
  if (card !== 'fails') return payOpen(desk, s, at)
  if (s.open_payment !== null)
    desk.write('payment', await desk.get('payment', s.open_payment), { type: 'payment.failed', at })
  const days = retryDays[s.attempts]
  if (days === undefined) return endNow(desk, s, at)
  const waiting = { ...s, attempts: s.attempts + 1, retry_at: addDays(at, days) }
  desk.keep('subscription', waiting)
  return waiting
}

/** Pays what is open with the card on file, which works. */
export const payOpen = async (
  desk: Desk,
  s: SandboxSubscription,
  at: string,
): Promise<SandboxSubscription> => {
  if (s.open_payment !== null) {
    const payment = await desk.get('payment', s.open_payment)
    desk.write('payment', { ...payment, status: 'paid', paid: at }, { type: 'payment.updated', at })
  }
  const paid = { ...s, status: 'active' as const, open_payment: null, attempts: 0, retry_at: null }
  return desk.write('subscription', paid, { type: 'subscription.updated', at })
}

/** Ends a subscription at once. What was paid stays paid. */
export const endNow = async (
  desk: Desk,
  s: SandboxSubscription,
  at: string,
): Promise<SandboxSubscription> => {
  const ended = {
    ...s,
    status: 'canceled' as const,
    canceled: s.canceled ?? at,
    ended: at,
    retry_at: null,
    scheduled: null,
    paused: null,
    resumes: null,
  }
  return desk.write('subscription', ended, { type: 'subscription.deleted', at })
}

/** The end of a pause within a period: the time that was paid for, or left of the trial, is still there. */
export const unpause = (s: SandboxSubscription, at: string): SandboxSubscription => {
  const pausedMs = Date.parse(at) - Date.parse(s.paused ?? at)
  const later = (moment: string) => new Date(Date.parse(moment) + pausedMs).toISOString()
  const trialEnds =
    s.trial_ends !== null && s.trial_ends > (s.paused ?? at) ? later(s.trial_ends) : s.trial_ends
  return {
    ...s,
    status: trialEnds !== null && trialEnds > at ? 'trialing' : 'active',
    trial_ends: trialEnds,
    period_start: later(s.period_start),
    period_end: later(s.period_end),
    anchor: later(s.period_end),
    paused: null,
    resumes: null,
  }
}
