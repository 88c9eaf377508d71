import {
  answerPayment,
  type Buyer,
  buyerIn,
  type Json,
  type PageHandler,
  type PaidCheckout,
  payCheckout,
  payForm,
  payOpen,
  type World,
} from '../engine/index.ts'
import type { Account } from './account.ts'
import { findBill, listBills, toInvoice } from './bills.ts'
import { revision, toCustomer, toSubscription } from './shapes.ts'

/** https://apidocs.chargebee.com/docs/api/hosted_pages; null if there is none. */
export function toHostedPage(account: Account, id: string): Json | null {
  const { store, clock } = account.world
  const url = `${account.url}/pages/v4/${id}/`
  if (account.collecting.has(id))
    return { id, type: 'collect_now', url, state: 'created', embed: false, created_at: clock.seconds() }
  const checkout = store.find('checkout', id)
  if (checkout === undefined) return null
  const subscription = store.find('subscription', checkout.subscription)
  const customer = store.find('customer', checkout.customer)
  const bill =
    checkout.mode === 'payment'
      ? listBills(account).find(({ from }) => from.includes(id))
      : findBill(account, checkout.invoice ?? '')
  const content = {
    ...(subscription === undefined ? {} : { subscription: toSubscription(account, subscription) }),
    ...(customer === undefined ? {} : { customer: toCustomer(account, customer) }),
    ...(bill === undefined ? {} : { invoice: toInvoice(account, bill) }),
  }
  return {
    id,
    type: checkout.mode === 'payment' ? 'checkout_one_time' : 'checkout_new',
    url,
    state: checkout.status === 'complete' ? 'succeeded' : 'created',
    embed: false,
    ...(checkout.own?.pass_thru_content ? { pass_thru_content: checkout.own.pass_thru_content } : {}),
    created_at: checkout.created,
    expires_at: checkout.expires_at,
    ...(checkout.status === 'complete' ? { content } : {}),
    ...revision(account, id),
    object: 'hosted_page',
  }
}

/**
 * Pays on a checkout page; the subscription gets the id that the page sets.
 * @throws TypeError when that subscription exists already
 */
export function payPage(account: Account, world: World, id: string, buyer: Buyer): PaidCheckout {
  const called = world.store.find('checkout', id)?.own?.subscription_id as string | null | undefined
  if (called && world.store.find('subscription', called))
    throw new TypeError(`There is a subscription ${called} already`)
  account.called = called ?? null
  try {
    return payCheckout(world, id, buyer)
  } finally {
    account.called = null
  }
}

/** Serves Chargebee's own pages: the checkout, arrears, and the portal. */
export function createPages(account: Account): PageHandler {
  return async ({ method, path, form }) => {
    if (path.startsWith('/portal/')) return { html: '<!doctype html><title>Portal</title>' }
    const id = /^\/pages\/v4\/([^/]+)\/?$/.exec(path)?.[1]
    if (id === undefined || toHostedPage(account, id) === null) return null
    if (method !== 'POST') return { html: payForm('Checkout', '') }
    const buyer = buyerIn(form)
    const customer = account.collecting.get(id)
    return answerPayment(() =>
      customer === undefined
        ? payPage(account, account.world, id, buyer).refusal === null
        : payOpen(account.world, customer, buyer.card),
    )
  }
}
