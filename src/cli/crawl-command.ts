import { Command } from 'commander'
import type { Log } from '../core/log.ts'
import type { CrawlProgress, CrawlResult } from '../reports/index.ts'
import type { Membership } from '../site/membership.ts'
import { actor, type Common, common, countUpTo } from './flags.ts'
import { columns, counted, plain, print, shortTime } from './output.ts'
import { createProgressBar } from './progress-bar.ts'
import { withSite } from './site.ts'
import { stopOnSignal } from './stopping.ts'

/** `membership crawl …` */
export function crawlCommand(): Command {
  return new Command('crawl')
    .addHelpText(
      'after',
      '\nExamples:\n  membership crawl run\n  membership crawl status\n  membership crawl history\n  membership crawl retry unreachable',
    )
    .addCommand(runCommand())
    .addCommand(statusCommand())
    .addCommand(historyCommand())
    .addCommand(retryCommand())
}

function runCommand(): Command {
  return common(new Command('run').description('Visit every website that is due.'))
    .option('--limit <number>', 'how many at most', countUpTo(10_000_000))
    .addHelpText(
      'after',
      '\nCtrl-C waits for the visits that run; once more, and it ends at once. Several may run side by side.' +
        '\nExits with 0, or with 3 when our own network seems to be down: then nothing was marked.' +
        '\n\nExamples:\n  membership crawl run\n  membership crawl run --limit 500\n  membership crawl run --json >> crawl.log',
    )
    .action(async ({ limit, ...flags }: Common & { limit?: number }) => {
      const io = processIo(flags)
      const result = await withSite(flags, (m) => crawlRun(m, io, { limit }), {
        log: io.log,
        absent: 'make',
      }).finally(io.release)
      print(flags, result, endOf(result))
      if (result.stopped !== 'own-network') return
      console.error(ownNetwork)
      process.exitCode = 3
    })
}

function statusCommand(): Command {
  return common(
    new Command('status').description('Show how many websites are in each state, and how many are due.'),
  )
    .addHelpText('after', '\nExamples:\n  membership crawl status\n  membership crawl status --json')
    .action(async (flags: Common) => {
      const status = await withSite(flags, (m) => m.reports.crawl.status())
      print(flags, status, [
        ...columns([
          ['websites', countsOf(status.websites)],
          ['candidates', countsOf(status.candidates)],
          ['due now', `${counted(status.due, 'website')}, ${counted(status.due_candidates, 'candidate')}`],
          ['next due', shortTime(status.next_due_at)],
          ['to review', String(status.reviews)],
        ]),
        ...(status.reviews > 0 ? ['→ membership reports review'] : []),
      ])
    })
}

function historyCommand(): Command {
  return common(new Command('history').description('Show what the crawler did in each hour, newest first.'))
    .option('--limit <number>', 'hours at most', countUpTo(10_000), 24)
    .addHelpText(
      'after',
      '\nHours without a visit are left out; one year is stored.' +
        '\n\nExamples:\n  membership crawl history\n  membership crawl history --limit 168 --json',
    )
    .action(async ({ limit, ...flags }: Common & { limit: number }) => {
      const hours = await withSite(flags, (m) => m.reports.crawl.history(limit))
      const lines = columns(
        hours.map((hour) => [
          shortTime(hour.hour),
          `${counted(hour.visited, 'visit')}: ${hour.listed} listed, ${hour.rejected} rejected, ${hour.unreachable} unreachable`,
          hour.excluded > 0 ? `${hour.excluded} excluded` : '',
          hour.stops > 0 ? `own network broken: ${hour.stops}` : '',
        ]),
      )
      print(flags, hours, lines.length > 0 ? lines : ['Nothing was visited yet.'])
    })
}

function retryCommand(): Command {
  return common(
    new Command('retry')
      .description('Make a website, or all websites in a state, due for the next crawl.')
      .argument('<what>', 'id, address, or one of unreachable, gone, archived, rejected, listed'),
  )
    .addHelpText(
      'after',
      '\nExamples:\n  membership crawl retry unreachable\n  membership crawl retry https://example.com',
    )
    .action(async (what: string, flags: Common) => {
      const websites = await withSite(flags, (m) => m.reports.crawl.retry(what, actor()))
      print(flags, { websites }, [
        `Due now: ${counted(websites, 'website')}.`,
        ...(websites > 0 ? ['→ membership crawl run'] : []),
      ])
    })
}

/** Listeners of a run, and the signal that ends it. */
export interface CrawlIo {
  /** Called at once, and then every `everyMs`. */
  readonly show: (state: CrawlState) => void
  readonly everyMs: number
  /** Ends the display. */
  readonly end: () => void
  /** Aborted by the first Ctrl-C. */
  readonly finish: AbortSignal
}

