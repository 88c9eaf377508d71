import { dodoScheme } from '../../providers/dodo/verify.ts'
import { signHmac } from '../../providers/signatures.ts'
import {
  type FakeServerOptions,
  type ListingFakeServer,
  openListingServer,
  payAsKnown,
} from '../engine/index.ts'
import { type Account, createAccount } from './account.ts'
import { dodoApi } from './api.ts'
import { toApiError } from './errors.ts'
import { createPages } from './pages.ts'
import { toCustomer, toDispute, toPayment, toProduct, toRefund, toSession, toSubscription } from './shapes.ts'
import { tellFact } from './tell.ts'

/** One business of Dodo Payments, with its API on loopback. */
export type FakeDodo = ListingFakeServer<'customer' | 'subscription' | 'payment' | 'refund'>

/**
 * Starts the engine as Dodo Payments, written after its public documentation. The package `dodopayments`
 * connects to it if its address is set as `baseURL`.
 */
export async function createFakeDodo(options: FakeServerOptions = {}): Promise<FakeDodo> {
  const { server } = await openListingServer(options, {
    secret: 'key_of_the_fake',
    account: createAccount,
    tell: tellFact,
    shapes,
    errorOf: toApiError,
    agree: () => payAsKnown,
    api: dodoApi,
    page: createPages,
    sign: ({ body }, key, at) => signHmac(dodoScheme, Buffer.from(body), key, at),
    lists,
  })
  return server
}

function lists(account: Account) {
  return {
    customer: () => account.world.store.list('customer').map((customer) => toCustomer(account, customer)),
    subscription: () =>
      account.listSubscriptions().map((subscription) => toSubscription(account, subscription)),
    payment: () => account.listPayments().map((payment) => toPayment(account, payment)),
    refund: () => account.world.store.list('refund').map((refund) => toRefund(account, refund)),
  }
}

const shapes = {
  price: toProduct,
  customer: toCustomer,
  subscription: toSubscription,
  checkout: toSession,
  payment: toPayment,
  refund: toRefund,
  dispute: toDispute,
}
