import type { Lag } from './replica.ts'
import { type Tracking, trackValue } from './saving.ts'

/** Kinds of failures. */
export type OutageKind = '429' | '500' | '503' | 'timeout' | 'reset' | 'after' | 'done' | 'saved'
/** A failure of the API. */
export interface Outage {
  readonly kind: OutageKind
  /** Number of requests; without it, until it is ended. */
  readonly requests?: number
  /** Only each request of this number fails: `3` spares two of three. Every request fails by default. */
  readonly every?: number
}

interface FaultEffect {
  /** One sentence for the table in docs/testing.md. */
  readonly does: string
  readonly outage?: Outage
  readonly lag?: Lag
  /** Probability that an event is sent twice. */
  readonly duplicate?: number
  /** Only when the server starts. */
  readonly isFromStart?: true
}

/**
 * Lasting faults of a fake server. Each is documented behaviour of at least one provider, and all of them can
 * be on together.
 */
export const faults = {
  'rate-limits': {
    does: 'Each third request answers 429 with `Retry-After`.',
    outage: { kind: '429', every: 3 },
  },
  failures: { does: 'Each fourth request answers 503 and does nothing.', outage: { kind: '503', every: 4 } },
  'lost-answers': {
    does: 'Each third change is made, and the connection breaks before the answer.',
    outage: { kind: 'after', every: 3 },
  },
  'errors-after-effect': {
    does: 'Each third change is made, and answers 500.',
    outage: { kind: 'done', every: 3 },
  },
  'stale-reads': {
    does: 'For two seconds after a change, reads of one object show it as it was before.',
    lag: { reads: 2000 },
  },
  'late-lists': {
    does: 'Lists, past events included, lag a minute behind changes and their webhooks.',
    lag: { lists: 60_000 },
  },
  'still-revisions': {
    does: 'For a minute after it has moved, an object’s `updated_at` stands still while the object changes.',
    lag: { revisions: 60_000 },
  },
  duplicates: { does: 'Each event is sent twice, the second time out of order.', duplicate: 1 },
  'long-ids': {
    does: 'Ids are as long as the provider’s documentation allows. Only as an option of the start.',
    isFromStart: true,
  },
} as const satisfies Readonly<Record<string, FaultEffect>>

/** Name of a lasting fault. */
export type FaultName = keyof typeof faults

/** Current failures of the server's API. */
export function createOutages(saving?: Tracking) {
  let outages: { id: number; kind: OutageKind; left: number; every: number; count: number }[] = []
  let started = 0
  let latencyMs = 0
  trackValue(
    saving,
    () => ({ outages: outages.map((outage) => ({ ...outage })), started, latencyMs }),
    (saved) => {
      ;({ outages, started, latencyMs } = saved)
    },
  )
  return {
    /** Starts an outage, and returns the function that ends it. */
    start: ({ kind, requests = Number.POSITIVE_INFINITY, every = 1 }: Outage): (() => void) => {
      const id = ++started
      outages.push({ id, kind, left: requests, every, count: 0 })
      return () => {
        outages = outages.filter((outage) => outage.id !== id)
      }
    },
    /**
     * Returns the failure of this request, or null. A request that changes nothing has no work to lose or
     * save.
     */
    take: (changes: boolean): OutageKind | null => {
      for (const outage of outages) {
        if (isOfWork(outage.kind) && !changes) continue
        outage.count++
        if (outage.count % outage.every > 0) continue
        outage.left--
        if (outage.left <= 0) outages = outages.filter((knownOutage) => knownOutage !== outage)
        return outage.kind
      }
      return null
    },
    setLatency: (ms: number): void => {
      latencyMs = ms
    },
    latency: (): number => latencyMs,
  }
}
/** Current failures. */
export type Outages = ReturnType<typeof createOutages>

function isOfWork(kind: OutageKind): boolean {
  return kind === 'saved' || kind === 'after' || kind === 'done'
}

/**
 * Turns a lasting fault on, and returns the function that turns it off.
 * @throws TypeError for one that exists from the start only
 */
export function startFault(
  name: FaultName,
  to: {
    readonly outages: Outages
    readonly addLag: (lag: Lag) => () => void
    readonly addDuplicates: (probability: number) => () => void
  },
): () => void {
  const { outage, lag, duplicate, isFromStart }: FaultEffect = faults[name]
  if (isFromStart) throw new TypeError(`"${name}" is an option of the start`)
  const ends = [
    outage && to.outages.start(outage),
    lag && to.addLag(lag),
    duplicate === undefined ? undefined : to.addDuplicates(duplicate),
  ]
  return () => {
    for (const end of ends) end?.()
  }
}
