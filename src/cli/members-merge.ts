import { Command } from 'commander'
import { normalEmail } from '../core/email.ts'
import type { Merge } from '../memberships/merging/index.ts'
import type { Membership } from '../site/membership.ts'
import { type Common, common, nameOf, planned, withName } from './flags.ts'
import { counted, notYet, print, shortTime } from './output.ts'
import { withSite } from './site.ts'

interface MergeFlags extends Common {
  by?: string
  write?: boolean
}

/** `membership members merge` */
export function mergeCommand(): Command {
  return withName(
    common(
      new Command('merge')
        .description('Merge two accounts of one person. Without --write, show what would move.')
        .argument('<keep>', 'the account that stays: an id or an address')
        .argument('<merge>', 'the account that is merged into it'),
    ),
  )
    .option('--write', 'do it')
    .addHelpText(
      'after',
      '\nPurchases, grants and open checkouts move, and later events follow. The merged account’s sessions, links and' +
        '\nchanges end. Its confirmed address opens the kept account. `unmerge` undoes it for 30 days, until the member leaves.' +
        '\n\nExamples:\n  membership members merge ann@example.com ann@work.example' +
        '\n  membership members merge ann@example.com ann@work.example --write',
    )
    .action(async (keep: string, merge: string, { by, write, ...flags }: MergeFlags) => {
      const done = await withSite(flags, async (m) =>
        m.users.merge({
          keep: await accountOf(m, keep),
          merge: await accountOf(m, merge),
          by: nameOf({ by }),
          write,
        }),
      )
      print(flags, done, linesOf(done))
    })
}

/** `membership members unmerge` */
export function unmergeCommand(): Command {
  return planned(
    withName(
      common(
        new Command('unmerge')
          .description('Undo a merge within 30 days. Without --write, show what would move.')
          .argument('<merged>', 'the merged account: its id or its address'),
      ),
    ),
  )
    .addHelpText(
      'after',
      '\nSessions of both end.\n\nExample:\n  membership members unmerge ann@work.example --write',
    )
    .action(async (merged: string, { by, write, ...flags }: MergeFlags) => {
      if (!write) {
        const id = await withSite(flags, (m) => accountOf(m, merged))
        return print(flags, { merged: id, written: false }, [
          `${id} would be an account of its own again, and the sessions of both would end.`,
          ...notYet,
        ])
      }
      const done = await withSite(flags, async (m) =>
        m.users.unmerge({ merged: await accountOf(m, merged), by: nameOf({ by }) }),
      )
      print(flags, done, [
        `${done.mergedId} is an account of its own again, with ${done.email ?? 'no address'}.`,
        ...(done.email === null ? [`→ membership members email ${done.mergedId} ADDRESS gives it one.`] : []),
      ])
    })
}

/**
 * Returns the account of the address itself, even if it was merged. A search for members would find the
 * account that was kept.
 */
async function accountOf(m: Membership, given: string): Promise<string> {
  if (!given.includes('@')) return given
  const email = normalEmail(given) ?? ''
  const { members } = await m.users.list({ q: email, limit: 500 })
  return members.find((member) => member.email === email)?.id ?? given
}

function linesOf({ keptId, mergedId, moves, notes, written, until }: Merge): string[] {
  return [
    written
      ? `${mergedId} is merged into ${keptId}, which can be taken back until ${shortTime(until)} UTC.`
      : `${mergedId} would be merged into ${keptId}. Nothing was changed yet.`,
    ...[
      counted(moves.customers, 'customer'),
      counted(moves.subscriptions, 'subscription'),
      counted(moves.payments, 'payment'),
      counted(moves.grants, 'grant'),
      counted(moves.checkouts, 'started checkout'),
    ].map((line) => `  ${line}`),
    ...(moves.fields.length === 0 ? [] : [`  fields: ${moves.fields.join(', ')}`]),
    ...notes.map(({ text }) => `! ${text}`),
    written ? `→ membership members unmerge ${mergedId} --write takes it back.` : '→ --write does it.',
  ]
}
