import { setTimeout as sleep } from 'node:timers/promises'
import { type Step, type Unit, UnitConflict } from './contract.ts'
import { fold, isReordered, type Sending } from './sendings.ts'

/** A unit that somebody waits for. */
export interface Queued {
  readonly unit: Unit
  /** Shares a transaction with no other unit. */
  readonly isAlone?: boolean
  readonly done: () => void
  readonly failed: (error: unknown) => void
}

/** Why a transaction was undone. */
export interface Failure {
  /**
   * misfit: a step is wrong, or the rows were changed meanwhile; held: another transaction holds a row; race: the server
   * chose this one of several to be undone; lost: the server or the line to it is gone.
   */
  readonly kind: 'misfit' | 'held' | 'race' | 'lost'
  /** Which steps: of a statement that failed all that it carried, else those that did not fit. Empty when not known. */
  readonly at: readonly Step[]
  /** The error of the statement; null where a statement changed another number of rows than expected. */
  readonly error: unknown
}

/** Runs sendings in a transaction of their own, waiting for held rows so long: null when they are durable. */
export type Attempt = (sendings: readonly Sending[], lockMs: number) => Promise<Failure | null>

/**
 * Makes queued units durable, many in one transaction. Where something does not fit, those that it may concern are parted
 * from the others, which go first, and so on until each is told what is true of it alone. Whoever waits for a row that
 * somebody holds waits aside, so that nobody else does.
 */
export const createBatches = (deps: {
  attempt: Attempt
  /** For how long a unit waits for a row that is held. */
  lockMs: number
  /** The error of a unit that waited for too long, or whose line is gone. */
  toError: (error: unknown) => Error
  random?: () => number
  pause?: (ms: number) => Promise<void>
}) => {
  const { attempt, lockMs, toError, random = Math.random, pause = sleep } = deps
  const waitMs = Math.min(lockMs, usualWaitMs)
  const waiting = new Set<Promise<void>>()
  // Row → the last unit that waits for it.
  const lines = new Map<string, Promise<void>>()

  /** Processes that were in each other's way come again at different moments. */
  const jitter = (tries: number): Promise<void> => pause(Math.min(640, 10 * 2 ** tries) * (0.5 + random()))

  const tried = async (batch: readonly Queued[], ms: number): Promise<Failure | null> => {
    const sendings = fold(batch.map(({ unit }) => unit))
    for (let tries = 0; ; tries++) {
      const failure = await attempt(sendings, ms)
      if (failure?.kind !== 'race' || tries === 3) return failure
      await jitter(tries)
    }
  }

  const write = async (batch: readonly Queued[]): Promise<void> => {
    const free = batch.filter((item) => {
      const row = item.unit.map(rowOf).find((key) => lines.has(key))
      if (row !== undefined) setAside(item, row)
      return row === undefined
    })
    if (free.length > 0) await parted(free, waitMs)
  }

  /** True if one attempt made all of them durable. */
  const parted = async (batch: readonly Queued[], ms: number): Promise<boolean> => {
    const failure = await tried(batch, ms)
    if (failure === null) for (const { done } of batch) done()
    else if (failure.kind === 'lost') for (const { failed } of batch) failed(toError(failure.error))
    else if (batch.length === 1) await alone(batch[0]!, failure)
    else await inParts(batch, failure, ms)
    return failure === null
  }

  const inParts = async (batch: readonly Queued[], failure: Failure, ms: number): Promise<void> => {
    const [first = [], ...others] = partsOf(batch, failure)
    // Once somebody is known to hold a row, it is looked for without waiting as long again.
    const nextMs = failure.kind === 'held' ? briefWaitMs : ms
    const isDurable = await parted(first, nextMs)
    const [only, ...more] = others.flat()
    // All that it did not fit beside stands now: it would not fit alone either.
    if (isDurable && more.length === 0 && isMisfitOf(only!, failure))
      only!.failed(reasonOf(only!.unit, failure))
    else for (const part of others) await parted(part, nextMs)
  }

  const alone = async (item: Queued, failure: Failure, until?: number): Promise<void> => {
    if (failure.kind !== 'misfit') return setAside(item, rowOf(failure.at[0] ?? item.unit[0]!), until)
    if (!isReordered(item.unit)) return item.failed(reasonOf(item.unit, failure))
    const again = await attempt(
      item.unit.map((only) => ({ statement: only.statement, steps: [only] })),
      briefWaitMs,
    )
    if (again === null) item.done()
    else if (again.kind === 'misfit') item.failed(reasonOf(item.unit, again))
    else if (again.kind === 'lost' || performance.now() > (until ?? Number.POSITIVE_INFINITY))
      item.failed(toError(again.error))
    else setAside(item, rowOf(again.at[0] ?? item.unit[0]!), until)
  }

  const setAside = (item: Queued, row: string, until = performance.now() + lockMs): void => {
    const before = lines.get(row) ?? Promise.resolve()
    const mine = before.then(() => waitFor(item, until))
    lines.set(row, mine)
    waiting.add(mine)
    void mine.then(() => {
      waiting.delete(mine)
      if (lines.get(row) === mine) lines.delete(row)
    })
  }

  const waitFor = async (item: Queued, until: number): Promise<void> => {
    for (let tries = 0; ; tries++) {
      const failure = await tried([item], briefWaitMs)
      if (failure === null) return item.done()
      if (failure.kind === 'misfit') return alone(item, failure, until)
      if (failure.kind === 'lost' || performance.now() > until) return item.failed(toError(failure.error))
      await jitter(tries)
    }
  }

  return {
    write,
    /** Waits for those that wait. */
    settled: async (): Promise<void> => {
      while (waiting.size > 0) await Promise.all(waiting)
    },
  }
}

// Another process's batch holds its rows for less than this; whoever holds one for longer is looked for.
const usualWaitMs = 250
const briefWaitMs = 10

const rowOf = ({ statement, params }: Step): string =>
  `${statement.table}\u0000${statement.key(params as never)}`

/**
 * Those that the failure does not concern, and those it does. Where that parts nothing: one by one, if each is known not
 * to fit beside the others; else halves.
 */
const partsOf = (batch: readonly Queued[], { at, error }: Failure): Queued[][] => {
  const steps = new Set(at)
  const isConcerned = ({ unit }: Queued) => unit.some((item) => steps.has(item))
  const concerned = batch.filter(isConcerned)
  if (concerned.length > 0 && concerned.length < batch.length)
    return [batch.filter((item) => !isConcerned(item)), concerned]
  if (concerned.length > 0 && error === null) return batch.map((item) => [item])
  const half = Math.ceil(batch.length / 2)
  return [batch.slice(0, half), batch.slice(half)]
}

/** True if rows are known to be other than the unit expected, in whatever order its steps are sent. */
const isMisfitOf = ({ unit }: Queued, { kind, at, error }: Failure): boolean =>
  kind === 'misfit' && error === null && unit.some((item) => at.includes(item)) && !isReordered(unit)

/** The reason of a unit alone: its first step that did not fit. */
const reasonOf = (unit: Unit, { at, error }: Failure): unknown => {
  if (error !== null) return error
  const steps = new Set(at)
  return new UnitConflict(unit.find((item) => steps.has(item))?.statement.name ?? '')
}
