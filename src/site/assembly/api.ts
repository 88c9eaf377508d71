import type { Middleware } from 'koa'
import type { Plan } from '../../core/dto/index.ts'
import { isMembershipError, MembershipError } from '../../core/errors.ts'
import { type Addresses, originForm } from '../../core/http/addresses.ts'
import { localPath } from '../../core/http/forms.ts'
import { makes, onKoa } from '../../core/http/on-koa.ts'
import { fingerprint } from '../../core/http/tokens.ts'
import { lazy } from '../../core/lazy.ts'
import { onePage } from '../../core/listing.ts'
import type { Log } from '../../core/log.ts'
import { type Moment, toDate } from '../../core/moment.ts'
import { type Actions, type CheckoutService, ownConsent } from '../../memberships/checkout/index.ts'
import {
  createGuard,
  gateMiddleware,
  requireOwnView,
  type Sessions,
  toView,
  type View,
} from '../../memberships/members/index.ts'
import { signWith } from '../../providers/configured.ts'
import { isPersonal, notePersonal, noticing, unsharedOnceAsked, withHeaders } from '../hosts/asked.ts'
import { chain } from '../hosts/chain.ts'
import { isContext, isUser, isWebRequest } from '../hosts/contexts.ts'
import { standaloneOf } from '../hosts/standalone.ts'
import { type FetchOrigin, toResponse } from '../hosts/web.ts'
import type {
  Acting,
  ChangeTo,
  CheckoutInput,
  CheckoutTerms,
  Membership,
  Offer,
  OperatorApi,
  OwnSubscription,
  PaymentsOf,
  PortalInput,
  Shown,
  StartedCheckout,
  SubscriptionsApi,
  Who,
} from '../membership-api.ts'
import type { HostRequest } from '../options.ts'
import { byId, type CallsByMember, idOf, strictly } from './call-inputs.ts'
import { type Environment, publicUrl } from './environment.ts'
import { createLeakKeys } from './leak-audit.ts'
import type { PagedLists } from './lists.ts'
import { createActed, type Recorded, type RecordedCalls } from './recorded.ts'
import { type Caller, type CallerLookup, createForms, type RequestContext } from './request-context.ts'
import type { createRoutes } from './routes.ts'
import type { Services } from './services.ts'
import type { Single } from './single.ts'

/**
 * API for templates and scripts. It uses the view of the running request, or a view that the caller names.
 */
export function templateApi(
  { viewOf, viewRules }: Pick<RequestContext, 'viewOf' | 'viewRules'>,
  /** `current` returns the view of the running request; `scope` runs a function with another view. */
  { current, scope }: { current: () => View; scope: <T>(view: View, fn: () => T) => T },
): Pick<Membership, 'user' | 'provider' | 'allows' | 'plans' | 'viewOf' | 'runAs'> {
  return {
    user: () => current().user(),
    provider: (key) => current().provider(key),
    allows: (gate) => current().allows(gate),
    plans: () => viewRules.plans,
    viewOf,
    runAs: (subject, fn) => {
      if (subject === null || isUser(subject)) return scope(toView(subject, viewRules), fn)
      requireOwnView(subject, viewRules)
      return scope(subject, fn)
    },
  }
}

/** API that a host uses to connect its own routes, pages and logins. */
export function hostApi(deps: {
  environment: Environment
  services: Services
  requestContext: RequestContext
  routes: ReturnType<typeof createRoutes>
  chain: { readonly middleware: Middleware; readonly koa: Middleware }
  lists: PagedLists
  calls: RecordedCalls
  scope: <T>(view: View, fn: () => T) => T
}): Pick<
  Membership,
  | 'koa'
  | 'koaView'
  | 'gate'
  | 'guard'
  | 'listener'
  | 'fetch'
  | 'pages'
  | 'sessions'
  | 'webhooks'
  | 'appUserId'
