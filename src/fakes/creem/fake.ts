import { creemScheme } from '../../providers/creem/verify.ts'
import { signHmac } from '../../providers/signatures.ts'
import {
  buyerIn,
  type FakeServerOptions,
  type JsonViews,
  type ListingFakeServer,
  openFakeServer,
  type PageAnswer,
  type PageHandler,
  payAsKnown,
  payForm,
  payOpen,
  showAs,
} from '../engine/index.ts'
import { type Account, createAccount } from './account.ts'
import { creemApi } from './api.ts'
import { toApiError } from './errors.ts'
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
  const server = await openFakeServer<JsonViews>(options, (context) => {
    account = createAccount(options, context, tellFact)
    return {
      secret,
      world: account.world,
      show: showAs(account, shapes),
      refusalText: () => 'Your card was declined.',
      errorOf: toApiError,
      agree: payAsKnown,
      api: creemApi(account, secret, context),
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
  return { ...server, objects: { list: (kind) => lists[kind]() } }
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

/** Serves the pages for people: a checkout, and the portal, where another card pays open invoices. */
const createPages =
  ({ world }: Account): PageHandler =>
  async ({ method, path, form }): Promise<PageAnswer | null> => {
    const [, customer] = /^\/portal\/(\w+)$/.exec(path) ?? []
    if (customer !== undefined) {
      if (method === 'POST') payOpen(world, customer, buyerIn(form).card)
      return { html: payForm('Portal') }
    }
    const [, id] = /^\/checkout\/(\w+)$/.exec(path) ?? []
    const checkout = world.store.find('checkout', id ?? null)
    if (checkout === undefined) return null
    if (method !== 'POST' || checkout.status !== 'open') return { html: payForm('Checkout') }
    const { refusal } = payAsKnown(world, checkout.id, buyerIn(form))
    if (refusal !== null) return { html: payForm('Declined'), status: 402 }
    return { redirect: `${checkout.success_url}?checkout_id=${checkout.id}` }
  }
