import { AsyncLocalStorage } from 'node:async_hooks'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { GateId } from '../core/register.ts'
import type { View } from '../memberships/members/index.ts'
import type { IdentifyInput, KnownHosts } from '../site/identify-input.ts'
import { createMembership, type Membership } from '../site/membership.ts'
import type { Identify, Identity, MembershipOptions } from '../site/options.ts'
import { type GateChoice, gateChoicesIn } from './gate-choices.ts'
import {
  createReading,
  type Documents,
  type DocumentWrite,
  type Models,
  optionsIn,
  type Reader,
  type StoredDocument,
} from './strapi-reading.ts'

/** A user of the plugin users-permissions. */
export interface StrapiUser {
  readonly id: number | string
  readonly documentId: string
  readonly email?: string | null
  readonly username?: string | null
  readonly confirmed?: boolean | null
  readonly blocked?: boolean | null
  readonly role?: { readonly type?: string; readonly name?: string } | null
}

/** The group `config` of this plugin in `config/plugins.ts`. */
export interface StrapiOptions {
  /** Options of `createMembership`, without `identify`. Files in `config/` are read, too. */
  readonly membership?: Omit<MembershipOptions, 'identify' | 'install'>
  /**
   * Cookie with the `jwt` of users-permissions, which your site sets at the login. The pages of members read
   * it, since a browser sends no `Authorization` with a page. Absent: pages use links by mail.
   */
  readonly cookie?: string
  /** Path or address of your login page; it gets the path to return to as `redirect`. */
  readonly loginPage?: string
  /** True for a user of users-permissions who reads everything. Strapi's admins and full-access tokens do so anyway. */
  readonly isEditor?: (user: StrapiUser) => boolean
  /**
   * True if the user proved to own the address. By default `confirmed` counts, while Strapi's setting “Enable
   * email confirmation” is on.
   */
  readonly isVerified?: (user: StrapiUser) => boolean
  /**
   * Choices of the attribute `gate`, beside the plans and features in `membership`. Name them where your
   * plans are in a configuration file.
   */
  readonly gates?: readonly GateId[]
}

/** Koa's context with the additions of Strapi: https://docs.strapi.io/cms/backend-customization/requests-responses */
interface StrapiContext {
  readonly membership?: View
  readonly state: {
    readonly user?: object | null
    readonly auth?: {
      readonly strategy?: { readonly name?: string }
      readonly credentials?: { readonly type?: string } | null
    }
  }
}

/** The parts of Strapi 5 used here: https://docs.strapi.io/cms/plugins-development/server-api */
interface Strapi extends Models {
  readonly config: { get(path: string): unknown }
  readonly contentTypes: Readonly<
    Record<string, { attributes: Record<string, unknown>; pluginOptions?: object }>
  >
  readonly dirs: { readonly app: { readonly root: string } }
  readonly db: Models['db'] & {
    readonly lifecycles: { subscribe(subscriber: object): unknown }
    query(uid: string): StoredRows
  }
  readonly documents: Documents
  readonly requestContext: { get(): StrapiContext | undefined }
  readonly server: { use(middleware: unknown): unknown }
  plugin(name: string): { service(name: string): unknown } | undefined
  store(place: object): { get(): Promise<unknown> }
  sessionManager?(origin: string): { invalidateRefreshToken(userId: string): Promise<unknown> }
}
interface StoredRows {
  findOne(input: object): Promise<StoredDocument | null>
  findMany(input: object): Promise<StoredDocument[]>
  count(input: object): Promise<number>
  delete(input: object): Promise<unknown>
}

const users = 'plugin::users-permissions.user'
const opened = new WeakMap<object, Membership>()
// Strapi loads this file as its plugin, and a site may import it beside that.
const policy = 'plugin::membership.requires'

/**
 * A policy for routes: `policies: [requires('pro')]`. It lets in editors, and members with one of the gates. Written
 * out, as for GraphQL: `{ name: 'plugin::membership.requires', config: { gates: ['pro'] } }`.
 */
export function requires(...gates: readonly GateId[]): {
  readonly name: string
  readonly config: { readonly gates: readonly GateId[] }
} {
  return { name: policy, config: { gates } }
}

/** Returns the instance of a running Strapi. */
export function membershipOf(strapi: object): Membership {
  const m = opened.get(strapi)
  if (m) return m
  throw new Error(
    'membership: enable the plugin "membership" in config/plugins, and ask after it is registered.',
  )
}

