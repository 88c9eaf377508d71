import type { Context } from 'koa'
import { type Limit, paywallScript, type Wall, wallParameter } from '../../core/access/index.ts'
import type { Tax } from '../../core/config/europe.ts'
import type { MembershipError } from '../../core/errors.ts'
import type { PagePaths, Render } from '../../core/pages/index.ts'
import type { GateId } from '../../core/register.ts'
import type { Voice } from '../../core/words/index.ts'
import type { Gift } from '../../memberships/gifts/index.ts'
import type { FirstPrice, User, View } from '../../memberships/members/index.ts'
import { accountForPage, type MemberGroups } from './account-words.ts'
import { featureTable } from './feature-table.ts'
import { limitSentence, limitsForPage, termsForPage } from './limit-words.ts'
import { inRhythm, plansForPage, portalProvider } from './page-forms.ts'
import { type OfferedProfile, profileForPage } from './profile.ts'
import { type Visitor, visitorOf } from './visitor.ts'

export interface PageSources {
  readonly viewOf: (ctx: Context) => Promise<View>
  readonly voiceOf: (ctx: Context) => Promise<Voice>
  readonly pageData: (ctx: Context) => Promise<Record<string, unknown>>
  readonly formToken: (ctx: Context) => string
  readonly render: Render
  readonly profile: OfferedProfile
  /** Plans that a member's subscriptions began with. */
  readonly firstPrice: (memberId: string) => Promise<FirstPrice>
  /** Gifts that a member bought for others. */
  readonly giftsOf: (user: User) => Promise<readonly Gift[]>
  /** Groups that a member manages, and their own seats. */
  readonly groupsOf: (user: User) => Promise<MemberGroups>
  /** True if a member also bought from other shops of the provider's account. */
  readonly buysElsewhere: (user: User, provider: string) => Promise<boolean>
  /** The id of a member for the site's app; null where no provider reads a store of apps. */
  readonly appUserIdOf: (user: User) => Promise<string | null>
  readonly paths: PagePaths
  /** The address of the page that the visitor asked for. */
  readonly pageOf: (ctx: Context) => string
  /** Tax inclusion of prices; null if the site does not say. */
  readonly tax: Tax | null
  /** Features and limits that the site names. */
  readonly features: readonly string[]
  readonly now: () => Date
}

/** Offers in an `ERR_LIMIT` error. */
interface Refused {
  readonly limit: Limit
  readonly opens_more?: readonly { readonly plan: string }[]
  readonly top_ups?: readonly { readonly price: string }[]
}

export interface Pages {
  /**
   * Renders the visitor's account with the given page of its history open. A visitor who is not logged in
   * gets the login.
   */
  account(ctx: Context, page: number | null): Promise<string>
  prices(ctx: Context, redirect: string): Promise<string>
  /** Describes the visitor as JSON, for a site's own components. */
  visitor(ctx: Context): Promise<Visitor>
  /** Renders the offers that give more of a reached limit. */
  limited(ctx: Context, error: MembershipError<'ERR_LIMIT'>): Promise<string>
  /** Renders the offers that open a page, with contents and cost, and a login that leads back to it. */
  locked(ctx: Context, gates: readonly string[]): Promise<string>
}

