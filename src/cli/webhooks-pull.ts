import { setTimeout as sleep } from 'node:timers/promises'
import { Command, InvalidArgumentError } from 'commander'
import { isMembershipError, MembershipError } from '../core/errors.ts'
import type { PulledEvent } from '../memberships/webhooks/index.ts'
import { type Common, common } from './flags.ts'
import { counted, plain, shortTime } from './output.ts'
import { createProgressBar } from './progress-bar.ts'
import { type PullIo, type PullPlan, type PullSummary, pullRun } from './pull-run.ts'
import { withSite } from './site.ts'
import { stopOnSignal } from './stopping.ts'

interface Flags extends Common {
  provider?: string
  since: Date
  account?: string
  follow?: boolean
  every: number
}

/** `membership webhooks pull` */
export function pullCommand(): Command {
  return common(
    new Command('pull').description(
      'Fetch past events from the provider, and apply those that never arrived.',
    ),
  )
    .option('--provider <key>', 'whose events; unless given, of every provider that keeps past events')
    .option('--since <time>', 'from when: 3d, 12h, 30m, or a date', sinceOf, sinceOf('3d'))
    .option('--account <label>', 'the label of the secret whose account the API key belongs to')
    .option('--follow', 'go on with new events until Ctrl-C')
    .option('--every <seconds>', 'how often to ask with --follow', secondsOf, 2)
    .addHelpText(
      'after',
      '\nEvents that were received before are left as they are, so it may run at any time and twice.' +
        '\nStripe keeps events for 30 days. --follow needs no public address: for development, or while webhooks cannot arrive.' +
        '\nExits with 1 when an event could not be applied; it stays in the list and is tried again.' +
        '\n\nExamples:\n  membership webhooks pull --since 2d\n  membership webhooks pull --provider stripe\n  membership webhooks pull --provider stripe --since 12h' +
        '\n  membership webhooks pull --provider stripe --since 2026-03-01T06:00:00Z --json\n  membership webhooks pull --provider stripe --since 5m --follow',
    )
    .action(async (flags: Flags) => {
      const io = processIo(flags)
      if (flags.provider === undefined && flags.follow)
        throw new MembershipError('ERR_USAGE', '--follow needs one provider.', {
          action: 'Add --provider KEY.',
        })
      const plan = {
        since: flags.since,
        account: flags.account,
        ...(flags.follow ? { followMs: flags.every * 1000 } : {}),
      }
      const summary = await withSite(
        flags,
        (m) =>
          flags.provider === undefined
            ? pullAll(m, plan, io)
            : pullRun(m, { ...plan, provider: flags.provider }, io),
        { absent: 'make' },
      ).finally(io.release)
      if (flags.json) console.log(JSON.stringify({ summary, since: flags.since.toISOString() }))
      else for (const line of endOf(summary, flags)) console.log(line)
      if (summary.failed > 0) process.exitCode = 1
    })
}

/**
 * Pulls from each configured provider that keeps past events, and adds up the counts.
 * @throws ERR_PROVIDER_UNSUPPORTED if none does
 */
async function pullAll(
  m: Parameters<Parameters<typeof withSite>[1]>[0],
  plan: Omit<PullPlan, 'provider'>,
  io: PullIo,
): Promise<PullSummary> {
  const total: PullSummary = { read: 0, applied: 0, known: 0, not_needed: 0, held: 0, failed: 0 }
  let unable: unknown = null
  let isAsked = false
  for (const provider of Object.keys(m.operator.config.providers)) {
    if (io.finish.aborted) break
    try {
      const summary = await pullRun(m, { ...plan, provider }, io)
      isAsked = true
      for (const key of Object.keys(total) as (keyof PullSummary)[]) total[key] += summary[key]
    } catch (error) {
      if (!isMembershipError(error, 'ERR_PROVIDER_UNSUPPORTED')) throw error
      unable ??= error
    }
  }
  if (!isAsked && unable !== null) throw unable
  return total
}

const minutes: Record<string, number> = { m: 1, h: 60, d: 1440 }

/** Parses a start time: `3d`, `12h` or `30m` ago, or an ISO date. */
export function sinceOf(text: string): Date {
  const ago = /^(\d{1,4})([mhd])$/.exec(text)
  const moment = ago
    ? new Date(Date.now() - Number(ago[1]) * (minutes[ago[2] ?? ''] ?? 0) * 60_000)
    : new Date(/^\d{4}-\d{2}-\d{2}/.test(text) ? text : Number.NaN)
  if (Number.isNaN(moment.getTime()))
    throw new InvalidArgumentError('Give 3d, 12h, 30m, or a date such as 2026-03-01T06:00:00Z.')
  if (moment.getTime() > Date.now()) throw new InvalidArgumentError('That is in the future.')
  return moment
}

function secondsOf(text: string): number {
  const seconds = Number(text)
  if (seconds >= 1 && seconds <= 3600) return seconds
  throw new InvalidArgumentError('Give 1 to 3600 seconds.')
}

/** Shows a bar on a terminal, lines in a pipe, and JSON lines for machines. */
function processIo({ json, follow, since }: Flags): PullIo & { release: () => void } {
  const isTerminal = process.stderr.isTTY === true && process.stdout.isTTY === true
  const bar = isTerminal && !json && !follow ? createBar(since) : null
  const { finish, release } = stopOnSignal('Ending; Ctrl-C again ends at once.')
  return {
    event: (event) => {
      bar?.show(event)
      if (json) console.log(JSON.stringify(event))
      else if (event.outcome === 'kept' || event.outcome === 'unreadable') {
        bar?.clear()
        console.error(lineOf(event))
      } else if (!bar && event.outcome !== 'duplicate' && event.outcome !== 'ignored')
        console.log(lineOf(event))
    },
    trouble: (message, waitMs) =>
      console.error(plain(`${message}. Asked again in ${Math.ceil(waitMs / 1000)} s, and so on.`)),
    finish,
    wait: (ms) => sleep(ms, undefined, { signal: finish }).catch(() => undefined),
    release: () => {
      bar?.clear()
      release()
    },
  }
}

/** Shows the share of the time range that was read, because the number of events is unknown. */
function createBar(since: Date) {
  const bar = createProgressBar('[{bar}] {percentage}%  {read} read, {applied} applied')
  const total = Math.max(1, Date.now() - since.getTime())
  let [read, applied, part] = [0, 0, 0]
  return {
    show: ({ occurred_at, outcome }: PulledEvent) => {
      read++
      if (outcome === 'processed') applied++
      if (occurred_at) part = Math.max(part, since.getTime() + total - Date.parse(occurred_at))
      bar.show(Math.min(part, total), total, { read, applied })
    },
    clear: bar.clear,
  }
}

function lineOf({ occurred_at, outcome, type, event_id }: PulledEvent): string {
  return plain(`${shortTime(occurred_at)}  ${words[outcome].padEnd(10)}  ${type ?? '-'}  ${event_id ?? '-'}`)
}

const words = {
  processed: 'applied',
  duplicate: 'known',
  ignored: 'not needed',
  held: 'held back',
  kept: 'failed',
  unreadable: 'unreadable',
} as const

function endOf(summary: PullSummary, { since }: Flags): string[] {
  const { read, applied, known, not_needed, held, failed } = summary
  return [
    `Read ${counted(read, 'event')} since ${shortTime(since.toISOString())}: ${applied} applied, ${known} known already, ${not_needed} not needed, ${held} held back, ${failed} failed.`,
    ...(failed + held > 0 ? ['→ membership webhooks list --failed'] : []),
  ]
}