> {
  const { services, requestContext, routes, scope } = deps
  const { middleware, koa } = deps.chain
  const { log, now, addresses } = deps.environment
  const { contexts, viewOf, viewRules, formToken } = requestContext
  const { reports, sessions, render, configured, checkGate, walls } = services
  const { replay, release } = deps.calls.webhooks
  return {
    koa: makes('m.koa', () => onKoa('m.koa()', koa)),
    koaView: makes('m.koaView', () => onKoa('m.koaView()', middleware)),
    gate: gateMiddleware({ viewOf, checkGate, walls }, log, routes.lockedPage),
    guard: createGuard<HostRequest>(
      {
        viewOf: requestContext.seenView,
        checkGate,
        walls,
        contextOf: (request, response) => (isContext(request) ? request : contexts.of(request, response)),
      },
      viewRules,
    ),
    ...createServing({ koa, reports, requestContext, addresses, log, scope }),
    appUserId: (member) => services.identities.appUserId({ id: idOf(member) }),
    pages: {
      koa: makes('m.pages.koa', () => addresses.below(chain([middleware, routes.account]))),
      render,
      ...createForms({ contexts, tokenFor: formToken, render }),
      checkForm: requestContext.checkForm,
      locked: routes.lockedPage,
      visitor: routes.visitor,
      voice: requestContext.voiceOf,
      flash: requestContext.spoken,
    },
    sessions: {
      koa: makes('m.sessions.koa', () => addresses.below(chain([middleware, routes.login]))),
      open: (ctx, member, ...rest) => sessions.open(ctx, idOf(member), ...rest),
      end: sessions.end,
    },
    webhooks: {
      list: deps.lists.webhooks,
      get: services.inbox.get,
      replay,
      release,
      receive: services.receive,
      pull: services.pull,
      connect: strictly(
        'webhooks.connect',
        { provider: true, account: true, write: true, by: true },
        services.connect,
      ),
      koa: makes('m.webhooks.koa', () => onKoa('m.webhooks.koa()', addresses.below(routes.webhooks))),
      sign: (key, body) => signWith(configured, key, body, now()),
    },
  }
}

/** API for selling, and for managing what was sold. */
export function salesApi(deps: {
  environment: Environment
  services: Services
  routes: ReturnType<typeof createRoutes>
  middleware: Middleware
  asking: CallerLookup
  byMember: CallsByMember
  lists: PagedLists
  calls: RecordedCalls
  recorded: Recorded
  single: Single
}): Pick<Membership, 'checkout' | 'gifts' | 'teams' | 'raises' | 'subscriptions' | 'payments' | 'invoices'> {
  const { environment, services, routes, middleware, asking, single } = deps
  const { addresses, config, now, randomId } = environment
  const { actions, checkout, sessions, catalogue, unassigned } = services
  const { userOf, byUser } = deps.byMember
  const siteUrl = () => publicUrl(config)
  const paymentsOf = strictly(
    'payments.list',
    { member: true, user: true, memberId: true },
    async (of: PaymentsOf) => {
      const member = 'member' in of ? of.member : 'user' in of ? of.user : of.memberId
      // What was paid since the member was loaded counts, too.
      return (await userOf(idOf(member))).payments()
    },
  )
  const invoicesOf = byUser(actions.invoices)
  const selling = createSelling({
    addresses,
    asking,
    checkout,
    sessions,
    plans: catalogue.all,
    publicUrl: siteUrl,
    now,
    randomId,
  })
  return {
    checkout: {
      koa: makes('m.checkout.koa', () =>
        addresses.below(chain([middleware, ...routes.purchases, ...routes.shop])),
      ),
      start: strictly('checkout.start', checkoutKeys, selling.start),
    },
    ...teamsAndRaises(services, deps),
    gifts: {
      of: async (member) => services.gifts.ofMember(await userOf(member)),
      redeem: strictly(
        'gifts.redeem',
        { code: true, user: true, member: true },
        byUser(services.gifts.redeem),
      ),
      create: strictly(
        'gifts.create',
        { plan: true, months: true, count: true, label: true, expiresAt: true },
        services.gifts.create,
      ),
      list: deps.lists.gifts,
      get: services.gifts.find,
      find: services.gifts.find,
      revoke: services.gifts.revoke,
    },
    subscriptions: subscriptionsForCode(actions, asking, byUser, {
      get: single.subscription,
      recorded: deps.recorded,
      publicUrl: siteUrl,
      base: addresses.base,
    }),
    payments: {
      get: single.payment,
      list: (of) => onePage(paymentsOf(of)),
      refund: deps.calls.payments.refund,
      unassigned: unassigned.list,
      assign: unassigned.assign,
    },
    invoices: { list: (of) => onePage(invoicesOf(of)) },
  }
}

