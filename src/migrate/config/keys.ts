import { v1Keys } from '../../core/config/v1.ts'
import type { SiteFacts } from '../plan.ts'

/**
 * Place of a v1 key in version 2: the changed dotted segments of one written key, below its parents' path.
 */
export interface Renamed {
  readonly rule: 'provider' | 'role' | 'current'
  /** Segments of the written key in v2. */
  readonly segments: readonly string[]
  /** True if the v1 key's last segment is here and the one before it is in a parent key: both change. */
  readonly isSplit: boolean
}

/** Returns the segments of the configuration prefix, which may be dotted itself. */
export function prefixOf(facts: SiteFacts): readonly string[] {
  return facts.prefix.split('.')
}

/** Returns the new name of a key below `above`; null if the v1 key table does not contain it. */
export function renameKey(
  above: readonly string[],
  written: readonly string[],
  facts: SiteFacts,
): Renamed | null {
  const prefix = prefixOf(facts)
  const path = [...above, ...written]
  const depth = prefix.length
  if (!prefix.every((segment, i) => path[i] === segment)) return null
  if (path[depth] === facts.provider && above.length <= depth && path.length > depth) {
    const at = depth - above.length
    return {
      rule: 'provider',
      segments: [...written.slice(0, at), 'providers', ...written.slice(at)],
      isSplit: false,
    }
  }
  for (const { rule, v1, v2 } of pairs) {
    if (above.length >= depth + 2 || !v1.every((segment, i) => path[depth + i] === segment)) continue
    const first = depth - above.length
    const segments = written.map((segment, i) =>
      i === first ? v2[0] : i === first + 1 ? v2[1] : segment,
    ) as string[]
    return { rule, segments, isSplit: above.length > depth && v1[0] !== v2[0] }
  }
  return null
}

// Rows of the key table that do not concern the provider's own keys, below the prefix.
const pairs = v1Keys
  .filter(({ v1 }) => !v1.includes('{provider}'))
  .map(({ v1, v2, value }) => ({
    rule: value === 'list' ? ('role' as const) : ('current' as const),
    v1: v1.split('.').slice(1),
    v2: v2.split('.').slice(1) as [string, string],
  }))

/** Returns the v2 path of a whole v1 path, including the prefix. */
export function toV2Path(path: readonly string[], facts: SiteFacts): readonly string[] {
  return renameKey([], path, facts)?.segments ?? path
}

/** Joins a path as the table writes it: `membership.stripe.secret`. */
export function dotted(path: readonly string[]): string {
  return path.join('.')
}
