import Router from '@koa/router'
import { koaBody } from 'koa-body'
import { formatMoney } from '../../dto/index.ts'
import { MembershipError } from '../../errors.ts'
import { problems } from '../../http/problems.ts'
import type { RouteTools } from '../contract.ts'
import type { SandboxCheckout, SandboxPrice } from './objects.ts'
import { type Shop, testCards } from './shop.ts'

/** The sandbox's checkout page: shows what is bought, takes a test card, sends the buyer back. */
export const sandboxPages = (shop: Shop, tools: RouteTools): Router => {
  const router = new Router()
  const form = koaBody({ json: false, text: false, formLimit: '16kb' })

  const load = async (id: string): Promise<SandboxCheckout> => {
    const checkout = await shop.find(id)
    if (checkout) return checkout
    throw new MembershipError('ERR_NOT_FOUND', 'There is no such checkout.')
  }
  const show = (
    checkout: SandboxCheckout,
    token: string,
    error: string | null,
    values: Record<string, string>,
  ) =>
    tools.render('checkout/sandbox', {
      session: {
        id: checkout.id,
        price: priceWords(checkout.price),
        email: checkout.email,
        cancel_url: checkout.cancel_url,
      },
      cards: testCards,
      error,
      values,
      action: `/membership/sandbox/checkout/${encodeURIComponent(checkout.id)}`,
      token,
      stylesheet: '/membership/assets/sandbox.css',
    })

  router.get('/membership/sandbox/checkout/:id', problems(tools.log), async (ctx) => {
    const checkout = await load(ctx.params.id ?? '')
    ctx.set('Cache-Control', 'private, no-store')
    if (checkout.status !== 'open') return ctx.redirect(checkout.return_url)
    ctx.type = 'html'
    ctx.body = show(checkout, tools.formToken(ctx), null, {})
  })

  router.post('/membership/sandbox/checkout/:id', problems(tools.log), form, async (ctx) => {
    const checkout = await load(ctx.params.id ?? '')
    const fields = (ctx.request.body ?? {}) as Record<string, unknown>
    tools.checkForm(ctx, fields.token)
    const text = (name: string) => (typeof fields[name] === 'string' ? fields[name].trim().slice(0, 200) : '')
    const buyer = { email: checkout.email ?? text('email'), name: text('name'), card: text('card') }
    const refusal = !/^[^\s@]+@[^\s@]+$/.test(buyer.email)
      ? 'Please give an e-mail address.'
      : await shop.pay(checkout.id, buyer)
    ctx.set('Cache-Control', 'private, no-store')
    if (refusal === null) {
      ctx.redirect(checkout.return_url)
      ctx.status = 303
      return
    }
    ctx.status = 422
    ctx.type = 'html'
    ctx.body = show(checkout, tools.formToken(ctx), refusal, {
      email: buyer.email,
      name: buyer.name,
      card: buyer.card,
    })
  })
  return router
}

const priceWords = (price: SandboxPrice) => {
  const formatted = formatMoney(price)
  const per =
    price.interval === null
      ? 'once'
      : `per ${price.interval_count === 1 ? price.interval : `${price.interval_count} ${price.interval}s`}`
  const trial = price.trial_days > 0 ? `${price.trial_days} days free, then ${formatted} ${per}` : null
  return { label: price.label, formatted, per, trial }
}
