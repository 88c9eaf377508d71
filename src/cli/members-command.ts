import { SingleBar } from 'cli-progress'
import { Command } from 'commander'
import type { ImportedAccount, ImportReport } from '../migrate/accounts/index.ts'
import { legacyProvider } from '../migrate/legacy-provider.ts'
import type { Membership } from '../site/membership.ts'
import {
  cancelCommand,
  emailCommand,
  grantCommand,
  loginLinkCommand,
  refundCommand,
  revokeCommand,
} from './members-deeds.ts'
import { deletedCommand } from './members-deleted.ts'
import { logCommand } from './members-log.ts'
import { findCommand, listCommand, showCommand } from './members-look.ts'
import { mergeCommand, unmergeCommand } from './members-merge.ts'
import { onlyLabel } from './provider-label.ts'
import { type Common, common, print, withSite } from './site.ts'

interface ImportFlags extends Common {
  write?: boolean
  provider: string
  field?: string
  account?: string
}

/** `membership members …` */
export const membersCommand = (): Command =>
  new Command('members')
    .description('Look after members.')
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
    .addCommand(cancelCommand())
    .addCommand(refundCommand())
    .addCommand(loginLinkCommand())
    .addCommand(mergeCommand())
    .addCommand(unmergeCommand())
    .addCommand(logCommand())
    .addCommand(deletedCommand())

const importCommand = (): Command =>
  common(
    new Command('import')
      .description(
        'Bring the accounts of version 1 into the member store; shows what would be done without --write.',
      )
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

const importInto = async (m: Membership, folder: string, flags: ImportFlags): Promise<ImportReport> => {
  // The other commands about members need none of the migration's parsers.
  const { importAccounts } = await import('../migrate/accounts/index.ts')
  const bar =
    flags.json || !process.stderr.isTTY
      ? null
      : new SingleBar({ stream: process.stderr, format: '  {bar} {value} of {total}' })
  const provider = m.config.providers[flags.provider]
  try {
    return await importAccounts(
      m.storage,
      {
        facts: {
          provider: flags.provider,
          prefix: 'membership',
          field: flags.field ?? provider?.field ?? flags.provider,
        },
        account: flags.account ?? onlyLabel(flags.provider, provider?.webhook ?? []),
        defaultRole: m.config.members.roles[0] ?? 'member',
        now: () => new Date(),
      },
      folder,
      {
        write: flags.write,
        onProgress: (done, total) => {
          if (bar?.isActive) bar.update(done)
          else bar?.start(total, done)
        },
      },
    )
  } finally {
    bar?.stop()
  }
}

const linesOf = (report: ImportReport): string[] => [
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

const accountLine = (account: ImportedAccount): string =>
  [
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

const signs: Record<ImportedAccount['outcome'], string> = {
  created: '+',
  completed: '~',
  unchanged: '=',
  refused: '-',
}
