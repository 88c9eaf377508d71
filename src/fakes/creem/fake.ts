import { creemScheme } from '../../providers/creem/verify.ts'
import { signHmac } from '../../providers/signatures.ts'
import {
  type FakeServerOptions,
  type ListingFakeServer,
  openListingServer,
  payAsKnown,
} from '../engine/index.ts'
import { type Account, createAccount } from './account.ts'
import { creemApi } from './api.ts'
import { toApiError } from './errors.ts'
import { createPages } from './pages.ts'
import {
  toCheckout,
  toCustomer,
  toDispute,
  toProduct,
  toRefund,
  toSubscription,
  toTransaction,
} from './shapes.ts'
import { tellFact } from './tell.ts'

/** One Creem store, with its API on loopback. */
export type FakeCreem = ListingFakeServer<'customer' | 'checkout' | 'subscription' | 'transaction'>

/** Starts the engine as Creem, written after its public documentation. */
export async function createFakeCreem(options: FakeServerOptions = {}): Promise<FakeCreem> {
  const { server } = await openListingServer(options, {
    secret: 'creem_test_fake',
    account: createAccount,
    tell: tellFact,
    shapes,
    errorOf: toApiError,
    agree: () => payAsKnown,
    api: creemApi,
    page: createPages,
    sign: ({ body }, key, at) => signHmac(creemScheme, Buffer.from(body), key, at),
    lists,
  })
  return server
}

function lists(account: Account) {
  return {
    customer: () => account.world.store.list('customer').map((customer) => toCustomer(account, customer)),
    checkout: () => account.world.store.list('checkout').map((checkout) => toCheckout(account, checkout)),
    subscription: () =>
      account.listSubscriptions().map((subscription) => toSubscription(account, subscription)),
    transaction: () => account.listPaid().map(({ payment }) => toTransaction(account, payment)),
  }
}

const shapes = {
  price: toProduct,
  customer: toCustomer,
  subscription: toSubscription,
  checkout: toCheckout,
  payment: toTransaction,
  refund: toRefund,
  dispute: toDispute,
}
