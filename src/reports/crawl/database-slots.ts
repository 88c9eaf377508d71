import { type Storage, step, UnitConflict } from '../../core/storage/index.ts'
import type { Statements } from '../statements/index.ts'
import { crawlerParty, type Slots, type Whom } from '../visit/index.ts'

/** Lease of a visit's places. It is longer than any visit, and frees the places of a process that died. */
const holdMs = 30_000

/** Concurrent visits per IP address. Thousands of websites share one address of a large host. */
export const seatsPerAddress = 4

/**
 * Concurrent visits of one party at one address. Slow visits count too, so that slow hosts cannot accumulate.
 */
export const placesPerParty = 4

/** After this time, a visit passes its seat at the address on and continues beside it. */
export const slowMs = 1000

/**
 * Keeps places in the database, so that several processes together never visit a domain twice at once or
 * overload an address.
 *
 * Parties take turns at an address: the next free seat goes to the party with the fewest visits there. A slow
 * visit returns its seat but keeps its party's place. Thirty slow hosts of one partner therefore delay only
 * that partner.
 */
export function createSlots(deps: {
  storage: Storage
  statements: Statements
  /** Longest pause between two visits. */
  longestPauseMs: number
  now: () => Date
}): Slots {
  const { storage, statements, now } = deps
  const longestMs = Math.max(holdMs, deps.longestPauseMs)
  // Within this process the mutex keeps the order. Other processes' places are found by polling.
  const mutex = createKeyedMutex()

  const tryTake = async (keys: readonly string[]): Promise<string | null> => {
    const at = now()
    const until = new Date(at.getTime() + holdMs).toISOString()
    const input = { now: at.toISOString(), until, latest: new Date(at.getTime() + longestMs).toISOString() }
    try {
      // Keys are sorted, so that two processes that want the same places cannot deadlock.
      await storage.commit([...keys].sort().map((key) => step(statements.visitTake, { key, ...input }, 1)))
      return until
    } catch (error) {
      if (error instanceof UnitConflict) return null
      throw error
    }
  }

  const freeIn = async (key: string): Promise<number> => {
    const [row] = await storage.all(statements.visitFreeAt, { key })
    return row ? Date.parse(row.free_at) - now().getTime() : 0
  }

  const held = (whom: Whom, turn: Turn, until: string) => {
    const seat = `a:${whom.address}#${turn.seat}`
    const free = (key: string, pauseMs = 0) =>
      step(statements.visitFree, {
        key,
        until,
        free_at: new Date(now().getTime() + pauseMs).toISOString(),
      })
    let givenBack: Promise<unknown> | null = null
    const timer = setTimeout(() => {
      // If the seat could not be returned to the database, its lease frees it there.
      givenBack = storage
        .commit([free(seat)])
        .catch(() => undefined)
        .finally(turn.leaveSeat)
    }, slowMs)
    timer.unref()
    return async (pauseMs: number): Promise<void> => {
      clearTimeout(timer)
      try {
        await givenBack
        await storage.commit([
          ...(givenBack ? [] : [free(seat)]),
          free(domainKey(whom), pauseMs),
          ...placeKeys(whom, turn).map((key) => free(key)),
        ])
      } finally {
        turn.leave()
      }
    }
  }

  return {
    take: async (whom, signal) => {
      const ticket = mutex.ticket()
      for (let tries = 0; ; tries++) {
        const turn = await mutex.enter(whom, { ticket, from: tries }, signal)
        const keys = [domainKey(whom), `a:${whom.address}#${turn.seat}`, ...placeKeys(whom, turn)]
        const until = await tryTake(keys).catch((error: unknown) => {
          turn.leave()
          throw error
        })
        if (until !== null) return held(whom, turn, until)
        turn.leave()
        const domainIn = await freeIn(domainKey(whom))
        // The holder usually lets go before its lease ends, so the wait is short.
        if (domainIn > 0) await pause(Math.min(500, Math.max(10, domainIn)), signal)
        else if (tries % seatsPerAddress === seatsPerAddress - 1) await pause(10, signal)
      }
    },
  }
}

