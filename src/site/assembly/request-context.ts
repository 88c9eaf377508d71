import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Context } from 'koa'
import { type Awaitable, withValue } from '../../core/awaitable.ts'
import { isInEurope } from '../../core/config/europe.ts'
import { sellersOf } from '../../core/config/index.ts'
import { oneLine, type Subscription } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import type { Callers } from '../../core/http/callers.ts'
import { originOf } from '../../core/http/forms.ts'
import { isForeign } from '../../core/http/origin.ts'
import type { ErrorPage } from '../../core/http/problems.ts'
import { repeated } from '../../core/http/repeated.ts'
import { type Authentication, requireAuthentication, unverified } from '../../core/http/route-access.ts'
import type { PagePaths, Render } from '../../core/pages/index.ts'
import { isLoopback, isOtherLoopback } from '../../core/url.ts'
import { errorIn, offersLogin, plainVoice, titleIn, type Voice } from '../../core/words/index.ts'
import { fieldProblemsIn } from '../../memberships/account/index.ts'
import { confirmedResume } from '../../memberships/checkout/index.ts'
import {
  type Flash,
  type HostIdentity,
  toView,
  type User,
  type View,
  type ViewRules,
} from '../../memberships/members/index.ts'
import { offers } from '../../memberships/subscriptions/index.ts'
import { providerAt } from '../../memberships/verification/index.ts'
import { notePersonal } from '../hosts/asked.ts'
import {
  type Contexts,
  createContexts,
  isContext,
  isUser,
  isWebRequest,
  requireUnsent,
} from '../hosts/contexts.ts'
import { identifyInputOf } from '../identify-input.ts'
import type { Form, FormInput, FormToken, LockedPage, PagesApi, Spoken, Who } from '../membership-api.ts'
import type { HostRequest, Identity } from '../options.ts'
import type { Pages } from '../pages/index.ts'
import type { CallsByMember } from './call-inputs.ts'
import type { Environment } from './environment.ts'
import { auditedPlan, auditMember, isAudit } from './leak-audit.ts'
import type { Services } from './services.ts'

