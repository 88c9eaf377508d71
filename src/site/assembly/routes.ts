import type Router from '@koa/router'
import type { Middleware } from 'koa'
import { isInEurope, taxOf } from '../../core/config/europe.ts'
import { isMembershipError } from '../../core/errors.ts'
import { createCallers } from '../../core/http/callers.ts'
import type { FormTools } from '../../core/http/form-router.ts'
import { createRateLimit } from '../../core/http/rate-limit.ts'
import { type Access, access, type Route } from '../../core/http/route-access.ts'
import { fingerprint } from '../../core/http/tokens.ts'
import { accountRouter, loginRouter, mergeWishRouter } from '../../memberships/account/index.ts'
import { actionsRouter, checkoutRouter, payingRouter, shopLawOf } from '../../memberships/checkout/index.ts'
import { isPing } from '../../memberships/intake/trust.ts'
import { courtesyRouter } from '../../memberships/mails/index.ts'
import { shopRouter } from '../../memberships/shop/index.ts'
import { switchRouter } from '../../memberships/switching/router.ts'
import { healthRouter } from '../../memberships/watch/router.ts'
import { webhookRouter } from '../../memberships/webhooks/router.ts'
import { chain } from '../hosts/chain.ts'
import { createPages, pagesRouter } from '../pages/index.ts'
import { createErrorPage } from './error-page.ts'
import type { Ground } from './ground.ts'
import { createLockedPage } from './locked-page.ts'
import type { People } from './people.ts'
import type { Rooms } from './rooms.ts'

// A mailbox gets no more links than this in a minute, whoever asks.
const linksPerMinute = 3
// A page looks twenty times in its first minute; some are open in several tabs, or ask from a script.
const looksPerMinute = 120

// Whoever waits for a page waits no longer for a turn at the provider.
const patienceOfPageMs = 5000

