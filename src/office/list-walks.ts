import type { PaymentData, Plan } from '../core/dto/index.ts'
import type { Storage } from '../core/storage/index.ts'
import { backOf, type FiguresDeps } from './figures.ts'
import { amongOf, type ListWish } from './list-wish.ts'
import { monthOf } from './measures.ts'
import { createRecovered } from './recovered.ts'
import { walkPayments } from './walking-statements.ts'

export interface ListDeps {
  readonly storage: Pick<Storage, 'read'>
  readonly plans: readonly Plan[]
  readonly now: Date
  readonly inIso: FiguresDeps['inIso']
}

/** One that a number counts, before it is known whose it is. */
export interface Found {
  readonly at: string
  readonly id: string
  readonly provider: string
  readonly account: string
  readonly owner: string
  readonly price: string | null
  readonly amount: number | null
  readonly currency: string | null
}

interface Owned {
  readonly p: PaymentData
  readonly owner: string
}

export type Collecting = ReturnType<typeof createCollecting>

/** Collects the rows of one wish, `most` of them; rows of another plan or currency are left out. */
export const createCollecting = ({ plans }: ListDeps, wish: ListWish, most: number) => {
  const { kind, month, plan, currency } = wish
  const planOf = new Map(plans.flatMap(({ id, prices }) => prices.map((price) => [price.id, id] as const)))
  const isMeant = (price: string | null, of: string | null) =>
    (plan === null || (planOf.get(price ?? '') ?? price ?? '') === plan) &&
    (currency === null || of === currency)
  const found: Found[] = []
  const people = new Set<string>()
  return {
    found,
    isMeant,
    goesOn: () => (kind === 'people' ? people.size : found.length) < most,
    // Whoever wants all of them reads in order; for some of them the database looks.
    only: amongOf(wish, { plans, planOf, isSome: most < Number.POSITIVE_INFINITY }),
    /** A subscription, and who has it. */
    hold: (item: Found, who: string): void => {
      people.add(who)
      found.push(item)
    },
    /** Money that moved at a moment of that month. */
    push: ({ p, owner }: Owned, { at, amount }: { at: string; amount: number }): void => {
      if (p.currency === null || !isMeant(p.price_id, p.currency) || monthOf(at) !== month) return
      found.push({
        ...{ at, id: p.id, provider: p.provider, account: p.account, owner },
        ...{ price: p.price_id, amount, currency: p.currency },
      })
    },
  }
}

/** Payments that came after they had failed. */
export const collectRecovered = async ({ storage }: ListDeps, list: Collecting): Promise<void> => {
  const recovered = await createRecovered<Owned>(storage)
  if (recovered.isAny)
    await walkPayments(storage, ({ data, owner_id: owner }) => {
      const p = JSON.parse(data) as PaymentData
      recovered.take(p, { p, owner })
    })
  for (const { at, what } of recovered.all()) list.push(what, { at, amount: what.p.amount })
}

/** Collects the money that went back, as its refunds say. */
export const collectRefunded = async ({ storage }: ListDeps, list: Collecting): Promise<void> => {
  const places = new Map<string, Owned[]>()
  await walkPayments(
    storage,
    ({ data, owner_id: owner, provider, account }) => {
      const p = JSON.parse(data) as PaymentData
      const place = `${provider}\u0000${account}`
      if (list.isMeant(p.price_id, p.currency)) placed(places, place).push({ p, owner })
    },
    list.only,
  )
  for (const all of places.values())
    for (let from = 0; from < all.length && list.goesOn(); from += atOnce) {
      const some = all.slice(from, from + atOnce)
      const ownerOf = new Map(some.map(({ p, owner }) => [p.id, owner]))
      const payments = some.map(({ p }) => p)
      for (const { payment, ...move } of await backOf(storage, payments))
        list.push({ p: payment, owner: ownerOf.get(payment.id)! }, move)
    }
}

/** Collects the money that came in, or was tried in vain. */
export const collectPayments = (
  { storage }: ListDeps,
  list: Collecting,
  kind: 'received' | 'failed',
): Promise<void> =>
  walkPayments(
    storage,
    ({ data, owner_id: owner }) => {
      const p = JSON.parse(data) as PaymentData
      if (kind === 'received' && p.paid_at !== null && p.amount > 0)
        list.push({ p, owner }, { at: p.paid_at, amount: p.amount })
      if (kind === 'failed' && p.status === 'failed')
        list.push({ p, owner }, { at: p.updated_at, amount: p.amount })
      return list.goesOn()
    },
    list.only,
  )

/** So many payments' refunds are asked for together. */
const atOnce = 150

const placed = <T>(places: Map<string, T[]>, place: string): T[] => {
  const found = places.get(place) ?? []
  places.set(place, found)
  return found
}
