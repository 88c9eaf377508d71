import { toDecimal } from '../../providers/decimals.ts'
import { paypalDigits } from '../../providers/paypal/minor-units.ts'
import type { Charge, Checkout, Dispute, Refund, World } from '../engine/index.ts'
import type { Account } from './account.ts'
import { linksOf, toMoney, toTime } from './shapes-subscription.ts'

type Json = Record<string, unknown>

const captureWords = { paid: 'COMPLETED', pending: 'PENDING', failed: 'DECLINED' } as const

/** Returns the state of a charge. */
function wordFor({ status, amount, refunded }: Charge): string {
  return refunded === 0 ? captureWords[status] : refunded < amount ? 'PARTIALLY_REFUNDED' : 'REFUNDED'
}

/** https://developer.paypal.com/docs/api/orders/v2/#orders_get */
export function toOrder(account: Account, page: Checkout): Json {
  const { world, url } = account
  const notes = account.notesOf(page.id)
  const customer = world.store.find('customer', page.customer)
  const charges = world.store
    .list('charge')
    .filter(
      ({ payment, status }) => payment === page.payment && (page.status === 'complete' || status === 'paid'),
    )
    .filter(({ id }) => id === world.store.find('payment', page.payment)?.charge)
  const refunds = world.store.list('refund').filter(({ charge }) => charges.some(({ id }) => id === charge))
  const payer = customer && {
    email_address: customer.email,
    payer_id: customer.id,
    name: { given_name: (customer.name ?? 'Test Buyer').split(' ')[0], surname: 'Buyer' },
  }
  return {
    id: page.id,
    intent: 'CAPTURE',
    status: page.status === 'complete' ? 'COMPLETED' : notes.agreed ? 'APPROVED' : 'PAYER_ACTION_REQUIRED',
    purchase_units: [
      {
        reference_id: 'default',
        ...(notes.custom_id === undefined ? {} : { custom_id: notes.custom_id }),
        amount: toMoney(page.total, page.currency),
        items: notes.items,
        ...(charges.length === 0
          ? {}
          : {
              payments: {
                captures: charges.map((charge) => toCapture(account, charge)),
                ...(refunds.length === 0
                  ? {}
                  : { refunds: refunds.map((refund) => toRefund(account, refund)) }),
              },
            }),
      },
    ],
    ...(payer
      ? {
          payer,
          payment_source: { paypal: { email_address: payer.email_address, account_id: payer.payer_id } },
        }
      : {}),
    create_time: toTime(page.created),
    update_time: toTime(notes.update_time ?? page.created),
    links: linksOf({
      self: `${url}/v2/checkout/orders/${page.id}`,
      ...(page.status === 'open' ? { 'payer-action': `${url}/checkoutnow?token=${page.id}` } : {}),
    }),
  }
}

/** https://developer.paypal.com/docs/api/payments/v2/#captures_get */
export function toCapture({ world, url, notesOf }: Account, charge: Charge): Json {
  const order = orderOf(world, charge)
  const { custom_id } = notesOf(order ?? '')
  return {
    id: charge.id,
    status: wordFor(charge),
    amount: toMoney(charge.amount, charge.currency),
    final_capture: true,
    ...(custom_id === undefined ? {} : { custom_id }),
    ...(order ? { supplementary_data: { related_ids: { order_id: order } } } : {}),
    create_time: toTime(charge.created),
    update_time: toTime(charge.created),
    links: linksOf({
      self: `${url}/v2/payments/captures/${charge.id}`,
      ...(order ? { up: `${url}/v2/checkout/orders/${order}` } : {}),
    }),
  }
}

/** https://developer.paypal.com/docs/api/payments/v1/#sale_get: it names the subscription, but no payer. */
export function toSale({ world, url, notesOf }: Account, charge: Charge): Json {
  const agreement = subscriptionOf(world, charge)
  const { custom_id: custom } = notesOf(agreement ?? '')
  return {
    id: charge.id,
    state: wordFor(charge).toLowerCase(),
    amount: {
      total: toDecimal(charge.amount, charge.currency.toUpperCase(), paypalDigits),
      currency: charge.currency.toUpperCase(),
    },
    payment_mode: 'INSTANT_TRANSFER',
    billing_agreement_id: agreement,
    ...(custom === undefined ? {} : { custom }),
    create_time: toTime(charge.created),
    update_time: toTime(charge.created),
    links: linksOf({ self: `${url}/v1/payments/sale/${charge.id}` }),
  }
}

/** https://developer.paypal.com/docs/api/payments/v2/#refunds_get, and `refund` of version 1 */
export function toRefund({ world, url }: Account, refund: Refund): Json {
  const isSale = world.store.get('payment', refund.payment).invoice !== null
  const common = { id: refund.id, create_time: toTime(refund.created), update_time: toTime(refund.created) }
  if (isSale)
    return {
      ...common,
      state: 'completed',
      sale_id: refund.charge,
      amount: {
        total: toDecimal(refund.amount, refund.currency.toUpperCase(), paypalDigits),
        currency: refund.currency.toUpperCase(),
      },
    }
  return {
    ...common,
    status: 'COMPLETED',
    amount: toMoney(refund.amount, refund.currency),
    links: linksOf({
      self: `${url}/v2/payments/refunds/${refund.id}`,
      up: `${url}/v2/payments/captures/${refund.charge}`,
    }),
  }
}

const disputeReasons: Readonly<Record<string, string>> = {
  fraudulent: 'UNAUTHORISED',
  duplicate: 'DUPLICATE_TRANSACTION',
  product_not_received: 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED',
  product_unacceptable: 'MERCHANDISE_OR_SERVICE_NOT_AS_DESCRIBED',
  credit_not_processed: 'CREDIT_NOT_PROCESSED',
  subscription_canceled: 'CANCELED_RECURRING_BILLING',
}

/** https://developer.paypal.com/docs/api/customer-disputes/v1/#disputes_get */
export function toDispute(_: Account, dispute: Dispute): Json {
  return {
    dispute_id: dispute.id,
    create_time: toTime(dispute.created),
    update_time: toTime(dispute.created),
    disputed_transactions: [{ seller_transaction_id: dispute.charge }],
    reason: disputeReasons[dispute.reason] ?? 'OTHER',
    status: dispute.status === 'open' ? 'OPEN' : 'RESOLVED',
    dispute_amount: toMoney(dispute.amount, dispute.currency),
    dispute_life_cycle_stage: 'CHARGEBACK',
    ...(dispute.status === 'open'
      ? {}
      : {
          dispute_outcome: {
            outcome_code: dispute.status === 'won' ? 'RESOLVED_SELLER_FAVOUR' : 'RESOLVED_BUYER_FAVOUR',
          },
        }),
  }
}

/** Returns the order of a charge. */
export function orderOf(world: World, { payment }: Charge): string | undefined {
  return world.store.get('payment', payment).metadata[orderKey]
}

/** Metadata key of the order that a payment pays. */
export const orderKey = 'order'

/** Returns the subscription that a charge pays. */
export function subscriptionOf(world: World, { payment }: Charge): string | undefined {
  return world.store.find('invoice', world.store.get('payment', payment).invoice)?.subscription
}
