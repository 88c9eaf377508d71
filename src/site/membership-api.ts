import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Context, Middleware } from 'koa'
import type { Config } from '../core/config/index.ts'
import type { Invoice, InvoicePreview, Payment, PaymentData, Plan } from '../core/dto/index.ts'
import type { Route } from '../core/http/route-access.ts'
import type { OutboxFilter, QueuedMessage } from '../core/jobs/outbox.ts'
import type { Moment } from '../core/moment.ts'
import type { Render } from '../core/pages/index.ts'
import type { GateId, PlanId, PriceId, ProviderKey } from '../core/register.ts'
import type { Storage } from '../core/storage/index.ts'
import type { Voice } from '../core/words/index.ts'
import type { Deletion, ExportOf, Fields } from '../memberships/account/index.ts'
import type { Restored } from '../memberships/after-restore/after-restore.ts'
import type { AuditEntry, AuditRecord } from '../memberships/audit-log/index.ts'
import type {
  ActionDescription,
  ActionResult,
  BoughtAgain,
  DescribeInput,
  RefundInput,
} from '../memberships/checkout/index.ts'
import type { Import } from '../memberships/import/index.ts'
import type { Flash, GateOptions, Guard, User, Users, View } from '../memberships/members/index.ts'
import type { Merging } from '../memberships/merging/index.ts'
import type { Health } from '../memberships/monitoring/health.ts'
import type { Declaration, DeclarationQuery } from '../memberships/shop/index.ts'
import type { SwitchProvider } from '../memberships/switching/requests.ts'
import type { Assignment } from '../memberships/sync/assign.ts'
import type { Compare } from '../memberships/sync/compare.ts'
import type { Pull } from '../memberships/webhooks/pull.ts'
import type { Receive } from '../memberships/webhooks/receive.ts'
import type { ListedEvent, StoredEvent } from '../memberships/webhooks/statements.ts'
import type { Proration } from '../providers/contract.ts'
import type { ReportsApi } from '../reports/index.ts'
import type { FetchOrigin } from './hosts/web.ts'
import type { HostRequest } from './options.ts'

/** One independent membership: what templates ask, what hosts mount, and a noun for each thing that code works with. */
export interface Membership {
  /** The member of the running request. @throws ERR_NO_VIEW outside of one */
  user(): User | null
  /** One provider as the member of the running request sees it; the one for new checkouts unless named. */
  provider(key?: ProviderKey): ReturnType<View['provider']>
  /** True if any of the gates is open for the member of the running request. */
  allows(gate: GateId | readonly GateId[]): boolean
  plans(): readonly Plan[]
  /** Loads a visitor or member once; the view answers everything without waiting. */
  viewOf(subject: HostRequest | User | null): Promise<View>
  /** Runs `fn` as that member, or with a view that was loaded, for scripts, mails and tests. */
  runAs<T>(subject: User | View | null, fn: () => T): T

  /** Everything: the view of each request, and all routes. */
  koa(): Middleware
  /** The view alone, for a site that mounts the parts itself. */
  koaView(): Middleware
  /** Everything for plain Node and Express: other requests go to `next`, with the view in scope, and as
   *  `request.membership`. */
  listener(): (request: IncomingMessage, response: ServerResponse, next?: (error?: unknown) => void) => void
  /** Everything for web-standard servers: other requests go to `origin.next`, with the view in scope. `origin.address`
   *  is the address of the connection, which a request does not tell. */
  fetch(request: Request, origin?: FetchOrigin): Promise<Response>
  /** Koa middleware that lets members with any of the gates pass. */
  gate(gate: GateId | readonly GateId[], options?: GateOptions): Middleware
  /** Tells who may pass, for hosts that answer in their own way: `{ allowed: true }`, or `{ allowed: false, error }`. */
  guard(gate: GateId | readonly GateId[]): Guard<HostRequest | View>
  /** Every route, with what each kind of session may do there. */
  listRoutes(): readonly Route[]

  readonly users: UsersApi
  readonly sessions: SessionsApi
  readonly subscriptions: SubscriptionsApi
  readonly payments: PaymentsApi
  readonly invoices: InvoicesApi
  readonly checkout: CheckoutApi
  readonly webhooks: WebhooksApi
  readonly pages: PagesApi
  /** The website index. @throws ERR_CONFIG where none is configured */
  readonly reports: ReportsApi
  readonly operator: OperatorApi
  readonly storage: Storage

  /** Does the background work that is due now: failed events, objects to ask for, hooks and mails. */
  runDueJobs(): Promise<void>
  close(): Promise<void>
}

