import type { MemberBack } from './plan-member.ts'

/** Changes to one member's account. */
export interface BroughtBack {
  /** Path of the account, which may not exist yet. */
  readonly account: string
  readonly memberId: string
  readonly isNew: boolean
  readonly purchases: readonly string[]
  readonly subscriptions: readonly string[]
  /** Purchases that were refunded since. */
  readonly removed: readonly string[]
}

/** A manual task in version 1 for one member. The address is written nowhere else. */
export interface ByHand {
  readonly memberId: string
  readonly email: string | null
  /** null if version 1 has none. */
  readonly account: string | null
  readonly does: 'give' | 'take'
  /** null for a purchase without a price. */
  readonly gate: string | null
  /** Subscription, payment or grant that decides in version 2. */
  readonly bought: string | null
  /** ISO 8601 UTC; null without an end. */
  readonly until: string | null
  readonly why: string
}

/** Result of going back to version 1: what is written, and what is not. */
export interface BringBack {
  readonly written: boolean
  readonly members: number
  readonly brought: readonly BroughtBack[]
  /** Members for whom nothing is written, with the reason. */
  readonly left: readonly { readonly who: string; readonly reason: string }[]
  /** Access that still differs from version 2. */
  readonly differences: readonly ({ readonly who: string } & MemberBack['differences'][number])[]
  /** Remaining manual tasks. */
  readonly byHand: readonly ByHand[]
  /** Folder of the backups. */
  readonly backup: string | null
}
