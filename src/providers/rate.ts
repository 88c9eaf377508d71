/** How many requests a provider takes, as it publishes it. */
export interface Rate {
  readonly requests: number
  readonly seconds: number
  /** In test mode, where that is less. */
  readonly inTest?: number
  /** Where the provider says it, or that it publishes none. */
  readonly source: string
}
