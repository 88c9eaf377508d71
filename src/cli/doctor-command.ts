import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { styleText } from 'node:util'
import { Command } from 'commander'
import { readEnvFile } from '../core/config/env.ts'
import type { AccessComparison } from '../site/assembly/access-comparison.ts'
import { hasOwnConfig } from '../site/config-in-code.ts'
import { type Check, type Diagnosis, examine } from '../site/doctor/index.ts'
import type { LeakOptions, LeakReport } from '../site/doctor/leaks.ts'
import type { SiteInput } from '../site/doctor/site.ts'
import type { MembershipOptions } from '../site/options.ts'
import { siteOptions } from '../site/runtime/start.ts'
import { plain } from './output.ts'
import { withSite } from './site.ts'

interface Flags {
  url?: string
  provider?: string
  prefix: string
  accessor?: string
  config?: string
  secretEnv?: string
  json?: boolean
  access?: boolean
  leaks?: string
  sitemap?: string[]
  address?: string[]
}

/** `membership doctor <folder>` */
export function doctorCommand(): Command {
  return new Command('doctor')
    .argument('[folder]', 'the folder of the site', '.')
    .option('--url <address>', 'the address of the running site, to test its webhook address')
    .option(
      '--provider <key>',
      'the provider whose webhook address is tested, if the configuration does not say',
    )
    .option('--prefix <key>', 'what the configuration keys begin with', 'membership')
    .option('--accessor <name>', "the function that templates call: the prefix's last segment")
    .option('-c, --config <file>', 'file in place of membership.config.* and config/membership.*')
    .option('--secret-env <name>', 'the variable that holds the webhook’s secret')
    .option(
      '--access',
      'list whose access the upgrade from an earlier version closes or opens, and change nothing',
    )
    .option('--leaks <site>', 'look for closed content that others can read at this running site')
    .option('--sitemap <address...>', 'with --leaks: more sitemaps')
    .option('--address <address...>', 'with --leaks: old addresses, and those that nothing links to')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nIf the folder has a configuration (membership.config.* or config/membership.*), doctor asks its providers' +
        ' with their API keys and reads its database. It writes nothing.' +
        '\nExits with 0 when there is no problem, 1 when it could not look, and 2 when there is one.\n\nExamples:\n  membership doctor\n  membership doctor ../site --json\n  membership doctor ../site --url https://example.com\n  WEBHOOK=whsec_… membership doctor ../site --url https://example.com --secret-env WEBHOOK\n  membership doctor --access\n  membership doctor --leaks https://example.com --sitemap /news-sitemap.xml',
    )
    .action(async (folder: string, { json, access, leaks, sitemap, address, ...flags }: Flags) => {
      if (leaks !== undefined)
        return auditLeaks(
          { site: leaks, sitemaps: sitemap ?? [], addresses: address ?? [] },
          { ...flags, json },
        )
      readEnvFile(folder)
      const demo = demoHere(folder, flags)
      const here = {
        ...(demo === null ? {} : { options: await demo }),
        env: process.env,
        now: () => new Date(),
        randomId: () => randomUUID().replaceAll('-', ''),
      }
      if (access) return printAccess({ folder, ...flags, ...here }, { json })
      const diagnosis = await examine(folder, { ...flags, ...here })
      console.log(json ? JSON.stringify(diagnosis, null, 2) : linesOf(diagnosis).join('\n'))
      if (!diagnosis.isWell) process.exitCode = 2
    })
}

/** The options of the demo, where it was started in this folder; null for any other folder. */
function demoHere(folder: string, { config }: Pick<Flags, 'config'>): Promise<MembershipOptions> | null {
  return config === undefined && !hasOwnConfig(folder) && existsSync(join(folder, 'data', 'magazine.db'))
    ? siteOptions({ folder: resolve(folder) })
    : null
}

/** Runs the leak audit with the configuration of this folder. */
async function auditLeaks(options: LeakOptions, flags: Pick<Flags, 'config' | 'json'>): Promise<void> {
  const { config } = flags
  const report = await withSite(config === undefined ? {} : { config }, (m) => m.operator.leaks(options), {
    absent: 'memory',
  })
  console.log(flags.json ? JSON.stringify(report, null, 2) : leakLines(report).join('\n'))
  if (report.leaks.length > 0) process.exitCode = 2
}

