import type { PlanConfig } from '../../core/config/index.ts'
import type { Plan, Price } from '../../core/dto/index.ts'
import type { Documents } from '../../core/storage/index.ts'

/** An amount at which a price was on offer, and when. */
interface OfferedAmount {
  readonly price: string
  readonly amount: number
  readonly from: string
  /** Null while it is on offer. */
  readonly until: string | null
}

/** By offer (a plan with its interval and currency): the amounts at which it was on offer, oldest first. */
export type OfferHistory = Readonly<Record<string, readonly OfferedAmount[]>>

/**
 * Remembers at which amounts plans were on offer, because a sale names the lowest amount of the 30 days before it:
 * directive 98/6/EC, article 6a, https://eur-lex.europa.eu/eli/dir/1998/6/2022-05-28
 */
export function createOfferHistory(deps: { documents: Pick<Documents, 'get' | 'swap'>; now: () => Date }) {
  const { documents, now } = deps
  let kept: OfferHistory = {}
  let noted: string | null = null

  return {
    kept: (): OfferHistory => kept,
    /** Stores what is on offer now, where that changed. Only a site with a sale reads what other processes noted. */
    note: async (plans: readonly Plan[]): Promise<void> => {
      const offered = offersOf(plans)
      const asText = JSON.stringify(offered)
      const hasSale = plans.some(({ prices }) => prices.some(({ was }) => was !== undefined))
      if (asText === noted && !hasSale) return
      for (let tries = 0; tries < mostTries; tries++) {
        const was = await documents.get<OfferHistory>(key)
        kept = withOffers(was ?? {}, offered, now())
        const isNew = JSON.stringify(kept) !== JSON.stringify(was)
        if (!isNew || (await documents.swap({ key, was, value: kept }, new Map()))) {
          noted = asText
          return
        }
      }
    },
  }
}

const key = 'amounts'
const mostTries = 5
const dayMs = 86_400_000
const ruleDays = 30
// Ended amounts are kept for the longest sale that is likely, and the days before it.
const keptDays = 400

interface Offered {
  readonly offer: string
  readonly price: string
  readonly amount: number
}

function offersOf(plans: readonly Plan[]): readonly Offered[] {
  return plans.flatMap((plan) =>
    plan.prices.flatMap((price) =>
      price.retired || price.amount === null
        ? []
        : [{ offer: offerOf(price), price: price.id, amount: price.amount }],
    ),
  )
}

// During a deployment, processes with the old and the new prices run beside each other.
function isRecent({ until }: OfferedAmount, now: Date): boolean {
  return until === null || Date.parse(until) > now.getTime() - dayMs
}

/** The same thing at another price id is the same offer. */
function offerOf({ provider, plan, type, interval, interval_count, currency }: Price): string {
  return [provider, plan, type, interval ?? '', interval_count ?? '', currency ?? ''].join(' ')
}

/** Adds what is on offer, and ends what is no more. Pure. */
export function withOffers(was: OfferHistory, offered: readonly Offered[], now: Date): OfferHistory {
  const at = now.toISOString()
  const oldest = new Date(now.getTime() - keptDays * dayMs).toISOString()
  const isOffered = (offer: string, { price, amount }: OfferedAmount) =>
    offered.some((item) => item.offer === offer && item.price === price && item.amount === amount)
  const next: Record<string, readonly OfferedAmount[]> = {}
  for (const offer of new Set([...Object.keys(was), ...offered.map((item) => item.offer)])) {
    const before = (Object.hasOwn(was, offer) ? was[offer] : undefined) ?? []
    const ended = before
      .map((item) => {
        if (!isOffered(offer, item)) return item.until === null ? { ...item, until: at } : item
        return isRecent(item, now) ? { ...item, until: null } : item
      })
      .filter(({ until }) => until === null || until > oldest)
    const isOpen = ({ price, amount }: Offered) =>
      ended.some((item) => item.until === null && item.price === price && item.amount === amount)
    const begun = offered
      .filter((item) => item.offer === offer && !isOpen(item))
      .map(({ price, amount }) => ({ price, amount, from: at, until: null }))
    if (ended.length + begun.length > 0) next[offer] = [...ended, ...begun]
  }
  return next
}

/**
 * The plans at this moment. A price whose sale is over is no longer sold, and during a sale the price that it stands for
 * is not. The old amount is the lowest of the 30 days before the sale began, and never above what the site wrote. Pure.
 */
export function withSales(
  plans: readonly PlanConfig[],
  history: OfferHistory,
  now: Date,
): readonly PlanConfig[] {
  if (!plans.some(({ prices }) => prices.some(isSale))) return plans
  const at = now.toISOString()
  return plans.map((plan) => {
    const running = plan.prices.filter((price) => isSale(price) && !price.retired && !isOver(price, at))
    const replaced = new Set(running.flatMap(({ stands_for }) => stands_for ?? []))
    const prices = plan.prices.map((price) => {
      if (replaced.has(price.id) || replaced.has(price.lookup_key ?? '')) return { ...price, retired: true }
      if (!isSale(price)) return price
      if (isOver(price, at)) return { ...price, retired: true }
      return withOldAmount(price, plan, history, now)
    })
    return { ...plan, prices }
  })
}

function isSale({ was, until, stands_for }: Price): boolean {
  return was !== undefined || until !== undefined || stands_for !== undefined
}

function isOver({ until }: Price, at: string): boolean {
  return until !== undefined && until <= at
}

function withOldAmount(price: Price, plan: Plan, history: OfferHistory, now: Date): Price {
  const { was: _, ...bare } = price
  const regular = plan.prices.find(
    ({ id, lookup_key }) => id === price.stands_for || lookup_key === price.stands_for,
  )
  const written = price.was ?? regular?.amount ?? null
  if (written === null || price.amount === null) return bare
  const lowest = Math.min(written, ...earlierAmounts(price, price.amount, history, now))
  // A price that was as low within 30 days is no reduction.
  return lowest > price.amount ? { ...bare, was: lowest } : bare
}

function earlierAmounts(price: Price, amount: number, history: OfferHistory, now: Date): readonly number[] {
  const amounts = history[offerOf(price)] ?? []
  const own = amounts.findLast(
    (item) => item.price === price.id && item.amount === amount && isRecent(item, now),
  )
  const begun = own?.from ?? now.toISOString()
  const since = new Date(Date.parse(begun) - ruleDays * dayMs).toISOString()
  return amounts
    .filter((item) => item !== own && item.from < begun && (item.until === null || item.until > since))
    .map((item) => item.amount)
}