/** Builds the context of a request: visitors' views, and proof that a form was made for this browser. */
export function createRequestContext(environment: Environment, services: Services) {
  const { options, config, storage, now, log } = environment
  const { users, sessions, tokens, catalogue, providers, customers, deletions, trials, identities, walls } =
    services
  // A provider without its API key takes no checkout, so that nothing of it is offered.
  const sellers = sellersOf(config).filter((key) => offers(providers.get(key), 'checkout'))
  /** Lets a fresh site read its prices before the first page offers them. */
  const pricesRead = (): Promise<unknown> | null => {
    const readings = sellers.flatMap((key) => catalogue.firstReading(key) ?? [])
    return readings.length === 0 ? null : Promise.all(readings)
  }
  const viewRules: ViewRules = {
    instance: storage,
    addressOf: environment.addresses.of,
    get plans() {
      return catalogue.all()
    },
    boughtAs: catalogue.boughtAs,
    checkGate: services.checkGate,
    checkLimit: services.checkLimit,
    walls,
    providerKeys: [...providers.keys()],
    handler: config.provider.handler,
    sellers,
    isOffered: catalogue.isOffered,
    money: services.money,
    can: (key) => {
      const provider = providers.get(key)
      return {
        swap: offers(provider, 'swap'),
        preview: provider?.preview !== undefined,
        cancel: offers(provider, 'cancel'),
        pause: offers(provider, 'pause') && config.providers[key]?.pause != null,
        portal: provider?.portal !== undefined,
      }
    },
    managedIn: (s) => providerAt(providers, s.provider, s.account)?.managedIn?.(s) ?? null,
    updateCustomer: customers.push,
  }
  const contexts = createContexts()

  /** Refuses an account that is being deleted, even when the host vouches for the person. */
  const identified = async (identity: Identity): Promise<User | null> => {
    const user = await named(identity)
    return user !== null && (await deletions.isLocked(user.id)) ? null : user
  }
  const named = async (identity: Identity): Promise<User | null> => {
    if (!identity) return null
    if (isNamed(identity, 'email')) return identities.memberOf(identity as HostIdentity)
    if (!isNamed(identity, 'member')) {
      sayOnce('identify() returned nothing that names a person, who counts as not logged in.')
      return null
    }
    const { member } = identity as { member: User | string }
    const found = await users.findExisting(typeof member === 'string' ? member : member.id)
    if (found === null)
      sayOnce('identify() returned a member who is not known here, and who counts as not logged in.')
    return found
  }
  const said = new Set<string>()
  const sayOnce = (message: string): void => {
    if (said.has(message)) return
    said.add(message)
    log(message, {
      action:
        'Return { email, userId } with a verified address and your own id of the person. A member of this package is { member }, a visitor null.',
    })
  }
  const viewFor = (
    user: User | null,
    ctx: Context | null,
    unverifiedSince: string | null = null,
  ): Awaitable<View> => {
    const had = trials.had(user)
    const seenWalls = walls.seenBy(ctx, user?.id ?? null)
    if (had instanceof Promise || seenWalls instanceof Promise)
      return Promise.all([had, seenWalls]).then(([had, walls]) =>
        toView(user, viewRules, { unverifiedSince, had, walls }),
      )
    return toView(user, viewRules, { unverifiedSince, had, walls: seenWalls })
  }

  /** Looks the visitor of a request up. Nothing is waited for where no cookie names a session. */
  const lookUp = (subject: HostRequest): Awaitable<View> => {
    const ctx = isContext(subject) ? subject : contexts.of(subject)
    const reading = pricesRead()
    if (reading !== null || options.identify || isAudit(ctx)) return lookUpOther(subject, ctx, reading)
    return lookUpSession(ctx)
  }
  const lookUpSession = (ctx: Context): Awaitable<View> =>
    withValue(sessions.idOf(ctx), (id) => {
      if (id === null) return viewFor(null, ctx)
      return withValue(users.findWithSession(id), (found) => {
        if (found === null) return viewFor(null, ctx)
        const { session, user } = found
        return viewFor(user, ctx, session.isVerified ? null : session.since)
      })
    })
  const lookUpOther = async (
    subject: HostRequest,
    ctx: Context,
    reading: Promise<unknown> | null,
  ): Promise<View> => {
    await reading
    const audited = await auditedPlan(ctx, tokens)
    if (audited !== null) return viewFor(auditMember(audited, services.rules, now()), ctx)
    if (!options.identify) return lookUpSession(ctx)
    return viewFor(await identified(await options.identify(identifyInputOf(subject))), ctx)
  }
  /** The view of a request, the same for all who ask during the request. */
  const viewIn = (subject: HostRequest): Awaitable<View> => {
    if (!isContext(subject)) return lookUp(subject)
    return seenIn(subject) ?? withValue(lookUp(subject), (view) => noteView(subject, view))
  }
  const viewOf = async (subject: HostRequest | User | null): Promise<View> => {
    if (subject !== null && !isUser(subject)) return viewIn(subject)
    await pricesRead()
    return viewFor(subject, null)
  }
  // The view is noted per request and instance: another instance on the same site looks up its own members. It is a
  // property, because an entry of a WeakMap would keep the request until the next full garbage collection.
  const seen = Symbol('view')
  const seenIn = (request: HostRequest): View | undefined => (request as { [seen]?: View })[seen]
  /** Keeps the view of a running request for its gates. */
  const noteView = (request: HostRequest, view: View): View => {
    ;(request as { [seen]?: View })[seen] = view
    return view
  }
  /** Returns the view that the middleware noted, else loads one. */
  const seenView = async (request: HostRequest): Promise<View> => seenIn(request) ?? viewOf(request)
  const freshViewOf = async (ctx: Context): Promise<View> => noteView(ctx, await lookUp(ctx))

  const formToken = (ctx: Context) => tokens.formToken(sessions.formOwner(ctx))
  /** @throws ERR_CSRF for a request that another site's page sends */
  const refuseForeign = (ctx: Context): void => {
    // Only the host is compared: behind a proxy that ends TLS, we do not see the visitor's scheme.
    const own = config.url && !isOtherLoopback(config.url, ctx.host) ? new URL(config.url).host : ctx.host
    if (!isForeign(ctx, own)) return
    if (config.url === null)
      repeated(log)(
        'A form of another address was refused. Behind a proxy, set membership.url to the address that visitors open.',
        { opened: oneLine(ctx.get('Origin'), 200), served: originOf(ctx) },
      )
    if (config.url === null || isForeign(ctx, ctx.host)) throw notOurs()
    const error = atOtherAddress(config.url, originOf(ctx))
    if (error.extensions.address !== undefined) repeated(log)(`${error.message} ${error.action}`)
    throw error
  }
  const checkForm = (ctx: Context, token: unknown): void => {
    refuseForeign(ctx)
    if (!tokens.isFormToken(sessions.formOwner(ctx), token)) throw notOurs()
  }
  /** Chooses the language of the account, else of this browser's choice, else of the browser's request. */
  const voiceOf = async (ctx: Context): Promise<Voice> => {
    const user = (await viewOf(ctx)).user()
    ctx.vary('Accept-Language')
    return services.words.voiceFor([user?.language, sessions.language(ctx)], ctx.get('Accept-Language'))
  }
  /** Returns the same language if somebody chose it, and null if it is only the default. */
  const languageOf = async (ctx: Context): Promise<string | null> => {
    const user = (await viewOf(ctx)).user()
    return services.words.askedFor([user?.language, sessions.language(ctx)], ctx.get('Accept-Language'))
  }
  /** Describes the last action of this browser in one line, for the page that the action leads to. */
  const spoken = async (ctx: Context): Promise<Spoken | null> => {
    const lastAction = await services.saying.heard(ctx)
    if (lastAction === null) return null
    return spokenOf(lastAction, { view: await viewOf(ctx), voice: await voiceOf(ctx), now: now() })
  }
  const pageData = async (ctx: Context): Promise<Record<string, unknown>> => {
    const view = await freshViewOf(ctx)
    const voice = await voiceOf(ctx)
    return {
      path: ctx.path,
      // Forms on every page return to this path. The answer to a form has no address of its own.
      here: ctx.method === 'GET' ? environment.addresses.pageOf(ctx) : '/',
      // A page that caches keep has no form: its token would be somebody else's.
      token: ctx.state.membershipIsShared ? '' : formToken(ctx),
      user: view.user(),
      arrears: view.arrears(voice),
      shop: isInEurope(config.shop.country) ? { country: config.shop.country } : null,
      magazine: { name: services.site, tagline: '' },
      pages: services.pages,
      ...voice,
      flash: ctx.state.membershipIsShared ? null : await spoken(ctx),
      ...(await options.pageData?.(ctx, view)),
    }
  }
  const authenticationOf = async (ctx: Context) => (await freshViewOf(ctx)).authentication()
  return {
    viewRules,
    contexts,
    authenticationOf,
    lookUp,
    noteView,
    seenView,
    viewIn,
    viewOf,
    freshViewOf,
    formToken,
    refuseForeign,
    checkForm,
    voiceOf,
    languageOf,
    spoken,
    pageData,
  }
}

