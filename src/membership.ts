import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import Koa, { type Context, type Middleware } from 'koa'
import { checkoutRouter, createCheckout } from './checkout/index.ts'
import { type Config, loadConfig } from './config/index.ts'
import { currentView, install, runWithView, uninstall } from './current.ts'
import type { Plan } from './dto/index.ts'
import { MembershipError } from './errors.ts'
import { type GateOptions, gateMiddleware } from './gates/index.ts'
import { chain, createContextOf, isContext, isUser, toResponse } from './hosts.ts'
import { problems } from './http/problems.ts'
import { createSchedule } from './jobs/schedule.ts'
import { createLedger } from './ledger/index.ts'
import type { Log } from './log.ts'
import { createSessions, createUsers, toView, type User, type Users, type View } from './members/index.ts'
import {
  configOf,
  defaultLog,
  type HostRequest,
  type Identity,
  type MembershipOptions,
  secretFile,
} from './options.ts'
import { assets } from './pages/assets.ts'
import { errorTexts } from './pages/errors.ts'
import { createRender, type Render } from './pages/index.ts'
import { configuredProviders } from './providers/configured.ts'
import type { Provider, ProviderDefinition } from './providers/contract.ts'
import { allDefinitions } from './providers/registry.ts'
import { createRateLimit } from './ratelimit/index.ts'
import { createFetches } from './reconcile/fetches.ts'
import type { GateId } from './register.ts'
import { mountReports, type ReportsApi } from './reports/index.ts'
import { openStorage, type Storage } from './storage/index.ts'
import { createTokens } from './tokens/index.ts'
import { installationSecret } from './tokens/installation-secret.ts'
import { createInbox, type Inbox } from './webhooks/inbox.ts'
import { createPull, type Pull } from './webhooks/pull.ts'
import { webhookRouter } from './webhooks/router.ts'

/** One independent membership: storage, providers, routes, and the template API. */
export interface Membership {
  readonly config: Config
  readonly users: Users
  readonly storage: Storage
  /** The member of the running request. @throws ERR_NO_VIEW outside of one */
  user(): User | null
  provider(key?: string): ReturnType<View['provider']>
  allows(gate: GateId | readonly GateId[]): boolean
  disallows(gate: GateId | readonly GateId[]): boolean
  plans(): readonly Plan[]
  /** Loads a visitor or member once; the view answers everything without waiting. */
  viewOf(subject: HostRequest | User | null): Promise<View>
  /** Runs `fn` as that member, for scripts, mails and tests. */
  runAs<T>(user: User | null, fn: () => T): T
  /** The view of every request, and all routes. */
  koa(): Middleware
  /** The view alone. */
  middleware(): Middleware
  readonly webhooks: Pick<Inbox, 'list' | 'get' | 'replay' | 'release' | 'receive'> & {
    pull: Pull
    routes(): Middleware
  }
  readonly checkout: { routes(): Middleware }
  /** The website index. @throws ERR_CONFIG where none is configured */
  readonly reports: ReportsApi
  gate(gate: GateId | readonly GateId[], options?: GateOptions): Middleware
  /** All routes for plain Node and Express: what is not ours goes to `next`, with the view in scope. */
  listener(): (request: IncomingMessage, response: ServerResponse, next?: (error?: unknown) => void) => void
  /** All routes for web-standard servers. */
  fetch(request: Request): Promise<Response>
  /** The hidden field that proves that a form was made for this browser. */
  formToken(ctx: Context): string
  /** @throws ERR_CSRF */
  checkForm(ctx: Context, token: unknown): void
  endSession(ctx: Context): Promise<void>
  readonly render: Render
  /** The signed headers of a delivery, with the provider's configured secret. */
  sign(provider: string, body: Buffer): Record<string, string>
  /** Does the background work that is due now: failed events, objects to ask for. */
  work(): Promise<void>
  close(): Promise<void>
}

/** Opens storage, runs migrations and builds one instance, installed as the default of this process.
 *  @throws ERR_CONFIG, ERR_STORAGE, ERR_INSTALLED */
export const createMembership = async (options: MembershipOptions = {}): Promise<Membership> => {
  if (options.install === false) return build(options)
  return install({
    options: { ...options },
    create: () => build(options),
    replace: process.env.NODE_ENV === 'development',
  })
}

const build = async (options: MembershipOptions): Promise<Membership> => {
  const now = options.now ?? (() => new Date())
  const log = options.log ?? defaultLog
  const randomId = () => randomBytes(18).toString('base64url')
  const root = options.root === false ? false : (options.root ?? process.cwd())
  const loaded = await loadConfig({
    options: configOf(options),
    root,
    config: options.config,
    env: process.env,
    definitions: allDefinitions(options.providers),
  })
  const { config } = loaded
  for (const warning of loaded.warnings) log(warning)

  const { database } = config
  const storage = await openStorage({ ...database, now })
  try {
    return assemble({
      options,
      config,
      storage,
      now,
      log,
      randomId,
      root,
      definitions: allDefinitions([...(options.providers ?? []), ...loaded.definitions]),
    })
  } catch (error) {
    await storage.close()
    throw error
  }
}

