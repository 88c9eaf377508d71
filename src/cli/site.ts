import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { loadConfig } from '../core/config/index.ts'
import { moneyWriter } from '../core/dto/index.ts'
import { MembershipError } from '../core/errors.ts'
import type { Log } from '../core/log.ts'
import { type Age, ageOf, lastBeforeBaseline, requireStopped } from '../core/storage/index.ts'
import { allProviders, digitsOf, loadDefinitions } from '../providers/registry.ts'
import { hasOwnConfig, withKey } from '../site/config-in-code.ts'
import { createMembership, type Membership } from '../site/membership.ts'
import { configOf, type MembershipOptions } from '../site/options.ts'
import { siteOptions } from '../site/runtime/start.ts'
import type { Common } from './flags.ts'

/**
 * Reaction to an empty database. `refuse` fails, for commands that read. `make` creates the tables. `try` and
 * `memory` continue in memory: `try` for a preview of `make`, `memory` for commands that need no stored data.
 * A database of an older version is only migrated by the start of the site, because another site may still
 * use it.
 */
type Absent = 'refuse' | 'make' | 'try' | 'memory'

/**
 * Opens the site of the working directory while `run` runs. The site does not crawl by itself meanwhile.
 * @throws ERR_USAGE when there is no site, when the database is of an older version, or when it is missing
 *   and the command does not create one. Nothing is created or changed then.
 */
export async function withSite<T>(
  flags: Pick<Common, 'config'>,
  run: (m: Membership) => Promise<T>,
  { log = () => undefined, absent = 'refuse' }: { log?: Log; absent?: Absent } = {},
): Promise<T> {
  const folder = process.cwd()
  const options = await siteHere(flags)
  const behind = await databaseBehind(options)
  const goesOn = absent === 'memory' || (behind?.applied === 0 && absent !== 'refuse')
  if (behind !== null && !goesOn) throw notReady(behind, folder)
  const there =
    behind !== null && absent !== 'make'
      ? withKey(options, 'membership.database.url', 'sqlite::memory:')
      : options
  const m = await createMembership({
    ...withKey(there, 'membership.reports.crawl.enabled', false),
    install: false,
    log,
  })
  try {
    return await run(m)
  } finally {
    await m.close()
  }
}

/** Writes amounts as people write them, in the minor units of each provider of the site. */
export async function moneyOf(flags: Pick<Common, 'config'>, { operator }: Pick<Membership, 'operator'>) {
  const { customProviders = [] } = await siteHere(flags)
  const own = await loadDefinitions(Object.keys(operator.config.providers))
  const write = moneyWriter(digitsOf([...own, ...customProviders]))
  return (amount: number, { currency, provider }: { currency: string | null; provider: string }): string =>
    currency === null ? `${amount} of an unknown currency` : write({ amount, currency, provider })
}
export type WriteAmount = Awaited<ReturnType<typeof moneyOf>>

/** Returns the options of the site in the working directory. @throws ERR_USAGE when there is none */
export async function siteHere({ config }: Pick<Common, 'config'>): Promise<MembershipOptions> {
  const folder = process.cwd()
  checkThere(folder, config)
  return siteOptions({ folder, config, databaseUrl: process.env.DATABASE_URL || undefined })
}

/**
 * Returns the SQLite file that the configuration of the working directory names.
 * @throws ERR_USAGE for another database, with the action to take
 */
export async function sqliteFileHere(
  flags: Pick<Common, 'config'>,
  otherwise = 'Restore PostgreSQL by pg_restore or its base backup, then run: membership after-restore',
): Promise<string> {
  const url = await databaseUrlOf(await siteHere(flags))
  if (url.startsWith('sqlite:') && url !== 'sqlite::memory:') return resolve(url.slice('sqlite:'.length))
  throw new MembershipError('ERR_USAGE', 'This site has no SQLite file.', { action: otherwise })
}

/**
 * Refuses a database that a site or another command has open.
 * @throws ERR_ACTION_REFUSED, with the action to take
 */
export async function requireStoppedSite(flags: Pick<Common, 'config'>): Promise<void> {
  return requireStopped(await databaseUrlOf(await siteHere(flags)))
}

/** Returns the age of the configured database if it lacks something that this version needs; else null. */
async function databaseBehind(options: MembershipOptions): Promise<Age | null> {
  const age = await ageOf(await databaseUrlOf(options))
  return age !== null && (age.isOlder || age.applied < age.newest) ? age : null
}

async function databaseUrlOf(options: MembershipOptions): Promise<string> {
  const { config } = await loadConfig({
    options: configOf(options),
    root: options.root ?? process.cwd(),
    config: options.config,
    env: process.env,
    definitions: allProviders(options.customProviders),
  })
  return config.database.url
}

function notReady({ place, applied, newest, isOlder }: Age, folder: string): MembershipError {
  const named = `which the configuration in ${folder} names`
  if (isOlder)
    return new MembershipError(
      'ERR_USAGE',
      `The database at ${place}, ${named}, is of a version before 2.0.0-rc.1. Nothing was changed.`,
      { action: `Open it with commit ${lastBeforeBaseline} of this package, the last that can.` },
    )
  if (applied > 0)
    return new MembershipError(
      'ERR_USAGE',
      `The database at ${place}, ${named}, is of an older version of membership: it has migration ${applied} of ${newest}. Nothing was changed.`,
      {
        action:
          'Make a backup, then start the site: the start brings the database up to date. Until then, ask with the version that the site runs.',
      },
    )
  return new MembershipError(
    'ERR_USAGE',
    place.startsWith('PostgreSQL')
      ? `${place}, ${named}, is empty. Nothing was made.`
      : `There is no database at ${place}, ${named}: no site has started with it yet. Nothing was made.`,
    {
      action:
        'Start the site, and look whether it stays up: the first start makes the database. If the site runs, it uses another one: correct membership.database.url.',
    },
  )
}

/**
 * Fails in a folder without a site, naming the places that were searched. Otherwise the command would create
 * a site there, with a database and a secret.
 * @throws ERR_USAGE
 */
function checkThere(folder: string, config: string | undefined): void {
  const demo = join(folder, 'data', 'magazine.db')
  if (config !== undefined || hasOwnConfig(folder) || process.env.DATABASE_URL || existsSync(demo)) return
  throw new MembershipError(
    'ERR_USAGE',
    `There is no site in ${folder}: no membership.config.js or .ts, no config/membership.*, and no database (${demo} would be the demo's). Nothing was made.`,
    {
      action:
        'Go to the folder of the site, or name its configuration: --config path/to/membership.config.js. A site whose code holds its options moves them to membership.config.js, which its code imports.',
    },
  )
}
