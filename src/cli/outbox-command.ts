import { Command } from 'commander'
import { MembershipError } from '../core/errors.ts'
import { type Common, common, countUpTo } from './flags.ts'
import { columns, print, shortTime } from './output.ts'
import { withSite } from './site.ts'

/** `membership outbox …` */
export function outboxCommand(): Command {
  return new Command('outbox')
    .addHelpText(
      'after',
      '\nExamples:\n  membership outbox list\n  membership outbox list --dead\n  membership outbox replay 17\n  membership outbox replay --to https://crm.example.com/hooks\n  membership outbox replay --to https://crm.example.com/new --from https://crm.example.com/hooks   # its address changed',
    )
    .addCommand(listCommand())
    .addCommand(replayCommand())
}

function listCommand(): Command {
  return common(new Command('list').description('List waiting and given-up messages, oldest first.'))
    .option('--dead', 'only those that were given up')
    .option('--limit <number>', 'how many at most', countUpTo(10_000), 50)
    .action(async (flags: Common & { dead?: boolean; limit: number }) => {
      const messages = await withSite(flags, (m) =>
        m.operator.outbox.list({ dead: flags.dead ?? false, limit: flags.limit }),
      )
      const lines = columns(
        messages.map(({ seq, kind, status, attempts, due_at, error }) => [
          String(seq),
          kind,
          status === 'dead' ? 'gave up' : `waits until ${shortTime(due_at)}`,
          `${attempts} tries`,
          error ?? '',
        ]),
      )
      print(flags, messages, lines.length === 0 ? ['Nothing waits.'] : lines)
    })
}

function replayCommand(): Command {
  return common(
    new Command('replay')
      .description('Retry a message now that was given up or waits for its next attempt.')
      .argument('[number]', 'its number in the list')
      .option('--to <address>', 'every message for this receiver of membership.notify')
      .option('--from <address>', 'with --to: also those for the address that the receiver had earlier'),
  ).action(async (given: string | undefined, flags: Common & { to?: string; from?: string }) => {
    const { to, from } = flags
    if (to !== undefined) {
      const replayed = await withSite(flags, (m) =>
        m.operator.outbox.replayTo({ to, ...(from === undefined ? {} : { from }) }),
      )
      const line = `${replayed} messages for ${to} are tried again by the running site.`
      return print(flags, { to, replayed }, [line])
    }
    if (from !== undefined)
      throw new MembershipError('ERR_USAGE', '--from needs --to: the address that the receiver has now.')
    const seq = Number(given)
    if (!Number.isInteger(seq) || seq < 1)
      throw new MembershipError('ERR_USAGE', `"${given ?? ''}" is no number of a message.`, {
        action: 'See the numbers with: membership outbox list --dead',
      })
    await withSite(flags, (m) => m.operator.outbox.replay(seq))
    print(flags, { seq, status: 'waiting' }, [`Message ${seq} is tried again by the running site.`])
  })
}
