import { invalid } from './errors.ts'
import type { Charge, Metadata, PaymentIntent, Refund } from './types.ts'
import type { World } from './world.ts'

/** A payment to come. https://docs.stripe.com/payments/paymentintents/lifecycle */
export const openIntent = (
  world: World,
  given: {
    amount: number
    currency: string
    customer: string | null
    metadata?: Metadata
    description?: string
  },
): PaymentIntent =>
  world.add<'payment_intent'>(
    {
      id: world.ids('pi'),
      object: 'payment_intent',
      amount: given.amount,
      amount_capturable: 0,
      amount_received: 0,
      canceled_at: null,
      cancellation_reason: null,
      capture_method: 'automatic',
      confirmation_method: 'automatic',
      created: world.clock.seconds(),
      currency: given.currency,
      customer: given.customer,
      description: given.description ?? null,
      last_payment_error: null,
      latest_charge: null,
      livemode: false,
      metadata: given.metadata ?? {},
      payment_method: null,
      payment_method_types: ['card'],
      receipt_email: null,
      status: 'requires_payment_method',
    },
    'payment_intent.created',
  )

interface Try {
  readonly card: string
  readonly method: string | null
  readonly email: string | null
  readonly name: string | null
  /** Why the card is refused. */
  readonly refusal: string | null
}

/** One charge of an intent, which fails or succeeds. */
export const tryIntent = (world: World, intentId: string, given: Try): Charge => {
  const intent = world.store.get('payment_intent', intentId)
  const charge = addCharge(world, intent, given)
  if (given.refusal === null)
    world.change(
      'payment_intent',
      intentId,
      {
        amount_received: intent.amount,
        last_payment_error: null,
        latest_charge: charge.id,
        payment_method: given.method,
        status: 'succeeded',
      },
      'payment_intent.succeeded',
    )
  else
    world.change(
      'payment_intent',
      intentId,
      {
        last_payment_error: {
          charge: charge.id,
          code: 'card_declined',
          decline_code: given.refusal,
          message: refusalText(given.refusal),
          type: 'card_error',
        },
        latest_charge: charge.id,
      },
      'payment_intent.payment_failed',
    )
  return charge
}

/** The bank asks: nothing is charged until its question is answered on the page.
 *  https://docs.stripe.com/payments/3d-secure */
export const askBank = (world: World, intentId: string, method: string): void => {
  world.change(
    'payment_intent',
    intentId,
    { payment_method: method, status: 'requires_action' },
    'payment_intent.requires_action',
  )
}

/** What a buyer reads. */
export const refusalText = (refusal: string): string =>
  refusal === 'insufficient_funds' ? 'Your card has insufficient funds.' : 'Your card was declined.'

const addCharge = (world: World, intent: PaymentIntent, given: Try): Charge => {
  const paid = given.refusal === null
  return world.add<'charge'>(
    {
      id: world.ids('ch'),
      object: 'charge',
      amount: intent.amount,
      amount_captured: paid ? intent.amount : 0,
      amount_refunded: 0,
      billing_details: { address: null, email: given.email, name: given.name, phone: null },
      captured: paid,
      created: world.clock.seconds(),
      currency: intent.currency,
      customer: intent.customer,
      description: intent.description,
      disputed: false,
      failure_code: paid ? null : 'card_declined',
      failure_message: given.refusal === null ? null : refusalText(given.refusal),
      livemode: false,
      metadata: intent.metadata,
      outcome: {
        network_status: paid ? 'approved_by_network' : 'declined_by_network',
        reason: given.refusal,
        type: paid ? 'authorized' : 'issuer_declined',
      },
      paid,
      payment_intent: intent.id,
      payment_method: given.method,
      payment_method_details: { card: { last4: given.card.slice(-4) }, type: 'card' },
      receipt_email: null,
      refunded: false,
      status: paid ? 'succeeded' : 'failed',
    },
    paid ? 'charge.succeeded' : 'charge.failed',
  )
}

/** Gives money back; all that is left of it without an amount. https://docs.stripe.com/api/refunds/create */
export const refundCharge = (
  world: World,
  charge: Charge,
  given: { amount?: number; reason?: string; metadata?: Metadata } = {},
): Refund => {
  const left = charge.amount - charge.amount_refunded
  const amount = given.amount ?? left
  if (!charge.paid) throw invalid(`Charge ${charge.id} has not been paid.`, 'charge')
  if (charge.disputed)
    throw invalid(
      `Charge ${charge.id} has been charged back; cannot issue a refund.`,
      'charge',
      'charge_disputed',
    )
  if (left === 0)
    throw invalid(`Charge ${charge.id} has already been refunded.`, 'charge', 'charge_already_refunded')
  if (amount < 1) throw invalid('Invalid positive integer', 'amount', 'parameter_invalid_integer')
  if (amount > left)
    throw invalid(`Refund amount (${amount}) is greater than unrefunded amount on charge (${left})`, 'amount')
  const refund = world.add<'refund'>(
    {
      id: world.ids('re'),
      object: 'refund',
      amount,
      balance_transaction: null,
      charge: charge.id,
      created: world.clock.seconds(),
      currency: charge.currency,
      destination_details: { type: 'card' },
      metadata: given.metadata ?? {},
      payment_intent: charge.payment_intent,
      reason: given.reason ?? null,
      receipt_number: null,
      status: 'succeeded',
    },
    'refund.created',
  )
  const amount_refunded = charge.amount_refunded + amount
  const refunded = amount_refunded === charge.amount
  world.change('charge', charge.id, { amount_refunded, refunded }, 'charge.refunded')
  return refund
}

/** The charge that an id means: its own, or that of a payment that succeeded. */
export const findPaidCharge = (world: World, id: string): Charge | undefined =>
  world.store.find('charge', id) ??
  world.store.find('charge', world.store.find('payment_intent', id)?.latest_charge ?? null)
