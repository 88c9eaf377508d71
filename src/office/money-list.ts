import type { SubscriptionData } from '../core/dto/index.ts'
import { MembershipError } from '../core/errors.ts'
import type { FiguresDeps } from './figures.ts'
import {
  type Collecting,
  collectPayments,
  collectRecovered,
  collectRefunded,
  createCollecting,
  type Found,
  type ListDeps,
} from './list-walks.ts'
import type { ListKind, ListWish } from './list-wish.ts'
import { begunOf, isLeft, isLiving, isPaying, monthlyOf, monthOf } from './measures.ts'
import { ownersOfRows, walkSubscriptions } from './walking-statements.ts'

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

/** Lists what a number of the money page counts, by the rules by which it was counted; `most`: so many at the most, not
 *  all of them the newest. @throws ERR_PARAMETER */
export const listCounted = async (
  deps: ListDeps,
  wish: ListWish,
  most = Number.POSITIVE_INFINITY,
): Promise<CountedRow[]> => {
  checkWish(wish)
  const list = createCollecting(deps, wish, most)
  const { kind } = wish
  if (kind === 'recovered') await collectRecovered(deps, list)
  else if (kind === 'refunded') await collectRefunded(deps, list)
  else if (kind === 'received' || kind === 'failed') await collectPayments(deps, list, kind)
  else await collectSubscriptions(deps, list, { ...wish, kind })
  const rows = await withOwners(deps, list.found)
  const listed = kind === 'people' ? onceEach(rows) : rows
  return listed.slice(0, most).map(({ who: _, ...row }) => row)
}

/** @throws ERR_PARAMETER */
const checkWish = ({ month, at, until, after }: ListWish): void => {
  if (![month, at ?? month, until ?? month].every((item) => /^\d{4}-\d{2}$/.test(item)))
    throw new MembershipError('ERR_PARAMETER', 'month is a month such as 2026-03.')
  if (!Number.isInteger(after ?? 0) || Math.abs(after ?? 0) > 1200)
    throw new MembershipError('ERR_PARAMETER', 'after is a number of months.')
}

type SubscriptionKind = Exclude<ListKind, PaymentKind | 'recovered'>

const collectSubscriptions = (
  { storage, plans, now, inIso }: ListDeps,
  list: Collecting,
  wish: ListWish & { kind: SubscriptionKind },
): Promise<void> => {
  const isMoney = wish.kind === 'recurring'
  return walkSubscriptions(
    storage,
    ({ data, account, owner_id: owner, member_id: member, provider, id, isNeverPaid }) => {
      const s = JSON.parse(data) as SubscriptionData
      const at = list.isMeant(s.price_id, s.currency)
        ? momentOf(s, wish.kind, { ...wish, isNeverPaid, now, inIso })
        : null
      if (at === null) return true
      const item = {
        ...{ at, id, provider, account, owner, price: s.price_id },
        ...{ amount: isMoney ? monthlyOf(s, plans) : null, currency: isMoney ? s.currency : null },
      }
      list.hold(item, member ?? `${provider}\u0000${account}\u0000${owner}`)
      return list.goesOn()
    },
    list.only,
  )
}

/** With whose they are, the newest first. */
const withOwners = async ({ storage }: ListDeps, found: readonly Found[]) => {
  const owners = await ownersOfRows(storage, found)
  return found
    .map(({ owner, account, ...row }) => {
      const who = `${row.provider}\u0000${account}\u0000${owner}`
      const known = owners.get(who)
      return { ...row, who, memberId: known?.member_id ?? null, email: known?.email ?? null }
    })
    .sort((a, b) => (a.at < b.at ? 1 : -1))
}

/** Since when a subscription is among those that a number counts; null where it is not. */
const momentOf = (
  s: SubscriptionData,
  kind: SubscriptionKind,
  wish: ListWish & {
    readonly isNeverPaid: boolean
    readonly now: Date
    readonly inIso: FiguresDeps['inIso']
  },
): string | null => {
  const { month, price, now } = wish
  const isWithin = (item: string) => item >= month && item <= (wish.until ?? month)
  if (kind === 'people') return isLiving(s, endOf(month, now), now) ? s.started_at : null
  if (kind === 'trials')
    return s.status === 'trialing' && (price ?? s.price_id) === s.price_id ? s.started_at : null
  if (kind === 'recurring') {
    const isAsked = (price ?? s.price_id) === s.price_id && isEach(s, wish)
    return isAsked && isPaying(s, now) && s.currency !== null ? (s.started_at ?? s.updated_at) : null
  }
  const begun = wish.isNeverPaid ? null : begunOf(s)
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
