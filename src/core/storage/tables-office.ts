import type { Json, Time } from './columns.ts'

/** The operators who may enter the office. */
interface OperatorsTable {
  email: string
  /** operator, viewer */
  role: string
  added_at: Time
  added_by: string
  /** The encrypted secret of the second factor; null until its owner has enrolled. */
  secret: string | null
  /** The newest half minute whose code was used. Each counts once. */
  last_step: number
  /** Wrong codes since the last right one. */
  tries: number
  locked_until: Time | null
}

/** Codes for an operator who lost the second factor. Each works once. */
interface OperatorCodesTable {
  email: string
  hash: string
  used_at: Time | null
}

/** Sessions that passed the second factor. */
interface OfficeEntriesTable {
  session_id: string
  email: string
  expires_at: Time
}

/** Moments at which a subscription's payment was overdue, as its provider reported. */
interface OverdueTable {
  provider: string
  account: string
  subscription_id: string
  at: Time
  /** When the member opened the page that pays it; null where nobody did. */
  pay_page_at: Time | null
}

/** The last terms of a subscription in a month, from which MRR by month is counted. */
interface RecurringMonthsTable {
  provider: string
  account: string
  subscription_id: string
  /** `2026-03`, UTC */
  month: string
  /** The moment of the snapshot, with the digits below a millisecond that its provider has. */
  at: Time
  /** The rank of its evidence and status. The greater one is kept of two snapshots of one moment. */
  rank: number
  /** {@link RecurringTerms} */
  terms: Json
}

/** Sent mails, without their text. */
interface SentMailsTable {
  /** The message's id: resending the message does not record another mail. */
  id: string
  member_id: string
  kind: string
  sent_at: Time
}

/** Counts of the answers that members gave when they cancelled. They name nobody. */
interface LeavingReasonsTable {
  /** `2026-03`, UTC */
  month: string
  /** The id of the plan; empty for a price of none. */
  plan: string
  /** price, use, missing, broken, other; empty where none was chosen */
  reason: string
  times: number
}

/** The tables of the operators' office. */
export interface OfficeTables {
  operators: OperatorsTable
  operator_codes: OperatorCodesTable
  office_entries: OfficeEntriesTable
  sent_mails: SentMailsTable
  overdue: OverdueTable
  recurring_months: RecurringMonthsTable
  leaving_reasons: LeavingReasonsTable
}
