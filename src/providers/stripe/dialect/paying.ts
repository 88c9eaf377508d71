import { attachCard, canAttach, refusalOf, toCardNumber } from './cards.ts'
import { discountOf } from './catalogue.ts'
import { addCustomer } from './customers.ts'
import { beginDebit, isAccount } from './debits.ts'
import { openIntent, refusalText, tryIntent } from './payments.ts'
import { startSubscription } from './starting.ts'
import type { CheckoutSession, Customer } from './types.ts'
import type { World } from './world.ts'

export interface Buyer {
  email?: string
  name?: string
  /** The number of a test card; 4242 4242 4242 4242 without. The number of an account is debited by its bank. */
  card?: string
  /** Days that the bank takes for a debit; 5 without. */
  days?: number
  /** Typed on the page where the session allows it. */
  promotionCode?: string
}
export interface Paid {
  readonly session: CheckoutSession
  /** What the buyer reads when nothing was bought; the page stays open. */
  readonly refusal: string | null
}

/** What a buyer does on the payment page.
 *  @throws TypeError for a session that is not open. */
export const paySession = (world: World, id: string, buyer: Buyer): Paid => {
  const open = world.store.get('checkout.session', id)
  if (open.status !== 'open') throw new TypeError(`The session ${id} is ${open.status}`)
  const session = redeemCode(world, open, buyer.promotionCode)
  const card = toCardNumber(buyer.card)
  if (buyer.days !== undefined) world.notes.debitDays.set(card, buyer.days)
  const { email, name } = detailsOf(world, session, buyer)
  const needsCard = session.amount_total > 0 || session.payment_method_collection === 'always'
  const refusal = needsCard ? refusalFor(world, session, card) : null
  if (refusal !== null) return refuse(world, session, { card, email, name, refusal })

  const customer = findOrAddCustomer(world, session, { email, name })
  const keeps = session.mode === 'subscription' && needsCard && customer !== undefined && canAttach(card)
  const method = keeps && customer ? attachCard(world, customer.id, card).id : null
  const bought =
    session.mode === 'subscription'
      ? subscribe(world, session, customer!, method)
      : buy(world, session, { customer, card, email, name })
  const done = world.change(
    'checkout.session',
    id,
    {
      ...bought,
      customer: customer?.id ?? null,
      customer_details: { address: null, email, name, phone: null, tax_exempt: 'none', tax_ids: [] },
      payment_status:
        session.amount_total === 0 ? 'no_payment_required' : isAccount(card) ? 'unpaid' : 'paid',
      status: 'complete',
      url: null,
    },
    'checkout.session.completed',
  )
  return { session: done, refusal: null }
}

const detailsOf = (world: World, session: CheckoutSession, buyer: Buyer) => {
  const customer = world.store.find('customer', session.customer)
  return {
    email: customer?.email ?? session.customer_email ?? buyer.email ?? 'buyer@example.com',
    name: buyer.name ?? customer?.name ?? null,
  }
}

const redeemCode = (world: World, session: CheckoutSession, code: string | undefined): CheckoutSession => {
  const notes = world.notes.sessions.get(session.id)
  if (code === undefined || notes === undefined || session.allow_promotion_codes !== true) return session
  const promotion = world.store.list('promotion_code').find((one) => one.active && one.code === code)
  if (promotion === undefined) throw new TypeError(`No promotion code "${code}"`)
  world.notes.sessions.set(session.id, { ...notes, coupon: promotion.coupon, promotionCode: promotion.id })
  const subtotal = Number(session.amount_subtotal)
  const amount_discount = discountOf(world.store.find('coupon', promotion.coupon), subtotal)
  return world.change('checkout.session', session.id, {
    amount_total: subtotal - amount_discount,
    discounts: [{ coupon: promotion.coupon, promotion_code: promotion.id }],
    total_details: { amount_discount, amount_shipping: 0, amount_tax: 0 },
  })
}

// A card that is only kept is refused when it cannot be kept; nothing is charged in a trial.
const refusalFor = (world: World, session: CheckoutSession, card: string): string | null => {
  if (session.amount_total > 0) return refusalOf(world, card, [session.customer])
  return canAttach(card) ? null : 'generic_decline'
}

/** The buyer stays on the page; of a refused payment there are traces. */
const refuse = (
  world: World,
  session: CheckoutSession,
  { card, email, name, refusal }: { card: string; email: string; name: string | null; refusal: string },
): Paid => {
  const message = refusalText(refusal)
  if (session.amount_total === 0) return { session, refusal: message }
  const intent = intentOf(world, session)
  tryIntent(world, intent, { card, method: null, email, name, refusal })
  return {
    session:
      session.mode === 'payment'
        ? world.change('checkout.session', session.id, { payment_intent: intent })
        : session,
    refusal: message,
  }
}

// One intent takes every try of a payment.
const intentOf = (
  world: World,
  session: CheckoutSession,
  customer: string | null = session.customer,
): string => {
  if (session.payment_intent !== null) return session.payment_intent
  const metadata = world.notes.sessions.get(session.id)?.intentMetadata ?? {}
  return openIntent(world, { amount: session.amount_total, currency: session.currency, customer, metadata })
    .id
}

const findOrAddCustomer = (
  world: World,
  session: CheckoutSession,
  details: { email: string; name: string | null },
): Customer | undefined => {
  const known = world.store.find('customer', session.customer)
  if (known !== undefined) return known
  const isGuest = session.mode === 'payment' && session.customer_creation !== 'always'
  return isGuest ? undefined : addCustomer(world, details)
}

const subscribe = (world: World, session: CheckoutSession, customer: Customer, method: string | null) => {
  const notes = world.notes.sessions.get(session.id)!
  const items = notes.lines.map((line) => ({
    price: world.store.get('price', line.price),
    quantity: line.quantity,
  }))
  const subscription = startSubscription(world, {
    customer: customer.id,
    currency: session.currency,
    items: items.filter(({ price }) => price.type === 'recurring'),
    metadata: notes.subscriptionMetadata,
    method,
    trialEnd: notes.trialEnd(world.clock.seconds()),
    missingPaymentMethod: notes.missingPaymentMethod,
    coupon: notes.coupon,
    promotionCode: notes.promotionCode,
  })
  return { subscription: subscription.id, invoice: subscription.latest_invoice }
}

const buy = (
  world: World,
  session: CheckoutSession,
  given: { customer: Customer | undefined; card: string; email: string; name: string | null },
) => {
  if (session.amount_total === 0) return {}
  const customer = given.customer?.id ?? null
  const intent = intentOf(world, session, customer)
  world.change('payment_intent', intent, { customer })
  if (isAccount(given.card)) beginDebit(world, intent, { ...given, method: null })
  else tryIntent(world, intent, { ...given, method: null, refusal: null })
  return { payment_intent: intent }
}
