import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Context, Middleware } from 'koa'
import type { Config } from '../../core/config/index.ts'
import type { Invoice, Payment, Plan } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import { localPath, localUrl, originOf } from '../../core/http/forms.ts'
import { makes, onKoa } from '../../core/http/on-koa.ts'
import type { Route } from '../../core/http/route-access.ts'
import { fingerprint } from '../../core/http/tokens.ts'
import type { Outbox } from '../../core/jobs/outbox.ts'
import { lazy } from '../../core/lazy.ts'
import type { Log } from '../../core/log.ts'
import { type Moment, toDate } from '../../core/moment.ts'
import type { Render } from '../../core/pages/index.ts'
import type { GateId, PlanId, PriceId, ProviderKey } from '../../core/register.ts'
import type { Storage } from '../../core/storage/index.ts'
import type { Voice } from '../../core/words/index.ts'
import type { Deletions, EmailUndo, ExportOf, Fields } from '../../memberships/account/index.ts'
import type { Restoring } from '../../memberships/after-restore/after-restore.ts'
import type { AuditLog } from '../../memberships/audit-log/index.ts'
import type { Catalogue } from '../../memberships/catalogue/index.ts'
import { type Actions, type CheckoutRoom, ownConsent } from '../../memberships/checkout/index.ts'
import type { Import } from '../../memberships/import/index.ts'
import {
  createGuard,
  type GateOptions,
  type Guard,
  gateMiddleware,
  requireOwnView,
  type Sessions,
  toView,
  type User,
  type Users,
  type View,
} from '../../memberships/members/index.ts'
import type { Merging } from '../../memberships/merging/index.ts'
import type { Health } from '../../memberships/monitoring/health.ts'
import type { Declarations } from '../../memberships/shop/index.ts'
import type { SwitchProvider } from '../../memberships/switching/requests.ts'
import type { Assigning } from '../../memberships/sync/assign.ts'
import type { Compare } from '../../memberships/sync/compare.ts'
import type { Inbox } from '../../memberships/webhooks/inbox.ts'
import type { Pull } from '../../memberships/webhooks/pull.ts'
import type { Receive } from '../../memberships/webhooks/receive.ts'
import { signWith } from '../../providers/configured.ts'
import type { Proration } from '../../providers/contract.ts'
import type { ReportsApi } from '../../reports/index.ts'
import { isPersonal, notePersonal, noticing, unsharedOnceAsked, withHeaders } from '../hosts/asked.ts'
import { chain } from '../hosts/chain.ts'
import { isUser, isWebRequest } from '../hosts/contexts.ts'
import { standaloneOf } from '../hosts/standalone.ts'
import { type FetchOrigin, toResponse } from '../hosts/web.ts'
import type { HostRequest } from '../options.ts'
import { type Environment, publicUrl } from './environment.ts'
import {
  type Caller,
  type CallerLookup,
  createForms,
  type Form,
  type FormToken,
  type LockedPage,
  type RequestContext,
  type Spoken,
  type Who,
} from './request-context.ts'
import type { createRoutes } from './routes.ts'
import type { Services } from './services.ts'

/** One independent membership: what templates ask, what hosts mount, and a noun for each thing that code works with. */
export interface Membership {
  /** The member of the running request. @throws ERR_NO_VIEW outside of one */
  user(): User | null
  /** One provider as the member of the running request sees it; the one for new checkouts unless named. */
  provider(key?: ProviderKey): ReturnType<View['provider']>
  /** True if any of the gates is open for the member of the running request. */
  allows(gate: GateId | readonly GateId[]): boolean
  plans(): readonly Plan[]
  /** Loads a visitor or member once; the view answers everything without waiting. */
  viewOf(subject: HostRequest | User | null): Promise<View>
  /** Runs `fn` as that member, or with a view that was loaded, for scripts, mails and tests. */
  runAs<T>(subject: User | View | null, fn: () => T): T

