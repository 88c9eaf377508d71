import type { Context } from 'koa'
import type { PlanConfig } from '../../core/config/index.ts'
import type { Price } from '../../core/dto/index.ts'
import { isMembershipError, MembershipError } from '../../core/errors.ts'
import type { Addresses } from '../../core/http/addresses.ts'
import {
  createFormRouter,
  type FormRequest,
  type FormRouter,
  type FormTools,
  paramOf,
  queryOf,
} from '../../core/http/form-router.ts'
import { wantsJson, wantsPage } from '../../core/http/forms.ts'
import { access } from '../../core/http/route-access.ts'
import { fingerprint } from '../../core/http/tokens.ts'
import { planIn, type Voice } from '../../core/words/index.ts'
import { type Asked, beginFrom, type CheckoutService, type OrderPages } from '../checkout/index.ts'
import { memberIn, type PageTools, type Sessions } from '../members/index.ts'
import type { Gift, GiftsService } from './gifts.ts'

export interface GiftRouterDeps {
  readonly form: FormTools
  readonly page: PageTools
  readonly gifts: GiftsService
  readonly checkout: CheckoutService
  readonly sessions: Pick<Sessions, 'browserId'>
  readonly plans: () => readonly PlanConfig[]
  /** The provider of new checkouts; null where nothing is sold. */
  readonly handler: string | null
  /**
   * Runs a look-up by a typed code. A code that does not exist counts for the address and the account; a good one counts
   * for nobody, so that many people behind one address redeem theirs.
   * @throws ERR_RATE_LIMIT
   */
  readonly tryCode: <T>(ctx: Context, memberId: string | null, lookUp: () => Promise<T>) => Promise<T>
  readonly addresses: Addresses
  readonly orders: OrderPages
  readonly now: () => Date
}

/** `/membership/gift/{plan}`, `/membership/gifts/{gift}` and `/membership/redeem/{code}`. */
export function giftRouter(deps: GiftRouterDeps) {
  const router = createFormRouter(deps.form)
  givingRoutes(router, deps)
  buyerRoutes(router, deps)
  redeemingRoutes(router, deps)
  return router.routes()
}

/** The form that orders a gift. */
function givingRoutes(router: FormRouter, deps: GiftRouterDeps): void {
  const { gifts, checkout, orders } = deps
  const path = '/membership/gift/:plan'

  const orderOf = async (request: FormRequest) => {
    const price = priceOf(deps, request.param('plan'), request.text('price'))
    const language = await deps.page.languageOf(request.ctx)
    const wish = {
      to: request.text('to', 300),
      on: request.text('on'),
      message: request.text('message', 1001),
      language,
    }
    const { id, ...order } = gifts.order(price, wish)
    const { ctx } = request
    const asked: Asked = {
      ...beginFrom(request, {
        addresses: deps.addresses,
        browser: fingerprint(deps.sessions.browserId(ctx)),
      }),
      plan: null,
      price: price.id,
      mode: 'payment',
      quantity: null,
      provider: request.text('provider'),
      user: (await deps.page.viewOf(ctx)).user(),
      language,
      order,
      redirect: `/membership/gifts/${id}`,
    }
    const given = { price: price.id, to: wish.to, on: wish.on, message: wish.message }
    const fields = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null)) as Record<
      string,
      string
    >
    return {
      asked,
      ordered: {
        action: `/membership/gift/${encodeURIComponent(request.param('plan'))}`,
        fields,
        gift: { to: wish.to, on: wish.on, message: wish.message },
      },
    }
  }

  router.page(path, access.anybody, async (ctx) => {
    const [view, voice] = [await deps.page.viewOf(ctx), await deps.page.voiceOf(ctx)]
    const prices = pricesFor(deps, paramOf(ctx, 'plan'))
    const [first] = prices
    if (first === undefined) throw notGiven(paramOf(ctx, 'plan'))
    const offers = prices.map(({ id, amount, currency, provider, gives }) => ({
      id,
      months: gives!.months,
      amount:
        amount === null || currency === null
          ? null
          : view.money({ amount, currency, provider }, voice.locale),
    }))
    if (wantsJson(ctx)) {
      ctx.body = { plan: first.gives!.plan, prices: offers }
      return
    }
    await show(deps, ctx, 'gifts/give', {
      plan: titleOf(deps, voice, first.gives!.plan),
      offers,
      action: ctx.path,
      fields: {},
      today: deps.now().toISOString().slice(0, 10),
    })
  })

  router.post(path, access.anybody, async (request) => {
    const { asked, ordered } = await orderOf(request)
    const isOrder = orders.isRequired && (wantsPage(request.ctx) || request.text('consent') !== null)
    const consent = isOrder ? await orders.agreed(request, asked, { isGift: true }) : null
    if (isOrder && consent === null) {
      // The page is the answer: an address with the recipient and the message would stay in logs and histories.
      await orders.show(request, await checkout.lookAt(asked), { ordered })
      return { json: null, redirect: null }
    }
    const begun = await checkout.begin({ ...asked, shown: request.text('shown'), consent })
    return { status: 201, json: { url: begun.url, intent_id: begun.intentId }, redirect: begun.url }
  })
}

