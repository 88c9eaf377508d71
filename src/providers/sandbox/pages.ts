import Router from '@koa/router'
import type { Context } from 'koa'
import { MembershipError } from '../../core/errors.ts'
import { formBody } from '../../core/http/form-body.ts'
import { problems } from '../../core/http/problems.ts'
import type { Voice } from '../../core/words/index.ts'
import type { RouteTools } from '../contract.ts'
import type { SandboxCheckout } from './objects.ts'
import { pricePageWords } from './page-words.ts'
import { type PortalPageDeps, portalPages } from './portal-pages.ts'
import { type Shop, testCards } from './shop.ts'

export interface PageDeps extends PortalPageDeps {
  readonly shop: Shop
  readonly hasCodes: boolean
}

/**
 * Serves the sandbox's own pages: the checkout, which accepts a test card and redirects back, and the portal.
 */
export function sandboxPages(deps: PageDeps, tools: RouteTools): Router {
  const { shop } = deps
  const router = new Router()
  const form = formBody({ json: false, text: false, formLimit: '16kb' })
  const answer = problems(tools.log, tools.errorPage)

  const load = async (id: string): Promise<SandboxCheckout> => {
    const checkout = await shop.find(id)
    if (checkout) return checkout
    throw new MembershipError('ERR_NOT_FOUND', 'There is no such checkout.')
  }
  const show = async (
    ctx: Context,
    checkout: SandboxCheckout,
    { error = null, asks = false, values = {} }: Shown = {},
  ): Promise<void> => {
    const voice = await tools.voiceOf(ctx)
    ctx.set('Cache-Control', 'private, no-store')
    ctx.type = 'html'
    ctx.body = tools.render('checkout/sandbox', {
      ...voice,
      session: {
        id: checkout.id,
        price: checkoutWords(checkout, deps.prices.titleFor(checkout.price, voice), voice),
        has_codes: deps.hasCodes,
        code: checkout.code,
        email: checkout.email,
        cancel_url: checkout.cancel_url,
      },
      cards: testCards,
      error: error === null ? null : voice.say(`sandbox.refused.${error}`),
      asks,
      values,
      action: `/membership/sandbox/checkout/${encodeURIComponent(checkout.id)}`,
      token: tools.formToken(ctx),
      stylesheet: '/membership/assets/sandbox.css',
    })
  }

  router.get('/membership/sandbox/checkout/:id', answer, async (ctx) => {
    const checkout = await load(ctx.params.id ?? '')
    ctx.set('Cache-Control', 'private, no-store')
    if (checkout.status !== 'open') return ctx.redirect(checkout.return_url)
    await show(ctx as unknown as Context, checkout)
  })

  router.post('/membership/sandbox/checkout/:id', answer, form, async (ctx) => {
    const checkout = await load(ctx.params.id ?? '')
    const fields = (ctx.request.body ?? {}) as Record<string, unknown>
    tools.checkForm(ctx, fields.token)
    const text = (name: string) => (typeof fields[name] === 'string' ? fields[name].trim().slice(0, 200) : '')
    if (text('do') === 'code') {
      const isKnown = await shop.useCode(checkout.id, text('code'))
      ctx.set('Cache-Control', 'private, no-store')
      ctx.status = isKnown ? 200 : 422
      await show(ctx as unknown as Context, await load(checkout.id), {
        error: isKnown ? null : 'no_code',
        values: { email: text('email'), name: text('name') },
      })
      return
    }
    const bank: 'yes' | 'no' | null = text('bank') === 'yes' ? 'yes' : text('bank') === 'no' ? 'no' : null
    const buyer = {
      email: checkout.email ?? text('email'),
      name: text('name'),
      card: text('card'),
      expiry: fields.expiry === undefined ? null : text('expiry'),
      bank,
    }
    const attempt = /^[^\s@]+@[^\s@]+$/.test(buyer.email)
      ? await shop.pay(checkout.id, buyer)
      : { refusal: 'email' as const }
    ctx.set('Cache-Control', 'private, no-store')
    if (attempt === 'paid') {
      ctx.redirect(checkout.return_url)
      ctx.status = 303
      return
    }
    const asks = attempt === 'bank asks'
    ctx.status = asks ? 200 : 422
    await show(ctx as unknown as Context, checkout, {
      asks,
      error: asks ? null : attempt.refusal,
      values: { email: buyer.email, name: buyer.name, card: buyer.card, expiry: text('expiry') || '12 / 34' },
    })
  })

  portalPages(router, { ...deps, answer, form }, tools)
  return router
}

/** Words the price of a checkout: for all pieces, and what is due today. */
function checkoutWords({ price, quantity, discount }: SandboxCheckout, title: string, voice: Voice) {
  const whole = { ...price, amount: price.amount * quantity }
  const words = pricePageWords(whole, voice)
  return {
    ...words,
    label: quantity === 1 ? title : voice.say('price.many', { count: quantity, title }),
    discount: discount > 0 ? voice.amount({ ...price, amount: -discount }) : null,
    due: voice.amount({ ...price, amount: whole.amount - discount }),
  }
}

interface Shown {
  readonly error?: 'no_code' | 'email' | 'no_test_card' | 'declined' | 'expired' | null
  /** The buyer's bank asks for confirmation. */
  readonly asks?: boolean
  readonly values?: Record<string, string>
}
