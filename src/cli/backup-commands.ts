import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Command } from 'commander'
import { backupSqlite, restoreSqlite } from '../core/storage/index.ts'
import type { Restored } from '../memberships/after-restore/index.ts'
import { type Common, common } from './flags.ts'
import { print } from './output.ts'
import { requireStoppedSite, sqliteFileHere, withSite } from './site.ts'

/** `membership after-restore` */
export function afterRestoreCommand(): Command {
  return common(new Command('after-restore'))
    .option('--deleted <file>', 'ids of accounts deleted since, one a line, as members deleted printed them')
    .option('--keep-feeds', 'keep the addresses of private feeds, also those that were ended since the copy')
    .option('--site-is-stopped', 'go on although PostgreSQL has other connections, such as a pooler’s')
    .addHelpText(
      'after',
      '\nStop the site first.\n\nExamples:\n  membership after-restore --deleted deleted.txt\n  membership after-restore --keep-feeds     # nobody ended an address since the copy\n  membership webhooks pull --since 2d      # then: what the copy does not have\n  membership compare --write               # then: what no message tells any more',
    )
    .action(async (flags: Common & RestoreFlags & { siteIsStopped?: boolean }) => {
      if (flags.siteIsStopped !== true) await requireStoppedSite(flags)
      const deleted = flags.deleted === undefined ? [] : idsOf(readFileSync(flags.deleted, 'utf8'))
      const done = await withSite(flags, (m) =>
        m.operator.afterRestore({ deleted, keepFeeds: flags.keepFeeds === true }),
      )
      const { ended } = done
      print(flags, done, [
        `Ended: ${ended.sessions} sessions, ${ended.links} login links, ${ended.emailChanges} changes of an address, ${ended.returnPages} return pages, ${ended.feeds} addresses of feeds.`,
        `Given up: ${done.messages} mails, hooks and events that waited in the copy (membership outbox list --dead).`,
        ...heldLines(done.held),
        `Deleted again: ${done.deleted.length} accounts${done.unknown.length === 0 ? '.' : `; ${done.unknown.length} of the list are gone already, or are not in the copy.`}`,
        'Next: membership webhooks pull --since …, then membership compare --write, then start the site.',
      ])
    })
}

/** `membership backup FILE` */
export function backupCommand(): Command {
  return common(new Command('backup'))
    .argument('<file>', 'the copy, a file that does not exist yet')
    .addHelpText(
      'after',
      '\nThe secret (data/membership.secret, or MEMBERSHIP_SECRET) is not in the copy. Keep it in another place.' +
        '\nPostgreSQL has its own tools: pg_dump.\n\nExamples:\n  membership backup backup.db\n  membership backup /var/backups/site/2026-11-26.db',
    )
    .action(async (file: string, flags: Common) => {
      const database = await sqliteFileHere(flags, 'Copy PostgreSQL with pg_dump.')
      const copy = resolve(file)
      backupSqlite(database, copy)
      print(flags, { database, copy }, [`Copied ${database} to ${copy}.`])
    })
}

/** `membership restore FILE` */
export function restoreCommand(): Command {
  return common(new Command('restore'))
    .argument('<file>', 'the copy')
    .option('--deleted <file>', 'ids of accounts deleted since, one a line, as members deleted printed them')
    .option('--keep-feeds', 'keep the addresses of private feeds, also those that were ended since the copy')
    .addHelpText(
      'after',
      '\nThe files that were there are kept beside it. Stop the site first.\n\nExamples:\n  membership restore backup.db\n  membership restore backup.db --deleted deleted.txt\n  membership restore backup.db --keep-feeds     # nobody ended an address since the copy',
    )
    .action(async (file: string, flags: Common & RestoreFlags) => {
      const deleted = flags.deleted === undefined ? [] : idsOf(readFileSync(flags.deleted, 'utf8'))
      const restored = restoreSqlite(await sqliteFileHere(flags), resolve(file), new Date())
      const done = await withSite(flags, (m) =>
        m.operator.afterRestore({ deleted, keepFeeds: flags.keepFeeds === true }),
      )
      print(flags, { ...restored, ...done }, [
        `Restored ${restored.database} from ${restored.copy}.`,
        ...restored.setAside.map((path) => `Kept: ${path}`),
        `Ended: ${done.ended.sessions} sessions, ${done.ended.links} login links, ${done.ended.feeds} addresses of feeds. Given up: ${done.messages} mails, hooks and events.`,
        ...heldLines(done.held),
        'Next: membership webhooks pull --since …, then membership compare --write, then start the site.',
      ])
    })
}

function heldLines({ gifts, groups }: Restored['held']): string[] {
  return gifts + groups === 0
    ? []
    : [
        `For you to check: ${gifts} gifts that may have been redeemed since, ${groups} groups that may lack people. Today in the office lists them.`,
      ]
}

interface RestoreFlags {
  readonly deleted?: string
  readonly keepFeeds?: boolean
}

function idsOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim().split(/\s/)[0] ?? '')
    .filter((id) => id !== '')
}