/** Calls about seats and price raises. */
function teamsAndRaises(
  { groups, raises }: Services,
  {
    byMember: { userOf, byUser },
    lists,
    calls,
  }: { readonly byMember: CallsByMember; readonly lists: PagedLists; readonly calls: RecordedCalls },
): Pick<Membership, 'teams' | 'raises'> {
  return {
    teams: {
      invite: calls.teams.invite,
      remove: strictly('teams.remove', { subscriptionId: true, seatId: true, reason: true }, groups.remove),
      leave: strictly(
        'teams.leave',
        { subscriptionId: true, user: true, member: true },
        byUser(groups.leave),
      ),
      transfer: strictly('teams.transfer', { subscriptionId: true, to: true }, groups.transfer),
      get: groups.show,
      find: groups.show,
      of: async (member) => groups.ofMember(await userOf(member)),
    },
    raises: {
      plan: strictly('raises.plan', raiseKeys, raises.plan),
      raise: strictly('raises.raise', raiseKeys, raises.begin),
      list: lists.raises,
      get: raises.show,
      show: raises.show,
      stop: calls.raises.stop,
      resume: calls.raises.resume,
      undo: calls.raises.undo,
      noticeBounced: raises.bounced,
      noticeAgain: raises.noticeAgain,
      members: raises.members,
    },
  }
}

/** API for members and for the site's staff. */
export function operatorApi(
  environment: Environment,
  services: Services,
  {
    byMember: { userOf },
    lists,
    calls,
    openapi,
  }: {
    readonly byMember: CallsByMember
    readonly lists: PagedLists
    readonly calls: RecordedCalls
    readonly openapi: OperatorApi['openapi']
  },
): Pick<Membership, 'users' | 'operator' | 'reports' | 'limits' | 'files' | 'feeds'> {
  const { declarations, catalogue } = services
  const { correct, use, release, reserve } = services.limits
  const { config } = environment
  const { files, feeds } = services.downloads
  return {
    files: {
      url: (member, ...link) => files.url({ id: idOf(member) }, ...link),
      revoke: (member) => files.revoke({ id: idOf(member) }),
    },
    feeds: {
      url: (member, path) => feeds.url({ id: idOf(member) }, path),
      list: (member) => onePage(feeds.list({ id: idOf(member) })),
      revoke: (member, path) => feeds.revoke({ id: idOf(member) }, path),
    },
    limits: {
      list: (who) => onePage(services.limits.list(who)),
      use,
      release,
      reserve,
      correct: strictly(
        'limits.correct',
        { member: true, memberId: true, name: true, amount: true, reason: true, by: true, expiresAt: true },
        byId(correct),
      ),
    },
    users: {
      ...services.users,
      list: lists.users,
      create: strictly(
        'users.create',
        {
          email: true,
          name: true,
          roles: true,
          language: true,
          verified: true,
          content: true,
          createdBy: true,
        },
        services.users.create,
      ),
      grant: calls.users.grant,
      revoke: calls.users.revoke,
      get: userOf,
      // After a merge, the old id finds the account that was kept.
      findById: services.users.findExisting,
      ...services.mergingForCode,
      readable: services.selfService.readable,
      fieldsOf: (user) => services.fieldsOf(user.roles),
      export: async (member) => services.exportOf(await userOf(member)),
      setEmail: calls.users.setEmail,
      loginLink: calls.users.loginLink,
      delete: calls.users.delete,
      findByLogin: services.identities.findByLogin,
      deleteByLogin: services.deleteByLogin,
    },
    operator: {
      config,
      compare: calls.compare,
      import: services.importing,
      foreign: services.foreign,
      switch: services.switchProvider,
      ...services.restoring,
      declarations: { list: lists.declarations, get: declarations.get, settle: declarations.settle },
      outbox: { list: lists.outbox, replay: calls.outbox.replay, replayTo: services.receivers.replay },
      audit: Object.assign({}, services.auditLog, { list: lists.audit }),
      catalogue: { refresh: catalogue.refresh, isStale: catalogue.isStale, shop: catalogue.shop },
      health: services.health,
      leaks: async (options) => {
        const { findLeaks } = await import('../doctor/leaks.ts')
        return findLeaks(options, createLeakKeys(environment, services))
      },
      openapi,
    },
    reports: services.reports.api,
  }
}

