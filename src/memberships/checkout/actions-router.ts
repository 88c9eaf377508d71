import type { Context } from 'koa'
import { MembershipError } from '../../core/errors.ts'
import { createFormRouter, type FormRequest, type FormTools, queryOf } from '../../core/http/form-router.ts'
import { localPath, localUrl, originOf, wantsJson, wantsPage } from '../../core/http/forms.ts'
import { type Access, access, unverified } from '../../core/http/route-access.ts'
import type { Render } from '../../core/pages/index.ts'
import type { Voice } from '../../core/words/index.ts'
import type { Proration } from '../../providers/contract.ts'
import { memberIn, type Saying, type User, type View } from '../members/index.ts'
import type { Actions, LookWish } from './actions.ts'
import type { ChangeWish } from './changing.ts'
import type { CheckoutRoom } from './checkout.ts'
import { createLookPages, lookPath } from './look-pages.ts'
import type { Done } from './once.ts'
import { orderPath } from './order-pages.ts'
import type { ShopLaw } from './order-words.ts'
import { readQuantity } from './quantity.ts'
import { beginFrom } from './router.ts'

export interface ActionsRouterDeps extends FormTools {
  /** The account page, where a form leads that names no other place. */
  readonly accountPath: string
  readonly actions: Actions
  readonly checkout: CheckoutRoom
  /** The visitor as of now. */
  readonly viewOf: (ctx: Context) => Promise<View>
  readonly browserOf: (ctx: Context) => string
  readonly render: Render
  readonly pageData: (ctx: Context) => Promise<Record<string, unknown>>
  /** The voice for whoever asks. */
  readonly voiceOf: (ctx: Context) => Promise<Voice>
  /** Says on the next page what was done. */
  readonly say: Saying['say']
  /** What the page of a cancellation may offer instead: `pause`, or a price; null: nothing. */
  readonly offer: string | null
  /** What the law of the shop has its pages say. */
  readonly law: ShopLaw
  readonly publicUrl: string | null
  readonly now: () => Date
}

/** What a member does to a subscription: `GET` and `POST /membership/{change,cancel,resume,pause}/{subscriptionId}`,
 *  `POST /membership/{renew,invoice}/{subscriptionId}` and `POST /membership/portal`. A page is shown what a deed does, and
 *  its form says that it was; a form that says nothing is led there. A program knows what it asks for. */
