import { Command } from 'commander'
import type { NotedDeed } from '../memberships/audit-log/index.ts'
import { type Common, columns, common, countUpTo, print, shortTime, withSite } from './site.ts'

/** `membership members log` */
export const logCommand = (): Command =>
  common(
    new Command('log')
      .description('Show what operators did to members, the newest first.')
      .argument('[member]', 'an id or an address; everybody unless given'),
  )
    .option('--limit <n>', 'at most so many', countUpTo(500), 50)
    .addHelpText(
      'after',
      '\nExamples:\n  membership members log\n  membership members log ann@example.com --json',
    )
    .action(async (given: string | undefined, flags: Common & { limit: number }) => {
      const deeds = await withSite(flags, async (m) => {
        // Only the id of a deleted member is known.
        const user = given?.includes('@') ? await m.users.findByEmail(given) : null
        return m.audit.list({ member: user?.id ?? given, limit: flags.limit })
      })
      print(flags, deeds, deeds.length === 0 ? ['Nothing was done.'] : columns(deeds.map(rowOf)))
    })

const rowOf = ({
  at,
  by,
  action,
  member_id,
  subject,
  outcome,
  error,
  before,
  after,
}: NotedDeed): string[] => [
  shortTime(at),
  by,
  action,
  member_id ?? '-',
  subject ?? '',
  outcome === 'done' ? '' : outcome === 'begun' ? 'begun, end unknown' : `failed: ${error ?? ''}`,
  [before, after].flatMap((state) => (state === null ? [] : [JSON.stringify(state)])).join(' → '),
]
