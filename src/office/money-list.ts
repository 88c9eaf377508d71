import {
  hasFailed,
  type PaymentData,
  type Plan,
  paidTimeOf,
  type SubscriptionData,
} from '../core/dto/index.ts'
import { MembershipError } from '../core/errors.ts'
import { backOf, createRecovered, type FiguresDeps } from './figures.ts'
import { isLeft, isLiving, isPaying, monthlyOf, monthOf } from './measures.ts'
import type { RecoveredRow } from './money-page.ts'
import type { RecentItem } from './recent.ts'
import {
  type Along,
  type Among,
  besideOverdue,
  ownersOfRows,
  type Walked,
  walkPayments,
  walkRefundedPayments,
  walkSubscriptions,
  wasAnyOverdue,
} from './walking-statements.ts'

/** The figures of the money page that open as lists. */
export const listKinds = [
  'begun',
  'lost',
  'left',
  'paying',
  'recurring',
  'people',
  'trials',
  'received',
  'refunded',
  'failed',
  'recovered',
] as const
/** One of {@link listKinds}. */
export type ListKind = (typeof listKinds)[number]

/** Selects a figure's rows by its kind, month and plan. */
export interface ListQuery {
  readonly kind: ListKind
  readonly month: string
  /** The last month of `lost`, `left` and `recovered`, which start at `month`. */
  readonly until?: string | null
  readonly plan: string | null
  readonly currency: string | null
  /** For `left`: members who began in `month` and were still paid at the end of this month. */
  readonly at?: string | null
  /** For `left`, instead of `at`: members still paid this many months after their own first month. */
  readonly after?: number | null
  /** The price of `recurring` and `trials`, and the amount paid per piece in minor units of ISO 4217. */
  readonly price?: string | null
  readonly each?: number | null
  /** Who paid what is `recovered`: the member, or a retry of the provider. */
  readonly by?: RecoveredRow['by'] | null
}

/** A filter for the database that drops no matching row. */
export function amongOf(query: ListQuery, { plans, planOf, isShared }: Plans): Among {
  const { kind, plan, price } = query
  const ofPlan = plans.filter(({ id }) => id === plan).flatMap(({ prices }) => prices.map(({ id }) => id))
  // A price of no configured plan is counted under its own id.
  const own = plan === null || plan === '' || planOf.has(plan) ? [] : [plan]
  // Where other shops share an account, the first price of a row may be theirs.
  const isAll = plan === null || plan === '' || isShared
  const prices = price && !isShared ? [price] : isAll ? [] : [...ofPlan, ...own]
  const along = alongOf(query)
  return {
    ...(statusesOf[kind] ? { statuses: statusesOf[kind] } : {}),
    ...(prices.length > 0 ? { prices } : {}),
    ...(along === null ? {} : { along }),
  }
}

interface Plans {
  readonly plans: readonly Plan[]
  readonly planOf: ReadonlyMap<string, string>
  /** True if other shops sell at an account of a provider. */
  readonly isShared: boolean
}

const statusesOf: Partial<Record<ListKind, readonly string[]>> = {
  trials: ['trialing'],
  recurring: ['active', 'past_due'],
}

/** The index that a list is read along; null where it counts rows of any moment. */
function alongOf({ kind, month, until }: ListQuery): Along | null {
  const months = { from: `${month}-01`, until: `${laterBy(until ?? month, 1)}-01` }
  if (kind === 'begun' || kind === 'left') return { column: 'begun_at', ...months }
  if (kind === 'lost') return { column: 'over_at', ...months }
  if (kind === 'paying') return { column: 'begun_at', from: '', until: `${month}-01` }
  if (kind === 'received' || kind === 'recovered') return { column: 'paid_at', ...months }
  if (kind === 'failed' || kind === 'refunded') return { column: 'changed_at', only: kind, ...months }
  return null
}

