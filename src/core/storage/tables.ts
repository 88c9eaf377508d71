import type { Generated, SelectType } from 'kysely'
import type { Flag, Json, Time } from './columns.ts'
import type { LifeTables } from './tables-life.ts'
import type { DownloadTables, LimitTables, WallTables } from './tables-limits.ts'
import type { OfficeTables } from './tables-office.ts'
import type { ReportTables } from './tables-reports.ts'

/** Members and their accounts. */
interface MembersTable {
  id: string
  /** Lower-case; unique. */
  email: string | null
  email_verified: Flag
  name: string | null
  roles: Json
  language: string | null
  content: Json
  /** The intent or customer whose purchase created the account. */
  created_by: string | null
  created_at: Time
  updated_at: Time
  /** The hash of an imported account's password. */
  password_hash: string | null
  /** The kept account after a merge. Nobody can enter this one. */
  merged_into: Generated<string | null>
  /** When the member turned off optional mails. */
  mails_off_at: Generated<Time | null>
}

/** Sessions, by random ids in the browser's signed cookie. */
interface SessionsTable {
  id: string
  member_id: string
  verified: Flag
  created_at: Time
  expires_at: Time
  revoked_at: Time | null
  /** The start of an unverified session. It cannot touch earlier purchases. */
  since: Generated<Time | null>
}

/** Maps the logins of a host, and the users of its app, to members. */
interface IdentitiesTable {
  /** A hash of the host's name for the person: the address, or its own id. */
  key: string
  /** email, user, app */
  kind: string
  member_id: string
  created_at: Time
  /** The id at the site's login, where the login is told of a deletion. Null once it was told. */
  user_id: Generated<string | null>
}

/** Notes of stored names and addresses of people who are not known to have bought here. They find those to drop. */
export interface OtherPeopleTable {
  provider: string
  account: string
  /** `customer`, or the role of a fact of a payment. */
  role: string
  id: string
  /** The moment from which it is stored. */
  since: string
  /** The moment at which to look again if it has to go. */
  due_at: string
}

/** The owners of purchases, by a provider's customer. `guest` rows are purchases without a customer. */
export interface CustomersTable {
  provider: string
  account: string
  customer_id: string
  guest: Flag
  member_id: string | null
  email: string | null
  name: string | null
  /** california, elsewhere; null where no address is known, or no state of one in the United States. */
  place: string | null
  deleted: Flag
  purchased: Flag
  revision: number
  /** The merged account that it came from, and returns to when the merge is undone. */
  moved_from: string | null
}

/** The columns of every fact: the newest snapshot, its moment, and the evidence that orders snapshots of one moment. */
interface FactColumns {
  data: Json
  /** The items of a snapshot that shows only the first of them, with the newest complete list. */
  items: Json | null
  at: Time
  /** The source of the current snapshot: 0 event, 1 fetch. */
  source: number
  /** Every snapshot of the moment `at`: `Mark[]`. */
  marks: Json
  /** The contents of that moment's other snapshots by digest, while the evidence leaves a tie. */
  tied: Json | null
  prior_at: Time | null
  prior_marks: Json | null
  /** True if the evidence leaves a tie between the snapshots of this moment. */
  contested: Flag
  revision: number
}

/** Subscriptions: each with its fact, and columns for queries. */
export interface SubscriptionsTable extends FactColumns {
  provider: string
  account: string
  id: string
  owner_id: string
  status: string
  price_id: string | null
  /** The moments that show when its payment began to fail; null in good standing. */
  arrears: Json | null
  /**
   * Another account paid its free days. It opens nothing until then, unless it is paid before. Far in the future where
   * the subscription was ended here at once, so that it stays closed even if its provider leaves it open.
   */
  opens_at: Generated<Time | null>
  /** 1: its end is planned, on a date or at the end of its period. */
  ending: Generated<Flag>
  trial_ends_at: Generated<Time | null>
  /** Its pauses, `from/to` with commas between them; the last one has no end while it goes on. */
  pauses: Generated<string | null>
  /**
   * The moments from which the pauses follow: `at/from` of paused snapshots, `;`, the moments of the others. Both lists
   * have commas, are sorted, and keep the first and the last of each day.
   */
  pause_moments: Generated<string | null>
  /** The paid time, by which the office counts; null where nothing was paid. */
  begun_at: Generated<Time | null>
  /** When the paid time ended; null while it lasts. */
  over_at: Generated<Time | null>
  /** The terms of its prices as they were sold, one JSON document a line; null in a row of before that is not filled in. */
  sold: Generated<string | null>
  /** The prices and products that it had beside others, at any time: `[price, product]`, sorted; null where there were none. */
  shared: Generated<Json | null>
}

/**
 * Subscriptions of the account that this site did not sell, or of which that is not known yet. Whatever reads
 * `subscriptions` does not see them. A row moves there when its subscription is accepted.
 */
export interface OtherSubscriptionsTable
  extends FactColumns,
    Pick<
      SubscriptionsTable,
      | 'provider'
      | 'account'
      | 'id'
      | 'owner_id'
      | 'status'
      | 'price_id'
      | 'arrears'
      | 'trial_ends_at'
      | 'pauses'
      | 'pause_moments'
      | 'begun_at'
      | 'over_at'
    > {
  ending: Flag
  /** The sum of its snapshots: its prices and products, and whether it was bought (`Seen`). */
  seen: Json
}

