/** How requests fail. */
export type OutageKind = '500' | '503' | 'timeout' | 'reset' | 'after' | 'saved'
/** A failure of the API. */
export interface Outage {
  readonly kind: OutageKind
  /** How many requests; without it until it is undone. */
  readonly requests?: number
}

/** What is wrong with the server at the moment. */
export const createFaults = () => {
  let outages: { kind: OutageKind; left: number }[] = []
  let latencyMs = 0
  return {
    /** Returns what ends it. */
    start: ({ kind, requests = Number.POSITIVE_INFINITY }: Outage): (() => void) => {
      const outage = { kind, left: requests }
      outages.push(outage)
      return () => {
        outages = outages.filter((knownOutage) => knownOutage !== outage)
      }
    },
    /** What happens to this request, if anything does. One that changes nothing has no work to be lost or saved. */
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
/** What is wrong at the moment. */
export type Faults = ReturnType<typeof createFaults>

const isOfWork = (kind: OutageKind): boolean => kind === 'saved' || kind === 'after'
