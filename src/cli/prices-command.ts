import { readFile } from 'node:fs/promises'
import { Command, InvalidArgumentError } from 'commander'
import { durationSeconds } from '../core/duration.ts'
import { MembershipError } from '../core/errors.ts'
import type { Raise, RaisePlan, RaisePlanMember } from '../memberships/raises/index.ts'
import type { Membership } from '../site/membership.ts'
import { actor, type Common, common, planned } from './flags.ts'
import { columns, counted, notYet, print } from './output.ts'
import { moneyOf, type WriteAmount, withSite } from './site.ts'

/** `membership prices …` */
export function pricesCommand(): Command {
  return new Command('prices')
    .addHelpText(
      'after',
      '\nExamples:\n  membership prices raise --from price_a --to price_b --on 2027-03-01 --notice 30d' +
        '\n  membership prices raise --from price_a --to price_b --on 2027-03-01 --notice 30d --write' +
        '\n  membership prices list\n  membership prices undo 4f1c2a7b90de --write',
    )
    .addCommand(raiseCommand())
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(turnCommand('stop', 'Stop a raise. Nobody else gets the new price until you resume it.'))
    .addCommand(turnCommand('resume', 'Resume a stopped raise.'))
    .addCommand(
      turnCommand('undo', 'Undo a raise for members who have not paid the new price yet. They get a mail.'),
    )
    .addCommand(noticeCommand())
}

interface RaiseFlags extends Common {
  from: string
  to: string
  on: string
  notice: number
  keep?: string
  before?: string
  consent?: boolean
  dryRun?: boolean
  write?: boolean
}

function raiseCommand(): Command {
  return planned(
    common(
      new Command('raise').description(
        'Show who gets a new price, when, and how much more it is. With --write: send the notices. The new price is set before each member’s next renewal after the notice, while the site runs.',
      ),
    ),
  )
    .requiredOption('--from <price>', 'the price that members pay now')
    .requiredOption('--to <price>', 'the dearer price of the same plan')
    .requiredOption('--on <day>', 'the first day whose renewals may charge the new price, UTC', toDay)
    .requiredOption(
      '--notice <time>',
      'the time between the notice and the first charge, such as 30d',
      toDays,
    )
    .option('--keep <file>', 'CSV with a column email, member_id or subscription_id: who keeps the old price')
    .option('--before <day>', 'who began before this day keeps the old price, UTC', toDay)
    .option('--consent', 'silence keeps the old price (default for shops of the European Economic Area)')
    .option('--no-consent', 'the terms of the site allow a raise after a notice')
    .option('--dry-run', 'change nothing, which is the default without --write')
    .addHelpText(
      'after',
      '\nExamples:\n  membership prices raise --from price_a --to price_b --on 2027-03-01 --notice 30d --dry-run' +
        '\n  membership prices raise --from price_a --to price_b --on 2027-03-01 --notice 30d --keep founders.csv --write' +
        '\n  membership prices raise --from price_a --to price_b --on 2027-03-01 --notice 60d --before 2024-01-01 --json',
    )
    .action(async (flags: RaiseFlags) => {
      const { from, to, on, notice, keep, before, consent, write, dryRun } = flags
      const request = {
        from,
        to,
        on,
        noticeDays: notice,
        needsConsent: consent,
        before: before ?? null,
        keep: keep === undefined ? [] : await namesIn(keep),
      }
      const begins = write === true && dryRun !== true
      const { plan, money } = await withSite(flags, async (m) => ({
        plan: await (begins ? m.raises.raise(request, actor()) : m.raises.plan(request)),
        money: await moneyOf(flags, m),
      }))
      print(flags, plan, [...wordsOf(plan, money), ...(begins ? begunWords(plan) : notYet)])
    })
}

function wordsOf(plan: RaisePlan, money: WriteAmount): string[] {
  const raised = plan.members.filter(({ does }) => does === 'raise')
  const kept = plan.members.filter(({ does }) => does === 'keep')
  return [
    `${plan.from} → ${plan.to} at ${plan.provider}: ${counted(raised.length, 'membership')}, from ${plan.starts_at.slice(0, 10)}, ${plan.notice_days} days after the notice.`,
    abilities[plan.provider_can],
    plan.needs_consent
      ? 'Members have to agree; silence keeps the old price.'
      : 'Members are notified; they need not agree.',
    ...columns(raised.map((member) => rowOf(member, money))),
    ...(kept.length === 0
      ? []
      : [`${counted(kept.length, 'membership')} ${kept.length === 1 ? 'keeps' : 'keep'} the old price:`]),
    ...columns(kept.map((member) => [nameOf(member), member.subscription_id, member.reason ?? ''])),
    ...(plan.unknown_exceptions.length === 0
      ? []
      : [
          `${counted(plan.unknown_exceptions.length, 'exception')} of --keep ${plan.unknown_exceptions.length === 1 ? 'names' : 'name'} no membership at ${plan.from}: ${plan.unknown_exceptions.join(', ')}`,
        ]),
  ]
}

function begunWords({ id }: RaisePlan): string[] {
  return [
    `The notices are on their way. The raise is called ${id}.`,
    `→ See it: membership prices show ${id}`,
  ]
}

const abilities: Readonly<Record<RaisePlan['provider_can'], string>> = {
  schedule: 'The provider changes the price at the renewal.',
  set: 'The provider gets the new price up to two days before the renewal, without a bill.',
  asks_buyer: 'The provider asks each buyer to approve another price: it cannot be raised from here.',
  nothing: 'The provider cannot change the price of a subscription from here.',
}

