import { type Node, parseTree } from 'jsonc-parser'
import { ifNotTooDeep } from '../deep.ts'
import type { Edit } from '../edits.ts'
import type { Finding, SiteFacts } from '../plan.ts'
import type { Source } from '../source.ts'
import { dotted, prefixOf, type Renamed, renameKey } from './keys.ts'
import { readPhpConfig } from './php.ts'
import { readScriptConfig } from './script.ts'
import type { ConfigFile, Syntax } from './syntax.ts'
import { type ConfigNode, type Entry, lookUp, type MapNode, textOf, walkEntries } from './tree.ts'
import { readYamlConfig } from './yaml.ts'

/** A v1 key found in a file. */
export interface Hit {
  readonly entry: Entry
  /** Path of the parent keys, including the part that the file's name stands for. */
  readonly above: readonly string[]
  /** Surrounding maps, outermost first, each with the entry that holds it. */
  readonly parents: readonly { map: MapNode; entry: Entry | null }[]
  readonly renamed: Renamed
}

/** One configuration file on its way to v2. */
export interface Draft extends ConfigFile {
  readonly source: Source
  /** Path above the file's keys: the prefix, in a file that is named after it and does not repeat it. */
  readonly base: readonly string[]
  readonly hits: readonly Hit[]
  readonly edits: Edit[]
  readonly summary: string[]
  readonly findings: Finding[]
}

/** Reads a configuration file and finds its v1 keys; null when it cannot be parsed. */
export function toDraft(source: Source, facts: SiteFacts): Draft | null {
  const file = readConfig(source.text, source.file)
  if (!file) return null
  const base = baseOf(source.file, file.root, facts)
  const hits: Hit[] = []
  const seen = new Set<number>()
  const findings: Finding[] = []
  walkEntries(file.root, base, (entry, above, parents) => {
    const renamed = renameKey(above, entry.key!.split('.'), facts)
    if (!renamed) {
      findings.push(...unseen([...above, ...entry.key!.split('.')], entry, facts))
      return true
    }
    // Two aliases of one anchor lead to the same text.
    if (!seen.has(entry.keyStart)) hits.push({ entry, above: [...above], parents, renamed })
    seen.add(entry.keyStart)
    return false
  })
  findings.push(...withoutKey(file.root, base, facts))
  return { ...file, source, base, hits, edits: [], summary: [], findings }
}

/**
 * Reports values that are merged into the site's section and cannot be seen: `'membership' =>
 * array_merge(keys(), […])`.
 */
function withoutKey(root: MapNode, base: readonly string[], facts: SiteFacts): Finding[] {
  const prefix = prefixOf(facts)
  const sections: MapNode[] = base.length === prefix.length ? [root] : []
  walkEntries(root, base, (entry, above) => {
    const path = [...above, ...entry.key!.split('.')]
    if (entry.value.kind === 'map' && dotted(path) === dotted(prefix)) sections.push(entry.value)
    return path.length < prefix.length && path.every((segment, i) => segment === prefix[i])
  })
  return sections.flatMap(({ entries }) =>
    entries
      .filter(({ key, keyStart, keyEnd }) => key === null && keyStart === keyEnd)
      .map(({ start }) => notSeen(start, dotted(prefix), null)),
  )
}

/** Reports code that may contain v1 keys: `'membership' => keys()`. */
function unseen(path: readonly string[], { value }: Entry, facts: SiteFacts): Finding[] {
  const prefix = prefixOf(facts)
  const isOnTheWay =
    path.length <= prefix.length + 1 &&
    path.every((segment, i) => i >= prefix.length || segment === prefix[i])
  const isHolder = path.length <= prefix.length || /^(manageUsers|provider)$/.test(path.at(-1)!)
  if (value.kind !== 'other' || !isOnTheWay || !isHolder) return []
  const isMentioned = new RegExp(`\\b(${facts.provider}|manageUsers|current)\\b['"]?\\s*(=>|:)`).test(
    textOf(value),
  )
  const advice = `Write providers.${facts.provider} for ${facts.provider}, members.roles for manageUsers.role (as a list), provider.handler for provider.current there.`
  return [notSeen(value.start, dotted(path), isMentioned ? advice : null)]
}

function notSeen(at: number, path: string, replacement: string | null): Finding {
  return {
    code: 'not-seen',
    at,
    reason: `The value of "${path}" is made by code or comes from elsewhere, so keys of version 1 in it could not be seen.`,
    replacement,
  }
}

/** Reads a configuration by its file's extension. */
export function readConfig(text: string, file: string): ConfigFile | null {
  return ifNotTooDeep(text, () => read(text, file))
}

function read(text: string, file: string): ConfigFile | null {
  if (/\.php$/.test(file)) return readPhpConfig(text)
  if (/\.jsonc?$/.test(file)) return readJsonConfig(text)
  if (/\.ya?ml$/.test(file)) return readYamlConfig(text)
  return readScriptConfig(text, file)
}

/** Returns a file's value for a path that begins with the prefix. */
export function valueAt(draft: { root: MapNode; base: readonly string[] }, path: readonly string[]) {
  return lookUp(draft.root, path.slice(draft.base.length))
}

function baseOf(file: string, root: MapNode, facts: SiteFacts): readonly string[] {
  const name = file.slice(file.lastIndexOf('/') + 1)
  const prefix = prefixOf(facts)
  if (!name.startsWith(`${facts.prefix}.`)) return []
  const repeats = root.entries.some(({ key }) => key?.split('.')[0] === prefix[0])
  return repeats ? [] : prefix
}

/** Parses JSON, with comments and trailing commas, as a tree; null for anything but an object. */
export function readJsonConfig(text: string): ConfigFile | null {
  const errors: unknown[] = []
  const tree = parseTree(text.replace(/^\uFEFF/, ' '), errors as never, { allowTrailingComma: true })
  if (!tree || errors.length > 0) return null
  const root = nodeOf(tree, text)
  return root.kind === 'map' ? { root, syntax: jsonSyntax } : null
}

const jsonSyntax: Syntax = {
  key: (name) => JSON.stringify(name),
  pair: (key, value) => `${key}: ${value}`,
  list: (value) => `[${value}]`,
  map: (pair) => `{ ${pair} }`,
  text: (value) => JSON.stringify(value),
  canIndent: () => true,
}

function nodeOf(node: Node, text: string): ConfigNode {
  const place = { source: text, start: node.offset, end: node.offset + node.length }
  if (node.type === 'array') return { kind: 'list', ...place }
  if (node.type !== 'object') return { kind: 'literal', ...place, value: node.value }
  const entries = (node.children ?? []).flatMap((property): Entry[] => {
    const [key, value] = property.children ?? []
    if (!key || !value) return []
    const keyEnd = key.offset + key.length
    return [
      {
        key: String(key.value),
        keyStart: key.offset,
        keyEnd,
        start: key.offset,
        end: value.offset + value.length,
        value: nodeOf(value, text),
      },
    ]
  })
  return { kind: 'map', ...place, entries, isFlow: true }
}
