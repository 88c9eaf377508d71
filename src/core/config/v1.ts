/** The provider that v1 had. */
export const legacyProvider = 'stripe'

/** One renamed key. `{provider}` stands for the legacy provider's key. */
export interface V1Key {
  readonly v1: string
  readonly v2: string
  /** `list`: one value became a list of values. */
  readonly value: 'same' | 'list'
}

/** The key table of `spec/membership-v1-to-v2.md`. */
export const v1Keys: readonly V1Key[] = [
  { v1: 'membership.{provider}.secret', v2: 'membership.providers.{provider}.secret', value: 'same' },
  { v1: 'membership.{provider}.webhook', v2: 'membership.providers.{provider}.webhook', value: 'same' },
  { v1: 'membership.{provider}.checkout', v2: 'membership.providers.{provider}.checkout', value: 'same' },
  { v1: 'membership.{provider}.metadata', v2: 'membership.providers.{provider}.metadata', value: 'same' },
  { v1: 'membership.manageUsers.role', v2: 'membership.members.roles', value: 'list' },
  { v1: 'membership.provider.current', v2: 'membership.provider.handler', value: 'same' },
]

/** A v1 key that was found, its v2 key, and the v2 path of the whole key that it was found in. */
export interface V1Match {
  readonly v1: string
  readonly v2: string
  readonly path: readonly string[]
}

/** Recognises a v1 key (a path below `membership`). Any provider key directly below `membership` is read like the
 *  legacy provider's, and whatever stands below it moves along. */
export const findV1Key = (
  path: readonly string[],
  providerKeys: Iterable<string> = [],
): V1Match | undefined => {
  const providers = new Set([legacyProvider, ...providerKeys])
  const provider = providers.has(path[0] ?? '') ? path[0]! : legacyProvider
  for (const entry of v1Keys) {
    const from = segments(entry.v1, provider)
    if (!from.every((segment, index) => path[index] === segment)) continue
    const to = segments(entry.v2, provider)
    return { v1: keyOf(from), v2: keyOf(to), path: [...to, ...path.slice(from.length)] }
  }
  if (!providers.has(path[0] ?? '')) return undefined
  const to = ['providers', ...path]
  return { v1: keyOf(path), v2: keyOf(to), path: to }
}

const segments = (key: string, provider: string): string[] =>
  key.replace('{provider}', provider).split('.').slice(1)

const keyOf = (path: readonly string[]): string => ['membership', ...path].join('.')
