import { CsvError, parse } from 'csv-parse/sync'
import { unguarded } from './dto/csv.ts'
import { MembershipError } from './errors.ts'

/** One row of a file: its cells by column, and its line. */
export interface CsvRow {
  readonly line: number
  readonly cells: Readonly<Record<string, string>>
}

export interface CsvFile {
  readonly columns: readonly string[]
  readonly rows: readonly CsvRow[]
}

/**
 * Reads a UTF-8 file with a header line. The header decides between commas, semicolons and tabs.
 * @throws ERR_USAGE, with the line, for an invalid file and for one that is too large
 */
export function readCsv(bytes: Uint8Array): CsvFile {
  if (bytes.length > mostBytes)
    throw unreadable(`The file has more than ${mostBytes / 1024 ** 2} MB.`, 'Split it.')
  const text = decoded(bytes)
  const firstLine = text.slice(0, text.search(/[\r\n]|$/))
  if (firstLine.trim() === '')
    throw unreadable('The file has no line of column names.', 'Export it with a header.')
  const records = parsed(text, delimiterOf(firstLine))
  const [head, ...body] = records
  const columns = head!.record.map((name) => name.trim())
  const twice = columns.find((name, place) => name !== '' && columns.indexOf(name) !== place)
  if (twice !== undefined)
    throw unreadable(`Line 1: two columns are called "${twice}".`, 'Rename one of them.')
  if (body.length > mostRows) throw unreadable(`The file has more than ${mostRows} rows.`, 'Split it.')
  return {
    columns,
    rows: body.map(({ record, line }) => ({
      line,
      cells: Object.fromEntries(columns.map((name, place) => [name, unguarded(record[place]!.trim())])),
    })),
  }
}

function parsed(text: string, delimiter: string): { record: string[]; line: number }[] {
  // A record may span several lines. Its first line is reported.
  let next = 1
  try {
    const records = parse(text, {
      delimiter,
      info: true,
      skip_empty_lines: true,
      max_record_size: mostCharactersARow,
    }) as unknown as { record: string[]; info: { lines: number } }[]
    return records.map(({ record, info }) => {
      const line = Math.max(next, info.lines - record.join('').split('\n').length + 1)
      next = info.lines + 1
      return { record, line }
    })
  } catch (error) {
    if (error instanceof CsvError)
      throw unreadable(
        `Line ${String((error as { lines?: number }).lines ?? '?')}: the row cannot be read (${error.message}).`,
        'Export the file again, or mend that line.',
      )
    throw error
  }
}

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw unreadable('The file is not UTF-8.', 'Save it as “CSV UTF-8”.')
  }
}

function delimiterOf(firstLine: string): string {
  const counts = [',', ';', '\t'].map((mark) => [firstLine.split(mark).length, mark] as const)
  return counts.reduce((best, count) => (count[0] > best[0] ? count : best))[1]
}

function unreadable(message: string, action: string): MembershipError {
  return new MembershipError('ERR_USAGE', `${message} Nothing was written.`, { action })
}

const mostBytes = 64 * 1024 ** 2
const mostRows = 200_000
const mostCharactersARow = 100_000
