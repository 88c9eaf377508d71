import type { Grant } from '../../core/access/index.ts'
import type { Subscription } from '../../core/dto/index.ts'
import { type Step, type Storage, step } from '../../core/storage/index.ts'
import type { Ledger } from '../ledger/index.ts'
import type { User } from '../members/index.ts'
import { memberStatements } from '../members/statements.ts'

const source = 'paid'

/** Access that is paid until a day although the provider has the cheaper price already, since it schedules nothing. It
 *  stays when the site ends the subscription and keeps the money; who ends it themselves at once gives it up. */
export const createPaidAccess = (deps: {
  storage: Storage
  ledger: Pick<Ledger, 'noteMember'>
  now: () => Date
  randomId: () => string
}) => {
  const { storage, ledger, now, randomId } = deps
  const statements = memberStatements(storage)

  // Of this period: what an earlier one has left is no news of this subscription.
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

  /** The prices that are paid until the end of the period, and that the subscription has no more. */
  const paidFor = (user: User, subscription: Subscription): string[] =>
    running(user, subscription)
      .map(({ gate }) => gate)
      .filter((gate) => !subscription.hasPrice(gate))

  /** The steps that keep open until a moment what the subscription has opened so far. They are written before the price
   *  changes, since an answer that is lost would lose them; a change that is refused leaves nothing that is not paid. */
  const keep = (user: User, subscription: Subscription, until: string): Step[] => {
    // Of several cheaper ones in a row only the first takes away what was paid.
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
        // It belongs to its subscription, and leaves with it when a merge is taken back.
        moved_from: ownerOf(user, subscription)?.merged_from ?? null,
      }))
    if (rows.length === 0) return []
    return [...rows.map((row) => step(statements.grantInsert, row)), ...ledger.noteMember(user.id)]
  }

  /** The steps that end it: the subscription has again what was paid, or is given up. */
  const end = (user: User, subscription: Subscription): Step[] => {
    const grants = running(user, subscription)
    if (grants.length === 0) return []
    const revoked_at = now().toISOString()
    return [
      ...grants.map(({ id }) => step(statements.grantRevoke, { id, revoked_at })),
      ...ledger.noteMember(user.id),
    ]
  }

  return { paidFor, keep, end }
}
const ownerOf = (user: User, { provider, account, customer_id }: Subscription) =>
  user.customers(provider).find((known) => known.account === account && known.id === customer_id)

export type PaidAccess = ReturnType<typeof createPaidAccess>
