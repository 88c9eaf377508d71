#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { isMembershipError } from '../errors.ts'
import { packageFolder } from '../pages/index.ts'
import { crawlCommand } from './crawl.ts'
import { detectCommand } from './detect.ts'
import { doctorCommand } from './doctor.ts'
import { keysCommand } from './keys.ts'
import { membersCommand } from './members.ts'
import { migrateCommand } from './migrate.ts'
import { outboxCommand } from './outbox.ts'
import { partnersCommand } from './partners.ts'
import { reportsCommand } from './reports.ts'
import { startCommand } from './start.ts'
import { webhooksCommand } from './webhooks.ts'

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
  .addCommand(startCommand())
  .addCommand(webhooksCommand())
  .addCommand(outboxCommand())
  .addCommand(migrateCommand())
  .addCommand(doctorCommand())
  .addCommand(membersCommand())
  .addCommand(partnersCommand())
  .addCommand(keysCommand())
  .addCommand(reportsCommand())
  .addCommand(crawlCommand())
  .addCommand(detectCommand())

program.parseAsync().catch((error: unknown) => {
  if (isMembershipError(error)) {
    console.error(`${error.message}${error.action ? `\n→ ${error.action}` : ''}\n(${error.code})`)
  } else console.error(error)
  process.exitCode = 1
})
