import type { SiteFacts } from '../plan.ts'
import type { Source } from '../source.ts'
import { type Draft, toDraft } from './file.ts'
import { dotted, prefixOf, toV2Path } from './keys.ts'
import { mentionsV1 } from './leftovers.ts'
import { walkEntries } from './tree.ts'

/** Returns the keys of the providers that a set of files configures. */
export function providersOf(drafts: readonly Draft[], facts: SiteFacts): Set<string> {
  const prefix = prefixOf(facts)
  const found = new Set<string>()
  for (const draft of drafts)
    walkEntries(draft.root, draft.base, (entry, above) => {
      const path = toV2Path([...above, ...entry.key!.split('.')], facts)
      if (
        path[prefix.length] === 'providers' &&
        path.length > prefix.length + 1 &&
        dotted(path).startsWith(dotted(prefix))
      )
        found.add(path[prefix.length + 1]!)
      return true
    })
  return found
}

/** Returns the keys of all providers that a site configures, in v1 or v2. */
export function providersIn(sources: readonly Source[], facts: SiteFacts): string[] {
  const mine = sources.filter(({ text }) => mentionsV1(text, facts) || text.includes('providers'))
  const found = providersOf(
    mine.flatMap((source) => toDraft(source, facts) ?? []),
    facts,
  )
  return [...found].sort()
}
