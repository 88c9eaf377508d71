import type { Client } from 'undici'
import { withDeadline } from './deadline.ts'
import type { Network, ResolvedAddress } from './network.ts'
import { Unreachable } from './reasons.ts'
import type { RobotsEntry } from './robots.ts'
import type { Slots, Whom } from './slots.ts'

/** A connection, and the address that it is pinned to. */
export interface Line {
  readonly client: Client
  readonly to: ResolvedAddress
  /** True if it has carried a request. */
  isUsed: boolean
}

/** One visit: one connection per origin, the reserved domain, and its share of time. */
export interface Trip {
  readonly outer: AbortSignal | undefined
  /** Party that the visit counts for. */
  readonly party: string
  /** robots.txt files read during the visit, by origin. */
  readonly robots: Map<string, RobotsEntry>
  /** @throws Unreachable */
  line(origin: string, host: string): Promise<Line>
  /**
   * Reserves the domain until the visit moves to another domain or ends. Afterwards it gets the longest pause
   * that was named. robots.txt and its page are one visit.
   */
  hold(whom: Whom, pauseMs: number): Promise<void>
  /** Runs one request within the rest of the visit's time. Waiting for other visits does not count. */
  timed<T>(run: (signal: AbortSignal) => Promise<T>): Promise<T>
  /** Registers a write for the end of the visit, when the domain is released. */
  atEnd(keep: () => Promise<void>): void
  /** Duration of all requests so far. */
  milliseconds(): number
  close(): Promise<void>
}

/** Starts a visit. All its requests share `visitMs` milliseconds; `outer` aborts it. */
export function createTrip(deps: {
  network: Network
  slots: Slots
  visitMs: number
  outer: AbortSignal | undefined
  party: string
}): Trip {
  const { network, slots, outer } = deps
  const lines = new Map<string, Line>()
  const keeps: (() => Promise<void>)[] = []
  let leftMs = deps.visitMs
  let held: { whom: Whom; pauseMs: number; release: (pauseMs: number) => Promise<void> } | null = null
  // A website without any connection was not visited, so it needs no pause.
  let isAsked = false

  const letGo = async (pauseMs: number): Promise<void> => {
    const { release } = held ?? {}
    held = null
    await release?.(isAsked ? pauseMs : 0)
    isAsked = false
  }

  return {
    outer,
    party: deps.party,
    robots: new Map(),
    line: async (origin, host) => {
      const known = lines.get(origin)
      if (known) return known
      const to = await network.find(host.replace(/^\[|\]$/g, ''))
      const line = { client: network.open(origin, to), to, isUsed: false }
      lines.set(origin, line)
      return line
    },
    hold: async (whom, pauseMs) => {
      const longest = Math.max(pauseMs, held?.whom.domain === whom.domain ? held.pauseMs : 0)
      if (held?.whom.domain === whom.domain && held.whom.address === whom.address) held.pauseMs = longest
      else {
        // Another host of the same domain belongs to the same visit.
        if (held) await letGo(held.whom.domain === whom.domain ? 0 : held.pauseMs)
        held = { whom, pauseMs: longest, release: await slots.take(whom, outer) }
      }
    },
    timed: async (run) => {
      const began = performance.now()
      try {
        const result = await withDeadline(Math.max(1, Math.min(network.requestMs, leftMs)), outer, run)
        isAsked = true
        return result
      } catch (error) {
        isAsked ||= !(error instanceof Unreachable && error.isBeforeHttp)
        throw error
      } finally {
        leftMs -= performance.now() - began
      }
    },
    atEnd: (keep) => void keeps.push(keep),
    milliseconds: () => Math.round(deps.visitMs - leftMs),
    close: async () => {
      for (const { client } of lines.values()) client.destroy(isOver).catch(() => undefined)
      await Promise.all([...keeps.map((keep) => keep()), letGo(held?.pauseMs ?? 0)])
    },
  }
}

// One error for all of them, because creating each would capture a stack that nobody reads.
const isOver = new Error('the visit is over')