  /** Everything: the view of each request, and all routes. */
  koa(): Middleware
  /** The view alone, for a site that mounts the parts itself. */
  koaView(): Middleware
  /** Everything for plain Node and Express: other requests go to `next`, with the view in scope, and as
   *  `request.membership`. */
  listener(): (request: IncomingMessage, response: ServerResponse, next?: (error?: unknown) => void) => void
  /** Everything for web-standard servers: other requests go to `origin.next`, with the view in scope. `origin.address`
   *  is the address of the connection, which a request does not tell. */
  fetch(request: Request, origin?: FetchOrigin): Promise<Response>
  /** Koa middleware that lets members with any of the gates pass. */
  gate(gate: GateId | readonly GateId[], options?: GateOptions): Middleware
  /** Tells who may pass, for hosts that answer in their own way: `{ allowed: true }`, or `{ allowed: false, error }`. */
  guard(gate: GateId | readonly GateId[]): Guard<HostRequest | View>
  /** Every route, with what each kind of session may do there. */
  listRoutes(): readonly Route[]

  readonly users: UsersApi
  readonly sessions: SessionsApi
  readonly subscriptions: SubscriptionsApi
  readonly payments: PaymentsApi
  readonly invoices: InvoicesApi
  readonly checkout: CheckoutApi
  readonly webhooks: WebhooksApi
  readonly pages: PagesApi
  /** The website index. @throws ERR_CONFIG where none is configured */
  readonly reports: ReportsApi
  readonly operator: OperatorApi
  readonly storage: Storage

  /** Does the background work that is due now: failed events, objects to ask for, hooks and mails. */
  runDueJobs(): Promise<void>
  close(): Promise<void>
}

/** Members: found, made, given access, merged, exported and deleted. */
export interface UsersApi extends Users, Merging {
  /** The fields that the blueprint lets this member see, with their values. */
  readable(user: User): Record<string, unknown>
  fieldsOf(user: User): Fields
  /** Everything that is kept about a member. */
  export: ExportOf
  /** Gives a member another address, unproved until a login link that is sent there is opened. */
  setEmail: EmailUndo['set']
  /** Makes a login link to hand over, where no mail arrives. @throws ERR_NOT_FOUND, ERR_ACTION_REFUSED, and ERR_CONFIG
   *  without `membership.url` */
  loginLink(memberId: string): Promise<{ url: string; expiresAt: string }>
  /** Cancels at the providers first; goes on by itself when one of them is down. */
  delete: Deletions['request']
}

/** Logins: by a link in a mail, or by a host that knows who somebody is. */
export interface SessionsApi {
  /** The routes of login and logout, with the view. */
  koa(): Middleware
  /** Opens a session. `verified`: the person proved to own the member's address; else the session reads and cancels what
   *  is bought from now on, and does nothing more. */
  open(ctx: Context, memberId: string, verified: boolean): Promise<void>
  end(ctx: Context): Promise<void>
}

/** Purchases. */
export interface CheckoutApi {
  /** The routes of buying, and of what members do to their subscriptions, with the view. */
  koa(): Middleware
  /** Begins a purchase, and answers where it is paid. @throws ERR_PLAN_UNKNOWN, ERR_LOGIN_REQUIRED, ERR_CSRF,
   *  ERR_RATE_LIMIT, ERR_CHECKOUT_REFUSED, ERR_REFUSED, ERR_PROVIDER_UNSUPPORTED, ERR_PROVIDER_ANSWER */
  start: Selling['start']
}

/** Money that was paid. */
export interface PaymentsApi {
  /** A member's payments as they are now, newest first. */
  list(of: PaymentsOf): Promise<readonly Payment[]>
  /** Gives money back, in part or all that is left, and answers the payment as it is then. @throws ERR_NOT_FOUND,
   *  ERR_USAGE, ERR_ACTION_REFUSED, ERR_REFUSED, ERR_PROVIDER_UNSUPPORTED, ERR_PROVIDER_ANSWER */
  refund(wish: RefundOf): Promise<Payment>
  /** Payments of which the provider does not say what they are for, oldest first. */
  unassigned: Assigning['list']
  /** Says what such a payment is for. @throws ERR_USAGE */
  assign: Assigning['assign']
}

/** A member's bills at the providers. */
export interface InvoicesApi {
  /** Newest first, of every customer that the member is. @throws ERR_PROVIDER_UNSUPPORTED where one of the providers
   *  lists none, ERR_PROVIDER_ANSWER */
  list(of: { readonly user: User; readonly provider?: ProviderKey }): Promise<readonly Invoice[]>
}

