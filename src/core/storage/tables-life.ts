import type { Generated } from 'kysely'
import type { Flag, Json, Time } from './columns.ts'

/** Login links by mail, each valid once. The link is signed, so a stored row opens nothing. */
interface LoginLinksTable {
  id: string
  email: string
  member_id: string | null
  redirect: string
  created_at: Time
  expires_at: Time
  used_at: Time | null
}

/** Changes of a member's address: requested, confirmed by the new address's owner, undone from the old one. */
interface EmailChangesTable {
  id: string
  member_id: string
  email_from: string | null
  email_to: string
  /**
   * 1: an unverified session corrects a mistyped address, and the new address alone confirms it. 2: an operator rescues
   * the account, and no link undoes it.
   */
  correction: Flag
  created_at: Time
  expires_at: Time
  confirmed_at: Time | null
  /** From then on its links can neither confirm nor undo. */
  void_at: Time | null
}

/** Requests to merge two accounts: requested, confirmed by each address, done, undone. */
interface MergeWishesTable {
  id: string
  member_id: string
  email: string
  /** The account to merge; null until the member's own address has confirmed, or where nobody has that address. */
  other_id: string | null
  other_email: string
  created_at: Time
  expires_at: Time
  confirmed_at: Time | null
  done_at: Time | null
  void_at: Time | null
}

/** Prices of the providers' catalogues. */
interface CatalogueTable {
  provider: string
  price_id: string
  data: Json
  refreshed_at: Time
}

/** Owners whose purchases changed since their member's last notification. */
interface TellTable {
  provider: string
  account: string
  owner_id: string
  /** Raised by every change. A notification of an earlier change does not complete a later one. */
  wishes: number
  due_at: Time
  /** The moment of an import. Nothing before it is notified. */
  known_at: Generated<Time | null>
  /** Consecutive failed tries. */
  attempts: Generated<number>
  /** The error of the last failed try. */
  error: string | null
}

/** A member's last notified state. The next notification is the difference from it. */
interface ToldTable {
  member_id: string
  data: Json
  revision: number
}

/** Messages that are delivered at least once, in order within a lane. */
interface OutboxTable {
  seq: Generated<number>
  id: string
  lane: string
  kind: string
  payload: Json
  /** waiting, dead (gave up) */
  status: string
  created_at: Time
  due_at: Time
  attempts: number
  error: string | null
}

/** Deleted accounts, and those being deleted. */
interface DeletionsTable {
  member_id: string
  requested_at: Time
  /** The next step: cancel, verify, erase; sweep once the member is empty. */
  step: string
  /** Tries of this step. */
  attempts: number
  /** null once no late data can arrive. */
  due_at: Time | null
  error: string | null
  /** When the last personal data was erased. */
  done_at: Time | null
  /** The hash of the verified address, while events from before the deletion may still arrive. */
  email_hash: string | null
}

/**
 * Marks of people who had a subscription of a plan group. They are hashes under our own key, from which nobody can read
 * a name.
 */
interface TrialsTable {
  /** The hash of the group with a customer, a verified address, or a payment method. */
  mark: string
  /** The hash of the first subscription seen with it. */
  first: string
  at: Time
  /** When that subscription began, if it began without a trial. */
  began_at: Time | null
}

/** Operators' actions on members. */
interface AuditLogTable {
  id: string
  at: Time
  /** The name that the operator gave, else the user of the machine. */
  by: string
  /** grant, refund, merge … */
  action: string
  member_id: string | null
  /** The other object: a grant, a subscription, a payment, or another member. */
  subject: string | null
  before: Json | null
  after: Json | null
  /** begun, done, failed */
  outcome: string
  /** The code of the error that prevented it. */
  error: string | null
}

