import type { Plan } from './plan.ts'
import { endsAt, groupOf, hasPrice, isEnded } from './rules.ts'
import type { Subscription } from './subscription.ts'

/** Lists living subscriptions that have another one in the same plan group, where one is enough. Pure. */
export function boughtTwice(
  subscriptions: readonly Subscription[],
  plans: readonly (Plan & { readonly group?: string | null })[],
): Subscription[] {
  const groupHeld = (s: Subscription): string | null => {
    const plan = plans.find(({ prices }) => prices.some(({ id }) => hasPrice(s, id)))
    return plan ? groupOf(plan) : null
  }
  const living = subscriptions.filter((s) => !isEnded(s) && s.status !== 'incomplete')
  return living.filter((s) => {
    const group = groupHeld(s)
    return (
      group !== null &&
      living.some(
        (other) => other !== s && groupHeld(other) === group && !follows(s, other) && !follows(other, s),
      )
    )
  })
}

/** True for a subscription bought to continue another. It costs nothing before that one ends. */
function follows(next: Subscription, before: Subscription): boolean {
  const end = endsAt(before)
  return end !== null && next.on_trial && next.trial_ends_at !== null && next.trial_ends_at >= end
}
