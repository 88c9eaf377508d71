import { paddleScheme } from '../../providers/paddle/verify.ts'
import { signHmac } from '../../providers/signatures.ts'
import {
  type FakeServerOptions,
  type Json,
  type ListingFakeServer,
  type NewPrice,
  openListingServer,
} from '../engine/index.ts'
import { type Account, createAccount } from './account.ts'
import { toAdjustment } from './adjustments.ts'
import { paddleApi } from './api.ts'
import { toApiError } from './errors.ts'
import { createPages, payTransaction } from './pages.ts'
import { type NewPaddlePrice, toNewPrice } from './prices.ts'
import { toCustomer, toDiscount, toPrice, toProduct, toSubscription } from './shapes.ts'
import { tellFact } from './tell.ts'
import { toTransaction } from './transactions.ts'

/** One Paddle account, with its API on loopback. */
export interface FakePaddle
  extends ListingFakeServer<'customer' | 'subscription' | 'transaction' | 'adjustment'> {
  /** Adds a price, as Paddle's API has it or as the fake servers of all providers do. */
  addPrice(price: NewPrice | NewPaddlePrice): Json
}

/**
 * Starts the engine as Paddle Billing, written after its public documentation. `@paddle/paddle-node-sdk`
 * connects to it if its address is set as `environment`.
 */
export async function createFakePaddle(options: FakeServerOptions = {}): Promise<FakePaddle> {
  const { server, account } = await openListingServer(options, {
    secret: 'pdl_sdbx_apikey_fake',
    account: createAccount,
    tell: tellFact,
    shapes,
    refusalText: 'Payment was declined',
    errorOf: toApiError,
    api: paddleApi,
    page: createPages,
    sign: ({ body }, key, at) => signHmac(paddleScheme, Buffer.from(body), key, at),
    lists,
  })
  return {
    ...server,
    addPrice: (price) => server.addPrice('unit_price' in price ? toNewPrice(price) : price),
    // An open invoice is paid in the same checkout.
    pay: async (given, { at, ...buyer } = {}) => {
      const id = transactionIn(given)
      if (at !== undefined) await server.advance(at)
      const refused = payTransaction(account, id, buyer)
      return { session: transactionOf(account, { id }), refusal: refused && 'Payment was declined' }
    },
    refund: (id, amount) => server.refund(paymentOf(account, id), amount),
    dispute: (id, reason) => server.dispute(paymentOf(account, id), reason),
  }
}

function lists(account: Account) {
  return {
    customer: () => account.world.store.list('customer').map((customer) => toCustomer(account, customer)),
    subscription: () =>
      account.listSubscriptions().map((subscription) => toSubscription(account, subscription)),
    transaction: () => account.listSold().map((sold) => toTransaction(account, sold)),
    adjustment: () => account.listBack().map((dispute) => toAdjustment(account, dispute)),
  }
}

// Paddle's page names its transaction in the query:
// https://developer.paddle.com/build/transactions/default-payment-link
function transactionIn(given: string): string {
  return given.includes('/') ? (new URL(given, 'http://localhost').searchParams.get('_ptxn') ?? given) : given
}

function paymentOf(account: Account, id: string): string {
  const sold = account.findSold(id)
  return sold?.invoice?.payment ?? sold?.checkout?.payment ?? id
}

function transactionOf(account: Account, { id }: { readonly id: string }) {
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