/** Requests that change something at a provider. */
interface ChangeRequestsTable {
  /** The idempotency key, which names the request. */
  id: string
  at: Time
  provider: string
  account: string
  /**
   * checkout, complete, expireCheckout, cancel, resume, pause, swap, schedule, unschedule, refund,
   * updateCustomer, acknowledge
   */
  kind: string
  /** The subscription, payment, customer or checkout. */
  object_id: string
  member_id: string | null
  /** member, operator, terms, law, rule */
  requested_by: string
  /** The operator's or the rule's name. */
  requester: string | null
  reason: string
  /** Tells several requests about one object apart: a refund's own key, or its amount. */
  wish: string | null
  /** begun, done, failed. If it stays begun, it is unknown whether the provider made the change. */
  outcome: string
  /** The object that the provider created, such as a refund. */
  answer: string | null
  /** The code of the error that prevented it. */
  error: string | null
  /** While one process makes the call and no other may. */
  busy_until: Time | null
}

/** Cancellations and withdrawals declared on a public page. */
interface DeclarationsTable {
  /** The moment of arrival with a random suffix, so that ids sort by time. */
  id: string
  /** cancellation, withdrawal */
  kind: string
  /** ordinary, extraordinary; null for a withdrawal */
  nature: string | null
  reason: string | null
  /** The requested day. */
  ends_on: string | null
  /** The typed name; null once the account was deleted and the declaration is done. */
  name: string | null
  contract: string | null
  email: string | null
  received_at: Time
  /** The last day to carry it out. */
  due_on: string
  /** received, open (an operator has to act), done */
  status: string
  member_id: string | null
  subscription_id: string | null
  done_at: Time | null
  done_by: string | null
  /** 1: its account was deleted, so the typed text is cleared once it is done. */
  forgets: Generated<Flag>
}

/** Current problems between the site and its providers. */
interface TroublesTable {
  id: string
  provider: string
  account: string
  /** The check that found it. A problem that the next check does not find is over. */
  respect: string
  kind: string
  message: string
  action: string
  since: Time
}

/** Merges of two accounts of one person. */
interface MergesTable {
  id: string
  kept_id: string
  merged_id: string
  at: Time
  /** When the chance to undo it ends. */
  until: Time
  /** The fields that only the merged account had: `string[]`. */
  filled: Json
  /** A released unproved address, which anybody may have now. */
  released_email: string | null
  undone_at: Time | null
}

/** Subscriptions ended here so that their members continue at another provider. */
export interface SwitchesTable {
  provider: string
  account: string
  id: string
  to_provider: string
  /** The end of the paid period. */
  until: Time
  /** The replacement price; null where its member chooses. */
  price_id: string | null
  /**
   * asked (the provider is being called), ending (we ended it), unsure (it ends, but perhaps not by us), stopped
   * (undone)
   */
  state: string
  /** Raised at each beginning, so that a call of an earlier round is a different call. */
  round: number
  updated_at: Time
}

/** Price raises, as an operator ordered them. */
interface PriceRaisesTable {
  id: string
  provider: string
  from_price: string
  to_price: string
  /** The first renewal that may charge the new price. */
  starts_at: Time
  notice_days: number
  /** 1: silence keeps the old price. */
  needs_consent: Flag
  /** running, stopped, undone */
  status: string
  created_at: Time
  created_by: string
}

/** The subscriptions that a raise concerns. */
interface PriceRaiseMembersTable {
  raise_id: string
  provider: string
  account: string
  subscription_id: string
  member_id: string | null
  /** noticed, agreed, requested, planned, paused, raised, kept, left, undone */
  state: string
  reason: string | null
  from_amount: number | null
  to_amount: number | null
  currency: string | null
  /** When the notice was handed to the mail server. */
  noticed_at: Time | null
  agreed_at: Time | null
  /** The renewal that charges the new price first. */
  applies_at: Time | null
  look_at: Time | null
  updated_at: Time
  /** The name of the call that is on its way. */
  request_id: string | null
  /** Raised by each change. */
  revision: number
  /** The moment at which a second notice was handed to the mail server, within the days that a law gives. */
  reminded_at: Generated<Time | null>
}

