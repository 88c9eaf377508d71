import type Router from '@koa/router'
import type { Middleware } from 'koa'
import { isInEurope, taxOf } from '../../core/config/europe.ts'
import { type Access, access, type Route } from '../../core/http/route-access.ts'
import { fingerprint } from '../../core/http/tokens.ts'
import { accountRouter, loginRouter, mergeWishRouter } from '../../memberships/account/index.ts'
import { actionsRouter, checkoutRouter, payingRouter, shopLawOf } from '../../memberships/checkout/index.ts'
import { courtesyRouter } from '../../memberships/mails/index.ts'
import { healthRouter } from '../../memberships/monitoring/router.ts'
import { shopRouter } from '../../memberships/shop/index.ts'
import { switchRouter } from '../../memberships/switching/router.ts'
import { isPing } from '../../memberships/verification/trust.ts'
import { webhookRouter } from '../../memberships/webhooks/router.ts'
import { chain } from '../hosts/chain.ts'
import { createPages, pagesRouter } from '../pages/index.ts'
import type { Ground } from './ground.ts'
import { createLockedPage } from './locked-page.ts'
import type { People } from './people.ts'
import type { Rooms } from './rooms.ts'
import { createRouteTools, type RouteTools } from './route-tools.ts'

// Whoever waits for a page waits no longer for a turn at the provider.
const patienceOfPageMs = 5000

/** What routes are made of. */
interface Parts {
  readonly ground: Ground
  readonly rooms: Rooms
  readonly people: People
  readonly tools: RouteTools
}

/** Every route of the membership half, in parts that a host may mount alone. */
export const createRoutes = (ground: Ground, rooms: Rooms, people: People) => {
  const tools = createRouteTools(ground, rooms, people)
  const parts: Parts = { ground, rooms, people, tools }
  const webhooks = webhookRoutes(parts)
  const health = healthRouter({ health: rooms.health, log: ground.log })
  const purchases = purchaseRoutes(parts)
  const shop = shopRoutes(parts)
  const login = loginRoutes(parts)
  const shown = shownPages(parts)
  const account = [
    accountRoutes(parts),
    mergeRoutes(parts),
    pagesRouter({ ...tools.form, pages: shown, paths: rooms.pages }),
  ]
  const ofProviders = providerRoutes(parts)
  const listing: readonly Route[] = [
    ...[...purchases, ...shop, login, ...account].flatMap((routes) => routes.listing),
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
    login,
    account: chain(account),
    lockedPage: createLockedPage(people.contexts, shown.locked),
    ofProviders: ofProviders.map(served),
    listing,
    callers: tools.callers,
  }
}

const webhookRoutes = ({ ground: { config, log }, rooms, tools }: Parts) =>
  webhookRouter({
    receive: rooms.receive,
    isPing: (key, delivery) => isPing(rooms.providers.get(key) ?? {}, delivery),
    callers: tools.callers,
    log,
    hasProvider: (key) => rooms.providers.has(key),
    providerKeys: () => [...rooms.providers.keys()],
    limitVerified: config.ratelimit.webhooks,
  })

/** What is bought here, and what members do to what they bought. */
const purchaseRoutes = ({ ground: { config, now }, rooms, people, tools }: Parts) => {
  const { actions, checkout, settling, sessions } = rooms
  const { freshViewOf, voiceOf, languageOf } = people
  const law = shopLawOf(config.shop)
  const common = {
    ...{ ...tools.form, ...tools.shown },
    ...{ actions, checkout, viewOf: freshViewOf, voiceOf, publicUrl: config.url },
  }
  return [
    checkoutRouter({
      ...common,
      languageOf,
      waiting: tools.waiting,
      settling,
      sessions,
      newcomers: rooms.newcomers,
      law,
      now,
    }),
    actionsRouter({
      ...common,
      law,
      now,
      say: rooms.saying.say,
      offer: config.account.offer,
      browserOf: (ctx) => fingerprint(sessions.browserId(ctx)),
    }),
    switchRouter({ ...common, leavers: rooms.leavers, plans: rooms.catalogue.all }),
  ]
}

