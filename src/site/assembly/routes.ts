import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type Router from '@koa/router'
import type { Context, Middleware } from 'koa'
import { isInEurope, taxOf } from '../../core/config/europe.ts'
import { isMembershipError } from '../../core/errors.ts'
import { createCallers } from '../../core/http/callers.ts'
import { type FormRoutes, type FormTools, paramOf } from '../../core/http/form-router.ts'
import { createPasses } from '../../core/http/passes.ts'
import { createRateLimit } from '../../core/http/rate-limit.ts'
import { type Access, access, type Route } from '../../core/http/route-access.ts'
import { fingerprint } from '../../core/http/tokens.ts'
import type { ProviderKey } from '../../core/register.ts'
import {
  accountRouter,
  addressRouter,
  languageRouter,
  leavingRouter,
  loginRouter,
  mergeRequestRouter,
  paperRouter,
  passRouter,
} from '../../memberships/account/index.ts'
import {
  actionsRouter,
  checkoutRouter,
  createOrderPages,
  payingRouter,
  shopLawOf,
} from '../../memberships/checkout/index.ts'
import { downloadRouter } from '../../memberships/downloads/index.ts'
import { giftRouter } from '../../memberships/gifts/index.ts'
import { groupRouter } from '../../memberships/groups/index.ts'
import { courtesyRouter } from '../../memberships/mails/index.ts'
import type { PageTools, View } from '../../memberships/members/index.ts'
import { healthRouter } from '../../memberships/monitoring/index.ts'
import { raiseRouter } from '../../memberships/raises/index.ts'
import { shopRouter } from '../../memberships/shop/index.ts'
import { switchRouter } from '../../memberships/switching/index.ts'
import { isPing } from '../../memberships/verification/index.ts'
import { webhookRouter } from '../../memberships/webhooks/index.ts'
import { digitsOf } from '../../providers/registry.ts'
import { hasOwnConfig } from '../config-in-code.ts'
import { chain } from '../hosts/chain.ts'
import { identifyInputOf } from '../identify-input.ts'
import type { Identify } from '../options.ts'
import { createPages, pagesRouter } from '../pages/index.ts'
import { type Environment, publicUrl, siteNameOf } from './environment.ts'
import { auditRouter } from './leak-audit.ts'
import { createErrorPage, createLockedPage, createVisitor, type RequestContext } from './request-context.ts'
import { createSellerOf, shopSeller } from './sale.ts'
import type { Services } from './services.ts'

// A visitor who waits for a page should not wait long for the provider's rate limit.
const patienceOfPageMs = 5000

/** Dependencies of the routes. */
interface Parts {
  readonly environment: Environment
  readonly services: Services
  readonly requestContext: RequestContext
  readonly tools: RouteTools
}

/** Builds every route of the membership half, in parts that a host can mount separately. */
export function createRoutes(
  environment: Environment,
  services: Services,
  requestContext: RequestContext,
  scope: <T>(view: View, fn: () => T) => T,
) {
  const tools = createRouteTools(environment, services, requestContext)
  const parts: Parts = { environment, services, requestContext, tools }
  const webhooks = webhookRoutes(parts)
  const health = healthRouter({ health: services.health, log: environment.log })
  const purchases = purchaseRoutes(parts)
  const shop = shopRoutes(parts)
  const login = [loginRoutes(parts), passRoutes(parts)]
  const downloads = downloadRoutes(parts, scope)
  const shown = shownPages(parts)
  const account = [
    ...accountRoutes(parts),
    mergeRoutes(parts),
    pagesRouter({ ...tools.form, pages: shown, paths: services.pages }),
  ]
  const ofProviders = providerRoutes(parts)
  const audit = auditRouter({ ...tools.form, tokens: services.tokens })
  const listing: readonly Route[] = [
    ...[...purchases, ...shop, ...login, ...account, downloads, audit].flatMap((routes) => routes.listing),
    ...ofProviders.flatMap((router) => listed(router, access.holder)),
    ...listed(health, access.anybody),
    ...listed(webhooks, access.signed).filter(({ method }) => method === 'POST'),
    ...fixedRoutes,
  ]
  return {
    webhooks: served(webhooks),
    health: served(health),
    purchases,
    shop,
    downloads,
    audit,
    login: chain(login),
    account: chain(account),
    lockedPage: createLockedPage(requestContext.contexts, shown.locked),
    visitor: createVisitor(requestContext.contexts, async (ctx) =>
      environment.addresses.inData(await shown.visitor(ctx)),
    ),
    limitPage: shown.limited,
    ofProviders: ofProviders.map(served),
    listing,
    callers: tools.callers,
  }
}

