import type { Answer } from '../api.ts'
import { int, obj, str } from '../narrow.ts'
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
import type { PolarApi } from './api.ts'
import { toPayment } from './money.ts'
import type { Order, Refund } from './payload.ts'

/** Refunds and invoices. https://polar.sh/docs/api-reference/refunds/create */
export function polarRefunds(api: PolarApi) {
  return createRefunds({
    giveBack: async ({ payment: { id }, amount, idempotencyKey }) => {
      const mark = refundMark(idempotencyKey, 32)
      const findMade = async (): Promise<Answer<Refund> | null> => {
        const { all, at } = await api.all<Refund>(`refunds of ${id}`, '/refunds/', { order_id: id })
        // A failed refund returned no money, so the same request may be repeated.
        const raw = all.find(
          ({ metadata, status }) =>
            obj(metadata)[refundKey] === mark && status !== 'failed' && status !== 'canceled',
        )
        return raw === undefined ? null : { raw, at }
      }
      const refund = {
        // Polar has no idempotency keys. A repeated request may have succeeded before, perhaps in another
        // process.
        looksFirst: true,
        find: findMade,
        make: async () => {
          const order = await api.find<Order>(`payment ${id}`, address`/orders/${id}`)
          if (order === null)
            throw unknownPayment('Polar', id, { elsewhere: 'another organization, or to the sandbox' })
          const body = {
            order_id: id,
            reason: 'customer_request',
            amount: withoutTax(order.raw, amount, id),
            metadata: { [refundKey]: mark },
          }
          return api.ask<Refund>(`a refund of ${id}`, { method: 'POST', path: '/refunds/', body })
        },
      }
      const refusing = { provider: 'Polar', id, place: dashboard, statuses: [403, 422] }
      const made = await refundOnce(refund, refusing)
      return api.toFetched('refund', [made.raw], made.at)
    },
    invoices: async (customer) => {
      const { all } = await api.all<Order>(`orders of ${customer}`, '/orders/', { customer_id: customer })
      return all.flatMap(toBill)
    },
  })
}

const dashboard = 'the Polar dashboard'

/**
 * Returns the net part of an amount, because the tax is refunded in addition. The whole rest is refunded to
 * the last cent.
 * @throws ERR_ACTION_REFUSED when less is left
 */
function withoutTax(raw: Order, amount: number, id: string): number {
  const [net, tax] = [int(raw.refundable_amount) ?? 0, int(raw.refundable_tax_amount) ?? 0]
  if (amount > net + tax) throw tooLittleLeft(id, dashboard)
  if (amount === net + tax) return net
  // Computes the tax of a part as Polar does. The refund may be a cent too low, but never too high.
  const share = (int(raw.tax_amount) ?? 0) / Math.max(1, int(raw.net_amount) ?? 1)
  const part = Math.round(amount / (1 + share))
  return Math.max(1, part + Math.round(part * share) > amount ? part - 1 : part)
}

function toBill(raw: Order): Bill[] {
  return paymentBills('polar', toPayment(raw), {
    subscription_id: str(raw.subscription_id),
    number: str(raw.invoice_number),
    created_at: str(raw.created_at),
    // Its file is created on request.
    url: null,
  })
}
