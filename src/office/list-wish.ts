import type { Plan } from '../core/dto/index.ts'
import type { Among } from './walking-statements.ts'

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
  /** The last month of `lost` and `left`, which begin at `month`. */
  readonly until?: string | null
  readonly plan: string | null
  readonly currency: string | null
  /** The month of `left` at whose end they are still paid, of those who began in `month`. */
  readonly at?: string | null
  /**
   * The number of months of `left`, in place of `at`: those are listed who are still paid when so many months after
   * their own are over.
   */
  readonly after?: number | null
  /** The price of `recurring` and `trials`, and the amount that is paid for one of it, in minor units of ISO 4217. */
  readonly price?: string | null
  readonly each?: number | null
}

/** The rows that the database may leave out for a wish: none that is meant. `isSome`: not all of them are wanted. */
export const amongOf = (
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

/** The texts in every row that has to do with a month. */
const textsOf: Partial<Record<ListKind, (month: string) => readonly string[]>> = {
  begun: (month) => [`"started_at":"${month}-`, `"trial_ends_at":"${month}-`],
  left: (month) => [`"started_at":"${month}-`, `"trial_ends_at":"${month}-`],
  lost: (month) => [`"${month}-`],
  received: (month) => [`"paid_at":"${month}-`],
  failed: (month) => [`"updated_at":"${month}-`],
}
