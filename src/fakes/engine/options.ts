import type { NewCoupon, NewPrice, NewProduct } from './catalogue.ts'
import type { Buyer } from './checkout.ts'
import type { Chaos, Delivered, Webhook } from './delivery.ts'
import type { Outage } from './faults.ts'
import type { Kind } from './objects.ts'
import type { Store } from './store.ts'

/** Options of every fake server. */
export interface FakeServerOptions {
  /** The same seed and the same calls give the same ids, messages and deliveries; `'1'` without. */
  readonly seed?: string | number
  /** Start of its clock; the machine's time unless given. */
  readonly start?: Date
  /** The clock goes on by itself from there. Otherwise it stands still until `advance`. */
  readonly running?: boolean
  /** The API key that it accepts. */
  readonly secret?: string
  readonly webhook?: Webhook
  readonly chaos?: Chaos
  /** Days after a first failed payment on which it is tried again, and what follows the last: 3, 5 and 7, `cancel`. */
  readonly dunning?: {
    readonly retryDays?: readonly number[]
    readonly outcome?: 'cancel' | 'unpaid' | 'past_due'
  }
  /** Tax on every amount, for a provider that sells in its own name: added to prices, or included in them. */
  readonly tax?: { readonly percent: number; readonly included: boolean }
  /** A fixed port; a free one without. */
  readonly port?: number
}

/** Logged request with its answer; `status` is null where no answer left. */
export interface LoggedRequest {
  readonly method: string
  readonly path: string
  readonly params: Readonly<Record<string, unknown>>
  readonly idempotency_key: string | null
  readonly status: number | null
}

/** Provider's view of each kind of object. */
export type Views = { readonly [K in Kind]: unknown }

/** Actions of a test besides requests to the API. */
export interface MerchantActions<V extends Views = Views> {
  /** The API key that it accepts. */
  readonly secret: string
  addProduct(product: NewProduct): V['product']
  addPrice(price: NewPrice): V['price']
  addCoupon(coupon: NewCoupon): V['coupon']
  /** Pays as a buyer on the payment page, by its address or by the checkout's id. `refusal` is the text for a buyer who bought nothing; the page stays
   *  open then. @throws TypeError for a page that is not open. */
  pay(
    checkout: string,
    buyer?: Buyer & { at?: Date },
  ): Promise<{ readonly session: V['checkout']; readonly refusal: string | null }>
  /** The customer and all their subscriptions pay with this test card from now on. */
  useCard(customer: string, card: string): void
  /** The next payment of this customer or subscription is refused, whatever the card. */
  failNextPayment(id: string): void
  /** Refunds a charge or a payment; all that is left unless an amount is given. */
  refund(id: string, amount?: number): V['refund']
  dispute(id: string, reason?: string): V['dispute']
  closeDispute(id: string, outcome: 'won' | 'lost'): V['dispute']
}

/** Fake server of one provider, with its API on loopback. */
export interface FakeServer<V extends Views = Views> extends MerchantActions<V> {
  readonly url: string
  /** Books of the engine: the same for every provider, for comparisons. */
  readonly books: Pick<Store, 'find' | 'list'>
  now(): Date
  /** Moves the clock and does everything that is due until then, in order. */
  advance(by: { days?: number; months?: number; ms?: number } | Date): Promise<void>
  /** All messages, oldest first; the fields of one that is a form. */
  events(): Record<string, unknown>[]
  /** Logged requests, oldest first. */
  requests(): LoggedRequest[]
  /** Requests fail until it is undone by what comes back, or so many of them. `after` does the work and loses the answer;
   *  `saved` begins, answers 500, and repeats that answer for the request's idempotency key. */
  outage(outage: Outage): () => void
  /** Every answer of the API waits so long. */
  latency(ms: number): void
  /** Sets the address for messages from now on: a site often has to know the engine's address before it has one itself. */
  sendTo(webhook: Webhook): void
  /** Sends what is waiting. `retry` (default) tries again what was not answered with 2xx, five times;
   *  `settle` also sends what chaos holds back, and tries up to twenty times. */
  deliver(options?: { retry?: boolean; settle?: boolean }): Promise<Delivered>
  /** Ids of the messages that chaos never sends. */
  dropped(): string[]
  /** Until everything that goes out by itself has gone. */
  idle(): Promise<void>
  close(): Promise<void>
}

/** Starts a fake server of one provider. */
export type OpenFakeServer = (options?: FakeServerOptions) => Promise<FakeServer>
