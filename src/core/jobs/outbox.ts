import { setTimeout as pause } from 'node:timers/promises'
import { withoutAddresses } from '../dto/index.ts'
import { isMembershipError, MembershipError } from '../errors.ts'
import { lazy } from '../lazy.ts'
import type { Log } from '../log.ts'
import { type Step, type Storage, step, UnitConflict } from '../storage/index.ts'
import { clockSkewMs } from './clocks.ts'
import { longestWaitMs, outboxClaim, outboxStatements, type QueuedRow } from './statements.ts'
import { createLine, within } from './worker-pool.ts'

/** Something to deliver: a hook, a mail, or a call to a provider. */
export interface Message {
  /**
   * Stays the same at every try, so that the receiver can detect a repetition. A message queued twice is delivered
   * once.
   */
  readonly id: string
  /** Messages of one lane are delivered in order. A failing one delays the later ones. */
  readonly lane: string
  readonly kind: string
  readonly payload: unknown
}

/** A message as its handler receives it. */
export interface Delivered {
  readonly id: string
  readonly payload: unknown
  /** When it was queued, ISO 8601 UTC. */
  readonly at: string
  /** Aborts when the handler takes too long or the process ends. The message is then retried. */
  readonly signal: AbortSignal
}

/** The handler for each kind of message. A message whose handler throws is retried, except after ERR_UNDELIVERABLE. */
export type Handlers = Readonly<Record<string, (message: Delivered) => Promise<void>>>

/** Filters the list of messages. */
export interface OutboxFilter {
  /** Only messages that were given up. */
  readonly dead?: boolean
  /** Only messages that are still retried. */
  readonly waiting?: boolean
  /** Only messages queued after this one. */
  readonly after?: number
  readonly limit?: number
}

/** A message without its contents. */
export type QueuedMessage = Omit<QueuedRow, 'payload'>

/**
 * Messages that are queued in the unit of the change they report. Each is delivered at least once, in order within its
 * lane.
 */
export interface Outbox {
  /** Steps that queue messages, for the unit of their change. */
  steps(messages: readonly Message[]): Step[]
  /**
   * Adds handlers for further kinds of messages. Call it before the first delivery. A kind without a handler waits for
   * a process that has one.
   */
  handle(handlers: Handlers): void
  /** Delivers the due messages and waits for those on their way. Returns the number delivered. */
  deliverDue(): Promise<number>
  /** Delivers soon, without waiting. */
  nudge(): void
  /** Lists waiting and given-up messages, oldest first, without their contents. */
  list(filter?: OutboxFilter): Promise<QueuedMessage[]>
  /**
   * Retries a waiting or given-up message now.
   * @throws ERR_NOT_FOUND
   */
  replay(seq: number): Promise<void>
  /**
   * Takes no further messages, and waits a few seconds for running deliveries. Another process retries an unfinished
   * one a minute after it began; one that ended when its signal aborted, at once.
   */
  close(): Promise<void>
}

/**
 * Delivers each kind in a pool of its own. A failed message is retried after 5 seconds, then after pauses that grow to
 * six hours, until `retries` is used up.
 */
export function createOutbox(deps: {
  storage: Storage
  now: () => Date
  log: Log
  /** Tries of a message before it is given up. */
  retries: number
  /** True for kinds whose handler decides when to give up: by ERR_UNDELIVERABLE. */
  decidesItself?: (kind: string) => boolean
  handlers?: Handlers
  patience?: Patience
}): Outbox {
  const { storage, now, log, retries, patience = usual } = deps
  const statements = outboxStatements(storage)
  const later = (ms: number) => new Date(now().getTime() + ms).toISOString()
  const handlers = { ...deps.handlers }

  const deliver = async (row: QueuedRow, handler: Handlers[string], ended: AbortSignal): Promise<boolean> => {
    const limit = later(patience.handlerMs)
    let run: Promise<void> = Promise.resolve()
    try {
      await within(patience.handlerMs, ended, (signal) => {
        run = handler({ id: row.id, payload: JSON.parse(row.payload), at: row.created_at, signal })
        return run
      })
    } catch (error) {
      const end = ended.aborted ? await endOf(run) : null
      if (end === null) await keep(row, error)
      else if (end !== 'arrived') await giveBack(row, end === 'failed' ? later(0) : limit)
      if (end !== 'arrived') return false
    }
    await storage.commit([step(statements.done, { seq: row.seq })])
    return true
  }

  /** Leaves a message to another process: at once, or from `dueAt` if its handler still runs here. */
  const giveBack = (row: QueuedRow, dueAt = later(0)): Promise<void> =>
    storage.commit([step(statements.giveBack, { seq: row.seq, due_at: dueAt })])

  const keep = async (row: QueuedRow, error: unknown): Promise<void> => {
    const { attempts } = row
    // A final refusal would be the same next time.
    const isUsedUp = attempts > retries && !deps.decidesItself?.(row.kind)
    const gaveUp = isUsedUp || isMembershipError(error, 'ERR_UNDELIVERABLE')
    // A mailer's error may contain an address, which neither the log nor the row may keep.
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
    Object.entries(handlers).map(([kind, handler]) => ({
      kind,
      ...createLine({
        claim: outboxClaim(storage, kind, leaseMs),
        deliver: (row, ended) => deliver(row, handler, ended),
        giveBack,
        now,
        log,
      }),
    })),
  )
  let isClosed = false

  /** The lines with something to claim, and those that are at work. One question is asked for all kinds. */
  const busyLines = async () => {
    const rows = await storage.all(statements.due, { now: later(0), beyond: later(longestWaitMs) })
    const kinds = new Set(rows.map(({ kind }) => kind))
    return lines().filter((line) => kinds.has(line.kind) || line.isRunning())
  }

  /** Runs until nothing more arrives, because a message of one kind may have blocked one of another. */
  const deliverAll = async (): Promise<number> => {
    let arrived = 0
    for (;;) {
      if (isClosed) return arrived
      const counts = await Promise.all((await busyLines()).map((line) => line.run()))
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
      deliverAll().catch((error: unknown) => {
        if (!isClosed) log('messages could not be delivered', { reason: String(error) })
      })
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

/** How long a handler is waited for, in milliseconds. */
export interface Patience {
  /** Shorter than the lease, so that no other process has the message meanwhile. */
  readonly handlerMs: number
  /** When the process ends. */
  readonly closeMs: number
}
const usual: Patience = { handlerMs: 60_000, closeMs: 5000 }

// After this time, another process may take over the message of a process that died.
const leaseMs = 120_000 + clockSkewMs

/** Returns how a handler ended whose signal has aborted, or `running`: it has a moment to notice. */
function endOf(run: Promise<void>): Promise<'arrived' | 'failed' | 'running'> {
  return Promise.race([
    run.then(
      () => 'arrived' as const,
      () => 'failed' as const,
    ),
    pause(noticeMs, 'running' as const),
  ])
}
const noticeMs = 100

function backoffMs(attempts: number): number {
  return Math.min(6 * 3600, 5 * 4 ** Math.min(attempts - 1, 8)) * 1000
}
