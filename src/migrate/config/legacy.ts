import { providers } from '../../providers/index.ts'
import { readEnv } from '../env/read.ts'
import { inUse, legacyProvider } from '../legacy-provider.ts'
import type { Source } from '../source.ts'
import { toDraft, valueAt } from './file.ts'
import { prefixOf } from './keys.ts'
import { mentionsV1 } from './leftovers.ts'
import { walkEntries } from './tree.ts'

/**
 * Finds the key of a version 1 site's provider, `<legacy_provider>` in the contract. Its configuration
 * decides, version 1's names before version 2's, else its environment. Of several, the one in use counts,
 * else the first; the default is `stripe`.
 */
export function findLegacyProvider(
  configs: readonly Source[],
  envs: readonly Source[],
  prefix: string,
): string {
  const facts = { provider: legacyProvider, prefix, field: legacyProvider }
  const above = prefixOf(facts)
  const drafts = configs
    .filter(({ text }) => mentionsV1(text, facts) || text.includes('providers'))
    .flatMap((source) => toDraft(source, facts) ?? [])
  const below = (room: readonly string[]): string[] => {
    const path = [...above, ...room]
    const found: string[] = []
    for (const draft of drafts)
      walkEntries(draft.root, draft.base, (entry, parents) => {
        const whole = [...parents, ...entry.key!.split('.')]
        if (path.every((segment, i) => whole[i] === undefined || whole[i] === segment))
          found.push(...whole.slice(path.length, path.length + 1))
        return whole.length <= path.length
      })
    return found.filter(isKnown)
  }
  const named = (name: string): string | null => {
    for (const draft of drafts) {
      const node = valueAt(draft, [...above, 'provider', name])
      if (node?.kind === 'literal' && typeof node.value === 'string') return node.value
    }
    return null
  }
  return (
    inUse(below([]), named('current')) ??
    inUse(inEnvironment(envs, above), named('current')) ??
    inUse(below(['providers']), named('handler')) ??
    legacyProvider
  )
}

function isKnown(key: string): boolean {
  return providers.some((provider) => provider.key === key)
}

/** Finds providers in names such as `MEMBERSHIP_PADDLE_SECRET` of a `.env` file. */
function inEnvironment(envs: readonly Source[], above: readonly string[]): string[] {
  const start = above
    .join('_')
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
  const names = envs.flatMap(({ text }) => readEnv(text).map(({ name }) => name.replaceAll('__', '_')))
  return providers
    .filter(({ key }) => names.some((name) => name.includes(`${start}_${key.toUpperCase()}_`)))
    .map(({ key }) => key)
}
