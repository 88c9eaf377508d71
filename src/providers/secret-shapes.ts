/** What a secret looks like when it is something else. */
export type LookAlike = readonly [pattern: RegExp, what: string]

/** What stands in the wrong place, and what it is: `[/^we_/, 'the id of the endpoint']`. */
export interface LookAlikes {
  /** As the secret of a webhook. */
  readonly webhook?: readonly LookAlike[]
  /** As the API key, the option `secret`. */
  readonly secret?: readonly LookAlike[]
}

/** The shape of a provider's secrets: nobody outside of its folder knows it. */
export interface SecretShapes {
  /** What its API keys and webhook secrets begin with: a text that begins so is shown nowhere. */
  readonly prefixes?: readonly string[]
  /** What they are mistaken for. Told at the start, and by `membership doctor`. */
  readonly mistaken?: LookAlikes
  /** The mode that an API key tells: true live, false test, null where it does not. */
  livemode?(apiKey: string): boolean | null
}

// What nobody's secret is.
const common: readonly LookAlike[] = [
  [/^https?:\/\//, 'an address'],
  [/^\s|\s$/, 'text with a blank at its end'],
]

/** What is written in place of a secret, in words; null when it may be one. */
export const mistakenFor = (
  shapes: SecretShapes | undefined,
  place: keyof LookAlikes,
  text: string,
): string | null =>
  [...(shapes?.mistaken?.[place] ?? []), ...common].find(([pattern]) => pattern.test(text))?.[1] ?? null
