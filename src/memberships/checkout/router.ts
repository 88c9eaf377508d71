import type { Context, Middleware } from 'koa'
import { type Plan, paymentHasPrice, type Subscription } from '../../core/dto/index.ts'
import { isMembershipError, MembershipError } from '../../core/errors.ts'
import type { Addresses } from '../../core/http/addresses.ts'
import {
  createFormRouter,
  type FormAnswer,
  type FormRequest,
  type FormTools,
  paramOf,
  queryOf,
} from '../../core/http/form-router.ts'
import { localPath, wantsJson, wantsPage } from '../../core/http/forms.ts'
import { access, requireAuthentication } from '../../core/http/route-access.ts'
import { fingerprint } from '../../core/http/tokens.ts'
import { titleIn } from '../../core/words/index.ts'
import type { PageTools, Sessions, User } from '../members/index.ts'
import type { Actions } from './actions.ts'
import type { CheckoutService } from './checkout.ts'
import { createAmountPage, readAmount } from './chosen-amount.ts'
import type { Newcomers } from './newcomers.ts'
import { readQuantity } from './offers.ts'
import { type OrderPages, orderPath } from './order-pages.ts'
import type { Asked, BeginCheckout } from './request.ts'
import { type BoughtGift, returnWords } from './return-words.ts'
import type { Settling } from './settle.ts'
import type { Intent } from './statements.ts'

export interface CheckoutRouterDeps {
  readonly form: FormTools
  readonly page: PageTools
  /** Counts requests of a page that reloads itself. */
  readonly waiting: Middleware
  readonly checkout: CheckoutService
  readonly settling: Settling
  readonly actions: Actions
  readonly sessions: Pick<Sessions, 'browserId'>
  readonly newcomers: Newcomers
  readonly addresses: Addresses
  readonly orders: OrderPages
  /** The gift that a purchase ordered for somebody; null for any other purchase. */
  readonly giftOf: (intentId: string) => Promise<BoughtGift | null>
  readonly now: () => Date
}

/** `POST /membership/subscribe/{plan}`, `POST /membership/payment` and their return pages. */
export function checkoutRouter(deps: CheckoutRouterDeps) {
  const { checkout, settling, actions, sessions, newcomers, orders } = deps
  const { viewOf } = deps.page
  const router = createFormRouter(deps.form)
  const browserOf = (ctx: Context) => fingerprint(sessions.browserId(ctx))

  const askAmount = createAmountPage(deps.page)

  const inputOf = async (request: FormRequest, mode: 'subscription' | 'payment'): Promise<Asked> => {
    const { ctx } = request
    return {
      ...beginFrom(request, { addresses: deps.addresses, browser: browserOf(ctx) }),
      mode,
      user: (await viewOf(ctx)).user(),
      language: await deps.page.languageOf(ctx),
      plan: mode === 'subscription' ? request.param('plan') || request.text('plan') : null,
      price: mode === 'subscription' ? request.text('price') : (request.text('product') ?? requireProduct()),
      quantity: readQuantity(request.fields.quantity),
      amount: readAmount(request),
      provider: request.text('provider'),
    }
  }

  const begin = (mode: 'subscription' | 'payment') => async (request: FormRequest) =>
    (await askAmount(request, () => begun(mode, request))) ?? { json: null, redirect: null }

  const begun = async (mode: 'subscription' | 'payment', request: FormRequest): Promise<FormAnswer> => {
    const { ctx } = request
    const input = await inputOf(request, mode)
    try {
      const isOrder = orders.isRequired && (wantsPage(ctx) || request.text('consent') !== null)
      const consent = isOrder ? await orders.agreed(request, input) : null
      if (isOrder && consent === null) return { json: null, redirect: orderPath(input, input.redirect) }
      const { url, intentId } = await checkout.begin({ ...input, shown: request.text('shown'), consent })
      return { status: 201, json: { url, intent_id: intentId }, redirect: url }
    } catch (error) {
      if (isMembershipError(error, 'ERR_SHOWN_CHANGED') && !wantsJson(ctx)) {
        await orders.show(request, await checkout.lookAt(input), { isChanged: true })
        ctx.status = error.status
        return { json: null, redirect: null }
      }
      if (isWrongCode(error) && wantsPage(ctx) && request.text('shown') !== null) {
        await orders.show(request, await checkout.lookAt(input), { isWrongCode: true })
        ctx.status = 422
        return { json: null, redirect: null }
      }
      const { user } = input
      const living = request.text('swap') === '1' && user !== null ? livingOf(error) : null
      if (living === null || user === null) throw error
      // A swap is a change and needs the same verified session, whichever form asks for it.
      requireAuthentication('verified', await deps.form.authenticationOf(ctx))
      const { plan, price } = input
      const { amount, quantity } = input
      const target = { user, subscriptionId: living, plan, price, quantity, amount: amount ?? null }
      const { url, ...json } = await actions.change({ ...target, proration: null, prorationAt: null })
      return url === undefined ? { json, redirect: input.redirect } : { json: { url }, redirect: url }
    }
  }

  const comeBack = async (ctx: Context) => {
    const { state, intent } = await settling.settle(paramOf(ctx, 'token'))
    if ((await viewOf(ctx)).user() === null) await newcomers.welcome(ctx, intent, browserOf(ctx))
    if (wantsJson(ctx)) {
      const again = state === 'declined' ? { url: intent.checkout_url } : {}
      ctx.body = { status: state, redirect: intent.redirect, ...again }
      return
    }
    const data = await deps.page.pageData(ctx)
    const user = data.user as User | null
    const still = ctx.query.still === '1'
    const [view, voice] = [await viewOf(ctx), await deps.page.voiceOf(ctx)]
    const plans = view.plans()
    const trial = trialOf(user?.subscriptions({ price: intent.price_id })[0] ?? null)
    // Whoever holds the link and is not its buyer learns nothing about the purchase.
    const isTheirs = user !== null && owns(user, intent)
    ctx.type = 'html'
    ctx.body = deps.page.render('checkout/return', {
      ...data,
      state,
      summary: isSold(intent, plans) ? titleIn(voice, intent.price_id, plans, intent.quantity) : null,
      words:
        state === 'paid' && isTheirs && !trial.trial_ended
          ? returnWords(intent, { user, plans, voice, gift: await deps.giftOf(intent.id), now: deps.now() })
          : null,
      signed_out: user === null,
      elsewhere: user !== null && !isTheirs,
      // The session that the purchase opened belongs to the browser that began it, and to nobody else with the link.
      mails_to: state === 'paid' && isTheirs && view.authentication() === 'unverified' ? user.email : null,
      ...trial,
      redirect: intent.redirect,
      refresh: still ? false : refreshSeconds(deps.now().getTime() - Date.parse(intent.created_at)),
      check_url: ctx.path,
      again_url: intent.checkout_url,
      still_url: `${ctx.path}?still=1`,
    })
  }

  router.page('/membership/order', access.anybody, async (ctx) => {
    const request = queryOf(ctx)
    const mode = request.text('product') === null ? 'subscription' : 'payment'
    await askAmount(request, async () =>
      orders.show(request, await checkout.lookAt(await inputOf(request, mode))),
    )
  })
  router.post('/membership/subscribe/:plan', access.anybody, begin('subscription'))
  router.post('/membership/payment', access.anybody, begin('payment'))
  router.get('/membership/subscribe/:token', access.returning, comeBack, deps.waiting)
  router.get('/membership/payment/:token', access.returning, comeBack, deps.waiting)
  return router.routes()
}

