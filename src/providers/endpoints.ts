/** Where a provider sends its messages to, as it is set up there. */
export interface ProviderEndpoint {
  readonly url: string
  readonly isEnabled: boolean
  /** Those of its messages that are read here and that it does not send there. */
  readonly missing: readonly string[]
}

/** Where the messages of one object go, at a provider whose objects each name an address. */
export interface CalledAddress {
  /** null: nowhere. */
  readonly url: string | null
  readonly id: string
}

/** Which of the messages that are needed are not among those that are sent; `*` sends all. */
export const missingOf = (needed: readonly string[], sent: readonly unknown[]): string[] =>
  sent.includes('*') ? [] : needed.filter((name) => !sent.includes(name))
