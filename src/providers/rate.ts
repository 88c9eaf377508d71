/** Published rate limit of a provider. */
export interface Rate {
  readonly requests: number
  readonly seconds: number
  /** Limit in test mode, if it is lower. */
  readonly inTest?: number
  /** Page that states the limit, or that there is none. */
  readonly source: string
}
