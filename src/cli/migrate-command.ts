import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Command } from 'commander'
import { MembershipError } from '../core/errors.ts'
import { documentRoot, isDone, migrateSite, type Part, type Plan, parts, planSite } from '../migrate/index.ts'
import { planDiff, planHtml, planJson, planText, rollbackText, writeText } from '../migrate/report/index.ts'
import { type Source, toSource } from '../migrate/source.ts'
import { bringThemBack } from './migrate-back.ts'
import { freeze } from './migrate-freeze.ts'
import { prove } from './migrate-prove.ts'
import { createSteps, noSteps } from './progress-bar.ts'
import { nameUncommitted } from './uncommitted.ts'

interface Flags {
  write?: boolean
  dryRun?: boolean
  rollback?: boolean
  check?: boolean
  diff?: boolean
  html?: string
  json?: boolean
  only?: string
  provider?: string
  prefix: string
  accessor?: string
  renameEnv?: boolean
  backup?: string
  prove?: boolean
  field?: string
  accept?: string
  ask?: boolean
  config?: string
  account?: string
  freeze?: boolean
  unfreeze?: boolean
  bringBack?: boolean
  byHand?: string
}

/** `membership migrate [folder]` */
export function migrateCommand(): Command {
  return new Command('migrate')
    .argument('[folder]', 'the folder of the site', '.')
    .option('--write', 'apply the plan, with a journal and backups')
    .option('--dry-run', 'show the plan and change nothing: the default')
    .option('--rollback', 'take back what was written; what came in since stays')
    .option('--check', 'exit with 2 when work is left or something could not be proven')
    .option(
      '--prove',
      'say for every account what it opens now and will open; exit with 2 where that differs',
    )
    .option('--field <name>', 'with --prove: the field of the accounts that holds the provider’s data')
    .option('--accept <kinds>', 'with --prove: differences that are wanted, such as trial-opens')
    .option(
      '--ask',
      'with --prove: take what the provider says now in place of what the accounts keep; with the key in the configuration of this folder',
    )
    .option(
      '-c, --config <file>',
      'with --ask and --bring-back: file in place of membership.config.* and config/membership.*',
    )
    .option('--account <label>', 'with --ask: label of the webhook secret, where the provider has several')
    .option('--freeze', 'show how version 1 would answer webhooks with 503; with --write, do it')
    .option('--unfreeze', 'take that out again')
    .option(
      '--bring-back',
      'after --rollback: show what was bought in version 2; with --write, write it into the accounts of version 1',
    )
    .option('--by-hand <file>', 'with --bring-back: write what is left to do by hand, as CSV or JSON')
    .option('--diff', 'show the lines that change')
    .option('--html <file>', 'write the plan as a page, before and after side by side')
    .option('--json', 'print JSON')
    .option('--only <parts>', `only these: ${parts.join(',')}`)
    .option('--provider <key>', 'the provider that v1 had, where its configuration does not tell')
    .option('--prefix <key>', 'what the configuration keys begin with', 'membership')
    .option('--accessor <name>', "the function that templates call: the prefix's last segment")
    .option('--rename-env', 'rename environment variables that follow old keys')
    .option('--backup <folder>', 'where journals and backups are kept, outside of what the web server shows')
    .addHelpText(
      'after',
      '\nExamples:\n  membership migrate ../site                       show what would change\n  membership migrate ../site --diff                … line by line\n  membership migrate ../site --html plan.html      … as a page\n  membership migrate ../site --write               do it\n  membership migrate ../site --rollback            take it back\n  membership migrate ../site --check --json        for machines',
    )
    .action(run)
}

async function run(folder: string, flags: Flags): Promise<void> {
  checkFlags(flags)
  if (flags.write && !flags.freeze) await nameUncommitted(folder, "the migration's changes")
  if (flags.freeze || flags.unfreeze)
    return freeze(folder, { ...flags, provider: await providerOf(folder, flags) })
  if (flags.dryRun) console.error('--dry-run is the default: nothing is changed without --write.')
  const bar = flags.json ? noSteps : createSteps()
  if (flags.prove) {
    const provider = await providerOf(folder, flags)
    return prove(folder, { ...flags, provider }, bar.show).finally(bar.stop)
  }
  if (flags.bringBack) {
    const provider = await providerOf(folder, flags)
    return bringThemBack(folder, { ...flags, provider }, bar.show).finally(bar.stop)
  }
  const migration = await migrateSite(folder, {
    ...(flags.only === undefined ? {} : { only: toParts(flags.only) }),
    ...(flags.provider === undefined ? {} : { provider: flags.provider }),
    prefix: flags.prefix,
    ...(flags.accessor === undefined ? {} : { accessor: flags.accessor }),
    renameEnv: flags.renameEnv === true,
    write: flags.write === true,
    rollback: flags.rollback === true,
    ...(flags.backup === undefined ? {} : { backup: flags.backup }),
    onProgress: bar.show,
  }).finally(bar.stop)
  const { plan, written, rolledBack } = migration
  // A folder without a site has nothing to migrate, but that must not look like success.
  if (plan?.files === 0)
    throw new MembershipError(
      'ERR_USAGE',
      `There is no site in ${plan.root}: nothing to look at was found.`,
      {
        action: 'Name the folder of the site: membership migrate path/to/site',
      },
    )
  if (flags.json)
    console.log(JSON.stringify({ ...(plan ? planJson(plan) : {}), written, rolledBack }, null, 2))
  else if (rolledBack) console.log(rollbackText(rolledBack))
  else if (plan) show(plan, folder, flags)
  if (written && !flags.json) console.log(`\n${writeText(written, folder)}`)
  if (plan && flags.html !== undefined) writePage(plan, flags.html)
  const isLeft = flags.check === true && plan !== null && !isDone(plan)
  if (isLeft || (written?.kept.length ?? 0) > 0 || (rolledBack?.kept.length ?? 0) > 0) process.exitCode = 2
}

