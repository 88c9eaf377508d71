import { withoutAddresses } from '../dto/index.ts'
import { isMembershipError, MembershipError } from '../errors.ts'
import { lazy } from '../lazy.ts'
import type { Log } from '../log.ts'
import { type Step, type Storage, step, UnitConflict } from '../storage/index.ts'
import { clockSkewMs } from './clocks.ts'
import { outboxClaim, outboxStatements, type QueuedRow } from './statements.ts'
import { createLine, within } from './worker-pool.ts'

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
  /** Aborted when the handler takes too long, or the process ends: it is tried again then. */
  readonly signal: AbortSignal
}

/** The handlers that deliver each kind of message; one that throws comes again, unless it says ERR_UNDELIVERABLE. */
export type Handlers = Readonly<Record<string, (message: Delivered) => Promise<void>>>

/** Filter of the messages that are listed. */
export interface OutboxFilter {
  /** Only those that were given up. */
  readonly dead?: boolean
  /** Only those that are still tried. */
  readonly waiting?: boolean
  /** Only those queued after this one. */
  readonly after?: number
  readonly limit?: number
}

/** A message without its contents. */
export type QueuedMessage = Omit<QueuedRow, 'payload'>

/** Messages that leave with the change they tell of: at least once each, in order within their lane. */
export interface Outbox {
  /** The steps that queue messages, for the unit whose change they tell. */
  steps(messages: readonly Message[]): Step[]
  /** Adds what delivers further kinds of messages. Messages of a kind that nobody handles here wait for a process that
   *  does. Call it before the first delivery. */
  handle(handlers: Handlers): void
  /** Delivers what is due, and waits for what is on its way. Returns how many more messages arrived. */
  deliverDue(): Promise<number>
  /** Delivers soon, without being waited for. */
  nudge(): void
  /** Waiting and given-up messages, oldest first, without their contents. */
  list(filter?: OutboxFilter): Promise<QueuedMessage[]>
  /** Tries a message now that was given up, or that waits for its next try. @throws ERR_NOT_FOUND */
  replay(seq: number): Promise<void>
  /** Takes no more, and waits a few seconds for deliveries that run. What is not finished then comes again. */
  close(): Promise<void>
}

/** Delivers each kind in a line of its own. What fails comes again after 5 seconds, then after pauses that
 *  grow to six hours, until `retries` is used up. */
export const createOutbox = (deps: {
  storage: Storage
  now: () => Date
  log: Log
  /** The number of tries of a message before it is given up. */
  retries: number
  handlers?: Handlers
  patience?: Patience
}): Outbox => {
  const { storage, now, log, retries, patience = usual } = deps
  const statements = outboxStatements(storage)
  const later = (ms: number) => new Date(now().getTime() + ms).toISOString()
  const handlers = { ...deps.handlers }

  const deliver = async (row: QueuedRow, handler: Handlers[string], ended: AbortSignal): Promise<boolean> => {
    try {
      await within(patience.handlerMs, ended, (signal) =>
        handler({ id: row.id, payload: JSON.parse(row.payload), at: row.created_at, signal }),
      )
    } catch (error) {
      // Ended with the process: whoever has the message next tries it, when the lease is over.
      if (!ended.aborted) await keep(row, error)
      return false
    }
    await storage.commit([step(statements.done, { seq: row.seq })])
    return true
  }

  const keep = async (row: QueuedRow, error: unknown): Promise<void> => {
    const { attempts } = row
    // Who refuses for good says the same next time.
    const gaveUp = attempts > retries || isMembershipError(error, 'ERR_UNDELIVERABLE')
    // A mailer says whom it could not reach; neither the log nor the row keeps it.
    const message = error instanceof Error ? error.message : String(error)
    const reason = withoutAddresses(message).slice(0, 500)
    log(gaveUp ? 'a message was given up' : 'a message could not be delivered', {
      kind: row.kind,
      id: row.id,
      reason,
    })
    const status = gaveUp ? 'dead' : 'waiting'
    const due_at = later(backoffMs(attempts))
    await storage.commit([step(statements.failed, { seq: row.seq, status, due_at, error: reason })])
  }

  const lines = lazy(() =>
    Object.entries(handlers).map(([kind, handler]) =>
      createLine({
        claim: outboxClaim(storage, kind, leaseMs),
        deliver: (row, ended) => deliver(row, handler, ended),
        now,
        log,
      }),
    ),
  )
  let isClosed = false

  /** Until nothing more arrives: a message of one kind may have stood before one of another. */
  const deliverAll = async (): Promise<number> => {
    let arrived = 0
    for (;;) {
      if (isClosed) return arrived
      const counts = await Promise.all(lines().map((line) => line.run()))
      const count = counts.reduce((sum, n) => sum + n, 0)
      arrived += count
      if (count === 0) return arrived
    }
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
    handle: (more) => void Object.assign(handlers, more),
    deliverDue: deliverAll,
    nudge: () => {
      deliverAll().catch((error: unknown) =>
        log('messages could not be delivered', { reason: String(error) }),
      )
    },
    list: ({ dead = false, waiting = false, after = 0, limit = 100 } = {}) =>
      storage.read((db) => {
        const query = db
          .selectFrom('outbox')
          .select(['seq', 'id', 'lane', 'kind', 'status', 'created_at', 'due_at', 'attempts', 'error'])
          .where('seq', '>', after)
          .orderBy('seq')
          .limit(limit)
        if (dead) return query.where('status', '=', 'dead')
        return waiting ? query.where('status', '=', 'waiting') : query
      }),
    replay: async (seq) => {
      try {
        await storage.commit([step(statements.again, { seq, due_at: now().toISOString() }, 1)])
      } catch (error) {
        if (!(error instanceof UnitConflict)) throw error
        throw new MembershipError('ERR_NOT_FOUND', `No message ${seq} that waits or was given up.`)
      }
    },
    close: async () => {
      isClosed = true
      await Promise.all(lines().map((line) => line.close(patience.closeMs)))
    },
  }
}

/** The time for which a handler is waited for, in milliseconds. */
export interface Patience {
  /** Below the lease, so that nobody else has the message meanwhile. */
  readonly handlerMs: number
  /** When the process ends. */
  readonly closeMs: number
}
const usual: Patience = { handlerMs: 60_000, closeMs: 5000 }

// A process that dies with a message in hand leaves it to the next after this time.
const leaseMs = 120_000 + clockSkewMs

const backoffMs = (attempts: number): number => Math.min(6 * 3600, 5 * 4 ** Math.min(attempts - 1, 8)) * 1000
