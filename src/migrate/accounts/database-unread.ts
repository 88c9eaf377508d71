import type { createRowFindings } from './database-findings.ts'
import { countQuery, type Table, unnumberedTablesOf } from './database-tables.ts'

/** Says what is in a form that is not read: BLOBs, and tables whose rows cannot be named. `count` runs a query that counts.
 *  One pass over each column. */
export const countUnread = (
  tables: readonly Table[],
  found: ReturnType<typeof createRowFindings>,
  { pragma, count }: { pragma: (text: string) => unknown; count: (query: string) => number },
): void => {
  for (const { name, columns } of tables)
    for (const column of columns) found.unread(name, column, 'a BLOB', count(countQuery(name, column, false)))
  for (const { name, columns } of unnumberedTablesOf(pragma))
    for (const column of columns)
      found.unread(name, column, 'a table without row numbers', count(countQuery(name, column, true)))
}