function webhookRoutes({ environment: { config, log }, services, tools }: Parts) {
  return webhookRouter({
    receive: services.receive,
    isPing: (key, delivery) => isPing(services.providers.get(key) ?? {}, delivery),
    callers: tools.callers,
    log,
    hasProvider: (key) => services.providers.has(key),
    providerKeys: () => [...services.providers.keys()],
    limitVerified: config.ratelimit.webhooks,
  })
}

/** Routes of checkout, and of members' actions on their purchases. */
function purchaseRoutes({ environment: { config, addresses, now }, services, tools }: Parts) {
  const { actions, checkout, settling, sessions } = services
  const { form, page } = tools
  const plans = services.catalogue.all
  const law = shopLawOf(config.shop)
  const sellerOf = (provider: string): string | null => services.providers.get(provider)?.seller?.name ?? null
  const ordering = { checkout, page, law, sellerOf, now }
  return [
    checkoutRouter({
      form,
      page,
      actions,
      checkout,
      addresses,
      settling,
      sessions,
      now,
      orders: createOrderPages({ ...ordering, hasCodeField: config.shop.code_field }),
      waiting: tools.waiting,
      newcomers: services.newcomers,
      giftOf: services.gifts.ofIntent,
    }),
    actionsRouter({
      form,
      page,
      actions,
      checkout,
      addresses,
      law,
      now,
      offer: config.account.offer,
      browserOf: (ctx) => fingerprint(sessions.browserId(ctx)),
    }),
    raiseRouter({
      form,
      page,
      plans,
      now,
      raises: services.raises,
      cancel: actions.cancel,
      tokens: services.tokens,
    }),
    switchRouter({ form, page, plans, switchedMembers: services.switchedMembers }),
    groupRouter({
      form,
      page,
      plans,
      now,
      groups: services.groups,
      countMail: tools.countMail('group-invitation'),
    }),
    giftRouter({
      form,
      page,
      checkout,
      addresses,
      sessions,
      plans,
      now,
      gifts: services.gifts,
      orders: createOrderPages(ordering),
      handler: config.provider.handler,
      tryCode: tools.tryCode,
    }),
  ]
}

/** Routes that the law requires without a login, and those that mails link to. */
function shopRoutes({ environment: { config, log }, services, tools }: Parts) {
  const { form, page, mayMail } = tools
  return [
    payingRouter({ form, page, paying: services.paying, plans: services.catalogue.all }),
    ...(isInEurope(config.shop.country)
      ? [
          shopRouter({
            form,
            page,
            declarations: services.declarations,
            mayWrite: mayMail('declaration'),
          }),
        ]
      : []),
    courtesyRouter({
      ...page,
      courtesy: services.mailing.courtesy,
      limit: form.limit,
      errorPage: form.errorPage,
      log,
    }),
  ]
}

/** Ends the person's session at the site's own login, and passes its cookies on. */
function signOutOf(identify: Identify | undefined) {
  return async (ctx: Context): Promise<void> => {
    const cookies = await identify?.signOut?.(identifyInputOf(ctx))
    for (const cookie of cookies ?? []) ctx.append('Set-Cookie', cookie)
  }
}

function loginRoutes({
  environment: { options, addresses },
  services: { links, sessions, mailing },
  tools,
}: Parts) {
  const { loginPage } = options.identify ?? {}
  return loginRouter({
    form: tools.form,
    page: tools.page,
    links,
    sessions,
    mayAsk: tools.mayMail('login'),
    signOut: signOutOf(options.identify),
    loginPage: loginPage === undefined ? null : (redirect) => loginPage(addresses.of(redirect)),
    requireMails: mailing.requireMails,
  })
}

