import {
  cancellationAt,
  collect,
  expireChange,
  finalizeInvoice,
  type Invoice,
  markPaid,
  previewInvoice,
  type Subscription,
  voidInvoice,
  type World,
} from '../engine/index.ts'
import { take } from './api-read.ts'
import { readChange } from './api-subscriptions.ts'
import { declined, invalid, missing } from './errors.ts'
import type { Reader } from './params.ts'
import { createPortal } from './portal.ts'
import { type Call, type Route, route } from './routes.ts'

const previewParams = [
  'subscription',
  'customer',
  'subscription_details',
  'currency',
  'preview_mode',
  'automatic_tax',
]
const detailParams = [
  'items',
  'proration_behavior',
  'proration_date',
  'billing_cycle_anchor',
  'trial_end',
  'cancel_at_period_end',
  'cancel_at',
  'cancel_now',
  'metadata',
]

/** Previews of changes, actions on invoices, and portal sessions, but no reads. */
export const billingRoutes: Route[] = [
  route('POST /v1/invoices/create_preview', previewParams, ({ account, world, params }) => {
    const subscription = findSubscription(world, params)
    const details = params.child('subscription_details')
    details.only(...detailParams)
    const fields = details.bool('cancel_at_period_end') ? cancellationAt(world, subscription, null) : {}
    const change = { ...readChange(world, details), fields }
    return { object: account.show(previewInvoice(world, subscription, change)) }
  }),
  route('POST /v1/invoices/:id/finalize', ['auto_advance'], (call) => {
    const invoice = take(call, 'invoice')
    if (invoice.status !== 'draft')
      throw invalid('This invoice is already finalized, you can’t re-finalize a non-draft invoice.')
    return { object: call.account.show(finalizeInvoice(call.world, invoice.id)) }
  }),
  route(
    'POST /v1/invoices/:id/pay',
    ['payment_method', 'paid_out_of_band', 'off_session', 'forgive', 'mandate'],
    (call) => ({
      object: call.account.show(pay(call)),
    }),
  ),
  // https://docs.stripe.com/api/invoices/void: a change that waited for it is discarded.
  route('POST /v1/invoices/:id/void', [], (call) => {
    const { world } = call
    const invoice = take(call, 'invoice')
    if (invoice.status !== 'open')
      throw invalid(`You can only void open invoices; this one is ${invoice.status}.`)
    const { id, pending } = world.store.get('subscription', invoice.subscription)
    if (pending?.invoice === invoice.id) expireChange(world, id)
    else voidInvoice(world, invoice.id)
    return { object: call.account.show(world.store.get('invoice', invoice.id)) }
  }),

  route(
    'POST /v1/billing_portal/sessions',
    ['customer', 'configuration', 'flow_data', 'locale', 'on_behalf_of', 'return_url'],
    ({ account, world, params }) => ({ object: account.show(createPortal(world, params)) }),
  ),
]

function findSubscription(world: World, params: Reader): Subscription {
  const id = params.required('subscription')
  const subscription = world.store.find('subscription', id)
  if (subscription === undefined) throw missing('subscription', id, 'subscription')
  const customer = params.text('customer')
  if (customer !== undefined && customer !== subscription.customer)
    throw invalid('The subscription does not belong to this customer.', 'customer')
  return subscription
}

function pay(call: Call): Invoice {
  const { world, params } = call
  const invoice = take(call, 'invoice')
  if (invoice.status === 'paid') throw invalid('Invoice is already paid')
  if (invoice.status === 'void' || invoice.status === 'uncollectible')
    throw invalid(`This invoice can no longer be paid: it is ${invoice.status}.`)
  const open = invoice.status === 'draft' ? finalizeInvoice(world, invoice.id) : invoice
  if (open.status === 'paid') return open
  if (params.bool('paid_out_of_band')) return markPaid(world, invoice.id)
  const method = params.text('payment_method')
  if (method !== undefined && !world.store.find('method', method))
    throw missing('PaymentMethod', method, 'payment_method')
  if (!collect(world, invoice.id, { method })) throw declined()
  return world.store.get('invoice', invoice.id)
}