/** The plugin of Strapi 5. Strapi finds it by itself; `config/plugins.ts` gives it its options. */
const plugin = {
  async register({ strapi }: { strapi: object }): Promise<void> {
    await register(strapi as Strapi)
  },
  async destroy({ strapi }: { strapi: object }): Promise<void> {
    await opened.get(strapi)?.close()
  },
  policies: {
    requires(
      _context: unknown,
      config: { readonly gates?: readonly GateId[] },
      { strapi }: { strapi: object },
    ) {
      if (!config.gates?.length)
        throw new Error(`membership: the policy needs gates, as in requires('pro') of membership/strapi.`)
      const running = strapi as Strapi
      const ctx = running.requestContext.get()
      return ctx !== undefined && (isEditing(running, ctx) || (ctx.membership?.allows(config.gates) ?? false))
    },
  },
}
export default plugin

function optionsOf(strapi: Strapi): StrapiOptions {
  return (strapi.config.get('plugin::membership') ?? {}) as StrapiOptions
}

async function register(strapi: Strapi): Promise<void> {
  const options = optionsOf(strapi)
  withGates(strapi, gateChoicesIn(options))
  closeContent(strapi)
  const m = await createMembership({
    ...options.membership,
    identify: identifyBy(strapi, options),
  } as MembershipOptions)
  opened.set(strapi, m)
  // Above Strapi's own parser of bodies, because signatures are made over the raw bytes.
  strapi.server.use(m.koa())
  const leaving = async ({ params }: { params: { where?: object } }) => {
    const found = await strapi.db.query(users).findMany({ select: ['documentId'], where: params.where ?? {} })
    for (const { documentId } of found) await m.users.deleteByLogin(loginId(documentId))
  }
  strapi.db.lifecycles.subscribe({ models: [users], beforeDelete: leaving, beforeDeleteMany: leaving })
}

/** Adds the attribute by which editors say who may read a document. */
function withGates(strapi: Strapi, choices: readonly GateChoice[]): void {
  for (const [uid, type] of Object.entries(strapi.contentTypes)) {
    for (const [name, attribute] of Object.entries(type.attributes))
      optionsIn((attribute as { pluginOptions?: object }).pluginOptions, `${uid}.${name}`)
    if (optionsIn(type.pluginOptions, uid) === undefined || 'gate' in type.attributes) continue
    if (choices.length === 0)
      throw new Error('membership: name your plans in `membership`, or in `gates`, in config/plugins.')
    type.attributes.gate = { type: 'enumeration', enum: choices.map(({ value }) => value) }
  }
}

/** Admins and full-access tokens read everything. Other tokens are often in the hands of a public site. */
const adminStrategies = new Set(['admin', 'admin-token', 'data-transfer'])

function isEditing(strapi: Strapi, { state }: StrapiContext): boolean {
  const name = state.auth?.strategy?.name ?? ''
  if (adminStrategies.has(name)) return true
  if (name.endsWith('api-token')) return state.auth?.credentials?.type === 'full-access'
  const isEditor = optionsOf(strapi).isEditor ?? (() => false)
  return state.user != null && isEditor(state.user as StrapiUser)
}

/** Closes documents and attributes below everything that reads them: REST, GraphQL, and code of the site. */
function closeContent(strapi: Strapi): void {
  const { ValidationError, NotFoundError } = errorsOf(strapi)
  // Changes read whole documents, and may not lose what the person cannot read.
  const changing = new AsyncLocalStorage<true>()
  const reader = (): Reader | null => {
    const ctx = strapi.requestContext.get()
    // Without a request, code of the site itself reads.
    if (ctx === undefined || changing.getStore() || isEditing(strapi, ctx)) return null
    return {
      allows: (gates) => ctx.membership?.allows(gates as GateId[]) ?? false,
      refuse: (message) => {
        throw new ValidationError(message)
      },
    }
  }
  const reading = createReading(strapi)
  const before = ({ model, params }: { model: { uid: string }; params: Record<string, unknown> }) => {
    const who = reader()
    if (who) reading.constrain(who, model.uid, params)
  }
  const after = ({ model, result }: { model: { uid: string }; result: unknown }) => {
    const who = reader()
    if (who) reading.strip(who, model.uid, result, { isConstrained: true })
  }
  strapi.db.lifecycles.subscribe({
    beforeFindOne: before,
    beforeFindMany: before,
    beforeCount: before,
    afterFindOne: after,
    afterFindMany: after,
  })

  const writes = new Set(['create', 'update', 'delete', 'clone', 'publish', 'unpublish', 'discardDraft'])
  const change: DocumentWrite = async ({ uid, action, params }, next) => {
    const who = writes.has(action) ? reader() : null
    if (who === null) return next()
    const { documentId } = params
    if (documentId !== undefined && reading.isGated(uid)) {
      const isOpen = (await strapi.db.query(uid).count({ where: { documentId } })) > 0
      if (!isOpen) throw new NotFoundError('Document not found')
    }
    const result = await changing.run(true, next)
    return reading.stripChanged(who, uid, result)
  }
  strapi.documents.use(change)
}

