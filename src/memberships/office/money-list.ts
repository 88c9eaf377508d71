import type { PaymentData, Plan, SubscriptionData } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import type { Storage } from '../../core/storage/index.ts'
import { backOf, type FiguresDeps } from './figures.ts'
import { begunOf, isLeft, isLiving, isPaying, monthlyOf, monthOf } from './measures.ts'
import { createRecovered } from './recovered.ts'
import { type Among, ownersOfRows, walkPayments, walkSubscriptions } from './walking-statements.ts'

/** The numbers of the money page that open as lists. */
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

/** Which number, to the row. */
export interface ListWish {
  readonly kind: ListKind
  readonly month: string
  /** Of `lost` and `left`: those of all months from `month` to this one. */
  readonly until?: string | null
  readonly plan: string | null
  readonly currency: string | null
  /** Of `left`: those who began in `month` and are still paid when this one is over. */
  readonly at?: string | null
  /** Of `left`, in place of `at`: those who are still paid when so many months after their own are over. */
  readonly after?: number | null
  /** Of `recurring` and `trials`: who has this price, and pays this amount for one of it, in minor units of ISO 4217. */
  readonly price?: string | null
  readonly each?: number | null
}

/** One of those that a number counts. */
export interface CountedRow {
  readonly at: string
  readonly id: string
  readonly provider: string
  readonly memberId: string | null
  readonly email: string | null
  readonly price: string | null
  readonly amount: number | null
  readonly currency: string | null
}

type Found = Omit<CountedRow, 'memberId' | 'email'> & { readonly account: string; readonly owner: string }

/** Lists what a number of the money page counts, by the rules by which it was counted; `most`: so many at the most, not
 *  all of them the newest. @throws ERR_PARAMETER */
export const listCounted = async (
  deps: {
    storage: Pick<Storage, 'read'>
    plans: readonly Plan[]
    now: Date
    inIso: FiguresDeps['inIso']
  },
  wish: ListWish,
  most = Number.POSITIVE_INFINITY,
): Promise<CountedRow[]> => {
  const { storage, plans, now, inIso } = deps
  const { kind, month, plan, currency } = wish
  if (![month, wish.at ?? month, wish.until ?? month].every((one) => /^\d{4}-\d{2}$/.test(one)))
    throw new MembershipError('ERR_PARAMETER', 'month is a month such as 2026-03.')
  if (!Number.isInteger(wish.after ?? 0) || Math.abs(wish.after ?? 0) > 1200)
    throw new MembershipError('ERR_PARAMETER', 'after is a number of months.')
  const planOf = new Map(plans.flatMap(({ id, prices }) => prices.map((price) => [price.id, id] as const)))
  const isMeant = (price: string | null, of: string | null) =>
    (plan === null || (planOf.get(price ?? '') ?? price ?? '') === plan) &&
    (currency === null || of === currency)
  const found: Found[] = []
  const people = new Set<string>()
  const goesOn = () => (kind === 'people' ? people.size : found.length) < most
  // Whoever wants all of them reads in order; for some of them the database looks.
  const only = amongOf(wish, { plans, planOf, isSome: most < Number.POSITIVE_INFINITY })

  const push = (p: PaymentData, owner: string, { at, amount }: { at: string; amount: number }): void => {
    if (p.currency === null || !isMeant(p.price_id, p.currency) || monthOf(at) !== month) return
    found.push({
      ...{ at, id: p.id, provider: p.provider, account: p.account, owner },
      ...{ price: p.price_id, amount, currency: p.currency },
    })
  }

  if (kind === 'recovered') {
    const recovered = await createRecovered<{ p: PaymentData; owner: string }>(storage)
    if (recovered.isAny)
      await walkPayments(storage, ({ data, owner_id: owner }) => {
        const p = JSON.parse(data) as PaymentData
        recovered.take(p, { p, owner })
      })
    for (const { at, what } of recovered.all()) push(what.p, what.owner, { at, amount: what.p.amount })
  } else if (isOfMoney(kind))
    await walkPayments(
      storage,
      async ({ data, owner_id: owner }) => {
        const p = JSON.parse(data) as PaymentData
        if (!isMeant(p.price_id, p.currency)) return true
        for (const move of await movesOf(storage, p, kind)) push(p, owner, move)
        return goesOn()
      },
      only,
    )
  else
    await walkSubscriptions(
      storage,
      ({ data, account, owner_id: owner, member_id: member, provider, id }) => {
        const s = JSON.parse(data) as SubscriptionData
        const at = isMeant(s.price_id, s.currency) ? momentOf(s, kind, { ...wish, now, inIso }) : null
        if (at === null) return true
        people.add(member ?? `${provider}\u0000${account}\u0000${owner}`)
        const isMoney = kind === 'recurring'
        found.push({
          ...{ at, id, provider, account, owner, price: s.price_id },
          ...{ amount: isMoney ? monthlyOf(s, plans) : null, currency: isMoney ? s.currency : null },
        })
        return goesOn()
      },
      only,
    )
  const owners = await ownersOfRows(storage, found)
  const rows = found
    .map(({ owner, account, ...row }) => {
      const who = `${row.provider}\u0000${account}\u0000${owner}`
      const known = owners.get(who)
      return { ...row, who, memberId: known?.member_id ?? null, email: known?.email ?? null }
    })
    .sort((a, b) => (a.at < b.at ? 1 : -1))
  return (kind === 'people' ? onceEach(rows) : rows).map(({ who: _, ...row }) => row)
}

