import { createDocuments, type Storage } from '../storage/index.ts'
import { clockSkewMs } from './clocks.ts'

/** One run of recurring work, while this process holds it. */
export interface Round<S> {
  /** The state that the last run left; null before the first. */
  readonly state: S | null
  /** When this work was first registered, ISO 8601 UTC. */
  readonly since: string
  /** Extends the run. False once it took so long that another process holds it; this one must then stop. */
  keep(): Promise<boolean>
  /** Ends the run and hands its state to the next. */
  end(state: S, nextMs?: number): Promise<void>
}

/** How often work recurs, how long its process may be silent, and when it first runs. */
export interface Rhythm {
  readonly everyMs: number
  readonly leaseMs: number
  readonly firstMs?: number
}

export interface Rounds {
  /** Null while the work is not due, or another process holds it. */
  take<S>(name: string, rhythm: Rhythm): Promise<Round<S> | null>
}

/**
 * Recurring work that one of all processes does. The first process holds it for a while, and longer if it extends the
 * run. Another process takes over from one that died.
 */
export function createRounds(storage: Storage, now: () => Date): Rounds {
  const documents = createDocuments(storage, 'rounds')

  const take = async <S>(
    name: string,
    { everyMs, leaseMs, firstMs = everyMs }: Rhythm,
  ): Promise<Round<S> | null> => {
    const began = now()
    let held = await documents.get<Stored<S>>(name)
    const swap = async (next: Stored<S>): Promise<boolean> => {
      const isOurs = await documents.swap({ key: name, was: held, value: next }, new Map())
      if (isOurs) held = next
      return isOurs
    }
    const after = (ms: number): string => new Date(now().getTime() + ms).toISOString()
    if (held === null) {
      const first = { due_at: after(firstMs), since: began.toISOString(), state: null }
      if (!(await swap(first)) || firstMs > 0) return null
    }
    const known = held!
    // A due time later than any run was written by a wrong clock.
    const beyond = after(Math.max(everyMs, leaseMs, firstMs) + clockSkewMs)
    if (known.due_at > began.toISOString() && known.due_at <= beyond) return null
    if (!(await swap({ ...known, due_at: after(leaseMs) }))) return null
    return {
      state: known.state,
      since: known.since,
      keep: () => swap({ ...held!, due_at: after(leaseMs) }),
      end: async (state, nextMs = everyMs) => void (await swap({ ...held!, state, due_at: after(nextMs) })),
    }
  }

  return { take }
}

interface Stored<S> {
  readonly due_at: string
  readonly since: string
  readonly state: S | null
}