// False where the purchase used another address, at a provider with one customer per address.
function owns(user: User, { provider, price_id: price }: Intent): boolean {
  return (
    user.subscriptions().some((s) => s.provider === provider && s.hasPrice(price)) ||
    user.payments().some((p) => p.provider === provider && paymentHasPrice(p, price))
  )
}

function isSold({ price_id }: Intent, plans: readonly Plan[]): boolean {
  return plans.some(({ prices }) => prices.some(({ id }) => id === price_id))
}

// A trial that ended early was a duplicate, or was given up.
function trialOf(s: Subscription | null): { trial: boolean; trial_ended: boolean } {
  return {
    trial: s?.on_trial === true,
    trial_ended: s?.ended === true && s.trial_ends_at !== null && (s.ended_at ?? '') < s.trial_ends_at,
  }
}

/**
 * Reads the fields that every checkout form has.
 * @throws ERR_REDIRECT, ERR_FORM
 */
export function beginFrom(
  request: FormRequest,
  { addresses, browser }: { addresses: Addresses; browser: string },
): Pick<
  BeginCheckout,
  'currency' | 'code' | 'redirect' | 'browser' | 'publicUrl' | 'cancelUrl' | 'localUrl'
> {
  const publicUrl = addresses.siteOf(request.ctx)
  const redirect = localPath(request.fields.redirect, '/')
  return {
    currency: request.text('currency')?.toUpperCase() ?? null,
    code: request.text('code', 100),
    redirect,
    browser,
    publicUrl,
    cancelUrl: addresses.full(publicUrl, redirect),
    localUrl: addresses.localOf(request.ctx.req),
  }
}

// The page reloads soon at first, then less often, so that an open page stays far below the rate limit.
function refreshSeconds(ageMs: number): number {
  return ageMs < 60_000 ? 3 : ageMs < 300_000 ? 6 : 30
}

function requireProduct(): never {
  throw new MembershipError('ERR_FORM', 'The form does not say what to buy.', {
    action: 'Send the price id in the field "product".',
  })
}

/** True if the provider does not take the discount code. */
function isWrongCode(error: unknown): boolean {
  return isMembershipError(error, 'ERR_FORM') && error.extensions.field === 'code'
}

/** The existing subscription that blocks a second one. */
function livingOf(error: unknown): string | null {
  return error instanceof MembershipError &&
    error.code === 'ERR_CHECKOUT_REFUSED' &&
    typeof error.extensions.subscription_id === 'string'
    ? error.extensions.subscription_id
    : null
}
