#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { isMembershipError } from '../core/errors.ts'
import { packageFolder } from '../core/pages/index.ts'

const { version } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')) as {
  version: string
}

const program = new Command('membership')
  .description(
    'Memberships for TypeScript sites: start the demo, look after received events and the website index, migrate a v1 site.',
  )
  .version(version)
  .showHelpAfterError('(see: membership --help)')
  .addHelpText(
    'after',
    '\nExamples:\n  membership start\n  membership webhooks list --failed\n  membership webhooks send event.json --provider stripe\n  membership outbox list --dead\n  membership migrate ../site\n  membership reports relink websites.txt --partner index@acme.example\n  membership crawl run',
  )

// Only the command that is asked for is loaded: the others' libraries cost more time than most commands.
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  start: async () => (await import('./start.ts')).startCommand(),
  webhooks: async () => (await import('./webhooks.ts')).webhooksCommand(),
  outbox: async () => (await import('./outbox.ts')).outboxCommand(),
  migrate: async () => (await import('./migrate.ts')).migrateCommand(),
  doctor: async () => (await import('./doctor.ts')).doctorCommand(),
  compare: async () => (await import('./compare.ts')).compareCommand(),
  providers: async () => (await import('./providers.ts')).providersCommand(),
  import: async () => (await import('./import.ts')).importCommand(),
  payments: async () => (await import('./payments.ts')).paymentsCommand(),
  members: async () => (await import('./members.ts')).membersCommand(),
  partners: async () => (await import('./partners.ts')).partnersCommand(),
  keys: async () => (await import('./keys.ts')).keysCommand(),
  reports: async () => (await import('./reports.ts')).reportsCommand(),
  crawl: async () => (await import('./crawl.ts')).crawlCommand(),
  detect: async () => (await import('./detect.ts')).detectCommand(),
}

const run = async (): Promise<void> => {
  const name = process.argv[2] ?? ''
  const asked = Object.hasOwn(commands, name) ? commands[name] : undefined
  for (const load of asked ? [asked] : Object.values(commands)) program.addCommand(await load())
  await program.parseAsync()
}

run().catch((error: unknown) => {
  if (isMembershipError(error)) {
    console.error(`${error.message}${error.action ? `\n→ ${error.action}` : ''}\n(${error.code})`)
  } else console.error(error)
  process.exitCode = 1
})
