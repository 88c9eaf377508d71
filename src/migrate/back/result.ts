import type { MemberBack } from './plan-member.ts'

/** The changes to one member's account. */
export interface BroughtBack {
  /** The place of the account, or its future one. */
  readonly account: string
  readonly memberId: string
  readonly isNew: boolean
  readonly purchases: readonly string[]
  readonly subscriptions: readonly string[]
  /** Purchases that were given back since. */
  readonly removed: readonly string[]
}

/** A task to do by hand in version 1 for one member: the address is written nowhere else. */
export interface ByHand {
  readonly memberId: string
  readonly email: string | null
  /** null where version 1 has none. */
  readonly account: string | null
  readonly does: 'give' | 'take'
  /** null where a purchase names no price. */
  readonly gate: string | null
  /** The subscription, payment or grant that decides in version 2. */
  readonly bought: string | null
  /** ISO 8601 UTC; null where it has no end. */
  readonly until: string | null
  readonly why: string
}

/** The result of going back to version 1: what comes along, and what does not. */
export interface BringBack {
  readonly written: boolean
  readonly members: number
  readonly brought: readonly BroughtBack[]
  /** Nothing was or will be written for these, and why. */
  readonly left: readonly { readonly who: string; readonly reason: string }[]
  /** Access that differs from version 2 all the same. */
  readonly differences: readonly ({ readonly who: string } & MemberBack['differences'][number])[]
  /** Everything that somebody has to do by hand after that. */
  readonly byHand: readonly ByHand[]
  /** The folder of the backups. */
  readonly backup: string | null
}
