import { type AccessRules, decideGate } from '../../core/access/index.ts'
import { type Subscription, type SubscriptionData, toSubscription } from '../../core/dto/index.ts'
import type { SubscriptionChange } from '../../providers/contract.ts'
import { toSubscriptionData } from '../../providers/stripe/subscription.ts'
import type { V1Account } from '../accounts/read.ts'
import { legacyProvider } from '../legacy-provider.ts'

/** Kinds of differences between access in version 1 and version 2. */
export const differenceKinds = {
  'trial-opens': 'A trial opened nothing in version 1; in version 2 it counts as active.',
  'grace-opens':
    'A failed renewal closed at once in version 1; version 2 keeps it open while the provider tries.',
  'item-opens': 'Version 1 read the first price of a subscription alone; version 2 reads them all.',
  'ended-closes': 'The account still says active, but the subscription has ended by its own moments.',
  'paused-closes':
    'The account says active, but nothing is collected: version 2 closes a pause unless the site says otherwise.',
  'subscription-closes': 'Version 2 does not open what this subscription opened in version 1.',
  'subscription-opens': 'Version 2 opens what this subscription did not open in version 1.',
  'subscription-unreadable': 'The account holds a subscription that cannot be read.',
  'refunded-closes':
    'A payment that says of itself that it was given back, or not paid, opens nothing in version 2.',
  'payment-closes': 'A payment that version 1 counted is not brought along.',
  'left-behind': 'The account itself is not brought along; see its troubles.',
  'customer-missing':
    'The subscriptions belong to no customer that is brought along, so none of their events finds the member.',
  'ended-there': 'The account says active, and the provider says that it has ended.',
  'unpaid-there': 'The account says active, and the provider says that it is not paid.',
  'other-price-there':
    'The account names a price that the subscription does not have at the provider any more.',
  'unknown-there': 'The account keeps a subscription that the provider does not know.',
  'other-owner-there': 'At the provider the subscription belongs to another customer.',
  'active-there': 'The account keeps a subscription as over, and the provider says that it is active.',
  'bought-there': 'The account keeps nothing of it, and it was bought at the provider.',
  'refunded-stays':
    'The money was given back at the provider; the purchase opens as before, since it comes as access given by hand.',
  'new-member': 'It was bought at the provider with an address that no account of version 1 has.',
  'cannot-be-told': 'The account cannot be read as version 1 read it, so its access is unknown.',
} as const
/** Name of a difference. */
export type DifferenceKind = keyof typeof differenceKinds

/** A subscription as version 1 stored it, in the provider's own format. */
export type Stored = Readonly<Record<string, unknown>>

/** Returns the price that version 1 read: `items.data[0].price.id`. */
export function firstPrice(stored: Stored): string | null {
  const [item] = listIn(mapIn(stored.items)?.data)
  const id = mapIn(mapIn(item)?.price)?.id
  return typeof id === 'string' && id !== '' ? id : null
}

/**
 * Returns the prices that version 1 opens for an account: the first price of each stored active subscription,
 * every listed purchase, and manual grants.
 */
export function opensInV1({
  subscriptions,
  listed,
  gates,
}: Pick<V1Account, 'subscriptions' | 'listed' | 'gates'>): Set<string> {
  return new Set([
    ...subscriptions.flatMap((subscription) =>
      subscription.status === 'active' ? (firstPrice(subscription) ?? []) : [],
    ),
    ...listed,
    ...gates,
  ])
}

/**
 * Returns true if it is unknown what version 1 opened for an account, because only Stripe's own form of
 * subscriptions is known.
 */
export function isUntold({ subscriptions, troubles }: V1Account, provider: string): boolean {
  return (
    troubles.some(({ code }) => unread.has(code)) ||
    (provider !== legacyProvider && subscriptions.some((subscription) => firstPrice(subscription) === null))
  )
}

// Each omission may have opened something.
const unread = new Set(['unreadable', 'encrypted', 'not-parsed', 'other-field', 'payment-unclear'])

/** Converts the subscription as version 2 interprets it; null if that is impossible. */
export function asV2(stored: Stored): Subscription | null {
  const data = toSubscriptionData(typed(stored) as never, true)
  return data && known(data)
}

/** Converts the provider's answer about a subscription, for version 2's decision. */
export function known(data: SubscriptionChange['data']): Subscription {
  return toSubscription({
    past_due_since: null,
    ...data,
    provider: '',
    account: '',
    updated_at: '',
  } as SubscriptionData)
}

/** Returns rules without plans, because prices are compared. */
export function rulesOf(pastDueSeconds: number): AccessRules {
  return { plans: [], pastDueSeconds }
}

/** Returns true if version 2 opens a gate by subscriptions alone. */
export function opensBySubscription(
  gate: string,
  subscriptions: readonly Subscription[],
  rules: AccessRules,
  now: Date,
): boolean {
  return decideGate(gate, { subscriptions, payments: [], grants: [] }, rules, now).open
}

/** Lists every price of these subscriptions. */
export function pricesIn(subscriptions: readonly Subscription[]): string[] {
  return subscriptions.flatMap((subscription) => subscription.items.flatMap(({ price_id }) => price_id ?? []))
}

/**
 * Restores the provider's types, because the text format of accounts has only texts; moments are numbers of
 * seconds.
 */
export function typed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(typed)
  if (mapIn(value))
    return Object.fromEntries(Object.entries(value as object).map(([key, item]) => [key, typed(item)]))
  if (typeof value !== 'string') return value
  if (/^\d{9,11}$/.test(value)) return Number(value)
  return value === 'true'
    ? true
    : value === 'false'
      ? false
      : value === 'null' || value === '~'
        ? null
        : value
}

function mapIn(value: unknown): Stored | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Stored) : null
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
