import type { Plan, PlanWords, Price, TitledPlan } from '../../core/dto/index.ts'
import { type SoldPrice, toSoldPrice } from '../../core/dto/sold.ts'
import type { Documents } from '../../core/storage/index.ts'

/** A price's name from a moment on. The first name also covers the time before. */
interface Called extends Pick<Plan, 'id' | 'name'> {
  readonly since: string
  /** By language: the name in that language. */
  readonly in: Readonly<Record<string, string>>
}

/** A price's names, oldest first, with its billing interval. */
interface NamedPrice extends Pick<Price, 'type' | 'interval' | 'interval_count'> {
  readonly called: readonly Called[]
  /** The last terms that it was sold under; absent for a price that left before these were noted. */
  readonly sold?: SoldPrice
}
type Kept = Readonly<Record<string, NamedPrice>>

export interface PriceNames {
  /** Stores changed names. */
  note(plans: readonly Plan[]): Promise<void>
  /** The price's plan under its earlier name; undefined for a price that was never in a plan. */
  findCalled(priceId: string, at: string): TitledPlan | undefined
  /**
   * The last terms of a price that left the configuration. Of one that left before terms were noted only its plan is
   * known, and a one-time price may have given something else.
   */
  findSold(priceId: string): SoldPrice | undefined
  /** True if a price was ever sold in a plan with seats. */
  soldSeats(): boolean
}

/**
 * Remembers the names of prices over time, and their last terms. A receipt of last year keeps its plan's name after the
 * plan is renamed or removed, and a debit that is paid after its price left buys what it was begun for.
 */
export function createPriceNames(deps: {
  documents: Pick<Documents, 'get' | 'swap'>
  now: () => Date
}): PriceNames {
  const { documents, now } = deps
  let kept: Kept = {}
  // The names that this process last stored. Another process with newer names is not overwritten.
  let provided: Names = new Map()

  const note = async (plans: readonly Plan[]): Promise<void> => {
    const names = namesOf(plans)
    if (JSON.stringify([...names]) === JSON.stringify([...provided])) return
    for (let tries = 0; tries < mostTries; tries++) {
      const was = await documents.get<Kept>(key)
      kept = withNames(was ?? {}, { names, provided, at: now().toISOString() })
      const isNew = JSON.stringify(kept) !== JSON.stringify(was)
      if (!isNew || (await documents.swap({ key, was, value: kept }, new Map()))) break
    }
    provided = names
  }

  const findCalled = (priceId: string, at: string): TitledPlan | undefined => {
    const known = Object.hasOwn(kept, priceId) ? kept[priceId] : undefined
    const called = known?.called.findLast(({ since }) => since <= at) ?? known?.called[0]
    if (known === undefined || called === undefined) return undefined
    const { type, interval, interval_count } = known
    const words = Object.fromEntries(Object.entries(called.in).map(([lang, name]) => [lang, { name }]))
    return {
      id: called.id,
      name: called.name,
      words,
      prices: [{ id: priceId, type, interval, interval_count }],
    }
  }

  const findSold = (priceId: string): SoldPrice | undefined => {
    const known = Object.hasOwn(kept, priceId) ? kept[priceId] : undefined
    const plan = known?.called.at(-1)?.id
    if (known === undefined || known.sold !== undefined || plan === undefined) return known?.sold
    const { type, interval, interval_count } = known
    if (type === 'one_time') return undefined
    return { id: priceId, plan, type, interval, interval_count, amount: null, currency: null }
  }

  const soldSeats = (): boolean => Object.values(kept).some(({ sold }) => sold?.seats !== undefined)

  return { note, findCalled, findSold, soldSeats }
}

const key = 'prices'
const mostTries = 5

type Names = ReadonlyMap<string, Omit<NamedPrice, 'called'> & Omit<Called, 'since'>>

function namesOf(plans: readonly Plan[]): Names {
  return new Map(
    plans.flatMap((plan) =>
      plan.prices.map((price) => {
        const { type, interval, interval_count } = price
        const { id, name, words = {} } = plan
        const sold = toSoldPrice(plan, price)
        return [price.id, { type, interval, interval_count, sold, id, name, in: namesIn(words) }]
      }),
    ),
  )
}

function namesIn(words: Readonly<Record<string, PlanWords>>): Record<string, string> {
  return Object.fromEntries(Object.entries(words).flatMap(([lang, { name }]) => (name ? [[lang, name]] : [])))
}

function withNames(was: Kept, { names, provided, at }: { names: Names; provided: Names; at: string }): Kept {
  const next = { ...was }
  for (const [price, { type, interval, interval_count, sold, ...is }] of names) {
    const before = (Object.hasOwn(was, price) ? was[price]?.called : undefined) ?? []
    const lastProvided = provided.get(price)
    const isOwnNews = lastProvided === undefined || isRenamed(lastProvided, is)
    const called = calledNow(before, is, isOwnNews ? at : null)
    next[price] = { type, interval, interval_count, ...(sold !== undefined && { sold }), called }
  }
  return next
}

/** An added language is not a new name. `at` is null if this process has stored the name before. */
function calledNow(
  before: readonly Called[],
  is: Omit<Called, 'since'>,
  at: string | null,
): readonly Called[] {
  const last = before.at(-1)
  if (last === undefined) return [{ ...is, since: '' }]
  if (!isRenamed(last, is)) return [...before.slice(0, -1), { ...is, since: last.since }]
  return at === null ? before : [...before, { ...is, since: at }]
}

function isRenamed(was: Omit<Called, 'since'>, is: Omit<Called, 'since'>): boolean {
  return was.name !== is.name || Object.entries(was.in).some(([lang, name]) => (is.in[lang] ?? name) !== name)
}