/** Proofs of a buyer's consent, kept for as long as the law of California asks. */
interface ConsentProofsTable {
  /** The checkout's id. */
  id: string
  /** Null once the account was deleted. */
  member_id: string | null
  moved_from: string | null
  email: string | null
  provider: string
  plan: string
  price_id: string
  quantity: number
  /** The order as it was shown: `Consent`; null where the site recorded none. */
  consent: Json | null
  agreed_at: Time
  /** Null while the contract runs. */
  keep_until: Time | null
}

/** A plan's time, bought for oneself or another person, or given by the site. */
interface GiftsTable {
  id: string
  /** ordered (not paid yet), ready (its code may be redeemed), redeemed, closed */
  status: string
  plan: string
  months: number
  /** The hash of its code; null for a gift bought for oneself. */
  code_hash: string | null
  /** The checkout that it was ordered with. */
  intent_id: string | null
  provider: string | null
  account: string | null
  payment_id: string | null
  price_id: string | null
  buyer_id: string | null
  to_email: string | null
  message: string | null
  language: string | null
  /** Codes that were made together. */
  batch: string | null
  label: string | null
  created_at: Time
  /** The moment from which a code that was made by hand is worth nothing. */
  expires_at: Time | null
  /** When its mail is to leave; null where there is none. */
  send_at: Time | null
  sent_at: Time | null
  sendings: Generated<number>
  redeemed_at: Time | null
  member_id: string | null
  grant_id: string | null
  /** The rest of a time that was interrupted; null: all of it. */
  left_seconds: number | null
  /** The renewal that is put off for it: `PutOff`. */
  put_off: Json | null
  /** When its time, its mail or its payment is due. */
  look_at: Time | null
  closed_at: Time | null
  closed_for: string | null
  revision: Generated<number>
  /** Since when it waits for an operator, because a restored copy does not know what became of it. */
  held_at: Generated<Time | null>
}

/** Groups of members whose seats one subscription pays for. */
interface GroupsTable {
  provider: string
  account: string
  subscription_id: string
  manager_id: string | null
  /** The number of seats that was seen last. */
  seats: number
  /** The end of the period for which more seats were paid. */
  holds_until: Time | null
  /** Until then seats stay open although the subscription has ended. */
  open_until: Time | null
  look_at: Time | null
  revision: Generated<number>
  /** When its managers are asked once more to take it over. */
  asks_at: Time | null
  /** `deleted`, or `disputed` with the id of the payment. */
  asks_for: string | null
  /** Since when an operator has to check its seats, because a restored copy does not know all of them. */
  lost_at: Generated<Time | null>
}

/** Seats of groups, from the invitation to the end. */
interface GroupSeatsTable {
  id: string
  provider: string
  account: string
  subscription_id: string
  /** Counts up within a group. */
  place: number
  email: string | null
  member_id: string | null
  moved_from: Generated<string | null>
  role: string
  /** invited, joined, ended */
  status: string
  language: string | null
  created_at: Time
  expires_at: Time | null
  joined_at: Time | null
  ended_at: Time | null
  ended_for: string | null
}

/** Documents of providers within this process, one space per provider. */
interface DocumentsTable {
  space: string
  key: string
  value: Json
}

/** The tables about members other than purchases. */
export interface LifeTables {
  documents: DocumentsTable
  login_links: LoginLinksTable
  email_changes: EmailChangesTable
  merge_wishes: MergeWishesTable
  catalogue: CatalogueTable
  notify_queue: TellTable
  member_snapshots: ToldTable
  outbox: OutboxTable
  deletions: DeletionsTable
  trials: TrialsTable
  switches: SwitchesTable
  change_requests: ChangeRequestsTable
  declarations: DeclarationsTable
  audit_log: AuditLogTable
  troubles: TroublesTable
  merges: MergesTable
  gifts: GiftsTable
  groups: GroupsTable
  price_raises: PriceRaisesTable
  price_raise_members: PriceRaiseMembersTable
  group_seats: GroupSeatsTable
  consent_proofs: ConsentProofsTable
}