/** All other provider data: customers, and the objects that make up payments. */
interface FactsTable extends FactColumns {
  provider: string
  account: string
  kind: string
  id: string
  /** The state of a payment, a bill or a refund; null for a customer. */
  state: string | null
}

/** Maps an object to its payment. */
interface PaymentRefsTable {
  provider: string
  account: string
  /** `payment:ch_1`, `bill:in_1` */
  ref: string
  payment_id: string
}

/** Payments, folded from their facts. */
export interface PaymentsTable {
  provider: string
  account: string
  id: string
  owner_id: string
  subscription_id: string | null
  status: string
  price_id: string | null
  data: Json
  /** The buyer that the payment names: `[moment, email, name]`; null where it names none. */
  buyer: Json | null
  revision: number
  /** Since when a paid payment's purpose is unknown, from our first sight of it. */
  unknown_since: Time | null
  /** 1: the provider was asked once more; 2: the log reported it. */
  unknown_step: Generated<number>
  paid_at: Generated<Time | null>
  /** The payment's last change at its provider. */
  changed_at: Generated<Time | null>
  /** 1: something was refunded. */
  refunded: Generated<Flag>
  /** The same as the column of subscriptions. */
  sold: Generated<string | null>
}

/** Access without a purchase, or beyond one. */
interface GrantsTable {
  id: string
  member_id: string
  gate: string
  source: string
  reason: string | null
  starts_at: Time | null
  expires_at: Time | null
  created_at: Time
  revoked_at: Time | null
  /** Same as the column of customers. */
  moved_from: Generated<string | null>
  /** 1: the time of a gift that begins when nothing else opens its gate. */
  waits: Generated<Flag>
}

/** Checkouts begun here, and actions on subscriptions. */
interface IntentsTable {
  id: string
  provider: string
  /** The provider account where it was opened. */
  account: Generated<string>
  mode: string
  plan: string
  price_id: string
  quantity: number
  member_id: string | null
  checkout_id: string | null
  checkout_url: string | null
  redirect: string
  /** Hash of the browser that began it. Only there may the purchase open a session. */
  browser: string | null
  status: string
  created_at: Time
  expires_at: Time
  settled_at: Time | null
  /** The buyer with the plan group: only one checkout may be open. */
  claim: string | null
  /** The request to the provider, so that the same call can be repeated. */
  request: Json | null
  /** When its return page opened a session, or lost the right to open one. */
  entered_at: Generated<Time | null>
  /** The language it was begun in, if known. */
  language: Generated<string | null>
  /** The buyer's consent before delivery began: `Consent`. */
  consent: Generated<Json | null>
  /** When the checkout is polled next; null when nothing is left to poll. */
  look_at: Generated<Time | null>
  /** Same as the column of customers. */
  moved_from: Generated<string | null>
}

/** Received events, in order of arrival. */
interface EventsTable {
  seq: Generated<number>
  provider: string
  account: string
  event_id: string
  type: string
  object_id: string | null
  occurred_at: Time
  received_at: Time
  livemode: Flag | null
  /** processed, ignored, failed (will be retried), dead (given up), held */
  status: string
  reason: string | null
  attempts: number
  next_try_at: Time | null
  body_hash: string
  body: Buffer | null
  /** The delivery's headers that reading the body needs, as JSON. */
  headers: Generated<string | null>
}

/** Applied events whose rows were removed, with what recognises them again. */
interface PastEventsTable {
  provider: string
  account: string
  event_id: string
  body_hash: string
  received_at: Time
}

/** Objects to fetch from the provider, each once, however often it was mentioned. */
interface FetchesTable {
  provider: string
  account: string
  kind: string
  id: string
  /** The parent object, where the id alone does not find it. */
  parent: Generated<string | null>
  due_at: Time
  attempts: number
  /** Raised by every request. A fetch started before the last request does not complete it. */
  wishes: number
  /** The newest request needs an answer later than this moment. */
  asks_at: Time | null
  error: string | null
  /** 0 known; 1 pinged by an address with genuine pings; 2 pinged by anybody; 3 fetched and unknown to the provider. */
  precedence: Generated<number>
  /** The address whose ping named an object unknown here, while it waits. */
  caller: Generated<string | null>
}

/** The applied migrations. */
interface MigrationsTable {
  number: number
  name: string
  applied_at: Time
}

/** Every table with its columns, for Kysely's types. */
export interface Tables
  extends LifeTables,
    LimitTables,
    WallTables,
    DownloadTables,
    OfficeTables,
    ReportTables {
  members: MembersTable
  sessions: SessionsTable
  identities: IdentitiesTable
  customers: CustomersTable
  subscriptions: SubscriptionsTable
  other_subscriptions: OtherSubscriptionsTable
  other_people: OtherPeopleTable
  facts: FactsTable
  payment_refs: PaymentRefsTable
  payments: PaymentsTable
  grants: GrantsTable
  intents: IntentsTable
  events: EventsTable
  past_events: PastEventsTable
  fetches: FetchesTable
  membership_migrations: MigrationsTable
}

/** A row as it is read: all of its columns, or those that are named. */
export type Row<T extends keyof Tables, C extends keyof Tables[T] = keyof Tables[T]> = {
  [K in C]: SelectType<Tables[T][K]>
}
