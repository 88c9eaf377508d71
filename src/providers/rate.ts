/** Published rate limit of a provider. */
export interface Rate {
  readonly requests: number
  readonly seconds: number
  /** In test mode, where that is less. */
  readonly inTest?: number
  /** Page that states the limit, or that there is none. */
  readonly source: string
}
