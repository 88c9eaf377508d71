/** Kinds of failures. */
export type OutageKind = '429' | '500' | '503' | 'timeout' | 'reset' | 'after' | 'saved'
/** A failure of the API. */
export interface Outage {
  readonly kind: OutageKind
  /** Number of requests; without it, until it is ended. */
  readonly requests?: number
}

/** Current faults of the server. */
export const createFaults = () => {
  let outages: { kind: OutageKind; left: number }[] = []
  let latencyMs = 0
  return {
    /** Starts an outage, and returns the function that ends it. */
    start: ({ kind, requests = Number.POSITIVE_INFINITY }: Outage): (() => void) => {
      const outage = { kind, left: requests }
      outages.push(outage)
      return () => {
        outages = outages.filter((knownOutage) => knownOutage !== outage)
      }
    },
    /** Returns the fault for this request, or null. A request that changes nothing has no work to lose or
     *  save. */
    take: (changes: boolean): OutageKind | null => {
      const [outage] = outages
      if (outage === undefined || (isOfWork(outage.kind) && !changes)) return null
      outage.left--
      if (outage.left <= 0) outages.shift()
      return outage.kind
    },
    setLatency: (ms: number): void => {
      latencyMs = ms
    },
    latency: (): number => latencyMs,
  }
}
/** Current faults. */
export type Faults = ReturnType<typeof createFaults>

const isOfWork = (kind: OutageKind): boolean => kind === 'saved' || kind === 'after'