export const actionsRouter = (deps: ActionsRouterDeps) => {
  const { actions, checkout, viewOf } = deps
  const router = createFormRouter(deps)
  const pages = createLookPages(deps)

  const memberOf = (ctx: Context) => memberIn(viewOf, ctx)
  const targetOf = async (request: FormRequest) => ({
    user: await memberOf(request.ctx),
    subscriptionId: request.param('subscription'),
    shown: request.text('shown'),
  })
  /** An unverified session touches nothing older than itself. @throws ERR_UNVERIFIED */
  const requireBought = async (ctx: Context, subscriptionId: string) => {
    const view = await viewOf(ctx)
    const found = view
      .user()
      ?.subscriptions()
      .find(({ id }) => id === subscriptionId)
    if (found && !view.mayTouch(found)) throw unverified()
  }
  const backTo = ({ fields }: Pick<FormRequest, 'fields'>) => localPath(fields.redirect, deps.accountPath)
  const siteUrl = (ctx: Context) => deps.publicUrl ?? originOf(ctx)

  /** Each deed that is looked at before it is done: what its form asks for, and the doing. */
  const deeds: { readonly [K in LookDeed]: LookedDeed } = {
    change: {
      access: access.verified,
      wishOf: async (request) => ({ deed: 'change', ...changeOf(request, await targetOf(request)) }),
      run: (wish) => actions.change(wish as ChangeWish),
    },
    cancel: {
      access: access.bought,
      wishOf: async (request) => {
        const when = request.text('when') ?? 'period_end'
        if (when !== 'period_end' && when !== 'now') throw wrong('when', 'period_end or now')
        await requireBought(request.ctx, request.param('subscription'))
        return { deed: 'cancel', ...(await targetOf(request)), when }
      },
      run: (wish) => actions.cancel(wish as Parameters<Actions['cancel']>[0]),
    },
    pause: {
      access: access.verified,
      wishOf: async (request) => ({
        deed: 'pause',
        ...(await targetOf(request)),
        until: momentOf(request, 'until', 'a day such as 2027-01-31'),
      }),
      run: (wish) => actions.pause(wish as Parameters<Actions['pause']>[0]),
    },
    resume: {
      access: access.verified,
      wishOf: async (request) => ({ deed: 'resume', ...(await targetOf(request)) }),
      run: (wish) => actions.resume(wish),
    },
  }

  for (const [deed, { access: needed, wishOf, run }] of Object.entries(deeds)) {
    const path = `/membership/${deed}/:subscription`
    router.page(path, needed, async (ctx) => {
      const request = queryOf(ctx)
      const looked = await actions.lookAt(await wishOf(request))
      if (wantsJson(ctx)) ctx.body = looked
      else await pages.show(request, looked)
    })
    router.post(path, needed, async (request) => {
      const redirect = backTo(request)
      const wish = await wishOf(request)
      if (wantsPage(request.ctx) && request.text('shown') === null)
        return { json: null, redirect: lookPath(deed, request) }
      return pages.unlessChanged(request, async () => {
        const done = await run(wish)
        if (done.url === undefined) await pages.say(request.ctx, wish, done.subscription)
        return answerOf(done, redirect)
      })
    })
  }

  router.post('/membership/invoice/:subscription', access.verified, async (request) => {
    const wish = changeOf(request, await targetOf(request))
    if (wantsJson(request.ctx)) return { json: await actions.preview(wish), redirect: null }
    await pages.show(request, await actions.lookAt({ deed: 'change', ...wish }))
    return { json: null, redirect: null }
  })

  router.post('/membership/renew/:subscription', access.verified, async (request) => {
    const redirect = backTo(request)
    const target = await targetOf(request)
    // What goes on by being taken back is looked at first; what is paid, or bought again, is on the provider's page.
    if (wantsPage(request.ctx) && target.shown === null && goesOn(target))
      return { json: null, redirect: lookPath('resume', request) }
    return pages.unlessChanged(request, async () => {
      const way = await actions.renew(target)
      if ('payUrl' in way) return { json: { url: way.payUrl }, redirect: way.payUrl }
      if ('done' in way) {
        const { url, subscription } = way.done
        if (url === undefined) await pages.say(request.ctx, { deed: 'resume', ...target }, subscription)
        return answerOf(way.done, redirect)
      }
      if (deps.law.isInEurope && wantsPage(request.ctx))
        return { json: null, redirect: orderPath(way.buy, redirect) }
      const begun = await checkout.begin({
        ...beginFrom(request, { publicUrl: siteUrl(request.ctx), browser: deps.browserOf(request.ctx) }),
        ...way.buy,
        mode: 'subscription',
        user: target.user,
      })
      return { status: 201, json: { url: begun.url, intent_id: begun.intentId }, redirect: begun.url }
    })
  })

  router.post('/membership/portal', access.verified, async (request) => {
    const path = backTo(request)
    const { ctx } = request
    const { url } = await actions.portal({
      user: await memberOf(ctx),
      provider: request.text('provider'),
      subscriptionId: request.text('subscription'),
      returnUrl: `${siteUrl(ctx)}${path}`,
      localUrl: localUrl(ctx.req),
    })
    return { status: 201, json: { url }, redirect: url }
  })
  return router.routes()
}

type LookDeed = LookWish['deed']
interface LookedDeed {
  readonly access: Access
  readonly wishOf: (request: FormRequest) => Promise<LookWish>
  readonly run: (wish: LookWish) => Promise<Done>
}

const goesOn = ({ user, subscriptionId }: { user: User; subscriptionId: string }): boolean => {
  const s = user.subscriptions().find(({ id }) => id === subscriptionId)
  return s !== undefined && !s.ended && !s.past_due && s.status !== 'unpaid'
}

const changeOf = (
  request: FormRequest,
  target: { user: User; subscriptionId: string; shown: string | null },
): ChangeWish => {
  const proration = request.text('proration')
  if (proration !== null && !isProration(proration)) throw wrong('proration', 'now, next or none')
  return {
    ...target,
    plan: request.text('plan'),
    price: request.text('price'),
    quantity: readQuantity(request.fields.quantity),
    proration,
    prorationAt: momentOf(request, 'proration_at', 'the moment that a preview gave'),
  }
}

const momentOf = (request: FormRequest, field: string, may: string): string | null => {
  const given = request.text(field)
  if (given === null) return null
  if (Number.isNaN(Date.parse(given))) throw wrong(field, may)
  return new Date(given).toISOString()
}

/** What was done; or, where the member's bank asks, only where it is answered: nothing has changed yet. */
const answerOf = ({ url, ...done }: Done, redirect: string) =>
  url === undefined ? { json: done, redirect } : { json: { url }, redirect: url }

const isProration = (word: string): word is Proration => word === 'now' || word === 'next' || word === 'none'

const wrong = (field: string, may: string): MembershipError =>
  new MembershipError('ERR_FORM', `The field "${field}" must be ${may}.`)
