import type { Checkout } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import {
  day,
  discountOf,
  expireCheckout,
  openCheckout,
  payCheckout,
  useCard,
  type World,
  withTax,
} from '../../fakes/engine/index.ts'
import type { Call, CheckoutRequest, Fetched } from '../contract.ts'
import { unknownCode } from '../sessions.ts'
import type { Book } from './book.ts'
import { type Books, placeOfCheckout, unknownObject } from './books.ts'
import { ownerFrom, ownerOf } from './ids.ts'
import type { SandboxCheckout, SandboxPrice } from './objects.ts'
import { toEnginePrice } from './prices.ts'
import { isoOf } from './views.ts'

const works = '4242424242424242'
/**
 * Stored payment methods, charged without their owner: one works, one fails, and one needs the bank's
 * confirmation.
 */
export const filedCards = { works, fails: '4000000000000341', asks: '4000002760003184' } as const
export type FiledCard = keyof typeof filedCards

interface TestCard {
  readonly number: string
  readonly label: 'works' | 'slow' | 'asks_slow' | 'asks' | 'later_fails' | 'declines'
  /** The buyer's bank asks for confirmation first. */
  readonly asks?: true
  readonly declines?: true
  /** The bank takes a few seconds. */
  readonly waits?: true
  readonly filed: FiledCard
}

/** Test cards, with their behaviour. */
export const testCards: readonly TestCard[] = [
  { number: '4242 4242 4242 4242', label: 'works', filed: 'works' },
  { number: '4000 0000 0000 3220', label: 'slow', waits: true, filed: 'works' },
  { number: '4000 0025 0000 3155', label: 'asks_slow', asks: true, waits: true, filed: 'works' },
  { number: '4000 0027 6000 3184', label: 'asks', asks: true, filed: 'asks' },
  { number: '4000 0000 0000 0341', label: 'later_fails', filed: 'fails' },
  { number: '4000 0000 0000 0002', label: 'declines', declines: true, filed: 'works' },
]

export interface Buyer {
  readonly email: string
  readonly name: string
  readonly card: string
  /** Expiry date such as "12 / 34"; null if the form did not ask. */
  readonly expiry: string | null
  /** Buyer's answer to the bank, if it asked. */
  readonly bank?: 'yes' | 'no' | null
}

/** Outcome of a payment attempt: paid, refused with the reason, or the bank asks. */
export type Attempt = 'paid' | 'bank asks' | { readonly refusal: 'no_test_card' | 'declined' | 'expired' }

const waitMs = 4000
// An account at a slow bank; its payments succeed.
const slowAccount = 'DE89370400440532013000'

export interface ShopDeps {
  readonly books: Books
  readonly addressOf: (id: string) => string
  readonly fetched: (book: Book, id: string) => Fetched
  /** Promotion codes: the percentage that each takes off the first payment. */
  readonly codes: Readonly<Record<string, number>>
  /** Called when a waiting payment is due. */
  readonly wake: (afterMs: number) => void
}

export interface Shop {
  /** @throws ERR_FORM for options that the sandbox does not support */
  open(request: CheckoutRequest, price: SandboxPrice): Promise<Checkout>
  find(id: string): Promise<SandboxCheckout | null>
  /** Pays a checkout according to the card. @throws ERR_NOT_FOUND */
  pay(id: string, buyer: Buyer): Promise<Attempt>
  /** Takes a typed promotion code. Returns false for an unknown one. @throws ERR_NOT_FOUND */
  useCode(id: string, typed: string): Promise<boolean>
  /** Closes an open checkout; null when it was already paid or closed. */
  expire(id: string, call: Call): Promise<Fetched | null>
}

