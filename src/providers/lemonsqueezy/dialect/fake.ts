import { type AnyObject, type MerchantOptions, openMerchant, type Speech } from '../../../merchant/index.ts'
import { signHmac } from '../../signatures.ts'
import { lemonSqueezyScheme } from '../verify.ts'
import { type Account, createAccount } from './account.ts'
import { createApi } from './api.ts'
import { buyingRoutes } from './api-buying.ts'
import { subscriptionRoutes } from './api-subscriptions.ts'
import { toApiError } from './errors.ts'
import type { FakeLemonSqueezy, Json, LemonSqueezyViews } from './options.ts'
import { buy, createPages } from './pages.ts'
import { toCheckout, toCustomer, toInvoice, toOrder, toSubscription } from './shapes.ts'
import { toProduct, toVariant } from './shapes-goods.ts'
import { tellFact } from './tell.ts'

/** Starts the merchant as Lemon Squeezy, written after its public documentation. Ids of variants are numbers. */
export const createFakeLemonSqueezy = async (options: MerchantOptions = {}): Promise<FakeLemonSqueezy> => {
  let account!: Account
  const secret = options.secret ?? 'eyJ0eXAiOiJKV1Qi.of.the.fake'
  const merchant = await openMerchant<LemonSqueezyViews>(options, (ground) => {
    account = createAccount(toSettings(options), ground, tellFact)
    return {
      secret,
      world: account.world,
      show: ((object: AnyObject) => show(account, object)) as Speech<LemonSqueezyViews>['show'],
      refusalText: () => 'Your card was declined.',
      errorOf: toApiError,
      agree: buy,
      api: createApi({
        account,
        secret,
        routes: [...buyingRoutes, ...subscriptionRoutes],
        wait: ground.wait,
      }),
      page: createPages(account),
      sign: ({ type, body }, key, at) => ({
        'Content-Type': 'application/json',
        'X-Event-Name': type,
        ...signHmac(lemonSqueezyScheme, Buffer.from(body), key, at),
      }),
      requestId: (ids) => ids('req'),
      paramsOf: ({ query, body }) => ({
        ...Object.fromEntries(new URLSearchParams(query)),
        ...tolerantly(body),
      }),
    }
  })
  const lists = {
    customers: () => account.world.store.list('customer').map((one) => toCustomer(account, one)),
    checkouts: () => account.world.store.list('checkout').map((one) => toCheckout(account, one)),
    orders: () => account.listOrders().map((one) => toOrder(account, one)),
    subscriptions: () => account.listSubscriptions().map((one) => toSubscription(account, one)),
    'subscription-invoices': () => account.listInvoices().map((one) => toInvoice(account, one)),
  }
  return { ...merchant, objects: { list: (kind) => lists[kind]() } }
}

const show = (account: Account, object: AnyObject): Json => {
  switch (object.kind) {
    case 'product':
      return toProduct(account, object)
    case 'price':
      return toVariant(account, object)
    case 'customer':
      return toCustomer(account, object)
    case 'subscription':
      return toSubscription(account, object)
    case 'checkout':
      return object.status === 'complete' ? toOrder(account, object) : toCheckout(account, object)
    case 'invoice':
      return toInvoice(account, object)
    default:
      return { id: object.id }
  }
}

// Four tries in two weeks: https://docs.lemonsqueezy.com/help/online-store/recovery-dunning
const toSettings = ({ dunning = {}, tax }: MerchantOptions) => ({
  draftSeconds: 0,
  tax: tax ?? null,
  dunning: {
    retryDays: dunning.retryDays ?? [3, 7, 10, 14],
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
