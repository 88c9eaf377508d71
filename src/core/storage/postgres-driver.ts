import pg from 'pg'
import type { Line } from './postgres-indexes.ts'

/** The driver's own types, for code that uses its connections. */
export type Pool = pg.Pool
export type PoolClient = pg.PoolClient
export type Query = pg.QueryConfig & { readonly rowMode?: 'array' }

/** Opens a pool that connects as needed, up to `size` connections. An answer may take `answerMs`. */
export function openPool(url: string, size: number, answerMs: number): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: size,
    pipeline: true,
    connectionTimeoutMillis: answerMs,
    // The connection is given up after this time.
    query_timeout: answerMs,
    types: { getTypeParser } as never,
  })
  // A lost connection is reported to the callers that wait for it, and the pool replaces it. Without these listeners,
  // for idle and used connections, the event would end the process.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

// seq is a bigint, but stays far below 2^53.
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  return oid === 20 ? Number : (pg.types.getTypeParser as (o: number, f?: string) => unknown)(oid, format)
}

/** A separate connection for long work. */
export function toLine(url: string, connectMs?: number): Line {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: connectMs })
  client.on('error', () => undefined)
  return client as unknown as Line
}
