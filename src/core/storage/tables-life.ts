import type { Generated } from 'kysely'
import type { Flag, Json, Time } from './columns.ts'

/** Links by mail that log somebody in, once. The link is signed; what stands here opens nothing. */
interface LoginLinksTable {
  id: string
  email: string
  member_id: string | null
  redirect: string
  created_at: Time
  expires_at: Time
  used_at: Time | null
}

/** Changes of a member's address: asked for, confirmed by the new address's owner, taken back from the old one. */
interface EmailChangesTable {
  id: string
  member_id: string
  email_from: string | null
  email_to: string
  /** Asked for by an unverified session: the buyer mistyped, and the new address alone confirms it. */
  correction: Flag
  created_at: Time
  expires_at: Time
  confirmed_at: Time | null
  /** From then on its links are worth nothing, neither to confirm nor to take back. */
  void_at: Time | null
}

/** Members who want two accounts to be one: asked for, confirmed by each address, done, taken back. */
interface MergeWishesTable {
  id: string
  member_id: string
  email: string
  /** The account that goes; null until the member's own address has confirmed, or where nobody has that address. */
  other_id: string | null
  other_email: string
  created_at: Time
  expires_at: Time
  confirmed_at: Time | null
  done_at: Time | null
  void_at: Time | null
}

/** Prices as providers keep them. */
interface CatalogueTable {
  provider: string
  price_id: string
  data: Json
  refreshed_at: Time
}

/** Owners whose purchases changed since their member's hooks were last told. */
interface TellTable {
  provider: string
  account: string
  owner_id: string
  /** Raised by every change: what was told before the last one does not count for it. */
  wishes: number
  due_at: Time
  /** The moment of an import: all that happened before it is no news. */
  known_at: Generated<Time | null>
  /** Looks that failed, one after the other. */
  attempts: Generated<number>
  /** Why the last one did. */
  error: string | null
}

/** The state that a member's hooks were told last: the next message is the difference. */
interface ToldTable {
  member_id: string
  data: Json
  revision: number
}

/** Messages to deliver at least once, in order within a lane. */
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

/** Accounts that are being deleted, or are. */
interface DeletionsTable {
  member_id: string
  requested_at: Time
  /** The next step: cancel, verify, erase; sweep once the member is empty. */
  step: string
  /** The tries of this step. */
  attempts: number
  /** null once nothing more can arrive. */
  due_at: Time | null
  error: string | null
  /** When the member became empty. */
  done_at: Time | null
  /** The hash of the verified address, while messages from before the deletion may still arrive. */
  email_hash: string | null
}

/**
 * Marks of people who had a subscription of a group of plans. Hashes under a key of ours, in which nobody reads a
 * name.
 */
interface TrialsTable {
  /** The hash of the group, and of a customer, a verified address, or a way to pay. */
  mark: string
  /** The hash of the first subscription that was seen with it. */
  first: string
  at: Time
  /** When that subscription began, where it began without a trial. */
  began_at: Time | null
}

/** Actions of operators on members. */
interface AuditLogTable {
  id: string
  at: Time
  /** The name: as the operator said, else the user of the machine. */
  by: string
  /** grant, refund, merge … */
  action: string
  member_id: string | null
  /** The object beside the member: a grant, a subscription, a payment, another member. */
  subject: string | null
  before: Json | null
  after: Json | null
  /** begun, done, failed */
  outcome: string
  /** The code of what stood in the way. */
  error: string | null
}

/** Requests that change something at a provider. */
interface ChangeRequestsTable {
  /** The idempotency key, which names the request. */
  id: string
  at: Time
  provider: string
  account: string
  /** checkout, complete, expireCheckout, cancel, resume, pause, swap, schedule, unschedule, refund, updateCustomer */
  kind: string
  /** The subscription, payment, customer or checkout. */
  object_id: string
  member_id: string | null
  /** member, operator, terms, law, rule */
  requested_by: string
  /** The operator's name, or the rule's. */
  requester: string | null
  reason: string
  /** Tells requests about one object apart: a refund's own name, or its amount. */
  wish: string | null
  /** begun, done, failed; of one that stays begun nobody knows whether the provider did it. */
  outcome: string
  /** The object that the provider made for it, such as a refund. */
  answer: string | null
  /** The code of what stood in the way. */
  error: string | null
  /** While one process makes the call and no other may. */
  busy_until: Time | null
}

/** Cancellations and withdrawals that somebody declared on a public page. */
interface DeclarationsTable {
  /** When it arrived and a random end, so that it sorts by time. */
  id: string
  /** cancellation, withdrawal */
  kind: string
  /** ordinary, extraordinary; null for a withdrawal */
  nature: string | null
  reason: string | null
  /** The day that was asked for. */
  ends_on: string | null
  /** The typed name; null once the account was deleted and the declaration is done. */
  name: string | null
  contract: string | null
  email: string | null
  received_at: Time
  /** The day by which it has to be carried out. */
  due_on: string
  /** received, open (a person has to look), done */
  status: string
  member_id: string | null
  subscription_id: string | null
  done_at: Time | null
  done_by: string | null
  /** 1: its account was deleted, so that nothing typed stays once it is done. */
  forgets: Generated<Flag>
}

/** Troubles of now between the site and its providers. */
interface TroublesTable {
  id: string
  provider: string
  account: string
  /** In which respect it was looked for: what is not found there again is over. */
  respect: string
  kind: string
  message: string
  action: string
  since: Time
}

/** Two accounts of one person that became one. */
interface MergesTable {
  id: string
  kept_id: string
  merged_id: string
  at: Time
  /** Until when it can be taken back. */
  until: Time
  /** The fields that only the merged account had: `string[]`. */
  filled: Json
  /** An address that nobody had proved, and that anybody may have now. */
  released_email: string | null
  undone_at: Time | null
}

/** Subscriptions that are ended here so that their members go on at another provider. */
export interface SwitchesTable {
  provider: string
  account: string
  id: string
  to_provider: string
  /** The end of what is paid. */
  until: Time
  /** The price that is bought there; null where its member chooses. */
  price_id: string | null
  /** asked (the provider is being told), ending (it ends there, by us), unsure (it ends, and perhaps not by us), stopped
   *  (taken back) */
  state: string
  /** Raised with each beginning: a call of an earlier one is another call. */
  round: number
  updated_at: Time
}

/** Documents of providers that live in the process, a space for each. */
interface DocumentsTable {
  space: string
  key: string
  value: Json
}

/** Tables of a member's life beside purchases. */
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
}
