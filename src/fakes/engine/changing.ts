import { methodOf, testCardOf } from './cards.ts'
import { collect, finalizeInvoice } from './collecting.ts'
import { addWaiting, buildInvoice, draftInvoice, periodLines, waitingLines } from './invoices.ts'
import type { Invoice, Line, Subscription } from './objects.ts'
import { hour } from './periods.ts'
import { type ItemChange, type ItemPlan, planItems, soonestOf } from './proration.ts'
import { Refusal } from './refusal.ts'
import type { World } from './world.ts'

/** A change of a subscription, and its billing. */
export interface SubscriptionChange {
  readonly items?: readonly ItemChange[]
  /** Settlement of unused time: with the next invoice (default), at once, or not at all. */
  readonly prorates?: 'later' | 'now' | 'never'
  readonly prorationDate?: number
  /** Behaviour if the immediate invoice cannot be paid: the change happens anyway, is refused, or waits. */
  readonly unpaid?: 'change' | 'refuse' | 'wait'
  /** Starts a new cycle now. */
  readonly resetsCycle?: boolean
  readonly trialEnd?: 'now' | number
  /** Fields without further effects. */
  readonly fields?: Partial<Subscription>
}
/** Preview of a change. */
export interface ChangePlan {
  readonly after: Subscription
  readonly prorations: readonly Line[]
  /** Lines of the immediate invoice besides the prorations; null if there is none. */
  readonly billed: readonly Line[] | null
}

/** Computes a change without making it; previews use the same result. @throws Refusal */
export function planChange(world: World, before: Subscription, change: SubscriptionChange): ChangePlan {
  const now = world.clock.seconds()
  const prorates = change.prorates ?? 'later'
  const at = prorationDate(before, change.prorationDate, now)
  const isTrialOver = change.trialEnd === 'now' && before.status === 'trialing'
  // The trial ends first, then the items change.
  const basis: Subscription = isTrialOver ? { ...before, status: 'active' } : before
  const plan = planItems(world, basis, change.items ?? [], {
    at,
    prorates: prorates !== 'never' && !isTrialOver,
    resets: isTrialOver || change.resetsCycle === true,
  })
  const trial = typeof change.trialEnd === 'number' ? trialUntil(before, plan, change.trialEnd, now) : {}
  const after: Subscription = {
    ...basis,
    ...change.fields,
    items: plan.items,
    ...(plan.resetsCycle ? { anchor: now } : {}),
    ...(isTrialOver ? { trial_end: now } : {}),
    ...trial,
  }
  const bills = plan.resetsCycle || (prorates === 'now' && plan.prorations.length > 0)
  const { currency } = before
  const full = plan.resetsCycle ? periodLines(world, plan.items, { currency, isTrial: false }) : []
  return { after: withCancellation(before, after), prorations: plan.prorations, billed: bills ? full : null }
}

/** Makes a change, and bills its immediate part. @throws Refusal */
export function changeSubscription(
  world: World,
  before: Subscription,
  change: SubscriptionChange,
): Subscription {
  const { id } = before
  const plan = planChange(world, before, change)
  const { unpaid = 'change' } = change
  const isUnpaid = unpaid !== 'change' && wouldFail(world, before, plan)
  if (isUnpaid && unpaid === 'refuse') {
    world.change('subscription', id, { fails_next: false })
    world.change('customer', before.customer, { fails_next: false })
    throw new Refusal('declined')
  }
  const waiting = waitingLines(world, before)
  const prorations = plan.prorations.map((line) => addWaiting(world, before, line))
  const invoice =
    plan.billed === null ? null : billNow(world, plan.after, [...waiting, ...prorations, ...plan.billed])
  if (isUnpaid && invoice !== null) return wait(world, before, plan.after, invoice)
  const after = {
    ...plan.after,
    ...(invoice === null ? {} : { invoice: invoice.id }),
    ...(change.trialEnd === undefined ? {} : { warned: false }),
  }
  if (JSON.stringify(after) !== JSON.stringify(before))
    world.change('subscription', id, after, 'subscription changed')
  if (invoice !== null) settleNow(world, invoice)
  return world.store.get('subscription', id)
}

/** Drafts an invoice outside the cycle; the caller reports it with `settleNow`. */
export function billNow(world: World, subscription: Subscription, lines: readonly Line[]): Invoice {
  const now = world.clock.seconds()
  return draftInvoice(world, subscription, {
    lines,
    reason: 'change',
    draftUntil: null,
    period: { start: now, end: now },
  })
}

/** Reports a draft, finalises it and tries to collect it once. Returns true if nothing is open any more. */
export function settleNow(world: World, invoice: Invoice): boolean {
  world.tell('invoice added', invoice)
  return finalizeInvoice(world, invoice.id).status !== 'open' || collect(world, invoice.id)
}

function prorationDate({ items: [item] }: Subscription, asked: number | undefined, now: number): number {
  if (item === undefined) return now
  if (asked !== undefined && (asked < item.start || asked > item.end))
    throw new Refusal('date outside of the period')
  return asked ?? Math.min(Math.max(now, item.start), item.end)
}

function trialUntil(before: Subscription, plan: ItemPlan, end: number, now: number): Partial<Subscription> {
  if (end <= now) throw new Refusal('trial ends in the past')
  const isRunning = before.status === 'trialing'
  return {
    anchor: end,
    items: plan.items.map((item) => ({ ...item, end, start: isRunning ? item.start : now })),
    status: 'trialing',
    trial_end: end,
    trial_start: isRunning ? before.trial_start : now,
  }
}

// A cancellation at the period's end means the end of the new period.
function withCancellation(before: Subscription, after: Subscription): Subscription {
  const end = soonestOf(after.items)?.end ?? null
  return after.cancel_at_period_end && before.cancel_at !== end ? { ...after, cancel_at: end } : after
}

/** Returns true if the immediate invoice could not be paid. */
function wouldFail(world: World, before: Subscription, plan: ChangePlan): boolean {
  if (plan.billed === null) return false
  const lines = [...waitingLines(world, before), ...plan.prorations, ...plan.billed]
  const period = { start: 0, end: 0 }
  const preview = { lines, reason: 'change' as const, draftUntil: null, period }
  if (buildInvoice(world, plan.after, preview, 'preview').due === 0) return false
  const method = world.store.find('method', methodOf(world, before))
  const card = method && testCardOf(method.number)
  const isOrdered = before.fails_next || world.store.get('customer', before.customer).fails_next
  return isOrdered || card === undefined || card.refusal !== null || card.asks === true
}

/**
 * Keeps the change pending until its invoice is paid, for at most 23 hours.
 * https://docs.stripe.com/billing/subscriptions/pending-updates
 */
function wait(world: World, before: Subscription, after: Subscription, invoice: Invoice): Subscription {
  const { anchor, items, status, trial_end, trial_start } = after
  const pending = {
    invoice: invoice.id,
    expires_at: world.clock.seconds() + 23 * hour,
    change: { anchor, items, status, trial_end, trial_start },
  }
  world.change('subscription', before.id, { invoice: invoice.id, pending }, 'subscription changed')
  settleNow(world, invoice)
  return world.store.get('subscription', before.id)
}
