/** An amount in the provider's minor units, and how often it is paid. */
export interface CostData {
  amount: number
  currency: string
  /** The provider that defines the minor units. */
  provider?: string
  interval: 'day' | 'week' | 'month' | 'year'
  interval_count: number
}

/** An order as its page showed it, with the consent given there. An empty `text` means that none was needed. */
export interface OrderedData {
  at: string
  text: string
  facts: readonly { label: string; text: string }[]
}

/** The seller of something, and the mention of value added tax beside its price. */
export interface Sale {
  readonly seller: { readonly name: string; readonly address: readonly string[] } | null
  readonly tax: 'included' | 'excluded' | 'none' | null
}

/** The reason of an end: the trial ended, the payment failed, it was refunded, or the bank reversed it. */
export type EndReason = 'trial' | 'unpaid' | 'refunded' | 'disputed'
