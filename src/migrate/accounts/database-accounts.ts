import { codeOf } from '../find.ts'
import type { SiteFacts } from '../plan.ts'
import { maxFileBytes } from '../source.ts'
import type { AccountContent } from './content.ts'
import { fieldsIn } from './content.ts'
import { queriesOf, reading, storing } from './database.ts'
import { hasTriggers, hugeNumber, notText, type RowPlace, tooLong } from './database-findings.ts'
import { type Queries, q, type Table, tablesOf, triggersOn } from './database-tables.ts'
import { fieldName } from './fields.ts'
import { type ContentKind, contentKindOf } from './values.ts'

/** An account stored as a table row. */
export interface AccountRow {
  readonly place: RowPlace
  /** Text of the column with the provider's data; empty if there is none. */
  readonly text: string
  /** Format of a whole content; null if the column is the provider's field itself. */
  readonly kind: ContentKind | null
  /** Beginning of another row's text, as a model for an empty row. */
  readonly model: string
  readonly content: AccountContent
  /** Reason why nothing can be written there. */
  readonly unwritable: string | null
}

/**
 * Finds the accounts in a site's SQLite file. It reads rows of each table that has the provider's field as a
 * column, or a column of whole contents with that field. There are none if the file is no database, or is
 * this package's own.
 * @throws ERR_STORAGE
 */
export function accountRowsIn(path: string, facts: SiteFacts): AccountRow[] {
  return storing(path, () => {
    try {
      return reading(path, (db) => {
        const queries = db === null ? null : queriesOf(db)
        const tables = queries === null ? [] : tablesOf(queries.pragma)
        if (queries === null || tables.some(({ name }) => name === 'membership_migrations')) return []
        return tables.flatMap((table) => rowsOf(queries, table, facts))
      })
    } catch (error) {
      if (codeOf(error) === 'SQLITE_NOTADB') return []
      throw error
    }
  })
}

function rowsOf(queries: Queries, table: Table, facts: SiteFacts): AccountRow[] {
  const found = columnOf(queries, table, facts)
  if (found === null) return []
  const { column, kind, model } = found
  const triggers = triggersOn(queries, table.name)
  const beside = table.columns.filter((name) => name !== column && plainFields.has(fieldName(name)))
  const value = `case when length(${q(column)}) > ${maxFileBytes} then null else ${q(column)} end`
  const selected = [table.rowid, `typeof(${q(column)})`, `length(${q(column)})`, value, ...beside.map(q)]
  const rows = queries.all(`select ${selected.join(', ')} from ${q(table.name)}`)
  return rows.map(([number, type, length, stored, ...others]) => {
    const text = typeof stored === 'string' ? stored : ''
    const fields = new Map<string, unknown>()
    for (const [i, name] of beside.entries()) fields.set(fieldName(name), others[i])
    for (const [name, field] of kind === null ? [] : (fieldsIn(kind, text) ?? []))
      if (!fields.has(name)) fields.set(name, field)
    if (kind === null) fields.set(fieldName(facts.field), text)
    return {
      place: { table: table.name, column, rowid: Number(number) },
      text,
      kind,
      model,
      content: { id: String(number), fields, passwordLine: null, dataField: null, unreadable: [] },
      unwritable: whyNot({ number, type, length, text, triggers }),
    }
  })
}

/** The account's own fields besides the provider's data. */
const plainFields = new Set(['email', 'name', 'role', 'roles', 'language', 'gates'])

function whyNot(given: {
  number: unknown
  type: unknown
  length: unknown
  text: string
  triggers: readonly string[]
}): string | null {
  const { number, type, length, text, triggers } = given
  if (triggers.length > 0) return hasTriggers(triggers).reason
  if (!Number.isSafeInteger(Number(number))) return hugeNumber.reason
  if (type !== 'text' && type !== 'null') return 'what stands there is no text'
  if (Number(length) > maxFileBytes) return tooLong.reason
  return text.includes('\ufffd') ? notText.reason : null
}

/** Finds the column with the provider's data: one with the field's name, else one of whole contents. */
function columnOf(
  queries: Queries,
  { name, columns }: Table,
  { field }: SiteFacts,
): { column: string; kind: ContentKind | null; model: string } | null {
  const own = fieldName(field)
  const textsIn = (column: string, word: string): string[] =>
    queries
      .all(
        `select ${q(column)} from ${q(name)} where typeof(${q(column)}) = 'text' and length(${q(column)}) <= ${maxFileBytes} and instr(lower(${q(column)}), ?) > 0 limit 20`,
        word,
      )
      .map(([text]) => String(text))
  const column = columns.find((candidate) => fieldName(candidate) === own)
  if (column !== undefined) return { column, kind: null, model: textsIn(column, 'customer')[0] ?? '' }
  for (const other of columns)
    for (const text of textsIn(other, field.toLowerCase())) {
      const kind = contentKindOf(text, own)
      if (kind !== null && fieldsIn(kind, text)?.has('email')) return { column: other, kind, model: text }
      if (kind !== null && columns.some((candidate) => fieldName(candidate) === 'email'))
        return { column: other, kind, model: text }
    }
  return null
}
