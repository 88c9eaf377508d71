import pg from 'pg'
import type { Line } from './postgres-indexes.ts'

/** The driver's own words, for whoever uses its lines. */
export type Pool = pg.Pool
export type PoolClient = pg.PoolClient
export type Query = pg.QueryConfig

/** Connections that are opened as they are needed, `size` at most; what is asked of one waits for `answerMs`. */
export const openPool = (url: string, size: number, answerMs: number): pg.Pool => {
  const pool = new pg.Pool({
    connectionString: url,
    max: size,
    pipeline: true,
    connectionTimeoutMillis: answerMs,
    // After this time a connection is given up.
    query_timeout: answerMs,
    types: { getTypeParser } as never,
  })
  // A lost connection is told to whoever waits for its answer, and replaced by the pool; without listeners, for when it
  // is idle and for when it is used, the same event would end the process.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

// seq is a bigint; it stays far below 2^53.
const getTypeParser = (oid: number, format?: 'text' | 'binary') =>
  oid === 20 ? Number : (pg.types.getTypeParser as (o: number, f?: string) => unknown)(oid, format)

/** A connection of its own, for what takes long. */
export const toLine = (url: string, connectMs?: number): Line => {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: connectMs })
  client.on('error', () => undefined)
  return client as unknown as Line
}