/**
 * Member actions on subscriptions, for code on any host. With a `request`, the session's rights apply as on
 * our own routes. With a `user`, the calling code is responsible.
 */
function subscriptionsForCode(
  actions: Actions,
  { member }: Pick<CallerLookup, 'member'>,
  byUser: CallsByMember['byUser'],
  {
    get,
    recorded,
    ...addresses
  }: {
    readonly get: SubscriptionsApi['get']
    readonly recorded: Recorded
    readonly publicUrl: () => string
    readonly base: string
  },
): SubscriptionsApi {
  const owned = async (own: OwnSubscription, needs: 'verified' | 'unverified' = 'verified') => {
    const { subscriptionId } = own
    return { user: await member(own, needs, subscriptionId), subscriptionId }
  }
  const acted = createActed(recorded)
  const changeOf = async (input: ChangeTo) => ({
    ...(await owned(input)),
    plan: input.plan ?? null,
    price: input.price ?? null,
    quantity: input.quantity ?? null,
    amount: input.amount ?? null,
    proration: input.proration ?? null,
    prorationAt: isoOf(input.prorationAt, 'prorationAt'),
    shown: input.shown,
  })
  return {
    get,
    /**
     * Previews an action with the same rules as the action itself, and returns the digest that confirms it.
     */
    describe: byUser(actions.lookAt),
    /** Changes the price or quantity by the site's rules. */
    change: strictly(
      'subscriptions.change',
      { ...changeKeys, by: true },
      async ({ by, ...input }: ChangeTo & Acting) => {
        const change = await changeOf(input as ChangeTo)
        return acted(Object.assign({ by }, change), 'change', () => actions.change(change))
      },
    ),
    /** Returns the cost of a change, and when the change takes effect. */
    preview: strictly('subscriptions.preview', changeKeys, async (input: ChangeTo) =>
      actions.preview(await changeOf(input)),
    ),
    /** Cancels at the end of the paid period, unless `when` says otherwise. */
    cancel: strictly(
      'subscriptions.cancel',
      { ...ownKeys, when: true, by: true },
      async (input: OwnSubscription & Shown & Acting & { readonly when?: 'period_end' | 'now' }) => {
        const target = await owned(input, 'unverified')
        const request = { when: input.when ?? 'period_end', shown: input.shown } as const
        return acted(Object.assign({ by: input.by }, target), 'cancel', () =>
          actions.cancel(Object.assign({}, target, request)),
        )
      },
    ),
    resume: strictly(
      'subscriptions.resume',
      { ...ownKeys, by: true },
      async (input: OwnSubscription & Shown & Acting) => {
        const target = await owned(input)
        return acted(Object.assign({ by: input.by }, target), 'resume', () =>
          actions.resume(Object.assign({}, target, { shown: input.shown })),
        )
      },
    ),
    renew: strictly('subscriptions.renew', ownKeys, async (input: OwnSubscription & Shown) =>
      actions.renew({ ...(await owned(input)), shown: input.shown }),
    ),
    pause: strictly(
      'subscriptions.pause',
      { ...ownKeys, until: true },
      async (input: OwnSubscription & Shown & { readonly until?: Moment | null }) =>
        actions.pause({ ...(await owned(input)), until: isoOf(input.until, 'until'), shown: input.shown }),
    ),
    discount: strictly(
      'subscriptions.discount',
      { ...ownKeys, by: true },
      async (input: OwnSubscription & Shown & Acting) => {
        const { by } = input
        const target = await owned(input)
        // The log says itself that a member took it.
        const asked = by === undefined ? {} : { requestedBy: { kind: 'operator' as const, name: by } }
        return acted(Object.assign({ by }, target), 'discount', () =>
          actions.discount(Object.assign(asked, target, { shown: input.shown })),
        )
      },
    ),
    portal: portalFor(actions, member, addresses),
  }
}

