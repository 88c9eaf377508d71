/** A webhook endpoint as set up at the provider. */
export interface ProviderEndpoint {
  readonly url: string
  readonly isEnabled: boolean
  /** Events that this site reads and the endpoint does not receive. */
  readonly missing: readonly string[]
}

/** Webhook address of one object, at a provider where each object names one. */
export interface CalledAddress {
  /** null: no address. */
  readonly url: string | null
  readonly id: string
}

/** Returns the needed events that are not sent; `*` sends all. */
export const missingOf = (needed: readonly string[], sent: readonly unknown[]): string[] =>
  sent.includes('*') ? [] : needed.filter((name) => !sent.includes(name))
