import { creemScheme } from '../../providers/creem/verify.ts'
import { signHmac } from '../../providers/signatures.ts'
import {
  type FakeServerOptions,
  type JsonViews,
  type ListingFakeServer,
  openFakeServer,
  payAsKnown,
  showAs,
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
export const createFakeCreem = async (options: FakeServerOptions = {}): Promise<FakeCreem> => {
  let account!: Account
  const secret = options.secret ?? 'creem_test_fake'
  const merchant = await openFakeServer<JsonViews>(options, (ground) => {
    account = createAccount(options, ground, tellFact)
    return {
      secret,
      world: account.world,
      show: showAs(account, shapes),
      refusalText: () => 'Your card was declined.',
      errorOf: toApiError,
      agree: payAsKnown,
      api: creemApi(account, secret, ground),
      page: createPages(account),
      sign: ({ body }, key, at) => signHmac(creemScheme, Buffer.from(body), key, at),
    }
  })
  const { store } = account.world
  const lists = {
    customer: () => store.list('customer').map((customer) => toCustomer(account, customer)),
    checkout: () => store.list('checkout').map((checkout) => toCheckout(account, checkout)),
    subscription: () =>
      account.listSubscriptions().map((subscription) => toSubscription(account, subscription)),
    transaction: () => account.listPaid().map(({ payment }) => toTransaction(account, payment)),
  }
  return { ...merchant, objects: { list: (kind) => lists[kind]() } }
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
