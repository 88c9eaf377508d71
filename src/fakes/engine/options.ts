import type { NewCoupon, NewPrice, NewProduct } from './catalogue.ts'
import type { Buyer } from './checkout.ts'
import type { Chaos, Delivered, Webhook } from './delivery.ts'
import type { FaultName, Outage } from './faults.ts'
import type { Kind } from './objects.ts'
import type { Store } from './store.ts'
import type { World } from './world.ts'

/** Options of every fake server. */
export interface FakeServerOptions {
  /** The same seed and the same calls give the same ids, events and deliveries; default `'1'`. */
  readonly seed?: string | number
  /** Start of its clock; the machine's time by default. */
  readonly start?: Date
  /** Lets the clock run from there. By default it stands still until `advance`. */
  readonly running?: boolean
  /** API key that it accepts. */
  readonly secret?: string
  readonly webhook?: Webhook
  readonly chaos?: Chaos
  /**
   * Days after a first failed payment on which it is retried, and the outcome after the last. Default: 3, 5
   * and 7, `cancel`.
   */
  readonly dunning?: {
    readonly retryDays?: readonly number[]
    readonly outcome?: 'cancel' | 'unpaid' | 'past_due'
  }
  /** Tax on every amount, for a provider that sells in its own name: added to prices, or included in them. */
  readonly tax?: { readonly percent: number; readonly included: boolean }
  /** Faults from the start, by name; none by default. */
  readonly faults?: readonly FaultName[]
  /** A fixed port; a free one by default. */
  readonly port?: number
}

/** Logged request with its answer; `status` is null if no answer was sent. */
export interface LoggedRequest {
  readonly method: string
  readonly path: string
  readonly params: Readonly<Record<string, unknown>>
  readonly idempotency_key: string | null
  readonly status: number | null
}

/** Provider's view of each kind of object. */
export type Views = { readonly [K in Kind]: unknown }

/** A test's actions besides API requests. */
export interface MerchantActions<V extends Views = Views> {
  /** API key that it accepts. */
  readonly secret: string
  addProduct(product: NewProduct): V['product']
  addPrice(price: NewPrice): V['price']
  addCoupon(coupon: NewCoupon): V['coupon']
  /**
   * Pays as a buyer on the payment page, given its address or the checkout's id. `refusal` is the text for a
   * buyer who bought nothing; the page then stays open.
   * @throws TypeError for a page that is not open
   */
  pay(
    checkout: string,
    buyer?: Buyer & { at?: Date },
  ): Promise<{ readonly session: V['checkout']; readonly refusal: string | null }>
  /** Sets the test card of the customer and all their subscriptions. */
  useCard(customer: string, card: string): void
  /** Makes the next payment of this customer or subscription fail, whatever the card. */
  failNextPayment(id: string): void
  /** Refunds a charge or payment; all that is left by default. */
  refund(id: string, amount?: number): V['refund']
  dispute(id: string, reason?: string): V['dispute']
  closeDispute(id: string, outcome: 'won' | 'lost'): V['dispute']
}

/** Fake server of one provider, with its API on loopback. */
export interface FakeServer<V extends Views = Views> extends MerchantActions<V> {
  readonly url: string
  /** The engine's objects, in the same form for every provider, for comparisons. */
  readonly books: Pick<Store, 'find' | 'list'>
  now(): Date
  /**
   * Does something at the account that no request asks for, as somebody does in the provider's dashboard:
   * `act((world) => cancelLater(world, subscription))`.
   */
  act<T>(run: (world: World) => T): Promise<T>
  /** Moves the clock, and does everything due until then, in order. */
  advance(by: { days?: number; months?: number; ms?: number } | Date): Promise<void>
  /** Returns all events, oldest first; for a form, its fields. */
  events(): Record<string, unknown>[]
  /** Returns logged requests, oldest first. */
  requests(): LoggedRequest[]
  /**
   * Makes requests fail until the returned function is called, or for a number of them. `after` executes the
   * request and loses the answer; `done` executes it and answers 500. `saved` begins, answers 500, and
   * repeats that answer for the same idempotency key.
   */
  outage(outage: Outage): () => void
  /** Delays every answer of the API. */
  latency(ms: number): void
  /** Turns a lasting fault on, and returns the function that turns it off. */
  fault(name: FaultName): () => void
  /**
   * Sets the address for events, because a site often needs the fake server's address before it has its own.
   */
  sendTo(webhook: Webhook): void
  /**
   * Sends waiting events. `retry` (default) repeats those without a 2xx answer, up to five times; `settle`
   * also sends what chaos holds, and repeats up to twenty times.
   */
  deliver(options?: { retry?: boolean; settle?: boolean }): Promise<Delivered>
  /** Ids of the events that chaos never sends. */
  dropped(): string[]
  /** Resolves when all automatic deliveries are done. */
  idle(): Promise<void>
  /** Answers a request of the API or of a page without a network. */
  fetch(request: Request): Promise<Response>
  /**
   * Saves the whole state: objects, clock, ids, messages that wait. The returned function brings it back, as
   * often as it is called. Call both while no request runs.
   */
  save(): () => void
  close(): Promise<void>
}

/** Starts a fake server of one provider. */
export type OpenFakeServer = (options?: FakeServerOptions) => Promise<FakeServer>
