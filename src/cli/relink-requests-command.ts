import { Command } from 'commander'
import type { Membership } from '../site/membership.ts'
import { actor, type Common, common, countUpTo } from './flags.ts'
import { columns, print, shortTime } from './output.ts'
import { withSite } from './site.ts'

type Request = Awaited<ReturnType<Membership['reports']['operator']['confirmRelink']>>

/** `membership reports requests` */
export function requestsCommand(): Command {
  return common(
    new Command('requests').description(
      'List relink requests: partners who ask for websites that others have.',
    ),
  )
    .option('--all', 'closed ones as well')
    .option('--limit <number>', 'how many at most', countUpTo(10_000), 200)
    .addHelpText(
      'after',
      '\nA partner proves the host by DNS or by a file; the partner who has the website is notified and has fourteen' +
        '\ndays to object. Then a confirmed request is carried out.' +
        '\n\nExamples:\n  membership reports requests\n  membership reports requests --all --json',
    )
    .action(async ({ all = false, limit, ...flags }: Common & { all?: boolean; limit: number }) => {
      const rows = await withSite(flags, (m) => m.reports.operator.relinkRequests({ isOpen: !all, limit }))
      const lines = columns(
        rows.map((row) => [
          row.id,
          row.status,
          row.url,
          `for ${row.partner_id}`,
          row.holder_id === null ? 'nobody has it' : `${row.holder_id} has it`,
          row.object_until === null ? '' : `objection until ${shortTime(row.object_until)}`,
          row.reason === null ? '' : `(${row.reason})`,
          row.batch ?? '',
        ]),
      )
      const value = rows.map(({ secret: _, file_name: __, revision: ___, ...row }) => row)
      print(flags, value, [
        ...(lines.length > 0 ? lines : ['No relink requests.']),
        ...(rows.some(({ due_at, status }) => due_at !== null && status !== 'unproven')
          ? ['', '→ membership reports confirm ID', '→ membership reports decline ID --reason …']
          : []),
      ])
    })
}

/** `membership reports confirm` */
export function confirmCommand(): Command {
  return common(
    new Command('confirm')
      .description('Confirm a relink request. It takes effect when the time to object is over.')
      .argument('<request>', 'id, such as rlr_4f1c'),
  )
    .option('--despite-objection', 'overrule the partner who has the website, at once')
    .addHelpText(
      'after',
      '\nIt checks the proof once more first. Undo it later with its batch.' +
        '\n\nExamples:\n  membership reports confirm rlr_4f1c\n  membership reports confirm rlr_4f1c --despite-objection' +
        '\n  membership reports relink --undo bat_4f1c',
    )
    .action(async (id: string, { despiteObjection, ...flags }: Common & { despiteObjection?: boolean }) => {
      const row = await withSite(flags, (m) =>
        m.reports.operator.confirmRelink(id, actor(), { despiteObjection: despiteObjection === true }),
      )
      print(flags, shown(row), linesOf(row))
    })
}

/** `membership reports decline` */
export function declineCommand(): Command {
  return common(
    new Command('decline')
      .description('Decline a relink request. The partner who made it sees the reason.')
      .argument('<request>', 'id, such as rlr_4f1c'),
  )
    .requiredOption('--reason <text>', 'why')
    .addHelpText(
      'after',
      '\nExamples:\n  membership reports decline rlr_4f1c --reason "the host belongs to the first partner"',
    )
    .action(async (id: string, { reason, ...flags }: Common & { reason: string }) => {
      const row = await withSite(flags, (m) => m.reports.operator.declineRelink(id, reason, actor()))
      print(flags, shown(row), [`Declined ${row.url} for ${row.partner_id}.`])
    })
}

function shown({ id, url, status, partner_id, holder_id, object_until, batch }: Request) {
  return {
    id,
    url,
    status,
    partner_id,
    holder_id,
    object_until,
    batch,
  }
}

function linesOf(row: Request): string[] {
  return row.batch === null
    ? [
        `Confirmed: ${row.url} goes to ${row.partner_id} on ${shortTime(row.object_until ?? '')}, unless somebody objects.`,
      ]
    : [
        `Linked ${row.url} to ${row.partner_id}, as ${row.batch}.`,
        `→ Undo: membership reports relink --undo ${row.batch}`,
      ]
}
