import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Context, Middleware } from 'koa'
import type { Limit, Shop } from '../core/access/index.ts'
import type { Config } from '../core/config/index.ts'
import type {
  Invoice,
  InvoicePreview,
  NamedPlan,
  Payment,
  PaymentData,
  Subscription,
} from '../core/dto/index.ts'
import type { Route } from '../core/http/route-access.ts'
import type { OutboxFilter, QueuedMessage } from '../core/jobs/outbox.ts'
import type { Listing } from '../core/listing.ts'
import type { Moment } from '../core/moment.ts'
import type { Render } from '../core/pages/index.ts'
import type { Names, ProviderKey, RegisteredNames } from '../core/register.ts'
import type { Storage } from '../core/storage/index.ts'
import type { Voice } from '../core/words/index.ts'
import type { Deletion, ExportOf, Fields } from '../memberships/account/index.ts'
import type { Restored } from '../memberships/after-restore/index.ts'
import type { AuditEntry, AuditRecord } from '../memberships/audit-log/index.ts'
import type {
  ActionDescription,
  ActionResult,
  BoughtAgain,
  DescribeInput,
  RefundInput,
} from '../memberships/checkout/index.ts'
import type { FileLink, MemberFeed } from '../memberships/downloads/index.ts'
import type { Gift, GiftQuery, NewCodes } from '../memberships/gifts/index.ts'
import type { Group, GroupSeat, Invitation, Removal } from '../memberships/groups/index.ts'
import type { Import } from '../memberships/import/index.ts'
import type { LimitCorrection, Limits } from '../memberships/limits/index.ts'
import type {
  Flash,
  GateOptions,
  GateTerms,
  Guard,
  ListedMember,
  MemberPage,
  MemberQuery,
  NewGrant,
  User,
  Users,
  View,
} from '../memberships/members/index.ts'
import type { Merging } from '../memberships/merging/index.ts'
import type { Health } from '../memberships/monitoring/index.ts'
import type { Raise, RaisedMember, RaisePlan, RaiseRequest } from '../memberships/raises/index.ts'
import type { Declaration, DeclarationQuery } from '../memberships/shop/index.ts'
import type { SwitchProvider } from '../memberships/switching/index.ts'
import type {
  Assignment,
  CompareRequest,
  Comparison,
  ConnectInput,
  Connection,
  ForeignLists,
  KeepForeignRequest,
} from '../memberships/sync/index.ts'
import type { EventQuery, ListedEvent, Pull, Receive, StoredEvent } from '../memberships/webhooks/index.ts'
import type { Proration } from '../providers/contract.ts'
import type { ReportsApi } from '../reports/index.ts'
import type { LeakOptions, LeakReport } from './doctor/leaks.ts'
import type { FetchOrigin } from './hosts/web.ts'
import type { HostRequest } from './options.ts'
import type { Visitor } from './pages/index.ts'

// @types/koa asks for this name. Version 2 of content-disposition, which Express brings, has types of its own without it.
declare module 'content-disposition' {
  interface Options {}
}

/**
 * One independent membership: questions for templates, handlers for hosts, and a namespace for each thing
 * that code works with.
 */
export interface Membership<N extends Names = RegisteredNames> {
  /** Returns the member of the running request. @throws ERR_NO_VIEW outside of a request */
  user(): User<N> | null
  /**
   * Returns a provider as the member of the running request sees it; the one for new checkouts by default.
   */
  provider(key?: ProviderKey): ReturnType<View<N>['provider']>
  /** Returns true if any of the gates is open for the member of the running request. */
  allows(gate: N['gates'] | readonly N['gates'][]): boolean
  /** Lists the site's plans with their prices. */
  plans(): readonly NamedPlan<N>[]
  /** Loads a visitor or member once; the view then answers everything synchronously. */
  viewOf(subject: HostRequest | User<N> | null): Promise<View<N>>
  /** Runs `fn` as a member, or with a loaded view, for scripts, mails and tests. */
  runAs<T>(subject: User | View | null, fn: () => T): T

  /**
   * Returns the id of a member in the site's app: a UUID that stays the same. The app hands it to the store,
   * or to RevenueCat as the app user id, and its purchases become the member's.
   */
  appUserId(member: MemberOrId): Promise<string>

