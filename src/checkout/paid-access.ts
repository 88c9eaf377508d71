import type { Grant, Subscription } from '../dto/index.ts'
import type { Ledger } from '../ledger/index.ts'
import type { User } from '../members/index.ts'
import { type Step, type Storage, step } from '../storage/index.ts'
import { intentStatements } from './statements.ts'

const source = 'paid'

/** Access that is paid until a day although the provider has the cheaper price already, since it schedules nothing. */
export const createPaidAccess = (deps: {
  storage: Storage
  ledger: Pick<Ledger, 'noteMember'>
  now: () => Date
  randomId: () => string
}) => {
  const { storage, ledger, now, randomId } = deps
  const statements = intentStatements(storage)

  /** The running one for a price, or null. */
  const find = (user: User, priceId: string, moment: Date): Grant | null =>
    user
      .grants()
      .find(
        (grant) =>
          grant.source === source &&
          grant.gate === priceId &&
          (grant.expires_at ?? '') > moment.toISOString(),
      ) ?? null

  /** The steps that keep open until a moment what the subscription has opened so far. */
  const keep = (user: User, { items, price_id }: Subscription, until: string): Step[] => {
    const prices = new Set([price_id, ...items.map((item) => item.price_id)])
    const missing = [...prices].filter((id) => id !== null && find(user, id, now()) === null)
    const rows = missing.map((gate) => ({
      id: randomId(),
      member_id: user.id,
      gate: gate!,
      source,
      reason: 'paid before the change',
      starts_at: null,
      expires_at: until,
      created_at: now().toISOString(),
      revoked_at: null,
    }))
    if (rows.length === 0) return []
    return [...rows.map((row) => step(statements.grantPaid, row)), ...ledger.noteMember(user.id)]
  }

  /** The steps that end it, where the price is what the subscription has again. */
  const end = (user: User, priceId: string): Step[] => {
    const grant = find(user, priceId, now())
    if (grant === null) return []
    const revoked = { id: grant.id, revoked_at: now().toISOString() }
    return [step(statements.grantEnded, revoked), ...ledger.noteMember(user.id)]
  }

  return { find, keep, end }
}
export type PaidAccess = ReturnType<typeof createPaidAccess>
