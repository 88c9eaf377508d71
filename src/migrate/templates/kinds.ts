import type { SiteFacts } from '../plan.ts'

/**
 * Kind of a value, as far as it is known.
 *
 * `stranger(s)`: `subscriptions()` of something that is no user. `sdk`: from the provider's own API.
 * `foreign`: certainly something else. `payment(s)`: a member's purchases, in the provider's data or read
 * from it. `part`: a part of a subscription with other fields in version 2. `opaque`: result of a function
 * that this file does not define. `unknown`: a variable from outside. `mixed`: sometimes a subscription,
 * sometimes something else. `nothing`: null or an empty list.
 */
export type Kind =
  | 'subscription'
  | 'subscriptions'
  | 'stranger'
  | 'strangers'
  | 'payment'
  | 'payments'
  | 'sdk'
  | 'user'
  | 'users'
  | 'content'
  | 'data'
  | 'accessor'
  | 'provider'
  | 'mixed'
  | 'foreign'
  | 'part'
  | 'opaque'
  | 'unknown'
  | 'nothing'

/** Returns true for `user`, `currentUser`, `member`, … */
export function isUserName(name: string): boolean {
  return /(?:^|[a-z0-9_])(?:User|Member)$|(?:^|_)(?:user|member)$/.test(name)
}

/** Returns true for a name of the provider's own API: `Stripe`, `$stripeClient`. */
export function namesProvider(name: string, facts: SiteFacts): boolean {
  return facts.provider !== '' && name.toLowerCase().includes(facts.provider.toLowerCase())
}

/** Returns true for PHP's words for nothing. */
export function isNothing(name: string): boolean {
  return /^(null|false)$/i.test(name)
}

/**
 * Returns true for a function that reads values from text or an external source: `json_decode`,
 * `Yaml::decode`, `fetch`.
 */
export function isDecoder(name: string): boolean {
  return /(?:^|::|_)(?:decode|parse|load|unserialize|fetch|json|request)$/i.test(name)
}

/** Returns the kind of a list's elements. */
export function elementOf(kind: Kind): Kind {
  switch (kind) {
    case 'subscriptions':
      return 'subscription'
    case 'strangers':
      return 'stranger'
    case 'payments':
      return 'payment'
    case 'users':
      return 'user'
    case 'subscription':
    case 'payment':
      return 'foreign'
    case 'sdk':
    case 'foreign':
    case 'part':
    case 'opaque':
    case 'mixed':
    case 'nothing':
      return kind
    default:
      return 'unknown'
  }
}

/** Returns the kind of a list, by the kind of its elements. */
export function listOf(kind: Kind): Kind {
  return kind === 'subscription' ? 'subscriptions' : kind === 'payment' ? 'payments' : 'foreign'
}

/** Combines the kinds of a value that is one of several. */
export function together(kinds: readonly Kind[]): Kind {
  const all = new Set(kinds.filter((kind) => kind !== 'nothing'))
  if (all.size === 0) return 'nothing'
  const [only] = all
  if (all.size === 1) return only!
  const isSubscription = all.has('subscription') || all.has('subscriptions')
  const certain = (['sdk', 'foreign', 'opaque', 'stranger', 'mixed', 'part'] as const).filter((kind) =>
    all.has(kind),
  )
  if (certain.length === 0)
    return isSubscription && (all.has('payment') || all.has('payments')) ? 'mixed' : 'unknown'
  return isSubscription ? 'mixed' : certain[0]!
}
