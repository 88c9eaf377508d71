import { parse } from 'csv-parse/sync'

/**
 * The rows of a CSV file by heading, read by RFC 4180: lines end in CRLF, and each row has a cell for each
 * heading.
 * @throws for anything else
 */
export function strictRows(text: string): Record<string, string>[] {
  const records = parse(text.replace(/^\uFEFF/, ''), { record_delimiter: '\r\n' }) as string[][]
  const [head, ...rows] = records
  if (head === undefined || new Set(head).size !== head.length)
    throw new Error('headings are missing or twice')
  return rows.map((row) => Object.fromEntries(row.map((cell, i) => [head[i]!, cell])))
}