/** Opens the provider's page for cards and invoices. */
function portalFor(
  actions: Actions,
  member: CallerLookup['member'],
  { publicUrl, base }: { readonly publicUrl: () => string; readonly base: string },
): SubscriptionsApi['portal'] {
  return strictly('subscriptions.portal', portalKeys, async (input: PortalInput) => {
    const returnUrl = input.returnUrl ?? publicUrl()
    return actions.portal({
      user: await member(input, 'verified', input.subscriptionId),
      provider: input.provider ?? null,
      subscriptionId: input.subscriptionId ?? null,
      returnUrl,
      localUrl: input.localUrl ?? `${new URL(returnUrl).origin}${base}`,
    })
  })
}

const whoKeys = { member: true, user: true, request: true, response: true, address: true } as const
const ownKeys = { ...whoKeys, subscriptionId: true, shown: true } as const
const changeKeys = {
  ...ownKeys,
  plan: true,
  price: true,
  quantity: true,
  amount: true,
  proration: true,
  prorationAt: true,
} as const
const raiseKeys = {
  from: true,
  to: true,
  on: true,
  noticeDays: true,
  needsConsent: true,
  keep: true,
  before: true,
} as const
const portalKeys = {
  ...whoKeys,
  provider: true,
  subscriptionId: true,
  returnUrl: true,
  localUrl: true,
} as const
const checkoutKeys = {
  ...whoKeys,
  price: true,
  plan: true,
  quantity: true,
  amount: true,
  currency: true,
  code: true,
  consent: true,
  provider: true,
  redirect: true,
} as const

interface SellingDeps {
  readonly addresses: Addresses
  readonly asking: CallerLookup
  readonly checkout: CheckoutService
  readonly sessions: Pick<Sessions, 'browserId'>
  readonly plans: () => readonly Plan[]
  readonly publicUrl: () => string
  readonly now: () => Date
  readonly randomId: () => string
}

/** Sells from code, with the same rules as the forms. */
function createSelling(deps: SellingDeps) {
  const { addresses, asking, checkout, sessions, plans, publicUrl, randomId } = deps

  const start = async (input: CheckoutInput): Promise<StartedCheckout> => {
    const asked = await asking.ask(input)
    const { user, ctx } = asked
    const site = ctx === null ? publicUrl() : addresses.siteOf(ctx)
    const redirect = localPath(input.redirect, '/')
    const { url, intentId } = await checkout
      .begin({
        ...wanted(input, plans()),
        consent: input.consent === undefined ? null : ownConsent(input.consent, deps.now()),
        user,
        redirect,
        cancelUrl: addresses.full(site, redirect),
        browser: fingerprint(ctx === null ? randomId() : browserOf(input, asked)),
        publicUrl: site,
        localUrl: ctx === null ? site : addresses.localOf(ctx.req),
      })
      .catch((error: unknown) => {
        if (isMembershipError(error)) Object.assign(error.extensions, addresses.inData(error.extensions))
        throw error
      })
    // The sandbox's checkout page is part of this site and has a relative URL, but mails need an absolute
    // one.
    return { url: new URL(addresses.of(url), site).href, intentId, headers: asked.headers() }
  }

  // A purchase logs in the browser that began it, so its cookie must reach that browser.
  const browserOf = (input: Who, { user, ctx }: Caller): string => {
    const id = sessions.browserId(ctx!)
    if (user !== null || hasAnswer(input) || ctx!.get('cookie').includes(id)) return id
    throw new MembershipError('ERR_USAGE', 'A visitor who is not logged in needs a cookie to buy.', {
      action: 'Give the answer, too: m.checkout.start({ request, response, … }).',
    })
  }
  return { start }
}

