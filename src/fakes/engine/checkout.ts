import { attachMethod, canAttach, isAccount, refusalOf, toCardNumber } from './cards.ts'
import { discountOf, trialUnitAmount, unitAmount, withTax } from './catalogue.ts'
import { addCustomer } from './customers.ts'
import type { Checkout, CheckoutLine, Customer, Price, Refused } from './objects.ts'
import { charge, openPayment } from './payments.ts'
import { day } from './periods.ts'
import { startSubscription } from './starting.ts'
import type { World } from './world.ts'

/** A payment page to open. */
export type NewCheckout = Pick<
  Checkout,
  | 'mode'
  | 'currency'
  | 'coupon'
  | 'code'
  | 'allows_codes'
  | 'customer'
  | 'email'
  | 'allows_guests'
  | 'needs_method'
  | 'trial'
  | 'without_method'
  | 'metadata'
  | 'subscription_metadata'
  | 'payment_metadata'
  | 'success_url'
  | 'cancel_url'
  | 'expires_at'
  | 'own'
> & { readonly id?: string; readonly lines: readonly Omit<CheckoutLine, 'id'>[] }

/** Opens a payment page. @throws Refusal for a currency that a price lacks */
export function openCheckout(world: World, given: NewCheckout): Checkout {
  const unit = given.trial === null ? unitAmount : trialUnitAmount
  const subtotal = given.lines.reduce(
    (sum, { price, quantity, amount }) =>
      sum + (amount ?? unit(world.store.get('price', price), given.currency)) * quantity,
    0,
  )
  const discount = discountOf(world.store.find('coupon', given.coupon), subtotal)
  return world.add<'checkout'>({
    ...given,
    kind: 'checkout',
    id: given.id ?? world.idFor('checkout'),
    created: world.clock.seconds(),
    lines: given.lines.map((line) => ({ id: world.idFor('line'), ...line })),
    subtotal,
    discount,
    ...withTax(world, subtotal - discount),
    buyer: null,
    status: 'open',
    paid: 'unpaid',
    subscription: null,
    invoice: null,
    payment: null,
  })
}

/**
 * Builds a page that sells one price, as most providers do. A recurring sale stores the card, and the page's
 * data is copied to its subscription. By default the page never expires.
 */
export function saleOf(
  { id, currency, rhythm }: Price,
  {
    quantity = 1,
    amount,
    ...given
  }: Partial<NewCheckout> & {
    readonly quantity?: number
    readonly amount?: number | undefined
  },
): NewCheckout {
  return {
    mode: rhythm === null ? 'payment' : 'subscription',
    lines: [{ price: id, quantity, amount }],
    currency,
    coupon: null,
    code: null,
    allows_codes: true,
    customer: null,
    email: null,
    allows_guests: false,
    needs_method: rhythm !== null,
    trial: null,
    without_method: 'cancel',
    metadata: {},
    subscription_metadata: given.metadata ?? {},
    payment_metadata: {},
    success_url: null,
    cancel_url: null,
    // The year 9999.
    expires_at: 253_402_300_799,
    ...given,
  }
}

/** Expires a page, so that it accepts no payment. */
export function expireCheckout(world: World, id: string): Checkout {
  return world.change('checkout', id, { status: 'expired' }, 'checkout expired')
}

/** The buyer and the payment method. */
export interface Buyer {
  email?: string
  name?: string
  /**
   * Number of a test card; 4242 4242 4242 4242 by default. The number of an account is debited by its bank.
   */
  card?: string
  /** Days that the bank takes for a debit; 5 by default. */
  days?: number
  /** Code typed on the page, if the checkout allows it. */
  promotionCode?: string
}
/** The checkout afterwards, and the reason if nothing was bought; the page then stays open. */
export interface PaidCheckout {
  readonly checkout: Checkout
  readonly refusal: Refused | null
}
interface Paying {
  readonly number: string
  readonly email: string
  readonly name: string | null
  readonly days: number | null
}

/**
 * Pays as a buyer on the payment page.
 * @throws TypeError for a page that is not open, a number that is no test card, or an unknown code
 */
