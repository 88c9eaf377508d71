import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command, CommanderError } from 'commander'
import { readEnvFile } from '../core/config/env.ts'
import { isMembershipError } from '../core/errors.ts'
import { packageFolder } from '../core/package-folder.ts'

/**
 * A command as the list of all shows it. It is loaded when it is asked for, because the libraries of the
 * others take longer than most commands.
 */
interface Entry {
  readonly description: string
  readonly load: () => Promise<Command>
}

const commands: Readonly<Record<string, Entry>> = {
  init: {
    description: 'Write the smallest site that sells into a new or existing folder. Shows the files first.',
    load: async () => (await import('./init-command.ts')).initCommand(),
  },
  add: {
    description: 'Add memberships to the project of this folder. Shows the changes first.',
    load: async () => (await import('./add-command.ts')).addCommand(),
  },
  start: {
    description: 'Start the site of this folder. Without one, start the demo.',
    load: async () => (await import('./start-command.ts')).startCommand(),
  },
  webhooks: {
    description: 'Show, retry and fetch received events.',
    load: async () => (await import('./webhooks-command.ts')).webhooksCommand(),
  },
  declarations: {
    description: 'Manage cancellations and withdrawals from the public pages.',
    load: async () => (await import('./declarations-command.ts')).declarationsCommand(),
  },
  notify: {
    description: 'Test and list the receivers of events (membership.notify).',
    load: async () => (await import('./notify-command.ts')).notifyCommand(),
  },
  outbox: {
    description:
      'Manage messages that wait for delivery: hooks, mails, events for receivers, calls to providers.',
    load: async () => (await import('./outbox-command.ts')).outboxCommand(),
  },
  migrate: {
    description: 'Migrate a v1 site to v2. Without --write, show the plan and change nothing.',
    load: async () => (await import('./migrate-command.ts')).migrateCommand(),
  },
  doctor: {
    description: 'Check a site from its folder and from outside. It starts and changes nothing.',
    load: async () => (await import('./doctor-command.ts')).doctorCommand(),
  },
  compare: {
    description:
      'Compare this site with its providers. Show who paid and has no access, and who has access and did not pay.',
    load: async () => (await import('./compare-command.ts')).compareCommand(),
  },
  providers: {
    description: 'Switch providers, and test them with your keys.',
    load: async () => (await import('./providers-command.ts')).providersCommand(),
  },
  import: {
    description: 'Import members and purchases from a provider or a CSV file. Existing ones stay.',
    load: async () => (await import('./import-command.ts')).importCommand(),
  },
  foreign: {
    description: 'List purchases of other shops that an earlier version took in, and remove them here.',
    load: async () => (await import('./foreign-command.ts')).foreignCommand(),
  },
  payments: {
    description: 'List and assign payments whose purpose the provider does not say.',
    load: async () => (await import('./payments-command.ts')).paymentsCommand(),
  },
  members: {
    description: 'Manage members.',
    load: async () => (await import('./members-command.ts')).membersCommand(),
  },
  features: {
    description: 'Show which plan opens which feature, and what each plan includes.',
    load: async () => (await import('./features-command.ts')).featuresCommand(),
  },
  feeds: {
    description: 'Manage the private addresses of a member’s feeds and files.',
    load: async () => (await import('./feeds-command.ts')).feedsCommand(),
  },
  gifts: {
    description: 'Create and revoke gift codes.',
    load: async () => (await import('./gifts-command.ts')).giftsCommand(),
  },
  prices: {
    description: 'Raise the prices of running memberships, after a notice.',
    load: async () => (await import('./prices-command.ts')).pricesCommand(),
  },
  mrr: {
    description: 'Print MRR (monthly recurring revenue) by month, with its movements.',
    load: async () => (await import('./mrr-command.ts')).mrrCommand(),
  },
  operators: {
    description: 'Manage the people who may enter the office, /membership/office.',
    load: async () => (await import('./operators-command.ts')).operatorsCommand(),
  },
  backup: {
    description: 'Copy the SQLite database into one file. The site keeps running.',
    load: async () => (await import('./backup-commands.ts')).backupCommand(),
  },
  restore: {
    description: 'Restore a copy of the SQLite database, and run after-restore on it.',
    load: async () => (await import('./backup-commands.ts')).restoreCommand(),
  },
  'after-restore': {
    description:
      'Make a restored copy of the database safe before the site starts. It ends sessions and links, repeats deletions, and sends no old mails.',
    load: async () => (await import('./backup-commands.ts')).afterRestoreCommand(),
  },
  partners: {
    description: 'Manage the partners of the website index.',
    load: async () => (await import('./partners-command.ts')).partnersCommand(),
  },
  keys: {
    description: 'Manage the API keys of partners.',
    load: async () => (await import('./keys-command.ts')).keysCommand(),
  },
  reports: {
    description: 'Manage the websites of the index.',
    load: async () => (await import('./reports-command.ts')).reportsCommand(),
  },
  crawl: {
    description: 'Visit listed websites again, and new ones.',
    load: async () => (await import('./crawl-command.ts')).crawlCommand(),
  },
  detect: {
    description: 'Visit a website and say if it runs the system of the index. Nothing is stored.',
    load: async () => (await import('./detect-command.ts')).detectCommand(),
  },
}

