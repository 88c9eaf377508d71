import type { Time } from './columns.ts'

/** The operators who may enter the office. */
interface OperatorsTable {
  email: string
  /** operator, viewer */
  role: string
  added_at: Time
  added_by: string
  /** The secret of the second factor, sealed; null until its owner has enrolled. */
  secret: string | null
  /** The newest half minute whose code was used: each counts once. */
  last_step: number
  /** Wrong codes since the last right one. */
  tries: number
  locked_until: Time | null
}

/** Codes for an operator whose second factor is lost, each good for one use. */
interface OperatorCodesTable {
  email: string
  hash: string
  used_at: Time | null
}

/** Sessions that showed a second factor. */
interface OfficeEntriesTable {
  session_id: string
  email: string
  expires_at: Time
}

/** Moments at which a subscription's payment was overdue, as its provider told it. */
interface OverdueTable {
  provider: string
  account: string
  subscription_id: string
  at: Time
}

/** Mails that left: never what stands in them. */
interface SentMailsTable {
  /** The id of its message: one that is sent again is the same mail. */
  id: string
  member_id: string
  kind: string
  sent_at: Time
}

/** Tables of the operator's office, beside everything else. */
export interface OfficeTables {
  operators: OperatorsTable
  operator_codes: OperatorCodesTable
  office_entries: OfficeEntriesTable
  sent_mails: SentMailsTable
  overdue: OverdueTable
}
