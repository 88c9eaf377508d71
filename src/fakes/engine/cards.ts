import type { Method, Refused, Subscription } from './objects.ts'
import type { World } from './world.ts'

export interface TestCard {
  readonly brand: string
  /** True if it can be kept for later. */
  readonly attaches: boolean
  /** Why charges are refused. */
  readonly refusal: Refused | null
  /** True if the bank wants to be answered each time it is charged without its owner. */
  readonly asks?: true
}

/** https://docs.stripe.com/testing#declined-payments; other providers' test cards do the same by other numbers. */
export const testCards: Readonly<Record<string, TestCard>> = {
  '4242424242424242': { brand: 'visa', attaches: true, refusal: null },
  '5555555555554444': { brand: 'mastercard', attaches: true, refusal: null },
  '4000000000000341': { brand: 'visa', attaches: true, refusal: 'generic' },
  '4000000000000002': { brand: 'visa', attaches: false, refusal: 'generic' },
  // https://docs.stripe.com/testing#regulatory-cards ("Always authenticate")
  '4000002760003184': { brand: 'visa', attaches: true, refusal: null, asks: true },
  '4000000000009995': { brand: 'visa', attaches: false, refusal: 'funds' },
}

/** Accounts whose debits settle or come back. https://docs.stripe.com/testing#non-card-payments */
export const testAccounts: Readonly<Record<string, 'settles' | 'comes back'>> = {
  DE89370400440532013000: 'settles',
  AT611904300234573201: 'settles',
  DE62370400440532013001: 'comes back',
}

/** True if a number is that of an account, which a bank is asked to debit. */
export const isAccount = (number: string): boolean => Object.hasOwn(testAccounts, number)

/** Behaviour of a test card: `4242424242424242#ann` is another card than `4242424242424242#bob`, and both do what 4242 … does. */
export const testCardOf = (number: string): TestCard | undefined => testCards[number.split('#')[0]!]

/** The number without blanks; an account's is fine, too.
 *  @throws TypeError for a number that is no test card */
export const toCardNumber = (card = '4242424242424242'): string => {
  const digits = card.replaceAll(/[\s-]/g, '')
  if (testCardOf(digits) === undefined && !isAccount(digits))
    throw new TypeError(`No test card "${card}"; there are: ${Object.keys(testCards).join(', ')}`)
  return digits
}

/** True if a card or account can be kept for later payments; a number that is no test card cannot. */
export const canAttach = (number: string): boolean =>
  isAccount(number) || testCardOf(number)?.attaches === true

/** Keeps a card or an account for a customer. */
export const attachMethod = (
  world: World,
  customer: string,
  number: string,
  days: number | null = null,
): Method =>
  world.add<'method'>(
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

/** Way to pay of a subscription's invoices. */
export const methodOf = (world: World, subscription: Subscription): string | null =>
  subscription.method ?? world.store.find('customer', subscription.customer)?.method ?? null

/** From now on the customer and all their subscriptions pay with this card, as after an update in the portal. */
export const useCard = (world: World, customer: string, number: string): Method => {
  const method = attachMethod(world, customer, number)
  world.change('customer', customer, { method: method.id }, 'customer changed')
  for (const subscription of world.store.list('subscription'))
    if (
      subscription.customer === customer &&
      subscription.status !== 'canceled' &&
      subscription.method !== null
    )
      world.change('subscription', subscription.id, { method: method.id }, 'subscription changed')
  return method
}

/** True if a failure was ordered for one of them; asking uses it up. */
const takesOrder = (world: World, kind: 'subscription' | 'customer', id: string | null): boolean => {
  if (world.store.find(kind, id)?.fails_next !== true) return false
  world.change(kind, id!, { fails_next: false })
  return true
}

/** Why a charge of this card now would be refused; a failure ordered in advance is used up by asking. */
export const refusalOf = (
  world: World,
  number: string,
  on: { subscription?: string; customer: string | null },
): Refused | null =>
  takesOrder(world, 'subscription', on.subscription ?? null) || takesOrder(world, 'customer', on.customer)
    ? 'generic'
    : (testCardOf(number)?.refusal ?? null)
