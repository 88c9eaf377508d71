import { Command } from 'commander'
import { MembershipError } from '../core/errors.ts'
import type { AuditRecord } from '../memberships/audit-log/index.ts'
import type { ImportedAccount, ImportReport } from '../migrate/accounts/index.ts'
import { legacyProvider } from '../migrate/legacy-provider.ts'
import { storageOf } from '../site/assembly/former-names.ts'
import type { Membership } from '../site/membership.ts'
import { type Common, common, countUpTo } from './flags.ts'
import {
  cancelCommand,
  emailCommand,
  grantCommand,
  limitCommand,
  loginLinkCommand,
  refundCommand,
  revokeCommand,
} from './members-actions.ts'
import { findCommand, listCommand, showCommand } from './members-list.ts'
import { mergeCommand, unmergeCommand } from './members-merge.ts'
import { columns, print, shortTime } from './output.ts'
import { createProgressBar } from './progress-bar.ts'
import { onlyLabel } from './provider-label.ts'
import { withSite } from './site.ts'

interface ImportFlags extends Common {
  write?: boolean
  provider: string
  field?: string
  account?: string
}

/** `membership members …` */
export function membersCommand(): Command {
  return new Command('members')
    .addHelpText(
      'after',
      '\nExamples:\n  membership members find ann@example.com\n  membership members show ann@example.com' +
        '\n  membership members grant ann@example.com pro --until 2027-01-01\n  membership members login-link ann@example.com' +
        '\n  membership members import ../old-site --write\n  membership members email 0f3k2… ann@example.com',
    )
    .addCommand(importCommand())
    .addCommand(emailCommand())
    .addCommand(listCommand())
    .addCommand(findCommand())
    .addCommand(showCommand())
    .addCommand(grantCommand())
    .addCommand(revokeCommand())
    .addCommand(limitCommand())
    .addCommand(cancelCommand())
    .addCommand(refundCommand())
    .addCommand(loginLinkCommand())
    .addCommand(mergeCommand())
    .addCommand(unmergeCommand())
    .addCommand(auditCommand())
    .addCommand(deletedCommand())
}

function importCommand(): Command {
  return common(
    new Command('import')
      .description('Import the accounts of version 1. Without --write, show what would happen.')
      .argument('<folder>', 'the old site, the folder with site/accounts in it'),
  )
    .option('--write', 'do it')
    .option('--provider <key>', 'whose customers the accounts are', legacyProvider)
    .option('--field <name>', 'field of the accounts that holds the provider’s data')
    .option('--account <label>', 'label of the webhook secret, where the provider has several')
    .addHelpText(
      'after',
      '\nAddresses count as verified. Doing it again changes nothing; nothing of the old site is changed.' +
        '\n\nExamples:\n  membership members import ../old-site' +
        '\n  membership members import ../old-site --write' +
        '\n  membership members import ../old-site --field shop_data --json',
    )
    .action(async (folder: string, flags: ImportFlags) => {
      const report = await withSite(flags, (m) => importInto(m, folder, flags), {
        absent: flags.write ? 'make' : 'try',
      })
      print(flags, report, linesOf(report))
      if (report.refused > 0) process.exitCode = 1
    })
}

async function importInto(m: Membership, folder: string, flags: ImportFlags): Promise<ImportReport> {
  // Other commands about members do not need the migration's parsers.
  const { importAccounts } = await import('../migrate/accounts/index.ts')
  const bar = flags.json || !process.stderr.isTTY ? null : createProgressBar('[{bar}] {value} of {total}')
  const provider = m.operator.config.providers[flags.provider]
  try {
    return await importAccounts(
      storageOf(m),
      {
        facts: {
          provider: flags.provider,
          prefix: 'membership',
          field: flags.field ?? provider?.field ?? flags.provider,
        },
        account: flags.account ?? onlyLabel(flags.provider, provider?.webhook ?? []),
        defaultRole: m.operator.config.members.roles[0] ?? 'member',
        now: () => new Date(),
      },
      folder,
      {
        write: flags.write,
        onProgress: (done, total) => bar?.show(done, total),
      },
    )
  } finally {
    bar?.clear()
  }
}

