import { toDraft } from './config/file.ts'
import { prefixOf, toV2Path } from './config/keys.ts'
import { mentionsV1 } from './config/leftovers.ts'
import { type ConfigNode, type MapNode, textOf } from './config/tree.ts'
import { envReferences } from './env/index.ts'
import { findFiles } from './find.ts'
import { namesPrefix, type SiteFacts } from './plan.ts'
import { createSheet } from './sheet.ts'

/** A configured value, as far as it is visible without running the site. */
export interface Setting {
  /** Path below the prefix, in version 2's names. */
  readonly path: readonly string[]
  /** Path below the prefix, as written. */
  readonly written: readonly string[]
  readonly file: string
  readonly line: number
  /** The text, if it is a literal. */
  readonly text: string | null
  /** The number, if it is a literal. */
  readonly number: number | null
  /** Texts of a list. */
  readonly texts: readonly string[]
  /** Environment variable that it is read from. */
  readonly variable: string | null
}

/** Settings in a site's configuration files. */
export interface Settings {
  /** Every value below the prefix in every file, overriding files first. */
  readonly all: readonly Setting[]
}

/** Reads the settings of a site from its files; nothing is executed. */
export function readSettings(root: string, facts: SiteFacts): Settings {
  const { found, skipped } = findFiles(root)
  const drafts = createSheet(root, found, skipped)
    .readAll('config')
    .filter(
      (source) =>
        namesPrefix(source.text, facts) ||
        source.file.includes(facts.prefix) ||
        mentionsV1(source.text, facts),
    )
    .sort((a, b) => b.file.split('.').length - a.file.split('.').length)
    .flatMap((source) => toDraft(source, facts) ?? [])
  const prefix = prefixOf(facts)
  const all = drafts.flatMap(({ source, root: map, base }) =>
    leavesOf(map, base)
      .filter(({ path }) => prefix.every((segment, i) => path[i] === segment))
      .map(({ path, node }) => ({
        ...toSetting(source.file, source.text, node, path.slice(prefix.length)),
        path: toV2Path(path, facts).slice(prefix.length),
      })),
  )
  return { all }
}

interface Leaf {
  readonly path: readonly string[]
  readonly node: ConfigNode
}

function leavesOf(map: MapNode, above: readonly string[]): Leaf[] {
  return map.entries.flatMap(({ key, value }): Leaf[] => {
    if (key === null) return []
    const path = [...above, ...key.split('.')]
    return value.kind === 'map' ? leavesOf(value, path) : [{ path, node: value }]
  })
}

function toSetting(file: string, source: string, node: ConfigNode, path: readonly string[]): Setting {
  const line = source.slice(0, node.start).split('\n').length
  const written = textOf(node)
  const [reference] = envReferences(written)
  const negative = /^-\s*[\d.]+$/.test(written) ? written.replace(/\s/g, '') : null
  const literal = node.kind === 'literal' && !reference ? node.value : negative
  const number =
    literal === null || literal === '' || !/^-?[\d.]+$/.test(String(literal)) ? null : Number(literal)
  return {
    path,
    written: path,
    file,
    line,
    text: typeof literal === 'string' && number === null ? literal : null,
    number,
    texts:
      node.kind === 'list' ? [...written.matchAll(/['"]?([\w.-]+)['"]?/g)].map((match) => match[1]!) : [],
    variable: reference?.name ?? null,
  }
}