export const commandNames: readonly string[] = Object.keys(commands)

/** Loads one command with its subcommands. */
export async function loadCommand(name: string): Promise<Command> {
  return throwing(await load(commands[name]!))
}

/**
 * Runs `membership` with these arguments in the current folder. Errors are printed and set
 * `process.exitCode`.
 */
export async function runCli(args: readonly string[]): Promise<void> {
  try {
    const [name = ''] = args
    readEnvFile(process.cwd())
    const program = createProgram()
    // `membership help members` asks for one, too.
    const asked = name === 'help' ? args[1] : name
    for (const [known, entry] of Object.entries(commands))
      program.addCommand(known === asked ? await load(entry) : listed(known, entry))
    await throwing(program).parseAsync(args, { from: 'user' })
  } catch (error) {
    process.exitCode = reported(error, args)
  }
}

async function load({ description, load }: Entry): Promise<Command> {
  return (await load()).description(description)
}

function listed(name: string, { description }: Entry): Command {
  return new Command(name).description(description)
}

function createProgram(): Command {
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
      '\nExamples:\n  membership init\n  membership add\n  membership start\n  membership webhooks list --failed\n  membership webhooks send event.json --provider stripe\n  membership outbox list --dead\n  membership migrate ../site\n  membership reports relink websites.txt --partner index@acme.example\n  membership crawl run',
    )
}

/** Makes commander throw its own errors after printing them, instead of ending the process at once. */
function throwing(command: Command): Command {
  fitHelp(command).exitOverride()
  for (const below of command.commands) throwing(below)
  return command
}

// Default width of a terminal.
const width = 80

/**
 * Fits the help of a command into 80 columns: prose is wrapped, and long examples continue on the next line.
 */
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

/**
 * Prints an error: for people on standard error, and with --json also for programs, as one line of standard
 * output. That line is the last one where some of a list was printed before. Returns the exit code.
 */
function reported(error: unknown, args: readonly string[]): number {
  const isUsage = error instanceof CommanderError
  // Help and version are no errors.
  if (isUsage && error.exitCode === 0) return 0
  if (isMembershipError(error))
    console.error(`${error.message}${error.action ? `\n→ ${error.action}` : ''}\n(${error.code})`)
  else if (!isUsage) console.error(error)
  if (isForPrograms(args)) console.log(JSON.stringify({ error: toJson(error) }))
  return isUsage ? error.exitCode : 1
}

function isForPrograms(args: readonly string[]): boolean {
  const end = args.indexOf('--')
  const flags = end === -1 ? args : args.slice(0, end)
  return flags.some(
    (flag, i) =>
      flag === '--json' || flag === '--format=json' || (flag === '--format' && flags[i + 1] === 'json'),
  )
}

function toJson(error: unknown): { code: string; message: string; action: string | null } {
  if (isMembershipError(error))
    return { code: error.code, message: error.message, action: error.action ?? null }
  const message = error instanceof Error ? error.message : String(error)
  return error instanceof CommanderError
    ? { code: 'ERR_USAGE', message: message.replace(/^error: /, ''), action: 'See the flags: add --help.' }
    : { code: 'ERR_UNEXPECTED', message, action: null }
}