/** What the database may leave out for a wish: nothing of what is meant. */
const amongOf = (
  { kind, month, plan, price, until, after }: ListWish,
  { plans, planOf, isSome }: { plans: readonly Plan[]; planOf: ReadonlyMap<string, string>; isSome: boolean },
): Among => {
  const ofPlan = plans.filter(({ id }) => id === plan).flatMap(({ prices }) => prices.map(({ id }) => id))
  // What is at no configured plan is counted by its price's own name.
  const own = plan === null || plan === '' || planOf.has(plan) ? [] : [plan]
  const prices = price ? [price] : plan === null || plan === '' ? [] : [...ofPlan, ...own]
  const isOneMonth = (until ?? month) === month && (after ?? null) === null
  const texts = isSome && isOneMonth ? textsOf[kind]?.(month) : undefined
  return {
    ...(statusesOf[kind] ? { statuses: statusesOf[kind] } : {}),
    ...(prices.length > 0 ? { prices } : {}),
    ...(texts ? { texts } : {}),
    ...(kind === 'refunded' ? { without: '"amount_refunded":0' } : {}),
  }
}

const statusesOf: Partial<Record<ListKind, readonly string[]>> = {
  lost: ['canceled'],
  trials: ['trialing'],
  recurring: ['active', 'past_due'],
  failed: ['failed'],
}

/** What stands in everything that has to do with a month. */
const textsOf: Partial<Record<ListKind, (month: string) => readonly string[]>> = {
  begun: (month) => [`"started_at":"${month}-`, `"trial_ends_at":"${month}-`],
  left: (month) => [`"started_at":"${month}-`, `"trial_ends_at":"${month}-`],
  lost: (month) => [`"${month}-`],
  received: (month) => [`"paid_at":"${month}-`],
  failed: (month) => [`"updated_at":"${month}-`],
}

/** Since when a subscription is among those that a number counts; null where it is not. */
const momentOf = (
  s: SubscriptionData,
  kind: Exclude<ListKind, PaymentKind | 'recovered'>,
  wish: ListWish & { readonly now: Date; readonly inIso: FiguresDeps['inIso'] },
): string | null => {
  const { month, price, now } = wish
  const isWithin = (one: string) => one >= month && one <= (wish.until ?? month)
  if (kind === 'people') return isLiving(s, endOf(month, now), now) ? s.started_at : null
  if (kind === 'trials')
    return s.status === 'trialing' && (price ?? s.price_id) === s.price_id ? s.started_at : null
  if (kind === 'recurring') {
    const isAsked = (price ?? s.price_id) === s.price_id && isEach(s, wish)
    return isAsked && isPaying(s, now) && s.currency !== null ? (s.started_at ?? s.updated_at) : null
  }
  const begun = begunOf(s)
  if (begun === null) return null
  const { from, until } = begun
  if (kind === 'paying')
    return monthOf(from) < month && (until === null || monthOf(until) >= month) ? from : null
  if (kind === 'left') {
    const own = monthOf(from)
    const at = typeof wish.after === 'number' ? laterBy(own, wish.after) : (wish.at ?? month)
    return isWithin(own) && isLeft(begun, at, at === own ? 0 : 1) ? from : null
  }
  const moment = kind === 'begun' ? from : until
  return moment !== null && isWithin(monthOf(moment)) ? moment : null
}

/** The moment at which a month was over; of this one, now. */
const endOf = (month: string, now: Date): string =>
  month >= monthOf(now.toISOString()) ? now.toISOString() : `${laterBy(month, 1)}-01T00:00:00.000Z`

const laterBy = (month: string, months: number): string => {
  const [year, number] = month.split('-').map(Number)
  return monthOf(new Date(Date.UTC(year!, number! - 1 + months, 1)).toISOString())
}

const isEach = (
  { unit_amount: amount, currency, provider }: SubscriptionData,
  { each, inIso }: Pick<ListWish, 'each'> & Pick<FiguresDeps, 'inIso'>,
): boolean =>
  (each ?? null) === null ||
  (amount !== null && currency !== null && inIso({ amount, currency, provider }) === each)

/** Whoever has several is one. */
const onceEach = <T extends { memberId: string | null; who: string }>(rows: readonly T[]): T[] => [
  ...new Map(rows.map((row) => [row.memberId ?? row.who, row])).values(),
]

type PaymentKind = 'received' | 'refunded' | 'failed'
const isOfMoney = (kind: ListKind): kind is PaymentKind =>
  kind === 'received' || kind === 'refunded' || kind === 'failed'

const movesOf = async (
  storage: Pick<Storage, 'read'>,
  p: PaymentData,
  kind: PaymentKind,
): Promise<{ at: string; amount: number }[]> => {
  if (kind === 'received')
    return p.paid_at !== null && p.amount > 0 ? [{ at: p.paid_at, amount: p.amount }] : []
  if (kind === 'failed') return p.status === 'failed' ? [{ at: p.updated_at, amount: p.amount }] : []
  return p.amount_refunded > 0 ? backOf(storage, p) : []
}
