import { hash } from 'node:crypto'
import { isAccount } from './debits.ts'
import type { Customer, PaymentMethod, Subscription } from './types.ts'
import type { World } from './world.ts'

interface TestCard {
  readonly brand: string
  /** Whether it can be kept for later. */
  readonly attaches: boolean
  /** Why charges are refused. */
  readonly decline: 'generic_decline' | 'insufficient_funds' | null
  /** Whether the bank wants to be answered each time it is charged without its owner. */
  readonly asks?: true
}

/** https://docs.stripe.com/testing#declined-payments */
export const testCards: Readonly<Record<string, TestCard>> = {
  '4242424242424242': { brand: 'visa', attaches: true, decline: null },
  '5555555555554444': { brand: 'mastercard', attaches: true, decline: null },
  '4000000000000341': { brand: 'visa', attaches: true, decline: 'generic_decline' },
  '4000000000000002': { brand: 'visa', attaches: false, decline: 'generic_decline' },
  // https://docs.stripe.com/testing#regulatory-cards ("Always authenticate")
  '4000002760003184': { brand: 'visa', attaches: true, decline: null, asks: true },
  '4000000000009995': { brand: 'visa', attaches: false, decline: 'insufficient_funds' },
}

/** How a card behaves: `4242424242424242#ann` is another card than `4242424242424242#bob`, and both do what 4242 … does. */
export const testCardOf = (card: string): TestCard | undefined => testCards[card.split('#')[0]!]

/** The number without blanks; an account's is fine, too.
 *  @throws TypeError for a number that is no test card. */
export const toCardNumber = (card = '4242424242424242'): string => {
  const digits = card.replaceAll(/[\s-]/g, '')
  if (testCardOf(digits) === undefined && !isAccount(digits))
    throw new TypeError(`No test card "${card}"; there are: ${Object.keys(testCards).join(', ')}`)
  return digits
}

/** Whether a card or account can be kept for later payments; a number that is no test card cannot. */
export const canAttach = (card: string): boolean => isAccount(card) || testCardOf(card)?.attaches === true

/** Keeps a card for a customer. */
export const attachCard = (world: World, customer: string, card: string): PaymentMethod => {
  const id = world.ids('pm')
  world.notes.cards.set(id, card)
  // The same number has the same fingerprint, whoever uses it: https://docs.stripe.com/api/cards/object#card_object-fingerprint
  const shown = {
    fingerprint: hash('sha256', card, 'hex').slice(0, 16),
    last4: (card.split('#')[0] ?? '').slice(-4),
  }
  const method: PaymentMethod = {
    id,
    object: 'payment_method',
    billing_details: { email: world.store.get('customer', customer).email },
    ...(isAccount(card)
      ? { sepa_debit: { country: card.slice(0, 2), ...shown }, type: 'sepa_debit' as const }
      : {
          card: {
            brand: testCardOf(card)?.brand ?? 'visa',
            exp_month: 12,
            exp_year: world.clock.now().getUTCFullYear() + 3,
            ...shown,
          } as PaymentMethod['card'],
          type: 'card' as const,
        }),
    created: world.clock.seconds(),
    customer,
    livemode: false,
    metadata: {},
  }
  return world.add<'payment_method'>(method, 'payment_method.attached')
}

/** What a subscription's invoices are charged to. */
export const methodOf = (world: World, subscription: Subscription): string | null =>
  subscription.default_payment_method ??
  world.store.find('customer', subscription.customer)?.invoice_settings.default_payment_method ??
  null

/** From now on the customer and all their subscriptions pay with this card, as after an update in the portal. */
export const useCard = (world: World, customerId: string, card: string): PaymentMethod => {
  const customer: Customer = world.store.get('customer', customerId)
  const method = attachCard(world, customerId, card)
  const invoice_settings = { ...customer.invoice_settings, default_payment_method: method.id }
  world.change('customer', customerId, { invoice_settings }, 'customer.updated')
  for (const one of world.store.list('subscription'))
    if (one.customer === customerId && one.status !== 'canceled' && one.default_payment_method !== null)
      world.change(
        'subscription',
        one.id,
        { default_payment_method: method.id },
        'customer.subscription.updated',
      )
  return method
}

/** Why a charge of this card now would be refused; a failure ordered in advance is used up by asking. */
export const refusalOf = (world: World, card: string, ids: readonly (string | null)[]): string | null => {
  const ordered = ids.find((id) => id !== null && world.notes.failing.delete(id))
  return ordered === undefined ? (testCardOf(card)?.decline ?? null) : 'generic_decline'
}
