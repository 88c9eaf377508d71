import type Stripe from 'stripe'
import type { InvoicePreview } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import type { Proration, SwapRequest } from '../contract.ts'
import { currency, idOf, int, isObject, list, obj, str, time } from '../narrow.ts'
import { priceAt, priceDataAt } from './chosen.ts'
import { singleItem, toIso, toSeconds } from './items.ts'
import { toLineItem } from './money.ts'
import { chosenNote, waitsUntil, withMethod } from './notes.ts'
import type { Invoice } from './payload.ts'
import { planChange, release } from './schedules.ts'

/** The current subscription, and the page of its open payment if it waits for one. */
export interface Swapped {
  readonly subscription: Stripe.Subscription
  readonly payUrl: string | null
}

/**
 * Changes price or quantity at once. The cost is paid first; until then Stripe keeps the change as a pending
 * update, and the subscription stays the same. https://docs.stripe.com/billing/subscriptions/pending-updates
 * After an undone pause Stripe shows the paid period as a trial, in which nothing can be charged; the change
 * then begins at its end.
 * @throws ERR_PAYMENT_DECLINED when the change was dropped
 */
export async function swap(stripe: Stripe, request: SwapRequest): Promise<Swapped> {
  const {
    subscription: { id },
    idempotencyKey: key,
  } = request
  const found = await stripe.subscriptions.retrieve(id, withMethod)
  const current = await makeWay(stripe, found, key)
  const later = async (): Promise<Swapped> => {
    const at = toIso(singleItem(current).current_period_end)
    return { subscription: await planChange(stripe, { ...request, at }), payUrl: null }
  }
  if (waitsUntil(found) !== null) return later()
  const price = await soldPrice(stripe, request, current)
  const item = { id: singleItem(current).id, price, quantity: request.quantity }
  const after = await stripe.subscriptions
    .update(
      id,
      {
        items: [item],
        proration_behavior: prorations[request.proration],
        ...(request.prorationAt === null ? {} : { proration_date: toSeconds(request.prorationAt) }),
        // A change of interval is always invoiced at once:
        // https://docs.stripe.com/billing/subscriptions/prorations
        payment_behavior: 'pending_if_incomplete',
      },
      { idempotencyKey: key },
    )
    .catch(unlessDebit)
  if (after === null) return later()
  if (after.pending_update === null) return { subscription: after, payUrl: null }
  return { subscription: after, payUrl: await payPage(stripe, after, key) }
}

// A pending update cannot change metadata, so the note is written before it. It names a product that the subscription
// may never have, and then says nothing.
async function soldPrice(
  stripe: Stripe,
  { priceId, chosen, idempotencyKey: key }: SwapRequest,
  { id, metadata }: Stripe.Subscription,
): Promise<string> {
  if (!chosen) return priceId
  const sold = await priceAt(stripe, priceId, chosen)
  const isNoted = Object.entries(sold.note).every(([name, value]) => metadata[name] === value)
  if (!isNoted)
    await stripe.subscriptions.update(id, { metadata: sold.note }, { idempotencyKey: `${key}:chosen` })
  return sold.id
}

/** Previews the cost of a swap. */
export async function previewOf(
  stripe: Stripe,
  request: SwapRequest,
  prorationAt: string,
): Promise<{ invoice: Stripe.Invoice; paidEnd: string | null; note: Record<string, string> | null }> {
  const { id } = request.subscription
  const current = await stripe.subscriptions.retrieve(id, withMethod)
  const item = singleItem(current)
  const waits = waitsUntil(current)
  const { priceId, chosen } = request
  const priced = chosen ? { price_data: await priceDataAt(stripe, priceId, chosen) } : { price: priceId }
  const invoice = await stripe.invoices.createPreview({
    subscription: id,
    subscription_details: {
      items: [{ id: item.id, ...priced, quantity: request.quantity }],
      ...(waits === null
        ? { proration_behavior: prorations[request.proration], proration_date: toSeconds(prorationAt) }
        : { proration_behavior: 'none' as const }),
    },
  })
  return {
    invoice,
    paidEnd: waits,
    note: priced.price_data ? chosenNote(priced.price_data.product, priceId) : null,
  }
}

interface PreviewParts {
  readonly invoice: Invoice
  readonly paidEnd: string | null
  /** The note of a chosen amount, which the invoice does not contain yet. */
  readonly note: unknown
}

/** Converts a preview. */
export function toPreview(
  { invoice, paidEnd: changesAt, note }: PreviewParts,
  subscriptionId: string,
  prorationAt: string,
): InvoicePreview {
  return {
    provider: 'stripe',
    subscription_id: subscriptionId,
    currency: currency(invoice.currency) ?? 'USD',
    amount_due: changesAt === null ? (int(invoice.amount_due) ?? 0) : 0,
    total: int(invoice.total) ?? 0,
    lines: list(invoice.lines).map((line) => ({
      text: str(line.description) ?? '',
      amount: int(line.amount) ?? 0,
      price_id: toLineItem(line, { metadata: note ?? noteOf(invoice) }).price_id,
    })),
    next_payment_at: changesAt ?? time(invoice.next_payment_attempt) ?? time(invoice.period_end),
    changes_at: changesAt,
    proration_at: prorationAt,
  }
}

// https://docs.stripe.com/billing/subscriptions/prorations
const prorations: Record<Proration, 'always_invoice' | 'create_prorations' | 'none'> = {
  now: 'always_invoice',
  next: 'create_prorations',
  none: 'none',
}

// Removes an earlier unpaid change and a scheduled one, because the newest request counts. Voiding the
// invoice of a pending update discards the update.
async function makeWay(
  stripe: Stripe,
  current: Stripe.Subscription,
  key: string,
): Promise<Stripe.Subscription> {
  const invoice = idOf(current.latest_invoice)
  if (current.pending_update !== null && invoice !== null)
    await stripe.invoices.voidInvoice(invoice, {}, { idempotencyKey: `${key}:void:${invoice}` })
  return current.schedule === null ? current : release(stripe, current, key)
}

// Bank debits take days, and pending updates do not support them, so the change begins with the next period.
// https://docs.stripe.com/billing/subscriptions/pending-updates ("aren't supported … when bank debits are
// used")
function unlessDebit(cause: unknown): null {
  const { statusCode, param } = obj(isObject(cause) ? cause : null)
  if (statusCode === 400 && param === 'payment_behavior') return null
  throw cause
}

/** Returns the page that answers the bank. A declined card needs no answer. */
async function payPage(
  stripe: Stripe,
  { latest_invoice }: Stripe.Subscription,
  key: string,
): Promise<string | null> {
  const id = idOf(latest_invoice) ?? ''
  const invoice = await stripe.invoices.retrieve(id, { expand: ['payments.data.payment.payment_intent'] })
  const [payment] = list(obj(JSON.parse(JSON.stringify(invoice))).payments)
  const intent = obj(obj(payment?.payment).payment_intent)
  if (intent.status === 'requires_action') return invoice.hosted_invoice_url ?? null
  await stripe.invoices.voidInvoice(id, {}, { idempotencyKey: `${key}:declined` })
  throw new MembershipError('ERR_PAYMENT_DECLINED', 'The payment was declined; nothing was changed.', {
    action: 'Use another card, or ask the bank.',
  })
}

function noteOf({ parent }: Invoice): unknown {
  return obj(obj(parent).subscription_details).metadata
}
