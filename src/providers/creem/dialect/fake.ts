import { type AnyObject, type MerchantOptions, openMerchant, type Speech } from '../../../merchant/index.ts'
import { signHmac } from '../../signatures.ts'
import { creemScheme } from '../verify.ts'
import { type Account, createAccount } from './account.ts'
import { createApi } from './api.ts'
import { buyingRoutes } from './api-buying.ts'
import { subscriptionRoutes } from './api-subscriptions.ts'
import { toApiError } from './errors.ts'
import type { CreemViews, FakeCreem, Json } from './options.ts'
import { buy, createPages } from './pages.ts'
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

/** Starts the merchant as Creem, written after its public documentation. */
export const createFakeCreem = async (options: MerchantOptions = {}): Promise<FakeCreem> => {
  let account!: Account
  const secret = options.secret ?? 'creem_test_fake'
  const merchant = await openMerchant<CreemViews>(options, (ground) => {
    account = createAccount(toSettings(options), ground, tellFact)
    return {
      secret,
      world: account.world,
      show: ((object: AnyObject) => show(account, object)) as Speech<CreemViews>['show'],
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
      sign: ({ body }, key, at) => ({
        'Content-Type': 'application/json',
        ...signHmac(creemScheme, Buffer.from(body), key, at),
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
    checkout: () => store.list('checkout').map((one) => toCheckout(account, one)),
    subscription: () => account.listSubscriptions().map((one) => toSubscription(account, one)),
    transaction: () => account.listPaid().map(({ payment }) => toTransaction(account, payment)),
  }
  return { ...merchant, objects: { list: (kind) => lists[kind]() } }
}

const show = (account: Account, object: AnyObject): Json => {
  switch (object.kind) {
    case 'price':
      return toProduct(account, object)
    case 'customer':
      return toCustomer(account, object)
    case 'subscription':
      return toSubscription(account, object)
    case 'checkout':
      return toCheckout(account, object)
    case 'payment':
      return toTransaction(account, object)
    case 'refund':
      return toRefund(account, object)
    case 'dispute':
      return toDispute(account, object)
    default:
      return { id: object.id }
  }
}

// How often a failed payment is tried again, the documentation does not say.
const toSettings = ({ dunning = {}, tax }: MerchantOptions) => ({
  draftSeconds: 0,
  tax: tax ?? null,
  dunning: { retryDays: dunning.retryDays ?? [3, 5, 7], outcome: dunning.outcome ?? ('cancel' as const) },
})

const tolerantly = (body: string): Json => {
  try {
    return JSON.parse(body === '' ? '{}' : body) as Json
  } catch {
    return { unreadable: body.slice(0, 1000) }
  }
}
