import type { InvoicePreview, Prospect, Subscription } from '../../core/dto/index.ts'
import type { ChangePlan } from './change-plan.ts'
import { nextAfter, prospectBase } from './prospect.ts'
import { refused } from './target.ts'

/**
 * Previews a change, from its plan and from the provider's word on its cost; null where the provider cannot be
 * asked. Pure.
 * @throws ERR_ACTION_REFUSED where nothing would change
 */
export const prospectOfChange = (
  { subscription: s, plan }: { subscription: Subscription; plan: ChangePlan },
  preview: InvoicePreview | null,
  now: Date,
): Prospect => {
  if (plan.does === 'nothing') throw refused('You have that already.', 'See your account.')
  const amount = plan.cost?.amount ?? null
  const base = {
    ...prospectBase(s),
    to: { price_id: plan.priceId, quantity: plan.quantity, cost: plan.cost },
    currency: preview?.currency ?? plan.cost?.currency ?? s.currency,
  }
  if (plan.does === 'keep') return { ...base, deed: 'keep', next_payment: { at: paidUntil(s), amount } }
  const later = plan.does === 'later' ? plan.at : (preview?.changes_at ?? null)
  if (later !== null)
    return { ...base, deed: 'change', at: later, next_payment: { at: later, amount }, access_until: later }
  const credit = Math.max(0, -(preview?.total ?? 0))
  return {
    ...base,
    deed: 'change',
    amount_due: preview?.amount_due ?? null,
    credit,
    lines: preview?.lines ?? [],
    next_payment: stops(s)
      ? null
      : { at: nextOf(s, plan, now), amount: nextAmount({ amount, credit, known: preview !== null, plan }) },
    proration_at: preview?.proration_at ?? null,
  }
}

const stops = (s: Subscription): boolean => s.cancel_at_period_end || s.cancel_at !== null
const paidUntil = (s: Subscription): string | null => s.current_period_end ?? s.trial_ends_at

// Another rhythm begins a new period; the same one goes on as it was.
const nextOf = (s: Subscription, { cost }: ChangePlan, now: Date): string | null => {
  if (s.on_trial) return s.trial_ends_at
  const isSame =
    cost !== null && cost.interval === s.interval && cost.interval_count === (s.interval_count ?? 1)
  return isSame ? paidUntil(s) : nextAfter(now, cost)
}

// What is settled with the next bill, or not known now, makes its amount the provider's to say.
const nextAmount = ({
  amount,
  credit,
  known,
  plan,
}: {
  amount: number | null
  credit: number
  known: boolean
  plan: ChangePlan
}): number | null => {
  if (amount === null || !known || (plan.does === 'now' && plan.proration === 'next')) return null
  return Math.max(0, amount - credit)
}
