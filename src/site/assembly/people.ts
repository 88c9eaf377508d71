import type { Context } from 'koa'
import { isInEurope } from '../../core/config/europe.ts'
import { sellersOf } from '../../core/config/index.ts'
import { MembershipError } from '../../core/errors.ts'
import { isForeign } from '../../core/http/origin.ts'
import type { Voice } from '../../core/words/index.ts'
import { toView, type User, type View, type ViewRules } from '../../memberships/members/index.ts'
import { offers } from '../../memberships/subscriptions/index.ts'
import { createContexts, isContext, isUser } from '../hosts/contexts.ts'
import { identifyInputOf } from '../identify-input.ts'
import type { HostRequest, Identity } from '../options.ts'
import type { Ground } from './ground.ts'
import type { Rooms } from './rooms.ts'
import { type Spoken, spokenOf } from './spoken.ts'

/** Who asks: views of visitors, and the proof that a form was made for a browser. */
export const createPeople = ({ options, config, storage, now }: Ground, rooms: Rooms) => {
  const { users, sessions, tokens, catalogue, providers, customers, deletions, trials, identities } = rooms
  const viewRules: ViewRules = {
    instance: storage,
    get plans() {
      return catalogue.all()
    },
    boughtAs: catalogue.boughtAs,
    providerKeys: [...providers.keys()],
    handler: config.provider.handler,
    sellers: sellersOf(config),
    money: rooms.money,
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
    updateCustomer: customers.push,
  }
  const contexts = createContexts()

  /** An account that is being deleted lets nobody in, whoever vouches for them. */
  const identified = async (identity: Identity): Promise<User | null> => {
    const user = await named(identity)
    return user !== null && (await deletions.isLocked(user.id)) ? null : user
  }
  const named = async (identity: Identity): Promise<User | null> => {
    if (!identity) return null
    return 'id' in identity ? users.findStanding(identity.id) : identities.memberOf(identity)
  }
  const viewFor = async (user: User | null, unverifiedSince: string | null = null): Promise<View> =>
    toView(user, viewRules, { unverifiedSince, had: await trials.had(user) })

  const lookUp = async (subject: HostRequest): Promise<View> => {
    if (options.identify) return viewFor(await identified(await options.identify(identifyInputOf(subject))))
    const ctx = isContext(subject) ? subject : contexts.of(subject)
    const id = await sessions.idOf(ctx)
    if (id === null) return toView(null, viewRules)
    // Asked at once, since every page waits for it: of who is named nothing is used where the session counts no more.
    const [session, user] = await Promise.all([sessions.byId(id), users.findBySession(id)])
    if (session === null) return toView(null, viewRules)
    return viewFor(user, session.isVerified ? null : session.since)
  }
  const viewOf = async (subject: HostRequest | User | null): Promise<View> => {
    if (subject === null || isUser(subject)) return viewFor(subject)
    if (!isContext(subject)) return lookUp(subject)
    return seen.get(subject) ?? noteView(subject, await lookUp(subject))
  }
  // By request, and of this instance alone: another one on the same site looks up members of its own.
  const seen = new WeakMap<object, View>()
  /** Keeps the view of a running request for its gates. */
  const noteView = (request: HostRequest, view: View): View => {
    seen.set(request, view)
    return view
  }
  /** The view that the middleware noted, else a new one. */
  const seenView = async (request: HostRequest): Promise<View> => seen.get(request) ?? viewOf(request)
  const freshViewOf = async (ctx: Context): Promise<View> => {
    seen.delete(ctx)
    return viewOf(ctx)
  }

  const formToken = (ctx: Context) => tokens.formToken(sessions.formOwner(ctx))
  /** @throws ERR_CSRF for what another site's page sends */
  const refuseForeign = (ctx: Context): void => {
    // By host alone: behind a proxy that ends TLS, the scheme that we see is not the visitor's.
    const own = config.url ? new URL(config.url).host : ctx.host
    if (isForeign(ctx, own)) throw notOurs()
  }
  const checkForm = (ctx: Context, token: unknown): void => {
    refuseForeign(ctx)
    if (!tokens.isFormToken(sessions.formOwner(ctx), token)) throw notOurs()
  }
  /** The voice for whoever asks: of the account, else of this browser, else what the browser asks for. */
  const voiceOf = async (ctx: Context): Promise<Voice> => {
    const user = (await viewOf(ctx)).user()
    ctx.vary('Accept-Language')
    return rooms.words.voiceFor([user?.language, sessions.language(ctx)], ctx.get('Accept-Language'))
  }
  /** The language of that voice, where anybody said it: null where it is the default. */
  const languageOf = async (ctx: Context): Promise<string | null> => {
    const user = (await viewOf(ctx)).user()
    return rooms.words.askedFor([user?.language, sessions.language(ctx)], ctx.get('Accept-Language'))
  }
  /** What was just done in this browser, for one line of the page that it leads to. */
  const spoken = async (ctx: Context): Promise<Spoken | null> => {
    const said = await rooms.saying.heard(ctx)
    if (said === null) return null
    return spokenOf(said, { view: await viewOf(ctx), voice: await voiceOf(ctx), now: now() })
  }
  const pageData = async (ctx: Context): Promise<Record<string, unknown>> => {
    const view = await freshViewOf(ctx)
    const voice = await voiceOf(ctx)
    return {
      path: ctx.path,
      // Where a form of every page leads back to: an answer to a form has no address of its own.
      here: ctx.method === 'GET' ? ctx.url : '/',
      token: formToken(ctx),
      user: view.user(),
      arrears: view.arrears(voice),
      shop: isInEurope(config.shop.country) ? { country: config.shop.country } : null,
      magazine: { name: rooms.site, tagline: '' },
      pages: rooms.pages,
      ...voice,
      said: await spoken(ctx),
      ...(await options.pageData?.(ctx, view)),
    }
  }
  const standingOf = async (ctx: Context) => (await freshViewOf(ctx)).standing()
  return {
    viewRules,
    contexts,
    standingOf,
    lookUp,
    noteView,
    seenView,
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

const notOurs = (): MembershipError =>
  new MembershipError('ERR_CSRF', 'This form was not made for this browser, or is too old.', {
    action: 'Load the page again and send its form; cookies must be allowed.',
  })

export type People = ReturnType<typeof createPeople>