function notOurs(): MembershipError {
  return new MembershipError('ERR_CSRF', 'This form was not made for this browser, or is too old.', {
    action: 'Load the page again and send its form; cookies must be allowed.',
  })
}

/** A form of this site under another of its names, such as another port of localhost, or with and without www. */
function atOtherAddress(url: string, opened: string): MembershipError {
  return new MembershipError(
    'ERR_CSRF',
    `This site has the address ${url}, and the form was opened at ${opened}.`,
    {
      action: `Open ${url} instead, or set membership.url to ${opened}. Browsers keep separate cookies for each.`,
      // A developer took one name of this machine for the other, so the page and the log name both.
      ...(isLoopback(new URL(url).hostname) && isLoopback(new URL(opened).hostname)
        ? { extensions: { address: url, opened } }
        : {}),
    },
  )
}

export type RequestContext = ReturnType<typeof createRequestContext>

/** Builds forms for a host's own pages. */
export function createForms(deps: {
  contexts: Contexts
  tokenFor: (ctx: Context) => string
  render: Render
}): { formToken: FormToken; form: Form } {
  const { contexts, tokenFor, render } = deps

  const tokenIn = (ctx: Context): string => {
    requireUnsent(ctx)
    notePersonal(ctx.res)
    return tokenFor(ctx)
  }
  const formToken = (subject: Context | IncomingMessage | Request, response?: ServerResponse) => {
    if (isContext(subject)) return tokenIn(subject)
    if (isWebRequest(subject)) {
      const ctx = contexts.of(subject)
      notePersonal(ctx.res)
      const token = tokenFor(ctx)
      return { token, headers: contexts.headersFor(subject) }
    }
    return tokenIn(contexts.of(subject, requireResponse(response)))
  }
  const form = (subject: Context | IncomingMessage | Request, ...rest: readonly unknown[]) => {
    const { url, fields = {}, label } = rest.at(-1) as FormInput
    const write = (token: string): string =>
      url === null ? '' : render('parts/form', { url, fields, label, token })
    const made = formToken(subject, rest.length > 1 ? (rest[0] as ServerResponse) : undefined)
    return typeof made === 'string' ? write(made) : { html: write(made.token), headers: made.headers }
  }
  return { formToken: formToken as FormToken, form: form as Form }
}