function isoOf(given: Moment | null | undefined, name: string): string | null {
  return given == null ? null : toDate(given, name).toISOString()
}

// Koa's context and Express's request know their response. For a web-standard request the caller gets the
// headers.
function hasAnswer(who: Who): boolean {
  return (
    who.request !== undefined &&
    (who.response !== undefined || 'res' in who.request || isWebRequest(who.request))
  )
}

function wanted(
  { price, plan, quantity, amount, currency, code, provider }: Partial<Offer> & CheckoutTerms,
  plans: readonly Plan[],
) {
  const named = plans
    .filter(({ id }) => plan === undefined || id === plan)
    .flatMap(({ prices }) => prices)
    .filter((item) => price === undefined || item.id === price || item.lookup_key === price)
  const isOnce = named.length > 0 && named.every(({ type }) => type === 'one_time')
  return {
    mode: isOnce ? ('payment' as const) : ('subscription' as const),
    price: price ?? null,
    plan: plan ?? null,
    quantity: quantity ?? null,
    amount: amount ?? null,
    currency: currency?.toUpperCase() ?? null,
    code: code ?? null,
    provider: provider ?? null,
  }
}

export type Selling = ReturnType<typeof createSelling>

/**
 * Serves our routes on hosts that are not Koa. Other requests go on to the host, with their view in scope.
 */
function createServing(deps: {
  koa: Middleware
  reports: { readonly middleware: Middleware; isOurs(url?: string): boolean }
  requestContext: Pick<RequestContext, 'lookUp' | 'noteView' | 'contexts'>
  addresses: Pick<Addresses, 'inner' | 'below'>
  log: Log
  scope: <T>(view: View, fn: () => T) => T
}): Pick<Membership, 'listener' | 'fetch'> {
  const { koa, reports, addresses, log, scope } = deps
  const { lookUp, noteView, contexts } = deps.requestContext
  const standalone = lazy(() => standaloneOf(koa, log, addresses.below))
  const partners = lazy(() => standaloneOf(reports.middleware, log, addresses.below))
  // Routers ignore case.
  const isOurs = (path: string) => /^\/membership\//i.test(path)

  const listener: Membership['listener'] = () => (request, response, next) => {
    request.url = originForm(request.url)
    const path = addresses.inner(request.url) ?? ''
    if (reports.isOurs(path)) return void partners()(request, response)
    if (!next || isOurs(path)) return void standalone()(request, response)
    const found = async () => lookUp(request)
    found().then((seen) => {
      const view = noteView(request, unsharedOnceAsked(seen, response))
      Object.assign(request, { membership: view })
      scope(view, () => next())
    }, next)
  }

  const pageOf = async (
    request: Request,
    next: NonNullable<FetchOrigin['next']>,
    address: string | undefined,
  ): Promise<Response> => {
    const { res } = contexts.of(request, undefined, address)
    const view = noteView(
      request,
      noticing(await lookUp(request), () => notePersonal(res)),
    )
    const answer = await scope(view, () => next(view))
    return withHeaders(answer, {
      cookies: contexts.headersFor(request).getSetCookie(),
      isPersonal: () => isPersonal(res),
    })
  }
  // A server that calls this function directly may pass its own second argument, so `address` is checked.
  const fetch: Membership['fetch'] = async (request, { address, next } = {}) => {
    const path = addresses.inner(new URL(request.url).pathname) ?? ''
    if (typeof next !== 'function' || isOurs(path) || reports.isOurs(path))
      return toResponse(standalone(), request, { address })
    return pageOf(request, next, typeof address === 'string' ? address : undefined)
  }
  return { listener, fetch }
}
