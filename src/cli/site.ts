import { existsSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'
import { MembershipError } from '../errors.ts'
import type { Log } from '../log.ts'
import { createMembership, type Membership } from '../membership.ts'
import { hasOwnConfig, siteOptions } from '../runtime/start.ts'

/** What every command that opens a site understands. */
export interface Common {
  config?: string
  json?: boolean
}

/** Adds the flags of `Common`. */
export const common = (command: Command): Command =>
  command
    .option('-c, --config <file>', 'configuration file in place of config/membership.*')
    .option('--json', 'print JSON')

/** Opens the site of the working directory for as long as `run` takes; it does not crawl by itself meanwhile. */
export const withSite = async <T>(
  flags: Pick<Common, 'config'>,
  run: (m: Membership) => Promise<T>,
  log: Log = () => undefined,
): Promise<T> => {
  const folder = process.cwd()
  checkThere(folder, flags.config)
  const options = siteOptions({
    folder,
    config: flags.config,
    databaseUrl: process.env.DATABASE_URL || undefined,
  })
  const m = await createMembership({
    ...options,
    'membership.reports.crawl.enabled': false,
    install: false,
    log,
  })
  try {
    return await run(m)
  } finally {
    await m.close()
  }
}

/** A command in a folder that is no site would make one, with a database and a secret: it says where it looked instead.
 *  @throws ERR_USAGE */
const checkThere = (folder: string, config: string | undefined): void => {
  const demo = join(folder, 'data', 'magazine.db')
  if (config !== undefined || hasOwnConfig(folder) || process.env.DATABASE_URL || existsSync(demo)) return
  throw new MembershipError(
    'ERR_USAGE',
    `There is no site in ${folder}: no config/membership.* and no database (${demo} would be the demo's). Nothing was made.`,
    {
      action:
        'Go to the folder of the site, or name its configuration: --config path/to/config/membership.yml',
    },
  )
}

/** Prints the value for machines, or the lines for people; an id with a line break in it makes no second line. */
export const print = (flags: Pick<Common, 'json'>, value: unknown, lines: readonly string[]): void =>
  console.log(
    flags.json
      ? JSON.stringify(value, null, 2)
      : lines.map((line) => plain(line).replace(/[\n\u2028\u2029]/g, '\ufffd')).join('\n'),
  )

/** Text without what steers a terminal: much of it was written by strangers. */
export const plain = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '\ufffd')

/** Rows as lines, each column as wide as its widest cell. */
export const columns = (rows: readonly (readonly string[])[]): string[] => {
  const widths: number[] = []
  for (const row of rows)
    for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, Math.min(cell.length, widest))
  return rows.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}
// One very long address moves its own line, not all of them.
const widest = 60

/** `1 website`, `2 websites`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

/** A time as it is shown: to the second, UTC. */
export const shortTime = (iso: string | null): string =>
  iso === null ? '-' : iso.slice(0, 19).replace('T', ' ')

/** Reads how many, from 1 to `most`. */
export const countUpTo =
  (most: number) =>
  (text: string): number => {
    const count = Number(text)
    if (Number.isInteger(count) && count > 0 && count <= most) return count
    throw new InvalidArgumentError(`Give a number from 1 to ${most}.`)
  }

/** Who is named in the audit log: the operating system's user. */
export const actor = (): string => {
  try {
    return `operator:${userInfo().username}`
  } catch {
    // A container's user need not have a name.
    return 'operator'
  }
}
