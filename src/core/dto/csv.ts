/** A cell of a CSV file. A `decimal` is a number whose digits stay as written, such as an amount of money. */
export type CsvCell = string | number | null | { readonly decimal: string }

/** The columns of a CSV file: each heading stands with the cell below it, so that no row can have more or fewer. */
export type CsvColumns<T> = readonly (readonly [heading: string, cell: (row: T) => CsvCell])[]

/**
 * Writes a CSV file with a line of headings (RFC 4180), safe to open in a spreadsheet: a text that would be a
 * formula starts with '. `readCsv` of the import takes that away again.
 */
export function toCsv<T>(columns: CsvColumns<T>, rows: Iterable<T>): string {
  return lineOf(columns.map(([heading]) => heading)) + toCsvRows(columns, rows)
}

/** Writes rows without the line of headings, for a file that is written in parts. */
export function toCsvRows<T>(columns: CsvColumns<T>, rows: Iterable<T>): string {
  let text = ''
  for (const row of rows) text += lineOf(columns.map(([, cell]) => cell(row)))
  return text
}

/** The cells of a table as text, with its headings first. */
export function toTable<T>(columns: CsvColumns<T>, rows: Iterable<T>): string[][] {
  return [
    columns.map(([heading]) => heading),
    ...Array.from(rows, (row) => columns.map(([, cell]) => textOf(cell(row)))),
  ]
}

/** Takes away what `toCsv` and others put before a text that looks like a formula. */
export function unguarded(text: string): string {
  return /^'+\s*[=+\-@\t\r]/.test(text) ? text.slice(1) : text
}

function lineOf(cells: readonly CsvCell[]): string {
  return `${cells.map(toCell).join(',')}\r\n`
}

function toCell(value: CsvCell): string {
  const text = textOf(value)
  // Spreadsheets ignore leading white space. Source: OWASP, CSV injection.
  const safe = typeof value === 'string' && /^'*\s*[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

function textOf(value: CsvCell): string {
  return typeof value === 'object' && value !== null ? value.decimal : String(value ?? '')
}
