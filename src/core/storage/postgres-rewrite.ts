import type { Rewriting } from './migrations/rewriting.ts'
import type { Line } from './postgres-indexes.ts'

/** Runs something in a transaction; false when it is to be stopped, since another process went on. */
export type Turn = (run: () => Promise<void>) => Promise<boolean>

/** Rewrites a table, so many rows in a transaction of their own: whoever writes one of them waits for a moment. O(rows). */
export const rewriteInParts = async (
  client: Line,
  { table, key, texts }: Rewriting,
  turn: Turn,
  onPart: (rows: number) => void,
): Promise<void> => {
  let rowsDone = 0
  const row = `(${key.join(', ')})`
  const from = (n: number) => `(${key.map((_, at) => `$${n + at + 1}`).join(', ')})`
  let after: string[] | null = null
  do {
    const since: string[] = after ?? []
    const isLater: string = after === null ? 'true' : `${row} > ${from(0)}`
    const { rows }: { rows: Record<string, string>[] } = await client.query(
      `select ${key.join(', ')} from ${table} where ${isLater} order by ${key.join(', ')} offset ${partRows - 1} limit 1`,
      since,
    )
    const last: string[] | null = rows[0] ? key.map((column) => rows[0]![column]!) : null
    const range = last === null ? isLater : `${isLater} and ${row} <= ${from(since.length)}`
    const isOurs = await turn(async () => {
      for (const text of texts(range)) await client.query(text, [...since, ...(last ?? [])])
    })
    if (!isOurs) return
    after = last
    rowsDone += partRows
    onPart(rowsDone)
  } while (after !== null)
}

const partRows = 1000
