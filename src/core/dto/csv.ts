/** Writes rows as CSV (RFC 4180), safe to open in a spreadsheet: a cell that would be a formula starts with '. */
export const toCsv = (rows: readonly (readonly (string | number | null)[])[]): string =>
  rows.map((row) => `${row.map(toCell).join(',')}\r\n`).join('')

const toCell = (value: string | number | null): string => {
  const text = String(value ?? '')
  // Spreadsheets ignore leading white space. Source: OWASP, CSV injection.
  const safe = /^\s*[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