export interface ListDeps extends Walked {
  readonly plans: readonly Plan[]
  readonly now: Date
  readonly inIso: FiguresDeps['inIso']
}

/** A counted item, before its owner is known. */
export interface Found extends RecentItem {
  readonly invoice: string | null
}

interface Owned {
  readonly p: PaymentData
  readonly owner: string
}

export interface Collecting {
  readonly found: Found[]
  isMeant(price: string | null, of: string | null): boolean
  goesOn(): boolean
  readonly only: Among
  /** Adds a subscription with its holder. */
  hold(item: Found, who: string): void
  /** Adds money that moved in that month. */
  push(owned: Owned, more: { at: string; amount: number }): void
}

/** Collects up to `most` rows of one query. Rows of another plan or currency are dropped. */
export function createCollecting({ plans, shopOf }: ListDeps, query: ListQuery, most: number): Collecting {
  const { kind, month, plan, currency } = query
  const planOf = new Map(plans.flatMap(({ id, prices }) => prices.map((price) => [price.id, id] as const)))
  const isMeant = (price: string | null, of: string | null) =>
    (plan === null || (planOf.get(price ?? '') ?? price ?? '') === plan) &&
    (currency === null || of === currency)
  const isShared = plans.some((item) =>
    item.prices.some(({ provider }) => shopOf?.(provider).accepts === 'plans'),
  )
  const found: Found[] = []
  const members = new Set<string>()
  return {
    found,
    isMeant,
    goesOn: () => (kind === 'people' ? members.size : found.length) < most,
    only: amongOf(query, { plans, planOf, isShared }),
    hold: (item: Found, who: string): void => {
      members.add(who)
      found.push(item)
    },
    push: ({ p, owner }: Owned, { at, amount }: { at: string; amount: number }): void => {
      const last = kind === 'recovered' ? (query.until ?? month) : month
      if (p.currency === null || !isMeant(p.price_id, p.currency)) return
      if (monthOf(at) < month || monthOf(at) > last) return
      found.push({
        at,
        id: p.id,
        provider: p.provider,
        account: p.account,
        owner,
        price: p.price_id,
        amount,
        currency: p.currency,
        invoice: p.invoice_id,
      })
    },
  }
}

/** Collects payments that were paid after they had failed, the newest first. */
export async function collectRecovered(
  deps: ListDeps,
  list: Collecting,
  { by = null }: Pick<ListQuery, 'by'> = {},
): Promise<void> {
  // Without an overdue moment, the walk would read every payment of the month in vain.
  if (!(await wasAnyOverdue(deps.storage))) return
  let waiting: Owned[] = []
  const push = async (): Promise<void> => {
    const some = waiting
    waiting = []
    for (const place of new Set(some.map(placeOf))) {
      const own = some.filter((owned) => placeOf(owned) === place)
      const asked = new Set(own.map(({ p }) => p.id))
      const { overdue, paid } = await besideOverdue(
        deps,
        own.map(({ p, owner }) => ({ ...p, owner })),
      )
      const recovered = await createRecovered<Owned>(async (take) => overdue.forEach(take))
      for (const owned of paid) recovered.take(owned.p, owned)
      for (const { at, what, isByMember } of recovered.all())
        if (asked.has(what.p.id) && (by === null || isByMember === (by === 'member')))
          list.push(what, { at, amount: what.p.amount })
    }
  }
  await walkPayments(
    deps,
    async ({ p, owner_id: owner }) => {
      waiting.push({ p, owner })
      if (waiting.length >= atOnce) await push()
      return list.goesOn()
    },
    { ...list.only, isAfterOverdue: true },
  )
  await push()
}