/** The sandbox's checkout: the site opens it, a buyer pays it, time closes it. */
export function createShop({ books, addressOf, fetched, wake, codes }: ShopDeps): Shop {
  const open = async (request: CheckoutRequest, price: SandboxPrice): Promise<Checkout> => {
    if (request.code !== null && percentOf(codes, request.code) === null) throw unknownCode(request.code)
    if (request.currency !== null && request.currency !== price.currency)
      throw new MembershipError('ERR_FORM', `${price.label} is sold in ${price.currency} only.`)
    // The same intent gets the same page, so a double click opens one checkout.
    const id = `sbx_${request.intentId}`
    const owner = (await books.ownerOfCheckout(id)) ?? (await ownerFor(id, request, price))
    return books.change(owner, ({ world }, documents) => {
      documents.set(placeOfCheckout(id), { owner })
      if (!world.store.find('checkout', id)) openPage(world, id, { request, price, codes })
      return toDto(world, id, addressOf(id))
    })
  }

  // A customer without stored data becomes a new one. So does one who subscribes in another currency, because
  // credit has one currency, as at card providers. https://docs.stripe.com/billing/customer#credit-balance
  const ownerFor = async (
    id: string,
    { customerId, mode }: CheckoutRequest,
    { currency }: SandboxPrice,
  ): Promise<string> => {
    const known = ownerOf(customerId ?? '')
    const fits = await books.look(
      known,
      ({ world }) =>
        mode === 'payment' ||
        world.store
          .list('subscription')
          .every((subscription) => subscription.currency === currency.toLowerCase()),
    )
    return fits ? known : ownerFrom(id)
  }

  const find = async (id: string): Promise<SandboxCheckout | null> => {
    const owner = await books.ownerOfCheckout(id)
    return owner === null ? null : books.look(owner, (book) => pageIn(book, id))
  }

  const pay = async (id: string, buyer: Buyer): Promise<Attempt> => {
    const owner = await books.ownerOfCheckout(id)
    if (owner === null) throw unknownObject('checkout', id)
    return books.change(owner, ({ world }): Attempt => {
      const checkout = world.store.get('checkout', id)
      if (checkout.status !== 'open') return 'paid'
      const card = testCards.find((testCard) => digits(testCard.number) === digits(buyer.card))
      if (!card) return { refusal: 'no_test_card' }
      if (hasExpired(buyer.expiry, world.clock.now().toISOString())) return { refusal: 'expired' }
      const isAsked = card.asks === true && buyer.bank !== 'yes'
      if (isAsked && buyer.bank !== 'no') return 'bank asks'
      if (card.declines || isAsked) return { refusal: 'declined' }
      const { email, name } = buyer
      const slow = { card: slowAccount, days: waitMs / 1000 / day }
      const paid = payCheckout(world, id, { email, name, ...(card.waits ? slow : { card: works }) })
      useCard(world, paid.checkout.customer!, filedCards[card.filed])
      // A timer may fire slightly early.
      if (card.waits) wake(waitMs + 20)
      return 'paid'
    })
  }

  const useCode = async (id: string, typed: string): Promise<boolean> => {
    const owner = await books.ownerOfCheckout(id)
    if (owner === null) throw unknownObject('checkout', id)
    return books.change(owner, ({ world }) => {
      const checkout = world.store.get('checkout', id)
      const reduced = checkout.status === 'open' ? reductionIn(world, codes, typed) : null
      if (reduced === null) return false
      const discount = discountOf(world.store.get('coupon', reduced.coupon), checkout.subtotal)
      world.store.put({ ...checkout, ...reduced, discount, ...withTax(world, checkout.subtotal - discount) })
      return true
    })
  }

  const expire = async (id: string, { idempotencyKey: key }: Call): Promise<Fetched | null> => {
    const owner = (await books.ownerOfCheckout(id)) ?? ownerFrom(id)
    return books.call({ key, what: { do: 'expire', id }, owner }, (book) => {
      if (book.world.store.find('checkout', id)?.status !== 'open') return null
      expireCheckout(book.world, id)
      return fetched(book, id)
    })
  }

  return { open, find, pay, useCode, expire }
}

/** Returns true if a typed expiry date is over, or is not a valid month. */
function hasExpired(typed: string | null, now: string): boolean {
  if (typed === null) return false
  const [, month = '', year = ''] = /^\s*(0[1-9]|1[0-2])\s*\/?\s*(?:20)?(\d\d)\s*$/.exec(typed) ?? []
  return `20${year}-${month}` < now.slice(0, 7) || month === ''
}

function percentOf(codes: ShopDeps['codes'], typed: string): number | null {
  const name = nameOfCode(typed)
  return Object.hasOwn(codes, name) ? codes[name]! : null
}
function nameOfCode(typed: string): string {
  return typed.trim().toUpperCase()
}

/** The coupon of a typed code, which counts for the first payment; null for an unknown code. */
function reductionIn(
  world: World,
  codes: ShopDeps['codes'],
  typed: string | null,
): { coupon: string; code: string } | null {
  const percent_off = typed === null ? null : percentOf(codes, typed)
  if (typed === null || percent_off === null) return null
  const name = nameOfCode(typed)
  const created = world.clock.seconds()
  const coupon = `coupon_${name}`
  const none = { amount_off: null, currency: null, months: null }
  world.store.put({ kind: 'coupon', id: coupon, created, percent_off, duration: 'once', ...none })
  world.store.put({ kind: 'code', id: `code_${name}`, created, code: name, coupon })
  return { coupon, code: `code_${name}` }
}

function openPage(
  world: World,
  id: string,
  { request, price, codes }: { request: CheckoutRequest; price: SandboxPrice; codes: ShopDeps['codes'] },
): void {
  const { mode, quantity, customerId, trialDays, intentId } = request
  const metadata = { ...request.metadata }
  world.store.put(toEnginePrice(price))
  openCheckout(world, {
    id,
    mode,
    lines: [{ price: price.id, quantity }],
    currency: price.currency.toLowerCase(),
    ...(reductionIn(world, codes, request.code) ?? { coupon: null, code: null }),
    allows_codes: false,
    customer: world.store.find('customer', customerId)?.id ?? null,
    email: request.email,
    allows_guests: false,
    needs_method: mode === 'subscription',
    trial: trialDays === null || trialDays === 0 ? null : { days: trialDays },
    without_method: 'bill',
    metadata,
    subscription_metadata: metadata,
    payment_metadata: metadata,
    success_url: request.returnUrl,
    cancel_url: request.cancelUrl,
    expires_at: world.clock.seconds() + day,
    own: { intent_id: intentId, price: { ...price, trial_days: trialDays ?? 0 } },
  })
}

function pageIn(book: Book, id: string): SandboxCheckout | null {
  const view = book.views().find(({ data }) => data.id === id)
  return view?.object === 'checkout' ? view.data : null
}

function digits(text: string): string {
  return text.replace(/\D/g, '')
}

function toDto(world: World, id: string, url: string): Checkout {
  const checkout = world.store.get('checkout', id)
  const [line] = checkout.lines
  return {
    id,
    provider: 'sandbox',
    intent_id: String(checkout.own?.intent_id),
    mode: checkout.mode,
    price_id: line?.price ?? '',
    quantity: line?.quantity ?? 1,
    url,
    customer_id: checkout.customer,
    email: checkout.email,
    status: checkout.status,
    expires_at: isoOf(checkout.expires_at),
    metadata: checkout.metadata,
  }
}
