import type { Checkout } from '../../dto/index.ts'
import { MembershipError } from '../../errors.ts'
import type { CheckoutRequest, DocumentStore } from '../contract.ts'
import type {
  SandboxCheckout,
  SandboxCustomer,
  SandboxEvent,
  SandboxPayment,
  SandboxPrice,
  SandboxSubscription,
} from './objects.ts'

/** What the card that a buyer typed does. */
export const testCards = [
  { number: '4242 4242 4242 4242', label: 'succeeds', does: 'pays' },
  { number: '4000 0000 0000 3220', label: 'takes a few seconds', does: 'waits' },
  { number: '4000 0000 0000 0002', label: 'is declined', does: 'declines' },
] as const

export interface Buyer {
  readonly email: string
  readonly name: string
  readonly card: string
}

export interface ShopDeps {
  readonly store: DocumentStore
  readonly now: () => Date
  readonly randomId: () => string
  /** Sends a message to the site's webhook address. */
  readonly send: (event: SandboxEvent) => void
}

/** The sandbox's own books: checkouts, customers, subscriptions and payments, kept as documents. */
export const createShop = ({ store, now, randomId, send }: ShopDeps) => {
  const at = () => now().toISOString()
  const newId = (prefix: string) => `${prefix}_${randomId()}`
  const emit = (type: string, object: SandboxEvent['object'], data: unknown) =>
    send({ id: newId('evt'), type, created: at(), object, data } as SandboxEvent)

  const open = async (
    request: CheckoutRequest,
    price: SandboxPrice,
    addressOf: (id: string) => string,
  ): Promise<Checkout> => {
    const checkout: SandboxCheckout = {
      // The same intent asks for the same page: a double click opens one checkout.
      id: `sbx_${request.intentId}`,
      intent_id: request.intentId,
      mode: request.mode,
      price,
      quantity: request.quantity,
      customer: request.customerId,
      email: request.email,
      name: null,
      status: 'open',
      paid: false,
      subscription: null,
      payment: null,
      return_url: request.returnUrl,
      cancel_url: request.cancelUrl,
      metadata: { ...request.metadata },
      updated: at(),
    }
    const known = await find(checkout.id)
    if (known === null) await store.put(`checkout/${checkout.id}`, checkout)
    return toDto(known ?? checkout, addressOf(checkout.id))
  }

  const find = (id: string): Promise<SandboxCheckout | null> => store.get<SandboxCheckout>(`checkout/${id}`)

  /** Pays a checkout as the card says. Returns the words of a refusal, or null. */
  const pay = async (id: string, buyer: Buyer): Promise<string | null> => {
    const checkout = await find(id)
    if (checkout === null) throw new MembershipError('ERR_NOT_FOUND', 'There is no such checkout.')
    if (checkout.status !== 'open') return null
    const card = testCards.find((one) => digits(one.number) === digits(buyer.card))
    if (!card) return 'This is no test card. Use one of those listed; real cards have no place here.'
    if (card.does === 'declines') return 'The card was declined. Try another one.'
    const customer = await customerOf(checkout, buyer)
    const closed = {
      ...checkout,
      customer: customer.id,
      email: checkout.email ?? buyer.email,
      name: buyer.name,
      status: 'complete' as const,
      updated: at(),
    }
    await store.put(`checkout/${id}`, closed)
    if (card.does === 'waits') setTimeout(() => void complete(closed), 4000).unref()
    else await complete(closed)
    return null
  }

  const customerOf = async (checkout: SandboxCheckout, buyer: Buyer): Promise<SandboxCustomer> => {
    const known = checkout.customer ? await store.get<SandboxCustomer>(`customer/${checkout.customer}`) : null
    if (known) return known
    const customer = {
      id: newId('cus'),
      email: checkout.email ?? buyer.email,
      name: buyer.name,
      updated: at(),
    }
    await store.put(`customer/${customer.id}`, customer)
    emit('customer.created', 'customer', customer)
    return customer
  }

  const complete = async (checkout: SandboxCheckout): Promise<void> => {
    const customer = checkout.customer!
    const subscription = checkout.mode === 'subscription' ? await subscribe(checkout, customer) : null
    const isFree = subscription?.status === 'trialing'
    const payment = isFree
      ? null
      : await charge({ checkout, customer, subscription: subscription?.id ?? null })
    const paid: SandboxCheckout = {
      ...checkout,
      paid: true,
      subscription: subscription?.id ?? null,
      payment: payment?.id ?? null,
      updated: at(),
    }
    await store.put(`checkout/${checkout.id}`, paid)
    if (subscription) emit('subscription.created', 'subscription', subscription)
    if (payment) emit('payment.created', 'payment', payment)
    emit('checkout.completed', 'checkout', paid)
  }

  const subscribe = async (checkout: SandboxCheckout, customer: string): Promise<SandboxSubscription> => {
    const { price } = checkout
    const trialEnd =
      price.trial_days > 0 ? new Date(now().getTime() + price.trial_days * 86_400_000).toISOString() : null
    const subscription: SandboxSubscription = {
      id: newId('sub'),
      customer,
      price,
      quantity: checkout.quantity,
      status: trialEnd === null ? 'active' : 'trialing',
      started: at(),
      trial_ends: trialEnd,
      period_start: at(),
      period_end: trialEnd ?? after(now(), price),
      cancel_at_period_end: false,
      canceled: null,
      ended: null,
      metadata: checkout.metadata,
      updated: at(),
    }
    await store.put(`subscription/${subscription.id}`, subscription)
    return subscription
  }

  const charge = async (input: {
    checkout: SandboxCheckout
    customer: string
    subscription: string | null
  }): Promise<SandboxPayment> => {
    const { checkout, customer, subscription } = input
    const payment: SandboxPayment = {
      id: newId('pay'),
      customer,
      subscription,
      checkout: checkout.id,
      price: checkout.price,
      quantity: checkout.quantity,
      amount: checkout.price.amount * checkout.quantity,
      amount_refunded: 0,
      status: 'paid',
      paid: at(),
      metadata: checkout.metadata,
      updated: at(),
    }
    await store.put(`payment/${payment.id}`, payment)
    return payment
  }

  return { open, find, pay, get: <T>(kind: string, id: string) => store.get<T>(`${kind}/${id}`) }
}
export type Shop = ReturnType<typeof createShop>

const digits = (text: string): string => text.replace(/\D/g, '')

const after = (from: Date, price: SandboxPrice): string => {
  const end = new Date(from)
  const count = price.interval_count
  if (price.interval === 'day') end.setUTCDate(end.getUTCDate() + count)
  else if (price.interval === 'week') end.setUTCDate(end.getUTCDate() + 7 * count)
  else addMonths(end, price.interval === 'year' ? 12 * count : count)
  return end.toISOString()
}

// The 31st of a shorter month is its last day.
const addMonths = (date: Date, months: number): void => {
  const day = date.getUTCDate()
  date.setUTCDate(1)
  date.setUTCMonth(date.getUTCMonth() + months)
  const days = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  date.setUTCDate(Math.min(day, days))
}

const toDto = (c: SandboxCheckout, url: string): Checkout => ({
  id: c.id,
  provider: 'sandbox',
  intent_id: c.intent_id,
  mode: c.mode,
  price_id: c.price.id,
  quantity: c.quantity,
  url,
  customer_id: c.customer,
  email: c.email,
  status: c.status,
  expires_at: null,
  metadata: c.metadata,
})
