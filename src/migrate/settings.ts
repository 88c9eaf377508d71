import { toDraft, valueAt } from './config/file.ts'
import { prefixOf } from './config/keys.ts'
import { mentionsV1 } from './config/leftovers.ts'
import { type ConfigNode, textOf } from './config/tree.ts'
import { envReferences } from './env/index.ts'
import { findFiles } from './find.ts'
import type { SiteFacts } from './plan.ts'
import { createSheet } from './sheet.ts'

/** A configured value as far as it can be seen without running the site. */
export interface Setting {
  readonly file: string
  readonly line: number
  /** The text, where it is written out. */
  readonly text: string | null
  /** The environment variable that it is read from. */
  readonly variable: string | null
}

/** Looks a key below the prefix up in the site's configuration, the files that lie over others first. */
export type Settings = (...path: string[]) => Setting | null

/** The settings of a site, read from its files; nothing is executed. */
export const readSettings = (root: string, facts: SiteFacts): Settings => {
  const { found, skipped } = findFiles(root)
  const drafts = createSheet(root, found, skipped)
    .readAll('config')
    .filter(
      (source) =>
        source.text.includes(facts.prefix) ||
        source.file.includes(facts.prefix) ||
        mentionsV1(source.text, facts),
    )
    .sort((a, b) => b.file.split('.').length - a.file.split('.').length)
    .flatMap((source) => toDraft(source, facts) ?? [])
  return (...path) => {
    for (const draft of drafts) {
      const node = valueAt(draft, [...prefixOf(facts), ...path])
      if (node) return toSetting(draft.source.file, draft.source.text, node)
    }
    return null
  }
}

const toSetting = (file: string, source: string, node: ConfigNode): Setting => {
  const line = source.slice(0, node.start).split('\n').length
  const [reference] = envReferences(textOf(node))
  const isText = node.kind === 'literal' && typeof node.value === 'string' && !reference
  return { file, line, text: isText ? String(node.value) : null, variable: reference?.name ?? null }
}
