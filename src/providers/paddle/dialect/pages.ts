import {
  collect,
  type PageAnswer,
  type PageHandler,
  payCheckout,
  toCardNumber,
  useCard,
} from '../../../merchant/index.ts'
import type { Account } from './account.ts'

/** Who pays, and with what. */
export interface Paying {
  readonly email?: string
  readonly name?: string
  readonly card?: string
}

/** What a buyer does in Paddle's checkout, whatever it was opened for; why nothing was paid, else null.
 *  @throws TypeError for what is not to be paid */
export const payTransaction = (
  account: Account,
  id: string,
  { email, name, card }: Paying,
): string | null => {
  const { world } = account
  const sold = account.findSold(id)
  if (sold?.checkout?.status === 'open') {
    // Everybody has one customer for an address: https://developer.paddle.com/build/customers
    const known = world.store.list('customer').find((one) => one.email === email && !one.deleted)
    if (known !== undefined && sold.checkout.customer === null)
      world.change('checkout', id, { customer: known.id })
    return payCheckout(world, id, { email, name, card }).refusal
  }
  const invoice = sold?.invoice
  if (invoice?.status !== 'open') throw new TypeError(`The transaction ${id} is not to be paid`)
  useCard(world, invoice.customer, toCardNumber(card))
  return collect(world, invoice.id, { isOwnerThere: true }) ? null : 'generic'
}

/** Where a page with Paddle.js would stand: it is paid here. */
export const createPages =
  (account: Account): PageHandler =>
  async ({ method, path, query, form }): Promise<PageAnswer | null> => {
    if (path.startsWith('/portal/')) return { html: '<!doctype html><title>Portal</title>' }
    if (path !== '/pay') return null
    const id = query.get('_ptxn') ?? ''
    if (method !== 'POST') return { html: page(id, '') }
    try {
      const text = (field: string) => form.get(field) || undefined
      const refusal = payTransaction(account, id, {
        email: text('email'),
        name: text('name'),
        card: text('card'),
      })
      return { html: page(id, refusal === null ? 'Paid' : 'Declined'), status: refusal === null ? 200 : 402 }
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
      return { html: page(id, 'This is not to be paid'), status: 422 }
    }
  }

const page = (id: string, said: string): string =>
  `<!doctype html><title>Checkout</title><p>${said}</p><form method="post" action="/pay?_ptxn=${encodeURIComponent(id)}">` +
  '<input name="email"><input name="card"><button>Pay</button></form>'