/** Renders the package's pages as HTML: the account, the prices, and the page in place of a locked one. */
export function createPages(deps: PageSources): Pages {
  const { viewOf, voiceOf, now, tax } = deps

  const write = async (ctx: Context, template: string, data: Record<string, unknown>): Promise<string> => {
    const [view, voice, common] = await Promise.all([viewOf(ctx), voiceOf(ctx), deps.pageData(ctx)])
    return deps.render(template, {
      ...common,
      plans: plansForPage(view, { voice, now: now(), tax }),
      ...data,
    })
  }

  return {
    account: async (ctx: Context, page: number | null): Promise<string> => {
      const [view, voice] = await Promise.all([viewOf(ctx), voiceOf(ctx)])
      const user = view.user()
      const isVerified = view.authentication() === 'verified'
      const profile =
        user === null
          ? null
          : profileForPage(deps.profile, user, {
              isVerified,
              voice,
              hidden: deps.profile.hidden,
              changesAddress: await deps.profile.changesAddress(user),
            })
      const firstPrice = user === null ? undefined : await deps.firstPrice(user.id)
      const gifts = user === null ? [] : await deps.giftsOf(user)
      const groups = user === null ? undefined : await deps.groupsOf(user)
      const portal = portalProvider(view)
      const portalShowsOthers = user !== null && portal !== null && (await deps.buysElsewhere(user, portal))
      return write(ctx, 'account', {
        ...accountForPage(view, {
          voice,
          now: now(),
          page,
          firstPrice,
          pricesPath: deps.paths.prices,
          gifts,
          groups,
          portalShowsOthers,
          tax,
        }),
        profile,
        limits: limitsForPage(view, { voice, now: now() }),
        terms: termsForPage(view, { voice, now: now() }),
      })
    },
    prices: async (ctx: Context, redirect: string): Promise<string> => {
      const [view, voice] = await Promise.all([viewOf(ctx), voiceOf(ctx)])
      const all = plansForPage(view, { voice, now: now(), tax, named: deps.features })
      return write(ctx, 'prices', {
        ...inRhythm(all, {
          every: ctx.query.every,
          path: ctx.path,
          query: typeof ctx.query.redirect === 'string' ? { redirect } : {},
        }),
        redirect,
        feature_table: featureTable(view.plans(), deps.features, voice),
      })
    },
    visitor: async (ctx: Context): Promise<Visitor> => {
      const [view, voice] = await Promise.all([viewOf(ctx), voiceOf(ctx)])
      const user = view.user()
      const groups = user === null ? undefined : await deps.groupsOf(user)
      const { cards = [] } = accountForPage(view, {
        voice,
        now: now(),
        pricesPath: deps.paths.prices,
        groups,
      })
      return visitorOf(view, {
        voice,
        cards,
        pages: deps.paths,
        token: deps.formToken(ctx),
        appUserId: user === null ? null : await deps.appUserIdOf(user),
        plans: plansForPage(view, {
          voice,
          now: now(),
          tax,
          topUps: limitsForPage(view, { voice, now: now() }).flatMap(({ top_ups }) =>
            top_ups.map(({ price }) => price),
          ),
        }),
      })
    },
    limited: async (ctx: Context, error: MembershipError<'ERR_LIMIT'>): Promise<string> => {
      const voice = await voiceOf(ctx)
      const { limit, opens_more = [], top_ups = [] } = error.extensions as unknown as Refused
      const topUps = top_ups.map(({ price }) => price)
      const gates = [...opens_more.map(({ plan }) => plan), ...topUps]
      return write(ctx, 'locked', {
        plans: plansForPage(await viewOf(ctx), { voice, now: now(), tax, topUps }),
        unfolded: true,
        gates: gates.length > 0 ? gates : [limit.name],
        redirect: deps.pageOf(ctx),
        title: voice.say('limits.reached'),
        detail: limitSentence(limit, { voice, now: now() }),
        reason: voice.say('limits.reason'),
      })
    },
    locked: async (ctx: Context, gates: readonly string[]): Promise<string> => {
      const [view, voice] = await Promise.all([viewOf(ctx), voiceOf(ctx)])
      const wall = view.wall((gates[0] ?? '') as GateId)
      return write(ctx, 'locked', {
        gates,
        redirect: deps.pageOf(ctx),
        structured: paywallScript(),
        ...opensForPage(ctx.state.membershipOpensAt, { voice, now: now() }),
        ...(wall === null ? {} : wallForPage(wall, deps.pageOf(ctx), { voice, now: now() })),
      })
    },
  }
}

/** When content opens that waits for paid time. */
function opensForPage(
  opens: unknown,
  { voice, now }: { readonly voice: Voice; readonly now: Date },
): { readonly detail?: string } {
  if (typeof opens === 'string') return { detail: voice.say('wall.opens', { date: voice.day(opens, now) }) }
  return opens === null ? { detail: voice.say('wall.opens_paid') } : {}
}

/** Words for a closed metered page: when pages are free again, or where the free ones begin. */
function wallForPage(
  { free, left, resets_at }: Wall,
  path: string,
  { voice, now }: { readonly voice: Voice; readonly now: Date },
): { readonly detail?: string; readonly start_url?: string } {
  if (free === 0) return {}
  if (left === 0)
    return {
      detail: [
        voice.say('wall.used_up', { count: free }),
        resets_at === null ? '' : voice.say('wall.resets', { date: voice.day(resets_at, now) }),
      ].join(' '),
    }
  const url = new URL(path, 'http://site.invalid')
  url.searchParams.set(wallParameter, 'start')
  return { detail: voice.say('wall.cookies', { count: free }), start_url: `${url.pathname}${url.search}` }
}
