import { type ChangePlan, planChange, type SubscriptionChange } from './changing.ts'
import { buildInvoice, periodLines, waitingLines } from './invoices.ts'
import type { Invoice, Line, Subscription } from './objects.ts'
import { soonestOf } from './proration.ts'
import { Refusal } from './refusal.ts'
import { nextPeriod } from './renewing.ts'
import type { World } from './world.ts'

/**
 * Builds the next invoice, with or without a change, without storing it.
 * @throws Refusal when there will be none
 */
export function previewInvoice(world: World, before: Subscription, change: SubscriptionChange): Invoice {
  const plan = planChange(world, before, change)
  const { after } = plan
  const { lines, isNow } = previewLines(world, before, plan)
  if (lines.length === 0) throw new Refusal('nothing to come')
  const now = world.clock.seconds()
  const { start, end } = soonestOf(after.items) ?? { start: now, end: now }
  const period = isNow ? { start: now, end: now } : { start, end }
  const id = world.idFor('invoice')
  const invoice = buildInvoice(world, after, { lines, reason: 'upcoming', draftUntil: null, period }, id)
  return { ...invoice, created: period.end, next_try: period.end }
}

function previewLines(
  world: World,
  before: Subscription,
  { after, prorations, billed }: ChangePlan,
): { lines: Line[]; isNow: boolean } {
  const waiting = [...waitingLines(world, before), ...prorations]
  if (billed !== null) return { lines: [...waiting, ...billed], isNow: true }
  const ends = after.cancel_at !== null && after.cancel_at <= (soonestOf(after.items)?.end ?? 0)
  if (after.status === 'canceled' || ends) return { lines: waiting, isNow: false }
  const { currency } = after
  const due = nextPeriod(after).filter((item, i) => item.end !== after.items[i]!.end)
  const next = periodLines(world, due, { currency, isTrial: false })
  return { lines: [...waiting, ...next], isNow: false }
}
