import { Command, InvalidArgumentError } from 'commander'
import { type CsvColumns, toCsv } from '../core/dto/csv.ts'
import type { Gift } from '../memberships/gifts/index.ts'
import type { Membership } from '../site/membership.ts'
import { actor, type Common, common, countUpTo, planned } from './flags.ts'
import { columns, notYet, print, shortTime } from './output.ts'
import { withSite } from './site.ts'

/** `membership gifts …` */
export function giftsCommand(): Command {
  return new Command('gifts')
    .addHelpText(
      'after',
      '\nExamples:\n  membership gifts create --plan pro --months 3 --count 100 > codes.csv' +
        '\n  membership gifts list\n  membership gifts revoke 01234-56789-ABCDE-FGHJK',
    )
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(revokeCommand())
}

interface CreateFlags extends Common {
  plan: string
  months: number
  count: number
  label?: string
  expires?: string
}

function createCommand(): Command {
  return common(
    new Command('create').description(
      'Create codes and print them as CSV, once. Only their hashes are stored.',
    ),
  )
    .requiredOption('--plan <id>', 'the plan that they open')
    .requiredOption('--months <n>', 'months that each code gives', countUpTo(120))
    .option('--count <n>', 'how many codes', countUpTo(10_000), 1)
    .option('--label <text>', 'a word of your own that is listed with them')
    .option('--expires <day>', 'the last day on which they can be redeemed, UTC (default: never)', toDay)
    .addHelpText(
      'after',
      '\nExamples:\n  membership gifts create --plan pro --months 3 --count 100 > codes.csv' +
        '\n  membership gifts create --plan pro --months 12 --label "Book fair" --expires 2027-12-31 --json',
    )
    .action(async ({ plan, months, count, label, expires, ...flags }: CreateFlags) => {
      const made = await withSite(flags, (m) =>
        m.gifts.create({ plan, months, count, label: label ?? null, expiresAt: expires ?? null }),
      )
      if (flags.json) print(flags, made, [])
      else process.stdout.write(toCsv(codeColumns, made))
    })
}

const codeColumns: CsvColumns<Awaited<ReturnType<Membership['gifts']['create']>>[number]> = [
  ['code', ({ code }) => code],
  ['plan', ({ plan }) => plan],
  ['months', ({ months }) => months],
  ['expires_at', ({ expires_at }) => expires_at],
  ['batch', ({ batch }) => batch],
  ['id', ({ id }) => id],
]

function listCommand(): Command {
  return common(new Command('list').description('List gifts, newest first. Their codes are not shown.'))
    .option('--batch <id>', 'only the codes of this batch')
    .option('--limit <n>', 'how many at most', countUpTo(500), 100)
    .option('--before <id>', 'the next page: the last id of the page before')
    .addHelpText(
      'after',
      '\nExamples:\n  membership gifts list\n  membership gifts list --batch 0mi3k2a9x… --json',
    )
    .action(
      async ({
        batch,
        limit,
        before,
        ...flags
      }: Common & { batch?: string; limit: number; before?: string }) => {
        const gifts = await withSite(flags, (m) => m.gifts.list({ batch, limit, before }))
        print(flags, gifts, gifts.length === 0 ? ['No gifts.'] : columns(gifts.map(rowOf)))
      },
    )
}

function rowOf(gift: Gift): string[] {
  return [
    gift.id,
    gift.status === 'closed'
      ? `closed: ${gift.closed_for ?? ''}`
      : gift.held_at === null
        ? gift.status
        : 'held',
    `${gift.plan}, ${gift.months} months`,
    gift.redeemed_at === null ? '' : `redeemed ${shortTime(gift.redeemed_at)} by ${gift.member_id ?? '-'}`,
    gift.expires_at === null ? '' : `expires ${gift.expires_at.slice(0, 10)}`,
    gift.batch === null ? 'bought' : `batch ${gift.batch}`,
    gift.label ?? '',
  ]
}

function revokeCommand(): Command {
  return planned(
    common(
      new Command('revoke')
        .description('Revoke a gift. Its code stops working, and the rest of its time ends.')
        .argument('<gift>', 'its id, or its code'),
    ),
  )
    .addHelpText(
      'after',
      '\nExamples:\n  membership gifts revoke 0mi3k2a9xq\n  membership gifts revoke 01234-56789-ABCDE-FGHJK --write',
    )
    .action(async (named: string, { write, ...flags }: Common & { write?: boolean }) => {
      const gift = await withSite(flags, (m) =>
        write ? m.gifts.revoke(named, actor()) : m.gifts.find(named),
      )
      const summary = `${gift.id}: ${gift.plan}, ${gift.months} months, ${gift.status}`
      print(flags, gift, write ? [`Revoked ${summary}.`] : [`Would revoke ${summary}.`, ...notYet])
    })
}

function toDay(text: string): string {
  const day = new Date(`${text}T00:00:00.000Z`)
  if (/^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text))
    return text
  throw new InvalidArgumentError('Give a day, such as 2027-01-01.')
}
