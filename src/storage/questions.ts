import type pg from 'pg'
import { createGathering } from './gather.ts'

interface Question {
  readonly query: pg.QueryConfig
  readonly done: (rows: never[]) => void
  readonly failed: (error: unknown) => void
}

/**
 * Questions of one moment share a line to the server and a packet: each on a line of its own costs both sides more in
 * waking up than in answering. One that fails leaves the others their answers.
 */
export const createQuestions = (pool: pg.Pool) => {
  const ask = async (questions: readonly Question[]): Promise<void> => {
    let client: pg.PoolClient
    try {
      client = await pool.connect()
    } catch (error) {
      for (const { failed } of questions) failed(error)
      return
    }
    let broken: Error | undefined
    const answers = inOnePacket(client, () => questions.map(({ query }) => client.query(query)))
    await Promise.all(
      answers.map(async (answer, i) => {
        const { done, failed } = questions[i]!
        try {
          done((await answer).rows as never[])
        } catch (error) {
          broken ??= error as Error
          failed(error)
        }
      }),
    )
    client.release(broken)
  }

  const gathering = createGathering<Question>((batch) => {
    for (let from = 0; from < batch.length; from += perLine) void ask(batch.slice(from, from + perLine))
  })

  /** The rows that a prepared query gives. */
  return (query: pg.QueryConfig): Promise<never[]> =>
    new Promise((done, failed) => gathering.add({ query, done, failed }))
}

// The server answers those of one line one after the other, each in a fraction of a millisecond.
const perLine = 16

/** What `send` hands to the line goes out together: a system call for each statement costs more than the statement. */
export const inOnePacket = <T>(client: pg.PoolClient, send: () => T): T => {
  const { stream } = (client as unknown as { connection: { stream: { cork(): void; uncork(): void } } })
    .connection
  stream.cork()
  try {
    return send()
  } finally {
    stream.uncork()
  }
}