function linesOf(report: ImportReport): string[] {
  return [
    ...report.accounts.filter(({ outcome }) => outcome !== 'unchanged').map(accountLine),
    ...report.accounts.flatMap((account) =>
      account.troubles.flatMap(({ reason, action }) => [`! ${account.account}: ${reason}`, `  → ${action}`]),
    ),
    '',
    `${report.accounts.length} account${report.accounts.length === 1 ? '' : 's'}: ${report.created} ${report.written ? 'created' : 'to create'}, ${report.completed} ${report.written ? 'completed' : 'to complete'}, ${report.unchanged} unchanged, ${report.refused} left behind.`,
    ...(report.written || report.created + report.completed === 0
      ? []
      : ['Nothing was written. Run the command again with --write.']),
  ]
}

function accountLine(account: ImportedAccount): string {
  return [
    signs[account.outcome],
    account.account.padEnd(28),
    (account.email ?? '-').padEnd(28),
    account.roles.join(', '),
    account.customer ? 'customer' : '',
    account.grants > 0 ? `access to ${account.grants}` : '',
    account.password ? 'password' : '',
  ]
    .filter((word) => word !== '')
    .join('  ')
}

const signs: Record<ImportedAccount['outcome'], string> = {
  created: '+',
  completed: '~',
  unchanged: '=',
  refused: '-',
}

/** `membership members deleted` */
function deletedCommand(): Command {
  return common(
    new Command('deleted').description(
      'List deleted accounts. Keep the list beside your backups: after-restore deletes these accounts again.',
    ),
  )
    .option('--since <day>', 'since that day, such as 2026-11-01; all unless given')
    .addHelpText('after', '\nExamples:\n  membership members deleted --since 2026-11-01 > deleted.txt')
    .action(async (flags: Common & { since?: string }) => {
      const since = dayOf(flags.since)
      const rows = await withSite(flags, (m) => m.operator.deletedSince(since))
      print(
        flags,
        rows,
        rows.map(({ id, at }) => `${id}  ${at}`),
      )
    })
}

function dayOf(given: string | undefined): Date {
  const day = new Date(given ?? 0)
  if (!Number.isNaN(day.getTime())) return day
  throw new MembershipError('ERR_USAGE', `"${given}" is no day.`, { action: 'Write it as 2026-11-01.' })
}

/** `membership members audit` */
function auditCommand(): Command {
  return common(
    new Command('audit')
      .description('Show the actions of operators, newest first.')
      .argument('[member]', 'an id or an address; without it, all members'),
  )
    .option('--limit <n>', 'how many at most', countUpTo(500), 50)
    .addHelpText(
      'after',
      '\nExamples:\n  membership members audit\n  membership members audit ann@example.com --json',
    )
    .action(async (given: string | undefined, flags: Common & { limit: number }) => {
      const records = await withSite(flags, async (m) => {
        // Of a deleted member only the id is known.
        const user = given?.includes('@') ? await m.users.findByEmail(given) : null
        return m.operator.audit.list({ member: user?.id ?? given, limit: flags.limit })
      })
      print(flags, records, records.length === 0 ? ['Nothing was done.'] : columns(records.map(rowOf)))
    })
}

function rowOf({ at, by, action, member_id, subject, outcome, error, before, after }: AuditRecord): string[] {
  return [
    shortTime(at),
    by,
    action,
    member_id ?? '-',
    subject ?? '',
    outcome === 'done' ? '' : outcome === 'begun' ? 'begun, end unknown' : `failed: ${error ?? ''}`,
    [before, after].flatMap((state) => (state === null ? [] : [JSON.stringify(state)])).join(' → '),
  ]
}
