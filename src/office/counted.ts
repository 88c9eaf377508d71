import type { Recent } from './recent.ts'
import type { RecurringMonth } from './recurring-months.ts'

/** An amount of one currency, in the minor units that people use. */
export interface Sum {
  readonly currency: string
  readonly amount: number
  /** The number of items in the amount. */
  readonly count: number
}

/** One plan's figures for a month: counts of memberships, and money by currency. */
export interface MonthOfPlan {
  readonly month: string
  readonly plan: string
  readonly begun: number
  readonly lost: number
  /** Memberships that were paid at the start of the month. */
  readonly paying: number
  readonly received: readonly Sum[]
  readonly refunded: readonly Sum[]
  readonly failed: readonly Sum[]
  /** The part of the received amounts that had failed before. */
  readonly recovered: readonly Sum[]
  /** The part of it whose member opened the page that pays, from a mail or the account. A count of before has none. */
  readonly recoveredByMember?: readonly Sum[]
}

/** The memberships whose paid time began in one month, with how many were still paid in each later month. */
export interface Cohort {
  readonly month: string
  readonly plan: string
  /**
   * First the number that began. Then the number still paid at the end of each following month, up to the current one.
   */
  readonly left: readonly number[]
}

/** The figures of one price. */
export interface PriceFigures {
  readonly provider: string
  readonly price: string
  readonly plan: string
  readonly paying: number
  readonly trials: number
  /** The amounts paid per piece, each with its number of memberships. */
  readonly amounts: readonly Sum[]
}

/** The site's figures. docs/reference/office-figures.md defines each count. */
export interface Figures {
  /** When the figures were counted. */
  readonly at: string
  /** Twelve months and the current one, oldest first. */
  readonly months: readonly string[]
  /** Members with a membership at the end of each month; the last value is now. */
  readonly members: readonly number[]
  /** The number a month ago. */
  readonly membersBefore: number
  /** Paid memberships at the start of each month. */
  readonly paying: readonly number[]
  readonly recurring: readonly (Sum & { readonly plan: string })[]
  /** MRR of the months by currency, oldest first. Absent in a count that an older version kept. */
  readonly recurringMonths?: readonly RecurringMonth[]
  readonly byMonth: readonly MonthOfPlan[]
  readonly cohorts: readonly Cohort[]
  readonly prices: readonly PriceFigures[]
  /** Gifts and seats in use: what people have without a membership of their own. Absent in a count that an older version kept. */
  readonly others?: { readonly gifts: number; readonly seats: number }
  /** Members who pay twice for the same thing. */
  readonly twice: readonly string[]
  /** Absent in a count that an older version kept. */
  readonly recent?: Recent
}