/** Returns the provider that the flag names, else the one in the site's configuration. */
async function providerOf(folder: string, { provider, prefix }: Flags): Promise<string> {
  return provider ?? (await planSite(folder, { only: ['config'], prefix })).facts.provider
}

function show(plan: Plan, folder: string, flags: Flags): void {
  if (flags.diff) for (const text of planDiff(plan, readerOf(plan))) process.stdout.write(text)
  const color = process.stdout.isTTY === true && !process.env.NO_COLOR
  if (!flags.diff) console.log(planText(plan, { color, folder, isWritten: flags.write === true }))
}

function readerOf(plan: Plan) {
  return (file: string): Source => {
    const source = toSource(file, readFileSync(join(plan.root, file)))
    if (typeof source === 'string') throw new TypeError(`${file} was text a moment ago`)
    return source
  }
}

function writePage(plan: Plan, file: string): void {
  const path = resolve(file)
  const shown = documentRoot(plan.root)
  if (shown !== null && path.startsWith(`${shown}/`))
    throw new MembershipError('ERR_USAGE', `The web server would show ${file} to everybody.`, {
      action: 'Name a file outside of the document root.',
    })
  if (existsSync(path) && !readFileSync(path, 'utf8').includes('<title>Migration plan</title>'))
    throw new MembershipError('ERR_USAGE', `${file} is there already, and is no migration plan.`, {
      action: 'Name another file.',
    })
  writeFileSync(path, planHtml(plan, readerOf(plan)), { mode: 0o600 })
  console.error(`The plan as a page: ${path}`)
}

function checkFlags(flags: Flags): void {
  if (flags.ask && !flags.prove)
    throw new MembershipError('ERR_USAGE', '--ask is for --prove.', {
      action: 'membership migrate my-site --prove --ask',
    })
  for (const [a, b, names] of contradictionsOf(flags))
    if (a && b)
      throw new MembershipError('ERR_USAGE', `${names} do not go together.`, {
        action: 'Run one after the other.',
      })
}

/** Returns pairs of flags that contradict each other. */
function contradictionsOf(
  flags: Flags,
): [boolean | string | undefined, boolean | string | undefined, string][] {
  return [
    [flags.dryRun, flags.write ?? flags.rollback, '--dry-run and --write or --rollback'],
    [flags.write, flags.rollback, '--write and --rollback'],
    [flags.write, flags.check, '--write and --check'],
    [flags.write, flags.diff ?? flags.html, '--write and --diff or --html'],
    [
      flags.rollback,
      flags.check ?? flags.diff ?? flags.html ?? flags.only,
      '--rollback and --check, --diff, --html or --only',
    ],
    [flags.json, flags.diff, '--json and --diff'],
    [
      flags.bringBack,
      flags.prove ??
        flags.freeze ??
        flags.unfreeze ??
        flags.rollback ??
        flags.check ??
        flags.diff ??
        flags.html,
      '--bring-back and --prove, --freeze, --unfreeze, --rollback, --check, --diff or --html',
    ],
    [
      flags.prove ?? flags.unfreeze,
      flags.write ?? flags.freeze,
      '--prove or --unfreeze and --write or --freeze',
    ],
    [
      flags.prove ?? flags.freeze ?? flags.unfreeze,
      flags.rollback ?? flags.check ?? flags.diff ?? flags.html,
      '--prove, --freeze or --unfreeze and --rollback, --check, --diff or --html',
    ],
  ]
}

function toParts(text: string): Part[] {
  return text.split(',').map((name) => {
    const part = parts.find((candidate) => candidate === name.trim())
    if (part) return part
    throw new MembershipError('ERR_USAGE', `"${name}" is no part of a migration.`, {
      action: `Use one or more of: ${parts.join(',')}`,
    })
  })
}
