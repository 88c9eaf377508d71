import type { Answer } from '../api.ts'
import { int, type Json, list, obj, str } from '../narrow.ts'
import {
  type Bill,
  createRefunds,
  paymentBills,
  refundKey,
  refundMark,
  refundOnce,
  tooLittleLeft,
  unknownPayment,
} from '../refunds.ts'
import { address } from '../rest.ts'
import type { DodoApi } from './api.ts'
import { toPayment } from './money.ts'
import type { PaidItems, Payment, Refund } from './payload.ts'

/** Refunds and invoices. https://docs.dodopayments.com/api-reference/refunds/post-refunds */
export function dodoRefunds(api: DodoApi) {
  /** Finds a refund by our note, which only the refund object contains. */
  const findMade = async (paid: Payment, mark: string): Promise<Answer<Refund> | null> => {
    for (const { refund_id } of list(paid.refunds)) {
      const refund = await api.read('refund', str(refund_id) ?? '')
      // A failed refund returned no money, so the same request may be repeated.
      if (obj(refund?.raw.metadata)[refundKey] === mark && refund?.raw.status !== 'failed') return refund
    }
    return null
  }

  return createRefunds({
    giveBack: async ({ payment: { id }, amount, idempotencyKey }) => {
      const mark = refundMark(idempotencyKey, 32)
      const paid = await api.read('payment', id)
      if (paid === null)
        throw unknownPayment('Dodo Payments', id, { elsewhere: 'another business, or to the other mode' })
      const current = async () => (await api.read('payment', id)) ?? paid
      const refund = {
        // Dodo has no idempotency keys. A repeated request may have succeeded before, perhaps in another
        // process.
        looksFirst: true,
        find: async () => findMade((await current()).raw, mark),
        make: async () => {
          const items = isWhole(paid.raw, amount) ? {} : { items: await partsOf(api, id, amount) }
          return api.ask<Refund>(`a refund of ${id}`, {
            method: 'POST',
            path: '/refunds',
            body: { payment_id: id, ...items, metadata: { [refundKey]: mark } },
          })
        },
      }
      const statuses = [400, 403, 409, 422]
      const made = await refundOnce(refund, { provider: 'Dodo Payments', id, place: dashboard, statuses })
      // The payment shows the total refunded.
      const after = await current()
      return {
        changes: [
          ...api.toFetched('refund', [made.raw], made.at).changes,
          ...api.toFetched('payment', [after.raw], after.at).changes,
        ],
        at: made.at,
      }
    },
    invoices: async (customer) => {
      const { all } = await api.all<Payment>(`payments of ${customer}`, '/payments', {
        customer_id: customer,
      })
      return all.flatMap(toBill)
    },
  })
}

const dashboard = 'the Dodo Payments dashboard'

function isWhole(raw: Payment, amount: number): boolean {
  return list(raw.refunds).length === 0 && amount === int(raw.total_amount)
}

/**
 * Splits a partial refund over the purchased items.
 * @throws ERR_ACTION_REFUSED when less is left
 */
async function partsOf(api: DodoApi, id: string, amount: number): Promise<Json[]> {
  const { raw } = await api.ask<PaidItems>(`what was paid with ${id}`, {
    path: address`/payments/${id}/line-items`,
  })
  const parts: Json[] = []
  let left = amount
  for (const item of list(raw.items)) {
    const part = Math.min(left, int(item.refundable_amount) ?? 0)
    if (part > 0) parts.push({ item_id: str(item.items_id), amount: part, tax_inclusive: true })
    left -= part
  }
  if (left === 0) return parts
  throw tooLittleLeft(id, dashboard)
}

function toBill(raw: Payment): Bill[] {
  return paymentBills('dodo', toPayment(raw), {
    subscription_id: str(raw.subscription_id),
    number: str(raw.invoice_id),
    created_at: str(raw.created_at),
    url: str(raw.invoice_url),
  })
}
