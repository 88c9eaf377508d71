import type { InvoicePreview, Price } from '../../core/dto/index.ts'
import { MembershipError, type RefusalReason } from '../../core/errors.ts'
import type { Changed, SubscriptionCall, SwapRequest } from '../contract.ts'
import { obj } from '../narrow.ts'
import { address, type RestAnswer } from '../rest.ts'
import { issueOf, type PayPalApi } from './api.ts'
import { heldBy } from './held.ts'
import { heldNote, nextBilling, planOf } from './notes.ts'
import type { Linked, Plan, Subscription } from './payload.ts'
import { costOf } from './periods.ts'
import { found, linkTo, type PayPalReader } from './read-objects.ts'

/** Wanted plan and quantity of a subscription. */
interface Wanted {
  readonly priceId: string
  readonly quantity: number
}

interface Deps {
  readonly api: PayPalApi
  readonly objects: PayPalReader
  readonly priceOf: (id: string) => Price | undefined
}

/**
 * Changes plan or quantity from the next payment on; PayPal cannot charge a difference. The buyer must
 * approve on PayPal's page. Until then nothing changes, and the paid plan stays.
 * https://developer.paypal.com/docs/subscriptions/customize/revise-subscriptions/
 * @throws ERR_ACTION_REFUSED for a plan of another product
 */
export async function revise(
  { api, objects, priceOf }: Deps,
  id: string,
  wanted: Wanted | 'what is paid',
): Promise<Changed> {
  const current = await found(objects.subscription(id), id)
  const { raw } = current
  const now = planOf(raw)
  const paid = heldBy(raw, costOf(obj(raw.plan), raw, priceOf(now.plan ?? ''))) ?? {
    plan: now.plan ?? '',
    quantity: now.quantity ?? 1,
    until: nextBilling(raw),
  }
  const next = wanted === 'what is paid' ? { priceId: paid.plan, quantity: paid.quantity } : wanted
  if (next.priceId === now.plan && next.quantity === (now.quantity ?? 1))
    return objects.changes('subscription', current)
  const { until } = paid
  if (until === null) throw refused('period_unknown', 'It is not known until when this membership is paid.')
  await note(api, current, heldNote(raw, { ...paid, until }))
  const payUrl = await askBuyer(api, id, next, now.quantity ?? 1)
  return { ...objects.changes('subscription', await found(objects.subscription(id), id)), payUrl }
}

/** Previews the cost of a change: nothing before the next payment. */
export async function previewRevision(
  { api, objects, priceOf }: Deps,
  { subscription, priceId, quantity, prorationAt }: SwapRequest,
  now: Date,
): Promise<InvoicePreview> {
  const { raw } = await found(objects.subscription(subscription.id), subscription.id)
  const plan = await api.ask<Plan>(`plan ${priceId}`, { path: address`/v1/billing/plans/${priceId}` })
  const { unit_amount: amount, currency } = costOf(plan.raw, {}, priceOf(priceId))
  const total = (amount ?? 0) * quantity
  const at = nextBilling(raw)
  return {
    provider: 'paypal',
    subscription_id: subscription.id,
    currency: currency ?? subscription.currency ?? 'USD',
    amount_due: 0,
    total,
    lines: [{ text: priceOf(priceId)?.label ?? priceId, amount: total, price_id: priceId }],
    next_payment_at: at,
    changes_at: at,
    proration_at: prorationAt ?? now.toISOString(),
  }
}

/** Undoes a change that the buyer approved, for which PayPal asks the buyer again. */
export function takeBack(deps: Deps, { subscriptionId }: SubscriptionCall): Promise<Changed> {
  return revise(deps, subscriptionId, 'what is paid')
}

// Writes the note before the buyer approves; it has no effect until then, and afterwards would be too late.
async function note(api: PayPalApi, { raw }: RestAnswer<Subscription>, text: string): Promise<void> {
  if (raw.custom_id === text) return
  await api.ask(`a note on ${String(raw.id)}`, {
    method: 'PATCH',
    path: address`/v1/billing/subscriptions/${String(raw.id)}`,
    body: [{ op: raw.custom_id === undefined ? 'add' : 'replace', path: '/custom_id', value: text }],
    isRepeatable: true,
  })
}

/** Returns the page on which the buyer approves; null if no approval is needed, as with cards. */
async function askBuyer(
  api: PayPalApi,
  id: string,
  { priceId, quantity }: Wanted,
  before: number,
): Promise<string | null> {
  try {
    const { raw } = await api.ask<Linked>(`a change of ${id}`, {
      method: 'POST',
      path: address`/v1/billing/subscriptions/${id}/revise`,
      body: {
        plan_id: priceId,
        ...(quantity === 1 && before === 1 ? {} : { quantity: String(quantity) }),
      },
      // Each request opens a new approval, and the buyer answers only one.
      isRepeatable: true,
    })
    return linkTo(raw, 'approve')
  } catch (error) {
    const issue = issueOf(error)
    if (issue === 'PLAN_PRODUCT_NOT_COMPATIBLE')
      throw refused(
        'provider_refused',
        'PayPal changes between plans of one product only: this one is a new purchase.',
        error,
      )
    if (issue === 'SUBSCRIPTION_CANNOT_HAVE_QUANTITY')
      throw refused('provider_refused', 'PayPal sells one of this plan, and no more.', error)
    throw error
  }
}

function refused(reason: RefusalReason, message: string, error?: unknown): MembershipError {
  return new MembershipError('ERR_ACTION_REFUSED', message, {
    reason,
    action: 'See your account.',
    ...(error instanceof MembershipError ? { cause: error.cause } : {}),
  })
}
