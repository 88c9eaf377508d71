import type { ManagedIn, Plan, Subscription, WriteMoney } from '../../core/dto/index.ts'
import { plainVoice, titleIn, type Voice } from '../../core/words/index.ts'
import type { User } from './user.ts'

/** A membership with a failed payment, in the words that every page shows its member. */
export interface Arrears {
  readonly subscription_id: string
  readonly title: string
  /** "The payment of €9 for Pro, monthly failed on 15 January 2026. You keep access until 5 February 2026." */
  readonly sentence: string
  /** "€9"; null where the sum is not known. */
  readonly amount: string | null
  readonly failed_at: string | null
  /** When access ends if nothing is paid; null once it is closed. */
  readonly access_until: string | null
  /** The gates that paying would open: the price, its plans, and their features. */
  readonly gates: readonly string[]
  /** The form that leads to the payment posts to this address. */
  readonly url: string
  /** The app store in which it is paid; null where the form leads to the payment. */
  readonly managed_in: ManagedIn | null
}

/** Lists a member's failed payments, best membership first. Texts are English unless `voice` says otherwise. */
export function arrearsOf(
  user: User | null,
  {
    plans,
    money,
    isShown,
    managedIn = () => null,
    addressOf = (path) => path,
  }: {
    readonly plans: readonly Plan[]
    readonly money: WriteMoney
    readonly isShown: (s: Subscription) => boolean
    readonly managedIn?: ((s: Subscription) => ManagedIn | null) | undefined
    readonly addressOf?: ((path: string) => string) | undefined
  },
  voice: Voice = plainVoice(),
): readonly Arrears[] {
  return (user?.subscriptions() ?? [])
    .filter((s) => (s.past_due || s.status === 'unpaid') && isShown(s))
    .map((s) => {
      const title = titleIn(voice, s.price_id, plans)
      const access_until = accessUntil(user, s)
      const amount = amountOf(s, { voice, money })
      return {
        subscription_id: s.id,
        title,
        sentence: `${failedWords(s, { title, amount }, voice)} ${accessWords(access_until, voice)}`,
        amount,
        failed_at: s.past_due_since,
        access_until,
        gates: [
          s.price_id ?? '',
          ...plans
            .filter((p) => p.prices.some(({ id }) => id === s.price_id))
            .flatMap(({ id, opens = [] }) => [id, ...opens]),
        ],
        url: addressOf(`/membership/renew/${encodeURIComponent(s.id)}`),
        managed_in: managedIn(s),
      }
    })
}

function accessUntil(user: User | null, s: Subscription): string | null {
  if (user === null || s.price_id === null) return null
  const { open, by, until } = user.explain(s.price_id as never)
  return open && by === s.id ? until : null
}

function amountOf(
  { currency, provider, items, unit_amount, quantity }: Subscription,
  { voice, money }: { voice: Voice; money: WriteMoney },
): string | null {
  return items.length <= 1 && unit_amount !== null && currency !== null
    ? money({ amount: unit_amount * (quantity ?? 1), currency, provider }, voice.locale)
    : null
}

function failedWords(
  { past_due_since }: Subscription,
  { title, amount }: { title: string; amount: string | null },
  voice: Voice,
): string {
  const date = past_due_since === null ? null : voice.day(past_due_since)
  if (amount === null)
    return date === null ? voice.say('due.failed', { title }) : voice.say('due.failed_on', { title, date })
  return date === null
    ? voice.say('due.failed_sum', { title, amount })
    : voice.say('due.failed_sum_on', { title, amount, date })
}

function accessWords(until: string | null, voice: Voice): string {
  return until === null ? voice.say('due.closed') : voice.say('due.open_until', { date: voice.day(until) })
}
