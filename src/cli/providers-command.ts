import { readFile } from 'node:fs/promises'
import { Command } from 'commander'
import { MembershipError } from '../core/errors.ts'
import type { Switched, Switching } from '../memberships/switching/index.ts'
import { type Common, common } from './flags.ts'
import { columns, counted, print, progressLine, shortTime } from './output.ts'
import { certifyCommand } from './providers-certify.ts'
import { withSite } from './site.ts'

interface Flags extends Common {
  from: string
  to: string
  write?: boolean
  undo?: boolean
  map?: string
}

/** `membership providers …` */
export function providersCommand(): Command {
  return new Command('providers')
    .addHelpText(
      'after',
      '\nExamples:\n  membership providers switch --from stripe --to paddle\n  membership providers certify stripe --help',
    )
    .addCommand(switchCommand())
    .addCommand(certifyCommand())
}

function switchCommand(): Command {
  return common(
    new Command('switch').description(
      'Move members to another provider. Shows who keeps what until when, and who must buy again.',
    ),
  )
    .requiredOption('--from <key>', 'the provider that is left')
    .requiredOption('--to <key>', 'the provider that sells from now on')
    .option('--write', 'end at the old provider, with what is paid, what has to end there')
    .option(
      '--map <file>',
      'a CSV with the columns from and to: which price there takes the place of which here',
    )
    .option('--undo', 'take that back, of everybody who has not moved')
    .addHelpText(
      'after',
      '\nWithout --write or --undo nothing is changed and nobody is asked. Paid time stays open until its end, and\nnobody pays for it twice: a purchase at the other provider costs nothing until then. A run that was stopped or killed\ngoes on with the next call.\nExits with 0, 2 when something could not be done or needs a look, 1 when it failed or was stopped.' +
        '\n\nExamples:\n  membership providers switch --from stripe --to paddle\n  membership providers switch --from stripe --to paddle --write' +
        '\n  membership providers switch --from stripe --to paddle --undo',
    )
    .action(async (flags: Flags) => {
      const { from, to, write, undo, map } = flags
      const prices = map === undefined ? {} : await pricesIn(map)
      const finish = new AbortController()
      const stop = () => finish.abort()
      process.on('SIGINT', stop).on('SIGTERM', stop)
      const progress = progressLine(flags)
      const result = await withSite(flags, (m) =>
        m.operator.switch({
          from,
          to,
          write,
          undo,
          prices,
          finish: finish.signal,
          onProgress: (done) => progress.show(counted(done, 'subscription')),
        }),
      ).finally(() => process.off('SIGINT', stop).off('SIGTERM', stop))
      progress.end()
      print(flags, result, linesOf(result))
      if (!result.isWhole) process.exitCode = 1
      else if (result.subscriptions.some(({ kind }) => needsLook.has(kind))) process.exitCode = 2
    })
}

/** Reads a table of prices. @throws ERR_USAGE for a file that is no such table, or names a price twice */
async function pricesIn(file: string): Promise<Record<string, string>> {
  const { readCsv } = await import('../core/read-csv.ts')
  const refuse = (message: string) =>
    new MembershipError('ERR_USAGE', `${file}: ${message}`, {
      action: 'Write a first line "from,to", and a line for each price: price_month,pri_month',
    })
  const bytes = await readFile(file).catch(() => {
    throw refuse('it cannot be read.')
  })
  const { columns, rows } = readCsv(bytes)
  if (columns.join() !== 'from,to') throw refuse('its first line is not "from,to".')
  const prices = new Map<string, string>()
  for (const { line, cells } of rows) {
    const { from = '', to = '' } = cells
    if (from === '' || to === '') throw refuse(`line ${line} is no pair of prices.`)
    if (prices.has(from)) throw refuse(`"${from}" stands there twice.`)
    prices.set(from, to)
  }
  return Object.fromEntries(prices)
}

function linesOf({ subscriptions, written, isWhole }: Switched): string[] {
  return [
    ...columns(
      subscriptions.map((subscription) => [
        words[subscription.kind],
        subscription.id,
        subscription.memberId ?? 'nobody’s',
        subscription.until === null ? '' : `open until ${shortTime(subscription.until)}`,
        subscription.target === null ? '' : `as ${subscription.target.price ?? subscription.target.plan}`,
        subscription.reason ?? '',
      ]),
    ),
    '',
    [...new Set(subscriptions.map(({ kind }) => kind))]
      .map(
        (kind) =>
          `${subscriptions.filter((subscription) => subscription.kind === kind).length} ${words[kind]}`,
      )
      .join(', ') || 'Nobody has anything there.',
    ...(isWhole ? [] : ['It was stopped. The same command goes on there.']),
    ...(written ? [] : ['Nothing was changed: --write does it.']),
  ]
}

const words: Readonly<Record<Switching['kind'], string>> = {
  checkout: 'to buy again',
  ending: 'ends, then buys again',
  unsure: 'ends, perhaps by the member',
  bought: 'bought there, runs out here',
  moved: 'moved',
  gone: 'over, not bought again',
  back: 'taken back by the member',
  twice: 'runs on at both',
  ends: 'ended by the member',
  due: 'has to be paid first',
  paused: 'paused',
  unsold: 'not sold at the other one',
  endless: 'paid until nobody knows when',
  nobody: 'belongs to nobody here',
  failed: 'failed',
  stopped: 'goes on as before',
}

const needsLook: ReadonlySet<Switching['kind']> = new Set([
  'unsure',
  'twice',
  'due',
  'unsold',
  'endless',
  'nobody',
  'failed',
])
