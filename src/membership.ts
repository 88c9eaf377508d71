import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import Koa, { type Context, type Middleware } from 'koa'
import type { Ground } from './assembly/ground.ts'
import { jobsOf } from './assembly/jobs.ts'
import { createPeople } from './assembly/people.ts'
import { createRooms } from './assembly/rooms.ts'
import { createRoutes } from './assembly/routes.ts'
import type { Catalogue } from './catalogue/index.ts'
import type { Actions } from './checkout/index.ts'
import { type Config, loadConfig } from './config/index.ts'
import { currentView, install, runWithView, uninstall } from './current.ts'
import type { Plan } from './dto/index.ts'
import { MembershipError } from './errors.ts'
import { type GateOptions, gateMiddleware } from './gates/index.ts'
import { chain, toResponse } from './hosts.ts'
import { problems } from './http/problems.ts'
import type { Outbox } from './jobs/outbox.ts'
import { createSchedule } from './jobs/schedule.ts'
import { toView, type User, type Users, type View } from './members/index.ts'
import { configOf, defaultLog, type HostRequest, type MembershipOptions, secretFile } from './options.ts'
import { assets } from './pages/assets.ts'
import { errorTexts } from './pages/errors.ts'
import type { Render } from './pages/index.ts'
import { allDefinitions } from './providers/registry.ts'
import type { GateId } from './register.ts'
import type { ReportsApi } from './reports/index.ts'
import { openStorage, type Storage } from './storage/index.ts'
import { installationSecret } from './tokens/installation-secret.ts'
import type { Inbox } from './webhooks/inbox.ts'

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
  /** The plans with what is for sale of one kind. */
  products(type?: 'recurring' | 'one_time'): readonly Plan[]
  /** Loads a visitor or member once; the view answers everything without waiting. */
  viewOf(subject: HostRequest | User | null): Promise<View>
  /** Runs `fn` as that member, for scripts, mails and tests. */
  runAs<T>(user: User | null, fn: () => T): T
  /** The view of every request, and all routes. */
  koa(): Middleware
  /** The view alone. */
  middleware(): Middleware
  readonly webhooks: Pick<Inbox, 'list' | 'get' | 'replay' | 'release' | 'receive'> & { routes(): Middleware }
  /** Purchases and what members do to their subscriptions. */
  readonly checkout: { routes(): Middleware }
  /** Login by a link in a mail, logout. */
  readonly login: { routes(): Middleware }
  /** What members do to their subscriptions, for code. */
  readonly actions: Actions
  /** Messages that wait or were given up: hooks, mails, calls to providers. */
  readonly outbox: Pick<Outbox, 'list' | 'replay'>
  readonly catalogue: Pick<Catalogue, 'refresh' | 'isStale'>
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
    return await assemble({
      options,
      config,
      storage,
      now,
      log,
      randomId,
      root,
      definitions: allDefinitions([...(options.providers ?? []), ...loaded.definitions]),
      secrets: once(() => config.secret ?? [installationSecret(secretFile(config.database.url))]),
      isProduction: process.env.NODE_ENV === 'production',
    })
  } catch (error) {
    await storage.close()
    throw error
  }
}

const assemble = async (ground: Ground): Promise<Membership> => {
  const { config, storage, now, log } = ground
  const rooms = createRooms(ground)
  const { configured, providers, inbox, outbox, teller, users, sessions, reports, catalogue } = rooms
  const people = createPeople(ground, rooms)
  const routes = createRoutes(ground, rooms, people)
  const { viewOf, viewRules, lookUp } = people
  await catalogue.load()

  const middleware: Middleware = async (ctx, next) => {
    rooms.mailing.noteAddress(ctx.req)
    const view = await viewOf(ctx)
    ;(ctx as Context & { membership: View }).membership = view
    return runWithView(membership, view, next)
  }
  const koa = chain([
    routes.webhooks,
    // Partners are no visitors: nobody is looked up for them.
    reports.middleware,
    middleware,
    ...routes.purchases,
    routes.login,
    ...routes.ofProviders,
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

  const jobs = [...jobsOf(rooms), ...reports.jobs]
  const schedule = createSchedule(jobs, log)
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
    products: (type) => toView(null, viewRules).products(type),
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
      routes: () => routes.webhooks,
    },
    checkout: { routes: () => chain([middleware, ...routes.purchases]) },
    login: { routes: () => chain([middleware, routes.login]) },
    actions: rooms.actions,
    outbox: { list: outbox.list, replay: outbox.replay },
    catalogue: { refresh: catalogue.refresh, isStale: catalogue.isStale },
    reports: reports.api,
    gate: gateMiddleware(viewOf, log),
    listener: () => (request, response, next) => {
      const isOurs = request.url?.startsWith('/membership/') || reports.isOurs(request.url)
      if (!next || isOurs) return void standalone()(request, response)
      lookUp(request).then((view) => runWithView(membership, view, () => next()), next)
    },
    fetch: (request) => toResponse(standalone(), request),
    formToken: people.formToken,
    checkForm: people.checkForm,
    endSession: sessions.end,
    render: rooms.render,
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
      for (const job of jobs) await job.run()
      // What the fetches and the links brought is told at once.
      await teller.runDue()
      await outbox.deliverDue()
    },
    close: () => {
      closing ??= (async () => {
        uninstall(membership)
        await Promise.all([reports.close(), schedule.stop(), outbox.close()])
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
