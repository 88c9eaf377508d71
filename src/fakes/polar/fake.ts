import { polarScheme } from '../../providers/polar/verify.ts'
import { signHmac } from '../../providers/signatures.ts'
import {
  type FakeServerOptions,
  type ListingFakeServer,
  openListingServer,
  payAsKnown,
} from '../engine/index.ts'
import { type Account, createAccount } from './account.ts'
import { polarApi } from './api.ts'
import { toApiError } from './errors.ts'
import { toOrder, toRefund } from './orders.ts'
import { createPages } from './pages.ts'
import { toCheckout, toCustomer, toDiscount, toProduct, toSubscription } from './shapes.ts'
import { tellFact } from './tell.ts'

/** One Polar organization, with its API on loopback. */
export type FakePolar = ListingFakeServer<'customer' | 'subscription' | 'order' | 'checkout' | 'refund'>

/** Starts the engine as Polar, written after its public documentation and its server's source. */
export async function createFakePolar(options: FakeServerOptions = {}): Promise<FakePolar> {
  const { server, account } = await openListingServer(options, {
    secret: 'polar_oat_fake',
    account: createAccount,
    tell: tellFact,
    shapes,
    errorOf: toApiError,
    agree: () => payAsKnown,
    api: polarApi,
    page: createPages,
    sign: ({ body }, key, at) => signHmac(polarScheme, Buffer.from(body), key, at),
    lists,
  })
  const refund: FakePolar['refund'] = (id, amount) =>
    server.refund(account.findOrder(id)?.invoice?.payment ?? id, amount)
  return {
    ...server,
    refund,
    // Polar refunds a payment that a bank inquires about, before there is a dispute:
    // https://polar.sh/docs/merchant-of-record/disputes
    dispute: (id) => refund(id),
  }
}

function lists(account: Account) {
  return {
    customer: () => account.world.store.list('customer').map((customer) => toCustomer(account, customer)),
    subscription: () =>
      account.listSubscriptions().map((subscription) => toSubscription(account, subscription)),
    order: () => account.listOrders().map((order) => toOrder(account, order)),
    checkout: () => account.world.store.list('checkout').map((checkout) => toCheckout(account, checkout)),
    refund: () => account.world.store.list('refund').map((refund) => toRefund(account, refund)),
  }
}

const shapes = {
  price: toProduct,
  coupon: toDiscount,
  customer: toCustomer,
  subscription: toSubscription,
  checkout: toCheckout,
  refund: toRefund,
}
