import { isMembershipError } from '../core/errors.ts'
import type { PulledEvent } from '../memberships/webhooks/index.ts'

/** Methods of a site that a pull needs. */
export interface PullSite {
  readonly webhooks: {
    pull(
      key: string,
      since: Date,
      options: { account?: string; retryFailed?: boolean; finish?: AbortSignal },
    ): AsyncIterable<PulledEvent>
  }
}

/** Listeners of a pull, its wait function, and the signal that ends it. */
export interface PullIo {
  readonly event: (event: PulledEvent) => void
  /** Called for a temporary failure, once until it is over. */
  readonly trouble: (message: string, waitMs: number) => void
  /** Aborted by the first Ctrl-C. */
  readonly finish: AbortSignal
  /** Ends early when `finish` is aborted. */
  readonly wait: (ms: number) => Promise<void>
}

/** Options of a pull: provider, account, start and interval. */
export interface PullPlan {
  readonly provider: string
  readonly since: Date
  readonly account?: string
  /** Milliseconds between two pulls; without it there is only one. */
  readonly followMs?: number
}

/** Number of events by outcome. */
export interface PullSummary {
  read: number
  applied: number
  known: number
  not_needed: number
  held: number
  failed: number
}

/** Providers may list an event slightly later than one with a newer time. */
export const overlapMs = 60_000
const longestWaitMs = 60_000

/**
 * Pulls once, or repeatedly until `finish`, each time from the newest event's time less the overlap. While
 * the provider is down or limits requests, it asks less often.
 * @throws an error that waiting does not fix
 */
export async function pullRun(site: PullSite, plan: PullPlan, io: PullIo): Promise<PullSummary> {
  const summary: PullSummary = { read: 0, applied: 0, known: 0, not_needed: 0, held: 0, failed: 0 }
  const { provider, account, followMs } = plan
  const seen = createSeen()
  let since = plan.since
  let retryFailed = true
  let waitMs = followMs ?? 0

  const ask = async (): Promise<void> => {
    let newest = ''
    const options = { account, retryFailed, finish: io.finish }
    for await (const event of site.webhooks.pull(provider, since, options)) {
      if (event.occurred_at !== null && event.occurred_at > newest) newest = event.occurred_at
      if (seen.isRepeated(event)) continue
      count(summary, event)
      io.event(event)
    }
    // The start moves on only after a complete pull, because events come in any order.
    if (io.finish.aborted) return
    retryFailed = false
    if (newest !== '') since = later(since, new Date(Date.parse(newest) - overlapMs))
  }

  for (let isTroubled = false; ; ) {
    try {
      await ask()
      isTroubled = false
      waitMs = followMs ?? 0
    } catch (error) {
      if (followMs === undefined || !passes(error)) throw error
      waitMs = Math.min(Math.max(waitMs * 2, retryMsOf(error)), Math.max(longestWaitMs, followMs))
      if (!isTroubled) io.trouble((error as Error).message, waitMs)
      isTroubled = true
    }
    if (followMs === undefined || io.finish.aborted) return summary
    await io.wait(waitMs)
    if (io.finish.aborted) return summary
  }
}

function count(summary: PullSummary, { outcome }: PulledEvent): void {
  summary.read++
  summary[counters[outcome]]++
}

const counters = {
  processed: 'applied',
  duplicate: 'known',
  ignored: 'not_needed',
  held: 'held',
  kept: 'failed',
  unreadable: 'failed',
} as const

/** Recognises events that the overlap brings again, so that they are neither counted nor shown twice. */
function createSeen() {
  let ids = new Set<string>()
  let before = new Set<string>()
  return {
    isRepeated: ({ event_id, outcome }: PulledEvent): boolean => {
      if (event_id === null) return false
      const isRepeated = outcome === 'duplicate' && (ids.has(event_id) || before.has(event_id))
      ids.add(event_id)
      if (ids.size > 50_000) {
        before = ids
        ids = new Set()
      }
      return isRepeated
    },
  }
}

// Waiting does not fix a wrong key, a wrong argument or a missing capability.
const lasting = ['ERR_CONFIG', 'ERR_USAGE', 'ERR_PROVIDER_UNKNOWN', 'ERR_PROVIDER_UNSUPPORTED']
function passes(error: unknown): boolean {
  return !(isMembershipError(error) && lasting.includes(error.code))
}

function retryMsOf(error: unknown): number {
  return isMembershipError(error) ? (error.retryAfterSeconds ?? 0) * 1000 : 0
}

function later(a: Date, b: Date): Date {
  return a > b ? a : b
}
