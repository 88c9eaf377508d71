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

export interface Try {
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
  const charge = addCharge(world, intent, given, given.refusal === null ? 'succeeded' : 'failed')
  concludeIntent(world, intent, { charge, method: given.method, refusal: given.refusal })
  return charge
}

/** A charge that the bank has yet to answer. */
export const startCharge = (world: World, intent: PaymentIntent, given: Omit<Try, 'refusal'>): Charge =>
  addCharge(world, intent, { ...given, refusal: null }, 'pending')

/** The bank's answer to a charge that was pending. */
export const settleCharge = (world: World, intent: PaymentIntent, refusal: string | null): Charge => {
  const status = refusal === null ? 'succeeded' : 'failed'
  const id = intent.latest_charge ?? ''
  const charge = world.change('charge', id, outcomeOf(intent, status, refusal), `charge.${status}`)
  concludeIntent(world, intent, { charge, method: intent.payment_method, refusal })
  return charge
}

const concludeIntent = (
  world: World,
  intent: PaymentIntent,
  { charge, method, refusal }: { charge: Charge; method: string | null; refusal: string | null },
): void => {
  if (refusal === null)
    world.change(
      'payment_intent',
      intent.id,
      {
        amount_received: intent.amount,
        last_payment_error: null,
        latest_charge: charge.id,
        payment_method: method,
        status: 'succeeded',
      },
      'payment_intent.succeeded',
    )
  else
    world.change(
      'payment_intent',
      intent.id,
      {
        last_payment_error: {
          charge: charge.id,
          code: 'card_declined',
          decline_code: refusal,
          message: refusalText(refusal),
          type: 'card_error',
        },
        latest_charge: charge.id,
        status: 'requires_payment_method',
      },
      'payment_intent.payment_failed',
    )
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

type ChargeStatus = Charge['status']

const addCharge = (world: World, intent: PaymentIntent, given: Try, status: ChargeStatus): Charge => {
  const last4 = given.card.slice(-4)
  const isCard = /^\d/.test(given.card)
  return world.add<'charge'>(
    {
      id: world.ids('ch'),
      object: 'charge',
      amount: intent.amount,
      amount_refunded: 0,
      billing_details: { address: null, email: given.email, name: given.name, phone: null },
      created: world.clock.seconds(),
      currency: intent.currency,
      customer: intent.customer,
      description: intent.description,
      disputed: false,
      livemode: false,
      metadata: intent.metadata,
      payment_intent: intent.id,
      payment_method: given.method,
      payment_method_details: isCard
        ? { card: { last4 }, type: 'card' }
        : { sepa_debit: { last4 }, type: 'sepa_debit' },
      receipt_email: null,
      refunded: false,
      ...outcomeOf(intent, status, given.refusal),
    },
    `charge.${status}`,
  )
}

const outcomeOf = (intent: PaymentIntent, status: ChargeStatus, refusal: string | null) => {
  const hasFailed = status === 'failed'
  return {
    amount_captured: status === 'succeeded' ? intent.amount : 0,
    captured: !hasFailed,
    failure_code: hasFailed ? 'card_declined' : null,
    failure_message: refusal === null ? null : refusalText(refusal),
    outcome: {
      network_status: hasFailed ? 'declined_by_network' : 'approved_by_network',
      reason: refusal,
      type: hasFailed ? 'issuer_declined' : 'authorized',
    },
    paid: status === 'succeeded',
    status,
  }
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
