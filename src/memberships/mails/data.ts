/** An amount and how often it is paid, in the provider's minor units. */
export interface CostData {
  amount: number
  currency: string
  /** The provider whose minor units these are. */
  provider?: string
  interval: 'day' | 'week' | 'month' | 'year'
  interval_count: number
}

/** An order as its page showed it, and what was agreed to on it; `text` empty: nothing had to be. */
export interface OrderedData {
  at: string
  text: string
  facts: readonly { label: string; text: string }[]
}

/** The reason of an end: a trial was left, the money did not come, it went back, or a bank took it back. */
export type EndReason = 'trial' | 'unpaid' | 'refunded' | 'disputed'
