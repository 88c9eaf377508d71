import type { Price, SubscriptionStatus } from '../../core/dto/index.ts'
import type { MoneyFact, SubscriptionSnapshot } from '../contract.ts'
import { type Json, list, obj, str, whole } from '../narrow.ts'
import { nameOf } from './customer.ts'
import { customOf, intentIn } from './facts.ts'
import { costOf, paidBeyond } from './periods.ts'

/** A subscription of PayPal as our data; null without an id. What is sold is the plan. `at`: when this was so.
 *  Source: https://developer.paypal.com/docs/api/subscriptions/v1/ */
export const toSubscriptionData = (
  raw: Json,
  { at, priceOf }: { readonly at: string | null; readonly priceOf: (id: string) => Price | undefined },
): SubscriptionSnapshot | null => {
  const id = str(raw.id)
  if (id === null) return null
  const plan = str(raw.plan_id)
  const sold = { price_id: plan, product_id: null, quantity: whole(raw.quantity) }
  const billing = obj(raw.billing_info)
  const cost = costOf(raw, plan === null ? undefined : priceOf(plan))
  const since = str(raw.status_update_time) ?? at
  const isCancelled = raw.status === 'CANCELLED'
  const end = isCancelled ? paidBeyond(raw, cost, since) : null
  const status = end === null ? statusOf(raw) : ({ status: 'active', provider_status: 'CANCELLED' } as const)
  const isOver = status.status === 'canceled' || status.status === 'expired'
  const period = {
    current_period_start: str(obj(billing.last_payment).time) ?? str(raw.start_time),
    current_period_end: end ?? str(billing.next_billing_time),
  }
  return {
    id,
    customer_id: str(obj(raw.subscriber).payer_id),
    ...sold,
    items: plan === null ? [] : [{ id: null, ...sold, ...period }],
    ...status,
    ...cost,
    started_at: str(raw.start_time) ?? str(raw.create_time),
    trial_ends_at: status.status === 'trialing' ? trialEnd(billing) : null,
    ...period,
    cancel_at_period_end: end !== null,
    cancel_at: end,
    canceled_at: isCancelled ? since : null,
    ended_at: isOver ? since : null,
    paused_at: status.status === 'paused' ? since : null,
    resumes_at: null,
    scheduled_change: null,
    metadata: customOf(raw),
  }
}

/** The page on which it was approved, which has its id; null where we did not begin it. */
export const toFirstPage = (
  raw: Json,
  { id, status, customer_id }: SubscriptionSnapshot,
): MoneyFact | null => {
  const intent = intentIn(raw)
  if (intent === null) return null
  const isOpen = status === 'incomplete'
  const subscriber = obj(raw.subscriber)
  return {
    id,
    refs: [{ kind: 'subscription', id }],
    intent_id: intent,
    checkout_status: isOpen ? 'open' : 'complete',
    purpose: 'recurring',
    subscription_id: id,
    customer_id,
    // Whether anything was paid, others say.
    state: 'pending',
    email: str(subscriber.email_address),
    name: nameOf(subscriber),
  }
}

// A word we do not know opens no gate: `incomplete` is the safest.
const statusOf = (raw: Json): Pick<SubscriptionSnapshot, 'status' | 'provider_status'> => {
  const word = str(raw.status)
  const status = nearest(word?.toUpperCase(), obj(raw.billing_info))
  return { status, provider_status: isSameWord(word, status) ? null : word }
}

// "The number of consecutive payment failures. Resets to 0 after a successful payment."
const nearest = (word: string | undefined, billing: Json): SubscriptionStatus => {
  const isFailing = (whole(billing.failed_payments_count) ?? 0) > 0
  switch (word) {
    case 'ACTIVE':
      return isFailing ? 'past_due' : isTrial(billing) ? 'trialing' : 'active'
    // Whoever asked for it, or PayPal itself after too many failures.
    case 'SUSPENDED':
      return isFailing ? 'unpaid' : 'paused'
    case 'CANCELLED':
      return 'canceled'
    case 'EXPIRED':
      return 'expired'
    default:
      return 'incomplete'
  }
}

const isSameWord = (word: string | null, status: SubscriptionStatus): boolean =>
  word?.toLowerCase().replace('cancelled', 'canceled') === status

const executions = (billing: Json, kind: string): Json[] =>
  list(billing.cycle_executions).filter(({ tenure_type: tenure }) => tenure === kind)

/** A period counts as completed when it begins: the first regular one ends the trial. */
const isTrial = (billing: Json): boolean =>
  executions(billing, 'TRIAL').length > 0 &&
  executions(billing, 'REGULAR').every(({ cycles_completed: done }) => (whole(done) ?? 0) === 0)

const trialEnd = (billing: Json): string | null => {
  const isLast = executions(billing, 'TRIAL').every(({ cycles_remaining: left }) => whole(left) === 0)
  return isLast ? str(billing.next_billing_time) : null
}
