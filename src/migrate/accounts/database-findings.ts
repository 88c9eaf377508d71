import { codeOf } from '../find.ts'
import { type Decision, type Finding, type SiteFacts, toDecision } from '../plan.ts'
import { q } from './database-tables.ts'
import { forward } from './rename.ts'

/** Place of a text in a database. */
export interface RowPlace {
  readonly table: string
  readonly column: string
  readonly rowid: number
}

type RowFinding = Pick<Finding, 'code' | 'reason' | 'replacement'>

/** Collects findings in rows: one decision for each column and code, however many rows there are. */
export function createRowFindings(file: string, { field, provider, prefix }: SiteFacts) {
  const groups = new Map<string, { place: RowPlace; finding: RowFinding; rows: number; first: number[] }>()

  const unreadable: Decision[] = []

  const add = (place: RowPlace, finding: RowFinding): void => {
    const key = JSON.stringify([place.table, place.column, finding.code])
    const group = groups.get(key) ?? { place, finding, rows: 0, first: [] }
    group.rows++
    if (group.first.length < 3) group.first.push(place.rowid)
    groups.set(key, group)
  }

  return {
    add,
    /** Reports a row that looks like provider data under another name. */
    other: (place: RowPlace, name: string): void =>
      add(place, {
        code: 'other-field',
        reason: `"${name}" looks like the data of a provider, but the field to change is "${field}"; it was not changed.`,
        replacement: `If it is the one, set ${prefix}.providers.${provider}.field to "${name}" and run this again. In a table of keys and values rename "purchases" to "payments" in these rows yourself.`,
      }),
    /** Reports rows that mention purchases in an unsupported form. */
    unread: (table: string, column: string, form: string, rows: number): void => {
      if (rows > 0)
        unreadable.push(
          toDecision({
            part: 'accounts',
            code: 'not-read',
            file,
            line: null,
            column: null,
            reason: `Table "${table}", column "${column}", ${rows === 1 ? 'one row' : `${rows} rows`}: this speaks of "purchases" in ${form}, which is not read. If it is a provider's data, its key is "payments" in version 2.`,
            replacement: null,
          }),
        )
    },
    decisions: (): Decision[] => [
      ...unreadable,
      ...[...groups.values()].map(({ place, finding, rows, first }) =>
        toDecision({
          part: 'accounts',
          code: finding.code,
          file,
          line: null,
          column: null,
          reason: `Table "${place.table}", column "${place.column}", ${rows === 1 ? `row ${first[0]}` : `${rows} rows (${first.join(', ')}${rows > 3 ? ', …' : ''})`}: ${finding.reason}`,
          replacement: finding.replacement,
        }),
      ),
    ],
  }
}

/** Reports a table with triggers: they run with every written row, and their effects cannot be undone. */
export function hasTriggers(names: readonly string[]): RowFinding {
  return {
    code: 'has-triggers',
    reason: `The table runs ${names.join(', ')} whenever it is written, so it was not changed.`,
    replacement: `Keep the text of ${names.map((name) => `"${name}"`).join(', ')}, run: drop trigger ${names.map(q).join('; drop trigger ')}; then the same command again, and create ${names.length === 1 ? 'it' : 'them'} as before.`,
  }
}

/** Finding for a text that was not read. */
export const tooLong: RowFinding = {
  code: 'too-long',
  reason: 'The text is longer than 5 MB and was not looked at.',
  replacement: null,
}
/** Finding for a row that cannot be identified. */
export const hugeNumber: RowFinding = {
  code: 'not-read',
  reason: `The row's number is above 2^53, so it was not changed; its "${forward.from}" are "${forward.to}" in version 2.`,
  replacement: null,
}
/** Finding for a text that was not changed. */
export const notText: RowFinding = {
  code: 'not-text',
  reason: 'The text is in no encoding that could be written back unchanged.',
  replacement: `Rename "${forward.from}" to "${forward.to}" with a tool of your own.`,
}

/** Builds the decision for a database that was not read. */
export function fileDecision(file: string, error: unknown): Decision {
  const code = codeOf(error)
  const [name, reason, replacement] = /^SQLITE_(BUSY|LOCKED)/.test(code)
    ? ['database-locked', 'Another program holds the database.', 'Stop the site and run this again.']
    : code === 'SQLITE_NOTADB'
      ? ['not-a-database', 'The file is no SQLite database, so it was not looked at.', null]
      : [
          'database-unreadable',
          `The database cannot be read (${code}), so it was not looked at.`,
          'Check the file and its permissions, and run this again.',
        ]
  return toDecision({
    part: 'accounts',
    code: name!,
    file,
    line: null,
    column: null,
    reason: reason!,
    replacement: replacement!,
  })
}
