import { v1Keys } from '../../core/config/v1.ts'
import type { SiteFacts } from '../plan.ts'

/** Old names of variables, with names that follow the new keys. */
export type Renames = ReadonlyMap<string, string>

/**
 * Proposes new names for variables that follow the old keys: MEMBERSHIP_STRIPE_SECRET,
 * APP_MEMBERSHIP__PROVIDER__CURRENT, … A name that follows no key, such as STRIPE_SECRET, stays.
 */
export function proposeRenames(names: Iterable<string>, facts: SiteFacts): Renames {
  const renames = new Map<string, string>()
  for (const name of names) {
    const next = renamed(name, facts)
    if (next !== null && next !== name) renames.set(name, next)
  }
  return renames
}

function renamed(name: string, facts: SiteFacts): string | null {
  for (const divider of ['__', '_']) {
    for (const { v1, v2 } of v1Keys) {
      for (const spelling of spellings(keyOf(v1, facts))) {
        const old = spelling.join(divider)
        // An outer prefix, such as KIRBY_ or APP_, stays.
        const at = name.indexOf(old)
        if (at === -1 || at + old.length !== name.length || (at > 0 && name[at - 1] !== '_')) continue
        return name.slice(0, at) + keyOf(v2, facts).map(upper).join(divider)
      }
    }
  }
  return null
}

function keyOf(key: string, { provider, prefix }: SiteFacts): string[] {
  const [, ...below] = key.replace('{provider}', provider).split('.')
  return [...prefix.split('.'), ...below]
}

// manageUsers may be written MANAGEUSERS or MANAGE_USERS.
function spellings(key: readonly string[]): string[][] {
  return [key.map(upper), key.map((segment) => upper(segment.replace(/([a-z])([A-Z])/g, '$1_$2')))]
}

function upper(segment: string): string {
  return segment.toUpperCase().replace(/[^A-Z0-9]/g, '_')
}
