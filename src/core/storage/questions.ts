import type { Statement, Value } from './contract.ts'
import { createGathering } from './gather.ts'

/** The part of a driver's pool and connections that is used. */
interface Pool<Query> {
  connect(): Promise<Line<Query>>
}
interface Line<Query> {
  query(query: Query): Promise<Answer>
  release(broken?: Error): void
}
interface Answer {
  readonly rows: unknown[]
  readonly fields: readonly { readonly name: string }[]
}

/** A query whose caller waits for its rows. */
interface Question<Query> {
  readonly query: Query
  /** Set if another query may answer it together with others of its statement. */
  readonly shared: Shared | null
  readonly done: (rows: never[]) => void
  readonly failed: (error: unknown) => void
}

/** A prepared read with its parameters. */
export interface Shared {
  readonly statement: Statement<never>
  readonly params: Readonly<Record<string, Value>>
}

interface QuestionsDeps<Query> {
  readonly pool: Pool<Query>
  /** Builds one query for reads of one statement. Its rows are arrays that begin with the number of their read, from 1 on. */
  readonly toShared: (reads: readonly Shared[]) => Query
  readonly isConnectionFault: (error: unknown) => boolean
}

/**
 * Combines concurrent queries on one connection and in one packet. With separate connections, waking up costs both
 * sides more than answering. Shared ones of a statement become one query. A failed query does not affect the others.
 */
export function createQuestions<Query>({ pool, toShared, isConnectionFault }: QuestionsDeps<Query>) {
  const toQuery = (group: Group<Query>): Query =>
    group.length === 1 ? group[0]!.query : toShared(group.map(({ shared }) => shared!))

  const ask = async (groups: readonly Group<Query>[]): Promise<void> => {
    let client: Line<Query>
    try {
      client = await pool.connect()
    } catch (error) {
      for (const { failed } of groups.flat()) failed(error)
      return
    }
    let broken: Error | undefined
    const answers = inOnePacket(client, () => groups.map(async (group) => client.query(toQuery(group))))
    await Promise.all(
      answers.map(async (answer, i) => {
        const group = groups[i]!
        try {
          give(group, await answer)
        } catch (error) {
          broken ??= error as Error
          // The rows of one read may be the cause.
          if (group.length > 1 && !isConnectionFault(error)) void ask(group.map((question) => [question]))
          else for (const { failed } of group) failed(error)
        }
      }),
    )
    client.release(broken)
  }

  const gathering = createGathering<Question<Query>>((batch) => {
    for (let from = 0; from < batch.length; from += perLine)
      void ask(groupsOf(batch.slice(from, from + perLine)))
  })

  /** Runs a prepared query and returns its rows. */
  return (query: Query, shared: Shared | null): Promise<never[]> =>
    new Promise((done, failed) => gathering.add({ query, shared, done, failed }))
}

/** The questions that one query answers. Several are shared ones of one statement. */
type Group<Query> = readonly Question<Query>[]

function groupsOf<Query>(questions: readonly Question<Query>[]): Group<Query>[] {
  const groups = new Map<object, Question<Query>[]>()
  for (const question of questions) {
    const key = question.shared?.statement ?? question
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [question])
    else group.push(question)
  }
  return [...groups.values()]
}

function give<Query>(group: Group<Query>, { rows, fields }: Answer): void {
  // The driver's array may be old to V8, which then keeps its rows until a full garbage collection. So it is emptied.
  const taken = rows.splice(0)
  if (group.length === 1) {
    group[0]!.done(taken as never[])
    return
  }
  const names = fields.map(({ name }) => name)
  const own: object[][] = group.map(() => [])
  for (const values of taken as unknown[][]) own[(values[0] as number) - 1]!.push(toRow(names, values))
  for (const [i, { done }] of group.entries()) done(own[i] as never[])
}

function toRow(names: readonly string[], values: readonly unknown[]): object {
  const row: Record<string, unknown> = {}
  for (let i = 1; i < names.length; i++) row[names[i]!] = values[i]
  return row
}

// The server answers one connection's queries one after the other, each in a fraction of a millisecond.
const perLine = 16

/** Sends everything that `send` writes in one packet. A system call per statement costs more than the statement. */
export function inOnePacket<T>(client: object, send: () => T): T {
  const { stream } = (client as { connection: { stream: { cork(): void; uncork(): void } } }).connection
  stream.cork()
  try {
    return send()
  } finally {
    stream.uncork()
  }
}
