import { Command } from 'commander'
import { MembershipError } from '../core/errors.ts'
import { type Common, common, print, withSite } from './site.ts'

/** `membership members deleted` */
export const deletedCommand = (): Command =>
  common(
    new Command('deleted').description(
      'List the accounts that were deleted, to be kept beside the backups: after-restore deletes them again.',
    ),
  )
    .option('--since <day>', 'since that day, such as 2026-11-01; all unless given')
    .addHelpText('after', '\nExamples:\n  membership members deleted --since 2026-11-01 > deleted.txt')
    .action(async (flags: Common & { since?: string }) => {
      const since = dayOf(flags.since)
      const rows = await withSite(flags, (m) => m.deletedSince(since))
      print(
        flags,
        rows,
        rows.map(({ id, at }) => `${id}  ${at}`),
      )
    })

const dayOf = (given: string | undefined): Date => {
  const day = new Date(given ?? 0)
  if (!Number.isNaN(day.getTime())) return day
  throw new MembershipError('ERR_USAGE', `"${given}" is no day.`, { action: 'Write it as 2026-11-01.' })
}