function domainKey({ domain }: Whom): string {
  return `d:${domain}`
}

// Only the operator's few processes crawl, so counting the crawler's places within each process is enough.
function placeKeys({ address, party }: Whom, { place }: Turn): string[] {
  return party === crawlerParty ? [] : [`p:${address} ${party}#${place}`]
}

/** Places of a visit within this process: a seat at the address, and a place of its party, each by number. */
interface Turn {
  readonly seat: number
  readonly place: number
  leaveSeat(): void
  /** Releases both, including the seat if the visit still has it. */
  leave(): void
}

interface Waiter {
  readonly whom: Whom
  readonly ticket: number
  /** Number of the seat to try first, because other processes may hold the others. */
  readonly from: number
  admit(): void
}

/** Orders visits within this process. No visit waits for a seat while it holds a domain. */
function createKeyedMutex() {
  const waiting = new Set<Waiter>()
  const domains = new Set<string>()
  const taken = new Map<string, Set<number>>()
  let tickets = 0

  const countOf = (key: string): number => taken.get(key)?.size ?? 0
  const takeFree = (key: string, of: number, from: number): number => {
    const numbers = taken.get(key) ?? new Set<number>()
    taken.set(key, numbers)
    const free = Array.from({ length: of }, (_, n) => (from + n) % of).find((n) => !numbers.has(n))!
    numbers.add(free)
    return free
  }
  const giveBack = (key: string, number: number): void => {
    const numbers = taken.get(key)
    numbers?.delete(number)
    if (numbers?.size === 0) taken.delete(key)
  }

  const canEnter = ({ whom }: Waiter): boolean =>
    !domains.has(whom.domain) &&
    countOf(whom.address) < seatsPerAddress &&
    countOf(partyKey(whom)) < placesPerParty

  const isBefore = (a: Waiter, b: Waiter): boolean => {
    const [ofA, ofB] = [countOf(partyKey(a.whom)), countOf(partyKey(b.whom))]
    return ofA < ofB || (ofA === ofB && a.ticket < b.ticket)
  }

  const admitNext = (): void => {
    for (;;) {
      let next: Waiter | undefined
      for (const waiter of waiting)
        if (canEnter(waiter) && (next === undefined || isBefore(waiter, next))) next = waiter
      if (next === undefined) return
      waiting.delete(next)
      next.admit()
    }
  }

  const begin = ({ whom, from }: Waiter): Turn => {
    domains.add(whom.domain)
    const seat = takeFree(whom.address, seatsPerAddress, from)
    const place = takeFree(partyKey(whom), placesPerParty, from + Math.floor(from / seatsPerAddress))
    let hasSeat = true
    const leaveSeat = (): void => {
      if (hasSeat) giveBack(whom.address, seat)
      hasSeat = false
      admitNext()
    }
    const leave = (): void => {
      domains.delete(whom.domain)
      giveBack(partyKey(whom), place)
      leaveSeat()
    }
    return { seat, place, leaveSeat, leave }
  }

  return {
    ticket: (): number => ++tickets,
    /** Waits for its turn. @throws the reason that `signal` was aborted with */
    enter: (whom: Whom, order: { ticket: number; from: number }, signal?: AbortSignal): Promise<Turn> =>
      new Promise((done, failed) => {
        if (signal?.aborted) return failed(signal.reason)
        const stop = (): void => {
          waiting.delete(waiter)
          failed(signal?.reason)
        }
        const waiter: Waiter = {
          whom,
          ...order,
          admit: () => {
            signal?.removeEventListener('abort', stop)
            done(begin(waiter))
          },
        }
        signal?.addEventListener('abort', stop, { once: true })
        waiting.add(waiter)
        admitNext()
      }),
  }
}

function partyKey({ address, party }: Whom): string {
  return `${address} ${party}`
}

function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((done, failed) => {
    if (signal?.aborted) return failed(signal.reason)
    const end = (): void => {
      clearTimeout(timer)
      failed(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end)
      done()
    }, ms)
    signal?.addEventListener('abort', end, { once: true })
  })
}
