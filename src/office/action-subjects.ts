import { oneLine, type Plan, titleOf } from '../core/dto/index.ts'
import { MembershipError } from '../core/errors.ts'
import type { User } from '../memberships/members/index.ts'
import type { FormField } from './planned-action.ts'

/**
 * Finds the member's own subscription that a form names, with its title.
 * @throws ERR_NOT_FOUND
 */
export function subscriptionOf(user: User, field: FormField, plans: readonly Plan[]) {
  const id = field('subscription')
  const s = user.subscriptions().find((subscription) => subscription.id === id)
  if (!s) throw notThere('subscription', id)
  return { s, title: titleOf(s.price_id, plans) }
}

/** Refuses an object that does not belong to the member. */
export function notThere(what: string, id: string | null): MembershipError {
  return new MembershipError(
    'ERR_NOT_FOUND',
    `There is no ${what} "${oneLine(id ?? '').slice(0, 100)}" of this member.`,
    {
      action: 'Go back to the member and choose again.',
    },
  )
}