const assemble = (base: {
  options: MembershipOptions
  config: Config
  storage: Storage
  now: () => Date
  log: Log
  randomId: () => string
  root: string | false
  definitions: readonly ProviderDefinition[]
}): Membership => {
  const { options, config, storage, now, log, randomId, root, definitions } = base
  let secretMade: string | null = null
  const secret = () => {
    secretMade ??= config.secret ?? installationSecret(secretFile(config.database.url))
    return secretMade
  }
  const tokens = once(() => createTokens(secret(), now))
  const isProduction = process.env.NODE_ENV === 'production'

  const plans = Object.values(config.providers).flatMap((p) => Object.values(p.plans)) as Plan[]
  const configured = configuredProviders({
    config,
    definitions,
    storage,
    now,
    randomId,
    log,
    secret,
    isProduction,
  })
  const providers = new Map<string, Provider>([...configured].map(([key, { provider }]) => [key, provider]))

  const ledger = createLedger({
    storage,
    now,
    randomId,
    rules: { create: config.members.create, roles: config.members.roles },
    canFetch: (key) => providers.get(key)?.capabilities.fetch === true,
  })
  const inbox = createInbox({
    storage,
    ledger,
    providers: configured,
    now,
    log,
    retries: config.webhooks.retries,
    keepBodiesDays: config.webhooks.keep_bodies_days,
  })
  const fetches = createFetches({ storage, ledger, providers, now, log })
  const checkout = createCheckout({ storage, ledger, config, providers, now, randomId, log })
  const ratelimit = createRateLimit({ limit: config.ratelimit.limit })
  const render = createRender(root === false ? null : root, isProduction)

  const users = createUsers({
    storage,
    randomId,
    defaultRole: config.members.roles[0] ?? 'member',
    rules: {
      plans,
      pastDueSeconds: config.gates.past_due_seconds,
      fields: new Map(Object.entries(config.providers).map(([key, p]) => [p.field, key])),
      now,
    },
  })
  const viewRules = {
    plans: Object.freeze(plans),
    providerKeys: [...providers.keys()],
    handler: config.provider.handler,
  }
  const sessions = createSessions({
    storage,
    now,
    randomId,
    tokens: lazy(tokens),
    secure: (ctx) => config.url?.startsWith('https:') ?? ctx.secure,
  })

  const contextOf = createContextOf()

  const identified = async (identity: Identity): Promise<User | null> => {
    if (!identity) return null
    if ('id' in identity) return users.findById(identity.id)
    const known = await users.findByEmail(identity.email)
    if (known) return known.email_verified ? known : users.verify(known.id)
    return users.create({ email: identity.email, name: identity.name, verified: true })
  }
  const lookUp = async (subject: HostRequest): Promise<View> => {
    if (options.identify) return toView(await identified(await options.identify(subject)), viewRules)
    const ctx = isContext(subject) ? subject : contextOf(subject)
    const id = await sessions.memberId(ctx)
    return toView(id === null ? null : await users.findById(id), viewRules)
  }
  const viewOf = async (subject: HostRequest | User | null): Promise<View> => {
    if (subject === null || isUser(subject)) return toView(subject, viewRules)
    if (!isContext(subject)) return lookUp(subject)
    const kept = subject.state.membershipView as View | undefined
    if (kept) return kept
    const view = await lookUp(subject)
    subject.state.membershipView = view
    return view
  }
  const freshViewOf = async (ctx: Context): Promise<View> => {
    ctx.state.membershipView = undefined
    return viewOf(ctx)
  }

  const formToken = (ctx: Context) => tokens().formToken(sessions.browserId(ctx))
  const checkForm = (ctx: Context, token: unknown): void => {
    const origin = ctx.get('Origin')
    // By host alone: behind a proxy that ends TLS, the scheme that we see is not the visitor's.
    const own = config.url ? new URL(config.url).host : ctx.host
    const isForeign =
      origin !== '' && origin !== 'null' && (!URL.canParse(origin) || new URL(origin).host !== own)
    if (isForeign || !tokens().isFormToken(sessions.browserId(ctx), token))
      throw new MembershipError('ERR_CSRF', 'This form was not made for this browser, or is too old.', {
        action: 'Load the page again and send its form; cookies must be allowed.',
      })
  }
  const pageData = async (ctx: Context): Promise<Record<string, unknown>> => {
    const view = await freshViewOf(ctx)
    return {
      path: ctx.path,
      token: formToken(ctx),
      user: view.user(),
      magazine: { name: ctx.hostname, tagline: '' },
      ...(await options.pageData?.(ctx, view)),
    }
  }

  const webhookRoutes = webhookRouter({
    inbox,
    ratelimit,
    log,
    hasProvider: (key) => providers.has(key),
    providerKeys: () => [...providers.keys()],
    trustProxy: config.ratelimit.trust_proxy,
    limitVerified: config.ratelimit.webhooks,
  })
  const checkoutRoutes = checkoutRouter({
    checkout,
    sessions,
    viewOf,
    checkForm,
    render,
    pageData,
    ratelimit,
    now,
    log,
    publicUrl: config.url,
    trustProxy: config.ratelimit.trust_proxy,
  })
  const providerRoutes = [...providers.values()].flatMap(
    (p) => p.routes?.({ render, formToken, checkForm, log }) ?? [],
  )
  const webhookPart = webhookRoutes.routes() as unknown as Middleware
  const checkoutPart = checkoutRoutes.routes() as unknown as Middleware

  const reports = mountReports({
    config,
    storage,
    options: options.reports ?? {},
    root: root === false ? null : root,
    render,
    now,
    randomId,
    log,
  })

  const middleware: Middleware = async (ctx, next) => {
    const view = await viewOf(ctx)
    ;(ctx as Context & { membership: View }).membership = view
    return runWithView(membership, view, next)
  }
  const koa = chain([
    webhookPart,
    // Partners are no visitors: nobody is looked up for them.
    reports.middleware,
    middleware,
    checkoutPart,
    ...providerRoutes.map((router) => router.routes() as unknown as Middleware),
    assets('/membership/assets'),
    errorTexts(),
  ])
  const standalone = once(() => {
    const app = new Koa()
    app.silent = true
    app.use(problems(log))
    app.use(koa)
    app.use(() => {
      throw new MembershipError('ERR_NOT_FOUND', 'There is nothing at this address.')
    })
    return app.callback()
  })

  const work = async (): Promise<void> => {
    for (const provider of providers.values()) await provider.work?.()
  }
  const schedule = createSchedule(
    [
      { name: 'work of the providers', everyMs: 5000, run: work },
      { name: 'retry failed events', everyMs: 5000, run: inbox.retryDue },
      { name: 'ask providers', everyMs: 2000, run: fetches.runDue },
      { name: 'drop old bodies', everyMs: 3_600_000, run: inbox.dropOldBodies },
      ...reports.jobs,
    ],
    log,
  )
  schedule.start()
  let closing: Promise<void> | null = null

  const membership: Membership = {
    config,
    users,
    storage,
    user: () => currentView(membership).user(),
    provider: (key) => currentView(membership).provider(key),
    allows: (gate) => currentView(membership).allows(gate),
    disallows: (gate) => currentView(membership).disallows(gate),
    plans: () => viewRules.plans,
    viewOf,
    runAs: (user, fn) => runWithView(membership, toView(user, viewRules), fn),
    koa: () => koa,
    middleware: () => middleware,
    webhooks: {
      list: inbox.list,
      get: inbox.get,
      replay: inbox.replay,
      release: inbox.release,
      receive: inbox.receive,
      pull: createPull({ storage, inbox }),
      routes: () => webhookPart,
    },
    checkout: { routes: () => chain([middleware, checkoutPart]) },
    reports: reports.api,
    gate: gateMiddleware(viewOf, log),
    listener: () => (request, response, next) => {
      const isOurs = request.url?.startsWith('/membership/') || reports.isOurs(request.url)
      if (!next || isOurs) return void standalone()(request, response)
      lookUp(request).then((view) => runWithView(membership, view, () => next()), next)
    },
    fetch: (request) => toResponse(standalone(), request),
    formToken,
    checkForm,
    endSession: sessions.end,
    render,
    sign: (key, body) => {
      const found = configured.get(key)
      const first = found?.secrets[0]
      if (!found || !first)
        throw new MembershipError(
          'ERR_PROVIDER_UNKNOWN',
          `There is no webhook secret for the provider "${key}".`,
          {
            action: `Set membership.providers.${key}.webhook.`,
          },
        )
      return found.provider.sign(body, first.secret, now())
    },
    work: async () => {
      await work()
      await inbox.retryDue()
      await fetches.runDue()
      await inbox.dropOldBodies()
      for (const job of reports.jobs) await job.run()
    },
    close: () => {
      closing ??= (async () => {
        uninstall(membership)
        await Promise.all([reports.close(), schedule.stop()])
        for (const provider of providers.values()) await provider.close?.()
        await storage.close()
      })()
      return closing
    },
  }
  return membership
}

const once = <T>(make: () => T): (() => T) => {
  let made: { value: T } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

const lazy = (tokens: () => ReturnType<typeof createTokens>): ReturnType<typeof createTokens> => ({
  sign: (...args) => tokens().sign(...args),
  verify: (...args) => tokens().verify(...args),
  formToken: (...args) => tokens().formToken(...args),
  isFormToken: (...args) => tokens().isFormToken(...args),
})
