import type { Answer } from '../api.ts'
import { type Json, list, obj, str, whole } from '../narrow.ts'
import {
  type Bill,
  createRefunds,
  refundMark,
  refundOnce,
  tooLittleLeft,
  unknownPayment,
  wholeBill,
} from '../refunds.ts'
import { address } from '../rest.ts'
import type { PaddleApi } from './api.ts'
import { currencyOf } from './facts.ts'
import type { Adjustment, Transaction } from './payload.ts'

/** Refunds and invoices. https://developer.paddle.com/api-reference/adjustments */
export function paddleRefunds(api: PaddleApi) {
  return createRefunds({
    giveBack: async ({ payment: { id }, amount, idempotencyKey }) => {
      const found = await api.find<Transaction>(`payment ${id}`, address`/transactions/${id}`, {
        include: 'adjustment',
      })
      if (found === null) throw unknownPayment('Paddle', id)
      // Paddle has no idempotency keys. The refund's reason is stored with it and not shown to buyers, so it
      // holds our mark.
      const mark = refundMark(idempotencyKey, 16)
      // A rejected refund returned no money, so the same request may be repeated.
      const isOurs = (raw: Adjustment) => counts(raw) && str(raw.reason)?.includes(mark) === true
      const known = list(found.raw.adjustments).find(isOurs)
      if (known !== undefined) return api.toFetched('adjustment', [known], found.at)
      const body = {
        action: 'refund',
        transaction_id: id,
        reason: `Refund ${mark}`,
        type: 'partial',
        items: partsOf(found.raw, amount, id),
      }
      const refund = {
        make: () => api.ask<Adjustment>(`a refund of ${id}`, { method: 'POST', path: '/adjustments', body }),
        find: async (): Promise<Answer<Adjustment> | null> => {
          const { all, at } = await api.all<Adjustment>(`refunds of ${id}`, '/adjustments', {
            transaction_id: id,
          })
          const raw = all.find(isOurs)
          return raw === undefined ? null : { raw, at }
        },
      }
      // https://developer.paddle.com/errors/adjustments
      const refusing = { provider: 'Paddle', id, place: dashboard, statuses: [400, 409] }
      const made = await refundOnce(refund, refusing)
      return api.toFetched('adjustment', [made.raw], made.at)
    },
    invoices: async (customer) => {
      const { all } = await api.all<Transaction>(`invoices of ${customer}`, '/transactions', {
        customer_id: customer,
      })
      return all.filter(({ status }) => status !== 'draft' && status !== 'ready').flatMap(toBill)
    },
  })
}

const dashboard = 'the Paddle dashboard'

/**
 * Splits a refund over the items: what is left of each, in order.
 * @throws ERR_ACTION_REFUSED when less is left
 */
function partsOf(raw: Transaction, amount: number, id: string): Json[] {
  const given = new Map<unknown, number>()
  for (const adjustment of list(raw.adjustments).filter(counts))
    for (const { item_id, amount: part } of list(adjustment.items))
      given.set(item_id, (given.get(item_id) ?? 0) + (whole(part) ?? 0))
  let missing = amount
  const parts: Json[] = []
  for (const line of list(obj(raw.details).line_items)) {
    const left = (whole(obj(line.totals).total) ?? 0) - (given.get(line.id) ?? 0)
    const part = Math.min(left, missing)
    if (part <= 0) continue
    missing -= part
    parts.push({ item_id: line.id, type: 'partial', amount: String(part) })
  }
  if (missing === 0) return parts
  throw tooLittleLeft(id, dashboard)
}

function counts({ action, status }: Adjustment): boolean {
  return (action === 'refund' || action === 'chargeback') && status !== 'rejected' && status !== 'reversed'
}

const statuses: ReadonlyMap<unknown, Bill['status']> = new Map([
  ['billed', 'open'],
  ['past_due', 'open'],
  ['paid', 'paid'],
  ['completed', 'paid'],
  ['canceled', 'void'],
] as const)

function toBill(raw: Transaction): Bill[] {
  const id = str(raw.id)
  if (id === null) return []
  const status = statuses.get(raw.status) ?? 'draft'
  return [
    wholeBill({
      id,
      provider: 'paddle',
      customer_id: str(raw.customer_id),
      subscription_id: str(raw.subscription_id),
      number: str(raw.invoice_number),
      status,
      currency: currencyOf(raw),
      total: whole(obj(obj(raw.details).totals).grand_total) ?? 0,
      created_at: str(raw.created_at),
      at: str(raw.billed_at),
      url: status === 'open' ? str(obj(raw.checkout).url) : null,
    }),
  ]
}
