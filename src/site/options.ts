import type { IncomingMessage } from 'node:http'
import { dirname, join, resolve } from 'node:path'
import type { Context } from 'koa'
import type { z } from 'zod'
import { oneLine } from '../core/dto/index.ts'
import type { Log } from '../core/log.ts'
import type { Named, Names } from '../core/register.ts'
import type { DottedKeys, NestedKeys, OwnDottedKeys } from '../generated/configuration-keys.ts'
import type { FeedHandler, PresignFile } from '../memberships/downloads/index.ts'
import type { Hooks, UserStore } from '../memberships/hooks/index.ts'
import type { Transport } from '../memberships/mails/index.ts'
import type { HostIdentity, User, View } from '../memberships/members/index.ts'
import type { Alert } from '../memberships/monitoring/index.ts'
import type { OfficeOptions } from '../office/index.ts'
import type { ProviderDefinition } from '../providers/contract.ts'
import type { ReportsOptions } from '../reports/index.ts'
import type { IdentifyInput } from './identify-input.ts'

/**
 * The person whom a host's own login names: a `member` of this package, or a person by an address that the
 * host has verified. `userId` is the host's own id of the person; it finds the member when the address
 * changes.
 */
export type Identity = { member: User | string } | HostIdentity | null | undefined

/**
 * The site's own login, as `identify`. A function is enough. A login that can do more has these properties, too;
 * `membership/login` makes them for better-auth, Auth.js and Passport.
 */
export interface Identify {
  (visit: IdentifyInput): Identity | Promise<Identity>
  /** Ends the person's session at the login, when they log out here. Returns the `Set-Cookie` lines for the answer. */
  readonly signOut?: (visit: IdentifyInput) => Promise<readonly string[]>
  /**
   * Deletes a user of the login, after the member was deleted here. It is retried until it succeeds, so it
   * accepts an id that is gone.
   */
  readonly deleteUser?: (userId: string) => Promise<void>
  /** Returns the address of the login page, which leads back to a path of this site. */
  readonly loginPage?: (redirect: string) => string
  /** Gets, when the instance opens, the function that is told of users deleted at the login. */
  readonly opened?: (userDeleted: (userId: string) => Promise<unknown>) => void
}

/** A request as `m.viewOf` and gates accept it: Koa's context, or the Node or web request of other hosts. */
export type HostRequest = Context | IncomingMessage | Request

/**
 * Configuration keys (`membership.…`, dotted or nested) and the options that only code can give. `Own`: the
 * keys of `customProviders`, which are configuration keys too. `N`: the names in plans that `definePlans()`
 * made.
 */
export type MembershipOptions<Own extends string = string, N extends Names = Names> = BaseOptions<Own, N> &
  OwnDottedKeys<Own>

export interface BaseOptions<Own extends string, N extends Names = Names> extends DottedKeys<Own> {
  /** The configuration as nested keys. The same keys are also accepted with dots, beside this group. */
  membership?: NestedKeys<Own> & { plans?: Named<N> }
  'membership.plans'?: NestedKeys<Own>['plans'] & Named<N>
  /**
   * Connects the host's own login; without it this package's session cookie counts. It gets `{ kind, request,
   * headers, url }`, in the same shape on every route.
   */
  identify?: Identify
  /** The site's own providers, made with `defineProvider`. */
  customProviders?: readonly ProviderDefinition<z.ZodType, Own>[]
  /** `false` makes one more instance besides the default. */
  install?: boolean
  /** Site folder with `config/` and `templates/`; `false` reads no files. Default: the working directory. */
  root?: string | false
  /** Configuration file to use instead of `config/membership.*`. */
  config?: string
  log?: Log
  now?: () => Date
  /** Functions of the site that are called before and after a change. */
  hooks?: Hooks
  /** The host's own users. The provider's field is written there after each change. */
  userStore?: UserStore
  /** The transport of mails. Without it no mails are sent, and nobody can log in by a link. */
  mails?: {
    transport: Transport
    /** The site's name in mails; its host name by default. */
    siteName?: string
    /** Path of the account page in mails; `membership.pages.account` by default. */
    accountPath?: string
  }
  /** The website index: name service, address policy, screenshots. */
  reports?: ReportsOptions
  /**
   * Called when trouble between the site and a provider begins, and again when it is over. If it throws, the
   * error is logged, and the call is repeated later.
   */
  onAlert?: (alert: Alert) => void | Promise<void>
  /** The operator's office: the people that the site's own login admits, and the office's own pages. */
  office?: OfficeOptions
  /**
   * The site's feeds by path, such as `/podcast.xml`. Each member may have an address of their own, at which
   * the handler writes the feed as that member may read it.
   */
  feeds?: Readonly<Record<string, FeedHandler>>
  /** Private files at a storage service: the address of one file, valid for some seconds. */
  files?: { presign: PresignFile }
  /** Adds data to every page. */
  pageData?: (ctx: Context, view: View) => Record<string, unknown> | Promise<Record<string, unknown>>
}

/** Options that only code can give, with the type that each must have. */
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
  feeds: 'a group of keys',
  files: 'a group of keys',
} as const satisfies Record<OwnOption, string>

/** Options that are not configuration keys. */
type OwnOption = Exclude<keyof BaseOptions<string>, 'membership' | `membership.${string}`>

/** Returns the configuration among the options. */
export function configOf(options: MembershipOptions): Record<string, unknown> {
  return Object.fromEntries(Object.entries(options).filter(([key]) => !Object.hasOwn(codeOptions, key)))
}

/** Log for hosts that give none; it writes warnings. */
export const defaultLog: Log = (message, details) =>
  console.warn(`membership: ${oneLine(message, 2000)}${details ? ` ${JSON.stringify(details)}` : ''}`)

/**
 * Returns the file of the secret that an installation makes for itself. It lies beside the SQLite file, with
 * the same readers; null for every other database.
 */
export function secretFile(url: string): string | null {
  return url.startsWith('sqlite:') && url !== 'sqlite::memory:'
    ? join(dirname(resolve(url.slice('sqlite:'.length))), 'membership.secret')
    : null
}
