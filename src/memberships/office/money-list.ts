import type { PaymentData, Plan, SubscriptionData } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import type { Storage } from '../../core/storage/index.ts'
import { backOf } from './figures.ts'
import { begunOf, monthOf } from './measures.ts'
import { ownersOfRows, walkPayments, walkSubscriptions } from './walking-statements.ts'

/** The numbers of the money page that open as lists. */
export const listKinds = ['begun', 'lost', 'received', 'refunded', 'failed'] as const
/** One of {@link listKinds}. */
export type ListKind = (typeof listKinds)[number]

/** Which number, to the row. */
export interface ListWish {
  readonly kind: ListKind
  readonly month: string
  readonly plan: string | null
  readonly currency: string | null
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

/** Lists what a number of the money page counts, by the rules by which it was counted. @throws ERR_PARAMETER */
export const listCounted = async (
  storage: Pick<Storage, 'read'>,
  plans: readonly Plan[],
  { kind, month, plan, currency }: ListWish,
): Promise<CountedRow[]> => {
  if (!/^\d{4}-\d{2}$/.test(month))
    throw new MembershipError('ERR_PARAMETER', 'month is a month such as 2026-03.')
  const planOf = new Map(plans.flatMap(({ id, prices }) => prices.map((price) => [price.id, id] as const)))
  const isMeant = (price: string | null, of: string | null) =>
    (plan === null || (planOf.get(price ?? '') ?? price ?? '') === plan) &&
    (currency === null || of === currency)
  const found: (Omit<CountedRow, 'memberId' | 'email'> & { account: string; owner: string })[] = []

  if (kind === 'begun' || kind === 'lost')
    await walkSubscriptions(storage, ({ data, account, owner_id: owner, provider, id }) => {
      const s = JSON.parse(data) as SubscriptionData
      const begun = begunOf(s)
      const at = kind === 'begun' ? begun?.from : begun?.until
      if (at && monthOf(at) === month && isMeant(s.price_id, s.currency))
        found.push({ at, id, provider, account, owner, price: s.price_id, amount: null, currency: null })
    })
  else
    await walkPayments(storage, async ({ data, owner_id: owner }) => {
      const p = JSON.parse(data) as PaymentData
      if (p.currency === null || !isMeant(p.price_id, p.currency)) return
      for (const { at, amount } of await movesOf(storage, p, kind))
        if (monthOf(at) === month)
          found.push({
            ...{ at, id: p.id, provider: p.provider, account: p.account, owner },
            ...{ price: p.price_id, amount, currency: p.currency },
          })
    })
  const owners = await ownersOfRows(storage, found)
  return found
    .map(({ owner, account, ...row }) => {
      const known = owners.get(`${row.provider}\u0000${account}\u0000${owner}`)
      return { ...row, memberId: known?.member_id ?? null, email: known?.email ?? null }
    })
    .sort((a, b) => (a.at < b.at ? 1 : -1))
}

const movesOf = async (
  storage: Pick<Storage, 'read'>,
  p: PaymentData,
  kind: Exclude<ListKind, 'begun' | 'lost'>,
): Promise<{ at: string; amount: number }[]> => {
  if (kind === 'received')
    return p.paid_at !== null && p.amount > 0 ? [{ at: p.paid_at, amount: p.amount }] : []
  if (kind === 'failed') return p.status === 'failed' ? [{ at: p.updated_at, amount: p.amount }] : []
  return p.amount_refunded > 0 ? backOf(storage, p) : []
}
