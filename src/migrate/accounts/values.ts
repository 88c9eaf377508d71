import { applyEdits } from '../edits.ts'
import { nothing, type Rewrite, type SiteFacts } from '../plan.ts'
import { fieldName } from './fields.ts'
import { loneValue, placesOf } from './places.ts'
import { backward, forward, type Names } from './rename.ts'
import { isProviderData, renameData, renamePlace } from './rewrite.ts'

/** Rewrites one text of a database: provider data in a column that is named like the field, or a whole content
 *  text in any other. */
export const rewriteValue = (text: string, column: string, facts: SiteFacts): Rewrite =>
  renameValue(text, column, facts, forward)

/** The same text with `payments` turned back into `purchases`; null when that takes a decision. */
export const revertValue = (text: string, column: string, facts: SiteFacts): string | null => {
  const { edits, findings } = renameValue(text, column, facts, backward)
  return findings.length > 0 ? null : applyEdits(text, edits)
}

/** The name of a field or column that looks like version 1 provider data but is not the one to change. */
export const otherFieldIn = (text: string, column: string, { field }: SiteFacts): string | null => {
  const own = fieldName(field)
  if (fieldName(column) === own) return null
  if (isProviderData(loneValue(column, text))) return column
  const kind = contentKindOf(text, own)
  const other =
    kind && placesOf({ file: kind, text })?.find((place) => place.name !== own && isProviderData(place))
  return other ? other.label : null
}

const renameValue = (text: string, column: string, facts: SiteFacts, names: Names): Rewrite => {
  const own = fieldName(facts.field)
  const source = { file: column, text, encoding: 'utf8' as const }
  if (fieldName(column) === own) return renamePlace(loneValue(column, text), source, facts, names)
  if (!text.includes(names.from)) return nothing
  const file = contentKindOf(text, own)
  return file === null ? nothing : renameData({ ...source, file }, facts, names)
}

/** The format of a whole content, as the name of a file. */
export type ContentKind = 'content.json' | 'content.txt' | 'content.yml'

/** The format of a text that has this field in it; null for any other. Most texts of a database are no content at all,
 *  so what cannot be read is no finding. */
export const contentKindOf = (text: string, own: string): ContentKind | null => {
  const kinds: readonly ContentKind[] = /^[\s\ufeff]*[{[]/.test(text)
    ? ['content.json']
    : /^----/m.test(text)
      ? ['content.txt']
      : ['content.yml', 'content.txt']
  return kinds.find((file) => placesOf({ file, text })?.some(({ name }) => name === own)) ?? null
}
