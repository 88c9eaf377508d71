import type { NewCoupon, NewPrice, NewProduct } from './catalogue.ts'
import type { Chaos, Delivered, Webhook } from './delivery.ts'
import type { Outage } from './faults.ts'
import type { Buyer, Paid } from './paying.ts'
import type { LoggedRequest } from './server.ts'
import type { FakeEvent, Kind, Objects } from './types.ts'

export interface FakeStripeOptions {
  /** The same seed and the same calls give the same ids, events and deliveries; `'1'` without. */
  readonly seed?: string | number
  /** Where its clock begins; the machine's time without. */
  readonly start?: Date
  /** The clock goes on by itself from there. Otherwise it stands still until `advance`. */
  readonly running?: boolean
  /** The shape of events, and of answers to requests without `Stripe-Version`: `2025-03-31.basil` without. Before that
   *  version (or with `'old'`) subscriptions have the period and invoices the intent. */
  readonly apiVersion?: string
  /** The API key that it accepts. */
  readonly secret?: string
  readonly webhook?: Webhook
  readonly chaos?: Chaos
  /** Seconds that the invoice of a renewal stays a draft; 3600 without, as Stripe's. */
  readonly draftSeconds?: number
  /** Days after a first failed payment on which it is tried again, and what follows the last: 3, 5 and 7, `cancel`. */
  readonly dunning?: {
    readonly retryDays?: readonly number[]
    readonly outcome?: 'cancel' | 'unpaid' | 'past_due'
  }
  /** A fixed port; a free one without. */
  readonly port?: number
}

/** One fake account of Stripe, with its API on loopback. */
export interface FakeStripe {
  readonly url: string
  readonly secret: string
  addProduct(product: NewProduct): Objects['product']
  addPrice(price: NewPrice): Objects['price']
  addCoupon(coupon: NewCoupon): Objects['coupon']
  now(): Date
  /** Moves the clock and does everything that is due until then, in order. */
  advance(by: { days?: number; months?: number; ms?: number } | Date): Promise<void>
  /** What a buyer does on the payment page. @throws TypeError for a session that is not open. */
  pay(session: string, buyer?: Buyer & { at?: Date }): Promise<Paid>
  /** The customer and all their subscriptions pay with this test card from now on. */
  useCard(customer: string, card: string): void
  /** The next payment of this customer or subscription is refused, whatever the card. */
  failNextPayment(id: string): void
  /** Of a charge or a payment intent; all that is left without an amount. */
  refund(id: string, amount?: number): Objects['refund']
  dispute(id: string, reason?: string): Objects['dispute']
  closeDispute(id: string, outcome: 'won' | 'lost'): Objects['dispute']
  /** Its state, in the newest shape: the objects that it keeps, to be looked at and not to be changed. */
  readonly objects: {
    list<K extends Kind>(kind: K): Objects[K][]
    /** Undefined for an id that nobody has. */
    get(id: string): Objects[Kind] | undefined
  }
  /** All events, oldest first. */
  events(): FakeEvent[]
  /** What was asked, oldest first. */
  requests(): LoggedRequest[]
  /** Requests fail until it is undone by what comes back, or so many of them. `after` does the work and loses the answer;
   *  `saved` begins, answers 500, and repeats that answer for the request's idempotency key. */
  outage(outage: Outage): () => void
  /** Every answer of the API waits so long. */
  latency(ms: number): void
  /** Where events go from now on: a site often has to know the fake's address before it has one itself. */
  sendTo(webhook: Webhook): void
  /** Sends what is waiting. `retry` (default) tries again what was not answered with 2xx, five times;
   *  `settle` also sends what chaos holds back, and tries up to twenty times. */
  deliver(options?: { retry?: boolean; settle?: boolean }): Promise<Delivered>
  /** Ids of the events that chaos never sends. */
  dropped(): string[]
  /** Until everything that goes out by itself has gone. */
  idle(): Promise<void>
  close(): Promise<void>
}