/** Prints the two decisions about each gate on which they differ. Exits with 2 where somebody would stand outside. */
async function printAccess(input: SiteInput, { json }: Pick<Flags, 'json'>): Promise<void> {
  const { compareAccess } = await import('../site/assembly/access-comparison.ts')
  const comparison = await compareAccess(input)
  console.log(json ? JSON.stringify(comparison, null, 2) : accessLines(comparison).join('\n'))
  if (comparison.differences.some(({ change }) => change === 'closes')) process.exitCode = 2
}

function accessLines({ members, waits, differences }: AccessComparison): string[] {
  const lines = differences.map(({ member, gate, change, former, present, why }) =>
    plain(
      change === 'closes'
        ? `closes   ${member}  ${gate}: was open (${wordsOf(former)}); now closed: ${why ?? 'nothing opens it'}`
        : `opens    ${member}  ${gate}: was closed; now open (${wordsOf(present)})`,
    ),
  )
  const closing = new Set(differences.filter(({ change }) => change === 'closes').map(({ member }) => member))
  return [
    ...lines,
    `${counted(members, 'member', 'members')}, ${counted(differences.length, 'difference', 'differences')}. Nothing was changed.`,
    ...(closing.size === 0 || !waits
      ? []
      : [
          `The first start keeps these gates open for ${counted(closing.size, 'member', 'members')}, to the end of the stored period and for 35 days at most. The office lists them on Today.`,
        ]),
  ]
}

function wordsOf(decision: { reason: string; by: string | null; until: string | null } | null): string {
  return decision === null
    ? ''
    : `${decision.reason}${decision.by === null ? '' : ` ${decision.by}`}${decision.until === null ? '' : ` until ${decision.until}`}`
}

function leakLines({ site, plans, read, closed, leaks, isCut }: LeakReport): string[] {
  const summary = `${counted(read, 'address', 'addresses')} of ${site} as nobody and as a member of ${plans.join(', ')}: ${counted(closed, 'closed page', 'closed pages')}.`
  return [
    plain(summary),
    ...(isCut ? ['There are more addresses than were read.'] : []),
    ...(closed === 0 ? ['No page shows more to a member, so there was nothing to compare.'] : []),
    ...leaks.map(({ kind, url, of, reader, evidence }) =>
      plain(
        `problem  ${kind}: ${reader} reads ${of === url ? 'closed content' : `content of ${of}`} at ${url} (${oneLine(evidence)})`,
      ),
    ),
    leaks.length === 0 ? 'No leak was found.' : `${counted(leaks.length, 'leak', 'leaks')}.`,
  ]
}

function counted(count: number, noun: string, nouns: string): string {
  return `${count} ${count === 1 ? noun : nouns}`
}

function linesOf({ checks, isWell, first }: Diagnosis): string[] {
  const topics = [...new Set(checks.map(({ topic }) => topic))]
  const groups = topics.map((topic) => [
    ...(topics.length > 1 ? [topic] : []),
    ...checks.filter((check) => check.topic === topic).map(line),
    '',
  ])
  return [
    ...groups.flat(),
    isWell ? 'No problem was found.' : 'There is something to do.',
    ...(first === null ? [] : [`${isWell ? 'Worth a look' : 'Begin here'}: ${plain(first)}`]),
  ]
}

function line({ status, what, fix, file, line: number }: Check): string {
  const place = file === null ? '' : `${file}${number === null ? '' : `:${number}`}  `
  const color = process.stdout.isTTY === true && !process.env.NO_COLOR
  const [word, style] = words[status]
  const head = word.padEnd(8)
  const text = plain(
    `${place}${oneLine(what)}${fix === null ? '' : `\n         → ${fix.replaceAll('\n', '\n           ')}`}`,
  )
  return `${color ? styleText(style, head) : head} ${text}`
}

// Text from outside must not look like lines of this report.
function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ')
}

const words = {
  ok: ['ok', 'green'],
  warning: ['warning', 'yellow'],
  problem: ['problem', 'red'],
  skipped: ['skipped', 'dim'],
} as const