/** The buyer's page of a gift: its code to print, its state, and its mail once more. */
function buyerRoutes(router: FormRouter, deps: GiftRouterDeps): void {
  const { gifts } = deps
  const path = '/membership/gifts/:gift'

  router.page(path, access.bought, async (ctx) => {
    const user = await memberIn(deps.page.viewOf, ctx)
    const { gift, code } = await gifts.ofBuyer(user, paramOf(ctx, 'gift'))
    if (wantsJson(ctx)) {
      ctx.body = { ...gift, code }
      return
    }
    const voice = await deps.page.voiceOf(ctx)
    await show(deps, ctx, 'gifts/bought', {
      gift,
      code,
      plan: titleOf(deps, voice, gift.plan),
      state: stateIn(gift),
      redeem_url: `${deps.addresses.siteOf(ctx)}/membership/redeem`,
      day: (at: string) => voice.day(at, deps.now()),
    })
  })

  router.post(path, access.bought, async (request) => {
    const user = await memberIn(deps.page.viewOf, request.ctx)
    const gift = await gifts.send(user, request.param('gift'), request.text('to', 300))
    await deps.page.say(request.ctx, { code: 'gift_sent', email: gift.to ?? undefined })
    return { json: gift, redirect: `/membership/gifts/${gift.id}` }
  })
}

