import { type AnyObject, type MerchantOptions, openMerchant, type Speech } from '../../../merchant/index.ts'
import { writeCredentials } from '../verify.ts'
import { type Account, createAccount } from './account.ts'
import { createApi } from './api.ts'
import { buyingRoutes } from './api-buying.ts'
import { subscriptionRoutes } from './api-subscriptions.ts'
import { listBacks, toBack, toCreditNote } from './backs.ts'
import { findBill, listBills, toInvoice } from './bills.ts'
import { toApiError } from './errors.ts'
import type { ChargebeeViews, FakeChargebee, Json } from './options.ts'
import { createPages, payPage, toHostedPage } from './pages.ts'
import { route } from './routes.ts'
import { toCoupon, toCustomer, toItemPrice, toSubscription } from './shapes.ts'
import { tellFact } from './tell.ts'

/** Starts the merchant as one site of Chargebee, written after its public documentation. The package `chargebee` talks to
 *  it with its address as protocol, host and port. */
export const createFakeChargebee = async (options: MerchantOptions = {}): Promise<FakeChargebee> => {
  let account!: Account
  const secret = options.secret ?? 'test_key_of_the_fake'
  const merchant = await openMerchant<ChargebeeViews>(options, (ground) => {
    account = createAccount(toSettings(options), ground, tellFact)
    const events = route('GET /events', () => ({
      list: ground.messages.all().map(({ body }) => ({ event: JSON.parse(body) as Json })),
    }))
    return {
      secret,
      world: account.world,
      show: ((object: AnyObject) => show(account, object)) as Speech<ChargebeeViews>['show'],
      refusalText: () => 'Your card was declined',
      errorOf: toApiError,
      agree: (world, id, buyer) => payPage(account, world, id, buyer),
      api: createApi({
        account,
        secret,
        routes: [...buyingRoutes, ...subscriptionRoutes, events],
        wait: ground.wait,
      }),
      page: createPages(account),
      sign: (_message, password) => ({
        'Content-Type': 'application/json',
        ...writeCredentials(password),
      }),
      requestId: (ids) => ids('req'),
      paramsOf: ({ query, body }) =>
        Object.fromEntries([...new URLSearchParams(query), ...new URLSearchParams(body)]),
    }
  })
  const lists: Record<Parameters<FakeChargebee['objects']['list']>[0], () => Json[]> = {
    customer: () => account.world.store.list('customer').map((one) => toCustomer(account, one)),
    subscription: () => account.listSubscriptions().map((one) => toSubscription(account, one)),
    invoice: () => listBills(account).map((bill) => toInvoice(account, bill)),
    transaction: () => listBacks(account).map((one) => toBack(account, one)),
    credit_note: () => listBacks(account).map((one) => toCreditNote(account, one)),
    hosted_page: () => account.world.store.list('checkout').map(({ id }) => toHostedPage(account, id)!),
  }
  return {
    ...merchant,
    refund: (id, amount) => merchant.refund(findBill(account, id)?.payment ?? id, amount),
    dispute: (id, reason) => merchant.dispute(findBill(account, id)?.payment ?? id, reason),
    objects: { list: (kind) => lists[kind]() },
  }
}

const show = (account: Account, object: AnyObject): Json => {
  switch (object.kind) {
    case 'price':
      return toItemPrice(account, object)
    case 'coupon':
      return toCoupon(account, object)
    case 'customer':
      return toCustomer(account, object)
    case 'subscription':
      return toSubscription(account, object)
    case 'checkout':
      return toHostedPage(account, object.id) ?? {}
    case 'refund':
    case 'dispute':
      return toBack(account, object)
    default:
      return { id: object.id }
  }
}

// A renewal is billed at once. https://www.chargebee.com/docs/2.0/dunning.html
const toSettings = ({ dunning = {}, tax }: MerchantOptions) => ({
  draftSeconds: 0,
  tax: tax ?? null,
  dunning: { retryDays: dunning.retryDays ?? [3, 5, 7], outcome: dunning.outcome ?? ('cancel' as const) },
})