/** Members: found, made, given access, merged, exported and deleted. */
export interface UsersApi extends Users, Merging {
  /** The fields that the blueprint lets this member see, with their values. */
  readable(user: User): Record<string, unknown>
  fieldsOf(user: User): Fields
  /** Everything that is kept about a member. */
  export: ExportOf
  /** Gives a member another address, unproved until a login link that is sent there is opened. */
  setEmail(memberId: string, address: string): Promise<{ from: string | null; to: string }>
  /** Makes a login link to hand over, where no mail arrives. @throws ERR_NOT_FOUND, ERR_ACTION_REFUSED, and ERR_CONFIG
   *  without `membership.url` */
  loginLink(memberId: string): Promise<{ url: string; expiresAt: string }>
  /** Cancels at the providers first; goes on by itself when one of them is down. */
  delete(memberId: string): Promise<Deletion>
}

/** Logins: by a link in a mail, or by a host that knows who somebody is. */
export interface SessionsApi {
  /** The routes of login and logout, with the view. */
  koa(): Middleware
  /** Opens a session. `verified`: the person proved to own the member's address; else the session reads and cancels what
   *  is bought from now on, and does nothing more. */
  open(ctx: Context, memberId: string, verified: boolean): Promise<void>
  end(ctx: Context): Promise<void>
}

/** Purchases. */
export interface CheckoutApi {
  /** The routes of buying, and of what members do to their subscriptions, with the view. */
  koa(): Middleware
  /** Begins a purchase, and answers where it is paid. @throws ERR_PLAN_UNKNOWN, ERR_LOGIN_REQUIRED, ERR_CSRF,
   *  ERR_RATE_LIMIT, ERR_CHECKOUT_REFUSED, ERR_REFUSED, ERR_PROVIDER_UNSUPPORTED, ERR_PROVIDER_ANSWER */
  start(input: CheckoutInput): Promise<StartedCheckout>
}

/** Money that was paid. */
export interface PaymentsApi {
  /** A member's payments as they are now, newest first. */
  list(of: PaymentsOf): Promise<readonly Payment[]>
  /** Gives money back, in part or all that is left, and answers the payment as it is then. @throws ERR_NOT_FOUND,
   *  ERR_USAGE, ERR_ACTION_REFUSED, ERR_REFUSED, ERR_PROVIDER_UNSUPPORTED, ERR_PROVIDER_ANSWER */
  refund(input: RefundOf): Promise<Payment>
  /** Payments of which the provider does not say what they are for, oldest first. */
  unassigned(): Promise<readonly PaymentData[]>
  /** Says what such a payment is for. @throws ERR_USAGE */
  assign(assignment: Assignment): Promise<PaymentData>
}

/** A member's bills at the providers. */
export interface InvoicesApi {
  /** Newest first, of every customer that the member is. @throws ERR_PROVIDER_UNSUPPORTED where one of the providers
   *  lists none, ERR_PROVIDER_ANSWER */
  list(of: { readonly user: User; readonly provider?: ProviderKey }): Promise<readonly Invoice[]>
}

/** Events of providers. */
export interface WebhooksApi {
  /** The newest received events. */
  list(filter?: { failed?: boolean; provider?: ProviderKey; limit?: number }): Promise<readonly ListedEvent[]>
  /** One event, by its number or id. @throws ERR_NOT_FOUND */
  get(id: string): Promise<StoredEvent>
  /** Applies a received event again; false where it fails again. @throws ERR_NOT_FOUND, ERR_USAGE */
  replay(id: string): Promise<boolean>
  /** Applies an event that was held back. @throws ERR_NOT_FOUND, ERR_USAGE */
  release(id: string): Promise<boolean>
  /** The routes that providers post to. */
  koa(): Middleware
  /** Takes one delivery as a route would. */
  readonly receive: Receive
  readonly pull: Pull
  /** The signed headers of a delivery, with the provider's configured secret. */
  sign(provider: ProviderKey, body: Buffer): Record<string, string>
}

/** The pages of this package, and forms on the host's own. */
export interface PagesApi {
  /** The account pages of members, with the view. */
  koa(): Middleware
  readonly render: Render
  /** The hidden field that proves that a form was made for this browser: `(ctx)`, `(request, response)`, or of a
   *  web-standard request `{ token, headers }`. */
  readonly formToken: FormToken
  /** A whole form with one button. */
  readonly form: Form
  /** @throws ERR_CSRF */
  checkForm(ctx: Context, token: unknown): void
  /** The page for a visitor whom a gate stops, such as `onDenied` of a route, in the visitor's language. */
  readonly locked: LockedPage
  /** The words of a page in the visitor's language; spread it into the data of `render`. */
  voice(ctx: Context): Promise<Voice>
  /** What this browser just did here, in one line, with the form that takes it back where there is one; shown once. */
  flash(ctx: Context): Promise<Spoken | null>
}

