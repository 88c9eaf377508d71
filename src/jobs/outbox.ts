import { MembershipError } from '../errors.ts'
import type { Log } from '../log.ts'
import { type Step, type Storage, step, UnitConflict } from '../storage/index.ts'
import { clockSkewMs } from './clocks.ts'
import { dueStatement, outboxStatements, type QueuedRow } from './statements.ts'

/** Something to deliver outside: a hook, a mail, a call to a provider. */
export interface Message {
  /** The same at every try, so that whoever receives it can tell a repetition. Queued twice, it is delivered as one. */
  readonly id: string
  /** Messages of one lane are delivered in order; one that fails holds up the later ones. */
  readonly lane: string
  readonly kind: string
  readonly payload: unknown
}

/** A message as its handler gets it. */
export interface Delivered {
  readonly id: string
  readonly payload: unknown
  /** When it was queued, ISO 8601 UTC. */
  readonly at: string
}

export type Handlers = Readonly<Record<string, (message: Delivered) => Promise<void>>>

/** Messages that leave with the change they tell of: at least once each, in order within their lane. */
export interface Outbox {
  /** The steps that queue messages, for the unit whose change they tell. */
  steps(messages: readonly Message[]): Step[]
  /** Delivers what is due, and waits for what is on its way. Returns how many more messages arrived. */
  deliverDue(): Promise<number>
  /** Delivers soon, without being waited for. */
  nudge(): void
  /** Waiting and given-up messages, oldest first, without their contents. */
  list(filter?: { dead?: boolean; limit?: number }): Promise<Omit<QueuedRow, 'payload'>[]>
  /** Tries a message again that was given up. @throws ERR_NOT_FOUND */
  replay(seq: number): Promise<void>
  /** Waits for deliveries that run. */
  close(): Promise<void>
}

export const createOutbox = (deps: {
  storage: Storage
  now: () => Date
  log: Log
  /** How often a message is tried again before it is given up. */
  retries: number
  /** What this process delivers, asked for once; messages of other kinds wait for a process that can. */
  handlers: () => Handlers
}): Outbox => {
  const { storage, now, log, retries } = deps
  const statements = outboxStatements(storage)
  const ready = once(() => {
    const handlers = deps.handlers()
    return { handlers, due: dueStatement(storage, Object.keys(handlers)) }
  })
  const running = new Set<Promise<unknown>>()
  const later = (ms: number) => new Date(now().getTime() + ms).toISOString()

  const deliver = async (row: QueuedRow): Promise<boolean> => {
    try {
      await storage.commit([
        step(statements.lease, { seq: row.seq, due_at: row.due_at, until: later(leaseMs) }, 1),
      ])
    } catch (error) {
      // Another process has it.
      if (error instanceof UnitConflict) return false
      throw error
    }
    try {
      await ready().handlers[row.kind]!({ id: row.id, payload: JSON.parse(row.payload), at: row.created_at })
    } catch (error) {
      await keep(row, error)
      return false
    }
    await storage.commit([step(statements.done, { seq: row.seq })])
    return true
  }

  const keep = async (row: QueuedRow, error: unknown): Promise<void> => {
    const attempts = row.attempts + 1
    const gaveUp = attempts > retries
    const reason = (error instanceof Error ? error.message : String(error)).slice(0, 500)
    log(gaveUp ? 'a message was given up' : 'a message could not be delivered', {
      kind: row.kind,
      id: row.id,
      reason,
    })
    const status = gaveUp ? 'dead' : 'waiting'
    const due_at = later(backoffMs(attempts))
    await storage.commit([step(statements.failed, { seq: row.seq, status, due_at, error: reason })])
  }

  const deliverAll = async (): Promise<number> => {
    let arrived = 0
    for (;;) {
      const heads = await storage.all(ready().due, { now: now().toISOString() })
      // One message of each lane at a time: lanes wait for nobody but themselves.
      const done = await Promise.all(heads.map(deliver))
      const count = done.filter(Boolean).length
      arrived += count
      if (count === 0) return arrived
    }
  }

  const nudge = (): void => {
    const run = deliverAll()
      .catch((error: unknown) => log('messages could not be delivered', { reason: String(error) }))
      .finally(() => running.delete(run))
    running.add(run)
  }

  return {
    steps: (messages) =>
      messages.map(({ id, lane, kind, payload }) =>
        step(statements.insert, {
          id,
          lane,
          kind,
          payload: JSON.stringify(payload),
          status: 'waiting',
          created_at: now().toISOString(),
          due_at: now().toISOString(),
          attempts: 0,
          error: null,
        }),
      ),
    deliverDue: async () => {
      // What leaves in the background at this moment is due, too.
      await Promise.all(running)
      return deliverAll()
    },
    nudge,
    list: ({ dead = false, limit = 100 } = {}) =>
      storage.read((db) => {
        const query = db
          .selectFrom('outbox')
          .select(['seq', 'id', 'lane', 'kind', 'status', 'created_at', 'due_at', 'attempts', 'error'])
          .orderBy('seq')
          .limit(limit)
        return dead ? query.where('status', '=', 'dead') : query
      }),
    replay: async (seq) => {
      try {
        await storage.commit([step(statements.again, { seq, due_at: now().toISOString() }, 1)])
      } catch (error) {
        if (!(error instanceof UnitConflict)) throw error
        throw new MembershipError('ERR_NOT_FOUND', `No message ${seq} that was given up.`)
      }
    },
    close: async () => void (await Promise.all(running)),
  }
}

const once = <T>(make: () => T): (() => T) => {
  let made: { value: T } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

// A process that dies with a message in hand leaves it to the next after this time.
const leaseMs = 120_000 + clockSkewMs

const backoffMs = (attempts: number): number => Math.min(6 * 3600, 5 * 4 ** Math.min(attempts - 1, 8)) * 1000
