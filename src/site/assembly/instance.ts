import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Context, Middleware } from 'koa'
import type { Config } from '../../core/config/index.ts'
import type { Plan } from '../../core/dto/index.ts'
import type { Route } from '../../core/http/route-access.ts'
import type { Outbox } from '../../core/jobs/outbox.ts'
import type { Render } from '../../core/pages/index.ts'
import type { GateId, ProviderKey } from '../../core/register.ts'
import type { Storage } from '../../core/storage/index.ts'
import type { Voice } from '../../core/words/index.ts'
import type { Deletions, EmailUndo, ExportOf, Fields } from '../../memberships/account/index.ts'
import type { Restoring } from '../../memberships/after-restore/after-restore.ts'
import type { Deeds } from '../../memberships/audit-log/index.ts'
import type { Catalogue } from '../../memberships/catalogue/index.ts'
import type { Import } from '../../memberships/import/index.ts'
import type { GateOptions, Guard, User, Users, View } from '../../memberships/members/index.ts'
import type { Merging } from '../../memberships/merging/index.ts'
import type { Health } from '../../memberships/monitoring/health.ts'
import type { Declarations } from '../../memberships/shop/index.ts'
import type { SwitchProvider } from '../../memberships/switching/requests.ts'
import type { Assigning } from '../../memberships/sync/assign.ts'
import type { Compare } from '../../memberships/sync/compare.ts'
import type { Inbox } from '../../memberships/webhooks/inbox.ts'
import type { Pull } from '../../memberships/webhooks/pull.ts'
import type { Receive } from '../../memberships/webhooks/receive.ts'
import type { ReportsApi } from '../../reports/index.ts'
import type { FetchOrigin } from '../hosts/web.ts'
import type { HostRequest } from '../options.ts'
import type { ActionsForCode } from './code-actions.ts'
import type { Form, FormToken } from './forms.ts'
import type { LockedPage } from './locked-page.ts'
import type { Selling } from './selling.ts'
import type { Spoken } from './spoken.ts'