/** Collects refunds: those with an object of their own by its moment, others by their payment's last change. */
export async function collectRefunded(deps: ListDeps, list: Collecting): Promise<void> {
  const taken = new Set<string>()
  let waiting: Owned[] = []
  const push = async (): Promise<void> => {
    const some = waiting
    waiting = []
    for (const place of new Set(some.map(placeOf))) {
      const own = some.filter((owned) => placeOf(owned) === place)
      const ownerOf = new Map(own.map(({ p, owner }) => [p.id, owner]))
      const payments = own.map(({ p }) => p)
      for (const { payment, ...move } of await backOf(deps.storage, payments))
        list.push({ p: payment, owner: ownerOf.get(payment.id)! }, move)
    }
  }
  const take = async ({ p, owner_id: owner }: { p: PaymentData; owner_id: string }): Promise<boolean> => {
    const key = `${placeOf({ p })}\u0000${p.id}`
    if (taken.has(key) || !list.isMeant(p.price_id, p.currency)) return list.goesOn()
    taken.add(key)
    waiting.push({ p, owner })
    if (waiting.length >= atOnce) await push()
    return list.goesOn()
  }
  const { along } = list.only
  if (along === undefined) return
  await walkRefundedPayments(deps, take, along)
  await push()
  if (!list.goesOn()) return
  await walkPayments(deps, take, list.only)
  await push()
}

function placeOf({ p }: Pick<Owned, 'p'>): string {
  return `${p.provider}\u0000${p.account}`
}

/** Collects received or failed payments. */
export function collectPayments(
  deps: ListDeps,
  list: Collecting,
  kind: 'received' | 'failed',
): Promise<void> {
  return walkPayments(
    deps,
    ({ p, owner_id: owner }) => {
      if (kind === 'received' && p.paid_at !== null && p.amount > 0)
        list.push({ p, owner }, { at: p.paid_at, amount: p.amount })
      if (kind === 'failed' && hasFailed(p)) list.push({ p, owner }, { at: p.updated_at, amount: p.amount })
      return list.goesOn()
    },
    list.only,
  )
}

/** Payments per query for refunds and recovered payments. */
const atOnce = 150

/** An item that a figure counts. */
export interface CountedRow {
  readonly at: string
  readonly id: string
  readonly provider: string
  readonly memberId: string | null
  readonly email: string | null
  readonly price: string | null
  readonly amount: number | null
  readonly currency: string | null
  readonly name: string | null
  /** The invoice's number or id at the provider. */
  readonly invoice: string | null
}

/**
 * Lists the items of a figure by the same rules that counted it. `most` limits the number.
 * @throws ERR_PARAMETER
 */
export async function listCounted(
  deps: ListDeps,
  query: ListQuery,
  most = Number.POSITIVE_INFINITY,
): Promise<CountedRow[]> {
  checkQuery(query)
  const list = createCollecting(deps, query, most)
  const { kind } = query
  if (kind === 'recovered') await collectRecovered(deps, list, query)
  else if (kind === 'refunded') await collectRefunded(deps, list)
  else if (kind === 'received' || kind === 'failed') await collectPayments(deps, list, kind)
  else await collectSubscriptions(deps, list, { ...query, kind })
  const rows = await withOwners(deps, list.found)
  const listed = kind === 'people' ? onceEach(rows) : rows
  return listed.slice(0, most).map(({ who: _, ...row }) => row)
}

/** @throws ERR_PARAMETER */
function checkQuery({ month, at, until, after }: ListQuery): void {
  if (![month, at ?? month, until ?? month].every((item) => /^\d{4}-\d{2}$/.test(item)))
    throw new MembershipError('ERR_PARAMETER', 'month is a month such as 2026-03.')
  if (!Number.isInteger(after ?? 0) || Math.abs(after ?? 0) > 1200)
    throw new MembershipError('ERR_PARAMETER', 'after is a number of months.')
}

type SubscriptionKind = Exclude<ListKind, PaymentKind | 'recovered'>