function requireResponse(response: ServerResponse | undefined): ServerResponse {
  if (response) return response
  throw new MembershipError('ERR_USAGE', 'A form for a request of Node needs its response, too.', {
    action: 'Call m.pages.formToken(request, response): the cookie that the token goes with is set there.',
  })
}

/** Caller and request; the context is null when code names a member. */
export interface Caller {
  readonly user: User | null
  readonly view: View | null
  readonly ctx: Context | null
  /** Headers that a web-standard answer has to set. */
  readonly headers: () => Headers
}

/**
 * Identifies the caller and applies the rules of our own forms: rate limits by address, and no requests from
 * other sites' pages.
 */
export function createCallerLookup(
  requestContext: RequestContext,
  callers: Callers,
  { userOf }: Pick<CallsByMember, 'userOf'>,
) {
  const { contexts, freshViewOf, viewOf, refuseForeign } = requestContext

  const ask = async (who: Who): Promise<Caller> => {
    if (who.request === undefined)
      return {
        user: await userOf(who.member ?? who.user),
        view: null,
        ctx: null,
        headers: () => new Headers(),
      }
    const { request, response, address } = who
    const ctx = isContext(request) ? request : contexts.of(request, response, address)
    if (!readsOnly.has(ctx.method)) refuseForeign(ctx)
    await callers.count(callers.callerOf(ctx.req))
    const view = isContext(request) ? await freshViewOf(ctx) : await viewOf(request)
    const headers = () =>
      isContext(request) || !isWebRequest(request) ? new Headers() : contexts.headersFor(request)
    return { user: view.user(), view, ctx, headers }
  }

  /**
   * Returns the member if the session may do this to the subscription.
   * @throws ERR_LOGIN_REQUIRED, ERR_UNVERIFIED
   */
  const member = async (who: Who, needs: Authentication, subscriptionId?: string | null): Promise<User> => {
    const { user, view } = await ask(who)
    if (view !== null) {
      requireAuthentication(needs, view.authentication())
      const found = user?.subscriptions().find(({ id }) => id === subscriptionId)
      if (found && !view.mayTouch(found)) throw unverified()
    }
    if (user !== null) return user
    throw new MembershipError('ERR_LOGIN_REQUIRED', 'Nobody is logged in.', { action: 'Log in first.' })
  }
  return { ask, member }
}
export type CallerLookup = ReturnType<typeof createCallerLookup>

const readsOnly = new Set(['GET', 'HEAD'])

/** Describes an action to the person who did it. Pure. */
export function spokenOf(
  flash: Flash,
  { view, voice, now }: { view: View; voice: Voice; now: Date },
): Spoken {
  return {
    code: flash.code,
    sentence: sentenceOf(flash, { view, voice, now }),
    undo: undoOf(flash, { view, voice, now }),
  }
}

function sentenceOf(flash: Flash, { view, voice, now }: { view: View; voice: Voice; now: Date }): string {
  const { code, price, at, email } = flash
  const title = titleIn(voice, price ?? null, view.plans())
  const date = at === undefined ? null : voice.day(at, now)
  switch (code) {
    case 'changed':
    case 'kept':
    case 'ended':
      return voice.say(`flash.${code}`, { title })
    case 'changing':
      return date === null
        ? voice.say('flash.changed', { title })
        : voice.say('flash.changing', { title, date })
    case 'canceled':
      if (isOwed(subscriptionOf(flash, view))) return voice.say('flash.canceled_owed', { title })
      return date === null
        ? voice.say('flash.canceled_plain', { title })
        : voice.say('flash.canceled', { title, date })
    case 'discounted':
      return date === null
        ? voice.say('flash.discounted_plain', { title })
        : voice.say('flash.discounted', { title, date })
    case 'paused':
    case 'resumed':
      return date === null
        ? voice.say(`flash.${code}_plain`, { title })
        : voice.say(`flash.${code}`, { title, date })
    case 'email_asked':
    case 'email_changed':
    case 'email_back':
    case 'merge_asked':
    case 'merge_other_asked':
    case 'gift_sent':
    case 'group_invited':
    case 'group_full':
    case 'group_removed':
    case 'group_handed_over':
      return voice.say(`flash.${code}`, { email: email ?? '' })
    default:
      return voice.say(`flash.${code}`)
  }
}

