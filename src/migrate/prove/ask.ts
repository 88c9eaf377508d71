import type { Payment, Subscription } from '../../core/dto/index.ts'
import { maskEmail } from '../../core/email.ts'
import { MembershipError } from '../../core/errors.ts'
import type { Storage } from '../../core/storage/index.ts'
import type { ImportProvider } from '../../memberships/import/index.ts'
import type { User } from '../../memberships/members/index.ts'
import { type Place, placesOf } from '../../memberships/sync/index.ts'
import type { ProviderReader, Ref } from '../../providers/contract.ts'
import { findAccounts } from '../accounts/find-accounts.ts'
import { importAccounts } from '../accounts/import.ts'
import type { V1Account } from '../accounts/read.ts'
import {
  accountsAt,
  activeWith,
  type GateDifference,
  type Growing,
  type Proof,
  type ProveOptions,
} from './prove.ts'
import { asV2, type DifferenceKind, firstPrice, isUntold, opensInV1, pricesIn } from './rules.ts'

/** A site in memory: empty, and able to ask its providers. */
export interface EmptySite {
  readonly storage: Storage
  readonly providers: ReadonlyMap<string, ProviderReader>
  readonly importFrom: ImportProvider
  readonly findMember: (id: string) => Promise<User | null>
}

export interface AskOptions extends Omit<ProveOptions, 'pastDueSeconds' | 'onProgress'> {
  readonly site: EmptySite
  /** Label of the provider account of the customers; '' without one. */
  readonly account: string
  readonly defaultRole: string
  readonly onProgress?: (step: string, done: number, total: number) => void
}

/**
 * Does the same as `proveAccess`, with the provider's current data instead of the stored data. Accounts and
 * provider data are imported into an empty site, and each member is checked there.
 * @throws ERR_USAGE, ERR_COMPARE_REFUSED when the provider knows none of the stored ids or is in the other
 *   mode, ERR_PROVIDER_UNKNOWN, ERR_PROVIDER_UNSUPPORTED, ERR_PROVIDER_ANSWER, ERR_CONFIG for a key that it
 *   does not accept
 */
export async function proveAsking(folder: string, options: AskOptions): Promise<Proof> {
  const { facts, site, account: label, defaultRole, now, onProgress = () => undefined } = options
  const accounts = findAccounts(folder).flatMap((place) =>
    accountsAt(place, facts).map((account) => ({
      name: place.isFolder ? place.name : `${place.name}#${account.id}`,
      account,
    })),
  )
  await assertKnown(
    placesOf(site.providers, { provider: facts.provider }).find((candidate) => candidate.account === label),
    accounts.map(({ account }) => account),
  )
  const rules = { facts, account: label, defaultRole, now }
  const { accounts: brought } = await importAccounts(site.storage, rules, folder, {
    write: true,
    onProgress: (done, total) => onProgress('accounts', done, total),
  })
  const { checked, unmatched } = await site.importFrom({
    provider: facts.provider,
    write: true,
    // The provider's account was checked above; in an empty site nothing is open yet.
    yes: true,
    onProgress: ({ checked: done }) => onProgress('asked', done, done),
  })
  const found: Growing = {
    accounts: accounts.length,
    equal: 0,
    differences: [],
    troubles: brought.flatMap((importedAccount) =>
      importedAccount.troubles.map((trouble) => ({ account: importedAccount.account, ...trouble })),
    ),
    asked: { objects: checked, unmatched },
  }
  for (const [i, { name, account }] of accounts.entries()) {
    const { equal, differences } = await lookAt(account, brought[i]?.member_id ?? null, options)
    found.equal += equal
    found.differences.push(...differences.map((difference) => ({ account: name, ...difference })))
    onProgress('members', i + 1, accounts.length)
  }
  await nameNewcomers(found, site)
  return found
}

type Found = Omit<GateDifference, 'account'>

/** Compares one account with the member that it became. */
async function lookAt(account: V1Account, memberId: string | null, { site, facts }: AskOptions) {
  const member = memberId === null ? null : await site.findMember(memberId)
  const before = opensInV1(account)
  const isUnclear = isUntold(account, facts.provider)
  const gates = new Set([...before, ...gatesOf(member)])
  const differences: Found[] =
    isUnclear && gates.size === 0 ? [{ gate: null, v1: null, v2: false, kind: 'cannot-be-told' }] : []
  let equal = 0
  for (const gate of gates) {
    const v1 = before.has(gate) || (isUnclear ? null : false)
    const v2 = member?.hasGate(gate as never) === true
    const staysUnpaid = v1 === true && v2 && wasGivenBack(gate, account, member!)
    if (v1 === v2 && v2) equal++
    if (v1 === v2 && !staysUnpaid) continue
    const kind = staysUnpaid
      ? 'refunded-stays'
      : v1 === true
        ? await whyClosed({ gate, account, member, site, provider: facts.provider })
        : v1 === null
          ? 'cannot-be-told'
          : whyOpen(gate, account, member!)
    differences.push({ gate, v1, v2, kind })
  }
  return { equal, differences }
}

