import { createDocuments, type Storage } from '../storage/index.ts'
import { clockSkewMs } from './clocks.ts'

/** One turn of work that comes back, while it is this process's. */
export interface Round<S> {
  /** The state that the last one left; null before the first. */
  readonly state: S | null
  /** When this work was first thought of, ISO 8601 UTC. */
  readonly since: string
  /** Says that it goes on. False: it took so long that another process has it now, and this one has to stop. */
  keep(): Promise<boolean>
  /** Over until the next time; what is left is handed to it. */
  end(state: S, nextMs?: number): Promise<void>
}

/**
 * The rhythm of a piece of work: how often it comes back, how long a process may be silent that has it, and when it
 * comes for the first time.
 */
export interface Rhythm {
  readonly everyMs: number
  readonly leaseMs: number
  readonly firstMs?: number
}

/**
 * Work that comes back and that one of all processes does: whoever is first has it for a while, longer when it says that it
 * goes on, and a process that dies leaves it to the next.
 */
export const createRounds = (storage: Storage, now: () => Date) => {
  const documents = createDocuments(storage, 'rounds')

  /** Null while it is not due, or is another's. */
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
    // What is due later than any round got its time from a wrong clock.
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
export type Rounds = ReturnType<typeof createRounds>

interface Stored<S> {
  readonly due_at: string
  readonly since: string
  readonly state: S | null
}
