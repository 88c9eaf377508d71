import type Router from '@koa/router'
import type { Context, Middleware } from 'koa'
import type { z } from 'zod'
import type { Checkout, FindSheet, Invoice, InvoicePreview, Plan } from '../core/dto/index.ts'
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
  Flags,
  PauseRequest,
  Payer,
  PortalRequest,
  RefundRequest,
  ScheduleRequest,
  SubscriptionCall,
  SwapRequest,
} from './calls.ts'
import type { DocumentStore } from './document-store.ts'
import type { CalledAddress, ProviderEndpoint } from './endpoints.ts'
import type { Lacks } from './features.ts'
import type { Rate } from './rate.ts'
import type { SecretShapes } from './secret-shapes.ts'
import type { Change, Ref } from './snapshots.ts'

export type * from './calls.ts'
export type * from './document-store.ts'
export type * from './snapshots.ts'

/** The raw bytes of one webhook request with its headers (lower-case names). */
export interface Delivery {
  readonly body: Buffer
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

/** One secret with the label that becomes the event's `account`; '' for an unlabelled secret. */
export interface WebhookSecret {
  readonly label: string
  readonly secret: string
}

/** One provider message, decoded. `object` is whatever `changes` of the same provider needs. */
export interface ProviderEvent {
  /** The provider's id, or null where it has none: then it is known by the body's hash and its place in the body. */
  readonly id: string | null
  readonly type: string
  /** ISO 8601, of any width and offset; nine digits of a second count. */
  readonly occurred_at: string
  /** null when the message does not say: then the configured mode counts. */
  readonly livemode: boolean | null
  /** The id of the object the message is about, for people who look for it; null when unknown. */
  readonly object_id: string | null
  readonly object: unknown
}

/** Result of a fetch: the object now, and the provider's moment of it. */
export interface Fetched {
  readonly changes: readonly Change[]
  /** The provider's `Date` less the time the call took less one second, ISO 8601 UTC. */
  readonly at: string
}

/** One page of all that a provider has. */
export interface ListedPage extends Fetched {
  /** Cursor of the next page, to continue later; null after the last. */
  readonly cursor: string | null
}

/** Which part of it: from a cursor on, and only what is as young as `since`, as far as the provider can tell. */
export interface ListFrom {
  readonly since?: Date
  readonly cursor?: string
}

/** Outcome of a change that has to be paid, or agreed to. */
export interface Changed extends Fetched {
  /** Page on which the member agrees, over https: until then nothing has changed, and nothing else of this answer counts. */
  readonly payUrl?: string | null
}

/** A merchant of record. */
export interface Seller {
  readonly name: string
  /** False where the site itself was the seller of older purchases. */
  readonly isAlways: boolean
}

/** Proof that a provider's deliveries may carry. */
export type Trust = 'body' | 'credentials' | 'ping'

/**
 * One payment provider. `read` and `changes` are synchronous; `changes` is pure, total and tolerant of every API
 * version. What it can do is told by the methods that it has.
 */
export interface Provider {
  readonly key: string
  /** Flags that no method can express. */
  readonly capabilities?: Flags
  /** Minor units that the trial of every price costs; `of_price`: each price says it, and until it was read nobody
   *  knows. Free unless given. */
  readonly trialAmount?: number | 'of_price'
  /** The company that sells in its own name where the site does not: contract, invoice and tax are its own. */
  readonly seller?: Seller
  /** The account of each API key, where there are several; a call about an account goes by its own key. */
  readonly accounts?: ReadonlyMap<string, Provider>
  /** The label of the account that calls belong to which no object decides: set by the core. */
  readonly account?: string
  /** Which mode the configured API key belongs to; absent when it does not tell. */
  readonly livemode?: boolean
  /** Proof that a delivery carries: its `body`, by a signature, unless said. `credentials`: who sent it, and not its bytes, so
   *  that each object it tells of is asked for where `fetch` is there; else the body counts. `ping`: nothing; of its
   *  changes the touches alone are taken, queued and asked for, and `verify` says no more than whose account it is.
   *  Where one address gets both, each delivery says which it is: what claims to be signed has to verify. */
  readonly trust?: Trust | ((delivery: Pick<Delivery, 'headers'>) => Exclude<Trust, 'credentials'>)
  /** Verifies over the raw bytes and returns the label of the secret that matched. Whatever else it throws, and an
   *  answer that takes longer than ten seconds, say that it could not be verified now: nobody is blamed for that.
   *  @throws ERR_WEBHOOK_SIGNATURE when none does, with a reason that holds no secret. */
  verify(delivery: Delivery, secrets: readonly WebhookSecret[], now: Date): string | Promise<string>
  /** Headers that `read` needs beyond the body, by their lower-case names: they are kept with it. */
  readonly keeps?: readonly string[]
  /** Decodes verified bytes: the same events from the same body and kept headers, always. @throws ERR_BODY_UNREADABLE */
  read(delivery: Delivery): ProviderEvent[]
  changes(event: ProviderEvent): readonly Change[]
  /** The headers that make `body` a delivery of this provider, where a secret is enough to make one: for
   *  `webhooks send`, `doctor` and the testkit. */
  sign?(body: Buffer, secret: string, now: Date): Record<string, string>
  /** Reads one object through the API; null when the provider does not know it. */
  fetch?(ref: Ref): Promise<Fetched | null>
  checkout?(request: CheckoutRequest): Promise<Checkout>
  /**
   * Does what is left to do when the buyer has agreed, for a provider that does not do it by itself: takes the money,
   * makes the subscription that a first payment allows. Answers the checkout as it stands, with what it led to, also
   * when nothing is to be done, yet or any more; null when the provider does not know it. It is called whenever the
   * checkout is looked at, by several processes at once perhaps: its key is the intent's for ever, and where the provider
   * forgets keys, what was made is looked for before it is made again. Until it is done, nothing tells the checkout as
   * `complete`.
   * @throws ERR_PAYMENT_DECLINED, and the buyer may try again on the same page
   */
  complete?(request: CompleteRequest): Promise<Fetched | null>
  /** Closes a checkout that nobody shall pay any more; null when it was paid or closed before. */
  expireCheckout?(checkoutId: string, call: Call): Promise<Fetched | null>
  portal?(request: PortalRequest): Promise<{ url: string }>
  /** Another price or quantity at once. What is dearer counts when it is paid, and not before.
   *  @throws ERR_PAYMENT_DECLINED, and nothing was changed */
  swap?(request: SwapRequest): Promise<Changed>
  /** Previews the cost of a swap; `changes_at` where the provider can only do it later. */
  preview?(request: SwapRequest): Promise<Omit<InvoicePreview, 'changes_at'> & Partial<InvoicePreview>>
  /** Another price or quantity from the end of what is paid, in place of one that was scheduled before. */
  schedule?(request: ScheduleRequest): Promise<Changed>
  /** Takes back what was scheduled. */
  unschedule?(request: SubscriptionCall): Promise<Changed>
  cancel?(request: SubscriptionCall & { readonly when: 'period_end' | 'now' }): Promise<Fetched>
  /** True if a call of this key, or of one that begins so, set it to end, as its record since then says. */
  endedBy?(request: SubscriptionCall & { readonly since: Date }): Promise<boolean>
  /** Takes back a scheduled cancellation, or ends a pause: one that has begun by paying a period that begins now.
   *  @throws ERR_PAYMENT_DECLINED, and it is paused still */
  resume?(request: SubscriptionCall): Promise<Changed>
  /** Nothing is charged from the end of what is paid until `until`, when a new period begins and is paid. */
  pause?(request: PauseRequest): Promise<Fetched>
  /** The page on which an open invoice of the subscription is paid; null when nothing is open. */
  payUrl?(subscriptionId: string): Promise<string | null>
  /** Payer of the subscription: asked when it begins, so that a trial is given once. Null when the provider does not know it. */
  payerOf?(subscriptionId: string): Promise<Payer | null>
  updateCustomer?(update: CustomerUpdate): Promise<Fetched>
  /** Every subscription of a customer as it is now: before an account is deleted. */
  subscriptionsOf?(customerId: string): Promise<Fetched>
  /** Gives back a part of a payment, or all that is left of it.
   *  @throws ERR_NOT_FOUND for a payment that it does not know, ERR_ACTION_REFUSED for more than is left */
  refund?(request: RefundRequest): Promise<Fetched>
  /** Every bill of a customer, in any order. */
  invoices?(customerId: string): Promise<readonly Omit<Invoice, 'account'>[]>
  invoiceSheet?: FindSheet
  prices?(): Promise<readonly CataloguePrice[]>
  /** Every customer, subscription and payment as it is now, in pages: for comparing, and for an empty database. Whoever
   *  takes in all pages in any order, some of them again, has what all messages would have brought.
   *  @throws ERR_USAGE for a cursor that is none */
  list?(from?: ListFrom): AsyncIterable<ListedPage>
  /** The raw bytes of past events since then, in any order. */
  pull?(since: Date): AsyncIterable<Buffer>
  /** Lists the webhook endpoints of the key's account. */
  endpoints?(): Promise<readonly ProviderEndpoint[]>
  /** In place of that: of each object that names an address, and will have messages. */
  called?(): Promise<readonly CalledAddress[]>
  /** Pages of its own, where the provider lives in the process. */
  routes?(tools: RouteTools): Router
  /** Does what is due by the clock, for a provider that lives in the process: renewals, ends. Called every few seconds. */
  work?(): Promise<void>
  close?(): Promise<void>
}

/** The methods that change something at a provider. Only the guarded module of changes calls them. */
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
    | 'resume'
    | 'pause'
    | 'updateCustomer'
    | 'refund'
  >
>

/** A provider that can be read, and not changed. */
export interface ProviderReader extends Omit<Provider, keyof ChangeMethods | 'accounts'> {
  readonly accounts?: ReadonlyMap<string, ProviderReader>
}

/** Definition of a provider; `defineProvider` accepts one from a site. */
export interface ProviderDefinition<S extends z.ZodType = z.ZodType, Key extends string = string> {
  readonly key: Key
  /** The provider's own configuration keys under `membership.providers.{key}`, with every default. */
  readonly options: S
  /** Way of telling live from test. `message`: every message says it, whichever secret signed; one that does not is held
   *  back. `secret`: each mode has secrets of its own. `host`: each mode has addresses of its own. Where no message can
   *  say it, it is of the configured mode. */
  readonly mode?: 'message' | 'secret' | 'host'
  /** Shapes of its secrets. */
  readonly secrets?: SecretShapes
  /** Why it cannot do what others can; stands under the table of providers, and on its page. */
  readonly lacks?: Lacks
  /** The package without which it cannot sell. A site that sells without it is told at the start. */
  readonly needs?: string
  /** `by_address`: all that is bought with one address is one customer's, whoever typed it. Then the address says whose a
   *  purchase is, and not who began it. */
  readonly customers?: 'by_address'
  /** Lives in the process: it makes its own secret, gives memberships away, and is refused in production. */
  readonly inProcess?: boolean
  /** Published rate limit: what nobody waits for uses a tenth of them. */
  readonly rate?: Rate
  /** Digits after the point of an amount in this currency, as the provider's numbers have them; ISO 4217's unless given. */
  minorDigits?(currency: string): number
  create(context: ProviderContext<z.infer<S>>): Provider
  /** Loads the provider's fake server, which plays the provider's side in tests. */
  fake?(): Promise<OpenFakeServer>
}

/** Context that a provider is created with; its options are parsed, with every default in place. */
export interface ProviderContext<O = unknown> {
  readonly options: O
  /** The configured mode: true live, false test; null where the site says nothing and the API key has to tell. */
  readonly livemode: boolean | null
  readonly now: () => Date
  readonly randomId: () => string
  readonly store: DocumentStore
  /** The plans configured for this provider. */
  readonly plans: () => readonly Plan[]
  /** The newest secret that signs this provider's webhooks. */
  readonly webhookSecret: () => string
  readonly log: Log
}

/** Tools for a provider's own pages. */
export interface RouteTools {
  readonly render: Render
  /** Voice in the visitor's language: a part of a page's data. */
  readonly voiceOf: (ctx: Context) => Promise<Voice>
  readonly formToken: (ctx: Context) => string
  /** @throws ERR_CSRF when the form was not made for this browser */
  readonly checkForm: (ctx: Context, token: unknown) => void
  /** Counts a request against whoever sends it: before every page that asks the provider. */
  readonly limit: Middleware
  /** Says to a browser what went wrong. */
  readonly errorPage: ErrorPage
  /** The site's account page. */
  readonly accountPath: string
  readonly log: Log
}
