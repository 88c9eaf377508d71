import type { Rewriting } from './migrations/migration.ts'
import type { Line } from './postgres-indexes.ts'

/** Runs a function in a transaction. False when it must stop because another process continued. */
export type Turn = (run: () => Promise<void>) => Promise<boolean>

/**
 * Rewrites a table in batches, each in a transaction of its own, so that a writer waits only a moment. Within a batch
 * all key columns but the last are equal. PostgreSQL then reads no other rows, unlike between two whole keys. O(rows).
 */
export const rewriteInParts = async (
  client: Line,
  { table, key, texts }: Rewriting,
  turn: Turn,
  onPart: (parts: number) => void,
): Promise<void> => {
  const [last, shared] = [key.at(-1)!, key.slice(0, -1)]
  const ask = async (sql: string, values: readonly string[]) =>
    (await client.query<Record<string, string>>(sql, [...values])).rows[0]
  const names = shared.join(', ')
  const same = shared.map((column, n) => `${column} = $${n + 1}`).join(' and ')
  const next = `select ${names} from ${table}`
  const first = (where: string) => `${next} ${where} order by ${names} limit 1`
  const later = `where (${names}) > (${shared.map((_, n) => `$${n + 1}`).join(', ')})`
  let parts = 0
  for (let group = await ask(first(''), []); group; ) {
    const place = shared.map((column) => group![column]!)
    for (let after: string | null = null; ; ) {
      const since: string[] = after === null ? place : [...place, after]
      const from = after === null ? same : `${same} and ${last} > $${since.length}`
      const end = await ask(
        `select ${last} from ${table} where ${from} order by ${last} offset ${partRows - 1} limit 1`,
        since,
      )
      const values = end === undefined ? since : [...since, end[last]!]
      const range = end === undefined ? from : `${from} and ${last} <= $${values.length}`
      const isOurs = await turn(async () => {
        for (const text of texts(range)) await client.query(text, values)
      })
      if (!isOurs) return
      onPart(++parts)
      if (end === undefined) break
      after = end[last]!
    }
    group = await ask(first(later), place)
  }
}

const partRows = 1000
