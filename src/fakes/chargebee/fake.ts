import { writeCredentials } from '../../providers/chargebee/verify.ts'
import {
  type FakeServerOptions,
  type Json,
  type JsonViews,
  type ListingFakeServer,
  openFakeServer,
  showAs,
  type Webhook,
} from '../engine/index.ts'
import { type Account, createAccount } from './account.ts'
import { chargebeeApi } from './api.ts'
import { buyingRoutes } from './api-buying.ts'
import { subscriptionRoutes } from './api-subscriptions.ts'
import { listBacks, toBack, toCreditNote } from './backs.ts'
import { findBill, listBills, toInvoice } from './bills.ts'
import { toApiError } from './errors.ts'
import { createPages, payPage, toHostedPage } from './pages.ts'
import { route } from './routes.ts'
import { toCoupon, toCustomer, toItemPrice, toSubscription } from './shapes.ts'
import { tellFact } from './tell.ts'

/** One Chargebee site, with its API on loopback. */
export type FakeChargebee = ListingFakeServer<
  'customer' | 'subscription' | 'invoice' | 'transaction' | 'credit_note' | 'hosted_page'
>

/** Starts the engine as a Chargebee site, written after its public documentation. The package `chargebee`
 *  connects to it if the address is set as protocol, host and port. */
export const createFakeChargebee = async (options: FakeServerOptions = {}): Promise<FakeChargebee> => {
  let account!: Account
  const secret = options.secret ?? 'test_key_of_the_fake'
  const server = await openFakeServer<JsonViews>(options, (context) => {
    account = createAccount(options, context, tellFact)
    const events = route('GET /events', () => ({
      list: context.messages.all().map(({ body }) => ({ event: JSON.parse(body) as Json })),
    }))
    // https://apidocs.chargebee.com/docs/api/webhook_endpoints/list-webhook-endpoints
    const endpoints = route('GET /webhook_endpoints', () => {
      const endpoint = context.endpoint()
      return { list: endpoint === undefined ? [] : [{ webhook_endpoint: toEndpoint(endpoint) }] }
    })
    return {
      secret,
      world: account.world,
      show: showAs(account, shapes),
      refusalText: () => 'Your card was declined',
      errorOf: toApiError,
      agree: (world, id, buyer) => payPage(account, world, id, buyer),
      api: chargebeeApi(account, {
        secret,
        routes: [...buyingRoutes, ...subscriptionRoutes, events, endpoints],
        context,
      }),
      page: createPages(account),
      sign: (_message, password) => writeCredentials(password),
    }
  })
  const lists = {
    customer: () => account.world.store.list('customer').map((customer) => toCustomer(account, customer)),
    subscription: () =>
      account.listSubscriptions().map((subscription) => toSubscription(account, subscription)),
    invoice: () => listBills(account).map((bill) => toInvoice(account, bill)),
    transaction: () => listBacks(account).map((back) => toBack(account, back)),
    credit_note: () => listBacks(account).map((back) => toCreditNote(account, back)),
    hosted_page: () => account.world.store.list('checkout').map(({ id }) => toHostedPage(account, id)!),
  }
  return {
    ...server,
    refund: (id, amount) => server.refund(findBill(account, id)?.payment ?? id, amount),
    dispute: (id, reason) => server.dispute(findBill(account, id)?.payment ?? id, reason),
    objects: { list: (kind) => lists[kind]() },
  }
}

const toEndpoint = ({ url, isEnabled, events }: Webhook): Json => ({
  id: 'whv2_of_the_fake',
  name: 'of the fake',
  api_version: 'v2',
  url,
  primary_url: true,
  disabled: isEnabled === false,
  object: 'webhook_endpoint',
  ...(events === undefined ? {} : { enabled_events: [...events] }),
})

const shapes: Parameters<typeof showAs<Account>>[1] = {
  price: toItemPrice,
  coupon: toCoupon,
  customer: toCustomer,
  subscription: toSubscription,
  checkout: (account, { id }) => toHostedPage(account, id) ?? {},
  refund: toBack,
  dispute: toBack,
}
