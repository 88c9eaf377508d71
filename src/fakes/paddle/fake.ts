import { paddleScheme } from '../../providers/paddle/verify.ts'
import { signHmac } from '../../providers/signatures.ts'
import {
  type Buyer,
  buyerIn,
  collect,
  type FakeServerOptions,
  type JsonViews,
  type ListingFakeServer,
  openFakeServer,
  type PageAnswer,
  type PageHandler,
  payAsKnown,
  payForm,
  showAs,
  toCardNumber,
  useCard,
} from '../engine/index.ts'
import { type Account, createAccount } from './account.ts'
import { toAdjustment } from './adjustments.ts'
import { paddleApi } from './api.ts'
import { buyingRoutes } from './api-buying.ts'
import { subscriptionRoutes } from './api-subscriptions.ts'
import { toApiError } from './errors.ts'
import { route } from './routes.ts'
import { toCustomer, toDiscount, toPrice, toProduct, toSubscription } from './shapes.ts'
import { tellFact } from './tell.ts'
import { toTransaction } from './transactions.ts'

/** One Paddle account, with its API on loopback. */
export type FakePaddle = ListingFakeServer<'customer' | 'subscription' | 'transaction' | 'adjustment'>

/** Starts the engine as Paddle Billing, written after its public documentation. `@paddle/paddle-node-sdk`
 *  connects to it if its address is set as `environment`. */
export const createFakePaddle = async (options: FakeServerOptions = {}): Promise<FakePaddle> => {
  let account!: Account
  const secret = options.secret ?? 'pdl_sdbx_apikey_fake'
  const server = await openFakeServer<JsonViews>(options, (context) => {
    account = createAccount(options, context, tellFact)
    const events = route('GET /events', () => ({
      list: context.messages.all().map(({ body }) => {
        const { notification_id: _, ...event } = JSON.parse(body) as Record<string, unknown>
        return event
      }),
    }))
    return {
      secret,
      world: account.world,
      show: showAs(account, shapes),
      refusalText: () => 'Payment was declined',
      errorOf: toApiError,
      api: paddleApi(account, {
        secret,
        routes: [...buyingRoutes, ...subscriptionRoutes, events],
        context,
      }),
      page: createPages(account),
      sign: ({ body }, key, at) => signHmac(paddleScheme, Buffer.from(body), key, at),
    }
  })
  const lists = {
    customer: () => account.world.store.list('customer').map((customer) => toCustomer(account, customer)),
    subscription: () =>
      account.listSubscriptions().map((subscription) => toSubscription(account, subscription)),
    transaction: () => account.listSold().map((sold) => toTransaction(account, sold)),
    adjustment: () => account.listBack().map((dispute) => toAdjustment(account, dispute)),
  }
  return {
    ...server,
    // An open invoice is paid in the same checkout.
    pay: async (given, { at, ...buyer } = {}) => {
      const id = transactionIn(given)
      if (at !== undefined) await server.advance(at)
      const refused = payTransaction(account, id, buyer)
      return { session: transactionOf(account, { id }), refusal: refused && 'Payment was declined' }
    },
    refund: (id, amount) => server.refund(paymentOf(account, id), amount),
    dispute: (id, reason) => server.dispute(paymentOf(account, id), reason),
    objects: { list: (kind) => lists[kind]() },
  }
}

// Paddle's page names its transaction in the query:
// https://developer.paddle.com/build/transactions/default-payment-link
const transactionIn = (given: string): string =>
  given.includes('/') ? (new URL(given, 'http://localhost').searchParams.get('_ptxn') ?? given) : given

const paymentOf = (account: Account, id: string): string => {
  const sold = account.findSold(id)
  return sold?.invoice?.payment ?? sold?.checkout?.payment ?? id
}

const transactionOf = (account: Account, { id }: { readonly id: string }) => {
  const sold = account.findSold(id)
  return sold === undefined ? {} : toTransaction(account, sold)
}

const shapes = {
  product: toProduct,
  price: toPrice,
  coupon: toDiscount,
  customer: toCustomer,
  subscription: toSubscription,
  checkout: transactionOf,
  invoice: transactionOf,
  refund: toAdjustment,
  dispute: toAdjustment,
}

/** Pays in Paddle's checkout, whatever it was opened for. Returns why nothing was paid, else null.
 *  @throws TypeError for a transaction that cannot be paid */
export const payTransaction = (account: Account, id: string, buyer: Buyer): string | null => {
  const { world } = account
  const sold = account.findSold(id)
  // Each address has one customer: https://developer.paddle.com/build/customers
  if (sold?.checkout?.status === 'open') return payAsKnown(world, id, buyer).refusal
  const invoice = sold?.invoice
  if (invoice?.status !== 'open') throw new TypeError(`The transaction ${id} is not to be paid`)
  useCard(world, invoice.customer, toCardNumber(buyer.card))
  return collect(world, invoice.id, { isOwnerThere: true }) ? null : 'generic'
}

/** Serves a page that replaces the one with Paddle.js, for paying. */
const createPages =
  (account: Account): PageHandler =>
  async ({ method, path, query, form }): Promise<PageAnswer | null> => {
    if (path.startsWith('/portal/')) return { html: '<!doctype html><title>Portal</title>' }
    if (path !== '/pay') return null
    const id = query.get('_ptxn') ?? ''
    const html = (extras: string) => payForm('Checkout', extras)
    if (method !== 'POST') return { html: html('') }
    try {
      const isPaid = payTransaction(account, id, buyerIn(form)) === null
      return { html: html(isPaid ? 'Paid' : 'Declined'), status: isPaid ? 200 : 402 }
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
      return { html: html('This is not to be paid'), status: 422 }
    }
  }
