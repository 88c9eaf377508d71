import type { Client } from 'undici'
import { withDeadline } from './deadline.ts'
import type { Network, ResolvedAddress } from './network.ts'
import type { RobotsEntry } from './robots.ts'

/** A connection and the address that it is pinned to. */
export interface Line {
  readonly client: Client
  readonly to: ResolvedAddress
}

/** One visit: its connections, one for each origin, and its share of time. */
export interface Trip {
  readonly outer: AbortSignal | undefined
  /** What was read in its course, by origin. */
  readonly robots: Map<string, RobotsEntry>
  /** @throws Unreachable */
  line(origin: string, host: string): Promise<Line>
  /** Runs one request within what is left of the visit's time. Pauses between requests do not count. */
  timed<T>(run: (signal: AbortSignal) => Promise<T>): Promise<T>
  close(): void
}

export const createTrip = (network: Network, visitMs: number, outer: AbortSignal | undefined): Trip => {
  const lines = new Map<string, Line>()
  let leftMs = visitMs
  return {
    outer,
    robots: new Map(),
    line: async (origin, host) => {
      const known = lines.get(origin)
      if (known) return known
      const to = await network.find(host.replace(/^\[|\]$/g, ''))
      const line = { client: network.open(origin, to), to }
      lines.set(origin, line)
      return line
    },
    timed: async (run) => {
      const began = performance.now()
      try {
        return await withDeadline(Math.max(1, Math.min(network.requestMs, leftMs)), outer, run)
      } finally {
        leftMs -= performance.now() - began
      }
    },
    close: () => {
      for (const { client } of lines.values()) client.destroy().catch(() => undefined)
    },
  }
}
