import type { Context } from 'koa'
import { formatDay } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import { createFormRouter, type FormRequest, type FormTools } from '../../core/http/form-router.ts'
import { localPath, localUrl, originOf, wantsJson } from '../../core/http/forms.ts'
import { access, unverified } from '../../core/http/route-access.ts'
import type { Render } from '../../core/pages/index.ts'
import type { Proration } from '../../providers/contract.ts'
import { memberIn, type User, type View } from '../members/index.ts'
import type { Actions } from './actions.ts'
import type { ChangeWish } from './changing.ts'
import type { CheckoutRoom } from './checkout.ts'
import type { Done } from './once.ts'
import { readQuantity } from './quantity.ts'
import { beginFrom } from './router.ts'

export interface ActionsRouterDeps extends FormTools {
  readonly actions: Actions
  readonly checkout: CheckoutRoom
  /** The visitor as of now. */
  readonly viewOf: (ctx: Context) => Promise<View>
  readonly browserOf: (ctx: Context) => string
  readonly render: Render
  readonly pageData: (ctx: Context) => Promise<Record<string, unknown>>
  readonly publicUrl: string | null
  readonly now: () => Date
}

/** What a member does to a subscription: `POST /membership/{change,cancel,resume,renew,pause,invoice}/{subscriptionId}`
 *  and `POST /membership/portal`. */
export const actionsRouter = (deps: ActionsRouterDeps) => {
  const { actions, checkout, viewOf } = deps
  const router = createFormRouter(deps)

  const memberOf = (ctx: Context) => memberIn(viewOf, ctx)
  const targetOf = async (request: FormRequest) => ({
    user: await memberOf(request.ctx),
    subscriptionId: request.param('subscription'),
  })
  /** An unverified session touches nothing older than itself. @throws ERR_UNVERIFIED */
  const requireBought = async (ctx: Context, { subscriptionId }: { subscriptionId: string }) => {
    const view = await viewOf(ctx)
    const found = view
      .user()
      ?.subscriptions()
      .find(({ id }) => id === subscriptionId)
    if (found && !view.mayTouch(found)) throw unverified()
  }
  const backTo = ({ fields }: FormRequest) => localPath(fields.redirect, '/account')
  const siteUrl = (ctx: Context) => deps.publicUrl ?? originOf(ctx)

  router.post('/membership/change/:subscription', access.verified, async (request) => {
    const redirect = backTo(request)
    return answerOf(await actions.change(await changeOf(request, await targetOf(request))), redirect)
  })

  router.post('/membership/invoice/:subscription', access.verified, async (request) => {
    const redirect = backTo(request)
    const wish = await changeOf(request, await targetOf(request))
    const preview = await actions.preview(wish)
    if (wantsJson(request.ctx)) return { json: preview, redirect }
    request.ctx.type = 'html'
    request.ctx.body = deps.render('checkout/preview', {
      ...(await deps.pageData(request.ctx)),
      preview,
      changes_on: preview.changes_at === null ? null : formatDay(preview.changes_at, deps.now()),
      fields: { plan: wish.plan, price: wish.price, quantity: wish.quantity, proration: wish.proration },
      redirect,
      action: `/membership/change/${encodeURIComponent(wish.subscriptionId)}`,
    })
    return { json: preview, redirect: null }
  })

  router.post('/membership/cancel/:subscription', access.bought, async (request) => {
    const redirect = backTo(request)
    const when = request.text('when') ?? 'period_end'
    if (when !== 'period_end' && when !== 'now') throw wrong('when', 'period_end or now')
    const target = await targetOf(request)
    await requireBought(request.ctx, target)
    return { json: await actions.cancel({ ...target, when }), redirect }
  })

  router.post('/membership/resume/:subscription', access.verified, async (request) => {
    const redirect = backTo(request)
    return answerOf(await actions.resume(await targetOf(request)), redirect)
  })

  router.post('/membership/pause/:subscription', access.verified, async (request) => {
    const redirect = backTo(request)
    const given = request.text('until')
    if (given !== null && Number.isNaN(Date.parse(given))) throw wrong('until', 'a day such as 2027-01-31')
    const until = given === null ? null : new Date(given).toISOString()
    return { json: await actions.pause({ ...(await targetOf(request)), until }), redirect }
  })

  router.post('/membership/renew/:subscription', access.verified, async (request) => {
    const redirect = backTo(request)
    const target = await targetOf(request)
    const way = await actions.renew(target)
    if ('payUrl' in way) return { json: { url: way.payUrl }, redirect: way.payUrl }
    if ('done' in way) return answerOf(way.done, redirect)
    const begun = await checkout.begin({
      ...beginFrom(request, { publicUrl: siteUrl(request.ctx), browser: deps.browserOf(request.ctx) }),
      ...way.buy,
      mode: 'subscription',
      user: target.user,
    })
    return { status: 201, json: { url: begun.url, intent_id: begun.intentId }, redirect: begun.url }
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

const changeOf = async (
  request: FormRequest,
  target: { user: User; subscriptionId: string },
): Promise<ChangeWish> => {
  const proration = request.text('proration')
  if (proration !== null && !isProration(proration)) throw wrong('proration', 'now, next or none')
  const prorationAt = request.text('proration_at')
  if (prorationAt !== null && Number.isNaN(Date.parse(prorationAt)))
    throw wrong('proration_at', 'the moment that a preview gave')
  return {
    ...target,
    plan: request.text('plan'),
    price: request.text('price'),
    quantity: readQuantity(request.fields.quantity),
    proration,
    prorationAt,
  }
}

/** What was done; or, where the member's bank asks, only where it is answered: nothing has changed yet. */
const answerOf = ({ url, ...done }: Done, redirect: string) =>
  url === undefined ? { json: done, redirect } : { json: { url }, redirect: url }

const isProration = (word: string): word is Proration => word === 'now' || word === 'next' || word === 'none'

const wrong = (field: string, may: string): MembershipError =>
  new MembershipError('ERR_FORM', `The field "${field}" must be ${may}.`)