function rowOf(member: RaisePlanMember, money: WriteAmount): string[] {
  return [
    nameOf(member),
    member.subscription_id,
    [member.from_amount, member.to_amount]
      .map((amount) => (amount === null ? '?' : money(amount * member.quantity, member)))
      .join(' → '),
    member.is_leaving ? 'is ending: no notice unless it is resumed' : firstDayOf(member),
  ]
}

function firstDayOf({ first_at: at }: RaisePlanMember): string {
  return at === null ? 'day unknown' : `first on ${at.slice(0, 10)}`
}

function nameOf({ email, member_id: id }: RaisePlanMember): string {
  return email ?? id ?? 'nobody'
}

function listCommand(): Command {
  return common(new Command('list').description('List the raises, newest first.'))
    .addHelpText('after', '\nExamples:\n  membership prices list\n  membership prices list --json')
    .action(async (flags: Common) => {
      const raises = await withSite(flags, (m) => m.raises.list())
      print(flags, raises, raises.length === 0 ? ['No raises.'] : raises.flatMap(linesOf))
    })
}

function linesOf(raise: Raise): string[] {
  return [
    `${raise.id}  ${raise.status}  ${raise.from_price} → ${raise.to_price} at ${raise.provider}, from ${raise.starts_at.slice(0, 10)}, by ${raise.created_by}`,
    `  ${
      Object.entries(raise.states)
        .map(([state, count]) => `${count} ${state}`)
        .join(', ') || 'nobody'
    }`,
  ]
}

function showCommand(): Command {
  return common(
    new Command('show').description('List the memberships of a raise.').argument('<raise>', 'its id'),
  )
    .addHelpText(
      'after',
      '\nExamples:\n  membership prices show 4f1c2a7b90de\n  membership prices show 4f1c2a7b90de --json',
    )
    .action(async (id: string, flags: Common) => {
      const { raise, members } = await withSite(flags, async (m) => ({
        raise: await m.raises.show(id),
        members: await allMembers(m, id),
      }))
      print(flags, { ...raise, members }, [
        ...linesOf(raise),
        ...columns(
          members.map((row) => [
            row.email ?? row.member_id ?? 'nobody',
            row.subscription_id,
            row.state,
            row.reason ?? '',
            row.applies_at === null ? '' : `on ${row.applies_at.slice(0, 10)}`,
          ]),
        ),
      ])
    })
}

async function allMembers(m: Membership, id: string) {
  const all: Awaited<ReturnType<Membership['prices']['members']>> = []
  for (let after = { account: '', subscription_id: '' }; ; after = all.at(-1)!) {
    const page = await m.raises.members(id, after, 200)
    all.push(...page)
    if (page.length < 200) return all
  }
}

function turnCommand(name: 'stop' | 'resume' | 'undo', description: string): Command {
  return planned(common(new Command(name).description(description).argument('<raise>', 'its id')))
    .addHelpText(
      'after',
      `\nExamples:\n  membership prices ${name} 4f1c2a7b90de\n  membership prices ${name} 4f1c2a7b90de --write`,
    )
    .action(async (id: string, { write, ...flags }: Common & { write?: boolean }) => {
      const raise = await withSite(flags, (m) => (write ? m.raises[name](id) : m.raises.show(id)))
      print(flags, raise, [...linesOf(raise), ...(write ? [] : notYet)])
    })
}

function noticeCommand(): Command {
  return planned(
    common(
      new Command('notice')
        .description('Mark a notice as bounced, which pauses the raise for its member, or send it again.')
        .argument('<raise>', 'its id')
        .argument('<email>', 'the address of the member'),
    ),
  )
    .option('--again', 'send the notice again; its days count anew')
    .addHelpText(
      'after',
      '\nExamples:\n  membership prices notice 4f1c2a7b90de ann@example.com --write' +
        '\n  membership prices notice 4f1c2a7b90de ann@example.com --again --write',
    )
    .action(
      async (
        id: string,
        email: string,
        { write, again, ...flags }: Common & { write?: boolean; again?: boolean },
      ) => {
        const count = await withSite(flags, async (m) => {
          if (!write) return (await m.raises.show(id)) && 0
          return again ? m.raises.noticeAgain(id, email) : m.raises.noticeBounced(id, email)
        })
        const done = again ? 'The notice is sent again for' : 'The raise is paused for'
        print(flags, { count }, write ? [`${done} ${counted(count, 'membership')}.`] : notYet)
      },
    )
}

/**
 * Reads who keeps the old price: a CSV file with a column of addresses, member ids or subscription ids.
 * @throws ERR_USAGE for a file without such a column
 */
async function namesIn(file: string): Promise<string[]> {
  const { readCsv } = await import('../core/read-csv.ts')
  const refuse = (message: string) =>
    new MembershipError('ERR_USAGE', `${file}: ${message}`, {
      action: `Name a column in its first line: ${namingColumns.join(', ')}.`,
    })
  const bytes = await readFile(file).catch(() => {
    throw refuse('it cannot be read.')
  })
  const { columns: found, rows } = readCsv(bytes)
  const naming = found.filter((name) => namingColumns.includes(name.toLowerCase()))
  if (naming.length === 0) throw refuse('no column names who keeps the old price.')
  return rows.flatMap(({ cells }) => naming.map((name) => cells[name] ?? '').filter((name) => name !== ''))
}

const namingColumns = ['email', 'member_id', 'subscription_id']

function toDay(text: string): string {
  const day = new Date(`${text}T00:00:00.000Z`)
  if (/^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text))
    return day.toISOString()
  throw new InvalidArgumentError('Give a day, such as 2027-03-01.')
}

function toDays(text: string): number {
  const seconds = durationSeconds(text)
  if (seconds !== null && seconds >= 86_400 && seconds % 86_400 === 0) return seconds / 86_400
  throw new InvalidArgumentError('Give whole days, such as 30d.')
}
