import {
  type Buyer,
  collect,
  type PageAnswer,
  type PageHandler,
  type PaidCheckout,
  payCheckout,
  toCardNumber,
  useCard,
  type World,
} from '../../../merchant/index.ts'
import type { Account } from './account.ts'
import { identifierOf } from './shapes.ts'

/** What a buyer does on Lemon Squeezy's page: the address may be another than the one that stood there. Everybody has one
 *  customer for an address. */
export const buy = (world: World, id: string, buyer: Buyer): PaidCheckout => {
  const { email: given } = world.store.get('checkout', id)
  const email = buyer.email ?? given
  const known = world.store.list('customer').find((one) => one.email === email && !one.deleted)
  world.change('checkout', id, { customer: known?.id ?? null, email })
  return payCheckout(world, id, buyer)
}

/** The pages for people: a checkout, another card, and the portal. */
export const createPages =
  (account: Account): PageHandler =>
  async ({ method, path, form }): Promise<PageAnswer | null> => {
    const { world } = account
    const card = form.get('card') ?? undefined
    const [, subscription] = /^\/subscription\/(\d+)\/payment-details$/.exec(path) ?? []
    if (subscription !== undefined) {
      if (method === 'POST') payWith(world, subscription, card)
      return { html: page('Billing') }
    }
    if (path.startsWith('/billing')) return { html: page('Portal') }
    const [, id] = /^\/checkout\/custom\/([\w-]+)$/.exec(path) ?? []
    const checkout = world.store.find('checkout', id ?? null)
    if (checkout === undefined) return null
    if (method !== 'POST' || checkout.status !== 'open') return { html: page('Checkout') }
    const email = form.get('email') ?? undefined
    const { refusal, checkout: paid } = buy(world, checkout.id, { email, card })
    if (refusal !== null) return { html: page('Declined'), status: 402 }
    const { redirect_url: back = '' } = (paid.own?.product_options ?? {}) as { redirect_url?: string }
    return {
      redirect: back
        .replace('[order_id]', account.orderOf(paid) ?? '')
        .replace('[order_identifier]', identifierOf(paid)),
    }
  }

/** Another card, by which what is open is paid. */
const payWith = (world: World, id: string, card: string | undefined): void => {
  const { customer } = world.store.get('subscription', id)
  useCard(world, customer, toCardNumber(card))
  for (const one of world.store.list('invoice'))
    if (one.subscription === id && one.status === 'open' && one.reason === 'cycle')
      collect(world, one.id, { isOwnerThere: true })
}

const page = (title: string): string =>
  `<!doctype html><title>${title}</title><p>${title}</p><form method="post"><input name="email"><input name="card"><button>Pay</button></form>`
