import type { Grant } from '../../core/access/index.ts'
import type { Subscription } from '../../core/dto/index.ts'
import type { Step, Storage } from '../../core/storage/index.ts'
import type { Ledger } from '../ledger/index.ts'
import { createGrantDoor, type User } from '../members/index.ts'

const source = 'paid'

export interface PaidAccess {
  /** Prices paid until the period's end that the subscription no longer has. */
  paidFor(user: User, subscription: Subscription): string[]
  /**
   * Steps that keep the subscription's current gates open until a moment. They are written before the price changes,
   * because a lost answer would lose them. If the change is refused, nothing unpaid remains open.
   */
  keep(user: User, subscription: Subscription, until: string): Step[]
  /** Steps that end the paid access: the subscription has the paid price again, or is given up. */
  end(user: User, subscription: Subscription): Step[]
}

/**
 * Keeps paid access open at a provider that schedules nothing, where the cheaper price applies at once. It remains when
 * the site ends the subscription and keeps the money. A member who cancels at once gives it up.
 */
export function createPaidAccess(deps: {
  storage: Storage
  ledger: Pick<Ledger, 'noteMember'>
  now: () => Date
  randomId: () => string
}): PaidAccess {
  const { storage, ledger, now, randomId } = deps
  const grantsOf = createGrantDoor(storage)

  // Only grants of this period count. An earlier period's grant does not belong to this state of the subscription.
  const running = (user: User, { current_period_end }: Subscription): Grant[] =>
    user
      .grants()
      .filter(
        ({ source: by, expires_at }) =>
          by === source &&
          expires_at !== null &&
          expires_at === current_period_end &&
          expires_at > now().toISOString(),
      )

  const paidFor = (user: User, subscription: Subscription): string[] =>
    running(user, subscription)
      .map(({ gate }) => gate)
      .filter((gate) => !subscription.hasPrice(gate))

  const keep = (user: User, subscription: Subscription, until: string): Step[] => {
    // Of several cheaper changes in a row, only the first takes away paid access.
    if (paidFor(user, subscription).length > 0) return []
    const prices = new Set([subscription.price_id, ...subscription.items.map((item) => item.price_id)])
    const kept = new Set(running(user, subscription).map(({ gate }) => gate))
    const rows = [...prices]
      .filter((id) => id !== null && !kept.has(id))
      .map((gate) => ({
        id: randomId(),
        member_id: user.id,
        gate: gate!,
        source,
        reason: 'paid before the change',
        starts_at: null,
        expires_at: until,
        created_at: now().toISOString(),
        revoked_at: null,
        // The grant belongs to its subscription, and moves with it when a merge is undone.
        moved_from: ownerOf(user, subscription)?.merged_from ?? null,
      }))
    if (rows.length === 0) return []
    return [
      ...rows.map((row) => grantsOf.addUnchecked(row, 'the change that it belongs to')),
      ...ledger.noteMember(user.id),
    ]
  }

  const end = (user: User, subscription: Subscription): Step[] => {
    const grants = running(user, subscription)
    if (grants.length === 0) return []
    const revoked_at = now().toISOString()
    return [...grants.map(({ id }) => grantsOf.revoke(id, revoked_at)), ...ledger.noteMember(user.id)]
  }

  return { paidFor, keep, end }
}
function ownerOf(user: User, { provider, account, customer_id }: Subscription) {
  return user.customers(provider).find((known) => known.account === account && known.id === customer_id)
}
