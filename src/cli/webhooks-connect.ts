import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { Command } from 'commander'
import { packageFolder } from '../core/package-folder.ts'
import type { Connection } from '../memberships/sync/index.ts'
import { type Common, common, nameOf, planned, withName } from './flags.ts'
import { print } from './output.ts'
import { withSite } from './site.ts'

interface Flags extends Common {
  readonly account: string
  readonly write?: boolean
  readonly by?: string
}

/** `membership webhooks connect <provider>` */
export function connectCommand(): Command {
  return withName(
    planned(
      common(
        new Command('connect')
          .description(
            'Register this site’s webhook address at a provider, with the events that it needs. Its secret goes into .env.',
          )
          .argument('<provider>', 'whose webhooks'),
      ).option('--account <label>', 'one of several accounts', ''),
    ),
  )
    .addHelpText(
      'after',
      '\nWithout --write it shows the plan. Endpoints of other addresses stay as they are.' +
        '\n\nExamples:\n  membership webhooks connect stripe\n  membership webhooks connect stripe --write',
    )
    .action(run)
}

async function run(provider: string, flags: Flags): Promise<void> {
  const { account, write = false } = flags
  const variable = variableOf(provider)
  // The configuration may ask for the secret that this call is to bring.
  process.env[variable] ||= 'not_known:yet'
  const made = await withSite(
    flags,
    (m) => m.webhooks.connect({ provider, account, write, by: nameOf(flags) }),
    { absent: write ? 'make' : 'memory' },
  )
  // The secrets of several accounts have names that only the site knows.
  const kept = made.secret === null ? null : account === '' ? keepSecret(variable, made.secret) : 'printed'
  const { secret: _, ...shown } = made
  print(
    flags,
    // A secret that is in .env is printed nowhere.
    { ...shown, written: write && made.change !== 'none', secret: kept === 'env' ? null : made.secret, kept },
    linesOf(made, { write, kept, variable }),
  )
}

/** The variable that holds the secret, as the provider's example in `config/` has it. */
function variableOf(provider: string): string {
  const usual = `${provider.toUpperCase()}_WEBHOOK_SECRET`
  const example = join(packageFolder(), 'config', `${basename(provider)}.example.yml`)
  if (!existsSync(example)) return usual
  return /^ *webhook: \$\{(\w+)\}/m.exec(readFileSync(example, 'utf8'))?.[1] ?? usual
}

/** The place of a new secret: `.env`, or the output where that file is absent or has another value. */
type Kept = 'env' | 'printed'

/** Writes the secret into an `.env` that exists and has no other value for it. */
function keepSecret(variable: string, secret: string): Kept {
  const file = join(process.cwd(), '.env')
  if (!existsSync(file)) return 'printed'
  const text = readFileSync(file, 'utf8')
  const line = new RegExp(`^(?:export\\s+)?${variable}\\s*=(.*)$`, 'm').exec(text)
  const value = line?.[1]?.trim().replace(/^(['"])(.*)\1$/, '$2') ?? ''
  if (value === secret) return 'env'
  if (value !== '') return 'printed'
  const written = `${variable}=${secret}`
  writeFileSync(
    file,
    line === null
      ? `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${written}\n`
      : text.replace(line[0], () => written),
  )
  return 'env'
}

function linesOf(
  { provider, address, change, missing, others, legacy, secret }: Connection,
  { write, kept, variable }: { write: boolean; kept: Kept | null; variable: string },
): string[] {
  const done = write
    ? { create: 'Made', update: 'Changed' }
    : { create: 'Would make', update: 'Would change' }
  return [
    change === 'none'
      ? `${provider} sends every needed event to ${address}. Its secret is in the dashboard of ${provider}.`
      : `${done[change]} the endpoint ${address} at ${provider}.`,
    ...(missing.length === 0 ? [] : [`  Missing there: ${missing.join(', ')}`]),
    ...others.map(
      (url) =>
        `  Left as it is: ${url}${legacy.includes(url) ? ` (the address of version 1; delete it at ${provider} once events arrive)` : ''}`,
    ),
    ...(kept === 'env' ? [`Its secret is in .env: ${variable}`] : []),
    ...(kept === 'printed' ? [`Its secret, shown this once: ${secret}`, `  Keep it as ${variable}.`] : []),
    ...(write && change === 'update' && secret === null ? ['Its secret stays as it was.'] : []),
    ...(write && change === 'create' && secret === null
      ? [`Its secret is in the dashboard of ${provider}. Keep it as ${variable}.`]
      : []),
    ...(write || change === 'none' ? [] : [`→ To do it: membership webhooks connect ${provider} --write`]),
  ]
}
