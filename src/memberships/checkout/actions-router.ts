import type { Context } from 'koa'
import type { Subscription } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import type { Addresses } from '../../core/http/addresses.ts'
import {
  createFormRouter,
  type FormRequest,
  type FormRouter,
  type FormTools,
  queryOf,
} from '../../core/http/form-router.ts'
import { localPath, wantsJson, wantsPage } from '../../core/http/forms.ts'
import { type Access, access, unverified } from '../../core/http/route-access.ts'
import type { Proration } from '../../providers/contract.ts'
import { memberIn, type PageTools, type User, type View } from '../members/index.ts'
import { createPreviewPages, type PreviewPages, previewPath } from './action-preview.ts'
import type { Actions, DescribeInput } from './actions.ts'
import type { ChangeInput } from './changing.ts'
import type { CheckoutService } from './checkout.ts'
import { createAmountPage, readAmount } from './chosen-amount.ts'
import { isLeavingReason, type LeavingReason, leavingReasons } from './leaving-reasons.ts'
import { readQuantity } from './offers.ts'
import { orderPath } from './order-pages.ts'
import type { ShopLaw } from './order-words.ts'
import { beginFrom } from './router.ts'
import type { ActionResult } from './single-action.ts'

/** The subscription that a form names, and the preview that its page showed. */
export interface Target {
  readonly user: User
  readonly subscriptionId: string
  readonly shown: string | null
}

type PreviewAction = DescribeInput['action']
interface PreviewedAction {
  readonly access: Access
  readonly inputOf: (request: FormRequest) => Promise<DescribeInput>
  readonly run: (input: DescribeInput) => Promise<ActionResult>
}

/** Each action with its access, the reader of its form, and its run function. */
export function auditLogOf(
  actions: Actions,
  {
    viewOf,
    targetOf,
  }: {
    viewOf: (ctx: FormRequest['ctx']) => Promise<View>
    targetOf: (request: FormRequest) => Promise<Target>
  },
): { readonly [K in PreviewAction]: PreviewedAction } {
  return {
    change: {
      access: access.verified,
      inputOf: async (request) => ({ action: 'change', ...changeOf(request, await targetOf(request)) }),
      run: (input) => actions.change(input as ChangeInput),
    },
    cancel: {
      access: access.bought,
      inputOf: async (request) => {
        const when = request.text('when') ?? 'period_end'
        if (when !== 'period_end' && when !== 'now') throw wrong('when', 'period_end or now')
        requireBought(await viewOf(request.ctx), request.param('subscription'))
        return { action: 'cancel', ...(await targetOf(request)), when, reason: reasonOf(request) }
      },
      run: (input) => actions.cancel(input as Parameters<Actions['cancel']>[0]),
    },
    pause: {
      access: access.verified,
      inputOf: async (request) => ({
        action: 'pause',
        ...(await targetOf(request)),
        until: momentOf(request, 'until', 'a day such as 2027-01-31'),
      }),
      run: (input) => actions.pause(input as Parameters<Actions['pause']>[0]),
    },
    discount: {
      access: access.verified,
      // How much is not the form's to say.
      inputOf: async (request) => ({ action: 'discount', ...(await targetOf(request)) }),
      run: (input) => actions.discount(input),
    },
    resume: {
      access: access.verified,
      inputOf: async (request) => ({ action: 'resume', ...(await targetOf(request)) }),
      run: (input) => actions.resume(input),
    },
  }
}

/**
 * Lets an unverified session touch only its own purchases.
 * @throws ERR_UNVERIFIED
 */
function requireBought(view: View, subscriptionId: string): void {
  const found = view
    .user()
    ?.subscriptions()
    .find(({ id }) => id === subscriptionId)
  if (found && !view.mayTouch(found)) throw unverified()
}

/**
 * Lets an unverified session pay what it bought and still owes. It renews nothing else.
 * @throws ERR_UNVERIFIED
 */
