import { type Limit, limitNames, type Wall } from '../../core/access/index.ts'
import { priceWords } from '../../core/dto/index.ts'
import type { GateId, ProviderKey } from '../../core/register.ts'
import { planIn, type Voice } from '../../core/words/index.ts'
import type { View } from '../../memberships/members/index.ts'

interface LimitWords {
  readonly voice: Voice
  readonly now: Date
}

/** One limit of the account page. */
export interface ShownLimit extends Limit {
  readonly label: string
  readonly sentence: string
  /** Prices that add to it, for the form that buys one; none where the visitor can buy none. */
  readonly top_ups: readonly { readonly url: string; readonly price: string; readonly label: string }[]
}

/** Lists the limits that a member has or has used, worded for the account page. */
export function limitsForPage(view: View, words: LimitWords): readonly ShownLimit[] {
  const user = view.user()
  if (user === null) return []
  return limitNames(view.plans())
    .map((name) => user.limit(name as never))
    .filter(({ amount, left, used }) => amount > 0 || left > 0 || used > 0)
    .map((limit) => ({
      ...limit,
      label: words.voice.feature(limit.name),
      sentence: limitSentence(limit, words),
      top_ups: topUpsFor(limit.name, view, words),
    }))
}

/** The prices on sale that add to a limit. */
function topUpsFor(name: string, view: View, { voice }: LimitWords): ShownLimit['top_ups'] {
  return view
    .plans()
    .flatMap(({ prices }) => prices)
    .filter(({ adds, retired }) => adds?.[name] !== undefined && !retired)
    .flatMap((price) => {
      const does = view.provider(price.provider as ProviderKey).subscriptionAction(price.id as never)
      if (does.action !== 'buy' || does.url === null) return []
      const amount = priceWords(price, (money) => view.money(money, voice.locale))
      const label = voice.say('limits.top_up', { count: price.adds?.[name]?.amount ?? 0, amount })
      return [{ url: does.url, price: price.id, label }]
    })
}

/** "3 of 100 used, 97 left. Resets on 1 December 2026." */
export function limitSentence(limit: Limit, { voice, now }: LimitWords): string {
  const { amount, used, left, added, resets_at } = limit
  return [
    amount > 0 ? voice.say('limits.used', { used, amount, left: left - added }) : null,
    added > 0 ? voice.say(amount > 0 ? 'limits.and_added' : 'limits.added', { count: added }) : null,
    amount === 0 && added === 0 ? voice.say('limits.nothing') : null,
    resets_at === null ? null : voice.say('limits.resets', { date: voice.day(resets_at, now) }),
  ]
    .filter((sentence) => sentence !== null)
    .join(' ')
}

/** Free pages of a gate, or the time that it was paid, as the account shows them. */
export interface ShownTerm {
  readonly label: string
  readonly sentence: string
}

/** Lists the free pages that a member has begun to read, and the paid time of gates that wait for it. */
export function termsForPage(view: View, words: LimitWords): readonly ShownTerm[] {
  if (view.user() === null) return []
  const { metered, timed } = view.gatesOnTerms()
  const label = (gate: string): string => {
    const plan = view.plans().find(({ id }) => id === gate)
    return plan === undefined ? words.voice.feature(gate) : planIn(words.voice, plan).name
  }
  const pages = metered.flatMap((gate) => {
    const wall = view.wall(gate as GateId)
    return wall === null || wall.resets_at === null
      ? []
      : [{ label: label(gate), sentence: wallSentence(wall, words) }]
  })
  const times = timed
    .map((gate) => ({ gate, paid: view.paidTime(gate as GateId) }))
    .filter(({ paid }) => paid.seconds > 0)
    .map(({ gate, paid }) => ({
      label: label(gate),
      sentence: words.voice.say('terms.paid', { count: paid.days }),
    }))
  return [...pages, ...times]
}

/** "1 of 3 free pages left. The next ones are free from 4 April." */
export function wallSentence(
  { free, left, resets_at }: Wall,
  { voice, now }: Pick<LimitWords, 'voice' | 'now'>,
): string {
  const next = resets_at === null ? null : voice.say('wall.resets', { date: voice.day(resets_at, now) })
  return [voice.say('wall.left', { left, count: free }), next].filter((text) => text !== null).join(' ')
}
