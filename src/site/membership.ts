import { randomBytes } from 'node:crypto'
import type { Context, Middleware } from 'koa'
import { loadConfig } from '../core/config/index.ts'
import { inMemory } from '../core/http/counters.ts'
import { installationSecret } from '../core/http/installation-secret.ts'
import { makes, onKoa } from '../core/http/on-koa.ts'
import { openCounters } from '../core/http/open-counters.ts'
import { createSchedule } from '../core/jobs/schedule.ts'
import { lazy } from '../core/lazy.ts'
import { assets } from '../core/pages/assets.ts'
import { errorTexts } from '../core/pages/error-texts.ts'
import { openStorage, type Storage } from '../core/storage/index.ts'
import { storedProviders } from '../memberships/ledger/index.ts'
import { createGuard, gateMiddleware, toView, type View } from '../memberships/members/index.ts'
import { signWith } from '../providers/configured.ts'
import type { ProviderDefinition } from '../providers/contract.ts'
import { allProviders, loadDefinitions } from '../providers/registry.ts'
import { describing, documentOf } from './api/index.ts'
import { createAsking } from './assembly/asking.ts'
import { actionsForCode } from './assembly/code-actions.ts'
import { createForms } from './assembly/forms.ts'
import type { Ground } from './assembly/ground.ts'
import type { Membership } from './assembly/instance.ts'
import { jobsOf } from './assembly/jobs.ts'
import { openOffice } from './assembly/office.ts'
import { createPeople } from './assembly/people.ts'
import { createRooms } from './assembly/rooms.ts'
import { createRoutes } from './assembly/routes.ts'
import { createSelling } from './assembly/selling.ts'
import { createServing } from './assembly/serving.ts'
import { publicUrl } from './assembly/site-name.ts'
import { tellingSince } from './assembly/telling-since.ts'
import { awaited } from './awaited.ts'
import { currentView, install, runWithView, uninstall } from './current.ts'
import { unsharedOnceAsked } from './hosts/asked.ts'
import { below, chain } from './hosts/chain.ts'
import { isUser } from './hosts/contexts.ts'
import { checkOptions } from './option-mistakes.ts'
import { configOf, defaultLog, type HostRequest, type MembershipOptions, secretFile } from './options.ts'

export type { Membership } from './assembly/instance.ts'

/** Opens storage, runs migrations and builds one instance, installed as the default of this process.
 *  @throws ERR_CONFIG, ERR_STORAGE, ERR_INSTALLED */
export const createMembership = (options: MembershipOptions = {}): Promise<Membership> =>
  awaited(open(options))

const open = async (options: MembershipOptions): Promise<Membership> => {
  checkOptions(options)
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
  let counters = inMemory
  try {
    counters = await openCounters(config.ratelimit.store, { storage, log })
    return await assemble({
      options,
      config,
      storage,
      counters,
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
    await counters.close()
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
  const office = await openOffice(ground, rooms, people)
  const { viewOf, viewRules } = people
  await catalogue.load()

  const middleware: Middleware = async (ctx, next) => {
    rooms.mailing.noteAddress(ctx.req)
    const view = unsharedOnceAsked(await viewOf(ctx), ctx.res)
    ;(ctx as Context & { membership: View }).membership = view
    return runWithView(membership, view, next)
  }
  const koa = chain([
    below('/membership/', [routes.webhooks, routes.health]),
    // Partners are no visitors: nobody is looked up for them.
    reports.middleware,
    middleware,
    below('/membership/', [...routes.purchases, ...routes.shop, routes.login, routes.account]),
    ...(office === null ? [] : [below('/membership/office', [office])]),
    ...routes.ofProviders,
    assets('/membership/assets'),
    errorTexts(),
    describing(() => routes.listing),
  ])
  const asking = createAsking(people, routes.callers)
  const selling = createSelling({
    now,
    config,
    asking,
    checkout: rooms.checkout,
    sessions,
    plans: catalogue.all,
    publicUrl: () => publicUrl(config),
    randomId: ground.randomId,
  })

  const jobs = [...jobsOf(config, rooms), ...reports.jobs]
  const schedule = createSchedule(jobs, log)
  schedule.start()
  let closing: Promise<void> | null = null

  const membership: Membership = {
    config,
    users: { ...users, ...rooms.mergingForCode },
    storage,
    user: () => currentView(membership).user(),
    provider: (key) => currentView(membership).provider(key),
    allows: (gate) => currentView(membership).allows(gate),
    disallows: (gate) => currentView(membership).disallows(gate),
    plans: () => viewRules.plans,
    products: (type) => toView(null, viewRules).products(type),
    viewOf,
    runAs: (subject, fn) =>
      runWithView(membership, subject === null || isUser(subject) ? toView(subject, viewRules) : subject, fn),
    koa: makes('m.koa', () => onKoa('m.koa()', koa)),
    middleware: makes('m.middleware', () => onKoa('m.middleware()', middleware)),
    webhooks: {
      list: inbox.list,
      get: inbox.get,
      replay: inbox.replay,
      release: inbox.release,
      receive: rooms.receive,
      pull: rooms.pull,
      routes: makes('m.webhooks.routes', () => onKoa('m.webhooks.routes()', routes.webhooks)),
    },
    /** What arrived by the public pages of the shop. */
    declarations: { list: rooms.declarations.list, settle: rooms.declarations.settle },
    checkout: {
      routes: () => chain([middleware, ...routes.purchases, ...routes.shop]),
      start: selling.start,
    },
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
    actions: actionsForCode(rooms.actions, asking, () => publicUrl(config)),
    audit: rooms.deeds,
    ...rooms.restoring,
    outbox: { list: outbox.list, replay: outbox.replay },
    compare: rooms.compare,
    import: rooms.importing,
    health: rooms.health,
    switchProvider: rooms.switchProvider,
    payments: rooms.unassigned,
    catalogue: { refresh: catalogue.refresh, isStale: catalogue.isStale },
    reports: reports.api,
    gate: gateMiddleware(viewOf, log, () => viewRules.plans, routes.lockedPage),
    lockedPage: routes.lockedPage,
    ...createServing({
      koa,
      reports,
      people,
      log,
      scope: (view, fn) => runWithView(membership, view, fn),
    }),
    guard: createGuard<HostRequest>(viewOf, log, () => viewRules.plans),
    ...createForms({ contexts: people.contexts, tokenFor: people.formToken, render: rooms.render }),
    voiceOf: people.voiceOf,
    said: people.spoken,
    checkForm: people.checkForm,
    routes: () => [...routes.listing, ...(office?.listing ?? []), ...reports.listing],
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
        await ground.counters.close()
        await storage.close()
      })()
      return closing
    },
  }
  return membership
}