  /** Middleware with everything: the view of each request, and all routes. */
  koa(): Middleware
  /** Middleware with the view alone, for a site that mounts the parts itself. */
  koaView(): Middleware
  /**
   * Handler with everything, for plain Node and Express. Other requests go to `next`, with the view in scope
   * and as `request.membership`.
   */
  listener(): (request: IncomingMessage, response: ServerResponse, next?: (error?: unknown) => void) => void
  /**
   * Handler with everything, for web-standard servers. Other requests go to `origin.next`, with the view in
   * scope. `origin.address` is the address of the connection, which the request itself does not contain.
   */
  fetch(request: Request, origin?: FetchOrigin): Promise<Response>
  /** Koa middleware that admits members with any of the gates. */
  gate(gate: N['gates'] | readonly N['gates'][], options?: GateOptions): Middleware
  /**
   * Decides access for hosts that write their own answer: `{ allowed: true }`, or `{ allowed: false, error
   * }`.
   */
  guard(gate: N['gates'] | readonly N['gates'][], terms?: GateTerms): Guard<HostRequest | View>
  /** Lists every route, with what each kind of session may do there. */
  listRoutes(): readonly Route[]
  readonly limits: LimitsApi<N>
  readonly files: FilesApi
  readonly feeds: FeedsApi

  readonly users: UsersApi<N>
  readonly sessions: SessionsApi
  readonly subscriptions: SubscriptionsApi<N>
  readonly payments: PaymentsApi
  readonly invoices: InvoicesApi
  readonly checkout: CheckoutApi<N>
  readonly gifts: GiftsApi
  readonly teams: TeamsApi
  readonly raises: RaisesApi
  readonly webhooks: WebhooksApi
  readonly pages: PagesApi
  /** The website index. @throws ERR_CONFIG when none is configured */
  readonly reports: ReportsApi
  readonly operator: OperatorApi
  /** @internal `read` works through 2.x, and is logged. Tables change with any release. */
  readonly storage: Storage

  /** @deprecated Use `limits.use`. */
  readonly use: Limits<N>['use']
  /** @deprecated Use `limits.release`. */
  readonly release: Limits<N>['release']
  /** @deprecated Use `limits.reserve`. */
  readonly reserve: Limits<N>['reserve']
  /** @deprecated Use `teams`. */
  readonly groups: TeamsApi
  /** @deprecated Use `raises`. */
  readonly prices: RaisesApi

  /** Runs the background work that is due now: failed events, fetches, hooks and mails. */
  runDueJobs(): Promise<void>
  /** Ends the background work, and closes the database. */
  close(): Promise<void>
}

/** Counted allowances: what a member may use, how often, and what is left. */
export interface LimitsApi<N extends Names = RegisteredNames> {
  /**
   * Takes from a counted allowance. A repeated `key` takes nothing again within 30 days.
   * @throws ERR_LIMIT with the offers that give more, ERR_NOT_FOUND, ERR_USAGE, ERR_BUSY
   */
  readonly use: Limits<N>['use']
  /**
   * Returns a used amount to the allowance: everything that a key took, or a given amount.
   * @throws ERR_NOT_FOUND, ERR_USAGE
   */
  readonly release: Limits<N>['release']
  /**
   * Reserves an amount for work that may fail. The reservation expires after a time.
   * @throws ERR_LIMIT, ERR_USAGE
   */
  readonly reserve: Limits<N>['reserve']
  /** Lists every limit of the site's plans, with the member's current numbers. */
  list(member: MemberOrId): Listing<readonly Limit[], Limit>
  /**
   * Adds credit (above 0), or takes from the allowance (below 0), with a reason.
   * @throws ERR_LIMIT, ERR_NOT_FOUND, ERR_USAGE
   */
  correct(correction: ByMember<LimitCorrection, 'memberId'>): ReturnType<Limits['correct']>
}

/** Private files: links that belong to one member and open for minutes. */
export interface FilesApi {
  /**
   * Makes a link to a file for one member. The gate is asked again at each download.
   * @throws ERR_USAGE, ERR_CONFIG, ERR_GATE_UNKNOWN
   */
  url(member: MemberOrId, path: string, link: FileLink): string
  /** Ends every link that a member has. */
  revoke(member: MemberOrId): Promise<void>
}

