import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Command, InvalidArgumentError, Option } from 'commander'
import { MembershipError } from '../core/errors.ts'
import { packageFolder } from '../core/package-folder.ts'
import { providers } from '../providers/index.ts'
import {
  databases,
  hostAmong,
  hosts,
  type InitAnswers,
  isDomain,
  mailWays,
  planDeployment,
  planSite,
  type SitePlan,
  siteDiff,
  writeSite,
} from '../site/init/index.ts'
import { askForSite, askToWrite } from './init-questions.ts'
import { print } from './output.ts'

interface InitFlags extends Partial<Omit<InitAnswers, 'index'>> {
  readonly index?: string
  readonly deploy?: string
  readonly yes?: boolean
  readonly overwrite?: boolean
  readonly json?: boolean
}

/** Keys of the providers that can sell. */
export const sellingProviders = providers.filter(({ sells }) => sells !== false).map(({ key }) => key)

/** `membership init` */
export function initCommand(): Command {
  return new Command('init')
    .argument('[folder]', 'the site’s folder', '.')
    .addOption(new Option('--host <host>', 'the framework that serves the site').choices(hosts))
    .addOption(new Option('--database <database>', 'the database').choices(databases))
    .addOption(
      new Option('--provider <provider>', 'the payment provider; with sandbox no money moves').choices(
        sellingProviders,
      ),
    )
    .addOption(
      new Option('--mails <way>', 'how mails are sent: printed to the log, by SMTP, or not at all').choices(
        mailWays,
      ),
    )
    .addOption(
      new Option('--index <system>', 'list websites of this system, for partners').choices([
        'none',
        ...systems(),
      ]),
    )
    .option(
      '--deploy <domain>',
      'also write the files for one server: Dockerfile, systemd unit, Caddyfile, backup and restore. In the folder of a site, write only these',
      domainOf,
    )
    .option('-y, --yes', 'ask nothing and write the files. Defaults: koa, sqlite, sandbox, log, none')
    .option('--overwrite', 'replace existing files that differ')
    .option('--json', 'print JSON; with --yes, also write the files')
    .addHelpText(
      'after',
      '\nExamples:\n  membership init\n  membership init my-site --host express --yes' +
        '\n  membership init --host next --database postgres --provider stripe --mails smtp --yes' +
        '\n  membership init --host hono --json' +
        '\n  membership init my-site --deploy example.com --yes',
    )
    .action(async (folder: string, flags: InitFlags) => {
      const at = resolve(folder)
      const mayAsk = !flags.yes && !flags.json && process.stdin.isTTY === true
      const given = withoutNone(flags)
      const added = flags.deploy === undefined ? null : planDeployment(at, flags.deploy, given)
      if (added !== null) return carryOut(folder, added, flags)
      const answers = mayAsk
        ? await askForSite(given, { ...standard, ...found(at) }, choices())
        : { ...standard, ...found(at), ...given }
      if (answers === null) return stopped()
      return carryOut(
        folder,
        planSite(at, answers, await packagesOf(answers.provider), flags.deploy ?? null),
        flags,
      )
    })
}

/** Shows the plan, and writes it if that is wanted. */
async function carryOut(folder: string, plan: SitePlan, flags: InitFlags): Promise<void> {
  const at = resolve(folder)
  refuseConflicts(plan, flags)
  if (flags.json) return machine(at, plan, flags)
  console.log(plan.files.length === 0 ? 'Everything is there already.\n' : siteDiff(plan.files))
  if (plan.files.length === 0) return console.log(nextLines(folder, plan))
  if (!flags.yes && process.stdin.isTTY !== true)
    return console.log('Nothing was written. To write it: --yes')
  if (!flags.yes && !(await askToWrite(plan.files.length, at))) return stopped()
  writeSite(at, plan.files, plan.copies)
  console.log(nextLines(folder, plan))
}

function domainOf(text: string): string {
  const domain = text.toLowerCase()
  if (isDomain(domain)) return domain
  throw new InvalidArgumentError('Give the domain of the site, such as example.com.')
}

const standard: InitAnswers = {
  host: 'koa',
  database: 'sqlite',
  provider: 'sandbox',
  mails: 'log',
  index: null,
}

function systems(): string[] {
  return readdirSync(join(packageFolder(), 'config', 'fingerprints'))
    .filter((name) => name.endsWith('.yml'))
    .map((name) => name.slice(0, -'.yml'.length))
}

function choices() {
  return { hosts, databases, providers: sellingProviders, mails: mailWays, systems: systems() }
}

function withoutNone({ host, database, provider, mails, index }: InitFlags): Partial<InitAnswers> {
  return Object.fromEntries(
    Object.entries({ host, database, provider, mails, index: index === 'none' ? null : index }).filter(
      ([, value]) => value !== undefined,
    ),
  )
}

/** Reads from the folder what the questions would ask. */
function found(folder: string): Partial<InitAnswers> {
  const file = join(folder, 'package.json')
  const host = existsSync(file) ? hostAmong(readFileSync(file, 'utf8')) : null
  return host === null ? {} : { host }
}

/** Returns the packages that a provider needs besides ours. */
export async function packagesOf(provider: string): Promise<string[]> {
  const { needs } = await providers.find(({ key }) => key === provider)!.load()
  return needs === undefined ? [] : [needs]
}

function refuseConflicts({ conflicts }: SitePlan, { overwrite }: InitFlags): void {
  if (conflicts.length === 0 || overwrite) return
  throw new MembershipError(
    'ERR_USAGE',
    `These files are there with something else in them: ${conflicts.join(', ')}. Nothing was written.`,
    { action: 'Choose another folder, move them away, or replace them: --overwrite' },
  )
}

function machine(folder: string, plan: SitePlan, { yes = false }: InitFlags): void {
  if (yes) writeSite(folder, plan.files, plan.copies)
  const files = plan.files.map(({ path, before }) => ({ path, is_new: before === null }))
  const { variables, placeholders, commands, address } = plan
  print({ json: true }, { folder, written: yes, files, variables, placeholders, commands, address }, [])
}

/** Returns what to do after the files are written. */
export function nextLines(
  folder: string,
  {
    variables,
    config,
    placeholders,
    commands,
    address,
  }: Pick<SitePlan, 'variables' | 'config' | 'placeholders' | 'commands' | 'address'>,
): string {
  return [
    ...(variables.length > 0 ? [`Fill in .env: ${variables.join(', ')}`] : []),
    ...(placeholders.length > 0
      ? [`Name your own prices in ${config}, in place of: ${placeholders.join(', ')}`]
      : []),
    ...(variables.length + placeholders.length > 0 ? [''] : []),
    'Then:',
    ...(folder === '.' ? [] : [`  cd ${folder}`]),
    ...commands.map((command) => `  ${command}`),
    '',
    'and open',
    address,
  ].join('\n')
}

function stopped(): void {
  console.log('Nothing was written.')
  process.exitCode = 1
}
