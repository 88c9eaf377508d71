import type { IncomingMessage } from 'node:http'
import { dirname, join, resolve } from 'node:path'
import type { Context } from 'koa'
import type { Log } from './log.ts'
import type { View } from './members/index.ts'
import type { ProviderDefinition } from './providers/contract.ts'
import type { ReportsOptions } from './reports/index.ts'

/** Whom a host's own login names: a member by id, or a person by an address that the host has verified. */
export type Identity = { id: string } | { email: string; name?: string } | null | undefined

/** What `identify` is given: Koa's context, or the Node or web request of other hosts. */
export type HostRequest = Context | IncomingMessage | Request

/** Configuration keys (`membership.…`, dotted or nested) together with what only code can say. */
export interface MembershipOptions {
  [key: `membership.${string}`]: unknown
  membership?: unknown
  /** Connects the host's own login; without it the session cookie of this package counts. */
  identify?: (request: HostRequest) => Identity | Promise<Identity>
  /** Providers of the site's own. */
  providers?: readonly ProviderDefinition[]
  /** false: one more instance beside the default. */
  install?: boolean
  /** The site's folder with `config/` and `templates/`; false reads no files. Default: the working directory. */
  root?: string | false
  /** Another configuration file in place of `config/membership.*`. */
  config?: string
  log?: Log
  now?: () => Date
  /** The website index: name service, address policy, screenshots. */
  reports?: ReportsOptions
  /** What every page is given beside its own data. */
  pageData?: (ctx: Context, view: View) => Record<string, unknown> | Promise<Record<string, unknown>>
}

const codeOptions = new Set([
  'identify',
  'providers',
  'install',
  'root',
  'config',
  'log',
  'now',
  'reports',
  'pageData',
])

/** The configuration among the options. */
export const configOf = (options: MembershipOptions): Record<string, unknown> =>
  Object.fromEntries(Object.entries(options).filter(([key]) => !codeOptions.has(key)))

/** Where warnings go when the host says nothing else. */
export const defaultLog: Log = (message, details) =>
  console.warn(`membership: ${message}${details ? ` ${JSON.stringify(details)}` : ''}`)

// Beside the SQLite file, where only who may read the data may read it too.
export const secretFile = (url: string): string | null =>
  url.startsWith('sqlite:') && url !== 'sqlite::memory:'
    ? join(dirname(resolve(url.slice('sqlite:'.length))), 'membership.secret')
    : null
