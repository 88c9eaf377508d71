import { codeOf, type Examples, equal } from './site.ts'

/** Examples of `m.checkout`. */
export const checkout: Examples = {
  async start({ m, bob, pay }) {
    const { url } = await m.checkout.start({ user: bob, price: 'price_month', redirect: '/welcome' })
    await pay(url) // the buyer, on Stripe's page
    equal((await m.users.findById(bob.id))?.gates(), ['pro'])
    const again = async () =>
      m.checkout.start({ user: (await m.users.findById(bob.id))!, price: 'price_month' })
    equal(await codeOf(again), 'ERR_CHECKOUT_REFUSED')
  },

  async koa({ m, app, open }) {
    app.use(m.checkout.koa()) // POST /membership/subscribe/{plan}, and what members do to it
    const { status } = await open('/membership/subscribe/pro', { price: 'price_month' })
    equal(status, 403) // the form has no token of this browser
  },
}
