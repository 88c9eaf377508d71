import { isMembershipError } from '../core/errors.ts'
import type { PulledEvent } from '../memberships/webhooks/pull.ts'

/** The methods of a site that a run needs. */
export interface PullSite {
  readonly webhooks: {
    pull(
      key: string,
      since: Date,
      options: { account?: string; retryFailed?: boolean; finish?: AbortSignal },
    ): AsyncIterable<PulledEvent>
  }
}

/** Listeners of a run, its waiting, and the signal that ends it. */
export interface PullIo {
  readonly event: (event: PulledEvent) => void
  /** Something that passes by itself; said once until it has passed. */
  readonly trouble: (message: string, waitMs: number) => void
  /** Aborted by the first Ctrl-C. */
  readonly finish: AbortSignal
  /** Ends early when `finish` is aborted. */
  readonly wait: (ms: number) => Promise<void>
}

/** Options of a pull: from when, how often, and whether it tries again what failed. */
export interface PullPlan {
  readonly provider: string
  readonly since: Date
  readonly account?: string
  /** Milliseconds between two askings; without it there is one. */
  readonly followMs?: number
}

/** Counts of events by their outcome. */
export interface PullSummary {
  read: number
  applied: number
  known: number
  not_needed: number
  held: number
  failed: number
}

/** An event may be listed a little later than one with a newer time. */
export const overlapMs = 60_000
const longestWaitMs = 60_000

/** Pulls once, or again and again until it is told to finish: from the newest event's time less the overlap. While the
 *  provider is down or limits us it asks less and less often, and goes on. @throws what no waiting mends */
export const pullRun = async (site: PullSite, plan: PullPlan, io: PullIo): Promise<PullSummary> => {
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
    // Only what was read to its end moves the beginning on: events come in any order.
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

const count = (summary: PullSummary, { outcome }: PulledEvent): void => {
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

/** Events that the overlap brings again are neither counted nor told again. */
const createSeen = () => {
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

// A wrong key, a wrong word or a provider that cannot do it stays as it is.
const lasting = ['ERR_CONFIG', 'ERR_USAGE', 'ERR_PROVIDER_UNKNOWN', 'ERR_PROVIDER_UNSUPPORTED']
const passes = (error: unknown): boolean => !(isMembershipError(error) && lasting.includes(error.code))

const retryMsOf = (error: unknown): number =>
  isMembershipError(error) ? (error.retryAfterSeconds ?? 0) * 1000 : 0

const later = (a: Date, b: Date): Date => (a > b ? a : b)
