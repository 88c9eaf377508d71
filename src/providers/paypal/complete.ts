import { declined } from '../api-errors.ts'
import type { CompleteRequest, Fetched } from '../contract.ts'
import { obj, str } from '../narrow.ts'
import { address, type RestAnswer } from '../rest.ts'
import { issueOf, keyed, type PayPalApi } from './api.ts'
import type { Order } from './payload.ts'
import type { PayPalReader } from './read-objects.ts'

/**
 * Completes what a buyer agreed to: captures an order, or activates a subscription. PayPal does each only
 * once: "only one capture per order is allowed", and an active subscription cannot be activated again. A
 * second caller gets the first result. https://developer.paypal.com/docs/api/orders/v2/#orders_capture,
 * …/subscriptions/v1/#subscriptions_activate
 */
export async function completePayPal(
  api: PayPalApi,
  objects: PayPalReader,
  request: CompleteRequest,
): Promise<Fetched | null> {
  const { checkoutId: id, isClosed } = request
  const isSubscription = id.startsWith('I-')
  const look = () => (isSubscription ? objects.subscription(id) : objects.order(id))
  const found = await look()
  if (found === null) return null
  const isTaken = found.raw.status === 'APPROVED' && !isClosed
  if (isTaken) await (isSubscription ? activate(api, id) : capture(api, found as RestAnswer<Order>, request))
  const after = isTaken ? await look() : found
  return after && objects.changes(isSubscription ? 'subscription' : 'order', after)
}

async function activate(api: PayPalApi, id: string): Promise<void> {
  try {
    await api.ask(`the beginning of ${id}`, {
      method: 'POST',
      path: address`/v1/billing/subscriptions/${id}/activate`,
      body: { reason: 'Agreed to by the subscriber' },
      // PayPal refuses a repetition.
      isRepeatable: true,
    })
  } catch (error) {
    const issue = issueOf(error)
    if (issue === 'SUBSCRIPTION_CANNOT_BE_ACTIVATED') throw declined(error)
    if (issue !== 'SUBSCRIPTION_STATUS_INVALID') throw error
  }
}

/** @throws ERR_PAYMENT_DECLINED when the buyer may choose another payment method on the same page */
async function capture(
  api: PayPalApi,
  { raw }: RestAnswer<Order>,
  { checkoutId: id, idempotencyKey }: CompleteRequest,
): Promise<void> {
  try {
    await api.ask(`the payment of ${id}`, {
      method: 'POST',
      path: address`/v2/checkout/orders/${id}/capture`,
      body: {},
      // A key repeats its answer, so each new agreement after a refusal needs a new key.
      ...keyed(`${idempotencyKey}:${agreementOf(raw)}`),
    })
  } catch (error) {
    const issue = issueOf(error) ?? ''
    if (refusals.has(issue)) throw declined(error)
    if (!waits.has(issue)) throw error
  }
}

/** Identifies one agreement of the buyer: its time and payment method. */
function agreementOf(raw: Order): string {
  return [str(raw.update_time), JSON.stringify(obj(raw.payment_source))].join(' ')
}

// https://developer.paypal.com/docs/checkout/standard/customize/handle-funding-failures/
const refusals: ReadonlySet<string> = new Set([
  'INSTRUMENT_DECLINED',
  'PAYER_CANNOT_PAY',
  'REDIRECT_PAYER_FOR_ALTERNATE_FUNDING',
  'TRANSACTION_REFUSED',
  'PAYER_ACCOUNT_RESTRICTED',
  'PAYER_ACCOUNT_LOCKED_OR_CLOSED',
])

// Another call was first, or the buyer must act again; the order shows which.
const waits: ReadonlySet<string> = new Set([
  'ORDER_ALREADY_CAPTURED',
  'ORDER_COMPLETION_IN_PROGRESS',
  'ORDER_NOT_APPROVED',
  'PAYER_ACTION_REQUIRED',
])
