import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command, CommanderError } from 'commander'
import { readEnvFile } from '../core/config/env.ts'
import { isMembershipError } from '../core/errors.ts'
import { packageFolder } from '../core/pages/index.ts'

// Only the requested command is loaded: the libraries of the others take longer than most commands.
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  init: async () => (await import('./init-command.ts')).initCommand(),
  start: async () => (await import('./start-command.ts')).startCommand(),
  webhooks: async () => (await import('./webhooks-command.ts')).webhooksCommand(),
  declarations: async () => (await import('./declarations-command.ts')).declarationsCommand(),
  notify: async () => (await import('./notify-command.ts')).notifyCommand(),
  outbox: async () => (await import('./outbox-command.ts')).outboxCommand(),
  migrate: async () => (await import('./migrate-command.ts')).migrateCommand(),
  doctor: async () => (await import('./doctor-command.ts')).doctorCommand(),
  compare: async () => (await import('./compare-command.ts')).compareCommand(),
  providers: async () => (await import('./providers-command.ts')).providersCommand(),
  import: async () => (await import('./import-command.ts')).importCommand(),
  payments: async () => (await import('./payments-command.ts')).paymentsCommand(),
  members: async () => (await import('./members-command.ts')).membersCommand(),
  features: async () => (await import('./features-command.ts')).featuresCommand(),
  feeds: async () => (await import('./feeds-command.ts')).feedsCommand(),
  gifts: async () => (await import('./gifts-command.ts')).giftsCommand(),
  prices: async () => (await import('./prices-command.ts')).pricesCommand(),
  mrr: async () => (await import('./mrr-command.ts')).mrrCommand(),
  operators: async () => (await import('./operators-command.ts')).operatorsCommand(),
  backup: async () => (await import('./backup-commands.ts')).backupCommand(),
  restore: async () => (await import('./backup-commands.ts')).restoreCommand(),
  'after-restore': async () => (await import('./backup-commands.ts')).afterRestoreCommand(),
  partners: async () => (await import('./partners-command.ts')).partnersCommand(),
  keys: async () => (await import('./keys-command.ts')).keysCommand(),
  reports: async () => (await import('./reports-command.ts')).reportsCommand(),
  crawl: async () => (await import('./crawl-command.ts')).crawlCommand(),
  detect: async () => (await import('./detect-command.ts')).detectCommand(),
}

export const commandNames: readonly string[] = Object.keys(commands)

/** Loads one command with its subcommands. */
export async function loadCommand(name: string): Promise<Command> {
  return throwing(await commands[name]!())
}

/** Runs `membership` with these arguments in the current folder. Errors are printed and set
 *  `process.exitCode`. */
export const runCli = async (args: readonly string[]): Promise<void> => {
  try {
    const [name = ''] = args
    readEnvFile(process.cwd())
    const program = createProgram()
    const asked = Object.hasOwn(commands, name) ? commands[name] : undefined
    for (const load of asked ? [asked] : Object.values(commands)) program.addCommand(await load())
    await throwing(program).parseAsync(args, { from: 'user' })
  } catch (error) {
    process.exitCode = reported(error, args)
  }
}

const createProgram = (): Command => {
  const { version } = JSON.parse(readFileSync(join(packageFolder(), 'package.json'), 'utf8')) as {
    version: string
  }
  return new Command('membership')
    .description(
      'Memberships for TypeScript sites: start a site or the demo, manage members and received events, migrate a v1 site.',
    )
    .version(version)
    .showHelpAfterError('(see: membership --help)')
    .addHelpText(
      'after',
      '\nExamples:\n  membership init\n  membership start\n  membership webhooks list --failed\n  membership webhooks send event.json --provider stripe\n  membership outbox list --dead\n  membership migrate ../site\n  membership reports relink websites.txt --partner index@acme.example\n  membership crawl run',
    )
}

/** Makes commander throw its own errors after printing them, instead of ending the process at once. */
const throwing = (command: Command): Command => {
  fitHelp(command).exitOverride()
  for (const below of command.commands) throwing(below)
  return command
}

// Default width of a terminal.
const width = 80

/** Fits the help of a command into 80 columns: prose is wrapped, and long examples continue on the next
 *  line. */
function fitHelp(command: Command): Command {
  command.configureHelp({ helpWidth: width, minWidthToWrap: 20 })
  command.configureOutput({ writeOut: (text) => process.stdout.write(fitted(command, text)) })
  return command
}

/** Wraps a help text at 80 columns. */
export function fitted(command: Command, text: string): string {
  const help = command.createHelp()
  // Lines that follow each other without an indent form one paragraph.
  const flowing = text.replace(/^([^\s].*)\n(?=[^\s])/gm, '$1 ')
  return flowing
    .split('\n')
    .map((line) => {
      if (line.length <= width) return line
      if (!line.startsWith('  ')) return help.boxWrap(line, width)
      const [first = '', ...rest] = help.boxWrap(line.trim(), width - 6).split('\n')
      return [`  ${first}`, ...rest.map((part) => `    ${part}`)].join(' \\\n')
    })
    .join('\n')
}

/** Prints an error: for people on standard error, and with --json also for programs, as one line of standard output.
 *  That line is the last one where some of a list was printed before. Returns the exit code. */
const reported = (error: unknown, args: readonly string[]): number => {
  const isUsage = error instanceof CommanderError
  // Help and version are no errors.
  if (isUsage && error.exitCode === 0) return 0
  if (isMembershipError(error))
    console.error(`${error.message}${error.action ? `\n→ ${error.action}` : ''}\n(${error.code})`)
  else if (!isUsage) console.error(error)
  if (isForPrograms(args)) console.log(JSON.stringify({ error: toJson(error) }))
  return isUsage ? error.exitCode : 1
}

const isForPrograms = (args: readonly string[]): boolean => {
  const end = args.indexOf('--')
  const flags = end === -1 ? args : args.slice(0, end)
  return flags.some(
    (flag, i) =>
      flag === '--json' || flag === '--format=json' || (flag === '--format' && flags[i + 1] === 'json'),
  )
}

const toJson = (error: unknown): { code: string; message: string; action: string | null } => {
  if (isMembershipError(error))
    return { code: error.code, message: error.message, action: error.action ?? null }
  const message = error instanceof Error ? error.message : String(error)
  return error instanceof CommanderError
    ? { code: 'ERR_USAGE', message: message.replace(/^error: /, ''), action: 'See the flags: add --help.' }
    : { code: 'ERR_UNEXPECTED', message, action: null }
}
