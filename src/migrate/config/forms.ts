import type { Finding, SiteFacts } from '../plan.ts'
import { type Draft, type Hit, valueAt } from './file.ts'
import { dotted, toV2Path } from './keys.ts'
import { type ConfigNode, type Entry, textOf } from './tree.ts'

/** The comparison of a v1 key with the v2 key where a file has both: `all` is there already, or these entries of it. */
export interface Forms {
  readonly same: 'all' | ReadonlySet<Entry>
  readonly differ: readonly Finding[]
}

/** Looks each v1 key up under its v2 name in the same file; a value that differs by more than blanks is a
 *  finding. */
export const compareForms = (draft: Draft, hit: Hit, facts: SiteFacts): Forms => {
  const leaves = leavesOf(hit)
  const same = new Set<Entry>()
  const differ: Finding[] = []
  for (const { entry, path } of leaves) {
    const target = toV2Path(path, facts)
    const known = valueAt(draft, target)
    if (!known) continue
    if (isSame(draft, entry.value, known, hit.renamed.rule === 'role')) same.add(entry)
    else
      differ.push({
        code: 'both-forms-differ',
        at: entry.start,
        reason: `"${dotted(path)}" is in version 2 "${dotted(target)}", and both are here with different values.`,
        replacement: `Keep the value that is right under "${dotted(target)}", and delete "${dotted(path)}".`,
      })
  }
  return { same: same.size > 0 && same.size === leaves.length ? 'all' : same, differ }
}

/** The keys that are looked up: those of the provider one by one. */
const leavesOf = ({ entry, above, renamed }: Hit): { entry: Entry; path: readonly string[] }[] => {
  const path = [...above, ...entry.key!.split('.')]
  const isSection = renamed.rule === 'provider' && renamed.segments.at(-2) === 'providers'
  if (!isSection || entry.value.kind !== 'map') return [{ entry, path }]
  return entry.value.entries.flatMap((inner) =>
    inner.key === null ? [] : [{ entry: inner, path: [...path, ...inner.key.split('.')] }],
  )
}

const isSame = (draft: Draft, old: ConfigNode, now: ConfigNode, isRole: boolean): boolean => {
  const written = bare(textOf(now))
  if (old.kind === 'literal' && now.kind === 'literal' && old.value === now.value) return true
  if (written === bare(textOf(old))) return true
  return isRole && written === bare(draft.syntax.list(textOf(old)))
}

const bare = (text: string): string => text.replace(/\s+/g, '')
