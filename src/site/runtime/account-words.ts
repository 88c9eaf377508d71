import {
  boughtTwice,
  changeWords,
  formatDay,
  isBeingAssigned,
  type Payment,
  type Plan,
  paymentWords,
  priceWords,
  type Subscription,
  standingOf,
  titleOf,
} from '../../core/dto/index.ts'
import type { View } from '../../memberships/members/index.ts'
import { formsFor, portalProvider } from './page-forms.ts'

/** Everything that the account page says about a member. */
export const accountForPage = (view: View, now: Date) => {
  const user = view.user()
  if (user === null) return { user: null, login: { url: '/membership/login' } }
  const plans = view.plans()
  const [twice] = boughtTwice(user.subscriptions(), plans)
  return {
    user,
    /** A purchase opened the session: the rest of the account waits for a login by a link. */
    unverified: view.standing() === 'unverified',
    standing: standing(user.subscriptions(), user.payments(), plans, now),
    twice: twice === undefined ? null : titleOf(twice.price_id, plans),
    subscriptions: user.subscriptions().map((s) => ({
      title: titleOf(s.price_id, plans),
      sentence: sentence([standingOf(s, now), changeWords(s, plans, now)].filter(Boolean).join(', ')),
      status_label: statusLabels[s.status],
      actions: formsFor(s, view),
    })),
    payments: user.payments().map((p) => ({
      date: p.paid_at ?? p.updated_at,
      text: titleOf(p.price_id, plans),
      amount: priceWords(p, view.money),
      status_label: isBeingAssigned(p, now) ? 'paid, being assigned' : p.status.replace('_', ' '),
      invoice_url: p.invoice_url,
    })),
    portal: portalProvider(view) === null ? null : { url: '/membership/portal', label: 'Card and invoices' },
    logout: { url: '/membership/logout' },
    timeline: timeline(view, plans, now),
  }
}

const statusLabels: Record<Subscription['status'], string> = {
  incomplete: 'waiting',
  trialing: 'free trial',
  active: 'active',
  past_due: 'payment failed',
  unpaid: 'unpaid',
  paused: 'paused',
  canceled: 'ended',
  expired: 'ended',
}

/** One sentence about where a member stands: "Pro, yearly, renews on 20 December". */
const standing = (
  subscriptions: readonly Subscription[],
  payments: readonly Payment[],
  plans: readonly Plan[],
  now: Date,
): string => {
  const best = subscriptions[0]
  if (best) return `${titleOf(best.price_id, plans)}, ${standingOf(best, now)}`
  const bought = payments.find((p) => p.status === 'paid' || p.status === 'partially_refunded')
  if (bought)
    return `${titleOf(bought.price_id, plans)}, bought on ${formatDay(bought.paid_at ?? bought.updated_at, now)}`
  return 'You have no membership yet'
}

interface Moment {
  at: string
  date: string
  text: string
  kind: string
}

const timeline = (view: View, plans: readonly Plan[], now: Date): Moment[] => {
  const moments: Omit<Moment, 'date'>[] = []
  const add = (at: string | null, text: string, kind: string) => {
    if (at !== null) moments.push({ at, text, kind })
  }
  for (const s of view.user()?.subscriptions() ?? []) {
    const title = titleOf(s.price_id, plans)
    add(s.started_at, s.trial_ends_at === null ? `${title} began` : `${title}: free trial began`, 'started')
    if (s.canceled_at !== s.ended_at) add(s.canceled_at, `${title}: cancelled`, 'canceled')
    add(s.ended_at, `${title} ended`, 'ended')
  }
  for (const p of view.user()?.payments() ?? [])
    add(
      p.paid_at ?? p.updated_at,
      `${paymentWords(p, view.money)} for ${titleOf(p.price_id, plans)}`,
      'payment',
    )
  return moments
    .sort((a, b) => (a.at < b.at ? 1 : -1))
    .map((moment) => ({ ...moment, date: formatDay(moment.at, now) }))
}

const sentence = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1)
