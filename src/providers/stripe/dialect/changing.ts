import { hour } from '../../../merchant/index.ts'
import { methodOf, testCardOf } from './cards.ts'
import { collect, finalizeInvoice } from './collecting.ts'
import { declined, invalid } from './errors.ts'
import { buildInvoice, draftInvoice } from './invoices.ts'
import { periodLines } from './lines.ts'
import { type ItemChange, type ItemPlan, planItems } from './proration.ts'
import { pendingLines } from './renewing.ts'
import type { DraftLine, Invoice, Subscription } from './types.ts'
import type { World } from './world.ts'

export interface SubscriptionChange {
  readonly items?: readonly ItemChange[]
  readonly prorationBehavior?: 'create_prorations' | 'always_invoice' | 'none'
  readonly prorationDate?: number
  readonly paymentBehavior?: string
  /** A new cycle begins now. */
  readonly resetsCycle?: boolean
  readonly trialEnd?: 'now' | number
  /** Fields that lead to nothing else. */
  readonly fields?: Partial<Subscription>
}
/** What a change would do. */
export interface ChangePlan {
  readonly after: Subscription
  readonly prorations: readonly DraftLine[]
  /** What is billed at once besides the prorations; null when nothing is. */
  readonly billed: readonly DraftLine[] | null
}

/** Plans a change without making it; previews show the same. */
export const planChange = (world: World, before: Subscription, change: SubscriptionChange): ChangePlan => {
  const now = world.clock.seconds()
  const behavior = change.prorationBehavior ?? 'create_prorations'
  const at = prorationDate(before, change.prorationDate, now)
  const isTrialOver = change.trialEnd === 'now' && before.status === 'trialing'
  // The trial ends first, then the items change.
  const basis: Subscription = isTrialOver ? { ...before, status: 'active' } : before
  const plan = planItems(world, basis, change.items ?? [], {
    at,
    prorates: behavior !== 'none' && !isTrialOver,
    resets: isTrialOver || change.resetsCycle === true,
  })
  const trial = typeof change.trialEnd === 'number' ? trialUntil(before, plan, change.trialEnd, now) : {}
  const after: Subscription = {
    ...basis,
    ...change.fields,
    items: { ...before.items, data: plan.items, total_count: plan.items.length },
    ...(plan.resetsCycle ? { billing_cycle_anchor: now } : {}),
    ...(isTrialOver ? { trial_end: now } : {}),
    ...trial,
  }
  const bills = plan.resetsCycle || (behavior === 'always_invoice' && plan.prorations.length > 0)
  const full = plan.resetsCycle
    ? periodLines(world, plan.items, { currency: before.currency, isTrial: false })
    : []
  return { after: withCancellation(before, after), prorations: plan.prorations, billed: bills ? full : null }
}

/** https://docs.stripe.com/api/subscriptions/update
 *  With `error_if_incomplete` nothing changes when what is billed at once cannot be paid, with `pending_if_incomplete`
 *  the change waits. @throws 402 in the first case. */
export const changeSubscription = (
  world: World,
  before: Subscription,
  change: SubscriptionChange,
): Subscription => {
  const plan = planChange(world, before, change)
  const behavior = change.paymentBehavior ?? 'allow_incomplete'
  const mayFail = behavior === 'error_if_incomplete' || behavior === 'pending_if_incomplete'
  const isPending = mayFail && wouldFail(world, before, plan)
  if (isPending && behavior === 'error_if_incomplete') {
    for (const id of [before.id, before.customer]) world.notes.failing.delete(id)
    throw declined()
  }
  const pending = pendingLines(world, before)
  const prorations = plan.prorations.map((line) => addInvoiceItem(world, before, line))
  const invoice =
    plan.billed === null ? null : billNow(world, plan.after, [...pending, ...prorations, ...plan.billed])
  if (isPending && invoice !== null) return pend(world, before, plan.after, invoice)
  const patch = { ...plan.after, ...(invoice === null ? {} : { latest_invoice: invoice.id }) }
  if (change.trialEnd !== undefined) world.notes.warnedTrials.delete(before.id)
  if (JSON.stringify(patch) !== JSON.stringify(before))
    world.change('subscription', before.id, patch, 'customer.subscription.updated')
  if (invoice !== null) settleNow(world, invoice)
  return world.store.get('subscription', before.id)
}