/** The page to type or follow a code, and to redeem it. */
function redeemingRoutes(router: FormRouter, deps: GiftRouterDeps): void {
  const { gifts } = deps

  router.page('/membership/redeem', access.moving, async (ctx) => {
    // A typed code leads to the page that says what it gives.
    const typed = queryOf(ctx).text('code', 100)
    if (typed !== null) return ctx.redirect(`/membership/redeem/${encodeURIComponent(typed)}`)
    if (wantsPage(ctx)) return show(deps, ctx, 'gifts/redeem', { gift: null, code: '', is_wrong: false })
    ctx.body = { url: '/membership/redeem/{code}' }
  })

  // Opening the link redeems nothing, because mail programs open links, too.
  router.page('/membership/redeem/:code', access.moving, async (ctx) => {
    const view = await deps.page.viewOf(ctx)
    const code = paramOf(ctx, 'code')
    const row = await orTypedAgain(ctx, code, () =>
      deps.tryCode(ctx, view.user()?.id ?? null, () => gifts.findByCode(code)),
    )
    if (row === null) return
    const gift = await gifts.viewOf(row)
    const user = view.user()
    const held = user !== null && gifts.isHeldFor(row, user)
    const begins = user === null || gift.status !== 'ready' || held ? null : gifts.preview(gift, user)
    const { status, plan, months, expires_at } = gift
    if (wantsJson(ctx)) {
      ctx.body = { status, plan, months, expires_at, begins }
      return
    }
    const voice = await deps.page.voiceOf(ctx)
    await show(deps, ctx, 'gifts/redeem', {
      gift,
      code,
      plan: titleOf(deps, voice, plan),
      begins,
      held,
      is_verified: view.authentication() === 'verified',
      day: (at: string) => voice.day(at, deps.now()),
    })
  })

  /** Answers a wrong code with the field in which it is typed again; null then. Programs get the error. */
  const orTypedAgain = async <T>(ctx: Context, code: string, lookUp: () => Promise<T>): Promise<T | null> => {
    try {
      return await lookUp()
    } catch (error) {
      if (!isMembershipError(error, 'ERR_NOT_FOUND') || !wantsPage(ctx)) throw error
      ctx.status = 404
      await show(deps, ctx, 'gifts/redeem', { gift: null, code, is_wrong: true })
      return null
    }
  }

  const redeem = async (request: FormRequest, code: string) => {
    const user = await memberIn(deps.page.viewOf, request.ctx)
    const gift = await orTypedAgain(request.ctx, code, () =>
      deps.tryCode(request.ctx, user.id, () => gifts.redeem({ code, user })),
    )
    if (gift === null) return { json: null, redirect: null }
    await deps.page.say(request.ctx, { code: 'gift_redeemed' })
    return { json: gift, redirect: deps.page.accountPath }
  }
  router.post('/membership/redeem', access.verified, (request) => redeem(request, request.text('code') ?? ''))
  router.post('/membership/redeem/:code', access.verified, (request) =>
    redeem(request, request.param('code')),
  )
}

/** The key of the text that describes a gift's state. */
export function stateIn({
  status,
  sent_at,
  send_at,
  held_at,
}: Pick<Gift, 'status' | 'sent_at' | 'send_at' | 'held_at'>) {
  if (status !== 'ready') return status
  if (held_at !== null) return 'held'
  return sent_at !== null ? 'sent' : send_at !== null ? 'waits' : 'ready'
}

function pricesFor({ plans, handler }: GiftRouterDeps, plan: string): Price[] {
  return plans()
    .flatMap(({ prices }) => prices)
    .filter(({ provider, gives, retired }) => provider === handler && gives?.plan === plan && !retired)
}

/** @throws ERR_PLAN_UNKNOWN, ERR_FORM */
function priceOf(deps: GiftRouterDeps, plan: string, wanted: string | null): Price {
  const all = deps.plans().flatMap(({ prices }) => prices)
  const prices =
    wanted === null
      ? pricesFor(deps, plan)
      : all.filter(
          ({ id, lookup_key, gives }) => gives?.plan === plan && (id === wanted || lookup_key === wanted),
        )
  const [only, ...others] = prices
  if (only === undefined) throw notGiven(plan)
  if (others.length === 0) return only
  throw new MembershipError('ERR_PLAN_UNKNOWN', `As a gift, "${plan}" has several prices.`, {
    action: `Name one of: ${prices.map(({ id }) => id).join(', ')}.`,
  })
}

function notGiven(plan: string): MembershipError {
  return new MembershipError('ERR_PLAN_UNKNOWN', `Nothing gives "${plan}" as a gift.`, {
    action: 'Sell a price with `gives`: { id, amount, currency, gives: { plan, months } }.',
  })
}

function titleOf({ plans }: GiftRouterDeps, voice: Voice, id: string): string {
  const plan = plans().find((known) => known.id === id)
  return plan === undefined ? id : planIn(voice, plan).name
}

async function show(
  deps: GiftRouterDeps,
  ctx: Context,
  template: string,
  data: Record<string, unknown>,
): Promise<void> {
  ctx.set('Referrer-Policy', 'same-origin')
  ctx.type = 'html'
  ctx.body = deps.page.render(template, { ...(await deps.page.pageData(ctx)), ...data })
}
