import type { Row, Step } from '../../core/storage/index.ts'

/** An account that a purchase creates. */
export type NewAccount = Omit<Row<'members'>, 'password_hash' | 'merged_into' | 'mails_off_at'>

/**
 * The doors that the ledger asks in its own unit. Their tables belong to modules above it, so it gets them as arguments.
 */
export interface Neighbours {
  readonly accounts: {
    /** Creates an account, unless somebody has the address. */
    add(row: NewAccount): Step
    /** The member still has this address, with the same verification state. */
    hasAddress(member: { id: string; email: string; email_verified: number }): Step
    /** The account is still merged into the same account, or into none. */
    isMergedInto(id: string, into: string | null): Step
    /** Nobody has this address. */
    nobodyHas(email: string): Step
  }
  readonly deletions: {
    /** The member's deletion is not complete. */
    isNotDone(memberId: string): Step
    /** Runs the deletion of an empty member once more, at that moment or sooner. */
    runAgain(memberId: string, dueAt: string): Step
  }
  readonly intents: {
    /** Writes the outcome of a checkout whose status is still `before`. */
    settle(settled: {
      id: string
      status: string
      checkout_id: string | null
      settled_at: string
      member_id: string | null
      is_sure: number
      before: string
    }): Step
    /** Schedules another poll of a checkout. A final outcome stays. */
    pollAt(id: string, at: string): Step
  }
  readonly events: {
    /** Drops the body of an event that is about another shop alone. */
    dropBody(event: { provider: string; account: string; event_id: string }): Step
    /** Drops the bodies of the events about an object of another shop that arrived since a moment. */
    dropBodiesOf(object: { provider: string; account: string; object_id: string; from: string }): Step
  }
  readonly notifications: {
    /** Queues a notification about an owner, or about a member as an owner without a provider. */
    queue(owner: {
      provider: string
      account: string
      owner_id: string
      due_at: string
      known_at: string | null
    }): Step
  }
}
