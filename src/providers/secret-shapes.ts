/** Shape of a secret when it is something else. */
export type LookAlike = readonly [pattern: RegExp, what: string]

/** Pairs of a pattern and the thing that it shows in the wrong place: `[/^we_/, 'the id of the endpoint']`. */
export interface LookAlikes {
  /** As the secret of a webhook. */
  readonly webhook?: readonly LookAlike[]
  /** As the API key, the option `secret`. */
  readonly secret?: readonly LookAlike[]
}

/** The shape of a provider's secrets: nobody outside of its folder knows it. */
export interface SecretShapes {
  /** Prefixes of its API keys and webhook secrets: a text that begins so is shown nowhere. */
  readonly prefixes?: readonly string[]
  /** Things they are mistaken for. Told at the start, and by `membership doctor`. */
  readonly mistaken?: LookAlikes
  /** The mode that an API key tells: true live, false test, null where it does not. */
  livemode?(apiKey: string): boolean | null
}

// What nobody's secret is.
const common: readonly LookAlike[] = [
  [/^https?:\/\//, 'an address'],
  [/^\s|\s$/, 'text with a blank at its end'],
]

/** Names the thing that was written in place of a secret; null when it may be one. */
export const mistakenFor = (
  shapes: SecretShapes | undefined,
  place: keyof LookAlikes,
  text: string,
): string | null =>
  [...(shapes?.mistaken?.[place] ?? []), ...common].find(([pattern]) => pattern.test(text))?.[1] ?? null
