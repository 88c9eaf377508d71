import { randomBytes } from 'node:crypto'
import Koa, { type Context, type Middleware } from 'koa'
import { type Config, loadConfig } from '../core/config/index.ts'
import { MembershipError } from '../core/errors.ts'
import { installationSecret } from '../core/http/installation-secret.ts'
import { problems } from '../core/http/problems.ts'
import { createSchedule } from '../core/jobs/schedule.ts'
import { lazy } from '../core/lazy.ts'
import { assets } from '../core/pages/assets.ts'
import { errorTexts } from '../core/pages/error-texts.ts'
import { openStorage, type Storage } from '../core/storage/index.ts'
import { storedProviders } from '../memberships/ledger/index.ts'
import { gateMiddleware, toView, type View } from '../memberships/members/index.ts'
import { signWith } from '../providers/configured.ts'
import type { ProviderDefinition } from '../providers/contract.ts'
import { allProviders, loadDefinitions } from '../providers/registry.ts'
import { describing, documentOf } from './api/index.ts'
import type { Ground } from './assembly/ground.ts'
import type { Membership } from './assembly/instance.ts'
import { jobsOf } from './assembly/jobs.ts'
import { createPeople } from './assembly/people.ts'
import { createRooms } from './assembly/rooms.ts'
import { createRoutes } from './assembly/routes.ts'
import { tellingSince } from './assembly/telling-since.ts'
import { currentView, install, runWithView, uninstall } from './current.ts'
import { below, chain, toResponse } from './hosts.ts'
import { configOf, defaultLog, type MembershipOptions, secretFile } from './options.ts'

export type { Membership } from './assembly/instance.ts'

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
    definitions: allProviders(options.providers),
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
      definitions: await withStored(loaded.definitions, options.providers ?? [], storage),
      secrets: lazy(() => config.secret ?? [installationSecret(secretFile(config.database.url))]),
      isProduction: process.env.NODE_ENV === 'production',
      toldSince: await tellingSince(storage, options, now),
    })
  } catch (error) {
    await storage.close()
    throw error
  }
}

/** The definitions that this instance needs: of what is configured, and of what only the rows of earlier years name,
 *  whose amounts are written still. */
const withStored = async (
  configured: readonly ProviderDefinition[],
  own: readonly ProviderDefinition[],
  storage: Storage,
): Promise<ProviderDefinition[]> => {
  const there = [...configured, ...own.filter((one) => !configured.includes(one))]
  const stored = await storedProviders(storage)
  const missing = stored.filter((key) => !there.some((one) => one.key === key))
  return [...there, ...(await loadDefinitions(missing))]
}

const assemble = async (ground: Ground): Promise<Membership> => {
  const { config, storage, now, log } = ground
  const rooms = await createRooms(ground)
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
    below('/membership/', [routes.webhooks, routes.health]),
    // Partners are no visitors: nobody is looked up for them.
    reports.middleware,
    middleware,
    below('/membership/', [...routes.purchases, routes.login, routes.account]),
    ...routes.ofProviders,
    assets('/membership/assets'),
    errorTexts(),
    describing(() => routes.listing),
  ])
  const standaloneOf = (routes: Middleware) => {
    const app = new Koa()
    app.silent = true
    // No middleware of a host's waits here for an answer to leave: the busiest may end theirs themselves.
    Object.assign(app.context, { answersAlone: true })
    app.use(problems(log))
    app.use(routes)
    app.use(() => {
      throw new MembershipError('ERR_NOT_FOUND', 'There is nothing at this address.')
    })
    return app.callback()
  }
  const standalone = lazy(() => standaloneOf(koa))
  const partners = lazy(() => standaloneOf(reports.middleware))

  const jobs = [...jobsOf(config, rooms), ...reports.jobs]
  const schedule = createSchedule(jobs, log)
  schedule.start()
  let closing: Promise<void> | null = null

  const membership: Membership = {
    config,
    users: { ...users, merge: rooms.merging.merge, unmerge: rooms.merging.unmerge },
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
      receive: rooms.receive,
      pull: rooms.pull,
      routes: () => routes.webhooks,
    },
    checkout: { routes: () => chain([middleware, ...routes.purchases]) },
    login: { routes: () => chain([middleware, routes.login]) },
    account: {
      routes: () => chain([middleware, routes.account]),
      readable: rooms.selfService.readable,
      fieldsOf: (user) => rooms.fieldsOf(user.roles),
      export: rooms.exportOf,
      setEmail: rooms.emailUndo.set,
      loginLink: (memberId) => rooms.links.give(memberId, publicUrl(config)),
      delete: rooms.deletions.request,
    },
    actions: rooms.actions,
    audit: rooms.deeds,
    outbox: { list: outbox.list, replay: outbox.replay },
    compare: rooms.compare,
    import: rooms.importing,
    health: rooms.health,
    switchProvider: rooms.switchProvider,
    payments: rooms.unassigned,
    catalogue: { refresh: catalogue.refresh, isStale: catalogue.isStale },
    reports: reports.api,
    gate: gateMiddleware(viewOf, log, () => viewRules.plans),
    listener: () => (request, response, next) => {
      if (reports.isOurs(request.url)) return void partners()(request, response)
      const isOurs = request.url?.startsWith('/membership/')
      if (!next || isOurs) return void standalone()(request, response)
      lookUp(request).then((view) => runWithView(membership, view, () => next()), next)
    },
    fetch: (request, origin) => toResponse(standalone(), request, origin),
    voiceOf: people.voiceOf,
    formToken: people.formToken,
    checkForm: people.checkForm,
    routes: () => routes.listing,
    openapi: () => documentOf(routes.listing),
    openSession: sessions.open,
    endSession: sessions.end,
    render: rooms.render,
    sign: (key, body) => signWith(configured, key, body, now()),
    work: async () => {
      for (const job of jobs) await job.run()
      // What the fetches and the links brought is told at once.
      await teller.runDue()
      await outbox.deliverDue()
    },
    close: () => {
      closing ??= (async () => {
        uninstall(membership)
        rooms.stopAsking()
        await Promise.all([reports.close(), schedule.stop(), outbox.close()])
        await rooms.deliveries.flush().catch(() => undefined)
        for (const provider of providers.values()) await provider.close?.()
        await storage.close()
      })()
      return closing
    },
  }
  return membership
}

const publicUrl = ({ url }: Config): string => {
  if (url !== null) return url
  throw new MembershipError('ERR_CONFIG', 'A link needs the address of the site.', {
    action: 'Set membership.url, such as https://example.com.',
  })
}
