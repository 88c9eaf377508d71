import type { Generated } from 'kysely'
import type { Flag, Json, Time } from './columns.ts'
import type { LifeTables } from './tables-life.ts'
import type { OfficeTables } from './tables-office.ts'
import type { ReportTables } from './tables-reports.ts'

/** People with an account. */
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
  /** The account of the same person that everything went to; nobody enters this one. */
  merged_into: Generated<string | null>
  /** Since when the member wants no mails that they can do without. */
  mails_off_at: Generated<Time | null>
}

/** Logins, by random ids that the browser has signed. */
interface SessionsTable {
  id: string
  member_id: string
  verified: Flag
  created_at: Time
  expires_at: Time
  revoked_at: Time | null
  /** The beginning of an unverified session: a purchase before this moment is not its own. */
  since: Generated<Time | null>
}

/** Which member a host's own login is. */
interface IdentitiesTable {
  /** A hash of what the host named: the address, or its own id of the person. */
  key: string
  /** email, user */
  kind: string
  member_id: string
  created_at: Time
}

/** The owners of what a provider's customer bought. `guest` rows stand for purchases without a customer. */
export interface CustomersTable {
  provider: string
  account: string
  customer_id: string
  guest: Flag
  member_id: string | null
  email: string | null
  name: string | null
  deleted: Flag
  purchased: Flag
  revision: number
  /** The merged account that it belonged to, and goes back to when the merge is taken back. */
  moved_from: string | null
}

/**
 * The columns of every fact: the newest snapshot, its moment, and the evidence that orders snapshots of one moment.
 */
interface FactColumns {
  data: Json
  /** The items of a snapshot that shows only the first of them: those, and the newest whole list. */
  items: Json | null
  at: Time
  /** 0 event, 1 fetch: of the snapshot that stands. */
  source: number
  /** Every snapshot of the moment `at`: `Mark[]`. */
  marks: Json
  /** The contents of that moment's other snapshots by digest, while they compete. */
  tied: Json | null
  prior_at: Time | null
  prior_marks: Json | null
  /** Evidence does not decide between the snapshots of this moment. */
  contested: Flag
  revision: number
}

/** Subscriptions: the fact of each, with what is asked for by column. */
export interface SubscriptionsTable extends FactColumns {
  provider: string
  account: string
  id: string
  owner_id: string
  status: string
  price_id: string | null
  /** The moments that say since when its payment fails; null in good standing. */
  arrears: Json | null
  /** Its free days belong to another account: until then it opens nothing, unless it is paid before. Far ahead where it
   *  was ended at once from here: what its provider may leave open stays closed. */
  opens_at: Generated<Time | null>
  /** 1: announced to end, by a date or at the end of its period. */
  ending: Generated<Flag>
  trial_ends_at: Generated<Time | null>
}

/** Everything else that providers said: customers, and the objects that make payments. */
interface FactsTable extends FactColumns {
  provider: string
  account: string
  kind: string
  id: string
}

/** Which payment an object belongs to. */
interface PaymentRefsTable {
  provider: string
  account: string
  /** `payment:ch_1`, `bill:in_1` */
  ref: string
  payment_id: string
}

/** Payments, folded from their facts. */
interface PaymentsTable {
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
  /** Paid, and nobody says what for: since our first look at it. */
  unknown_since: Time | null
  /** 1: the provider was asked once more; 2: the log said it. */
  unknown_step: Generated<number>
}

/** Access that no purchase gave, or that outlasts one. */
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
  /** As a customer's. */
  moved_from: Generated<string | null>
}

/** Checkouts that began here, and what was done to subscriptions from here. */
interface IntentsTable {
  id: string
  provider: string
  /** The provider's account at which it was opened. */
  account: Generated<string>
  mode: string
  plan: string
  price_id: string
  quantity: number
  member_id: string | null
  checkout_id: string | null
  checkout_url: string | null
  redirect: string
  /** Hash of the browser that began it: only there may the purchase open a session. */
  browser: string | null
  status: string
  created_at: Time
  expires_at: Time
  settled_at: Time | null
  /** The buyer and the group of plans: one open checkout at a time. */
  claim: string | null
  /** The request to the provider, so that the same call can be made again. */
  request: Json | null
  /** When its return page opened a session, or may open none any more. */
  entered_at: Generated<Time | null>
  /** In which language it was begun, as far as that was known. */
  language: Generated<string | null>
  /** The buyer's agreement before it began: `Consent`. */
  consent: Generated<Json | null>
  /** When its provider is asked again whether the buyer has agreed; null where nothing is left to do then. */
  look_at: Generated<Time | null>
  /** As a customer's. */
  moved_from: Generated<string | null>
}

/** Received events, in the order of their arrival. */
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
  /** processed, ignored, failed (will be tried again), dead (gave up), held */
  status: string
  reason: string | null
  attempts: number
  next_try_at: Time | null
  body_hash: string
  body: Buffer | null
  /** The headers of the delivery without which the body cannot be read; JSON. */
  headers: Generated<string | null>
}

/** Applied events whose rows left: what it takes to know one again. */
interface PastEventsTable {
  provider: string
  account: string
  event_id: string
  body_hash: string
  received_at: Time
}

/** Objects to ask the provider for, each once however often it was mentioned. */
interface FetchesTable {
  provider: string
  account: string
  kind: string
  id: string
  /** Below which it is found, where its id is not enough. */
  parent: Generated<string | null>
  due_at: Time
  attempts: number
  /** Raised by every wish: an answer asked for before the last one does not count for it. */
  wishes: number
  /** No answer from before this moment counts for the newest wish. */
  asks_at: Time | null
  error: string | null
  /** 0 known, 1 pinged from where true pings came, 2 pinged by anybody, 3 asked for and unknown to the provider. */
  precedence: Generated<number>
  /** The address whose ping asks for an object that is not known here, while it waits. */
  caller: Generated<string | null>
}

/** The numbered migrations that were applied. */
interface MigrationsTable {
  number: number
  name: string
  applied_at: Time
}

/** Every table with its columns, for Kysely's types. */
export interface Tables extends LifeTables, OfficeTables, ReportTables {
  members: MembersTable
  sessions: SessionsTable
  identities: IdentitiesTable
  customers: CustomersTable
  subscriptions: SubscriptionsTable
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
