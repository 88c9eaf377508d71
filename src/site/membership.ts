import { loadConfig } from '../core/config/index.ts'
import { watchSubscriptions } from '../core/dto/index.ts'
import { MembershipError } from '../core/errors.ts'
import { createAddresses } from '../core/http/addresses.ts'
import { inMemory } from '../core/http/counters.ts'
import { installationSecret } from '../core/http/installation-secret.ts'
import { openCounters } from '../core/http/open-counters.ts'
import { randomId } from '../core/http/tokens.ts'
import { createSchedule } from '../core/jobs/schedule.ts'
import { lazy } from '../core/lazy.ts'
import { tooOld } from '../core/node-version.ts'
import type { Known, Names, RegisteredNames } from '../core/register.ts'
import { openStorage, type Storage } from '../core/storage/index.ts'
import { storedProviders } from '../memberships/ledger/index.ts'
import type { View } from '../memberships/members/index.ts'
import type { ProviderDefinition } from '../providers/contract.ts'
import { allProviders, loadDefinitions } from '../providers/registry.ts'
import { documentOf } from './api/index.ts'
import { hostApi, operatorApi, salesApi, templateApi } from './assembly/api.ts'
import { createByMember } from './assembly/call-inputs.ts'
import { type Environment, notifyingSince, publicUrl, sitesOf } from './assembly/environment.ts'
import { type FormerNames, withFormerNames } from './assembly/former-names.ts'
import { jobsOf } from './assembly/jobs.ts'
import { createLists } from './assembly/lists.ts'
import { createRecorded, createRecordedCalls } from './assembly/recorded.ts'
import { createCallerLookup, createRequestContext } from './assembly/request-context.ts'
import { createRoutes, openOffice } from './assembly/routes.ts'
import { createServices, type Services } from './assembly/services.ts'
import { createSingle } from './assembly/single.ts'
import { awaited } from './awaited.ts'
import { currentView, install, runWithView, uninstall } from './current.ts'
import type { Membership } from './membership-api.ts'
import { checkOptions } from './option-mistakes.ts'
import { configOf, defaultLog, type MembershipOptions, secretFile } from './options.ts'
import { createRequestChain } from './request-chain.ts'

export type { Membership } from './membership-api.ts'

/**
 * Opens storage, runs migrations and builds one instance, which becomes the default of this process. With
 * plans from `definePlans()` the instance knows their names.
 * @throws ERR_CONFIG, ERR_STORAGE, ERR_INSTALLED
 */
export function createMembership<const Own extends string = string, N extends Names = RegisteredNames>(
  options?: MembershipOptions<Own, N>,
): Promise<Membership<Known<N>>> {
  return awaited(open((options ?? {}) as MembershipOptions)) as Promise<Membership<Known<N>>>
}

async function open(options: MembershipOptions): Promise<Membership> {
  const old = tooOld()
  if (old !== null) throw new MembershipError('ERR_CONFIG', old.message, { action: old.action })
  checkOptions(options)
  if (options.install === false) return build(options)
  return install({
    options: { ...options },
    create: () => build(options),
    replace: process.env.NODE_ENV === 'development',
  })
}

async function build(options: MembershipOptions): Promise<Membership> {
  const now = options.now ?? (() => new Date())
  const log = options.log ?? defaultLog
  const root = options.root === false ? false : (options.root ?? process.cwd())
  const loaded = await loadConfig({
    options: configOf(options),
    root,
    config: options.config,
    env: process.env,
    definitions: allProviders(options.customProviders),
  })
  const { config } = loaded
  for (const warning of [...loaded.warnings, ...loaded.formerNames]) log(warning)
  if (config.migration.watch || process.env.NODE_ENV !== 'production')
    watchSubscriptions(({ name, place, advice }) =>
      log(`A field of version 1 is read of a subscription: ${name}, in ${place}. ${advice}`),
    )

  const { database } = config
  const storage = await openStorage({ ...database, now, log })
  let counters = inMemory
  try {
    counters = await openCounters(config.ratelimit.store, { storage, log })
    return await assemble({
      options,
      config,
      addresses: createAddresses({
        url: config.url,
        base: config.base_path,
        log,
        hasIndex: config.reports.system !== null,
      }),
      storage,
      counters,
      now,
      log,
      randomId,
      sites: await sitesOf(storage, config),
      root,
      definitions: await withStored(loaded.definitions, options.customProviders ?? [], storage),
      secrets: lazy(() => config.secret ?? [installationSecret(secretFile(config.database.url))]),
      isProduction: process.env.NODE_ENV === 'production',
      isDevelopment: process.env.NODE_ENV !== 'production' && process.env.NODE_ENV !== 'test',
      notifiedSince: await notifyingSince(storage, options, config, { now, log }),
    })
  } catch (error) {
    await counters.close()
    await storage.close()
    throw error
  }
}