/** Events of providers. */
export interface WebhooksApi extends Pick<Inbox, 'list' | 'get' | 'replay' | 'release'> {
  /** The routes that providers post to. */
  koa(): Middleware
  /** Takes one delivery as a route would. */
  readonly receive: Receive
  readonly pull: Pull
  /** The signed headers of a delivery, with the provider's configured secret. */
  sign(provider: ProviderKey, body: Buffer): Record<string, string>
}

/** The pages of this package, and forms on the host's own. */
export interface PagesApi {
  /** The account pages of members, with the view. */
  koa(): Middleware
  readonly render: Render
  /** The hidden field that proves that a form was made for this browser: `(ctx)`, `(request, response)`, or of a
   *  web-standard request `{ token, headers }`. */
  readonly formToken: FormToken
  /** A whole form with one button. */
  readonly form: Form
  /** @throws ERR_CSRF */
  checkForm(ctx: Context, token: unknown): void
  /** The page for a visitor whom a gate stops, such as `onDenied` of a route, in the visitor's language. */
  readonly locked: LockedPage
  /** The words of a page in the visitor's language; spread it into the data of `render`. */
  voice(ctx: Context): Promise<Voice>
  /** What this browser just did here, in one line, with the form that takes it back where there is one; shown once. */
  flash(ctx: Context): Promise<Spoken | null>
}

/** The work of the site's own people: the office and the command line stand on the same calls. */
export interface OperatorApi {
  readonly config: Config
  /** Compares a provider's objects with those that stand here, and mends them with `write`. */
  readonly compare: Compare
  /** Takes over what a provider or a file has and this site lacks; nothing is written without `write`. */
  readonly import: Import
  /** Ends subscriptions at one provider with what is paid, so that their members go on at another. */
  readonly switch: SwitchProvider
  /** Ends what an older copy of the database would make good again; before the site starts. */
  readonly afterRestore: Restoring['afterRestore']
  /** The accounts whose deletion was asked for since then, oldest first. */
  readonly deletedSince: Restoring['deletedSince']
  /** Cancellations and withdrawals that arrived by the public pages. */
  readonly declarations: Pick<Declarations, 'list' | 'settle'>
  /** Messages that wait or were given up: hooks, mails, calls to providers. */
  readonly outbox: Pick<Outbox, 'list' | 'replay'>
  /** The log of operators' actions; `during` notes an action of your own office around what does it. */
  readonly audit: Pick<AuditLog, 'during' | 'list'>
  readonly catalogue: Pick<Catalogue, 'refresh' | 'isStale'>
  /** The state of the providers: the troubles of now, and how messages arrive. */
  health(): Promise<Health>
  /** The OpenAPI 3.1 document of every route: what `GET /membership/openapi.json` answers. */
  openapi(): Promise<object>
}

/** The API of templates and scripts: about the view of the running request, or of one that they name. */
export const templateApi = (
  { viewOf, viewRules }: Pick<RequestContext, 'viewOf' | 'viewRules'>,
  /** `current` is the view of the running request; `scope` runs something with another. */
  { current, scope }: { current: () => View; scope: <T>(view: View, fn: () => T) => T },
): Pick<Membership, 'user' | 'provider' | 'allows' | 'plans' | 'viewOf' | 'runAs'> => ({
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
})

/** The API with which a host connects its own routes, pages and logins. */
export function hostApi(deps: {
  environment: Environment
  services: Services
  requestContext: RequestContext
  routes: ReturnType<typeof createRoutes>
  chain: { readonly middleware: Middleware; readonly koa: Middleware }
  scope: <T>(view: View, fn: () => T) => T
}): Pick<
  Membership,
  'koa' | 'koaView' | 'gate' | 'guard' | 'listener' | 'fetch' | 'pages' | 'sessions' | 'webhooks'
