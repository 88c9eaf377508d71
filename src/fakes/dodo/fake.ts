import { dodoScheme } from '../../providers/dodo/verify.ts'
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
import { dodoApi } from './api.ts'
import { toApiError } from './errors.ts'
import { toCustomer, toDispute, toPayment, toProduct, toRefund, toSession, toSubscription } from './shapes.ts'
import { tellFact } from './tell.ts'

/** One business of Dodo Payments, with its API on loopback. */
export type FakeDodo = ListingFakeServer<'customer' | 'subscription' | 'payment' | 'refund'>

/** Starts the engine as Dodo Payments, written after its public documentation. The package `dodopayments`
 *  connects to it if its address is set as `baseURL`. */
export const createFakeDodo = async (options: FakeServerOptions = {}): Promise<FakeDodo> => {
  let account!: Account
  const secret = options.secret ?? 'key_of_the_fake'
  const server = await openFakeServer<JsonViews>(options, (context) => {
    account = createAccount(options, context, tellFact)
    return {
      secret,
      world: account.world,
      show: showAs(account, shapes),
      refusalText: () => 'Your card was declined.',
      errorOf: toApiError,
      agree: payAsKnown,
      api: dodoApi(account, secret, context),
      page: createPages(account),
      sign: ({ body }, key, at) => signHmac(dodoScheme, Buffer.from(body), key, at),
    }
  })
  const { store } = account.world
  const lists = {
    customer: () => store.list('customer').map((customer) => toCustomer(account, customer)),
    subscription: () =>
      account.listSubscriptions().map((subscription) => toSubscription(account, subscription)),
    payment: () => account.listPayments().map((payment) => toPayment(account, payment)),
    refund: () => store.list('refund').map((refund) => toRefund(account, refund)),
  }
  return { ...server, objects: { list: (kind) => lists[kind]() } }
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

/** Serves the pages for people: a checkout, a new card for arrears, and the portal. */
const createPages =
  ({ world }: Account): PageHandler =>
  async ({ method, path, form }): Promise<PageAnswer | null> => {
    if (path.startsWith('/portal/')) return { html: payForm('Portal') }
    const [, id = ''] = /^\/session\/(\w+)$/.exec(path) ?? []
    const buyer = buyerIn(form)
    const owing = world.store.find('subscription', id)
    if (owing !== undefined) {
      if (method !== 'POST') return { html: payForm('Another card') }
      const isPaid = payOpen(world, owing.customer, buyer.card, (bill) => bill.subscription === id)
      return { html: payForm(isPaid ? 'Paid' : 'Declined'), status: isPaid ? 200 : 402 }
    }
    const page = world.store.find('checkout', id)
    if (page === undefined) return null
    if (method !== 'POST' || page.status !== 'open') return { html: payForm('Checkout') }
    const { refusal, checkout } = payAsKnown(world, id, buyer)
    if (refusal !== null) return { html: payForm('Declined'), status: 402 }
    return { redirect: checkout.success_url ?? '/' }
  }