function requireOwed(view: View, { subscriptionId }: Target): void {
  if (view.authentication() === 'verified') return
  const found = view
    .user()
    ?.subscriptions()
    .find(({ id }) => id === subscriptionId)
  if (found && !(isOwed(found) && view.mayTouch(found))) throw unverified()
}

function isOwed(s: Subscription): boolean {
  return s.past_due || s.status === 'unpaid'
}

/** @throws ERR_FORM */
function reasonOf(request: FormRequest): LeavingReason | null {
  const given = request.text('reason')
  if (given !== null && !isLeavingReason(given)) throw wrong('reason', `one of ${leavingReasons.join(', ')}`)
  return given
}

/** Reads a change from its form. @throws ERR_FORM */
export function changeOf(request: FormRequest, target: Target): ChangeInput {
  const proration = request.text('proration')
  if (proration !== null && !isProration(proration)) throw wrong('proration', 'now, next or none')
  return {
    ...target,
    plan: request.text('plan'),
    price: request.text('price'),
    quantity: readQuantity(request.fields.quantity),
    amount: readAmount(request),
    proration,
    prorationAt: momentOf(request, 'proration_at', 'the moment that a preview gave'),
  }
}

function momentOf(request: FormRequest, field: string, may: string): string | null {
  const given = request.text(field)
  if (given === null) return null
  if (Number.isNaN(Date.parse(given))) throw wrong(field, may)
  return new Date(given).toISOString()
}

function isProration(word: string): word is Proration {
  return word === 'now' || word === 'next' || word === 'none'
}

function wrong(field: string, may: string): MembershipError {
  return new MembershipError('ERR_FORM', `The field "${field}" must be ${may}.`)
}

export interface ActionsRouterDeps {
  readonly form: FormTools
  readonly page: PageTools
  readonly actions: Actions
  readonly checkout: CheckoutService
  readonly browserOf: (ctx: Context) => string
  /** The offer on the cancellation page: `pause`, `discount`, a price, or null for none. */
  readonly offer: string | null
  /** The shop's law, as pages state it. */
  readonly law: ShopLaw
  readonly addresses: Addresses
  readonly now: () => Date
}

/**
 * Routes by which a member changes a subscription: `GET` and `POST
 * /membership/{change,cancel,resume,pause,discount}/{subscriptionId}`, `POST /membership/{renew,invoice}/{subscriptionId}` and
 * `POST /membership/portal`. A page previews the action, and its form confirms the preview. A browser form without that
 * confirmation is led to the page; a program needs none.
 */
export function actionsRouter(deps: ActionsRouterDeps) {
  const router = createFormRouter(deps.form)
  const asked: Asked = {
    pages: createPreviewPages(deps),
    targetOf: async (request) => ({
      user: await memberIn(deps.page.viewOf, request.ctx),
      subscriptionId: request.param('subscription'),
      shown: request.text('shown'),
    }),
    backTo: ({ fields }) => localPath(fields.redirect, deps.page.accountPath),
    addresses: deps.addresses,
  }
  previewedActions(router, deps, asked)
  previewRoute(router, deps, asked)
  renewRoute(router, deps, asked)
  portalRoute(router, deps, asked)
  return router.routes()
}

/** The parts of a request that all of these routes read. */
interface Asked {
  readonly pages: PreviewPages
  readonly targetOf: (request: FormRequest) => Promise<Target>
  readonly backTo: (request: Pick<FormRequest, 'fields'>) => string
  readonly addresses: Addresses
}