export function payCheckout(world: World, id: string, buyer: Buyer): PaidCheckout {
  const open = world.store.get('checkout', id)
  if (open.status !== 'open') throw new TypeError(`The session ${id} is ${open.status}`)
  const checkout = redeemCode(world, open, buyer.promotionCode)
  const number = toCardNumber(buyer.card)
  const payer: Paying = { number, days: buyer.days ?? null, ...detailsOf(world, checkout, buyer) }
  const needsCard = checkout.total > 0 || checkout.needs_method
  const refusal = needsCard ? refusalFor(world, checkout, number) : null
  if (refusal !== null) return refuse(world, checkout, payer, refusal)

  const customer = customerFor(world, checkout, payer)
  const isKept = checkout.mode === 'subscription' ? needsCard : checkout.needs_method
  const keeps = isKept && customer !== undefined && canAttach(number)
  const method = keeps ? attachMethod(world, customer.id, number, payer.days).id : null
  const bought =
    checkout.mode === 'subscription'
      ? subscribe(world, checkout, customer!, method)
      : buy(world, checkout, customer, { ...payer, method })
  const done = world.change(
    'checkout',
    id,
    {
      ...bought,
      customer: customer?.id ?? null,
      buyer: { email: payer.email, name: payer.name },
      paid: checkout.total === 0 ? 'free' : isAccount(number) ? 'unpaid' : 'paid',
      status: 'complete',
    },
    'checkout completed',
  )
  return { checkout: done, refusal: null }
}

function detailsOf(world: World, checkout: Checkout, buyer: Buyer) {
  const customer = world.store.find('customer', checkout.customer)
  return {
    email: customer?.email ?? checkout.email ?? buyer.email ?? 'buyer@example.com',
    name: buyer.name ?? customer?.name ?? null,
  }
}

function redeemCode(world: World, checkout: Checkout, typed: string | undefined): Checkout {
  if (typed === undefined || !checkout.allows_codes) return checkout
  const found = world.store.list('code').find(({ code }) => code === typed)
  if (found === undefined) throw new TypeError(`No promotion code "${typed}"`)
  const discount = discountOf(world.store.find('coupon', found.coupon), checkout.subtotal)
  const sum = withTax(world, checkout.subtotal - discount)
  return world.change('checkout', checkout.id, { coupon: found.coupon, code: found.id, discount, ...sum })
}

// A card that is only stored is declined if it cannot be stored; a trial charges nothing.
function refusalFor(world: World, checkout: Checkout, number: string): Refused | null {
  if (checkout.total > 0) return refusalOf(world, number, { customer: checkout.customer })
  return canAttach(number) ? null : 'generic'
}

/** Keeps the buyer on the page, and records the declined payment. */
function refuse(world: World, checkout: Checkout, payer: Paying, refusal: Refused): PaidCheckout {
  if (checkout.total === 0) return { checkout, refusal }
  const payment = paymentOf(world, checkout)
  charge(world, payment, { ...payer, method: null }, refusal)
  if (checkout.mode === 'subscription') return { checkout, refusal }
  return { checkout: world.change('checkout', checkout.id, { payment }), refusal }
}

// All attempts belong to one payment.
function paymentOf(world: World, checkout: Checkout, customer = checkout.customer): string {
  if (checkout.payment !== null) return checkout.payment
  const { total: amount, currency, payment_metadata: metadata } = checkout
  return openPayment(world, { amount, currency, customer, metadata }).id
}

function customerFor(world: World, checkout: Checkout, { email, name }: Paying): Customer | undefined {
  const known = world.store.find('customer', checkout.customer)
  if (known !== undefined) return known
  const isGuest = checkout.mode === 'payment' && checkout.allows_guests
  return isGuest ? undefined : addCustomer(world, { email, name })
}

function subscribe(
  world: World,
  checkout: Checkout,
  customer: Customer,
  method: string | null,
): Partial<Checkout> {
  const { trial, currency, coupon, code } = checkout
  const now = world.clock.seconds()
  const items = checkout.lines.map(({ price, quantity, amount }) => ({
    price: atAmount(world.store.get('price', price), amount),
    quantity,
  }))
  const started = startSubscription(world, {
    customer: customer.id,
    currency,
    items: items.filter(({ price }) => price.rhythm !== null),
    metadata: checkout.subscription_metadata,
    method,
    trialEnd: trial === null ? null : 'until' in trial ? trial.until : now + trial.days * day,
    withoutMethod: checkout.without_method,
    coupon,
    code,
  })
  return { subscription: started.id, invoice: started.invoice }
}

function atAmount(price: Price, amount: number | undefined): Price {
  return amount === undefined ? price : { ...price, amount, amounts: {} }
}

function buy(
  world: World,
  checkout: Checkout,
  customer: Customer | undefined,
  payer: Paying & { readonly method: string | null },
): Partial<Checkout> {
  if (checkout.total === 0) return {}
  const payment = paymentOf(world, checkout, customer?.id ?? null)
  world.change('payment', payment, { customer: customer?.id ?? null })
  charge(world, payment, payer, null)
  return { payment }
}
