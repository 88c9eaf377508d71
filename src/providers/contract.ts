import type Router from '@koa/router'
import type { Context, Middleware } from 'koa'
import type { z } from 'zod'
import type {
  Checkout,
  FindSheet,
  Invoice,
  InvoicePreview,
  ManagedIn,
  Plan,
  StoreName,
  SubscriptionData,
} from '../core/dto/index.ts'
import type { ErrorPage } from '../core/http/problems.ts'
import type { Log } from '../core/log.ts'
import type { Render } from '../core/pages/index.ts'
import type { Voice } from '../core/words/index.ts'
import type { OpenFakeServer } from '../fakes/engine/index.ts'
import type {
  Call,
  CataloguePrice,
  CheckoutRequest,
  CompleteRequest,
  CustomerUpdate,
  DiscountRequest,
  Flags,
  PauseRequest,
  Payer,
  PortalRequest,
  RefundRequest,
  RemoveRequest,
  ScheduleRequest,
  SubscriptionCall,
  SwapRequest,
} from './calls.ts'
import type { CalledAddress, EndpointRequest, ProviderEndpoint } from './endpoints.ts'
import type { Lacks } from './features.ts'
import type { Json } from './narrow.ts'
import type { SecretShapes } from './secret-shapes.ts'
import type { Change, Ref } from './snapshots.ts'

export type * from './calls.ts'
export type * from './snapshots.ts'