/** Every route of the membership half, in parts that a host may mount alone. */
export const createRoutes = ({ config, counters, now, log }: Ground, rooms: Rooms, people: People) => {
  const { ratelimit, providers, checkout, settling, actions, sessions, links, mailing } = rooms
  const { freshViewOf, formToken, checkForm, voiceOf, languageOf, pageData } = people
  const render: typeof rooms.render = (template, data) =>
    rooms.render(template, {
      money: (amount: number, currency: string, provider?: string) =>
        rooms.money({ amount, currency, provider }, data.locale as string | undefined),
      ...data,
    })

  const callers = createCallers({ ratelimit, trustProxy: config.ratelimit.trust_proxy, log })
  const limit: Middleware = async (ctx, next) => {
    ctx.set(await callers.count(callers.callerOf(ctx.req)))
    await next()
  }
  const looks = createRateLimit({ limit: looksPerMinute, policy: 'waiting', who: 'one page', counters })
  // A page that waits for a payment is counted by its checkout; one that there is not, against whoever asks for it.
  const waiting: Middleware = async (ctx, next) => {
    await looks.consume(ctx.path)
    await next().catch(async (error: unknown) => {
      if (isMembershipError(error, 'ERR_INTENT_UNKNOWN'))
        ctx.set(await callers.count(callers.callerOf(ctx.req)))
      throw error
    })
  }
  const errorPage = createErrorPage({
    render,
    pageData,
    voiceOf,
    site: rooms.site,
    pages: rooms.pages,
  })
  const { account: accountPath } = rooms.pages
  const tools: FormTools & { readonly accountPath: string } = {
    limit,
    checkForm,
    standingOf: people.standingOf,
    errorPage,
    accountPath,
    log,
  }
  const addresses = createRateLimit({ limit: linksPerMinute, name: 'links', counters })
  const mayAsk = (email: string): Promise<boolean> =>
    addresses.consume(fingerprint(email)).then(
      () => true,
      () => false,
    )

  const webhookRoutes = webhookRouter({
    receive: rooms.receive,
    isPing: (key, delivery) => isPing(providers.get(key) ?? {}, delivery),
    callers,
    log,
    hasProvider: (key) => providers.has(key),
    providerKeys: () => [...providers.keys()],
    limitVerified: config.ratelimit.webhooks,
  })
  const webhooks = webhookRoutes.routes() as unknown as Middleware
  const healthRoutes = healthRouter({ health: rooms.health, log })
  const health = healthRoutes.routes() as unknown as Middleware
  const law = shopLawOf(config.shop)
  const common = { ...tools, actions, checkout, viewOf: freshViewOf, render, pageData, publicUrl: config.url }
  const purchases = [
    checkoutRouter({
      ...common,
      languageOf,
      waiting,
      settling,
      sessions,
      newcomers: rooms.newcomers,
      voiceOf,
      law,
      now,
    }),
    actionsRouter({
      ...common,
      law,
      now,
      voiceOf,
      say: rooms.saying.say,
      offer: config.account.offer,
      browserOf: (ctx) => fingerprint(sessions.browserId(ctx)),
    }),
    switchRouter({ ...common, voiceOf, leavers: rooms.leavers, plans: rooms.catalogue.all }),
  ]
  const shop = [
    payingRouter({
      ...tools,
      paying: rooms.paying,
      plans: rooms.catalogue.all,
      voiceOf,
      render,
      pageData,
    }),
    ...(isInEurope(config.shop.country)
      ? [
          shopRouter({
            ...tools,
            declarations: rooms.declarations,
            mayWrite: mayAsk,
            languageOf: async (ctx) => (await people.voiceOf(ctx)).lang,
            render,
            pageData,
          }),
        ]
      : []),
    courtesyRouter({ courtesy: mailing.courtesy, limit, render, pageData, errorPage, log }),
  ]
  const login = loginRouter({
    ...tools,
    links,
    sessions,
    say: rooms.saying.say,
    mayAsk,
    requireMails: mailing.requireMails,
    render,
    pageData,
  })
  const account = accountRouter({
    ...tools,
    selfService: rooms.selfService,
    emailChanges: rooms.emailChanges,
    emailUndo: rooms.emailUndo,
    exportOf: rooms.exportOf,
    deletions: rooms.deletions,
    voiceOf,
    seller: { name: config.shop.name ?? rooms.site, address: config.shop.address },
    sheetOf: async ({ provider, id }) => (await providers.get(provider)?.invoiceSheet?.(id)) ?? null,
    sessions,
    say: rooms.saying.say,
    viewOf: freshViewOf,
    compareMember: (memberId) => rooms.compare({ memberId, write: true, patienceMs: patienceOfPageMs }),
    countCompared: rooms.countLook,
    tellProviders: (user, customer) => rooms.outbox.steps(rooms.customers.messages(user, customer)),
    nudge: rooms.outbox.nudge,
    findLanguage: rooms.words.findLanguage,
    render,
    pageData,
  })
  const merging = mergeWishRouter({
    ...tools,
    mergeWishes: rooms.mergeWishes,
    mayAsk,
    viewOf: freshViewOf,
    say: rooms.saying.say,
    render,
    pageData,
  })
  const shown = createPages({
    viewOf: freshViewOf,
    voiceOf,
    pageData,
    render,
    profile: { readable: rooms.selfService.readable, fieldsOf: (user) => rooms.fieldsOf(user.roles) },
    beganAs: rooms.users.beganAs,
    paths: rooms.pages,
    tax: taxOf(config.shop),
    now,
  })
  const pages = pagesRouter({ ...tools, pages: shown, paths: rooms.pages })
  const providerRouters = [...providers.values()].flatMap(
    (p) => p.routes?.({ render, voiceOf, formToken, checkForm, limit, errorPage, accountPath, log }) ?? [],
  )
  const ofProviders = providerRouters.map((router) => router.routes() as unknown as Middleware)
  const listing: readonly Route[] = [
    ...[...purchases, ...shop, login, account, merging, pages].flatMap((routes) => routes.listing),
    ...providerRouters.flatMap((router) => listed(router, access.holder)),
    ...listed(healthRoutes, access.anybody),
    ...listed(webhookRoutes, access.signed).filter(({ method }) => method === 'POST'),
    ...fixedRoutes,
  ]
  return {
    webhooks,
    health,
    purchases,
    shop,
    login,
    account: chain([account, merging, pages]),
    lockedPage: createLockedPage(people.contexts, shown.locked),
    ofProviders,
    listing,
    callers,
  }
}

// What is served as it is, and the partners' part, which knows no sessions.
const fixedRoutes: readonly Route[] = [
  { method: 'GET', path: '/membership/assets/:file', access: access.anybody },
  { method: 'GET', path: '/membership/errors/:code', access: access.anybody },
  { method: 'GET', path: '/membership/openapi.json', access: access.anybody },
  { method: '*', path: '/reports/*', access: access.partner },
]

const listed = ({ stack }: Router, to: Access): Route[] =>
  stack.flatMap(({ path, methods }) =>
    methods
      .filter((method) => method !== 'HEAD')
      .map((method) => ({ method, path: String(path), access: to })),
  )
