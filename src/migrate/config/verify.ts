import { applyEdits } from '../edits.ts'
import type { SiteFacts } from '../plan.ts'
import { type Draft, readConfig, valueAt } from './file.ts'
import { toV2Path } from './keys.ts'
import type { Syntax } from './syntax.ts'
import { type MapNode, overlay, textOf, walkEntries } from './tree.ts'

interface View {
  readonly syntax: Syntax
  readonly root: MapNode
  readonly base: readonly string[]
}

/**
 * Returns true if every v2 lookup in the edited files gives the value of the v1 lookup: in each file by
 * itself, and in the base with each other file merged over it.
 */
export function keepsMeaning(drafts: readonly Draft[], facts: SiteFacts): boolean {
  const after: View[] = []
  for (const { source, edits, base, root } of drafts) {
    const read = readConfig(applyEdits(source.text, edits), source.file)
    if (!read || repeats(read.root) > repeats(root)) return false
    after.push({ ...read, base })
  }
  const paths = v1Paths(drafts, facts)
  const [low, lowAfter] = [drafts[0], after[0]]
  return drafts.every((draft, i) => {
    const isLow = i === 0
    const canLie = low!.base.length === draft.base.length
    return (
      isEqual(draft, after[i]!, paths, facts) &&
      (isLow || !canLie || isEqual(laid(low!, draft), laid(lowAfter!, after[i]!), paths, facts))
    )
  })
}

/** Counts keys that occur twice in one map. */
function repeats(root: MapNode): number {
  let count = 0
  const maps = [root]
  for (let map = maps.pop(); map; map = maps.pop()) {
    const keys = map.entries.flatMap(({ key }) => key ?? [])
    count += keys.length - new Set(keys).size
    for (const { value } of map.entries) if (value.kind === 'map') maps.push(value)
  }
  return count
}

function laid(below: View, above: View): View {
  return {
    ...below,
    root: overlay(below.root, above.root),
  }
}

function isEqual(before: View, after: View, paths: readonly string[][], facts: SiteFacts): boolean {
  return paths.every((path) => {
    const old = valueAt(before, path)
    const target = toV2Path(path, facts)
    // Keys with both forms and different values were left and reported.
    if (!old || valueAt(before, target)) return true
    const now = valueAt(after, target)
    if (!now) return valueAt(after, path) !== null
    const [was, is] = [bare(textOf(old)), bare(textOf(now))]
    return is === was || (isRole(target) && is === bare(after.syntax.list(textOf(old))))
  })
}

/** Returns every path that v1 can look up, in all files together. */
function v1Paths(drafts: readonly Draft[], facts: SiteFacts): string[][] {
  const paths = new Map<string, string[]>()
  for (const draft of drafts)
    for (const { entry, above } of draft.hits) {
      const path = [...above, ...entry.key!.split('.')]
      paths.set(path.join('.'), path)
      if (entry.value.kind === 'map')
        walkEntries(entry.value, path, (inner, over) => {
          const whole = [...over, ...inner.key!.split('.')]
          paths.set(whole.join('.'), whole)
          return true
        })
    }
  return [...paths.values()].filter((path) => toV2Path(path, facts) !== path)
}

function isRole(path: readonly string[]): boolean {
  return path.at(-1) === 'roles'
}

function bare(text: string): string {
  return text.replace(/\s+/g, '')
}