/** Raw bytes of one webhook request, with its headers (lower-case names). */
export interface Delivery {
  readonly body: Buffer
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

/** A secret with the label that becomes the event's `account`; '' for an unlabelled secret. */
export interface WebhookSecret {
  readonly label: string
  readonly secret: string
}

/** One decoded webhook event. `object` is the input for `changes` of the same provider. */
export interface ProviderEvent {
  /**
   * The provider's id, or null if it has none; the event is then identified by the body's hash and its place
   * in the body.
   */
  readonly id: string | null
  readonly type: string
  /** ISO 8601, with any precision and offset; nine digits of a second are respected. */
  readonly occurred_at: string
  /** null when the event does not say; then the configured mode counts. */
  readonly livemode: boolean | null
  /** Id of the object that the event is about, for people who search for it; null when unknown. */
  readonly object_id: string | null
  readonly object: unknown
}

/** Result of a fetch: the current object, and the provider's moment of it. */
export interface Fetched {
  readonly changes: readonly Change[]
  /** The provider's `Date` less the duration of the call less one second, ISO 8601 UTC. */
  readonly at: string
  /** Purchases that the provider gives back unless they are acknowledged in time. */
  readonly unacknowledged?: readonly Unacknowledged[]
}

/** A purchase to acknowledge. */
export interface Unacknowledged {
  readonly kind: 'subscription' | 'payment'
  readonly id: string
  readonly productId: string
  /** ISO 8601 UTC. */
  readonly boughtAt: string
  /** Customer that the store should keep with the purchase, which names none. */
  readonly customerId?: string
}

/** One page of everything that a provider has. */
export interface ListedPage extends Fetched {
  /** Cursor of the next page, to continue later; null after the last. */
  readonly cursor: string | null
}

/** Part to list: from a cursor on, and only objects newer than `since`, as far as the provider can filter. */
export interface ListFrom {
  readonly since?: Date
  readonly cursor?: string
}

/** Outcome of a change that must be paid or agreed to. */
export interface Changed extends Fetched {
  /**
   * https page on which the member agrees. Until then nothing has changed, and the rest of this answer does
   * not count.
   */
  readonly payUrl?: string | null
}

/** A merchant of record. */
export interface Seller {
  readonly name: string
  /** False if the site itself was the seller of older purchases. */
  readonly isAlways: boolean
}

/** Proof that a provider's deliveries may carry. */
export type Trust = 'body' | 'credentials' | 'ping'

/**
 * One payment provider. `read` and `changes` are synchronous; `changes` is pure, total and tolerant of every
 * API version. Its methods show its capabilities.
 */
export interface Provider {
  readonly key: string
  /** Capabilities that no method expresses. */
  readonly capabilities?: Flags
  /**
   * Price of every trial in minor units; free by default. `of_price` means that each price has its own,
   * unknown until it was read.
   */
  readonly trialAmount?: number | 'of_price'
  /** Company that sells in its own name instead of the site: contract, invoice and tax are its own. */
  readonly seller?: Seller
  /**
   * App stores whose purchases it reads. No other configured provider may read one of them, because both
   * would store the same purchase.
   */
  readonly stores?: readonly StoreName[]
  /** Meaning of its amounts: what the buyer paid (`gross`, the default), or what the store pays out (`net`). */
  readonly amounts?: 'gross' | 'net'
  /**
   * Names the store in which a member manages a subscription. A provider has it if nothing bought there can
   * be changed from here. Pure.
   */
  managedIn?(subscription: Pick<SubscriptionData, 'price_id' | 'product_id' | 'metadata'>): ManagedIn
  /**
   * Provider of each account's API key, if there are several. A call about an account uses that account's
   * key.
   */
  readonly accounts?: ReadonlyMap<string, Provider>
  /** Label of the account for calls that no object assigns to one; set by the core. */
  readonly account?: string
  /** Mode of the configured API key; absent when the key does not show it. */
  readonly livemode?: boolean
  /**
   * Proof that a delivery carries; `body`, a signature, by default. With `credentials` the sender is proven
   * but not the bytes: each object is fetched if `fetch` exists, else the body counts. A `ping` proves
   * nothing: only its touches are used, queued and fetched, and `verify` returns only the account. If one
   * address gets both kinds, the function decides per delivery; a delivery that claims a signature must
   * verify.
   */
  readonly trust?: Trust | ((delivery: Pick<Delivery, 'headers'>) => Exclude<Trust, 'credentials'>)
  /**
   * Verifies the raw bytes and returns the label of the matching secret. Any other error, or an answer after
   * ten seconds, means that verification was impossible now; the caller is not blamed.
   * @throws ERR_WEBHOOK_SIGNATURE when no secret matches; the reason contains no secret
   */
  verify(delivery: Delivery, secrets: readonly WebhookSecret[], now: Date): string | Promise<string>
  /** Headers that `read` needs besides the body, in lower case; they are stored with it. */
  readonly keeps?: readonly string[]
  /**
   * Decodes verified bytes. The same body and stored headers always give the same events.
   * @throws ERR_BODY_UNREADABLE
   */
  read(delivery: Delivery): ProviderEvent[]
  changes(event: ProviderEvent): readonly Change[]
  /**
   * Returns the headers that make `body` a delivery of this provider, if a secret is enough for that.
   * `webhooks send`, `doctor` and the testkit use it.
   */
  sign?(body: Buffer, secret: string, now: Date): Record<string, string>
  /** Reads one object through the API; null when the provider does not know it. */
  fetch?(ref: Ref): Promise<Fetched | null>
  checkout?(request: CheckoutRequest): Promise<Checkout>
  /**
   * Completes a purchase after the buyer agreed, for a provider that does not do so itself: takes the money,
   * or creates the subscription that a first payment allows. Returns the current checkout and its results,
   * even when nothing is left to do; null when the provider does not know it. It is called at each look at
   * the checkout, possibly by several processes at once. Its key is always the intent's. If the provider
   * forgets keys, earlier results are searched before anything is created. Until it is done, no event reports
   * the checkout as `complete`.
   * @throws ERR_PAYMENT_DECLINED when the buyer may try again on the same page
   */
  complete?(request: CompleteRequest): Promise<Fetched | null>
  /** Closes a checkout that must not be paid any more; null when it was already paid or closed. */
  expireCheckout?(checkoutId: string, call: Call): Promise<Fetched | null>
  portal?(request: PortalRequest): Promise<{ url: string }>
  /**
   * Changes price or quantity at once. A dearer change takes effect only when it is paid.
   * @throws ERR_PAYMENT_DECLINED when nothing was changed
   */
  swap?(request: SwapRequest): Promise<Changed>
  /** Previews the cost of a swap; sets `changes_at` if the provider can only do it later. */
  preview?(request: SwapRequest): Promise<Omit<InvoicePreview, 'changes_at'> & Partial<InvoicePreview>>
  /** Schedules another price or quantity for the end of the paid period, replacing an earlier schedule. */
  schedule?(request: ScheduleRequest): Promise<Changed>
  /** Undoes a scheduled change. */
  unschedule?(request: SubscriptionCall): Promise<Changed>
  cancel?(request: SubscriptionCall & { readonly when: 'period_end' | 'now' }): Promise<Fetched>
  /**
   * Removes items from a subscription whose other items go on. Nothing is charged or credited. A repetition
   * has no further effect.
   * @throws ERR_PROVIDER_UNSUPPORTED where the others cannot go on without them
   */
  removeItems?(request: RemoveRequest): Promise<Fetched>
  /**
   * Returns true if a call with this key, or with one that begins with it, scheduled the end. The provider's
   * log since then shows it.
   */
  endedBy?(request: SubscriptionCall & { readonly since: Date }): Promise<boolean>
  /**
   * Undoes a scheduled cancellation, or ends a pause. Ending a pause that has begun charges a new period,
   * which starts now.
   * @throws ERR_PAYMENT_DECLINED when the subscription stays paused
   */
  resume?(request: SubscriptionCall): Promise<Changed>
  /** Stops charges from the end of the paid period until `until`, when a new period begins and is charged. */
  pause?(request: PauseRequest): Promise<Fetched>
  /**
   * Reduces the next payment only, and stores `metadata` with the subscription. One that has that metadata
   * already was reduced before, and is returned unchanged.
   * @throws ERR_ACTION_REFUSED where a reduction runs already, and for a coupon that promises something else
   */
  discount?(request: DiscountRequest): Promise<Fetched>
  /** Returns the page on which an open invoice of the subscription is paid; null without one. */
  payUrl?(subscriptionId: string): Promise<string | null>
  /**
   * Returns the payer of a subscription, asked when it begins, so that each payer gets one trial. null when
   * the provider does not know it.
   */
  payerOf?(subscriptionId: string): Promise<Payer | null>
  updateCustomer?(update: CustomerUpdate): Promise<Fetched>
  /** Fetches every subscription of a customer, before an account is deleted. */
  subscriptionsOf?(customerId: string): Promise<Fetched>
  /**
   * Refunds a part of a payment, or all that is left of it.
   * @throws ERR_NOT_FOUND for an unknown payment, ERR_ACTION_REFUSED for more than is left
   */
  refund?(request: RefundRequest): Promise<Fetched>
  /**
   * Confirms that the site gave what was bought, at a store that refunds a purchase otherwise. A repetition
   * has no further effect.
   */
  acknowledge?(request: Omit<Unacknowledged, 'boughtAt'> & Call): Promise<void>
  /** Returns every invoice of a customer, in any order. */
  invoices?(customerId: string): Promise<readonly Omit<Invoice, 'account'>[]>
  invoiceSheet?: FindSheet
  prices?(): Promise<readonly CataloguePrice[]>
  /**
   * Lists the current state of every customer, subscription and payment, in pages, for comparing and for
   * filling an empty database. All pages, in any order and with repetitions, give the same result as all
   * events.
   * @throws ERR_USAGE for an invalid cursor
   */
  list?(from?: ListFrom): AsyncIterable<ListedPage>
  /** Yields the raw bytes of past events since then, in any order. */
  pull?(since: Date): AsyncIterable<Buffer>
  /** Events that `pull` yields; all by default. */
  readonly pulls?: 'refunds'
  /** Lists the webhook endpoints of the key's account. */
  endpoints?(): Promise<readonly ProviderEndpoint[]>
  /**
   * Makes or changes the webhook endpoint of one address. Returns its secret; null where the provider does
   * not show that again.
   */
  connect?(request: EndpointRequest): Promise<{ readonly secret: string | null }>
  /**
   * Alternative to `endpoints`: lists the objects that name a webhook address and will still cause events.
   */
  called?(): Promise<readonly CalledAddress[]>
  /** Pages of an in-process provider. */
  routes?(tools: RouteTools): Router
  /** Does what is due for an in-process provider: renewals and ends. Called every few seconds. */
  work?(): Promise<void>
  close?(): Promise<void>
}

/** Methods that change something at a provider. Only the guarded module calls them. */
export type ChangeMethods = Required<
  Pick<
    Provider,
    | 'checkout'
    | 'complete'
    | 'expireCheckout'
    | 'swap'
    | 'schedule'
    | 'unschedule'
    | 'cancel'
    | 'removeItems'
    | 'resume'
    | 'pause'
    | 'discount'
    | 'updateCustomer'
    | 'refund'
    | 'acknowledge'
    | 'connect'
  >
>

/** A provider that can be read but not changed. */
export interface ProviderReader extends Omit<Provider, keyof ChangeMethods | 'accounts'> {
  readonly accounts?: ReadonlyMap<string, ProviderReader>
}

/** Definition of a provider; `defineProvider` accepts a site's own. */
export interface ProviderDefinition<S extends z.ZodType = z.ZodType, Key extends string = string> {
  readonly key: Key
  /** The provider's own configuration keys under `membership.providers.{key}`, with every default. */
  readonly options: S
  /**
   * How live and test are told apart. `message`: every event says it, whichever secret signed it; an event
   * without it is held. `secret`: each mode has its own secrets. `host`: each mode has its own addresses. If
   * no event can say it, the configured mode counts.
   */
  readonly mode?: 'message' | 'secret' | 'host'
  /** Shapes of its secrets. */
  readonly secrets?: SecretShapes
  /** Prefix of product ids, for a provider that sells prices of products: a product named as a price is a mistake. */
  readonly products?: string
  /** Reasons for missing features, shown below the table of providers and on the provider's page. */
  readonly lacks?: Lacks
  /** Package that it needs to sell. A site without it gets a warning at the start. */
  readonly needs?: string
  /**
   * `by_address`: all purchases with one address belong to one customer, whoever typed it. The address then
   * decides the owner of a purchase, not the person who began it. `by_member`: a customer's id is the id that
   * `m.appUserId(user)` gave the app, so it names the member.
   */
  readonly customers?: 'by_address' | 'by_member'
  /**
   * True for an in-process provider: it makes its own secret, gives subscriptions away, and is refused in
   * production.
   */
  readonly inProcess?: boolean
  /** Published rate limit; background work uses a tenth of it. */
  readonly rate?: Rate
  /** Returns the decimal digits of this currency in the provider's amounts; ISO 4217's by default. */
  minorDigits?(currency: string): number
  create(context: ProviderContext<z.infer<S>>): Provider
  /** Address and proof of the test mode, for `membership providers certify`. */
  readonly testMode?: TestMode
  /** Loads the fake server that plays the provider in tests. */
  fake?(): Promise<OpenFakeServer>
}

/** Context for creating a provider; its options are parsed and have every default. */
export interface ProviderContext<O = unknown> {
  readonly options: O
  /** Configured mode: true live, false test; null if the site does not say and the API key must show it. */
  readonly livemode: boolean | null
  readonly now: () => Date
  readonly randomId: () => string
  readonly store: DocumentStore
  /** Returns the customer under whom this site stores a subscription of the provider; null for an unknown one. */
  readonly storedCustomer: (subscriptionId: string) => Promise<string | null>
  /** Plans configured for this provider. */
  readonly plans: () => readonly Plan[]
  /** Returns the newest secret that signs this provider's webhooks, of one account or of the first. */
  readonly webhookSecret: (label?: string) => string
  readonly log: Log
}

/** Tools for a provider's own pages. */
export interface RouteTools {
  readonly render: Render
  /** Texts in the visitor's language, as a part of a page's data. */
  readonly voiceOf: (ctx: Context) => Promise<Voice>
  readonly formToken: (ctx: Context) => string
  /** @throws ERR_CSRF when the form was not made for this browser */
  readonly checkForm: (ctx: Context, token: unknown) => void
  /** Counts a request against its sender; used before every page that asks the provider. */
  readonly limit: Middleware
  /** Shows an error to a browser. */
  readonly errorPage: ErrorPage
  /** The site's account page. */
  readonly accountPath: string
  readonly log: Log
}

/** Published rate limit of a provider. */
export interface Rate {
  readonly requests: number
  readonly seconds: number
  /** Limit in test mode, if it is lower. */
  readonly inTest?: number
  /** Page that states the limit, or that there is none. */
  readonly source: string
}

/** The test mode of a provider. It must be proved before anything is written there. */
export interface TestMode {
  /** Returns the address of its API; `site` is the account's name, if the address contains it. */
  base(site: string | null): string
  /** Path prefix of every request of the adapter, if `api_base` has to end with it. */
  readonly path?: string
  /**
   * `key`: the API key shows its mode. `host`: test mode has a separate address, which accepts no live key.
   * Otherwise a request whose answer shows the mode.
   */
  readonly proof: 'key' | 'host' | TestProof
}

/** A request that changes nothing and whose answer shows the key's mode. */
export interface TestProof {
  readonly path: string
  headers(secret: string): Readonly<Record<string, string>>
  isTest(answer: Json): boolean
}

/** A small document store for an in-process provider: documents by key, in the database. */
export interface DocumentStore {
  get<T>(key: string): Promise<T | null>
  put(key: string, value: unknown): Promise<void>
  /**
   * Replaces a document if it still equals `was` (null: it does not exist yet), together with other
   * documents. Returns false and writes nothing if somebody changed one of them meanwhile.
   */
  swap(
    change: { readonly key: string; readonly was: unknown; readonly value: unknown },
    others: ReadonlyMap<string, unknown>,
  ): Promise<boolean>
  list<T>(prefix: string): Promise<T[]>
  clear(): Promise<void>
}
