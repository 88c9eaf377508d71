/** What a secret looks like when it is something else. */
export type LookAlike = readonly [pattern: RegExp, what: string]

/** What stands in the wrong place, and what it is: `[/^we_/, 'the id of the endpoint']`. */
export interface LookAlikes {
  /** As the secret of a webhook. */
  readonly webhook?: readonly LookAlike[]
  /** As the API key, the option `secret`. */
  readonly secret?: readonly LookAlike[]
}