/** The work of the site's own people: the office and the command line stand on the same calls. */
export interface OperatorApi {
  readonly config: Config
  /** Compares a provider's objects with those that stand here, and mends them with `write`. */
  readonly compare: Compare
  /** Takes over what a provider or a file has and this site lacks; nothing is written without `write`. */
  readonly import: Import
  /** Ends subscriptions at one provider with what is paid, so that their members go on at another. */
  readonly switch: SwitchProvider
  /** Ends what an older copy of the database would make good again; before the site starts. */
  afterRestore(input?: { readonly deleted?: readonly string[] }): Promise<Restored>
  /** The accounts whose deletion was asked for since then, oldest first. */
  deletedSince(since: Moment): Promise<readonly { readonly id: string; readonly at: string }[]>
  /** Cancellations and withdrawals that arrived by the public pages. */
  readonly declarations: DeclarationsApi
  /** Messages that wait or were given up: hooks, mails, calls to providers. */
  readonly outbox: OutboxApi
  /** The log of operators' actions; `during` notes an action of your own office around what does it. */
  readonly audit: AuditApi
  readonly catalogue: CatalogueApi
  /** The state of the providers: the troubles of now, and how messages arrive. */
  health(): Promise<Health>
  /** The OpenAPI 3.1 document of every route: what `GET /membership/openapi.json` answers. */
  openapi(): Promise<object>
}

/** Declarations of members: cancellations and withdrawals. */
export interface DeclarationsApi {
  list(query?: DeclarationQuery): Promise<readonly Declaration[]>
  /** Notes that a declaration was dealt with, and by whom. @throws ERR_NOT_FOUND */
  settle(id: string, by: string): Promise<Declaration>
}

/** Messages that leave this site. */
export interface OutboxApi {
  /** Waiting and given-up messages, oldest first, without their contents. */
  list(filter?: OutboxFilter): Promise<readonly QueuedMessage[]>
  /** Tries a message now that was given up, or that waits for its next try. @throws ERR_NOT_FOUND */
  replay(seq: number): Promise<void>
}

/** What operators did to members. */
export interface AuditApi {
  /** Does something between two notes: that it begins, and how it ended. What `after` makes of the result is kept. */
  during<T>(entry: AuditEntry, run: () => Promise<T>, after?: (result: T) => unknown): Promise<T>
  /** The newest first: all, or what was done to one member. `limit`: 1 to 500, 50 unless given. */
  list(filter?: { readonly member?: string; readonly limit?: number }): Promise<readonly AuditRecord[]>
}

/** Plans and prices as the providers have them. */
export interface CatalogueApi {
  /** Asks one provider now. @throws ERR_PROVIDER_ANSWER */
  refresh(provider: ProviderKey): Promise<void>
  /** True if a provider's prices could not be read for longer than a day; then what is shown may be old. */
  isStale(provider: ProviderKey): boolean
}

/** Whose payments: a member who was loaded, or the id of one. */
export type PaymentsOf = { readonly user: User } | { readonly memberId: string }

/** A refund: which payment, and how much of it. */
export type RefundOf = RefundInput

/** The digest that `describe` gave the member before; without it nothing is compared. */
export type Shown = { readonly shown?: string | null }

/** The subscription's owner. */
export type OwnSubscription = Who & { readonly subscriptionId: string }

/** The terms that it is to have; a term that is not said stays. */
export type ChangeTo = OwnSubscription & {
  readonly plan?: PlanId | null
  readonly price?: PriceId | null
  readonly quantity?: number | null
  readonly proration?: Proration | null
  /** The moment of the preview that was shown. */
  readonly prorationAt?: Moment | null
} & Shown

/** What members do to their subscriptions, for code on any host. Of a `request` the session counts as on our own routes; of
 *  a `user` the code vouches for what it does. Each action happens once, however often it is asked for.
 *  @throws ERR_NOT_FOUND, ERR_ACTION_REFUSED, ERR_REFUSED, ERR_PROVIDER_UNSUPPORTED, ERR_PROVIDER_ANSWER,
 *  ERR_SHOWN_CHANGED, and of a request ERR_LOGIN_REQUIRED, ERR_UNVERIFIED, ERR_CSRF, ERR_RATE_LIMIT */
