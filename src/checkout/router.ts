import Router from '@koa/router'
import type { Context, Next } from 'koa'
import { koaBody } from 'koa-body'
import { MembershipError } from '../errors.ts'
import { clientAddress } from '../http/client-address.ts'
import { localPath, localUrl, originOf, wantsJson } from '../http/forms.ts'
import { problems } from '../http/problems.ts'
import type { Log } from '../log.ts'
import type { Sessions, User, View } from '../members/index.ts'
import type { Render } from '../pages/index.ts'
import type { RateLimit } from '../ratelimit/index.ts'
import { rateLimitFields } from '../ratelimit/index.ts'
import { fingerprint } from '../tokens/index.ts'
import type { CheckoutRoom } from './checkout.ts'

export interface CheckoutRouterDeps {
  readonly checkout: CheckoutRoom
  readonly sessions: Sessions
  readonly viewOf: (ctx: Context) => Promise<View>
  /** @throws ERR_CSRF */
  readonly checkForm: (ctx: Context, token: unknown) => void
  readonly render: Render
  /** What every page of the site is given: who is there, the demo's bar. */
  readonly pageData: (ctx: Context) => Promise<Record<string, unknown>>
  readonly publicUrl: string | null
  readonly ratelimit: RateLimit
  readonly trustProxy: number
  readonly now: () => Date
  readonly log: Log
}

/** `POST /membership/subscribe/{plan}`, `POST /membership/payment` and their return pages. */
export const checkoutRouter = (deps: CheckoutRouterDeps): Router => {
  const { checkout, sessions, viewOf, ratelimit, trustProxy, log } = deps
  const router = new Router()
  const body = koaBody({ text: false, formLimit: '16kb', jsonLimit: '16kb', onError: refuseBody })
  const answer = problems(log)

  const limit = async (ctx: Context, next: Next) => {
    ctx.set(rateLimitFields(await ratelimit.consume(clientAddress(ctx.req, trustProxy))))
    ctx.set('Cache-Control', 'private, no-store')
    await next()
  }

  const begin = (mode: 'subscription' | 'payment') => async (ctx: Context) => {
    const fields = (ctx.request.body ?? {}) as Record<string, unknown>
    deps.checkForm(ctx, fields.token)
    const text = (name: string) =>
      typeof fields[name] === 'string' && fields[name] !== '' ? (fields[name] as string).slice(0, 200) : null
    const begun = await checkout.begin({
      plan:
        mode === 'subscription'
          ? ((ctx as unknown as { params: { plan?: string } }).params.plan ?? null)
          : null,
      price: mode === 'subscription' ? text('price') : (text('product') ?? requireProduct()),
      mode,
      quantity: quantityOf(fields.quantity),
      user: (await viewOf(ctx)).user(),
      redirect: localPath(fields.redirect, '/'),
      browser: fingerprint(sessions.browserId(ctx)),
      publicUrl: deps.publicUrl ?? originOf(ctx),
      localUrl: localUrl(ctx.req),
    })
    if (wantsJson(ctx)) {
      ctx.status = 201
      ctx.body = { url: begun.url, intent_id: begun.intentId }
      return
    }
    ctx.redirect(begun.url)
    ctx.status = 303
  }

  const comeBack = async (ctx: Context) => {
    const { token = '' } = (ctx as unknown as { params: { token?: string } }).params
    const { state, intent } = await checkout.settle(token)
    const view = await viewOf(ctx)
    const newcomer =
      view.user() === null ? await checkout.newcomer(intent, fingerprint(sessions.browserId(ctx))) : null
    // Unverified: this browser paid, which does not prove whose address it typed.
    if (newcomer !== null) await sessions.open(ctx, newcomer, false)
    if (wantsJson(ctx)) {
      ctx.body = { status: state, redirect: intent.redirect }
      return
    }
    const data = await deps.pageData(ctx)
    const still = ctx.query.still === '1'
    ctx.type = 'html'
    ctx.body = deps.render('checkout/return', {
      ...data,
      state,
      signed_out: data.user === null,
      trial: (data.user as User | null)?.subscriptionForPrice(intent.price_id)?.on_trial === true,
      redirect: intent.redirect,
      refresh: still ? false : refreshSeconds(deps.now().getTime() - Date.parse(intent.created_at)),
      check_url: ctx.path,
      still_url: `${ctx.path}?still=1`,
    })
  }

  router.post('/membership/subscribe/:plan', answer, limit, body, begin('subscription'))
  router.post('/membership/payment', answer, limit, body, begin('payment'))
  router.get('/membership/subscribe/:token', answer, limit, comeBack)
  router.get('/membership/payment/:token', answer, limit, comeBack)
  return router
}

// Soon at first, then less often: a page left open stays far below the rate limit.
const refreshSeconds = (ageMs: number): number => (ageMs < 60_000 ? 3 : ageMs < 300_000 ? 6 : 30)

const refuseBody = (error: Error): never => {
  const isLarge = 'status' in error && error.status === 413
  throw new MembershipError(
    isLarge ? 'ERR_BODY_TOO_LARGE' : 'ERR_FORM',
    isLarge ? 'The form is larger than 16 kB.' : 'The form cannot be read.',
    {
      action: 'Send it as application/x-www-form-urlencoded or application/json.',
      cause: error,
    },
  )
}

const requireProduct = (): never => {
  throw new MembershipError('ERR_FORM', 'The form does not say what to buy.', {
    action: 'Send the price id in the field "product".',
  })
}

const quantityOf = (given: unknown): number => {
  const quantity = given === undefined || given === '' ? 1 : Number(given)
  if (Number.isInteger(quantity) && quantity >= 1 && quantity <= 1000) return quantity
  throw new MembershipError('ERR_FORM', 'The quantity must be a whole number from 1 to 1000.')
}
