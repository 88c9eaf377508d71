/** Webhook endpoint as it is set up at the provider. */
export interface ProviderEndpoint {
  readonly url: string
  readonly isEnabled: boolean
  /** Those of its messages that are read here and that it does not send there. */
  readonly missing: readonly string[]
}

/** Webhook address of one object, at a provider whose objects each name an address. */
export interface CalledAddress {
  /** null: nowhere. */
  readonly url: string | null
  readonly id: string
}

/** Which of the messages that are needed are not among those that are sent; `*` sends all. */
export const missingOf = (needed: readonly string[], sent: readonly unknown[]): string[] =>
  sent.includes('*') ? [] : needed.filter((name) => !sent.includes(name))