/** One independent membership: storage, providers, routes, and the template API. */
export interface Membership {
  readonly config: Config
  readonly users: Users & Merging
  readonly storage: Storage
  /** The member of the running request. @throws ERR_NO_VIEW outside of one */
  user(): User | null
  provider(key?: ProviderKey): ReturnType<View['provider']>
  allows(gate: GateId | readonly GateId[]): boolean
  disallows(gate: GateId | readonly GateId[]): boolean
  plans(): readonly Plan[]
  /** The plans with what is for sale of one kind. */
  products(type?: 'recurring' | 'one_time'): readonly Plan[]
  /** Loads a visitor or member once; the view answers everything without waiting. */
  viewOf(subject: HostRequest | User | null): Promise<View>
  /** Runs `fn` as that member, or with a view that was loaded, for scripts, mails and tests. */
  runAs<T>(subject: User | View | null, fn: () => T): T
  /** The view of every request, and all routes. */
  koa(): Middleware
  /** The view alone. */
  middleware(): Middleware
  readonly webhooks: Pick<Inbox, 'list' | 'get' | 'replay' | 'release'> & {
    readonly receive: Receive
    pull: Pull
    routes(): Middleware
  }
  /** Purchases and what members do to their subscriptions: the forms' routes, and a purchase that code begins. */
  readonly checkout: {
    routes(): Middleware
    /** Begins a purchase, and answers where it is paid. @throws ERR_PLAN_UNKNOWN, ERR_LOGIN_REQUIRED, ERR_CSRF,
     *  ERR_RATE_LIMIT, ERR_CHECKOUT_REFUSED, ERR_REFUSED, ERR_PROVIDER_UNSUPPORTED, ERR_PROVIDER_ANSWER */
    start: Selling['start']
  }
  /** Login by a link in a mail, logout. */
  readonly login: { routes(): Middleware }
  /** What members see, change, take with them and delete of their own account. */
  readonly account: {
    routes(): Middleware
    /** The fields that the blueprint lets this member see, with their values. */
    readable(user: User): Record<string, unknown>
    fieldsOf(user: User): Fields
    export: ExportOf
    /** The operator's help: another address, unproved until a login link that is sent there is opened. */
    setEmail: EmailUndo['set']
    /** A login link to hand over, where no mail arrives. @throws ERR_NOT_FOUND, ERR_ACTION_REFUSED, and ERR_CONFIG
     *  without `membership.url` */
    loginLink(memberId: string): Promise<{ url: string; expires_at: string }>
    /** Cancels at the providers first; goes on by itself when one of them is down. */
    delete: Deletions['request']
  }
  /** What members do to their subscriptions, for code: of a `{ user }`, or of who sends a `{ request }`; and what operators
   *  do: `refund`, `invoices`. */
  readonly actions: ActionsForCode
  /** What operators did to members: `during` notes a deed of your own office around what does it. */
  readonly audit: Pick<Deeds, 'during' | 'list'>
  /** Cancellations and withdrawals that arrived by the public pages. */
  readonly declarations: Pick<Declarations, 'list' | 'settle'>
  /** Messages that wait or were given up: hooks, mails, calls to providers. */
  readonly outbox: Pick<Outbox, 'list' | 'replay'>
  /** What a provider has and what stands here, object by object; mended where that is asked for. */
  readonly compare: Compare
  /** Takes over what a provider has, or a file, and what is not here; nothing is written unless that is asked for. */
  readonly import: Import
  /** How it stands with the providers: what is wrong now, and how their messages arrive. */
  readonly health: () => Promise<Health>
  /** Ends subscriptions at one provider with what is paid, so that their members go on at another. */
  readonly switchProvider: SwitchProvider
  /** Payments of which the provider does not say what they are for. */
  readonly payments: Assigning
  readonly catalogue: Pick<Catalogue, 'refresh' | 'isStale'>
  /** The website index. @throws ERR_CONFIG where none is configured */
  readonly reports: ReportsApi
  gate(gate: GateId | readonly GateId[], options?: GateOptions): Middleware
  /** All routes for plain Node and Express: what is not ours goes to `next`, with the view in scope, and as
   *  `request.membership`. */
  listener(): (request: IncomingMessage, response: ServerResponse, next?: (error?: unknown) => void) => void
  /** All routes for web-standard servers: what is not ours goes to `origin.next`, with the view in scope. `origin.address`
   *  is the connection's, which a request does not tell. */
  fetch(request: Request, origin?: FetchOrigin): Promise<Response>
  /** The hidden field that proves that a form was made for this browser: `(ctx)`, `(request, response)`, or of a
   *  web-standard request `{ token, headers }`. */
  readonly formToken: FormToken
  /** A whole form with one button. */
  readonly form: Form
  /** The page for whoever a gate stops, such as `onDenied` of a route, in the visitor's language. */
  lockedPage: LockedPage
  /** Asks who may pass: null for a member with any of the gates, else the error that says what is missing. */
  guard(gate: GateId | readonly GateId[]): Guard<HostRequest | View>
  /** @throws ERR_CSRF */
  checkForm(ctx: Context, token: unknown): void
  /** Every route, with what each kind of session may do there. */
  routes(): readonly Route[]
  /** Ends what an older copy of the database would make good again; before the site starts. */
  readonly afterRestore: Restoring['afterRestore']
  /** The accounts whose deletion was asked for since then, oldest first. */
  readonly deletedSince: Restoring['deletedSince']
  /** The OpenAPI 3.1 document of every route: what `GET /membership/openapi.json` answers. */
  openapi(): Promise<object>
  /** Opens a session, for a host that knows who somebody is. `verified`: they proved to own the member's address; else the
   *  session reads and cancels what is bought from now on, and does nothing more. */
  openSession(ctx: Context, memberId: string, verified: boolean): Promise<void>
  endSession(ctx: Context): Promise<void>
  readonly render: Render
  /** What a page says to whoever asks, in their language; spread it into the data of `render`. */
  voiceOf(ctx: Context): Promise<Voice>
  /** What this browser has just done here, in one line with what takes it back, once; null where there is nothing to say. */
  said(ctx: Context): Promise<Spoken | null>
  /** The signed headers of a delivery, with the provider's configured secret. */
  sign(provider: string, body: Buffer): Record<string, string>
  /** Does the background work that is due now: failed events, objects to ask for. */
  work(): Promise<void>
  close(): Promise<void>
}
