import { type AnyObject, type MerchantOptions, openMerchant, type Speech } from '../../../merchant/index.ts'
import { signHmac } from '../../signatures.ts'
import { polarScheme } from '../verify.ts'
import { type Account, createAccount } from './account.ts'
import { createApi } from './api.ts'
import { buyingRoutes } from './api-buying.ts'
import { subscriptionRoutes } from './api-subscriptions.ts'
import { toApiError } from './errors.ts'
import type { FakePolar, Json, PolarViews } from './options.ts'
import { toOrder, toRefund } from './orders.ts'
import { createPages, payPage } from './pages.ts'
import { route } from './routes.ts'
import { toCheckout, toCustomer, toDiscount, toProduct, toSubscription } from './shapes.ts'
import { tellFact } from './tell.ts'

/** Starts the merchant as Polar, written after its public documentation and its server's source. */
export const createFakePolar = async (options: MerchantOptions = {}): Promise<FakePolar> => {
  let account!: Account
  const secret = options.secret ?? 'polar_oat_fake'
  const merchant = await openMerchant<PolarViews>(options, (ground) => {
    account = createAccount(toSettings(options), ground, tellFact)
    // https://polar.sh/docs/api-reference/webhooks/deliveries/list
    const deliveries = route('GET /webhooks/deliveries', () => ({
      list: ground.messages.all().map(({ id, type, body }) => ({
        id: `whd_${id}`,
        created_at: (JSON.parse(body) as Json).timestamp,
        succeeded: ground.isDelivered(id),
        webhook_event: { id, type, payload: body, is_archived: false },
      })),
    }))
    return {
      secret,
      world: account.world,
      show: ((object: AnyObject) => show(account, object)) as Speech<PolarViews>['show'],
      refusalText: () => 'Your card was declined.',
      errorOf: toApiError,
      agree: payPage,
      api: createApi({
        account,
        secret,
        routes: [...buyingRoutes, ...subscriptionRoutes, deliveries],
        wait: ground.wait,
      }),
      page: createPages(account),
      sign: ({ body }, key, at) => ({
        'Content-Type': 'application/json',
        ...signHmac(polarScheme, Buffer.from(body), key, at),
      }),
      requestId: (ids) => ids('req'),
      paramsOf: ({ query, body }) => ({
        ...Object.fromEntries(new URLSearchParams(query)),
        ...tolerantly(body),
      }),
    }
  })
  const { store } = account.world
  const lists = {
    customer: () => store.list('customer').map((one) => toCustomer(account, one)),
    subscription: () => account.listSubscriptions().map((one) => toSubscription(account, one)),
    order: () => account.listOrders().map((one) => toOrder(account, one)),
    checkout: () => store.list('checkout').map((one) => toCheckout(account, one)),
    refund: () => store.list('refund').map((one) => toRefund(account, one)),
  }
  const refund: FakePolar['refund'] = (id, amount) =>
    merchant.refund(account.findOrder(id)?.invoice?.payment ?? id, amount)
  return {
    ...merchant,
    refund,
    // Polar gives back what a bank asks about before there is a dispute: https://polar.sh/docs/merchant-of-record/disputes
    dispute: (id) => refund(id),
    objects: { list: (kind) => lists[kind]() },
  }
}

const show = (account: Account, object: AnyObject): Json => {
  switch (object.kind) {
    case 'price':
      return toProduct(account, object)
    case 'coupon':
      return toDiscount(account, object)
    case 'customer':
      return toCustomer(account, object)
    case 'subscription':
      return toSubscription(account, object)
    case 'checkout':
      return toCheckout(account, object)
    case 'refund':
      return toRefund(account, object)
    default:
      return { id: object.id }
  }
}

// Tried again after 2, 7, 14 and 21 days, then it ends: `DUNNING_RETRY_INTERVALS` in Polar's server.
const toSettings = ({ dunning = {}, tax }: MerchantOptions) => ({
  draftSeconds: 0,
  tax: tax ?? null,
  dunning: {
    retryDays: dunning.retryDays ?? [2, 7, 14, 21],
    outcome: dunning.outcome ?? ('cancel' as const),
  },
})

const tolerantly = (body: string): Json => {
  try {
    return JSON.parse(body === '' ? '{}' : body) as Json
  } catch {
    return { unreadable: body.slice(0, 1000) }
  }
}
