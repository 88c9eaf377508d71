import type { Subscription } from '../../core/dto/index.ts'
import { normalEmail } from '../../core/email.ts'
import type { Unmatched } from '../../memberships/import/index.ts'
import { readContent } from '../accounts/content.ts'
import { type AccountPlace, findAccounts } from '../accounts/find-accounts.ts'
import { type Trouble, toAccount, type V1Account } from '../accounts/read.ts'
import { createTwins, customerTwice, refusalOf } from '../accounts/refusals.ts'
import type { SiteFacts } from '../plan.ts'
import {
  asV2,
  type DifferenceKind,
  firstPrice,
  isUntold,
  opensBySubscription,
  opensInV1,
  pricesIn,
  rulesOf,
  type Stored,
} from './rules.ts'

/** A gate of a member that version 2 will not open as version 1 does. */
export interface GateDifference {
  /** The account's path below the folder. */
  readonly account: string
  /** null if not even that is known. */
  readonly gate: string | null
  /** null if it is unknown. */
  readonly v1: boolean | null
  readonly v2: boolean
  readonly kind: DifferenceKind
}

/** Result of comparing every account of a site. */
export interface Proof {
  readonly accounts: number
  /** Number of gates that both open. */
  readonly equal: number
  readonly differences: readonly GateDifference[]
  readonly troubles: readonly (Trouble & { readonly account: string })[]
  /** Result of asking the provider; null without asking. */
  readonly asked: { readonly objects: number; readonly unmatched: readonly Unmatched[] } | null
}

export interface ProveOptions {
  readonly facts: SiteFacts
  /** Time for which version 2 keeps a failed renewal open. */
  readonly pastDueSeconds: number
  readonly now: () => Date
  readonly onProgress?: (done: number, total: number) => void
}

/**
 * Compares, for every account of a version 1 site and price by price, what version 1 opens with its stored
 * data and what version 2 will open after the import. It gives the reason for each difference. Nothing is
 * written.
 * @throws ERR_USAGE
 */
export async function proveAccess(folder: string, options: ProveOptions): Promise<Proof> {
  const places = findAccounts(folder)
  const proveOne = createProver(options)
  const found = { accounts: 0, equal: 0, differences: [], troubles: [], asked: null } as Growing
  for (const [i, place] of places.entries()) {
    for (const account of accountsAt(place, options.facts)) {
      const name = place.isFolder ? place.name : `${place.name}#${account.id}`
      const { equal, differences, troubles } = proveOne(account)
      found.accounts++
      found.equal += equal
      found.differences.push(...differences.map((difference) => ({ account: name, ...difference })))
      found.troubles.push(...troubles.map((trouble) => ({ account: name, ...trouble })))
    }
    options.onProgress?.(i + 1, places.length)
  }
  return found
}

/** An unfinished proof. */
export type Growing = Omit<Proof, 'accounts' | 'equal' | 'differences' | 'troubles'> & {
  accounts: number
  equal: number
  differences: GateDifference[]
  troubles: (Trouble & { account: string })[]
}

/** Reads and interprets the accounts of one place. */
export function accountsAt(place: AccountPlace, facts: SiteFacts): V1Account[] {
  return readContent(place).map((content) => toAccount(content, facts))
}

type Found = Omit<GateDifference, 'account'>

function createProver({ facts, pastDueSeconds, now }: ProveOptions) {
  const isTwin = createTwins()
  const rules = rulesOf(pastDueSeconds)

  return (account: V1Account) => {
    const refusal = refusalOf(account, normalEmail(account.email), isTwin)
    const isShared = refusal === null && account.customerId !== null && isTwin('customer', account.customerId)
    const customer = isShared ? null : account.customerId
    const stored = account.subscriptions.flatMap((subscription) => asV2(subscription) ?? [])
    const subscriptions = refusal !== null || customer === null ? [] : stored
    const before = opensInV1(account)
    const given = new Set(refusal === null ? [...account.paid, ...account.gates] : [])
    const gates = new Set([...before, ...given, ...pricesIn(subscriptions)])
    const differences: Found[] = isUntold(account, facts.provider)
      ? [{ gate: null, v1: null, v2: gates.size > 0, kind: 'cannot-be-told' }]
      : []
    let equal = 0
    for (const gate of gates) {
      const v1 = before.has(gate)
      const v2 = given.has(gate) || opensBySubscription(gate, subscriptions, rules, now())
      if (v1 && v2) equal++
      if (v1 === v2) continue
      const kind = v1
        ? whyClosed({
            gate,
            account,
            stored,
            refusal,
            customer,
            now,
          })
        : whyOpen({ gate, account, stored })
      differences.push({ gate, v1, v2, kind })
    }
    const troubles = [
      ...account.troubles,
      ...(refusal ? [refusal] : []),
      ...(isShared ? [customerTwice] : []),
    ]
    return { equal, differences, troubles }
  }
}

interface Case {
  readonly gate: string
  readonly account: V1Account
  /** The account's subscriptions, as version 2 interprets them. */
  readonly stored: readonly Subscription[]
  readonly now: () => Date
}

function whyClosed({
  gate,
  account,
  stored,
  refusal,
  customer,
  now,
}: Case & { readonly refusal: Trouble | null; readonly customer: string | null }): DifferenceKind {
  if (refusal !== null) return 'left-behind'
  const raw = activeWith(account, gate)
  if (raw === undefined) return account.listed.includes(gate) ? 'refunded-closes' : 'payment-closes'
  if (customer === null) return 'customer-missing'
  const same = stored.filter((subscription) => pricesIn([subscription]).includes(gate))
  if (same.length === 0) return 'subscription-unreadable'
  if (raw.pause_collection || same.some(({ paused_at, status }) => paused_at !== null || status === 'paused'))
    return 'paused-closes'
  const moment = now().toISOString()
  const isOver = same.some(({ ended_at, cancel_at }) => (ended_at ?? cancel_at ?? '9') <= moment)
  return isOver ? 'ended-closes' : 'subscription-closes'
}

function whyOpen({ gate, account, stored }: Omit<Case, 'now'>): DifferenceKind {
  const known = stored.filter((subscription) => pricesIn([subscription]).includes(gate))
  if (known.some(({ status }) => status === 'trialing')) return 'trial-opens'
  if (known.some(({ status }) => status === 'past_due')) return 'grace-opens'
  const isFirst = account.subscriptions.some((subscription) => firstPrice(subscription) === gate)
  return isFirst ? 'subscription-opens' : 'item-opens'
}

/** Finds the stored subscription by which version 1 opened a gate. */
export function activeWith({ subscriptions }: V1Account, gate: string): Stored | undefined {
  return subscriptions.find(
    (subscription) => subscription.status === 'active' && firstPrice(subscription) === gate,
  )
}