/** A pending item for the next invoice. https://docs.stripe.com/api/invoiceitems/object */
export const addInvoiceItem = (world: World, subscription: Subscription, line: DraftLine): DraftLine => {
  const id = world.ids('ii')
  const kept = { ...line, invoiceItem: id }
  world.add<'invoiceitem'>(
    {
      id,
      object: 'invoiceitem',
      amount: line.amount,
      currency: subscription.currency,
      customer: subscription.customer,
      date: world.clock.seconds(),
      description: line.description,
      discountable: false,
      invoice: null,
      livemode: false,
      metadata: {},
      period: line.period,
      proration: true,
      quantity: line.quantity,
      subscription: subscription.id,
    },
    'invoiceitem.created',
  )
  world.notes.pendingLines.set(id, kept)
  return kept
}

/** An invoice outside of the cycle; the caller tells of it with `settleNow`. */
export const billNow = (world: World, subscription: Subscription, lines: readonly DraftLine[]): Invoice => {
  const now = world.clock.seconds()
  const period = { start: now, end: now }
  return draftInvoice(world, subscription, { lines, reason: 'subscription_update', draftUntil: null, period })
}

/** Tells of a draft, makes it final and tries to collect it once; says whether nothing is open any more. */
export const settleNow = (world: World, invoice: Invoice): boolean => {
  world.emit('invoice.created', invoice)
  return finalizeInvoice(world, invoice.id).status !== 'open' || collect(world, invoice.id)
}

const prorationDate = (subscription: Subscription, asked: number | undefined, now: number): number => {
  const item = subscription.items.data[0]
  if (item === undefined) return now
  const { current_period_start: start, current_period_end: end } = item
  if (asked !== undefined && (asked < start || asked > end))
    throw invalid('Cannot specify a proration date outside of the current period.', 'proration_date')
  return asked ?? Math.min(Math.max(now, start), end)
}

const trialUntil = (
  before: Subscription,
  plan: ItemPlan,
  end: number,
  now: number,
): Partial<Subscription> => {
  if (end <= now)
    throw invalid('Invalid timestamp: must be an integer Unix timestamp in the future', 'trial_end')
  const data = plan.items.map((item) => ({
    ...item,
    current_period_end: end,
    ...(before.status === 'trialing' ? {} : { current_period_start: now }),
  }))
  return {
    billing_cycle_anchor: end,
    items: { ...before.items, data },
    status: 'trialing',
    trial_end: end,
    trial_start: before.status === 'trialing' ? before.trial_start : now,
  }
}

// Whoever cancels for the end of the period means the period there is then.
const withCancellation = (before: Subscription, after: Subscription): Subscription => {
  const end = after.items.data[0]?.current_period_end ?? null
  return after.cancel_at_period_end && before.cancel_at !== end ? { ...after, cancel_at: end } : after
}

/** Whether what is billed at once could not be paid. */
const wouldFail = (world: World, before: Subscription, plan: ChangePlan): boolean => {
  if (plan.billed === null) return false
  const lines = [...pendingLines(world, before), ...plan.prorations, ...plan.billed]
  const period = { start: 0, end: 0 }
  const preview = { lines, reason: 'subscription_update' as const, draftUntil: null, period }
  if (buildInvoice(world, plan.after, preview, 'in_preview').amount_due === 0) return false
  const method = methodOf(world, before)
  const card = method === null ? undefined : world.notes.cards.get(method)
  const isOrdered = [before.id, before.customer].some((id) => world.notes.failing.has(id))
  const known = card === undefined ? undefined : testCardOf(card)
  return isOrdered || known === undefined || known.decline !== null || known.asks === true
}

/** The change waits for its invoice to be paid, for 23 hours.
 *  https://docs.stripe.com/billing/subscriptions/pending-updates */
const pend = (world: World, before: Subscription, after: Subscription, invoice: Invoice): Subscription => {
  const { billing_cycle_anchor, items, status, trial_end, trial_start } = after
  world.notes.pendingUpdates.set(invoice.id, { billing_cycle_anchor, items, status, trial_end, trial_start })
  const pending_update = {
    billing_cycle_anchor: billing_cycle_anchor === before.billing_cycle_anchor ? null : billing_cycle_anchor,
    expires_at: world.clock.seconds() + 23 * hour,
    subscription_items: items.data,
    trial_end: trial_end === before.trial_end ? null : trial_end,
    trial_from_plan: null,
  }
  const patch = { latest_invoice: invoice.id, pending_update }
  world.change('subscription', before.id, patch, 'customer.subscription.updated')
  settleNow(world, invoice)
  return world.store.get('subscription', before.id)
}
