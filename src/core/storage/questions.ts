import { createGathering } from './gather.ts'

/** The part of a driver's pool and connections that is used. */
interface Pool<Query> {
  connect(): Promise<Line<Query>>
}
interface Line<Query> {
  query(query: Query): Promise<{ readonly rows: unknown[] }>
  release(broken?: Error): void
}

interface Question<Query> {
  readonly query: Query
  readonly done: (rows: never[]) => void
  readonly failed: (error: unknown) => void
}

/**
 * Combines concurrent queries on one connection and in one packet. With separate connections, waking up costs both
 * sides more than answering. A failed query does not affect the others.
 */
export const createQuestions = <Query>(pool: Pool<Query>) => {
  const ask = async (questions: readonly Question<Query>[]): Promise<void> => {
    let client: Line<Query>
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

  const gathering = createGathering<Question<Query>>((batch) => {
    for (let from = 0; from < batch.length; from += perLine) void ask(batch.slice(from, from + perLine))
  })

  /** Runs a prepared query and returns its rows. */
  return (query: Query): Promise<never[]> =>
    new Promise((done, failed) => gathering.add({ query, done, failed }))
}

// The server answers one connection's queries one after the other, each in a fraction of a millisecond.
const perLine = 16

/** Sends everything that `send` writes in one packet. A system call per statement costs more than the statement. */
export const inOnePacket = <T>(client: object, send: () => T): T => {
  const { stream } = (client as { connection: { stream: { cork(): void; uncork(): void } } }).connection
  stream.cork()
  try {
    return send()
  } finally {
    stream.uncork()
  }
}