function passRoutes({
  environment: { config, secrets, now },
  services: { sessions, mailing },
  requestContext: { freshViewOf },
  tools,
}: Parts) {
  return passRouter({
    ...tools.form,
    ...config.pass,
    passes: createPasses(secrets, now),
    sessions,
    viewOf: freshViewOf,
    siteUrl: mailing.siteUrl,
    now,
  })
}

function downloadRoutes(
  { services: { downloads }, requestContext: { viewOf }, tools }: Parts,
  scope: <T>(view: View, fn: () => T) => T,
) {
  return downloadRouter({ ...tools.form, ...downloads, failing: tools.failing, viewOf, scope })
}

/** What members see, change, export and delete of their own account. */
function accountRoutes({ environment: { config, options, now, log }, services, tools }: Parts) {
  const { form, page } = tools
  const { selfService, emailChanges, emailUndo, sessions } = services
  return [
    accountRouter({
      form,
      page,
      selfService,
      emailChanges,
      countMail: tools.countMail('email-change'),
      isHosts: services.identities.isHosts,
      requireMails: services.mailing.requireMails,
      compareMember: (memberId) => services.compare({ memberId, write: true, patienceMs: patienceOfPageMs }),
      countCompared: services.countCompare,
      updateProviders: (user, customer) => services.outbox.steps(services.customers.messages(user, customer)),
      nudge: services.outbox.nudge,
    }),
    languageRouter({ form, page, selfService, sessions, findLanguage: services.words.findLanguage }),
    addressRouter({ form, page, emailChanges, emailUndo, sessions }),
    paperRouter({
      form,
      page,
      seller: shopSeller(config, services.site),
      sellerOf: createSellerOf(services.providers),
      contact: config.shop.email,
      tax: taxOf(config.shop),
      sheetOf: async ({ provider, id }) =>
        (await services.providers.get(provider)?.invoiceSheet?.(id)) ?? null,
    }),
    leavingRouter({
      form,
      page,
      sessions,
      now,
      exportOf: services.exportOf,
      deletions: services.deletions,
      // The account is deleted then, whatever becomes of the session.
      signOut: (ctx) =>
        signOutOf(options.identify)(ctx).catch((error) =>
          log('the login ended no session', { reason: String(error) }),
        ),
    }),
  ]
}

function mergeRoutes({ services, tools }: Parts) {
  return mergeRequestRouter({
    form: tools.form,
    page: tools.page,
    mergeRequests: services.mergeRequests,
    countOwn: tools.countMail('merge-own'),
    mayAskOther: tools.mayMail('merge-other'),
  })
}

/** The account, the prices, and the page shown in place of a locked one. */
function shownPages({
  environment: { config, addresses, root, now },
  services,
  requestContext: { formToken },
  tools,
}: Parts) {
  return createPages({
    ...tools.page,
    formToken,
    profile: {
      readable: services.selfService.readable,
      fieldsOf: (user) => services.fieldsOf(user.roles),
      changesAddress: async (user) =>
        services.mailing.notices !== null && !(await services.identities.isHosts(user.id)),
      hidden: root !== false && existsSync(join(root, 'blueprints')) ? [] : ['newsletter'],
    },
    firstPrice: services.users.firstPrice,
    giftsOf: async (user) => (await services.gifts.ofMember(user)).bought,
    groupsOf: services.groups.ofMember,
    buysElsewhere: async (user, provider) => {
      for (const { id, account } of user.customers(provider as ProviderKey))
        if (await services.ledger.buysElsewhere({ provider, account, id })) return true
      return false
    },
    appUserIdOf: async (user) => {
      const readsApps = [...services.providers.values()].some(({ stores }) => stores !== undefined)
      return readsApps ? services.identities.appUserId(user) : null
    },
    paths: services.pages,
    pageOf: addresses.pageOf,
    tax: taxOf(config.shop),
    features: Object.keys(config.features),
    now,
  })
}

