import { lemonSqueezyScheme } from '../../providers/lemonsqueezy/verify.ts'
import { signHmac } from '../../providers/signatures.ts'
import {
  type FakeServerOptions,
  type ListingFakeServer,
  openListingServer,
  payAsKnown,
  type Shapes,
} from '../engine/index.ts'
import { type Account, createAccount, type Resource } from './account.ts'
import { lemonSqueezyApi } from './api.ts'
import { toApiError } from './errors.ts'
import { createPages } from './pages.ts'
import { toCheckout, toCustomer, toInvoice, toOrder, toSubscription } from './shapes.ts'
import { toProduct, toVariant } from './shapes-goods.ts'
import { tellFact } from './tell.ts'

/** One Lemon Squeezy store, with its API on loopback. */
export type FakeLemonSqueezy = ListingFakeServer<
  'customers' | 'checkouts' | 'orders' | 'subscriptions' | 'subscription-invoices',
  Resource
>

/** Starts the engine as Lemon Squeezy, written after its public documentation. Variants have numeric ids. */
export async function createFakeLemonSqueezy(options: FakeServerOptions = {}): Promise<FakeLemonSqueezy> {
  const { server } = await openListingServer(options, {
    secret: 'eyJ0eXAiOiJKV1Qi.of.the.fake',
    account: createAccount,
    tell: tellFact,
    shapes,
    errorOf: toApiError,
    agree: () => payAsKnown,
    api: lemonSqueezyApi,
    page: createPages,
    sign: ({ type, body }, key, at) => ({
      'X-Event-Name': type,
      ...signHmac(lemonSqueezyScheme, Buffer.from(body), key, at),
    }),
    lists,
  })
  return server
}

function lists(account: Account) {
  return {
    customers: () => account.world.store.list('customer').map((customer) => toCustomer(account, customer)),
    checkouts: () => account.world.store.list('checkout').map((checkout) => toCheckout(account, checkout)),
    orders: () => account.listOrders().map((order) => toOrder(account, order)),
    subscriptions: () =>
      account.listSubscriptions().map((subscription) => toSubscription(account, subscription)),
    'subscription-invoices': () => account.listInvoices().map((invoice) => toInvoice(account, invoice)),
  }
}

const shapes: Shapes<Account> = {
  product: toProduct,
  price: toVariant,
  customer: toCustomer,
  subscription: toSubscription,
  checkout: (account, checkout) =>
    checkout.status === 'complete' ? toOrder(account, checkout) : toCheckout(account, checkout),
  invoice: toInvoice,
}