> {
  const { services, requestContext, routes, scope } = deps
  const { middleware, koa } = deps.chain
  const { log, now } = deps.environment
  const { contexts, viewOf, viewRules, formToken } = requestContext
  const { reports, sessions, render, configured } = services
  const { list, get, replay, release } = services.inbox
  return {
    koa: makes('m.koa', () => onKoa('m.koa()', koa)),
    koaView: makes('m.koaView', () => onKoa('m.koaView()', middleware)),
    gate: gateMiddleware(viewOf, log, () => viewRules.plans, routes.lockedPage),
    guard: createGuard<HostRequest>(requestContext.seenView, log, viewRules),
    ...createServing({ koa, reports, requestContext, log, scope }),
    pages: {
      koa: makes('m.pages.koa', () => chain([middleware, routes.account])),
      render,
      ...createForms({ contexts, tokenFor: formToken, render }),
      checkForm: requestContext.checkForm,
      locked: routes.lockedPage,
      voice: requestContext.voiceOf,
      flash: requestContext.spoken,
    },
    sessions: {
      koa: makes('m.sessions.koa', () => chain([middleware, routes.login])),
      open: sessions.open,
      end: sessions.end,
    },
    webhooks: {
      ...{ list, get, replay, release, receive: services.receive, pull: services.pull },
      koa: makes('m.webhooks.koa', () => onKoa('m.webhooks.koa()', routes.webhooks)),
      sign: (key, body) => signWith(configured, key, body, now()),
    },
  }
}

/** The API of selling and of what was sold. */
export function salesApi(deps: {
  config: Config
  services: Services
  routes: ReturnType<typeof createRoutes>
  middleware: Middleware
  asking: CallerLookup
  randomId: () => string
  now: () => Date
}): Pick<Membership, 'checkout' | 'subscriptions' | 'payments' | 'invoices'> {
  const { services, routes, middleware, asking, config } = deps
  const { actions, checkout, sessions, catalogue, users, unassigned } = services
  const siteUrl = () => publicUrl(config)
  const selling = createSelling({ ...deps, checkout, sessions, plans: catalogue.all, publicUrl: siteUrl })
  return {
    checkout: {
      koa: makes('m.checkout.koa', () => chain([middleware, ...routes.purchases, ...routes.shop])),
      start: selling.start,
    },
    subscriptions: subscriptionsForCode(actions, asking, siteUrl),
    payments: {
      list: async (of) => {
        const { id } = 'user' in of ? of.user : { id: of.memberId }
        const user = await users.findStanding(id)
        if (user !== null) return user.payments()
        throw new MembershipError('ERR_NOT_FOUND', `No member ${id}.`)
      },
      refund: actions.refund,
      unassigned: unassigned.list,
      assign: unassigned.assign,
    },
    invoices: { list: actions.invoices },
  }
}

/** The API of members, and of the site's own people. */
export function operatorApi(
  { config }: Environment,
  services: Services,
  openapi: OperatorApi['openapi'],
): Pick<Membership, 'users' | 'operator' | 'reports'> {
  const { declarations, outbox, catalogue } = services
  return {
    users: {
      ...services.users,
      // A merged account's id leads to the account that was kept.
      findById: services.users.findStanding,
      ...services.mergingForCode,
      readable: services.selfService.readable,
      fieldsOf: (user) => services.fieldsOf(user.roles),
      export: services.exportOf,
      setEmail: services.emailUndo.set,
      loginLink: (memberId) => services.links.give(memberId, publicUrl(config)),
      delete: services.deletions.request,
    },
    operator: {
      config,
      compare: services.compare,
      import: services.importing,
      switch: services.switchProvider,
      ...services.restoring,
      declarations: { list: declarations.list, settle: declarations.settle },
      outbox: { list: outbox.list, replay: outbox.replay },
      audit: services.auditLog,
      catalogue: { refresh: catalogue.refresh, isStale: catalogue.isStale },
      health: services.health,
      openapi,
    },
    reports: services.reports.api,
  }
}

/** Whose payments: a member who was loaded, or the id of one. */
export type PaymentsOf = { readonly user: User } | { readonly memberId: string }

/** A refund: which payment, and how much of it. */
export type RefundOf = Parameters<Actions['refund']>[0]

/** The digest that `describe` gave the member before; without it nothing is compared. */
export type Shown = { readonly shown?: string | null }

/** The subscription's owner. */
export type Own = Who & { readonly subscriptionId: string }