/** Crawls and reports progress. */
export async function crawlRun(
  m: Membership,
  io: CrawlIo,
  { limit = Number.POSITIVE_INFINITY }: { limit?: number } = {},
): Promise<CrawlResult> {
  const began = performance.now()
  let progress = nothingYet
  // Links bring new candidates, and other processes take some, so the rest is counted each time.
  const show = async () => {
    const { due, due_candidates } = await m.reports.crawl.status()
    const seconds = (performance.now() - began) / 1000
    io.show(toState(progress, { seconds, due: due + due_candidates, limit }))
  }
  await show()
  let shown: Promise<void> = Promise.resolve()
  const timer = setInterval(() => {
    // A failed count is repeated at the next tick.
    shown = shown.then(show).catch(() => undefined)
  }, io.everyMs)
  try {
    return await m.reports.crawl.run({
      limit,
      finish: io.finish,
      onProgress: (now) => {
        progress = now
      },
    })
  } finally {
    clearInterval(timer)
    await shown
    io.end()
  }
}

/** Shows a bar on a terminal and lines in a pipe. For machines it prints only the result. */
function processIo({ json }: Common): CrawlIo & { log: Log; release: () => void } {
  const isTerminal = process.stderr.isTTY === true && (json === true || process.stdout.isTTY === true)
  const display = isTerminal ? createBar() : { show: json ? () => undefined : showLine, end: () => undefined }
  const late: string[] = []
  const end = () => {
    display.end()
    for (const line of late.splice(0)) console.error(line)
  }
  const { finish, release } = stopOnSignal(
    'Ending when the visits that run are over; Ctrl-C again ends at once.',
    end,
  )
  return {
    show: (state) => {
      if (!finish.aborted) display.show(state)
    },
    everyMs: isTerminal ? 1000 : 5000,
    end,
    finish,
    log: (message, details) => {
      late.push(plain(`${message}${details ? ` ${JSON.stringify(details)}` : ''}`))
      // The bar would overwrite a line that is printed in between.
      if (!isTerminal) end()
    },
    release,
  }
}

function showLine(state: CrawlState): void {
  console.log(stateLine(state))
}

function createBar() {
  const bar = createProgressBar('[{bar}] {value}/{total}  {rate}/s  {states}{end}')
  return {
    show: (state: CrawlState) => {
      const { done, left, perSecond, secondsLeft, states } = state
      // When a run begins, its seeds are not stored yet.
      if (done + left === 0) return
      const end = secondsLeft === null ? '' : `  ends in ${duration(secondsLeft)}`
      bar.show(done, done + left, { rate: perSecond.toFixed(1), states, end })
    },
    end: bar.clear,
  }
}

const nothingYet: CrawlProgress = {
  visited: 0,
  listed: 0,
  rejected: 0,
  unreachable: 0,
  excluded: 0,
  queued: 0,
  running: 0,
}

function endOf({ visited, listed, rejected, unreachable, excluded, stopped }: CrawlResult): string[] {
  return [
    `Visited ${visited}: ${listed} listed, ${rejected} rejected, ${unreachable} unreachable, ${excluded} excluded.`,
    ...(stopped === 'aborted' ? ['Ended early; what is left stays due.'] : []),
  ]
}

function countsOf(counts: Readonly<Record<string, number>>): string {
  return (
    Object.entries(counts)
      .map(([name, count]) => `${count} ${name}`)
      .join(', ') || 'none'
  )
}

const ownNetwork =
  'Many different websites failed at once: our own network seems to be down. The crawl stopped, and none of them was marked.' +
  '\n→ Look at this machine’s network and name service, then run it again: membership crawl run'

/** Progress of a run, for people. */
export interface CrawlState {
  readonly done: number
  /** Number of due websites that were not visited yet. */
  readonly left: number
  readonly running: number
  readonly perSecond: number
  /** null until a website was visited, and when none is left. */
  readonly secondsLeft: number | null
  /** `12 listed, 1 rejected, …` */
  readonly states: string
}

/** Measures a run. `due` is the number of websites still due, `limit` the most to visit. */
export function toState(
  progress: CrawlProgress,
  { seconds, due, limit }: { seconds: number; due: number; limit: number },
): CrawlState {
  const { visited, listed, rejected, unreachable, excluded, queued, running } = progress
  const done = visited + excluded
  const left = Math.max(0, Math.min(due + queued + running, limit - done))
  const perSecond = seconds > 0 ? done / seconds : 0
  return {
    done,
    left,
    running,
    perSecond,
    secondsLeft: left === 0 || perSecond === 0 ? null : Math.ceil(left / perSecond),
    states: `${listed} listed, ${rejected} rejected, ${unreachable} unreachable, ${excluded} excluded`,
  }
}

/** Formats progress: `visited 120 (2.4/s), 300 left: 100 listed, …; ends in 2 min`. */
export function stateLine({ done, left, perSecond, secondsLeft, states }: CrawlState): string {
  return `visited ${done} (${perSecond.toFixed(1)}/s), ${left} left: ${states}${secondsLeft === null ? '' : `; ends in ${duration(secondsLeft)}`}`
}

/** Formats seconds: `45 s`, `3 min`, `2 h 5 min`. */
export function duration(seconds: number): string {
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.round(seconds / 60)
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