/** Private feeds: an address for each member, at which the feed is written with that member's view. */
export interface FeedsApi {
  /** Returns the member's own address of a feed. It stays the same until it is revoked. @throws ERR_NOT_FOUND */
  url(member: MemberOrId, path: string): Promise<string>
  /** Lists a member's addresses, without their tokens. */
  list(member: MemberOrId): Listing<readonly MemberFeed[], MemberFeed>
  /** Ends a member's address of a feed, or all of them. The next `url` makes a new one. @throws ERR_NOT_FOUND */
  revoke(member: MemberOrId, path?: string): Promise<void>
}

/** Price raises, for operators. */
export interface RaisesApi {
  /**
   * Lists the members of a raise, with what it would do. Changes nothing.
   * @throws ERR_USAGE, ERR_BUSY while prices are read for the first time, ERR_PROVIDER_ANSWER
   */
  plan(request: RaiseRequest): Promise<RaisePlan>
  /**
   * Begins a raise: sends the notices. Begun again after an interruption, it goes on.
   * @throws ERR_USAGE, ERR_BUSY, ERR_NO_MAIL, ERR_PROVIDER_UNSUPPORTED, ERR_PROVIDER_ANSWER
   */
  raise(request: RaiseRequest, by: string): Promise<RaisePlan>
  /** Lists the raises, newest first, in pages of 200. */
  list(): Listing<readonly Raise[], Raise>
  /** Returns one raise, with the number of subscriptions in each state. @throws ERR_NOT_FOUND */
  get(id: string): Promise<Raise>
  /** The same as `get`. @throws ERR_NOT_FOUND */
  show(id: string): Promise<Raise>
  /** Keeps everything as it is until `resume`. @throws ERR_NOT_FOUND, ERR_USAGE */
  stop(id: string, by?: string): Promise<Raise>
  /** Continues a stopped raise. @throws ERR_NOT_FOUND, ERR_USAGE */
  resume(id: string, by?: string): Promise<Raise>
  /** Undoes a raise for everybody who was not charged the new price yet. @throws ERR_NOT_FOUND */
  undo(id: string, by?: string): Promise<Raise>
  /** Pauses the raise of a member whose notice bounced. Returns the number of subscriptions. */
  noticeBounced(raiseId: string, email: string): Promise<number>
  /** Sends a bounced notice again. Its days count anew. Returns the number of subscriptions. */
  noticeAgain(raiseId: string, email: string): Promise<number>
  /** Lists a page of a raise's subscriptions, after the given one. */
  members(
    id: string,
    after: { account: string; subscription_id: string },
    limit: number,
  ): Promise<RaisedMember[]>
}

/** Finds, creates, merges, exports and deletes members, and grants them access. */
export interface UsersApi<N extends Names = RegisteredNames> extends Users<N>, Merging {
  /** Returns a member; after a merge, the account that was kept. @throws ERR_NOT_FOUND */
  get(id: string): Promise<User<N>>
  /**
   * Lists members in pages: all of them, or those that a search word or a subscription finds. `for await`
   * visits them all.
   * @throws ERR_USAGE for an unknown key or status
   */
  list(query?: MemberQuery<N>): Listing<MemberPage, ListedMember>
  /** Returns the fields that the blueprint lets this member see, with their values. */
  readable(user: User): Record<string, unknown>
  /** Returns the fields of the blueprint by name, with what this member may read and change. */
  fieldsOf(user: User): Fields
  /** Exports everything that is stored about a member. @throws ERR_NOT_FOUND */
  export(member: MemberOrId): ReturnType<ExportOf>
  /**
   * Gives access by hand and returns the grant's id. A merged account's grant goes to the account that was
   * kept.
   * @throws ERR_NOT_FOUND for a member who does not exist
   */
  grant(grant: ByMember<NewGrant<N> & Acting, 'memberId'>): Promise<string>
  /** Revokes a grant. Revoking it again changes nothing. @throws ERR_NOT_FOUND for a grant that does not exist */
  revoke(grantId: string, by?: string): Promise<void>
  /** Gives a member another address. It stays unverified until a login link sent there is opened. */
  setEmail(member: MemberOrId, address: string, by?: string): Promise<{ from: string | null; to: string }>
  /**
   * Makes a login link to hand over when no mail arrives.
   * @throws ERR_NOT_FOUND, ERR_ACTION_REFUSED, and ERR_CONFIG without `membership.url`
   */
  loginLink(member: MemberOrId, by?: string): Promise<{ url: string; expiresAt: string }>
  /**
   * Deletes a member, and cancels at the providers before. If one of them is down, the deletion continues by
   * itself later.
   */
  delete(member: MemberOrId, by?: string): Promise<Deletion>
  /** Finds the member by the `userId` that `identify` gave; null for a person who has not visited yet. */
  findByLogin(userId: string): Promise<User | null>
  /**
   * Deletes the member of a user who was deleted in the site's login, by the `userId` that `identify` gave.
   * Returns null for an unknown id. An account that another user of the login shares, after a merge, stays.
   */
  deleteByLogin(userId: string): Promise<Deletion | null>
}