async function whyClosed({
  gate,
  account,
  member,
  site,
  provider,
}: {
  readonly gate: string
  readonly account: V1Account
  readonly member: User | null
  readonly site: EmptySite
  readonly provider: string
}): Promise<DifferenceKind> {
  if (member === null) return 'left-behind'
  const raw = activeWith(account, gate)
  if (raw === undefined) return account.listed.includes(gate) ? 'refunded-closes' : 'payment-closes'
  const there = member.subscriptions().find(({ id }) => id === raw.id)
  if (there === undefined) {
    if (member.customerId(provider) === null) return 'customer-missing'
    return (await isHere(site.storage, String(raw.id))) ? 'other-owner-there' : 'unknown-there'
  }
  if (!pricesIn([there]).includes(gate)) return 'other-price-there'
  if (there.paused_at !== null || there.status === 'paused') return 'paused-closes'
  return ['unpaid', 'past_due', 'incomplete'].includes(there.status) ? 'unpaid-there' : 'ended-there'
}

function whyOpen(gate: string, account: V1Account, member: User): DifferenceKind {
  const has = (subscription: Subscription) => pricesIn([subscription]).includes(gate)
  const { by, reason } = member.explain(gate as never)
  const there = member.subscriptions().find(({ id }) => id === by) ?? member.subscriptions().find(has)
  if (reason === 'trial') return 'trial-opens'
  if (reason === 'past_due') return 'grace-opens'
  const stored = account.subscriptions.find(({ id }) => id === there?.id)
  if (stored === undefined) return 'bought-there'
  if (stored.status !== 'active') return 'active-there'
  if (firstPrice(stored) === gate) return 'subscription-opens'
  return pricesIn([asV2(stored) ?? []].flat()).includes(gate) ? 'item-opens' : 'other-price-there'
}

/**
 * Returns true for a refunded purchase. Version 1 counts it as paid, so it becomes granted access that stays.
 */
function wasGivenBack(gate: string, { paid }: V1Account, member: User): boolean {
  const own = member
    .payments()
    .filter((payment) => payment.subscription_id === null && namesPrice(payment, gate))
  return paid.includes(gate) && own.length > 0 && own.every(({ status }) => status === 'refunded')
}

function namesPrice({ price_id, items }: Payment, price: string): boolean {
  return price_id === price || items.some((item) => item.price_id === price)
}

/** Lists every price that may be open for a member. */
function gatesOf(member: User | null): string[] {
  return member === null
    ? []
    : [
        ...pricesIn(member.subscriptions()),
        ...member
          .payments()
          .flatMap(({ price_id, items }) => [price_id, ...items.map((item) => item.price_id)]),
        ...member.grants().map(({ gate }) => gate),
      ].flatMap((gate) => (gate !== null && member.hasGate(gate as never) ? gate : []))
}

async function isHere(storage: Storage, id: string): Promise<boolean> {
  return (
    (await storage.read((db) => db.selectFrom('subscriptions').select('id').where('id', '=', id))).length > 0
  )
}

/** Lists buyers at the provider who have no account in version 1. */
async function nameNewcomers(found: Growing, { storage, findMember }: EmptySite): Promise<void> {
  const rows = await storage.read((db) =>
    db.selectFrom('members').select(['id', 'email']).where('created_by', 'not like', 'v1:%').orderBy('id'),
  )
  for (const { id, email } of rows)
    for (const gate of new Set(gatesOf(await findMember(id))))
      found.differences.push({
        account: email === null ? id : maskEmail(email),
        gate,
        v1: false,
        v2: true,
        kind: 'new-member',
      })
}

/** Fetches a few objects that the accounts name, until one is found. @throws ERR_COMPARE_REFUSED */
async function assertKnown(place: Place | undefined, accounts: readonly V1Account[]): Promise<void> {
  const refs = accounts.flatMap(({ subscriptions, customerId }): Ref[] => [
    ...subscriptions.flatMap(({ id }) =>
      typeof id === 'string' ? [{ kind: 'subscription' as const, id }] : [],
    ),
    ...(customerId === null ? [] : [{ kind: 'customer' as const, id: customerId }]),
  ])
  const some = refs.slice(0, enough)
  for (const ref of some) if (await place?.provider.fetch?.(ref)) return
  if (some.length > 0)
    throw new MembershipError(
      'ERR_COMPARE_REFUSED',
      `The provider knows none of ${some.length} customers and subscriptions that the accounts name: another account, or the other mode, is behind the key. Nothing was proven.`,
      { action: 'Give the key of the account that version 1 sells with.' },
    )
}

// This many may be missing by chance.
const enough = 20
