import { type AnyObject, type MerchantOptions, openMerchant, type Speech } from '../../../merchant/index.ts'
import { signHmac } from '../../signatures.ts'
import { paddleScheme } from '../verify.ts'
import { type Account, createAccount } from './account.ts'
import { toAdjustment } from './adjustments.ts'
import { createApi } from './api.ts'
import { buyingRoutes } from './api-buying.ts'
import { subscriptionRoutes } from './api-subscriptions.ts'
import { toApiError } from './errors.ts'
import type { FakePaddle, Json, PaddleViews } from './options.ts'
import { createPages, payTransaction } from './pages.ts'
import { route } from './routes.ts'
import { toCustomer, toDiscount, toPrice, toProduct, toSubscription } from './shapes.ts'
import { tellFact } from './tell.ts'
import { toTransaction } from './transactions.ts'

/** Starts the merchant as Paddle Billing, written after its public documentation. `@paddle/paddle-node-sdk` talks to it
 *  with its address as `environment`. */
export const createFakePaddle = async (options: MerchantOptions = {}): Promise<FakePaddle> => {
  let account!: Account
  const secret = options.secret ?? 'pdl_sdbx_apikey_fake'
  const transaction = (id: string): Json => {
    const sold = account.findSold(id)
    return sold === undefined ? {} : toTransaction(account, sold)
  }
  const show = (object: AnyObject): Json => {
    switch (object.kind) {
      case 'product':
        return toProduct(account, object)
      case 'price':
        return toPrice(account, object)
      case 'coupon':
        return toDiscount(account, object)
      case 'customer':
        return toCustomer(account, object)
      case 'subscription':
        return toSubscription(account, object)
      case 'checkout':
      case 'invoice':
        return transaction(object.id)
      case 'refund':
      case 'dispute':
        return toAdjustment(account, object)
      default:
        return { id: object.id }
    }
  }
  const merchant = await openMerchant<PaddleViews>(options, (ground) => {
    account = createAccount(toSettings(options), ground, tellFact)
    const events = route('GET /events', () => ({
      list: ground.messages.all().map(({ body }) => {
        const { notification_id: _, ...event } = JSON.parse(body) as Json
        return event
      }),
    }))
    return {
      secret,
      world: account.world,
      show: show as Speech<PaddleViews>['show'],
      refusalText: () => 'Payment was declined',
      errorOf: toApiError,
      api: createApi({
        account,
        secret,
        routes: [...buyingRoutes, ...subscriptionRoutes, events],
        wait: ground.wait,
      }),
      page: createPages(account),
      sign: ({ body }, key, at) => ({
        'Content-Type': 'application/json',
        ...signHmac(paddleScheme, Buffer.from(body), key, at),
      }),
      requestId: (ids) => ids('req'),
      paramsOf: ({ query, body }) => ({
        ...Object.fromEntries(new URLSearchParams(query)),
        ...tolerantly(body),
      }),
    }
  })
  const lists = {
    customer: () => account.world.store.list('customer').map((one) => toCustomer(account, one)),
    subscription: () => account.listSubscriptions().map((one) => toSubscription(account, one)),
    transaction: () => account.listSold().map((one) => toTransaction(account, one)),
    adjustment: () => account.listBack().map((one) => toAdjustment(account, one)),
  }
  return {
    ...merchant,
    // A bill that is open is paid in the same checkout.
    pay: async (id, { at, ...buyer } = {}) => {
      if (at !== undefined) await merchant.advance(at)
      const refused = payTransaction(account, id, buyer)
      return { session: transaction(id), refusal: refused && 'Payment was declined' }
    },
    refund: (id, amount) => merchant.refund(paymentOf(account, id), amount),
    dispute: (id, reason) => merchant.dispute(paymentOf(account, id), reason),
    objects: { list: (kind) => lists[kind]() },
  }
}

const paymentOf = (account: Account, id: string): string => {
  const sold = account.findSold(id)
  return sold?.invoice?.payment ?? sold?.checkout?.payment ?? id
}

// A renewal is billed at once. https://developer.paddle.com/build/retain/configure-dunning
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
