import type { Plan, Price } from './plan.ts'
import { groupOf, hasPrice } from './rules.ts'
import type { SubscriptionData } from './subscription.ts'

/** The buyers who get a plan's free days: those who never had a subscription of its group, every buyer, or nobody. */
export type TrialRule = 'once' | 'always' | 'never'

/** The parts of a plan that trials need. */
export type TrialPlan = Plan & { readonly group?: string | null; readonly trial?: TrialRule }

/** True if it ever ran. A subscription with an unpaid first invoice never began. */
export function hasBegun({ status }: Pick<SubscriptionData, 'status'>): boolean {
  return status !== 'incomplete' && status !== 'expired'
}

/** The plans whose prices the subscription has. */
export function plansHeld<P extends TrialPlan>(s: SubscriptionData, plans: readonly P[]): P[] {
  return plans.filter((plan) => plan.provider === s.provider && plan.prices.some(({ id }) => hasPrice(s, id)))
}

/** The plan groups in which the member has or had a subscription, and so gets no free days. Pure. */
export function groupsHad(
  subscriptions: readonly SubscriptionData[],
  plans: readonly TrialPlan[],
): ReadonlySet<string> {
  return new Set(subscriptions.filter(hasBegun).flatMap((s) => plansHeld(s, plans).map(groupOf)))
}

/** The plan groups whose trial the buyer already had. */
export type TrialsHad = Pick<ReadonlySet<string>, 'has'>

/** The price per piece of a buyer's trial in minor units; null if the provider has not stated it. Pure. */
export function trialAmountFor(
  { trial_amount }: Pick<Price, 'trial_amount'>,
  days: number | null,
): number | null {
  return days ? trial_amount : 0
}

/** A buyer's free days; 0 for none, null if the price has no trial. Pure. */
export function freeDays(plan: TrialPlan, price: Price, had: TrialsHad): number | null {
  const rule = plan.trial ?? 'once'
  const isGiven = rule === 'always' || (rule === 'once' && !had.has(groupOf(plan)))
  return isGiven ? price.trial_days || null : 0
}