/** The terms that it is to have; a term that is not said stays. */
export type ChangeTo = Own & {
  readonly plan?: PlanId | null
  readonly price?: PriceId | null
  readonly quantity?: number | null
  readonly proration?: Proration | null
  /** The moment of the preview that was shown. */
  readonly prorationAt?: Moment | null
} & Shown

/** What members do to their subscriptions, for code on any host. Of a `request` the session counts as on our own routes;
 *  of a `user` the code vouches for what it does. */
const subscriptionsForCode = (
  actions: Actions,
  { member }: Pick<CallerLookup, 'member'>,
  publicUrl: () => string,
) => {
  const owned = async (own: Own, needs: 'verified' | 'unverified' = 'verified') => {
    const { subscriptionId } = own
    return { user: await member(own, needs, subscriptionId), subscriptionId }
  }
  const changeOf = async (wish: ChangeTo) => ({
    ...(await owned(wish)),
    plan: wish.plan ?? null,
    price: wish.price ?? null,
    quantity: wish.quantity ?? null,
    proration: wish.proration ?? null,
    prorationAt: isoOf(wish.prorationAt, 'prorationAt'),
    shown: wish.shown,
  })
  return {
    /** Previews an action, decided as the action itself decides it, with the digest that confirms it. */
    describe: actions.lookAt,
    /** Another price or quantity, by the site's rules. */
    change: async (wish: ChangeTo) => actions.change(await changeOf(wish)),
    /** Tells the cost, and when it counts. */
    preview: async (wish: ChangeTo) => actions.preview(await changeOf(wish)),
    /** At the end of what is paid unless told otherwise. */
    cancel: async (wish: Own & Shown & { readonly when?: 'period_end' | 'now' }) =>
      actions.cancel({
        ...(await owned(wish, 'unverified')),
        when: wish.when ?? 'period_end',
        shown: wish.shown,
      }),
    resume: async (wish: Own & Shown) => actions.resume({ ...(await owned(wish)), shown: wish.shown }),
    renew: async (wish: Own & Shown) => actions.renew({ ...(await owned(wish)), shown: wish.shown }),
    pause: async (wish: Own & Shown & { readonly until?: Moment | null }) =>
      actions.pause({ ...(await owned(wish)), until: isoOf(wish.until, 'until'), shown: wish.shown }),
    /** The provider's page for cards and invoices. */
    portal: async (
      wish: Who & {
        readonly provider?: ProviderKey | null
        readonly subscriptionId?: string | null
        readonly returnUrl?: string
        readonly localUrl?: string
      },
    ) => {
      const returnUrl = wish.returnUrl ?? publicUrl()
      return actions.portal({
        user: await member(wish, 'verified', wish.subscriptionId),
        provider: wish.provider ?? null,
        subscriptionId: wish.subscriptionId ?? null,
        returnUrl,
        localUrl: wish.localUrl ?? new URL(returnUrl).origin,
      })
    },
  }
}
/** What members do to their subscriptions, for code. */
export type SubscriptionsApi = ReturnType<typeof subscriptionsForCode>

/** A purchase that code begins: for a member, or for whoever sends a request. */
export type CheckoutWish = Who & Offer & CheckoutTerms

/** What is bought: a price by its id or look-up key, or a plan; a plan alone is enough where it has one price. */
export type Offer =
  | { readonly price: PriceId; readonly plan?: PlanId }
  | { readonly plan: PlanId; readonly price?: PriceId }

/** The terms of a purchase. */
export interface CheckoutTerms {
  readonly quantity?: number
  readonly currency?: string
  /** A promotion code as the buyer typed it. */
  readonly code?: string
  /**
   * The text that your own page had the buyer agree to, word for word: kept with the purchase, and repeated in its
   * mail.
   */
  readonly consent?: string
  /** The seller; the provider for new checkouts unless given. */
  readonly provider?: ProviderKey
  /** The path on this site where the buyer goes on afterwards; `/` unless given. */
  readonly redirect?: string
}

/** A purchase that has begun. */
export interface StartedCheckout {
  /** The address where the buyer is sent to pay. */
  readonly url: string
  readonly intentId: string
  /** The headers that the answer to a web-standard request has to set; empty elsewhere. */
  readonly headers: Headers
}