/** Logins: by a link in a mail, or by a host that has identified the person. */
export interface SessionsApi {
  /** Routes of login and logout, with the view. */
  koa(): Middleware
  /**
   * Opens a session. `verified` means that the person proved to own the member's address. Otherwise the
   * session can only read, pay, and cancel what is bought from now on. Give `since` where it continues an
   * unverified session: it may then cancel what is bought from that moment on.
   */
  open(ctx: Context, member: MemberOrId, verified: boolean, since?: string): Promise<void>
  /** Ends the session of this browser. */
  end(ctx: Context): Promise<void>
}

export interface CheckoutApi<N extends Names = RegisteredNames> {
  /** Routes of checkout and of members' actions on their subscriptions, with the view. */
  koa(): Middleware
  /**
   * Begins a purchase, and returns the address where it is paid.
   * @throws ERR_PLAN_UNKNOWN, ERR_LOGIN_REQUIRED, ERR_CSRF, ERR_RATE_LIMIT, ERR_CHECKOUT_REFUSED,
   *   ERR_REFUSED, ERR_PROVIDER_UNSUPPORTED, ERR_PROVIDER_ANSWER
   */
  start(input: CheckoutInput<N>): Promise<StartedCheckout>
}

/** Teams whose seats one subscription pays for: `plans.{plan}.seats`. */
export interface TeamsApi {
  /**
   * Invites an address to a seat, which the invitation holds for 14 days; again, its mail is sent once more.
   * @throws ERR_NOT_FOUND, ERR_FORM, ERR_ACTION_REFUSED where no seat is free
   */
  invite(input: Invitation & Acting): Promise<GroupSeat>
  /** Ends a seat, or withdraws its invitation. @throws ERR_NOT_FOUND */
  remove(input: Removal): Promise<void>
  /** Gives up a member's own seat. @throws ERR_NOT_FOUND */
  leave(input: ByMember<{ readonly subscriptionId: string; readonly user: User }, 'user'>): Promise<void>
  /** Hands the group over to a member who has a seat; the buyer goes on paying. @throws ERR_NOT_FOUND */
  transfer(input: { readonly subscriptionId: string; readonly to: string }): Promise<void>
  /** Returns the group of a subscription. @throws ERR_NOT_FOUND */
  get(subscriptionId: string): Promise<Group>
  /** The same as `get`. @throws ERR_NOT_FOUND */
  find(subscriptionId: string): Promise<Group>
  /**
   * Lists the groups that a member pays for or manages, and the member's own seats. A loaded member has those
   * of the moment when it was loaded; an id has the current ones.
   */
  of(
    member: MemberOrId,
  ): Promise<{ readonly managed: readonly Group[]; readonly seats: readonly GroupSeat[] }>
}

/** Gifts of a plan's time: bought by members, or created by hand. */
export interface GiftsApi {
  /** Lists the gifts that a member bought for others, and the member's own. */
  of(member: MemberOrId): Promise<{ readonly bought: readonly Gift[]; readonly own: readonly Gift[] }>
  /**
   * Redeems a gift for a member. Repeating it for the same member changes nothing.
   * @throws ERR_NOT_FOUND for an unknown code, ERR_ACTION_REFUSED
   */
  redeem(input: ByMember<{ readonly code: string; readonly user: User }, 'user'>): Promise<Gift>
  /**
   * Creates codes by hand. Each code is returned only this time, because only its hash is stored.
   * @throws ERR_USAGE
   */
  create(wish: NewCodes): Promise<readonly (Gift & { readonly code: string })[]>
  /** Lists gifts, newest first; those of one batch in the order of creation. `limit` defaults to 100. */
  list(query?: GiftQuery): Listing<readonly Gift[], Gift>
  /** Returns a gift by its id or code. @throws ERR_NOT_FOUND */
  get(gift: string): Promise<Gift>
  /** The same as `get`. @throws ERR_NOT_FOUND */
  find(gift: string): Promise<Gift>
  /** Revokes a gift by its id or code: its remaining time ends. @throws ERR_NOT_FOUND */
  revoke(gift: string, by: string): Promise<Gift>
}

