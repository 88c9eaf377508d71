import { userInfo } from 'node:os'
import { Command } from 'commander'
import { type Common, common, countUpTo } from './flags.ts'
import { columns, print, shortTime } from './output.ts'
import { withSite } from './site.ts'

/** `membership declarations …` */
export function declarationsCommand(): Command {
  return new Command('declarations')
    .addHelpText(
      'after',
      '\nExamples:\n  membership declarations list\n  membership declarations done 20261121093000-a1b2c3d4',
    )
    .addCommand(listCommand())
    .addCommand(doneCommand())
}

function listCommand(): Command {
  return common(
    new Command('list').description(
      'List declarations, newest first. With --open, list those that wait for you, oldest first.',
    ),
  )
    .option('--open', 'only those that wait')
    .option('--limit <number>', 'how many at most', countUpTo(10_000), 100)
    .action(async (flags: Common & { open?: boolean; limit: number }) => {
      const { open = false, limit } = flags
      const shown = await withSite(flags, (m) => m.operator.declarations.list({ open, limit }))
      const lines = columns(
        shown.map((declared) => [
          declared.id,
          shortTime(declared.received_at),
          declared.kind,
          declared.nature ?? '',
          declared.status === 'done' ? 'done' : `${declared.status}, due ${declared.due_on}`,
          declared.email,
          declared.contract,
          declared.ends_on ? `for ${declared.ends_on}` : '',
          declared.member_id ?? 'nobody’s address',
          declared.subscription_id ?? '',
        ]),
      )
      print(flags, shown, lines.length === 0 ? ['Nothing was declared.'] : lines)
    })
}

function doneCommand(): Command {
  return common(
    new Command('done')
      .description('Mark a declaration as done, after the refund or the cancellation.')
      .argument('<number>', 'its number in the list'),
  ).action(async (id: string, flags: Common) => {
    const settled = await withSite(flags, (m) => m.operator.declarations.settle(id, userInfo().username))
    print(flags, settled, [`${id} is done.`])
  })
}
