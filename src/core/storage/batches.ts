import { setTimeout as sleep } from 'node:timers/promises'
import { type Step, type Unit, UnitConflict } from './contract.ts'
import { fold, isReordered, type Sending } from './sendings.ts'

/** A unit whose caller waits for it. */
export interface Queued {
  readonly unit: Unit
  /** Shares no transaction with another unit. */
  readonly isAlone?: boolean
  readonly done: () => void
  readonly failed: (error: unknown) => void
}

/** The reason a transaction was rolled back. */
export interface Failure {
  /**
   * misfit: a step is wrong, or the rows changed meanwhile. held: another transaction holds a row. race: the server
   * rolled back this one of several. lost: the server or the connection is gone.
   */
  readonly kind: 'misfit' | 'held' | 'race' | 'lost'
  /** The steps concerned: all that a failed statement carried, else those that did not match. Empty when unknown. */
  readonly at: readonly Step[]
  /** The statement's error; null where a statement changed another number of rows than expected. */
  readonly error: unknown
}

/** Runs sendings in one transaction, and waits up to `lockMs` for held rows. Returns null once they are durable. */
export type Attempt = (sendings: readonly Sending[], lockMs: number) => Promise<Failure | null>

/**
 * Makes queued units durable, many in one transaction. After a failure, the units that it may concern are separated and
 * go last. This repeats until each unit gets its own result. A unit that waits for a held row waits apart, so that it
 * delays no other.
 */
export function createBatches(deps: {
  attempt: Attempt
  /** The longest that a unit waits for a held row. */
  lockMs: number
  /** The error of a unit that waited too long, or lost its connection. */
  toError: (error: unknown) => Error
  random?: () => number
  pause?: (ms: number) => Promise<void>
}) {
  const { attempt, lockMs, toError, random = Math.random, pause = sleep } = deps
  const waitMs = Math.min(lockMs, usualWaitMs)
  const waiting = new Set<Promise<void>>()
  // Row → the last unit that waits for it.
  const lines = new Map<string, Promise<void>>()

  /** Waits a random time, so that colliding processes retry at different moments. */
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
    // Once a row is known to be held, finding its unit needs no long wait again.
    const nextMs = failure.kind === 'held' ? briefWaitMs : ms
    const isDurable = await parted(first, nextMs)
    const [only, ...more] = others.flat()
    // Everything that it collided with is durable now, so it would not match alone either.
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
    const ownWait = before.then(() => waitFor(item, until))
    lines.set(row, ownWait)
    waiting.add(ownWait)
    void ownWait.then(() => {
      waiting.delete(ownWait)
      if (lines.get(row) === ownWait) lines.delete(row)
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
    /** Resolves once no unit waits. */
    settled: async (): Promise<void> => {
      while (waiting.size > 0) await Promise.all(waiting)
    },
  }
}

// Another process's batch holds its rows for a shorter time. A row held longer is treated as held.
const usualWaitMs = 250
const briefWaitMs = 10

function rowOf({ statement, params }: Step): string {
  return `${statement.table}\u0000${statement.key(params as never)}`
}

/**
 * Splits a batch into the units that the failure does not concern, and the others. If that separates nothing, it splits
 * into single units where each is known not to match beside the others, else into halves.
 */
function partsOf(batch: readonly Queued[], { at, error }: Failure): Queued[][] {
  const steps = new Set(at)
  const isConcerned = ({ unit }: Queued) => unit.some((item) => steps.has(item))
  const concerned = batch.filter(isConcerned)
  if (concerned.length > 0 && concerned.length < batch.length)
    return [batch.filter((item) => !isConcerned(item)), concerned]
  if (concerned.length > 0 && error === null) return batch.map((item) => [item])
  const half = Math.ceil(batch.length / 2)
  return [batch.slice(0, half), batch.slice(half)]
}

/** True if the rows are known to differ from what the unit expects, in whatever order its steps run. */
function isMisfitOf({ unit }: Queued, { kind, at, error }: Failure): boolean {
  return kind === 'misfit' && error === null && unit.some((item) => at.includes(item)) && !isReordered(unit)
}

/** The reason for a single unit: its first step that did not match. */
function reasonOf(unit: Unit, { at, error }: Failure): unknown {
  if (error !== null) return error
  const steps = new Set(at)
  return new UnitConflict(unit.find((item) => steps.has(item))?.statement.name ?? '')
}