/** Payments and refunds. */
export interface PaymentsApi {
  /** Lists a member's current payments, newest first. */
  list(of: PaymentsOf): Listing<readonly Payment[], Payment>
  /** Returns a member's payment by its id. @throws ERR_NOT_FOUND */
  get(id: string): Promise<Payment>
  /**
   * Refunds part of a payment, or all that is left, and returns the payment as it is then. The subscription
   * of the payment goes on, unless `end` says `now` or `period_end`.
   * @throws ERR_NOT_FOUND, ERR_USAGE, ERR_ACTION_REFUSED, ERR_REFUSED, ERR_PROVIDER_UNSUPPORTED,
   *   ERR_PROVIDER_ANSWER
   */
  refund(input: RefundOf): Promise<Payment>
  /** Lists payments whose purpose the provider does not tell, oldest first. */
  unassigned(): Promise<readonly PaymentData[]>
  /** Sets the purpose of such a payment. @throws ERR_USAGE */
  assign(assignment: Assignment): Promise<PaymentData>
}

/** A member's invoices at the providers. */
export interface InvoicesApi {
  /**
   * Lists the invoices of all the member's customers, newest first.
   * @throws ERR_PROVIDER_UNSUPPORTED when one of the providers lists none, ERR_PROVIDER_ANSWER
   */
  list(
    of: ByMember<{ readonly user: User; readonly provider?: ProviderKey }, 'user'>,
  ): Listing<readonly Invoice[], Invoice>
}

/** Webhook events. */
export interface WebhooksApi {
  /** Lists the newest received events. */
  list(filter?: EventQuery): Listing<readonly ListedEvent[], ListedEvent>
  /** Returns one event by its number or id. @throws ERR_NOT_FOUND */
  get(id: string): Promise<StoredEvent>
  /** Applies a received event again; false if it fails again. @throws ERR_NOT_FOUND, ERR_USAGE */
  replay(id: string, by?: string): Promise<boolean>
  /** Applies an event that was held. @throws ERR_NOT_FOUND, ERR_USAGE */
  release(id: string, by?: string): Promise<boolean>
  /** Routes that providers post to. */
  koa(): Middleware
  /** Accepts one delivery, as the route does. */
  readonly receive: Receive
  /**
   * Fetches past events from the provider, and applies those that were missed.
   * @throws ERR_PROVIDER_UNKNOWN, ERR_PROVIDER_UNSUPPORTED, ERR_USAGE for a label that is not configured,
   *   ERR_PROVIDER_ANSWER
   */
  readonly pull: Pull
  /**
   * Gives a provider the webhook address of this site, with exactly the events that are needed. Without
   * `write` it shows what would change. Endpoints of other addresses stay as they are; `legacy` names those
   * of version 1.
   * @throws ERR_USAGE without an https address, ERR_PROVIDER_UNKNOWN, ERR_PROVIDER_UNSUPPORTED,
   *   ERR_PROVIDER_ANSWER
   */
  connect(input: ConnectInput): Promise<Connection>
  /** Returns the signed headers of a delivery, using the provider's configured secret. */
  sign(provider: ProviderKey, body: Buffer): Record<string, string>
}

/** The package's own pages, and forms for the host's. */
export interface PagesApi {
  /** The account pages of members, with the view. */
  koa(): Middleware
  readonly render: Render
  /**
   * Returns the hidden field that proves that a form was made for this browser. Call it with `(ctx)` or
   * `(request, response)`. For a web-standard request it returns `{ token, headers }`.
   */
  readonly formToken: FormToken
  /** Returns a complete form with one button. */
  readonly form: Form
  /** Checks the token of a form of your own. @throws ERR_CSRF when it was not made for this browser */
  checkForm(ctx: Context, token: unknown): void
  /**
   * Returns the page for a blocked visitor, in the visitor's language; use it in a route's `onDenied`, for
   * example.
   */
  readonly locked: LockedPage
  /** Describes the visitor as `GET /membership/me` does, for components that render on the server. */
  visitor(request: HostRequest): Promise<Visitor>
  /** Returns the texts of a page in the visitor's language; spread it into the data of `render`. */
  voice(ctx: Context): Promise<Voice>
  /**
   * Describes this browser's last action in one line, with the form that undoes it if there is one. It is
   * shown once.
   */
  flash(ctx: Context): Promise<Spoken | null>
}

