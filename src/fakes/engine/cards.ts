import type { Method, Refused, Subscription } from './objects.ts'
import type { World } from './world.ts'

export interface TestCard {
  readonly brand: string
  /** True if it can be stored. */
  readonly attaches: boolean
  /** Reason for which charges are declined. */
  readonly refusal: Refused | null
  /** True if the bank asks for confirmation each time it is charged without its owner. */
  readonly asks?: true
}

/**
 * https://docs.stripe.com/testing#declined-payments; other providers have the same test cards with other
 * numbers.
 */
export const testCards: Readonly<Record<string, TestCard>> = {
  '4242424242424242': { brand: 'visa', attaches: true, refusal: null },
  '5555555555554444': { brand: 'mastercard', attaches: true, refusal: null },
  '4000000000000341': { brand: 'visa', attaches: true, refusal: 'generic' },
  '4000000000000002': { brand: 'visa', attaches: false, refusal: 'generic' },
  // https://docs.stripe.com/testing#regulatory-cards ("Always authenticate")
  '4000002760003184': { brand: 'visa', attaches: true, refusal: null, asks: true },
  '4000000000009995': { brand: 'visa', attaches: false, refusal: 'funds' },
}

/** Accounts whose debits succeed or are returned. https://docs.stripe.com/testing#non-card-payments */
export const testAccounts: Readonly<Record<string, 'settles' | 'comes back'>> = {
  DE89370400440532013000: 'settles',
  AT611904300234573201: 'settles',
  DE62370400440532013001: 'comes back',
}

/** Returns true for the number of a bank account, which is paid by debit. */
export function isAccount(number: string): boolean {
  return Object.hasOwn(testAccounts, number)
}

/**
 * Returns the behaviour of a test card. `4242424242424242#ann` and `4242424242424242#bob` are different cards
 * with the behaviour of 4242 ….
 */
export function testCardOf(number: string): TestCard | undefined {
  return testCards[number.split('#')[0]!]
}

/**
 * Returns the number of a card or account without blanks.
 * @throws TypeError for a number that is no test card
 */
export function toCardNumber(card = '4242424242424242'): string {
  const digits = card.replaceAll(/[\s-]/g, '')
  if (testCardOf(digits) === undefined && !isAccount(digits))
    throw new TypeError(`No test card "${card}"; there are: ${Object.keys(testCards).join(', ')}`)
  return digits
}

/** Returns true if a card or account can be stored; unknown numbers cannot. */
export function canAttach(number: string): boolean {
  return isAccount(number) || testCardOf(number)?.attaches === true
}

/** Stores a card or account for a customer. */
export function attachMethod(
  world: World,
  customer: string,
  number: string,
  days: number | null = null,
): Method {
  return world.add<'method'>(
    {
      kind: 'method',
      id: world.idFor('method'),
      created: world.clock.seconds(),
      customer,
      email: world.store.get('customer', customer).email,
      number,
      days,
    },
    'method added',
  )
}

/** Returns the payment method of a subscription's invoices. */
export function methodOf(world: World, subscription: Subscription): string | null {
  return subscription.method ?? world.store.find('customer', subscription.customer)?.method ?? null
}

/** Sets the card of the customer and all their subscriptions, like an update in the portal. */
export function useCard(world: World, customer: string, number: string): Method {
  const method = attachMethod(world, customer, number)
  world.change('customer', customer, { method: method.id }, 'customer changed')
  for (const subscription of world.store.having('subscription', 'customer', customer))
    if (subscription.status !== 'canceled' && subscription.method !== null)
      world.change('subscription', subscription.id, { method: method.id }, 'subscription changed')
  return method
}

/** Returns true if a failure was ordered for the object, and uses the order up. */
function takesOrder(world: World, kind: 'subscription' | 'customer', id: string | null): boolean {
  if (world.store.find(kind, id)?.fails_next !== true) return false
  world.change(kind, id!, { fails_next: false })
  return true
}

/** Returns why a charge of this card would be declined now; an ordered failure is used up. */
export function refusalOf(
  world: World,
  number: string,
  on: { subscription?: string; customer: string | null },
): Refused | null {
  return takesOrder(world, 'subscription', on.subscription ?? null) ||
    takesOrder(world, 'customer', on.customer)
    ? 'generic'
    : (testCardOf(number)?.refusal ?? null)
}

/** The last month of a test card: December, three years after the card was entered. */
export function cardExpiry(enteredAt: number): { readonly year: number; readonly month: number } {
  return { year: new Date(enteredAt * 1000).getUTCFullYear() + 3, month: 12 }
}
