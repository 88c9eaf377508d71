/** Pattern of something that is mistaken for a secret. */
export type LookAlike = readonly [pattern: RegExp, what: string]

/** Patterns with what they match: `[/^we_/, 'the id of the endpoint']`. */
export interface LookAlikes {
  /** Used instead of a webhook secret. */
  readonly webhook?: readonly LookAlike[]
  /** Used instead of the API key, the option `secret`. */
  readonly secret?: readonly LookAlike[]
}

/** Shapes of a provider's secrets; only its own folder knows them. */
export interface SecretShapes {
  /** Prefixes of its API keys and webhook secrets; text with such a prefix is always masked. */
  readonly prefixes?: readonly string[]
  /** Things that are mistaken for its secrets. They are reported at the start and by `membership doctor`. */
  readonly mistaken?: LookAlikes
  /** Returns the mode of an API key: true live, false test, null if it does not show it. */
  livemode?(apiKey: string): boolean | null
}

// Never a secret, at any provider.
const common: readonly LookAlike[] = [
  [/^https?:\/\//, 'an address'],
  [/^\s|\s$/, 'text with a blank at its end'],
]

/** Names what was given instead of a secret; null if it may be a secret. */
export function mistakenFor(
  shapes: SecretShapes | undefined,
  place: keyof LookAlikes,
  text: string,
): string | null {
  return (
    [...(shapes?.mistaken?.[place] ?? []), ...common].find(([pattern]) => pattern.test(text))?.[1] ?? null
  )
}
