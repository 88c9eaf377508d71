import { basename } from 'node:path'
import { Command, Option } from 'commander'
import { MembershipError } from '../core/errors.ts'
import type { RollbackReport, WriteReport } from '../migrate/index.ts'
import {
  type AddAnswers,
  type AddHost,
  type AddPlan,
  addHosts,
  type Left,
  planAdd,
  undoAdd,
  writeAdd,
} from '../site/add/index.ts'
import { databases, mailWays, siteDiff } from '../site/init/index.ts'
import { nextLines, packagesOf, sellingProviders } from './init-command.ts'
import { counted, plain, print } from './output.ts'
import { nameUncommitted } from './uncommitted.ts'

interface Flags extends Omit<AddAnswers, 'packages'> {
  readonly host?: AddHost
  readonly write?: boolean
  readonly rollback?: boolean
  readonly json?: boolean
}

/** `membership add` */
export function addCommand(): Command {
  return new Command('add')
    .argument('[folder]', 'the folder of the project', '.')
    .addOption(new Option('--host <host>', 'the framework, if its packages do not tell').choices(addHosts))
    .option('--entry <file>', 'the file that makes the application, if several do')
    .addOption(
      new Option('--provider <provider>', 'the payment provider; with sandbox no money moves')
        .choices(sellingProviders)
        .default('sandbox'),
    )
    .addOption(new Option('--database <database>', 'the database').choices(databases).default('sqlite'))
    .addOption(
      new Option('--mails <way>', 'how mails are sent: printed to the log, by SMTP, or not at all')
        .choices(mailWays)
        .default('log'),
    )
    .option('--write', 'write the files, with a journal; without it nothing is changed')
    .option('--rollback', 'take out what was written; your own changes since then stay')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  membership add                        show what would change here\n  membership add --write                do it\n  membership add --rollback             take it out again\n  membership add ../shop --entry src/app.ts --provider stripe --mails smtp\n  membership add --json                 for machines',
    )
    .action(run)
}

async function run(folder: string, flags: Flags): Promise<void> {
  if (flags.write && flags.rollback)
    throw new MembershipError('ERR_USAGE', '--write and --rollback do not go together.', {
      action: 'Run one after the other.',
    })
  if (flags.rollback) return undone(await undoAdd(folder), flags)
  const plan = planAdd(folder, { ...flags, packages: await packagesOf(flags.provider) })
  await nameUncommitted(folder, "this command's changes")
  const written = flags.write ? await writeAdd(plan, () => new Date()) : null
  if ((written?.kept.length ?? 0) > 0) process.exitCode = 2
  if (flags.json) return machine(plan, written)
  console.log(shown(folder, plan, written).join('\n'))
}

function machine(plan: AddPlan, written: WriteReport | null): void {
  const { root, host, packageManager, left, notes, variables, placeholders, commands, address } = plan
  print(
    { json: true },
    {
      folder: root,
      host,
      package_manager: packageManager,
      written: written !== null,
      files: plan.files.map(({ path, before }) => ({ path, is_new: before === null })),
      copied: plan.copied === null ? null : basename(plan.copied),
      kept: written?.kept ?? [],
      left,
      notes,
      variables,
      placeholders,
      commands,
      address,
    },
    [],
  )
}

function shown(folder: string, plan: AddPlan, written: WriteReport | null): string[] {
  return [
    `${plan.host}, ${plan.packageManager}`,
    '',
    ...(written === null
      ? [siteDiff(plan.files)]
      : [`${counted(written.written.length, 'file')} written. The files as they were: ${written.backup}`]),
    ...(written?.kept ?? []).map(({ file, reason }) => `Left as it is: ${file}, because ${reason}.`),
    ...(plan.copied === null ? [] : [`Copied: ${basename(plan.copied)}`]),
    ...plan.notes,
    ...plan.left.flatMap(leftLines),
    ...(written === null
      ? ['Nothing was written. To write it: membership add --write']
      : [
          nextLines(folder, plan),
          '',
          `To take it out again: membership add${folder === '.' ? '' : ` ${folder}`} --rollback`,
        ]),
  ]
}

function leftLines({ file, line, reason, text }: Left): string[] {
  return [
    plain(`For you to write: ${file}${line === null ? '' : `:${line}`}`),
    `  ${plain(reason)}`,
    ...text.split('\n').map((words) => plain(`    ${words}`)),
    '',
  ]
}

function undone(report: RollbackReport, flags: Flags): void {
  const { restored, merged, untouched, kept } = report
  if (kept.length > 0) process.exitCode = 2
  print(flags, { ...report }, [
    `${counted(restored.length, 'file')} as before.`,
    ...merged.map((file) => `Taken out, and your changes kept: ${file}`),
    ...untouched.map((file) => `Was not reached: ${file}`),
    ...kept.map(
      ({ file, reason, original }) =>
        `Left to you: ${file}, because ${reason}.${original === '' ? ' Delete it, if you do not need it.' : ` Before: ${original}`}`,
    ),
  ])
}