interface SellingDeps {
  readonly config: Config
  readonly asking: CallerLookup
  readonly checkout: CheckoutRoom
  readonly sessions: Pick<Sessions, 'browserId'>
  readonly plans: () => readonly Plan[]
  readonly publicUrl: () => string
  readonly now: () => Date
  readonly randomId: () => string
}

/** Sells from code, under the rules of the forms. */
const createSelling = (deps: SellingDeps) => {
  const { config, asking, checkout, sessions, plans, publicUrl, randomId } = deps

  const start = async (wish: CheckoutWish): Promise<StartedCheckout> => {
    const asked = await asking.ask(wish)
    const { user, ctx } = asked
    const site = config.url ?? (ctx === null ? publicUrl() : originOf(ctx))
    const { url, intentId } = await checkout.begin({
      ...wanted(wish, plans()),
      consent: wish.consent === undefined ? null : ownConsent(wish.consent, deps.now()),
      user,
      redirect: localPath(wish.redirect, '/'),
      browser: fingerprint(ctx === null ? randomId() : browserOf(wish, asked)),
      publicUrl: site,
      localUrl: ctx === null ? site : localUrl(ctx.req),
    })
    // The sandbox's page lies on this very site; a mail needs the whole address.
    return { url: new URL(url, site).href, intentId, headers: asked.headers() }
  }

  // The browser that began a purchase is logged in by it; its cookie must have a way out.
  const browserOf = (wish: Who, { user, ctx }: Caller): string => {
    const id = sessions.browserId(ctx!)
    if (user !== null || hasAnswer(wish) || ctx!.get('cookie').includes(id)) return id
    throw new MembershipError('ERR_USAGE', 'A visitor who is not logged in needs a cookie to buy.', {
      action: 'Give the answer, too: m.checkout.start({ request, response, … }).',
    })
  }
  return { start }
}

const isoOf = (given: Moment | null | undefined, name: string): string | null =>
  given == null ? null : toDate(given, name).toISOString()

// Koa's context and Express's request know theirs; of a web-standard request the headers are handed over.
const hasAnswer = (who: Who): boolean =>
  who.request !== undefined &&
  (who.response !== undefined || 'res' in who.request || isWebRequest(who.request))

const wanted = (
  { price, plan, quantity, currency, code, provider }: Partial<Offer> & CheckoutTerms,
  plans: readonly Plan[],
) => {
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
    currency: currency?.toUpperCase() ?? null,
    code: code ?? null,
    provider: provider ?? null,
  }
}

export type Selling = ReturnType<typeof createSelling>

/** The routes for hosts that are not Koa: what is ours is answered, everything else goes on with its view in scope. */
const createServing = (deps: {
  koa: Middleware
  reports: { readonly middleware: Middleware; isOurs(url?: string): boolean }
  requestContext: Pick<RequestContext, 'lookUp' | 'noteView' | 'contexts'>
  log: Log
  scope: <T>(view: View, fn: () => T) => T
}): Pick<Membership, 'listener' | 'fetch'> => {
  const { koa, reports, log, scope } = deps
  const { lookUp, noteView, contexts } = deps.requestContext
  const standalone = lazy(() => standaloneOf(koa, log))
  const partners = lazy(() => standaloneOf(reports.middleware, log))
  // Routers know no difference of case.
  const isOurs = (path = '') => /^\/membership\//i.test(path)

  const listener: Membership['listener'] = () => (request, response, next) => {
    if (reports.isOurs(request.url)) return void partners()(request, response)
    if (!next || isOurs(request.url)) return void standalone()(request, response)
    lookUp(request).then((found) => {
      const view = noteView(request, unsharedOnceAsked(found, response))
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
  // Whoever hands this function to a server as it is gives it something else as the second argument there.
  const fetch: Membership['fetch'] = async (request, { address, next } = {}) => {
    const { pathname } = new URL(request.url)
    if (typeof next !== 'function' || isOurs(pathname) || reports.isOurs(pathname))
      return toResponse(standalone(), request, { address })
    return pageOf(request, next, typeof address === 'string' ? address : undefined)
  }
  return { listener, fetch }
}