function collectSubscriptions(
  deps: ListDeps,
  list: Collecting,
  query: ListQuery & { kind: SubscriptionKind },
): Promise<void> {
  const { plans, now, inIso } = deps
  const isMoney = query.kind === 'recurring'
  return walkSubscriptions(
    deps,
    ({ s, account, owner_id: owner, member_id: member, provider, id, isNeverPaid }) => {
      const at = list.isMeant(s.price_id, s.currency)
        ? momentOf(s, query.kind, { ...query, isNeverPaid, now, inIso })
        : null
      if (at === null) return true
      const item = {
        at,
        id,
        provider,
        account,
        owner,
        price: s.price_id,
        amount: isMoney ? monthlyOf(s, plans) : null,
        currency: isMoney ? s.currency : null,
        invoice: null,
      }
      list.hold(item, member ?? `${provider}\u0000${account}\u0000${owner}`)
      return list.goesOn()
    },
    list.only,
  )
}

/** Adds the owners, newest first. */
async function withOwners({ storage }: ListDeps, found: readonly Found[]) {
  const owners = await ownersOfRows(storage, found)
  return found
    .map(({ owner, account, ...row }) => {
      const who = `${row.provider}\u0000${account}\u0000${owner}`
      const known = owners.get(who)
      return {
        ...row,
        who,
        memberId: known?.member_id ?? null,
        email: known?.email ?? null,
        name: known?.name ?? null,
      }
    })
    .sort((a, b) => (a.at < b.at ? 1 : -1))
}

/** The moment since when a figure counts a subscription; null where it does not. */
function momentOf(
  s: SubscriptionData,
  kind: SubscriptionKind,
  query: ListQuery & {
    readonly isNeverPaid: boolean
    readonly now: Date
    readonly inIso: FiguresDeps['inIso']
  },
): string | null {
  const { month, price, now } = query
  const isWithin = (item: string) => item >= month && item <= (query.until ?? month)
  if (kind === 'people') return isLiving(s, endOf(month, now), now) ? s.started_at : null
  if (kind === 'trials')
    return s.status === 'trialing' && (price ?? s.price_id) === s.price_id ? s.started_at : null
  if (kind === 'recurring') {
    const isAsked = (price ?? s.price_id) === s.price_id && isEach(s, query)
    return isAsked && isPaying(s, now) && s.currency !== null ? (s.started_at ?? s.updated_at) : null
  }
  const begun = query.isNeverPaid ? null : paidTimeOf(s, s.updated_at)
  if (begun === null) return null
  const { from, until } = begun
  if (kind === 'paying')
    return monthOf(from) < month && (until === null || monthOf(until) >= month) ? from : null
  if (kind === 'left') {
    const own = monthOf(from)
    const at = typeof query.after === 'number' ? laterBy(own, query.after) : (query.at ?? month)
    return isWithin(own) && isLeft(begun, at, at === own ? 0 : 1) ? from : null
  }
  const moment = kind === 'begun' ? from : until
  return moment !== null && isWithin(monthOf(moment)) ? moment : null
}

/** The end of a month; now for the current one. */
function endOf(month: string, now: Date): string {
  return month >= monthOf(now.toISOString()) ? now.toISOString() : `${laterBy(month, 1)}-01T00:00:00.000Z`
}

function laterBy(month: string, months: number): string {
  const [year, number] = month.split('-').map(Number)
  return monthOf(new Date(Date.UTC(year!, number! - 1 + months, 1)).toISOString())
}

function isEach(
  { unit_amount: amount, currency, provider }: SubscriptionData,
  { each, inIso }: Pick<ListQuery, 'each'> & Pick<FiguresDeps, 'inIso'>,
): boolean {
  return (
    (each ?? null) === null ||
    (amount !== null && currency !== null && inIso({ amount, currency, provider }) === each)
  )
}

/** Keeps one row per person. */
function onceEach<T extends { memberId: string | null; who: string }>(rows: readonly T[]): T[] {
  return [...new Map(rows.map((row) => [row.memberId ?? row.who, row])).values()]
}

type PaymentKind = 'received' | 'refunded' | 'failed'