/** Operators' actions. The office and the command line use the same calls. */
export interface OperatorApi {
  /** @internal */
  readonly config: Config
  /**
   * Compares a provider's objects with the stored ones; `write` corrects the differences.
   * @throws ERR_PROVIDER_UNKNOWN, ERR_PROVIDER_UNSUPPORTED, ERR_NOT_FOUND, ERR_COMPARE_REFUSED,
   *   ERR_PROVIDER_ANSWER, and ERR_BUSY where `patienceMs` ends before its turn comes
   */
  compare(request?: CompareRequest & Acting): Promise<Comparison>
  /** Imports what a provider or a file has and this site lacks. Nothing is written without `write`. */
  readonly import: Import
  /** What an earlier version took in from other shops of an account. */
  readonly foreign: ForeignApi
  /** Ends subscriptions at one provider after the paid period, so that their members continue at another. */
  readonly switch: SwitchProvider
  /**
   * Run before the start of a site whose database was restored. It ends what the older copy would make valid
   * again. `keepFeeds` keeps the addresses of private feeds, also those that were ended since the copy.
   */
  afterRestore(input?: {
    readonly deleted?: readonly string[]
    readonly keepFeeds?: boolean
  }): Promise<Restored>
  /** Lists the accounts whose deletion was requested since then, oldest first. */
  deletedSince(since: Moment): Promise<readonly { readonly id: string; readonly at: string }[]>
  /** Cancellations and withdrawals from the public pages. */
  readonly declarations: DeclarationsApi
  /** Messages that wait or were given up: hooks, mails, calls to providers. */
  readonly outbox: OutboxApi
  /** The audit log of operators' actions. `during` records an action of your own office. */
  readonly audit: AuditApi
  readonly catalogue: CatalogueApi
  /** Reports the state of the providers: current troubles, and how events arrive. */
  health(): Promise<Health>
  /**
   * Reads the running site as nobody and as a member of each plan, and finds closed content that others can
   * read.
   * @throws ERR_USAGE, ERR_REFUSED for a site with another secret
   */
  leaks(options: LeakOptions): Promise<LeakReport>
  /** Returns the OpenAPI 3.1 document of every route, as `GET /membership/openapi.json` answers it. */
  openapi(): Promise<object>
}

/** Stored purchases that other shops of an account sold. */
export interface ForeignApi {
  /** Lists the stored purchases that other shops sold. */
  list(): Promise<ForeignLists>
  /** Gives the foreign ones back with `write`. Nothing is changed at a provider, and no account is deleted. */
  remove(input?: { readonly write?: boolean | undefined }): Promise<ForeignLists>
  /** Keeps named purchases of the lists with `write`: they are this site's from then on. @throws ERR_NOT_FOUND */
  keep(input: KeepForeignRequest): Promise<ForeignLists>
}

/** Members' declarations: cancellations and withdrawals. */
export interface DeclarationsApi {
  /** Lists cancellations and withdrawals; with `open`, those that nobody dealt with. */
  list(query?: DeclarationQuery): Listing<readonly Declaration[], Declaration>
  /** Returns one declaration. @throws ERR_NOT_FOUND */
  get(id: string): Promise<Declaration>
  /** Notes that a declaration was dealt with, and the person who did it. @throws ERR_NOT_FOUND */
  settle(id: string, by: string): Promise<Declaration>
}

/** Messages that leave this site. */
export interface OutboxApi {
  /** Lists waiting and given-up messages, oldest first, without their contents. */
  list(filter?: OutboxFilter): Listing<readonly QueuedMessage[], QueuedMessage>
  /** Retries a message now that was given up or waits. @throws ERR_NOT_FOUND */
  replay(seq: number, by?: string): Promise<void>
  /**
   * Retries every message for a receiver of `membership.notify` now, and returns their number. With `from`, an address
   * that the receiver had earlier, the messages for that address come along. @throws ERR_USAGE
   */
  replayTo(receiver: { readonly to: string; readonly from?: string }): Promise<number>
}

