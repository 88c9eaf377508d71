import type { Step } from '../../core/storage/index.ts'

/** Days during which the previous owner of an address can undo its change. */
export const takeBackDays = 7

/**
 * Voids requests made before a person proved to own an account, or asked to end all sessions. It covers waiting changes
 * of the address, merge requests, login links, and return pages that would open a session. Links that undo a change
 * stay valid.
 */
export interface Invalidation {
  /** Voids everything. `email` is the address that links were sent to. */
  all(owner: { readonly id: string; readonly email: string | null }, at: string): Step[]
  /** Voids unconfirmed changes of the address and merge requests. */
  changes(memberId: string, at: string): Step[]
  /** Return pages of the member's purchases no longer open a session. */
  returnPages(memberId: string, at: string): Step[]
}
