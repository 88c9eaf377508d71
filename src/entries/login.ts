import type { IdentifyInput } from '../site/identify-input.ts'
import type { Identify, Identity } from '../site/options.ts'

// This entry imports no login: sites hand theirs over. Auth.js alone is loaded, with the first request.

/** A user, as better-auth stores them. */
interface BetterAuthUser {
  readonly id: string
  readonly email: string
  readonly name?: string | null
  readonly emailVerified: boolean
}

/** The parts of `betterAuth(…)` used here: https://www.better-auth.com/docs/concepts/api */
export interface BetterAuth {
  readonly api: {
    getSession(input: { headers: Headers }): Promise<{ readonly user: BetterAuthUser } | null>
    signOut(input: { headers: Headers; returnHeaders: true }): Promise<{ readonly headers: Headers }>
  }
  readonly options: { readonly plugins?: readonly { readonly id: string }[] | undefined }
  readonly $context: Promise<{
    readonly internalAdapter: {
      findUserById(userId: string): Promise<unknown>
      deleteUser(userId: string): Promise<unknown>
    }
  }>
}

/** Options of every login. */
export interface LoginOptions {
  /**
   * Path or address of your login page. Pages here send people there, with the path to return to as
   * `redirect`. A function builds the whole address. Without it, our own page with links by mail is shown.
   */
  readonly loginPage?: string | ((redirect: string) => string)
}

/**
 * Connects better-auth: `identify: fromBetterAuth(auth)`. Members are linked by the id of the user, and only a verified
 * address counts. Logging out here ends the session there, and a deleted member is deleted there. With
 * `betterAuthPlugin()` among better-auth's plugins, a user deleted there is deleted here.
 */
export function fromBetterAuth(auth: BetterAuth, options: LoginOptions = {}): Identify {
  const identify = async ({ headers }: IdentifyInput): Promise<Identity> => {
    const found = await auth.api.getSession({ headers })
    if (!found?.user.emailVerified) return null
    const { id, email, name } = found.user
    return { email, userId: id, ...(name ? { name } : {}) }
  }
  return Object.assign(identify, {
    signOut: async ({ headers }: IdentifyInput) => {
      const { headers: set } = await auth.api.signOut({ headers, returnHeaders: true })
      return set.getSetCookie()
    },
    deleteUser: async (userId: string) => {
      const { internalAdapter } = await auth.$context
      if ((await internalAdapter.findUserById(userId)) !== null) await internalAdapter.deleteUser(userId)
    },
    opened: (userDeleted: UserDeleted) => {
      const plugin = auth.options.plugins?.find(({ id }) => id === pluginId) as
        | ReturnType<typeof betterAuthPlugin>
        | undefined
      plugin?.connect(userDeleted)
    },
    ...loginPageOf(options),
  })
}

type UserDeleted = (userId: string) => Promise<unknown>
const pluginId = 'membership'

/**
 * A plugin of better-auth that deletes a user's membership before the user: `plugins: [betterAuthPlugin()]`. If the
 * membership cannot be deleted, the user stays, and the deletion can be repeated.
 */
export function betterAuthPlugin() {
  let userDeleted: UserDeleted | null = null
  const before = async (user: { readonly id: string } & Record<string, unknown>): Promise<void> => {
    if (userDeleted === null)
      throw new Error(
        'membership: call createMembership({ identify: fromBetterAuth(auth) }) before users are deleted.',
      )
    await userDeleted(user.id)
  }
  return {
    id: pluginId,
    init: () => ({ options: { databaseHooks: { user: { delete: { before } } } } }),
    /** Connects the instance. `fromBetterAuth` does it. */
    connect: (deleted: UserDeleted): void => {
      userDeleted = deleted
    },
  } as const
}

/** A session of Auth.js with what is behind it: the adapter's user, or the token where there is no adapter. */
export interface AuthJsSession {
  readonly user?: {
    readonly id?: string
    readonly email?: string | null
    readonly name?: string | null
    readonly emailVerified?: Date | null
  }
  readonly token?: Readonly<Record<string, unknown>>
}

/** The parts of Auth.js's configuration used here: https://authjs.dev/reference/core#authconfig */
export interface AuthJsConfig {
  readonly basePath?: string | undefined
  readonly adapter?: object | undefined
  readonly callbacks?: object | undefined
  readonly providers: readonly unknown[]
}

export interface AuthJsOptions extends LoginOptions {
  /**
   * True if the person proved to own the address. By default the adapter's `emailVerified` counts, or the
   * claim `email_verified` that your `jwt` callback keeps in the token.
   */
  readonly isVerified?: (session: AuthJsSession) => boolean
  /**
   * Your id of the person. By default it is the id of the adapter's user. Without an adapter, Auth.js makes a
   * new id with each login, so none is used.
   */
  readonly userId?: (session: AuthJsSession) => string | undefined
  /** Deletes a user. By default the adapter does. */
  readonly deleteUser?: (userId: string) => Promise<void>
}

/**
 * Connects Auth.js by its configuration: `identify: fromAuthJs(config)`. Logging out here ends the session there, and a
 * deleted member is deleted by the adapter. Call `m.users.deleteByLogin(id)` where your site deletes a user.
 */
