import type { IncomingMessage } from 'node:http'
import { dirname, join, resolve } from 'node:path'
import type { Context } from 'koa'
import type { z } from 'zod'
import { oneLine } from '../core/dto/index.ts'
import type { Log } from '../core/log.ts'
import type { DottedKeys, NestedKeys, OwnDottedKeys } from '../generated/configuration-keys.ts'
import type { Hooks, UserStore } from '../memberships/hooks/index.ts'
import type { Transport } from '../memberships/mails/index.ts'
import type { HostIdentity, View } from '../memberships/members/index.ts'
import type { Alert } from '../memberships/monitoring/troubles.ts'
import type { OfficeOptions } from '../office/index.ts'
import type { ProviderDefinition } from '../providers/contract.ts'
import type { ReportsOptions } from '../reports/index.ts'
import type { IdentifyInput } from './identify-input.ts'

/** The person whom a host's own login names: a member by id, or a person by an address that the host has verified. `userId`
 *  is the host's own id of the person, by which the member is found when the address changes. */
export type Identity = { id: string } | HostIdentity | null | undefined

/** A request as `m.viewOf` and gates take it: Koa's context, or the Node or web request of other hosts. */
export type HostRequest = Context | IncomingMessage | Request

/** Configuration keys (`membership.…`, dotted or nested) together with what only code can say. `Own`: the keys of
 *  `customProviders`, which are keys of the configuration, too. */
export type MembershipOptions<Own extends string = string> = BaseOptions<Own> & OwnDottedKeys<Own>

export interface BaseOptions<Own extends string> extends DottedKeys<Own> {
  /** The configuration as groups of keys; with their dots the same keys stand beside it. */
  membership?: NestedKeys<Own>
  /** Connects the host's own login; without it the session cookie of this package counts. It is given `{ kind, request,
   *  headers, url }`, in the same shape on every route. */
  identify?: (visit: IdentifyInput) => Identity | Promise<Identity>
  /** Providers of the site's own, as `defineProvider` makes them. */
  customProviders?: readonly ProviderDefinition<z.ZodType, Own>[]
  /** false: one more instance beside the default. */
  install?: boolean
  /** The site's folder with `config/` and `templates/`; false reads no files. Default: the working directory. */
  root?: string | false
  /** Another configuration file in place of `config/membership.*`. */
  config?: string
  log?: Log
  now?: () => Date
  /** The site's functions that are asked before a change, and told after it. */
  hooks?: Hooks
  /** The host's own users: the provider's field is written there after each change. */
  userStore?: UserStore
  /** The way in which mails leave; without it none do, and nobody logs in by a link. */
  mails?: {
    transport: Transport
    /** The site's name in mails; its host name unless given. */
    siteName?: string
    /** The path of the account page in mails; `membership.pages.account` unless given. */
    accountPath?: string
  }
  /** The website index: name service, address policy, screenshots. */
  reports?: ReportsOptions
  /** Told when something is wrong between the site and a provider, once when it begins and once when it is over. What it
   *  throws is logged, and it is told again later. */
  onAlert?: (alert: Alert) => void | Promise<void>
  /** The operator's office: whom the site's own login lets in, and pages of its own. */
  office?: OfficeOptions
  /** The data of every page beside its own. */
  pageData?: (ctx: Context, view: View) => Record<string, unknown> | Promise<Record<string, unknown>>
}

/** The options that only code can give, with what each must be. */
export const codeOptions = {
  identify: 'a function',
  customProviders: 'a list',
  install: 'true or false',
  root: 'text, or false',
  config: 'text',
  log: 'a function',
  now: 'a function',
  reports: 'a group of keys',
  hooks: 'a group of keys',
  userStore: 'a group of keys',
  mails: 'a group of keys',
  pageData: 'a function',
  onAlert: 'a function',
  office: 'a group of keys',
} as const satisfies Record<OwnOption, string>

/** The options that are no keys of the configuration. */
type OwnOption = Exclude<keyof BaseOptions<string>, 'membership' | `membership.${string}`>

/** The configuration among the options. */
export const configOf = (options: MembershipOptions): Record<string, unknown> =>
  Object.fromEntries(Object.entries(options).filter(([key]) => !Object.hasOwn(codeOptions, key)))

/** The log where the host gives none: it writes warnings. */
export const defaultLog: Log = (message, details) =>
  console.warn(`membership: ${oneLine(message, 2000)}${details ? ` ${JSON.stringify(details)}` : ''}`)

/**
 * The file with the secret that an installation makes for itself: beside the SQLite file, where only who may read
 * the data may read it too; null for every other database.
 */
export const secretFile = (url: string): string | null =>
  url.startsWith('sqlite:') && url !== 'sqlite::memory:'
    ? join(dirname(resolve(url.slice('sqlite:'.length))), 'membership.secret')
    : null