function providerRoutes({ services, requestContext: { voiceOf, formToken }, tools: { form, page } }: Parts) {
  const { limit, checkForm, errorPage, log } = form
  const { render, accountPath } = page
  return [...services.providers.values()].flatMap(
    (p) => p.routes?.({ render, voiceOf, formToken, checkForm, limit, errorPage, accountPath, log }) ?? [],
  )
}

function served(router: Router): Middleware {
  return router.routes() as unknown as Middleware
}

// Static files, and the partner API, which has no sessions.
const fixedRoutes: readonly Route[] = [
  { method: 'GET', path: '/membership/assets/:file', access: access.anybody },
  { method: 'GET', path: '/membership/errors/:code', access: access.anybody },
  { method: 'GET', path: '/membership/openapi.json', access: access.anybody },
  { method: '*', path: '/reports/*', access: access.partner },
]

function listed({ stack }: Router, to: Access): Route[] {
  return stack.flatMap(({ path, methods }) =>
    methods
      .filter((method) => method !== 'HEAD')
      .map((method) => ({ method, path: String(path), access: to })),
  )
}

// A mailbox gets at most this many mails of one kind per minute, from all requesters together.
const mailsPerMinute = 3
/**
 * Forms that mail an address somebody typed. Each is counted separately, so that filling in one form cannot
 * block a member's login.
 */
export type MailingForm =
  | 'login'
  | 'declaration'
  | 'email-change'
  | 'merge-own'
  | 'merge-other'
  | 'group-invitation'
// Limit of gift codes that one caller may try in a minute.
const codesPerMinute = 10
// A confirmation page polls twenty times in its first minute. Several tabs or a script may poll as well.
const pollsPerMinute = 120

export type RouteTools = ReturnType<typeof createRouteTools>

/** Builds the tools that count, check and render routes. */
export function createRouteTools(
  { config, addresses, counters, log }: Environment,
  services: Services,
  requestContext: RequestContext,
) {
  const { pageData, freshViewOf, voiceOf, languageOf, checkForm, authenticationOf } = requestContext
  const render: typeof services.render = (template, data) =>
    services.render(template, {
      money: (amount: number, currency: string, provider?: string) =>
        services.money({ amount, currency, provider }, data.locale as string | undefined),
      ...data,
    })

  const { ratelimit, site, pages } = services
  const callers = createCallers({ ratelimit, trustProxy: config.ratelimit.trust_proxy, log })
  const limit: Middleware = async (ctx, next) => {
    ctx.set(await callers.count(callers.callerOf(ctx.req)))
    await next()
  }
  const pollLimit = createRateLimit({ limit: pollsPerMinute, policy: 'waiting', who: 'one page', counters })
  // Polling is counted by checkout. A request for an unknown checkout counts against the caller.
  const waiting: Middleware = async (ctx, next) => {
    await pollLimit.consume(paramOf(ctx as Context, 'token'))
    await next().catch(async (error: unknown) => {
      if (isMembershipError(error, 'ERR_INTENT_UNKNOWN'))
        ctx.set(await callers.count(callers.callerOf(ctx.req)))
      throw error
    })
  }
  // Players ask for many ranges of a file; a request that finds none counts against the caller.
  const failing: Middleware = async (ctx, next) => {
    await next().catch(async (error: unknown) => {
      ctx.set(await callers.count(callers.callerOf(ctx.req)))
      throw error
    })
  }
  /**
   * Counts a form that sends mail.
   * @throws ERR_RATE_LIMIT for the fourth one to an address within a minute
   */
  const countMail = (form: MailingForm) => {
    const mails = createRateLimit({
      limit: mailsPerMinute,
      name: `mails-${form}`,
      policy: 'mails',
      counters,
      who: 'forms with this e-mail address',
      setting: null,
    })
    return async (email: string): Promise<void> => void (await mails.consume(fingerprint(email)))
  }
  /** Does the same for forms that must not reveal members' addresses: returns false above the limit. */
  const mayMail = (form: MailingForm) => {
    const count = countMail(form)
    return (email: string): Promise<boolean> =>
      count(email).then(
        () => true,
        (error: unknown) => {
          if (isMembershipError(error, 'ERR_RATE_LIMIT')) return false
          throw error
        },
      )
  }

  const tries = createRateLimit({
    limit: codesPerMinute,
    policy: 'gift-codes',
    counters,
    who: 'your address',
    setting: null,
  })
  const ownTries = createRateLimit({
    limit: codesPerMinute,
    name: 'gift-codes-of',
    policy: 'gift-codes',
    counters,
    who: 'your account',
    setting: null,
  })
  const tryCode = async <T>(ctx: Context, memberId: string | null, lookUp: () => Promise<T>): Promise<T> => {
    const { address } = callers.callerOf(ctx.req)
    // Counted before the look-up, so that of many at once none is free, and given back for a code that exists.
    await tries.consume(address)
    if (memberId !== null) await ownTries.consume(memberId)
    const giveBack = async (): Promise<void> => {
      await tries.giveBack(address)
      if (memberId !== null) await ownTries.giveBack(memberId)
    }
    try {
      const found = await lookUp()
      await giveBack()
      return found
    } catch (error) {
      if (!isMembershipError(error, 'ERR_NOT_FOUND')) await giveBack()
      throw error
    }
  }

  const errorPage = createErrorPage({ render, pageData, voiceOf, pageOf: addresses.pageOf, site, pages })
  const form = { limit, checkForm, authenticationOf, errorPage, log } satisfies FormTools
  const page: PageTools = {
    viewOf: freshViewOf,
    voiceOf,
    languageOf,
    say: services.saying.say,
    render,
    pageData,
    accountPath: pages.account,
  }
  return { form, page, callers, waiting, failing, countMail, mayMail, tryCode }
}

