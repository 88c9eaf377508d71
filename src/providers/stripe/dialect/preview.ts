import { type ChangePlan, planChange, type SubscriptionChange } from './changing.ts'
import { ApiError } from './errors.ts'
import { buildInvoice } from './invoices.ts'
import { periodLines } from './lines.ts'
import { nextPeriod, pendingLines } from './renewing.ts'
import type { DraftLine, Invoice, Subscription } from './types.ts'
import type { World } from './world.ts'

/** The invoice that comes next, with a change or without; nothing is kept.
 *  https://docs.stripe.com/api/invoices/create_preview
 *  @throws invoice_upcoming_none where no invoice will come. */
export const previewInvoice = (world: World, before: Subscription, change: SubscriptionChange): Invoice => {
  const plan = planChange(world, before, change)
  const { lines, isNow } = previewLines(world, before, plan)
  if (lines.length === 0) throw noneToCome()
  const now = world.clock.seconds()
  const end = plan.after.items.data[0]?.current_period_end ?? now
  const invoice = buildInvoice(
    world,
    plan.after,
    {
      lines,
      reason: isNow ? 'subscription_update' : 'subscription_cycle',
      draftUntil: null,
      period: isNow
        ? { start: now, end: now }
        : { start: plan.after.items.data[0]?.current_period_start ?? now, end },
    },
    world.ids('upcoming_in'),
  )
  return {
    ...invoice,
    billing_reason: 'upcoming',
    created: isNow ? now : end,
    next_payment_attempt: isNow ? now : end,
  }
}

const previewLines = (
  world: World,
  before: Subscription,
  { after, prorations, billed }: ChangePlan,
): { lines: DraftLine[]; isNow: boolean } => {
  const pending = [...pendingLines(world, before), ...prorations]
  if (billed !== null) return { lines: [...pending, ...billed], isNow: true }
  const ends = after.cancel_at !== null && after.cancel_at <= (after.items.data[0]?.current_period_end ?? 0)
  if (after.status === 'canceled' || ends) return { lines: pending, isNow: false }
  const next = periodLines(world, nextPeriod(after), { currency: after.currency, isTrial: false })
  return { lines: [...pending, ...next], isNow: false }
}

const noneToCome = (): ApiError =>
  new ApiError(404, {
    type: 'invalid_request_error',
    code: 'invoice_upcoming_none',
    message: 'No upcoming invoices for customer',
  })
