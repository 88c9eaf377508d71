import type { Payment } from '../../core/dto/payment.ts'
import { opensGate, paymentHasPrice } from '../../core/dto/rules.ts'
import type { User } from '../../memberships/members/index.ts'
import type { V1Account } from '../accounts/read.ts'
import { legacyProvider } from '../legacy-provider.ts'
import { opensInV1, pricesIn, type Stored } from '../prove/rules.ts'
import type { DataChange } from './data-text.ts'
import { refreshed, toStored } from './stored.ts'

/** Reasons why access in version 1 differs from version 2. */
export const backReasons = {
  trial: 'A trial opens nothing in version 1.',
  grace: 'A failed renewal closes at once in version 1.',
  'other-item': 'Version 1 reads the first price of a subscription alone.',
  'by-hand': 'It was given by hand: write it into the account’s gates.',
  'form-unknown':
    'It is not documented how version 1 keeps a subscription of this provider. Check in version 1 if it opens access, and grant access until its end.',
  'other-provider': 'It was bought through a provider that version 1 did not have.',
  'no-price': 'A purchase names no price, so nobody can say what it opened.',
  'stays-open': 'Version 2 closes it, and version 1 knows no reason to.',
} as const

/** Changes to one member's account of version 1, and the differences of access that remain. */
export interface MemberBack {
  readonly change: DataChange
  readonly differences: readonly {
    readonly gate: string | null
    readonly kind: keyof typeof backReasons
    /** True if version 1 opens it. */
    readonly v1: boolean
  }[]
}

/** Facts that decide about an account. */
export interface BackRules {
  readonly provider: string
  readonly now: () => Date
  /**
   * True for an account that was merged into another: existing purchases are updated, and new ones are
   * written only to the other.
   */
  readonly onlyKept?: boolean
}

/** Compares what a member has with what the account stores. Pure; a repetition finds nothing to change. */
export function planMember(
  user: User,
  kept: Pick<V1Account, 'customerId' | 'subscriptions' | 'listed' | 'gates'>,
  { provider, now, onlyKept = false }: BackRules,
): MemberBack {
  const isKnown = provider === legacyProvider
  const own = isKnown ? user.subscriptions().filter((subscription) => subscription.provider === provider) : []
  const byId = new Map(kept.subscriptions.map((subscription) => [String(subscription.id), subscription]))
  const subscriptions: Stored[] = []
  for (const subscription of own) {
    const before = byId.get(subscription.id)
    if (onlyKept && before === undefined) continue
    const after = before === undefined ? toStored(subscription) : refreshed(before, toStored(subscription))
    if (after !== before) subscriptions.push(after)
    byId.set(subscription.id, after)
  }
  const payments = user
    .payments()
    .filter((payment) => payment.provider === provider && payment.subscription_id === null)
  const paid = new Set(payments.filter((payment) => opensGate(payment)).flatMap(pricesOf))
  const add = onlyKept ? [] : [...paid].filter((price) => !kept.listed.includes(price))
  const remove = kept.listed.filter(
    (price) => payments.some((payment) => paymentHasPrice(payment, price)) && !user.hasGate(price as never),
  )
  const listed = [...kept.listed.filter((price) => !remove.includes(price)), ...add]
  const v1 = opensInV1({ ...kept, subscriptions: [...byId.values()], listed })
  const change = {
    customer: kept.customerId === null && !onlyKept ? user.customerId(provider) : null,
    subscriptions,
    add,
    remove,
    day: now().toISOString().slice(0, 10),
  }
  return { change, differences: onlyKept ? [] : differencesOf(user, v1, provider) }
}

/** Returns true if there is nothing to write. */
export function isEmpty({ customer, subscriptions, add, remove }: DataChange): boolean {
  return customer === null && subscriptions.length + add.length + remove.length === 0
}

/** Lists every gate that a member may have by purchases or grants. */
export function gatesOf(user: User): ReadonlySet<string> {
  return new Set([
    ...pricesIn(user.subscriptions()),
    ...user.payments().flatMap(pricesOf),
    ...user.grants().map(({ gate }) => gate),
  ])
}

function differencesOf(user: User, v1: ReadonlySet<string>, provider: string): MemberBack['differences'] {
  const gates = gatesOf(user)
  const loses = [...gates].filter((gate) => user.hasGate(gate as never) && !v1.has(gate))
  // Version 2 can only close gates that it has had for this member.
  const gains = [...v1].filter((gate) => gates.has(gate) && !user.hasGate(gate as never))
  const unclear = user.payments().some((payment) => opensGate(payment) && pricesOf(payment).length === 0)
  return [
    ...loses.map((gate) => ({ gate, kind: whyNot(user, gate, provider), v1: false })),
    ...gains.map((gate) => ({ gate, kind: 'stays-open' as const, v1: true })),
    ...(unclear ? [{ gate: null, kind: 'no-price' as const, v1: false }] : []),
  ]
}

function whyNot(user: User, gate: string, provider: string): keyof typeof backReasons {
  const { reason, by } = user.explain(gate as never)
  if (reason === 'grant') return 'by-hand'
  const bought = [...user.subscriptions(), ...user.payments()].find(({ id }) => id === by)
  if (bought !== undefined && bought.provider !== provider) return 'other-provider'
  if (provider !== legacyProvider) return 'form-unknown'
  return reason === 'trial' ? 'trial' : reason === 'past_due' ? 'grace' : 'other-item'
}

function pricesOf({ price_id, items }: Payment): string[] {
  return [...new Set([price_id, ...items.map((item) => item.price_id)].flatMap((price) => price ?? []))]
}
