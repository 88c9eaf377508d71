import { isMap, isScalar, type Node, type Pair, visit, type YAMLMap } from 'yaml'
import type { Edit } from '../edits.ts'
import { type Finding, type Rewrite, type SiteFacts, shortPrefix } from '../plan.ts'
import { lineRemoval } from './pairs.ts'

/**
 * Renames a field's flag `write:` to `update:`, as in `membership: { write: false }`. The CMS's own
 * permissions stay.
 */
export function renameFlags(text: string, contents: YAMLMap, name: string, facts: SiteFacts): Rewrite {
  const edits: Edit[] = []
  const findings: Finding[] = []
  const isField = name.startsWith('fields/')
  visit(contents, {
    Pair(_, pair, path) {
      if (!isFlag(pair, facts) || !(isField || isInFields(path as readonly Node[]))) return
      const flags = pair.value as YAMLMap
      const write = find(flags, 'write')
      const update = find(flags, 'update')
      const [start, end] = (write?.key as Node | undefined)?.range ?? []
      if (!write || start === undefined || end === undefined) return
      if (!update) edits.push({ start, end, text: text.slice(start, end).replace('write', 'update') })
      else if (String(write.value) === String(update.value)) edits.push(lineRemoval(text, flags, write))
      else findings.push(bothFlags(start, facts))
    },
  })
  const summary =
    edits.length > 0 ? [`${shortPrefix(facts)}.write → ${shortPrefix(facts)}.update in fields`] : []
  return { edits, summary, findings }
}

function isFlag(pair: Pair, facts: SiteFacts): boolean {
  return isScalar(pair.key) && flagNames(facts).includes(String(pair.key.value)) && isMap(pair.value)
}

/**
 * Returns the key above a field's flags: the prefix without its dots, or, as some wrote it, the whole prefix.
 */
export function flagNames(facts: SiteFacts): readonly string[] {
  return [shortPrefix(facts), facts.prefix]
}

function isInFields(path: readonly unknown[]): boolean {
  return path.some((step) => {
    const key = (step as Pair | null)?.key
    return isScalar(key) && key.value === 'fields'
  })
}

function find(map: YAMLMap, name: string): Pair | undefined {
  return map.items.find(({ key }) => isScalar(key) && key.value === name)
}

function bothFlags(at: number, facts: SiteFacts): Finding {
  return {
    code: 'both-forms-differ',
    at,
    reason: `"write" is "update" in version 2, and this field has both below "${shortPrefix(facts)}" with different values.`,
    replacement: 'Keep the value that is right as "update", and delete "write".',
  }
}
