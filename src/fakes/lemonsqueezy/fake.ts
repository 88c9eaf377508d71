import { lemonSqueezyScheme } from '../../providers/lemonsqueezy/verify.ts'
import { signHmac } from '../../providers/signatures.ts'
import {
  buyerIn,
  type FakeServerOptions,
  type Invoice,
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
import { type Account, createAccount, type Resource } from './account.ts'
import { lemonSqueezyApi } from './api.ts'
import { toApiError } from './errors.ts'
import { identifierOf, toCheckout, toCustomer, toInvoice, toOrder, toSubscription } from './shapes.ts'
import { toProduct, toVariant } from './shapes-goods.ts'
import { tellFact } from './tell.ts'

/** One Lemon Squeezy store, with its API on loopback. */
export type FakeLemonSqueezy = ListingFakeServer<
  'customers' | 'checkouts' | 'orders' | 'subscriptions' | 'subscription-invoices',
  Resource
>

/** Starts the engine as Lemon Squeezy, written after its public documentation. Variants have numeric ids. */
export const createFakeLemonSqueezy = async (options: FakeServerOptions = {}): Promise<FakeLemonSqueezy> => {
  let account!: Account
  const secret = options.secret ?? 'eyJ0eXAiOiJKV1Qi.of.the.fake'
  const server = await openFakeServer<JsonViews>(options, (context) => {
    account = createAccount(options, context, tellFact)
    return {
      secret,
      world: account.world,
      show: showAs(account, shapes),
      refusalText: () => 'Your card was declined.',
      errorOf: toApiError,
      agree: payAsKnown,
      api: lemonSqueezyApi(account, secret, context),
      page: createPages(account),
      sign: ({ type, body }, key, at) => ({
        'X-Event-Name': type,
        ...signHmac(lemonSqueezyScheme, Buffer.from(body), key, at),
      }),
    }
  })
  const lists = {
    customers: () => account.world.store.list('customer').map((customer) => toCustomer(account, customer)),
    checkouts: () => account.world.store.list('checkout').map((checkout) => toCheckout(account, checkout)),
    orders: () => account.listOrders().map((order) => toOrder(account, order)),
    subscriptions: () =>
      account.listSubscriptions().map((subscription) => toSubscription(account, subscription)),
    'subscription-invoices': () => account.listInvoices().map((invoice) => toInvoice(account, invoice)),
  }
  return { ...server, objects: { list: (kind) => lists[kind]() } }
}

const shapes: Parameters<typeof showAs<Account>>[1] = {
  product: toProduct,
  price: toVariant,
  customer: toCustomer,
  subscription: toSubscription,
  checkout: (account, checkout) =>
    checkout.status === 'complete' ? toOrder(account, checkout) : toCheckout(account, checkout),
  invoice: toInvoice,
}

/** Serves the pages for people: a checkout, a new card, and the portal. */
const createPages =
  (account: Account): PageHandler =>
  async ({ method, path, form }): Promise<PageAnswer | null> => {
    const { world } = account
    const buyer = buyerIn(form)
    const [, subscription] = /^\/subscription\/(\d+)\/payment-details$/.exec(path) ?? []
    if (subscription !== undefined) {
      const { customer } = world.store.get('subscription', subscription)
      const isOwed = (bill: Invoice) => bill.subscription === subscription && bill.reason === 'cycle'
      if (method === 'POST') payOpen(world, customer, buyer.card, isOwed)
      return { html: payForm('Billing') }
    }
    if (path.startsWith('/billing')) return { html: payForm('Portal') }
    const [, id] = /^\/checkout\/custom\/([\w-]+)$/.exec(path) ?? []
    const checkout = world.store.find('checkout', id ?? null)
    if (checkout === undefined) return null
    if (method !== 'POST' || checkout.status !== 'open') return { html: payForm('Checkout') }
    const { refusal, checkout: paid } = payAsKnown(world, checkout.id, buyer)
    if (refusal !== null) return { html: payForm('Declined'), status: 402 }
    const { redirect_url: back = '' } = (paid.own?.product_options ?? {}) as { redirect_url?: string }
    return {
      redirect: back
        .replace('[order_id]', account.orderOf(paid) ?? '')
        .replace('[order_identifier]', identifierOf(paid)),
    }
  }
