import { groupOf, type Plan, type Price } from './plan.ts'
import { hasPrice, type SubscriptionData } from './subscription.ts'

/**
 * The rule for a plan's free days: for whoever never had a subscription of its group, for every buyer, or for
 * nobody.
 */
export type TrialRule = 'once' | 'always' | 'never'

/** A plan as far as trials ask. */
export type TrialPlan = Plan & { readonly group?: string | null; readonly trial?: TrialRule }

/** True if it ever ran: an unpaid first invoice began nothing. */
export const hasBegun = ({ status }: Pick<SubscriptionData, 'status'>): boolean =>
  status !== 'incomplete' && status !== 'expired'

/** The plans that a subscription has prices of. */
export const plansHeld = <P extends TrialPlan>(s: SubscriptionData, plans: readonly P[]): P[] =>
  plans.filter((plan) => plan.provider === s.provider && plan.prices.some(({ id }) => hasPrice(s, id)))

/** The groups of plans of which somebody has or had a subscription: there are no free days any more. Pure. */
export const groupsHad = (
  subscriptions: readonly SubscriptionData[],
  plans: readonly TrialPlan[],
): ReadonlySet<string> =>
  new Set(subscriptions.filter(hasBegun).flatMap((s) => plansHeld(s, plans).map(groupOf)))

/** The groups whose free days somebody has had. */
export type TrialsHad = Pick<ReadonlySet<string>, 'has'>

/** Minor units of one piece that a buyer pays for the trial of a price; null: the provider has not said it. Pure. */
export function trialAmountFor(
  { trial_amount }: Pick<Price, 'trial_amount'>,
  days: number | null,
): number | null {
  return days ? trial_amount : 0
}

/** The days that a buyer gets free; 0: none. Null: the price says nothing of a trial. Pure. */
export const freeDays = (plan: TrialPlan, price: Price, had: TrialsHad): number | null => {
  const rule = plan.trial ?? 'once'
  const isGiven = rule === 'always' || (rule === 'once' && !had.has(groupOf(plan)))
  return isGiven ? price.trial_days || null : 0
}