/** Record of operators' actions on members. */
export interface AuditApi {
  /**
   * Runs something and records that it began and how it ended. The record keeps what `after` makes of the
   * result.
   */
  during<T>(entry: AuditEntry, run: () => Promise<T>, after?: (result: T) => unknown): Promise<T>
  /**
   * Lists the newest records first: all, or those about one member. A call of your code is listed if it was
   * given `by`, or `during` ran it. `limit`: 1 to 500, default 50.
   */
  list(filter?: {
    readonly member?: string
    readonly limit?: number
  }): Listing<readonly AuditRecord[], AuditRecord>
}

/** Plans and prices as the providers have them. */
export interface CatalogueApi {
  /** Fetches one provider's prices now. @throws ERR_PROVIDER_ANSWER */
  refresh(provider: ProviderKey): Promise<void>
  /**
   * Returns true if a provider's prices could not be read for more than a day; those shown may be out of
   * date.
   */
  isStale(provider: ProviderKey): boolean
  /** Says which of a provider's prices this site sells. */
  shop(provider: string): Shop
}

/** The person who acts, for the audit log. Without a name the call is not recorded there. */
export interface Acting {
  /** The person who acts, for the audit log. Without it nothing is recorded there. */
  readonly by?: string | undefined
}

/** A member as calls take it: loaded, or by id. */
export type MemberOrId = User | string

/** The same input with `member`, a loaded one or an id, in place of the key that it has for one of them. */
export type ByMember<Input, Key extends 'user' | 'memberId'> = Input extends unknown
  ? Input | (Omit<Input, Key> & { readonly member: MemberOrId })
  : never

/** Owner of the payments: a member, loaded or by id. */
export type PaymentsOf =
  | { readonly member: MemberOrId }
  | { readonly user: User }
  | { readonly memberId: string }

/** The payment to refund, and the amount. */
export type RefundOf = RefundInput & Acting

/** Digest that `describe` returned for what the member saw. Without it nothing is compared. */
export type Shown = { readonly shown?: string | null }

/** The subscription and its owner. */
export type OwnSubscription = Who & { readonly subscriptionId: string }

/** New terms; a term that is left out stays. */
export type ChangeTo<N extends Names = RegisteredNames> = OwnSubscription & NewTerms<N> & Shown

/** The terms of a change. */
export interface NewTerms<N extends Names = RegisteredNames> {
  readonly plan?: N['plans'] | null
  readonly price?: N['prices'] | null
  readonly quantity?: number | null
  /** Amount in minor units, for a price whose amount members choose; null keeps the current one. */
  readonly amount?: number | null
  readonly proration?: Proration | null
  /** Moment of the preview that the member saw. */
  readonly prorationAt?: Moment | null
}

/**
 * Member actions on subscriptions, for code on any host. With a `request`, the session's rights apply as on
 * our own routes. With a `user`, the calling code is responsible. Each action happens once, however often it
 * is requested.
 * @throws ERR_NOT_FOUND, ERR_ACTION_REFUSED, ERR_REFUSED, ERR_PROVIDER_UNSUPPORTED, ERR_PROVIDER_ANSWER,
 *   ERR_SHOWN_CHANGED, and of a request ERR_LOGIN_REQUIRED, ERR_UNVERIFIED, ERR_CSRF, ERR_RATE_LIMIT
 */
export interface SubscriptionsApi<N extends Names = RegisteredNames> {
  /** Returns a member's subscription by its id. @throws ERR_NOT_FOUND */
  get(id: string): Promise<Subscription>
  /** Changes the price or quantity by the site's rules. */
  change(input: OwnSubscription & NewTerms<N> & Shown & Acting): Promise<ActionResult>
  /** Returns the cost of a change, and when the change takes effect. */
  preview(input: ChangeTo<N>): Promise<InvoicePreview>
  /** Cancels at the end of the paid period, unless `when` says otherwise. */
  cancel(
    input: OwnSubscription & Shown & Acting & { readonly when?: 'period_end' | 'now' },
  ): Promise<ActionResult>
  /** Undoes a cancellation, or ends a pause. */
  resume(input: OwnSubscription & Shown & Acting): Promise<ActionResult>
  /**
   * Continues a subscription: undoes a planned end, leads to the open invoice, or names what to buy again.
   */
  renew(input: OwnSubscription & Shown): Promise<RenewResult>
  /** Pauses until a moment, or for as long as the site allows. */
  pause(input: OwnSubscription & Shown & { readonly until?: Moment | null }): Promise<ActionResult>
  /** Reduces the next payment as the site configured it, once per person. */
  discount(input: OwnSubscription & Shown & Acting): Promise<ActionResult>
  /** Previews an action with the same rules as the action itself, and returns the digest that confirms it. */
  describe(input: ByMember<DescribeInput, 'user'>): Promise<ActionDescription>
  /** Opens the provider's page for cards and invoices. */
  portal(input: PortalInput): Promise<{ readonly url: string }>
}

