import { applyEdits } from '../edits.ts'
import { nothing, type Rewrite, type SiteFacts } from '../plan.ts'
import { fieldName } from './fields.ts'
import { loneValue, placesOf } from './places.ts'
import { backward, forward, type Names } from './rename.ts'
import { isProviderData, renameData, renamePlace } from './rewrite.ts'

/**
 * Rewrites one text of a database: provider data in a column with the field's name, or a whole content in any
 * other.
 */
export function rewriteValue(text: string, column: string, facts: SiteFacts): Rewrite {
  return renameValue(text, column, facts, forward)
}

/** Renames `payments` back to `purchases` in the text; null if that needs a decision. */
export function revertValue(text: string, column: string, facts: SiteFacts): string | null {
  const { edits, findings } = renameValue(text, column, facts, backward)
  return findings.length > 0 ? null : applyEdits(text, edits)
}

/**
 * Returns the name of a field or column that looks like version 1 provider data but is not the configured
 * one.
 */
export function otherFieldIn(text: string, column: string, { field }: SiteFacts): string | null {
  const own = fieldName(field)
  if (fieldName(column) === own) return null
  if (isProviderData(loneValue(column, text))) return column
  const kind = contentKindOf(text, own)
  const other =
    kind && placesOf({ file: kind, text })?.find((place) => place.name !== own && isProviderData(place))
  return other ? other.label : null
}

function renameValue(text: string, column: string, facts: SiteFacts, names: Names): Rewrite {
  const own = fieldName(facts.field)
  const source = { file: column, text, encoding: 'utf8' as const }
  if (fieldName(column) === own) return renamePlace(loneValue(column, text), source, facts, names)
  if (!text.includes(names.from)) return nothing
  const file = contentKindOf(text, own)
  return file === null ? nothing : renameData({ ...source, file }, facts, names)
}

/** Format of a whole content, as a file name. */
export type ContentKind = 'content.json' | 'content.txt' | 'content.yml'

/**
 * Returns the format of a text that contains this field; null for any other. Most texts of a database are no
 * content, so an unreadable one is no finding.
 */
export function contentKindOf(text: string, own: string): ContentKind | null {
  const kinds: readonly ContentKind[] = /^[\s\ufeff]*[{[]/.test(text)
    ? ['content.json']
    : /^----/m.test(text)
      ? ['content.txt']
      : ['content.yml', 'content.txt']
  return kinds.find((file) => placesOf({ file, text })?.some(({ name }) => name === own)) ?? null
}