export function fromAuthJs(config: AuthJsConfig, options: AuthJsOptions = {}): Identify {
  const basePath = (config.basePath ?? '/auth').replace(/\/$/, '')
  const isVerified = options.isVerified ?? isVerifiedByDefault
  const deleteUser = options.deleteUser ?? deletingWith(config.adapter)

  const call = async (action: string, visit: IdentifyInput, more: object = {}): Promise<Response> => {
    const { Auth, skipCSRFCheck } = await import('@auth/core')
    const headers = new Headers(visit.headers)
    // The body of the visitor's own request is not sent along.
    for (const name of ['content-length', 'content-type', 'transfer-encoding']) headers.delete(name)
    const method = action === 'signout' ? 'POST' : 'GET'
    const request = new Request(new URL(`${basePath}/${action}`, visit.url), {
      method,
      headers,
      ...(method === 'POST' ? { body: new URLSearchParams() } : {}),
    })
    return Auth(request, { ...config, basePath, ...more, skipCSRFCheck })
  }

  const identify = async (visit: IdentifyInput): Promise<Identity> => {
    let found: AuthJsSession | null = null
    const session = (given: AuthJsSession & { readonly session: unknown }) => {
      found = given
      return given.session
    }
    await (await call('session', visit, { callbacks: { ...config.callbacks, session } })).text()
    return identityIn(found)
  }
  const identityIn = (found: AuthJsSession | null): Identity => {
    if (found === null || !isVerified(found)) return null
    const email = found.user?.email ?? text(found.token?.email)
    if (!email) return null
    const name = found.user?.name ?? text(found.token?.name)
    const ownId = config.adapter ? (found.user?.id ?? text(found.token?.sub)) : undefined
    const userId = options.userId ? options.userId(found) : ownId
    return { email, ...(name ? { name } : {}), ...(userId ? { userId } : {}) }
  }

  return Object.assign(identify, {
    signOut: async (visit: IdentifyInput) => (await call('signout', visit)).headers.getSetCookie(),
    ...(deleteUser ? { deleteUser } : {}),
    loginPage: (redirect: string) => `${basePath}/signin?${new URLSearchParams({ callbackUrl: redirect })}`,
    ...loginPageOf(options),
  })
}

function isVerifiedByDefault({ user, token }: AuthJsSession): boolean {
  return user?.emailVerified instanceof Date || token?.email_verified === true
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function deletingWith(
  adapter:
    | { readonly deleteUser?: (id: string) => unknown; readonly getUser?: (id: string) => unknown }
    | undefined,
): ((userId: string) => Promise<void>) | undefined {
  if (!adapter?.deleteUser) return undefined
  return async (userId) => {
    // Some adapters refuse an id that is gone.
    if (adapter.getUser && (await adapter.getUser(userId)) == null) return
    await adapter.deleteUser?.(userId)
  }
}

/** A user of the site, as Passport puts it on the request. */
export interface PassportUser {
  readonly id?: string | number
  readonly email?: string | null
  readonly name?: string | null
  readonly emailVerified?: unknown
  readonly email_verified?: unknown
}

export interface PassportOptions<User> extends LoginOptions {
  /**
   * Names the person. By default `id`, `email` and `name` count, if `emailVerified` or `email_verified` is
   * true or a date. Return null for an address that the person has not proved.
   */
  readonly identity?: (user: User) => Identity
  /** Deletes a user of your site, after the member was deleted here. */
  readonly deleteUser?: (userId: string) => Promise<void>
}

/**
 * Connects Passport: `identify: fromPassport()`. Mount `passport.session()` above membership. Logging out here calls
 * `request.logout`. Call `m.users.deleteByLogin(id)` where your site deletes a user.
 */
export function fromPassport<User extends object = PassportUser>(
  options: PassportOptions<User> = {},
): Identify {
  const identityOf = options.identity ?? passportIdentity
  const identify = (visit: IdentifyInput): Identity => {
    const user = requestOf(visit).user
    return user ? identityOf(user as User) : null
  }
  return Object.assign(identify, {
    signOut: (visit: IdentifyInput) =>
      new Promise<readonly string[]>((done, fail) => {
        const request = requestOf(visit)
        // Its session middleware sets the cookie by itself.
        if (request.logout) request.logout((error) => (error ? fail(error) : done([])))
        else done([])
      }),
    ...(options.deleteUser ? { deleteUser: options.deleteUser } : {}),
    ...loginPageOf(options),
  })
}

/** Additions of Passport to the request: https://www.passportjs.org/concepts/authentication/logout/ */
interface PassportRequest {
  readonly user?: object | null
  readonly logout?: (done: (error?: unknown) => void) => void
}

function requestOf({ kind, request }: IdentifyInput): PassportRequest {
  if (kind !== 'koa') return (request ?? {}) as PassportRequest
  // koa-passport puts the user into the state, and the methods on the context.
  const { logout } = request as { logout?: PassportRequest['logout'] }
  return { user: request.state.user, ...(logout ? { logout: (done) => logout.call(request, done) } : {}) }
}

function passportIdentity(user: PassportUser): Identity {
  const verified = user.emailVerified ?? user.email_verified
  if (!user.email || !(verified === true || verified instanceof Date)) return null
  return {
    email: user.email,
    ...(user.name ? { name: user.name } : {}),
    ...(user.id === undefined ? {} : { userId: String(user.id) }),
  }
}

function loginPageOf({ loginPage }: LoginOptions): Pick<Identify, 'loginPage'> {
  if (loginPage === undefined) return {}
  if (typeof loginPage === 'function') return { loginPage }
  const mark = loginPage.includes('?') ? '&' : '?'
  return { loginPage: (redirect) => `${loginPage}${mark}${new URLSearchParams({ redirect })}` }
}
