import { writeCredentials } from '../../providers/chargebee/verify.ts'
import {
  type FakeServerOptions,
  type ListingFakeServer,
  openListingServer,
  type Shapes,
} from '../engine/index.ts'
import { type Account, createAccount } from './account.ts'
import { chargebeeApi } from './api.ts'
import { listBacks, toBack, toCreditNote } from './backs.ts'
import { findBill, listBills, toInvoice } from './bills.ts'
import { toApiError } from './errors.ts'
import { createPages, payPage, toHostedPage } from './pages.ts'
import { toCoupon, toCustomer, toItemPrice, toSubscription } from './shapes.ts'
import { tellFact } from './tell.ts'

/** One Chargebee site, with its API on loopback. */
export type FakeChargebee = ListingFakeServer<
  'customer' | 'subscription' | 'invoice' | 'transaction' | 'credit_note' | 'hosted_page'
>

/**
 * Starts the engine as a Chargebee site, written after its public documentation. The package `chargebee`
 * connects to it if the address is set as protocol, host and port.
 */
export async function createFakeChargebee(options: FakeServerOptions = {}): Promise<FakeChargebee> {
  const { server, account } = await openListingServer(options, {
    secret: 'test_key_of_the_fake',
    account: createAccount,
    tell: tellFact,
    shapes,
    refusalText: 'Your card was declined',
    errorOf: toApiError,
    agree: (account) => (world, id, buyer) => payPage(account, world, id, buyer),
    api: chargebeeApi,
    page: createPages,
    sign: (_message, password) => writeCredentials(password),
    lists,
  })
  return {
    ...server,
    refund: (id, amount) => server.refund(findBill(account, id)?.payment ?? id, amount),
    dispute: (id, reason) => server.dispute(findBill(account, id)?.payment ?? id, reason),
  }
}

function lists(account: Account) {
  return {
    customer: () => account.world.store.list('customer').map((customer) => toCustomer(account, customer)),
    subscription: () =>
      account.listSubscriptions().map((subscription) => toSubscription(account, subscription)),
    invoice: () => listBills(account).map((bill) => toInvoice(account, bill)),
    transaction: () => listBacks(account).map((back) => toBack(account, back)),
    credit_note: () => listBacks(account).map((back) => toCreditNote(account, back)),
    hosted_page: () => account.world.store.list('checkout').map(({ id }) => toHostedPage(account, id)!),
  }
}

const shapes: Shapes<Account> = {
  price: toItemPrice,
  coupon: toCoupon,
  customer: toCustomer,
  subscription: toSubscription,
  checkout: (account, { id }) => toHostedPage(account, id) ?? {},
  refund: toBack,
  dispute: toBack,
}
