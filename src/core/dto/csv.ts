/** Rows as CSV after RFC 4180, safe to open in a spreadsheet: what it would take for a formula begins with '. */
export const toCsv = (rows: readonly (readonly (string | number | null)[])[]): string =>
  rows.map((row) => `${row.map(toCell).join(',')}\r\n`).join('')

const toCell = (value: string | number | null): string => {
  const text = String(value ?? '')
  // Spreadsheets look past white space at the beginning. Source: OWASP, CSV injection.
  const safe = /^\s*[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
