import { type Day, leastSilenceMs, type Received, usualGapOf } from './deliveries.ts'
import type { Noticed } from './troubles.ts'

/** One account's deliveries. */
export interface Endpoint {
  readonly provider: string
  readonly account: string
  /** ISO 8601 UTC; null before the first delivery. */
  readonly last_delivery_at: string | null
  /** null while there are too few deliveries. */
  readonly usual_gap_seconds: number | null
  /** The failed share of today's and yesterday's deliveries, from 0 to 1; null without any. */
  readonly failure_rate: number | null
}

/** Summarises an account's deliveries. */
export function endpointOf(received: Received, now: Date): Endpoint {
  const { provider, account, last_at } = received
  const gap = usualGapOf(received)
  const { received: count, failed } = lately(received, now)
  return {
    provider,
    account,
    last_delivery_at: last_at,
    usual_gap_seconds: gap === null ? null : Math.round(gap / 1000),
    failure_rate: count === 0 ? null : Math.round((failed / count) * 1000) / 1000,
  }
}

/**
 * Finds problems with deliveries: nothing arrives for twice the usual time, too many fail, or all are refused.
 * `isHeard`: the provider's other deliveries are accepted.
 */
export function wrongWith(received: Received, now: Date, isHeard: boolean): Noticed[] {
  const { provider } = received
  const { received: count, failed, refused } = lately(received, now)
  const silence = silenceOf(received, now)
  return [
    ...(silence === null ? [] : [silence]),
    ...(failed >= enoughFailed && failed * 10 > count
      ? [
          {
            kind: 'deliveries_failing' as const,
            message: `${failed} of ${count} messages of ${provider} could not be applied at once.`,
            action: 'See why: membership webhooks list --failed',
          },
        ]
      : []),
    // Strangers send deliveries, too. The secret is wrong only if nothing at all is accepted.
    ...(refused >= enoughFailed && !isHeard
      ? [
          {
            kind: 'deliveries_refused' as const,
            message: `Every message for ${provider} was refused: none is signed with a secret that is configured.`,
            action: `Copy the signing secret from ${provider} to membership.providers.${provider}.webhook.`,
          },
        ]
      : []),
  ]
}

function silenceOf(received: Received, now: Date): Noticed | null {
  const { provider, last_at } = received
  const usual = usualGapOf(received)
  if (usual === null || last_at === null) return null
  const silent = now.getTime() - Date.parse(last_at)
  if (silent <= Math.max(2 * usual, leastSilenceMs)) return null
  return {
    kind: 'silence',
    message: `No message of ${provider} has come since ${last_at}; until then never more than ${hours(usual)} passed without one.`,
    action: `See at ${provider} whether it sends to this site, and what it is answered: membership doctor --url https://(your site).`,
  }
}

/** Sums today and yesterday, so that midnight does not reset the counts. */
function lately({ days }: Received, now: Date): Omit<Day, 'longest_gap_ms'> {
  const names = [0, 1].map((n) => new Date(now.getTime() - n * dayMs).toISOString().slice(0, 10))
  const sum = (key: 'received' | 'failed' | 'refused') =>
    names.reduce((total, name) => total + (days[name]?.[key] ?? 0), 0)
  return { received: sum('received'), failed: sum('failed'), refused: sum('refused') }
}

function hours(ms: number): string {
  return ms < 2 * 3_600_000 ? `${Math.ceil(ms / 60_000)} minutes` : `${Math.ceil(ms / 3_600_000)} hours`
}

const dayMs = 86_400_000
const enoughFailed = 5