/** What the law has a shop show and take without a login, and what mails lead to. */
const shopRoutes = ({ ground: { config, log }, rooms, people: { voiceOf }, tools }: Parts) => {
  const { form, shown, mayMail } = tools
  return [
    payingRouter({ ...form, ...shown, paying: rooms.paying, plans: rooms.catalogue.all, voiceOf }),
    ...(isInEurope(config.shop.country)
      ? [
          shopRouter({
            ...form,
            ...shown,
            declarations: rooms.declarations,
            mayWrite: mayMail('declaration'),
            languageOf: async (ctx) => (await voiceOf(ctx)).lang,
          }),
        ]
      : []),
    courtesyRouter({
      ...shown,
      courtesy: rooms.mailing.courtesy,
      limit: form.limit,
      errorPage: form.errorPage,
      log,
    }),
  ]
}

const loginRoutes = ({ rooms: { links, sessions, saying, mailing }, people, tools }: Parts) =>
  loginRouter({
    ...tools.form,
    ...tools.shown,
    links,
    sessions,
    say: saying.say,
    mayAsk: tools.mayMail('login'),
    languageOf: people.languageOf,
    requireMails: mailing.requireMails,
  })

const accountRoutes = ({ ground: { config }, rooms, people: { freshViewOf, voiceOf }, tools }: Parts) =>
  accountRouter({
    ...tools.form,
    ...tools.shown,
    selfService: rooms.selfService,
    emailChanges: rooms.emailChanges,
    emailUndo: rooms.emailUndo,
    countMail: tools.countMail('email-change'),
    isHosts: rooms.identities.isHosts,
    requireMails: rooms.mailing.requireMails,
    exportOf: rooms.exportOf,
    deletions: rooms.deletions,
    voiceOf,
    seller: { name: config.shop.name ?? rooms.site, address: config.shop.address },
    sheetOf: async ({ provider, id }) => (await rooms.providers.get(provider)?.invoiceSheet?.(id)) ?? null,
    sessions: rooms.sessions,
    say: rooms.saying.say,
    viewOf: freshViewOf,
    compareMember: (memberId) => rooms.compare({ memberId, write: true, patienceMs: patienceOfPageMs }),
    countCompared: rooms.countLook,
    tellProviders: (user, customer) => rooms.outbox.steps(rooms.customers.messages(user, customer)),
    nudge: rooms.outbox.nudge,
    findLanguage: rooms.words.findLanguage,
  })

const mergeRoutes = ({ rooms, people, tools }: Parts) =>
  mergeWishRouter({
    ...tools.form,
    ...tools.shown,
    mergeWishes: rooms.mergeWishes,
    countOwn: tools.countMail('merge-own'),
    mayAskOther: tools.mayMail('merge-other'),
    viewOf: people.freshViewOf,
    say: rooms.saying.say,
  })

/** The account, the prices, and what stands in place of a locked page. */
const shownPages = ({ ground: { config, now }, rooms, people: { freshViewOf, voiceOf }, tools }: Parts) =>
  createPages({
    ...tools.shown,
    viewOf: freshViewOf,
    voiceOf,
    profile: { readable: rooms.selfService.readable, fieldsOf: (user) => rooms.fieldsOf(user.roles) },
    beganAs: rooms.users.beganAs,
    paths: rooms.pages,
    tax: taxOf(config.shop),
    now,
  })

const providerRoutes = ({ rooms, people: { voiceOf, formToken }, tools: { form, shown } }: Parts) => {
  const { limit, checkForm, errorPage, accountPath, log } = form
  const { render } = shown
  return [...rooms.providers.values()].flatMap(
    (p) => p.routes?.({ render, voiceOf, formToken, checkForm, limit, errorPage, accountPath, log }) ?? [],
  )
}

const served = (router: Router): Middleware => router.routes() as unknown as Middleware

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
