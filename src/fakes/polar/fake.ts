import { polarScheme } from '../../providers/polar/verify.ts'
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
  toUuid,
} from '../engine/index.ts'
import { type Account, createAccount, organization } from './account.ts'
import { polarApi } from './api.ts'
import { buyingRoutes } from './api-buying.ts'
import { subscriptionRoutes } from './api-subscriptions.ts'
import { toApiError } from './errors.ts'
import { toOrder, toRefund } from './orders.ts'
import { route } from './routes.ts'
import { toCheckout, toCustomer, toDiscount, toProduct, toSubscription } from './shapes.ts'
import { tellFact } from './tell.ts'

/** One Polar organization, with its API on loopback. */
export type FakePolar = ListingFakeServer<'customer' | 'subscription' | 'order' | 'checkout' | 'refund'>

/** Starts the engine as Polar, written after its public documentation and its server's source. */
export const createFakePolar = async (options: FakeServerOptions = {}): Promise<FakePolar> => {
  let account!: Account
  const secret = options.secret ?? 'polar_oat_fake'
  const { webhook } = options
  const server = await openFakeServer<JsonViews>(options, (context) => {
    account = createAccount(options, context, tellFact)
    // https://polar.sh/docs/api-reference/webhooks/deliveries/list
    const deliveries = route('GET /webhooks/deliveries', () => ({
      list: context.messages.all().map(({ id, type, body }) => {
        const { timestamp: created_at } = JSON.parse(body) as { timestamp: string }
        const succeeded = context.isDelivered(id)
        const made = { created_at, modified_at: null }
        return {
          ...made,
          id: toUuid(`delivery of ${id}`),
          succeeded,
          http_code: succeeded ? 200 : null,
          response: null,
          webhook_event: {
            ...made,
            ...{ id, type, payload: body },
            ...{ api_version: apiVersion, is_archived: false, skipped: false },
          },
        }
      }),
    }))
    // https://polar.sh/docs/api-reference/webhooks/endpoints/list
    const endpoints = route('GET /webhooks/endpoints', () => ({
      list: webhook === undefined ? [] : [toEndpoint(webhook, context.clock.now().toISOString())],
    }))
    return {
      secret,
      world: account.world,
      show: showAs(account, shapes),
      refusalText: () => 'Your card was declined.',
      errorOf: toApiError,
      agree: payAsKnown,
      api: polarApi(account, {
        secret,
        routes: [...buyingRoutes, ...subscriptionRoutes, deliveries, endpoints],
        context,
      }),
      page: createPages(account),
      sign: ({ body }, key, at) => signHmac(polarScheme, Buffer.from(body), key, at),
    }
  })
  const { store } = account.world
  const lists = {
    customer: () => store.list('customer').map((customer) => toCustomer(account, customer)),
    subscription: () =>
      account.listSubscriptions().map((subscription) => toSubscription(account, subscription)),
    order: () => account.listOrders().map((order) => toOrder(account, order)),
    checkout: () => store.list('checkout').map((checkout) => toCheckout(account, checkout)),
    refund: () => store.list('refund').map((refund) => toRefund(account, refund)),
  }
  const refund: FakePolar['refund'] = (id, amount) =>
    server.refund(account.findOrder(id)?.invoice?.payment ?? id, amount)
  return {
    ...server,
    refund,
    // Polar refunds a payment that a bank inquires about, before there is a dispute:
    // https://polar.sh/docs/merchant-of-record/disputes
    dispute: (id) => refund(id),
    objects: { list: (kind) => lists[kind]() },
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

const apiVersion = '2026-04'

const toEndpoint = (
  { url, secret }: { readonly url: string; readonly secret: string },
  created_at: string,
) => ({
  id: toUuid('endpoint'),
  created_at,
  modified_at: null,
  url,
  secret,
  api_version: apiVersion,
  organization_id: organization,
  uses_standard_webhook_signature: false,
  format: 'raw',
  enabled: true,
  events: ['subscription.created', 'subscription.updated', 'order.paid', 'refund.created', 'refund.updated'],
})

/** Serves Polar's pages: a checkout, and the portal, where open orders are paid. */
const createPages =
  ({ world }: Account): PageHandler =>
  async ({ method, path, form }): Promise<PageAnswer | null> => {
    const [, what, id = ''] = path.split('/')
    const html = payForm('Polar')
    if (what === 'checkout') {
      if (method !== 'POST') return { html }
      const { refusal } = payAsKnown(world, id.replace('polar_c_', ''), buyerIn(form))
      return { html, status: refusal === null ? 200 : 402 }
    }
    if (what !== 'portal') return null
    const { card } = buyerIn(form)
    if (method === 'POST' && card !== undefined) payOpen(world, id, card)
    return { html }
  }
