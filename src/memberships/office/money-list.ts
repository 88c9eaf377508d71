import type { PaymentData, Plan, SubscriptionData } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import type { Storage } from '../../core/storage/index.ts'
import { backOf, type FiguresDeps } from './figures.ts'
import { amongOf, type ListKind, type ListWish } from './list-wish.ts'
import { begunOf, isLeft, isLiving, isPaying, monthlyOf, monthOf } from './measures.ts'
import { createRecovered } from './recovered.ts'
import { ownersOfRows, walkPayments, walkSubscriptions } from './walking-statements.ts'

export { type ListKind, type ListWish, listKinds } from './list-wish.ts'

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
  } else if (kind === 'refunded') {
    const places = new Map<string, { p: PaymentData; owner: string }[]>()
    await walkPayments(
      storage,
      ({ data, owner_id: owner, provider, account }) => {
        const p = JSON.parse(data) as PaymentData
        const place = `${provider}\u0000${account}`
        if (isMeant(p.price_id, p.currency)) placed(places, place).push({ p, owner })
      },
      only,
    )
    for (const all of places.values())
      for (let from = 0; from < all.length && goesOn(); from += atOnce) {
        const some = all.slice(from, from + atOnce)
        const ownerOf = new Map(some.map(({ p, owner }) => [p.id, owner]))
        for (const { payment, ...move } of await backOf(
          storage,
          some.map(({ p }) => p),
        ))
          push(payment, ownerOf.get(payment.id)!, move)
      }
  } else if (kind === 'received' || kind === 'failed')
    await walkPayments(
      storage,
      ({ data, owner_id: owner }) => {
        const p = JSON.parse(data) as PaymentData
        if (kind === 'received' && p.paid_at !== null && p.amount > 0)
          push(p, owner, { at: p.paid_at, amount: p.amount })
        if (kind === 'failed' && p.status === 'failed') push(p, owner, { at: p.updated_at, amount: p.amount })
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
  const listed = kind === 'people' ? onceEach(rows) : rows
  return listed.slice(0, most).map(({ who: _, ...row }) => row)
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

/** So many payments' refunds are asked for together. */
const atOnce = 150

const placed = <T>(places: Map<string, T[]>, place: string): T[] => {
  const found = places.get(place) ?? []
  places.set(place, found)
  return found
}
