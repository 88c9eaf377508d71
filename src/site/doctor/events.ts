import { msOf } from '../../core/dto/index.ts'
import { type Check, counted, found, ok } from './check.ts'
import { doctorQueries, newest, type Readable } from './statements.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/**
 * Checks the received events: the time of the last one, the number of failures, and those that need a
 * decision.
 */
export async function checkEvents(
  storage: Readable,
  {
    providers,
    here = [],
    site,
    now,
  }: {
    providers: readonly string[]
    /** Where the package's routes begin, such as `https://example.com/app`. */
    site: string
    /** Providers in the site's own process, such as the sandbox: nobody enters an address for them. */
    here?: readonly string[]
    now: Date
  },
): Promise<Check[]> {
  const events = await doctorQueries.newestEvents(storage)
  const endpoints = new Map<string, Received[]>()
  for (const event of events) {
    const key = `${event.provider}\u0000${event.account}`
    endpoints.set(key, [...(endpoints.get(key) ?? []), event])
  }
  const silent = providers.filter((key) => !events.some(({ provider }) => provider === key))
  return [
    ...silent
      .filter((key) => here.includes(key))
      .map((key) => ok('last-delivery', `${key} sends its events by itself; none was needed yet.`)),
    ...silent
      .filter((key) => !here.includes(key))
      .map((key) =>
        found(
          'warning',
          'last-delivery',
          `No event of ${key} was received${events.length === newest ? ` among the last ${newest}` : ''}.`,
          `Enter ${site}/membership/webhooks/${key} as webhook address at ${key}, and send a test event from there.`,
        ),
      ),
    ...[...endpoints.values()].flatMap((received) => [
      lastDelivery(received, now),
      failureRate(received, now),
      ...clockOf(received, now),
    ]),
    ...(await checkStuck(storage)),
  ]
}

interface Received {
  readonly provider: string
  readonly account: string
  readonly status: string
  readonly received_at: string
  readonly occurred_at: string
}

function nameOf({ provider, account }: Received): string {
  return account === '' ? provider : `${provider} (${account})`
}

function lastDelivery(received: readonly Received[], now: Date): Check {
  const last = received[0]!
  const ago = now.getTime() - Date.parse(last.received_at)
  return ago <= 7 * dayMs
    ? ok('last-delivery', `The last event of ${nameOf(last)} came ${duration(ago)} ago.`)
    : found(
        'warning',
        'last-delivery',
        `The last event of ${nameOf(last)} came ${duration(ago)} ago.`,
        `See at ${last.provider} whether it sends and what it is answered; get what was lost with: membership webhooks pull --provider ${last.provider}`,
      )
}

function failureRate(received: readonly Received[], now: Date): Check {
  const within = (ms: number) => {
    const since = new Date(now.getTime() - ms).toISOString()
    const recent = received.filter(({ received_at }) => received_at >= since)
    return {
      all: recent.length,
      failed: recent.filter(({ status }) => status === 'failed' || status === 'dead').length,
    }
  }
  const [day, week] = [within(dayMs), within(7 * dayMs)]
  const what = `From ${nameOf(received[0]!)}, ${day.failed} of ${counted(day.all, 'event')} failed in 24 hours, ${week.failed} of ${week.all} in 7 days.`
  return week.failed === 0
    ? ok('failure-rate', what)
    : found(
        day.failed * 10 > day.all ? 'problem' : 'warning',
        'failure-rate',
        what,
        'See why: membership webhooks list --failed',
      )
}

/**
 * Checks the clock. An event received before it happened shows that our clock is behind. A late event shows
 * nothing.
 */
function clockOf(received: readonly Received[], now: Date): Check[] {
  const since = new Date(now.getTime() - dayMs).toISOString()
  const recent = received.filter(({ received_at }) => received_at >= since)
  if (recent.length === 0) return []
  const behind = Math.max(...recent.map((e) => msOf(e.occurred_at) - Date.parse(e.received_at)))
  return behind > 30_000
    ? [
        found(
          'warning',
          'clock-events',
          `An event of ${nameOf(recent[0]!)} was received ${duration(behind)} before it happened: the clock of this server is behind.`,
          'Let a time service set the clock (chrony, systemd-timesyncd).',
        ),
      ]
    : []
}

async function checkStuck(storage: Readable): Promise<Check[]> {
  const rows = await doctorQueries.stuckEvents(storage)
  if (rows.length === 0) return [ok('events-stuck', 'No event waits for anything.')]
  return Promise.all(
    rows.map(async ({ provider, status, count, newest: seq }) => {
      const [event] = await doctorQueries.reasonOf(storage, Number(seq))
      const why = event?.reason ? `; the newest: ${event.type}, ${event.reason}` : ''
      const { severity, says, fix } = stuck[status as keyof typeof stuck]
      return found(
        severity,
        `events-${status}`,
        `${counted(Number(count), 'event')} of ${provider} ${says}${why}.`,
        fix(Number(seq)),
      )
    }),
  )
}

const stuck = {
  failed: {
    severity: 'warning',
    says: 'failed and will be tried again',
    fix: (seq: number) =>
      `See why: membership webhooks list --failed. Try now: membership webhooks replay ${seq}`,
  },
  dead: {
    severity: 'problem',
    says: 'gave up: what they say is not applied',
    fix: (seq: number) =>
      `See them: membership webhooks list --failed. When the cause is mended: membership webhooks replay ${seq}`,
  },
  held: {
    severity: 'warning',
    says: 'held back',
    fix: (seq: number) =>
      `Send live events to the live site and test events to the test site. To apply one all the same: membership webhooks release ${seq}`,
  },
} as const

/** Formats a duration: `45 s`, `12 min`, `5 h`, `3 days`. */
export function duration(ms: number): string {
  const seconds = Math.round(Math.abs(ms) / 1000)
  if (seconds < 120) return `${seconds} s`
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} days`
}