/** Routes with a preview page before the action. */
function previewedActions(router: FormRouter, deps: ActionsRouterDeps, asked: Asked): void {
  const { actions } = deps
  const { pages, backTo } = asked
  const askAmount = createAmountPage(deps.page)
  for (const [action, { access: needed, inputOf: wishOf, run }] of Object.entries(
    auditLogOf(actions, { viewOf: deps.page.viewOf, targetOf: asked.targetOf }),
  )) {
    const path = `/membership/${action}/:subscription`
    router.page(path, needed, async (ctx) => {
      const request = queryOf(ctx)
      await askAmount(request, async () => {
        const description = await actions.lookAt(await wishOf(request))
        if (wantsJson(ctx)) ctx.body = description
        else await pages.show(request, description)
      })
    })
    router.post(path, needed, async (request) => {
      const redirect = backTo(request)
      const input = await wishOf(request)
      if (wantsPage(request.ctx) && request.text('shown') === null)
        return { json: null, redirect: previewPath(action, request) }
      return pages.unlessChanged(request, async () => {
        const done = await run(input)
        if (done.url === undefined) await pages.say(request.ctx, input, done.subscription)
        return answerOf(done, redirect)
      })
    })
  }
}

/** Returns the cost of a change. */
function previewRoute(router: FormRouter, { actions }: ActionsRouterDeps, { pages, targetOf }: Asked): void {
  router.post('/membership/invoice/:subscription', access.verified, async (request) => {
    const input = changeOf(request, await targetOf(request))
    if (wantsJson(request.ctx)) return { json: await actions.preview(input), redirect: null }
    await pages.show(request, await actions.lookAt({ action: 'change', ...input }))
    return { json: null, redirect: null }
  })
}

/** Continues a membership: undoes its end, pays its open invoice, or buys it again. */
function renewRoute(router: FormRouter, deps: ActionsRouterDeps, asked: Asked): void {
  const { actions, checkout } = deps
  const { pages, targetOf, backTo, addresses } = asked
  router.post('/membership/renew/:subscription', access.renewing, async (request) => {
    const redirect = backTo(request)
    const target = await targetOf(request)
    requireOwed(await deps.page.viewOf(request.ctx), target)
    // Undoing an end shows its preview first. A payment or a new purchase is confirmed on the provider's page.
    if (wantsPage(request.ctx) && target.shown === null && goesOn(target))
      return { json: null, redirect: previewPath('resume', request) }
    return pages.unlessChanged(request, async () => {
      const way = await actions.renew(target)
      if ('payUrl' in way) return { json: { url: way.payUrl }, redirect: way.payUrl }
      if ('done' in way) {
        const { url, subscription } = way.done
        if (url === undefined) await pages.say(request.ctx, { action: 'resume', ...target }, subscription)
        return answerOf(way.done, redirect)
      }
      if (deps.law.isInEurope && wantsPage(request.ctx))
        return { json: null, redirect: orderPath(way.buy, redirect) }
      const begun = await checkout.begin({
        ...beginFrom(request, { addresses, browser: deps.browserOf(request.ctx) }),
        ...way.buy,
        mode: 'subscription',
        user: target.user,
      })
      return { status: 201, json: { url: begun.url, intent_id: begun.intentId }, redirect: begun.url }
    })
  })
}

/** Opens the provider's own pages. */
function portalRoute(
  router: FormRouter,
  { actions, page }: ActionsRouterDeps,
  { backTo, addresses }: Asked,
): void {
  router.post('/membership/portal', access.verified, async (request) => {
    const path = backTo(request)
    const { ctx } = request
    const { url } = await actions.portal({
      user: await memberIn(page.viewOf, ctx),
      provider: request.text('provider'),
      subscriptionId: request.text('subscription'),
      returnUrl: addresses.full(addresses.siteOf(ctx), path),
      localUrl: addresses.localOf(ctx.req),
    })
    return { status: 201, json: { url }, redirect: url }
  })
}

function goesOn({ user, subscriptionId }: Target): boolean {
  const s = user.subscriptions().find(({ id }) => id === subscriptionId)
  return s !== undefined && !s.ended && !isOwed(s)
}

/**
 * Answers an action. Where the bank has to confirm, the answer is only the address of that page, because nothing has
 * changed yet.
 */
function answerOf({ url, ...done }: ActionResult, redirect: string) {
  return url === undefined ? { json: done, redirect } : { json: { url }, redirect: url }
}