export interface SubscriptionsApi {
  /** Another price or quantity, by the site's rules. */
  change(input: ChangeTo): Promise<ActionResult>
  /** Tells what a change costs, and when it counts. */
  preview(input: ChangeTo): Promise<InvoicePreview>
  /** At the end of what is paid unless told otherwise. */
  cancel(input: OwnSubscription & Shown & { readonly when?: 'period_end' | 'now' }): Promise<ActionResult>
  /** Takes back a cancellation, or ends a pause. */
  resume(input: OwnSubscription & Shown): Promise<ActionResult>
  /** Lets a membership go on: takes an end back, leads to the open invoice, or says what to buy again. */
  renew(input: OwnSubscription & Shown): Promise<RenewResult>
  /** Pauses until a moment, else for as long as the site allows. */
  pause(input: OwnSubscription & Shown & { readonly until?: Moment | null }): Promise<ActionResult>
  /** Previews an action, decided as the action itself decides it, with the digest that confirms it. */
  describe(input: DescribeInput): Promise<ActionDescription>
  /** The provider's page for cards and invoices. */
  portal(input: PortalInput): Promise<{ readonly url: string }>
}

/** Which portal, and the way back. */
export type PortalInput = Who & {
  readonly provider?: ProviderKey | null
  readonly subscriptionId?: string | null
  readonly returnUrl?: string
  readonly localUrl?: string
}

/** A purchase that code begins: for a member, or for whoever sends a request. */
export type CheckoutInput = Who & Offer & CheckoutTerms

/** What is bought: a price by its id or look-up key, or a plan; a plan alone is enough where it has one price. */
export type Offer =
  | { readonly price: PriceId; readonly plan?: PlanId }
  | { readonly plan: PlanId; readonly price?: PriceId }

/** The terms of a purchase. */
export interface CheckoutTerms {
  readonly quantity?: number
  readonly currency?: string
  /** A promotion code as the buyer typed it. */
  readonly code?: string
  /**
   * The text that your own page had the buyer agree to, word for word: kept with the purchase, and repeated in its
   * mail.
   */
  readonly consent?: string
  /** The seller; the provider for new checkouts unless given. */
  readonly provider?: ProviderKey
  /** The path on this site where the buyer goes on afterwards; `/` unless given. */
  readonly redirect?: string
}

/** A purchase that has begun. */
export interface StartedCheckout {
  /** The address where the buyer is sent to pay. */
  readonly url: string
  readonly intentId: string
  /** The headers that the answer to a web-standard request has to set; empty elsewhere. */
  readonly headers: Headers
}

/** What lets a membership go on: done, a page where it is paid, or what to buy again. */
export type RenewResult =
  | { readonly done: ActionResult }
  | { readonly payUrl: string }
  | { readonly buy: BoughtAgain }

/** A button: what a view's `subscriptionAction` gives, with what stands on it. */
export interface FormInput {
  /** The address to which the form is posted; null makes no form. */
  readonly url: string | null
  readonly fields?: Readonly<Record<string, string>>
  readonly label: string
}

/** The token of a form, on every host; its cookie is set on the answer, or handed over where that is the host's to make. */
export interface FormToken {
  (ctx: Context): string
  (request: IncomingMessage, response: ServerResponse): string
  (request: Request): { readonly token: string; readonly headers: Headers }
}

/** The same as a whole form. */
export interface Form {
  (ctx: Context, input: FormInput): string
  (request: IncomingMessage, response: ServerResponse, input: FormInput): string
  (request: Request, input: FormInput): { readonly html: string; readonly headers: Headers }
}

/** The requester of an action in code: a member, or whoever sends a request, with what their session may do. */
export type Who =
  | { readonly user: User; readonly request?: undefined }
  | {
      readonly request: HostRequest
      readonly user?: undefined
      /** Node's answer, where cookies are set. */
      readonly response?: ServerResponse
      /** The address that a web-standard request comes from, where no proxy says it. */
      readonly address?: string
    }

/** One line about what was just done, and the form that takes it back where there is one. */
export interface Spoken {
  readonly code: Flash['code']
  readonly sentence: string
  readonly undo: {
    readonly url: string
    readonly fields: Readonly<Record<string, string>>
    readonly label: string
  } | null
}

/** The page that stands in place of a locked one, on every host: what opens it, what that costs, and the login that leads
 *  back. The cookie of its forms is set on the answer, or handed over where that is the host's to make. */
export interface LockedPage {
  (ctx: Context, gates: readonly string[]): Promise<string>
  (request: IncomingMessage, response: ServerResponse, gates: readonly string[]): Promise<string>
  (request: Request, gates: readonly string[]): Promise<{ readonly html: string; readonly headers: Headers }>
}