/** The portal to open, and the way back. */
export type PortalInput = Who & {
  readonly provider?: ProviderKey | null
  readonly subscriptionId?: string | null
  readonly returnUrl?: string
  readonly localUrl?: string
}

/** A purchase that code begins, for a member or for the sender of a request. */
export type CheckoutInput<N extends Names = RegisteredNames> = Who & Offer<N> & CheckoutTerms

/**
 * The thing to buy: a price by its id or lookup key, or a plan. A plan alone is enough if it has one price.
 */
export type Offer<N extends Names = RegisteredNames> =
  | { readonly price: N['prices']; readonly plan?: N['plans'] }
  | { readonly plan: N['plans']; readonly price?: N['prices'] }

/** Terms of a purchase. */
export interface CheckoutTerms {
  readonly quantity?: number
  /** Amount in minor units, for a price whose amount buyers choose. */
  readonly amount?: number
  readonly currency?: string
  /** Promotion code as the buyer typed it. */
  readonly code?: string
  /**
   * Text that the buyer agreed to on your own page, word for word. It is stored with the purchase and
   * repeated in the confirmation mail.
   */
  readonly consent?: string
  /** Provider that sells; the one for new checkouts by default. */
  readonly provider?: ProviderKey
  /** Path on this site where the buyer continues afterwards; `/` by default. */
  readonly redirect?: string
}

export interface StartedCheckout {
  /** Address where the buyer pays. */
  readonly url: string
  readonly intentId: string
  /** Headers that the answer to a web-standard request has to set; empty on other hosts. */
  readonly headers: Headers
}

/** Outcome of a renewal: done, a page to pay on, or what to buy again. */
export type RenewResult =
  | { readonly done: ActionResult }
  | { readonly payUrl: string }
  | { readonly buy: BoughtAgain }

/** A button: the result of a view's `subscriptionAction`, with a label. */
export interface FormInput {
  /** Address that the form is posted to; null makes no form. */
  readonly url: string | null
  readonly fields?: Readonly<Record<string, string>>
  readonly label: string
}

/**
 * Returns a form's token on every host. Its cookie is set on the answer, or returned if the host makes the
 * answer.
 */
export interface FormToken {
  (ctx: Context): string
  (request: IncomingMessage, response: ServerResponse): string
  (request: Request): { readonly token: string; readonly headers: Headers }
}

/** Returns the same as a complete form. */
export interface Form {
  (ctx: Context, input: FormInput): string
  (request: IncomingMessage, response: ServerResponse, input: FormInput): string
  (request: Request, input: FormInput): { readonly html: string; readonly headers: Headers }
}

/** Requester of an action in code: a member, or the sender of a request with that session's rights. */
export type Who =
  | { readonly member: MemberOrId; readonly user?: undefined; readonly request?: undefined }
  | { readonly user: User; readonly member?: undefined; readonly request?: undefined }
  | {
      readonly request: HostRequest
      readonly user?: undefined
      readonly member?: undefined
      /** Node's response, where cookies are set. */
      readonly response?: ServerResponse
      /** Address of a web-standard request's sender, unless a proxy tells it. */
      readonly address?: string
    }

/** One line about the last action, and the form that undoes it if there is one. */
export interface Spoken {
  readonly code: Flash['code']
  readonly sentence: string
  readonly undo: {
    readonly url: string
    readonly fields: Readonly<Record<string, string>>
    readonly label: string
  } | null
}

/**
 * Page shown in place of a locked one, on every host. It says what opens the page and what that costs, and
 * offers a login that leads back. Its forms' cookie is set on the answer, or returned if the host makes the
 * answer.
 */
export interface LockedPage {
  (ctx: Context, gates: readonly string[]): Promise<string>
  (request: IncomingMessage, response: ServerResponse, gates: readonly string[]): Promise<string>
  (request: Request, gates: readonly string[]): Promise<{ readonly html: string; readonly headers: Headers }>
}