/** Strapi's own classes, which it answers with their status: https://docs.strapi.io/cms/error-handling */
function errorsOf({ dirs }: Strapi) {
  const ofSite = createRequire(join(dirs.app.root, 'package.json'))
  const ofStrapi = createRequire(ofSite.resolve('@strapi/strapi/package.json'))
  const { errors } = ofStrapi('@strapi/utils') as { errors: Record<ErrorName, new (text: string) => Error> }
  return errors
}
type ErrorName = 'ValidationError' | 'NotFoundError'

function loginId(documentId: string) {
  return `${users}:${documentId}`
}

function identifyBy(strapi: Strapi, options: StrapiOptions): Identify {
  const { cookie, loginPage } = options
  const userOf = async ({ kind, request: ctx }: IdentifyInput): Promise<StrapiUser | null> => {
    if (kind !== 'koa') return null
    const found = await tokenIn(strapi, ctx, cookie)
    if (found === null) return null
    return (await strapi.db.query(users).findOne({ where: { id: found.id } })) as StrapiUser | null
  }
  const identify = async (visit: IdentifyInput): Promise<Identity> => {
    const user = await userOf(visit)
    if (!user?.email || user.blocked) return null
    if (!(await isProven(strapi, options, user))) return null
    const name = user.username ? { name: user.username } : {}
    return { email: user.email, userId: loginId(user.documentId), ...name }
  }
  return Object.assign(identify, {
    signOut: async (visit: IdentifyInput): Promise<readonly string[]> => {
      const user = await userOf(visit)
      if (user && strapi.config.get('plugin::users-permissions.jwtManagement') === 'refresh')
        await strapi.sessionManager?.('users-permissions').invalidateRefreshToken(String(user.id))
      return cookie === undefined ? [] : [`${cookie}=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax`]
    },
    deleteUser: async (userId: string): Promise<void> => {
      await strapi.db.query(users).delete({ where: { documentId: userId.slice(users.length + 1) } })
    },
    ...(loginPage === undefined
      ? {}
      : { loginPage: (redirect: string) => `${loginPage}?${new URLSearchParams({ redirect })}` }),
  })
}

/** The parts of users-permissions' service: https://docs.strapi.io/cms/features/users-permissions */
interface JwtService {
  getToken(ctx: KnownHosts['koa']): Promise<{ readonly id?: number | string } | null> | null
  verify(token: string): Promise<{ readonly id?: number | string }>
}

async function tokenIn(
  strapi: Strapi,
  ctx: KnownHosts['koa'],
  cookie: string | undefined,
): Promise<{ readonly id: number | string } | null> {
  const jwt = strapi.plugin('users-permissions')?.service('jwt') as JwtService | undefined
  if (jwt === undefined) return null
  const own = ctx.headers.authorization === undefined && cookie !== undefined ? ctx.cookies.get(cookie) : ''
  try {
    const found = await (own ? jwt.verify(own) : jwt.getToken(ctx))
    return found?.id === undefined ? null : { id: found.id }
  } catch {
    // An ended token, or a token of Strapi's admin.
    return null
  }
}

async function isProven(strapi: Strapi, { isVerified }: StrapiOptions, user: StrapiUser): Promise<boolean> {
  if (isVerified) return isVerified(user)
  if (user.confirmed !== true) return false
  // While the setting is off, Strapi calls every new user confirmed.
  const place = { type: 'plugin', name: 'users-permissions', key: 'advanced' }
  const advanced = (await strapi.store(place).get()) as { email_confirmation?: boolean } | null
  return advanced?.email_confirmation === true
}
