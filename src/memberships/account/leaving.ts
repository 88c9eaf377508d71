import { isPaid, type ManagedIn, type Payment, paidUntil } from '../../core/dto/index.ts'
import { titleIn, type Voice } from '../../core/words/index.ts'
import type { View } from '../members/index.ts'

/** A membership or purchase that a member loses with the account. */
export interface Leaving {
  readonly title: string
  /** The end of the paid period, whose remaining days are not refunded. Null for a permanent purchase. */
  readonly paid_until: string | null
  /** The app store that goes on charging, because only the buyer can cancel there. */
  readonly managed_in: ManagedIn | null
}

/** Lists what a member loses by deleting the account: current memberships, one-time purchases and gifts. */
export function leavingOf(view: View, { voice, now }: { voice: Voice; now: Date }) {
  const user = view.user()
  const title = (price: string | null, at: string, quantity: number | null) =>
    titleIn(voice, price, view.boughtAs(price, at), quantity ?? 1)
  const moment = now.toISOString()
  const day = (until: string | null) => (until !== null && until > moment ? voice.day(until, now) : null)
  const memberships: Leaving[] = (user?.subscriptions() ?? [])
    .filter((s) => !s.ended)
    .map((s) => ({
      title: title(s.price_id, moment, s.quantity),
      paid_until: s.status === 'active' ? day(paidUntil(s)) : null,
      managed_in: view.managedIn(s),
    }))
  // A gift opens its plan for whoever redeems it, and a top-up opens nothing.
  const isForGood = ({ price_id, paid_at, updated_at }: Payment): boolean => {
    const prices = view.boughtAs(price_id, paid_at ?? updated_at).flatMap(({ prices }) => prices)
    return !prices.some(
      ({ id, gives, adds }) => id === price_id && (gives !== undefined || adds !== undefined),
    )
  }
  const nameOf = (gate: string) => view.plans().find(({ id }) => id === gate)?.name ?? voice.feature(gate)
  const gifts = (user?.grants() ?? [])
    .filter(({ source, expires_at }) => source === 'gift' && (expires_at === null || expires_at > moment))
    .map(({ gate, expires_at }) => ({ title: nameOf(gate), until: day(expires_at) }))
  const purchases: Leaving[] = (user?.payments() ?? [])
    .filter((p) => isPaid(p) && p.purpose === 'one_time' && p.subscription_id === null && isForGood(p))
    .map((p) => ({
      title: title(p.price_id, p.paid_at ?? p.updated_at, p.quantity),
      paid_until: null,
      managed_in: null,
    }))
  return { email: user?.email ?? null, memberships, purchases, gifts }
}
