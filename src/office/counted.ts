/** An amount of one currency, in the minor units that people know of it. */
export interface Sum {
  readonly currency: string
  readonly amount: number
  /** The number that makes it up. */
  readonly count: number
}

/** The figures of a month for one plan: counts of memberships, and money by currency. */
export interface MonthOfPlan {
  readonly month: string
  readonly plan: string
  readonly begun: number
  readonly lost: number
  /** Paid when the month began. */
  readonly paying: number
  readonly received: readonly Sum[]
  readonly refunded: readonly Sum[]
  readonly failed: readonly Sum[]
  /** The part of the received sums that had failed first. */
  readonly recovered: readonly Sum[]
}

/** Memberships whose paid time began in one month: how many, and how many of them were paid so many months later. */
export interface Cohort {
  readonly month: string
  readonly plan: string
  /** The first: how many began. Then those that were paid when the next month was over, and so on, this month the last. */
  readonly left: readonly number[]
}

/** The figures of one price. */
export interface PriceFigures {
  readonly provider: string
  readonly price: string
  readonly plan: string
  readonly paying: number
  readonly trials: number
  /** The amounts that they pay for one of it, each with how many do. */
  readonly amounts: readonly Sum[]
}

/** The figures of a site; docs/office.md says what each counts. */
export interface Figures {
  /** As of when. */
  readonly at: string
  /** Twelve months and this one, oldest first. */
  readonly months: readonly string[]
  /** People with a membership at the end of each month; the last: now. */
  readonly members: readonly number[]
  /** Those of a month ago. */
  readonly membersBefore: number
  /** Paid memberships at the beginning of each month. */
  readonly paying: readonly number[]
  readonly recurring: readonly (Sum & { readonly plan: string })[]
  readonly byMonth: readonly MonthOfPlan[]
  readonly cohorts: readonly Cohort[]
  readonly prices: readonly PriceFigures[]
  /** Members who pay twice for the same. */
  readonly twice: readonly string[]
}