// Staff in the office open page after page.
const requestsPerMinute = 1200

/** Loads the operator's office; null if the site has none. */
export async function openOffice(
  environment: Environment,
  services: Services,
  requestContext: RequestContext,
): Promise<FormRoutes | null> {
  const { config, options, root, now, randomId, log, definitions } = environment
  if (!config.office.enabled) return null
  const { createOffice } = await import('../../office/index.ts')
  const ratelimit = createRateLimit({ limit: requestsPerMinute, policy: 'office' })
  const callers = createCallers({ ratelimit, trustProxy: config.ratelimit.trust_proxy, log })
  const { formToken, checkForm, authenticationOf } = requestContext
  const { actions, merging, compare, deletions, limits, links, mailing, health, troubles } = services
  const { deadlines, unusedMoney, declarations, inbox, pull, users, sessions } = services
  const providers = [...services.providers.values()]
  const limit: Middleware = async (ctx, next) => {
    ctx.set(await callers.count(callers.callerOf(ctx.req)))
    await next()
  }
  return createOffice({
    ...services,
    environment,
    options: options.office ?? {},
    form: { limit, checkForm, authenticationOf, log },
    page: {
      render: services.render,
      formToken,
      siteName: siteNameOf({ config, options }),
      money: services.money,
      words: services.words,
    },
    providers: {
      keys: [...services.providers.keys()],
      storeAmounts: providers.flatMap(({ key, stores = [], amounts = 'gross' }) =>
        stores.length === 0 ? [] : [{ provider: key, amounts }],
      ),
      managedIn: (s) => requestContext.viewRules.managedIn?.(s) ?? null,
      digitsOf: digitsOf(definitions),
    },
    members: { users, sessions },
    actions: {
      actions,
      merging,
      compare,
      deletions,
      limits,
      loginLink: (memberId) => links.give(memberId, publicUrl(config)),
    },
    mails: {
      sent: mailing.sent,
      sendLink: async (email, path) => {
        mailing.requireMails()
        await links.ask(email, path, null)
      },
    },
    shop: { deadlines, unusedMoney, declarations },
    webhooks: { inbox, pulling: { pull, canPull: (key) => services.providers.get(key)?.pull !== undefined } },
    index: config.reports.system === null ? null : services.reports.api,
    monitoring: {
      troubles,
      health,
      check: async () => {
        if (root === false) return []
        const { examine } = await import('../doctor/index.ts')
        // A site whose options stand in code alone, or the demo, has no file to read them from.
        const own = hasOwnConfig(root) ? {} : { options }
        return (await examine(root, { env: process.env, now, randomId, ...own })).checks
      },
    },
  })
}
