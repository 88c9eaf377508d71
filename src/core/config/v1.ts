/** One renamed key. `{provider}` stands for a provider's key. */
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

/** A v1 key that was found, its v2 key, and the v2 path of the full key. */
export interface V1Match {
  readonly v1: string
  readonly v2: string
  readonly path: readonly string[]
}

/**
 * Recognises a v1 key, given as a path below `membership`. Any of `providerKeys` directly below `membership` is read as
 * the only provider of v1, and everything below it moves along.
 */
export function findV1Key(path: readonly string[], providerKeys: Iterable<string> = []): V1Match | undefined {
  const provider = [...providerKeys].find((key) => key === path[0])
  for (const entry of v1Keys) {
    if (provider === undefined && entry.v1.includes(placeholder)) continue
    const from = segments(entry.v1, provider)
    if (!from.every((segment, index) => path[index] === segment)) continue
    const to = segments(entry.v2, provider)
    return { v1: keyOf(from), v2: keyOf(to), path: [...to, ...path.slice(from.length)] }
  }
  if (provider === undefined) return undefined
  const to = ['providers', ...path]
  return { v1: keyOf(path), v2: keyOf(to), path: to }
}

const placeholder = '{provider}'

function segments(key: string, provider = placeholder): string[] {
  return key.replace(placeholder, provider).split('.').slice(1)
}

function keyOf(path: readonly string[]): string {
  return ['membership', ...path].join('.')
}
