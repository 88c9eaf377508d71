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

/** What a buyer does on the page: everybody has one customer for an address.
 *  https://polar.sh/docs/features/customer-management */
export const payPage = (world: World, id: string, buyer: Buyer): PaidCheckout => {
  const { customer, own } = world.store.get('checkout', id)
  const email = buyer.email ?? (own?.email as string | null) ?? undefined
  const known = world.store.list('customer').find((one) => one.email === email && !one.deleted)
  if (known !== undefined && customer === null) world.change('checkout', id, { customer: known.id })
  return payCheckout(world, id, { ...buyer, ...(email === undefined ? {} : { email }) })
}

/** Polar's pages: of a checkout, and the portal, where open orders are paid. */
export const createPages =
  ({ world }: Account): PageHandler =>
  async ({ method, path, form }): Promise<PageAnswer | null> => {
    const [, what, id = ''] = path.split('/')
    const text = (field: string) => form.get(field) || undefined
    if (what === 'checkout') {
      if (method !== 'POST') return { html: page }
      const buyer = { email: text('email'), name: text('name'), card: text('card') } as Buyer
      const { refusal } = payPage(world, id.replace('polar_c_', ''), buyer)
      return { html: page, status: refusal === null ? 200 : 402 }
    }
    if (what !== 'portal') return null
    if (method === 'POST' && text('card') !== undefined) {
      useCard(world, id, toCardNumber(text('card')))
      for (const bill of world.store.list('invoice'))
        if (bill.customer === id && bill.status === 'open') collect(world, bill.id, { isOwnerThere: true })
    }
    return { html: page }
  }

const page =
  '<!doctype html><title>Polar</title><form method="post"><input name="email"><input name="card"><button>Pay</button></form>'