/**
 * Adds to the configured providers those that only older rows name: their amounts must still be formatted.
 */
async function withStored(
  configured: readonly ProviderDefinition[],
  own: readonly ProviderDefinition[],
  storage: Storage,
): Promise<ProviderDefinition[]> {
  const there = [...configured, ...own.filter((item) => !configured.includes(item))]
  const stored = await storedProviders(storage)
  const missing = stored.filter((key) => !there.some((item) => item.key === key))
  return [...there, ...(await loadDefinitions(missing))]
}

async function assemble(environment: Environment): Promise<Membership> {
  const { config, storage, addresses, log } = environment
  const services = await createServices(environment)
  const requestContext = createRequestContext(environment, services)
  const scope = <T>(view: View, fn: () => T): T => runWithView(membership, view, fn)
  const routes = createRoutes(environment, services, requestContext, scope)
  const office = await openOffice(environment, services, requestContext)
  await services.catalogue.load()

  const chain = createRequestChain({
    services,
    requestContext,
    routes,
    office,
    addresses,
    scope,
    log,
    brand: environment.config.brand,
  })
  const byMember = createByMember(services.users.findExisting)
  const asking = createCallerLookup(requestContext, routes.callers, byMember)
  const lists = createLists(services)
  const recorded = createRecorded(services.auditLog)
  const single = createSingle({ storage, users: services.users })
  const recordedCalls = createRecordedCalls({
    services,
    recorded,
    single,
    publicUrl: () => publicUrl(config),
  })
  const jobs = [...jobsOf(config, services), ...services.reports.jobs]
  const schedule = createSchedule(jobs, log)
  schedule.start()

  const calls: Omit<Membership, keyof FormerNames> = {
    storage,
    ...templateApi(requestContext, { current: () => currentView(membership), scope }),
    ...hostApi({ environment, services, requestContext, routes, chain, lists, calls: recordedCalls, scope }),
    ...salesApi({
      environment,
      services,
      routes,
      middleware: chain.middleware,
      asking,
      byMember,
      lists,
      calls: recordedCalls,
      recorded,
      single,
    }),
    ...operatorApi(environment, services, {
      byMember,
      lists,
      calls: recordedCalls,
      openapi: () => documentOf(routes.listing, addresses.base),
    }),
    listRoutes: () => [...routes.listing, ...(office?.listing ?? []), ...services.reports.listing],
    runDueJobs: async () => {
      for (const job of jobs) await job.run()
      // Notifies at once of what the fetches and links brought.
      await services.notifier.runDue()
      await services.outbox.deliverDue()
    },
    close: lazy(() => {
      uninstall(membership)
      return closeAll(environment, services, schedule)
    }),
  }
  const membership = withFormerNames(calls, log)
  environment.options.identify?.opened?.(membership.users.deleteByLogin)
  return membership
}

/** Closes an instance. Work that has begun is finished first, and the database closes last. */
async function closeAll(
  { counters, storage }: Environment,
  services: Services,
  schedule: ReturnType<typeof createSchedule>,
): Promise<void> {
  services.stopAsking()
  await Promise.all([services.reports.close(), schedule.stop(), services.outbox.close()])
  await services.receivers.close()
  await services.deliveries.flush().catch(() => undefined)
  for (const provider of services.providers.values()) await provider.close?.()
  await counters.close()
  await storage.close()
}