// An undo restores the former state, so its button needs no page of its own about the consequences.
function undoOf(flash: Flash, { view, voice, now }: { view: View; voice: Voice; now: Date }): Spoken['undo'] {
  const { code } = flash
  const s = subscriptionOf(flash, view)
  if (code !== 'canceled' || !s || s.ended || view.authentication() !== 'verified') return null
  return {
    url: `/membership/resume/${encodeURIComponent(s.id)}`,
    fields: { shown: confirmedResume(s, now) },
    label: voice.say('flash.undo'),
  }
}

function subscriptionOf({ subscription }: Flash, view: View): Subscription | undefined {
  return view
    .user()
    ?.subscriptions()
    .find(({ id }) => id === subscription)
}

function isOwed(s: Subscription | undefined): boolean {
  return s?.past_due === true || s?.status === 'unpaid'
}

/**
 * Builds the error page of our own routes. It says what happened and what the visitor can do. Where a login
 * helps, it shows the login form, which leads back here. The error code is printed small for support staff.
 */
export function createErrorPage(deps: {
  render: Render
  pageData: (ctx: Context) => Promise<Record<string, unknown>>
  voiceOf: (ctx: Context) => Promise<Voice>
  /** The address of the page that the visitor asked for. */
  pageOf: (ctx: Context) => string
  site: string
  pages: PagePaths
}): ErrorPage {
  return async (ctx, problem) => {
    const { status } = ctx
    // The lookup may fail for the same reason as the request.
    const voice = await deps.voiceOf(ctx).catch(plainVoice)
    const data = await deps
      .pageData(ctx)
      .catch(() => ({ ...bare, magazine: { name: deps.site, tagline: '' } }))
    const again = ctx.method === 'GET' ? deps.pageOf(ctx) : deps.pages.account
    const redirect = typeof problem.redirect === 'string' ? problem.redirect : again
    ctx.type = 'html'
    // With `no-referrer`, browsers would send this page's form without an origin.
    ctx.set('Referrer-Policy', 'same-origin')
    ctx.body = deps.render('error', {
      ...data,
      ...voice,
      status,
      error: errorIn(voice, { ...problem, status }, { ...deps.pages, again }),
      login: offersLogin(problem.code)
        ? { redirect: isPage(redirect) ? redirect : deps.pages.account }
        : null,
      fields: fieldProblemsIn(voice, problem),
      reference: problem.code,
    })
    ctx.status = status
  }
}

const bare = { path: '/', here: '/', token: '', user: null, arrears: [], flash: null }

/** Excludes links that work once: returning to one after login would fail. */
function isPage(path: string): boolean {
  return !/^\/membership\/(login|account\/email|account\/email-undo|pay|unsubscribe)\//.test(path)
}

export function createLockedPage(contexts: Contexts, write: Pages['locked']): LockedPage {
  const locked = async (subject: Context | IncomingMessage | Request, ...rest: readonly unknown[]) => {
    const gates = rest.at(-1) as readonly string[]
    if (isWebRequest(subject)) {
      const html = await write(contexts.of(subject), gates)
      return { html, headers: contexts.headersFor(subject) }
    }
    const ctx = isContext(subject) ? subject : contexts.of(subject, rest[0] as ServerResponse)
    requireUnsent(ctx)
    return write(ctx, gates)
  }
  return locked as LockedPage
}

/** Returns the visitor on every host. A web-standard request gets no cookie here, so its forms have no token. */
export function createVisitor(contexts: Contexts, describe: Pages['visitor']): PagesApi['visitor'] {
  return async (subject) => {
    if (isContext(subject)) return describe(subject)
    return { ...(await describe(contexts.of(subject))), token: '' }
  }
}

/** True for an object with a value of that name. A site in plain JavaScript may return anything. */
function isNamed(identity: unknown, name: string): boolean {
  return (
    typeof identity === 'object' && identity !== null && (identity as Record<string, unknown>)[name] != null
  )
}
