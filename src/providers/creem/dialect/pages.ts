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

/** What a buyer does on Creem's page. Everybody has one customer for an address. */
export const buy = (world: World, id: string, buyer: Buyer): PaidCheckout => {
  const { email: given, customer } = world.store.get('checkout', id)
  const email = buyer.email ?? given
  const known = world.store.list('customer').find((one) => one.email === email && !one.deleted)
  if (customer === null) world.change('checkout', id, { customer: known?.id ?? null, email })
  return payCheckout(world, id, buyer)
}

/** The pages for people: a checkout and the portal, where another card pays what is open. */
export const createPages =
  ({ world }: Account): PageHandler =>
  async ({ method, path, form }): Promise<PageAnswer | null> => {
    const card = form.get('card') ?? undefined
    const [, customer] = /^\/portal\/(\w+)$/.exec(path) ?? []
    if (customer !== undefined) {
      if (method === 'POST') payWith(world, customer, card)
      return { html: page('Portal') }
    }
    const [, id] = /^\/checkout\/(\w+)$/.exec(path) ?? []
    const checkout = world.store.find('checkout', id ?? null)
    if (checkout === undefined) return null
    if (method !== 'POST' || checkout.status !== 'open') return { html: page('Checkout') }
    const { refusal } = buy(world, checkout.id, { email: form.get('email') ?? undefined, card })
    if (refusal !== null) return { html: page('Declined'), status: 402 }
    return { redirect: `${checkout.success_url}?checkout_id=${checkout.id}` }
  }

const payWith = (world: World, customer: string, card: string | undefined): void => {
  useCard(world, customer, toCardNumber(card))
  for (const one of world.store.list('invoice'))
    if (one.customer === customer && one.status === 'open') collect(world, one.id, { isOwnerThere: true })
}

const page = (title: string): string =>
  `<!doctype html><title>${title}</title><p>${title}</p><form method="post"><input name="email"><input name="card"><button>Pay</button></form>`
