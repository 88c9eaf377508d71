import { expireCheckout, type PageHandler, payCheckout, type World } from '../engine/index.ts'

/** Serves the page on which a payment is made: a card, or the way back. */
export function createPages(world: World): PageHandler {
  return async ({ path, method, form }) => {
    const [, kind, id = ''] = path.split('/')
    const checkout = kind === 'checkout' ? world.store.find('checkout', id) : undefined
    if (checkout === undefined) return null
    const back = { redirect: checkout.success_url ?? '/' }
    if (checkout.status !== 'open') return back
    if (method !== 'POST') return { html: page(id) }
    if (form.has('cancel')) {
      world.change('checkout', id, { own: { ...checkout.own, isCanceled: true } })
      expireCheckout(world, id)
      return { redirect: checkout.cancel_url ?? checkout.success_url ?? '/' }
    }
    const { refusal } = payCheckout(world, id, { card: form.get('card') || undefined })
    return refusal === null ? back : { html: page(id), status: 402 }
  }
}

function page(id: string): string {
  return `<!doctype html><title>Mollie</title><form method="post" action="/checkout/${id}"><input name="card"><button>Pay</button><button name="cancel">Cancel</button></form>`
}
