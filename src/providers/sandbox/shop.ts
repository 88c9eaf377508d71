import type { Checkout } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import type { Call, CheckoutRequest, Fetched } from '../contract.ts'
import { type Books, type Desk, idFrom, unwritten } from './books.ts'
import { complete } from './complete.ts'
import type { SandboxCheckout, SandboxCustomer, SandboxPrice } from './objects.ts'
import { checkoutDueOf, expiryOf } from './renewals.ts'

/** What the card that a buyer typed does. */
export const testCards = [
  { number: '4242 4242 4242 4242', label: 'succeeds', does: 'pays' },
  { number: '4000 0000 0000 3220', label: 'takes a few seconds', does: 'waits' },
  { number: '4000 0025 0000 3155', label: 'the bank asks (slow)', does: 'asks' },
  { number: '4000 0000 0000 0341', label: 'later payments fail', does: 'fails later' },
  { number: '4000 0000 0000 0002', label: 'is declined', does: 'declines' },
] as const

export interface Buyer {
  readonly email: string
  readonly name: string
  readonly card: string
  /** What the buyer told the bank, where it asked. */
  readonly bank?: 'yes' | 'no' | null
}

/** How an attempt to pay went: paid, refused with words for the buyer, or the bank wants to be answered. */
export type Attempt = 'paid' | 'bank asks' | { readonly refusal: string }

const waitMs = 4000

export interface ShopDeps {
  readonly books: Books
  readonly now: () => Date
  readonly addressOf: (id: string) => string
  readonly fetched: (checkout: SandboxCheckout) => Fetched
  /** Called when a payment that waits is due. */
  readonly wake: (afterMs: number) => void
}

/** The sandbox's checkout: opened by the site, paid by a buyer, closed by time. */
export const createShop = ({ books, now, addressOf, fetched, wake }: ShopDeps) => {
  /** @throws ERR_FORM for what the sandbox cannot do */
  const open = async (request: CheckoutRequest, price: SandboxPrice): Promise<Checkout> => {
    if (request.code !== null)
      throw new MembershipError('ERR_FORM', `The code "${request.code}" is not valid, or no longer.`, {
        action: 'Buy without it.',
      })
    if (request.currency !== null && request.currency !== price.currency)
      throw new MembershipError('ERR_FORM', `${price.label} is sold in ${price.currency} only.`)
    // The same intent asks for the same page: a double click opens one checkout.
    const id = `sbx_${request.intentId}`
    return books.change([id], async (desk) => {
      const known = await desk.find('checkout', id)
      const at = now().toISOString()
      const checkout: SandboxCheckout = known ?? {
        id,
        intent_id: request.intentId,
        mode: request.mode,
        price: { ...price, trial_days: request.trialDays ?? 0 },
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
        created: at,
        pays_at: null,
        metadata: { ...request.metadata },
        updated: at,
      }
      if (known === null) desk.keep('checkout', checkout)
      return toDto(checkout, addressOf(id))
    })
  }

  const find = (id: string): Promise<SandboxCheckout | null> => books.find('checkout', id)

  /** Pays a checkout as the card says. @throws ERR_NOT_FOUND */
  const pay = async (id: string, buyer: Buyer): Promise<Attempt> => {
    const { customer } = await books.get('checkout', id)
    const owners = [id, ...(customer === null ? [] : [customer])]
    return books.change(owners, async (desk) => {
      const at = now().toISOString()
      const checkout = await desk.get('checkout', id)
      if (checkout.status !== 'open') return 'paid'
      if (checkoutDueOf(checkout)! <= at) {
        await close(desk, checkout, at)
        return 'paid'
      }
      const card = testCards.find((one) => digits(one.number) === digits(buyer.card))
      if (!card)
        return { refusal: 'This is no test card. Use one of those listed; real cards have no place here.' }
      const isAsked = card.does === 'asks' && buyer.bank !== 'yes'
      if (isAsked && buyer.bank !== 'no') return 'bank asks'
      if (card.does === 'declines' || isAsked) return { refusal: 'The card was declined. Try another one.' }
      const waits = card.does === 'waits' || card.does === 'asks'
      const payer = await customerOf(desk, checkout, buyer, card.does === 'fails later' ? 'fails' : 'works')
      const closed: SandboxCheckout = {
        ...checkout,
        customer: payer.id,
        email: checkout.email ?? buyer.email,
        name: buyer.name,
        status: 'complete',
        pays_at: waits ? new Date(now().getTime() + waitMs).toISOString() : null,
        updated: at,
      }
      if (!waits) await complete(desk, closed, at)
      else {
        desk.keep('checkout', closed)
        // A timer may be a moment early.
        wake(waitMs + 20)
      }
      return 'paid'
    })
  }

  const customerOf = async (
    desk: Desk,
    checkout: SandboxCheckout,
    buyer: Buyer,
    card: SandboxCustomer['card'],
  ): Promise<SandboxCustomer> => {
    const known = checkout.customer ? await desk.find('customer', checkout.customer) : null
    if (known) {
      desk.keep('customer', { ...known, card })
      return known
    }
    return desk.write(
      'customer',
      {
        id: idFrom('cus', checkout.id),
        email: checkout.email ?? buyer.email,
        name: buyer.name,
        card,
        credit: {},
        updated: unwritten,
      },
      { type: 'customer.created', at: now().toISOString() },
    )
  }

  /** What happens to a checkout when its moment has come: the bank paid, or nobody did. */
  const close = async (desk: Desk, checkout: SandboxCheckout, at: string): Promise<void> => {
    if (checkout.status === 'complete') return complete(desk, checkout, at)
    desk.write('checkout', { ...checkout, status: 'expired' }, { type: 'checkout.expired', at })
  }

  /** Closes a checkout that is open; null when it was paid or closed before. */
  const expire = (id: string, { idempotencyKey: key }: Call): Promise<Fetched | null> =>
    books.call({ key, what: { do: 'expire', id }, owners: [id] }, async (desk) => {
      const checkout = await desk.find('checkout', id)
      if (checkout?.status !== 'open') return null
      await close(desk, checkout, now().toISOString())
      return fetched(await desk.get('checkout', id))
    })

  return { open, find, pay, close, expire }
}
export type Shop = ReturnType<typeof createShop>

const digits = (text: string): string => text.replace(/\D/g, '')

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
  expires_at: expiryOf(c),
  metadata: c.metadata,
})
