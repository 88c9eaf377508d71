/** A counted allowance as a member has it now. */
export interface Limit {
  readonly name: string
  /** The amount that the plan includes in this window; 0 without a plan that includes it. */
  readonly amount: number
  /** The part of that amount that is used. */
  readonly used: number
  /** The rest that can be used, of the plan's amount, top-ups and credits together. */
  readonly left: number
  /** The part of `left` that top-ups and credits hold. */
  readonly added: number
  /** When the count begins anew, ISO 8601 UTC; null where it never does, or not before a renewal is paid. */
  readonly resets_at: string | null
  /** The plan that includes it; `top-up` where only top-ups and credits are left; null where there is nothing. */
  readonly source: string | null
}

/** The `extensions` of `ERR_LIMIT`: what is left, and what gives more. */
export interface LimitRefusal {
  readonly limit: Limit
  /** Plans with a greater amount. */
  readonly opens_more: readonly {
    readonly plan: string
    readonly amount: number
    /** When that amount begins anew, such as `month`. */
    readonly every: string
  }[]
  /** Prices that add to the limit. `amount`: what one piece adds. */
  readonly top_ups: readonly { readonly plan: string; readonly price: string; readonly amount: number }[]
}
