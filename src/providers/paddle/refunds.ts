import { createHash } from 'node:crypto'
import type { Invoice, PaymentData } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import { failureOf } from '../api-errors.ts'
import { createJoining, once } from '../call-once.ts'
import type { Fetched, RefundRequest } from '../contract.ts'
import { type Json, list, obj, str, whole } from '../narrow.ts'
import { address, unlessMissing } from '../rest.ts'
import type { PaddleAnswer, PaddleApi } from './api.ts'
import { currencyOf } from './facts.ts'

/** Refunds and invoices. https://developer.paddle.com/api-reference/adjustments */
export const paddleRefunds = (api: PaddleApi) => {
  const joined = createJoining<Fetched>()

  const giveBack = async ({ payment, amount, idempotencyKey }: RefundRequest): Promise<Fetched> => {
    const { id } = payment
    const path = address`/transactions/${id}`
    const found = await unlessMissing(api.ask(`payment ${id}`, { path, query: { include: 'adjustment' } }))
    if (found === null)
      throw new MembershipError('ERR_NOT_FOUND', `Paddle knows no payment ${id}.`, {
        action: 'Look whether it belongs to another account, or to the other mode.',
      })
    const mark = markOf(idempotencyKey)
    // A rejected refund returned no money, so the same request may be repeated.
    const isOurs = (raw: Json) => counts(raw) && str(raw.reason)?.includes(mark) === true
    const known = list(found.data.adjustments).find(isOurs)
    if (known !== undefined) return api.told('adjustment', [known], found.at)
    const body = {
      action: 'refund',
      transaction_id: id,
      reason: `Refund ${mark}`,
      type: 'partial',
      items: partsOf(found.data, amount, id),
    }
    const made = await once<PaddleAnswer>({
      make: () => api.ask(`a refund of ${id}`, { method: 'POST', path: '/adjustments', body }),
      find: async () => {
        const { all, at } = await api.all(`refunds of ${id}`, '/adjustments', { transaction_id: id })
        const data = all.find(isOurs)
        return data === undefined ? null : { data, at }
      },
    }).catch((error: unknown) => {
      throw toRefusal(payment, error)
    })
    return api.told('adjustment', [made.data], made.at)
  }

  return {
    refund: (request: RefundRequest): Promise<Fetched> =>
      joined(request.idempotencyKey, () => giveBack(request)),

    invoices: async (customer: string): Promise<readonly Omit<Invoice, 'account'>[]> => {
      const { all } = await api.all(`invoices of ${customer}`, '/transactions', { customer_id: customer })
      return all.filter(({ status }) => status !== 'draft' && status !== 'ready').flatMap(toBill)
    },
  }
}

// Paddle has no idempotency keys. The refund's reason is stored with it and not shown to buyers, so it holds
// our mark.
const markOf = (key: string): string => createHash('sha256').update(key).digest('hex').slice(0, 16)

/** Splits a refund over the items: what is left of each, in order.
 *  @throws ERR_ACTION_REFUSED when less is left */
const partsOf = (raw: Json, amount: number, id: string): Json[] => {
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
  throw new MembershipError('ERR_ACTION_REFUSED', `Less than that is left of the payment ${id}.`, {
    reason: 'amount_too_large',
    action: 'See in the Paddle dashboard what is left.',
  })
}

const counts = ({ action, status }: Json): boolean =>
  (action === 'refund' || action === 'chargeback') && status !== 'rejected' && status !== 'reversed'

/** Translates Paddle's refusal. https://developer.paddle.com/errors/adjustments */
const toRefusal = ({ id }: PaymentData, error: unknown): unknown => {
  const cause = error instanceof Error ? error.cause : null
  const { status, code } = failureOf(cause)
  if (status !== 400 && status !== 409) return error
  return new MembershipError('ERR_ACTION_REFUSED', `Paddle does not give the payment ${id} back (${code}).`, {
    reason: 'provider_refused',
    action: 'See it in the Paddle dashboard.',
    cause,
  })
}

const statuses: ReadonlyMap<unknown, Invoice['status']> = new Map([
  ['billed', 'open'],
  ['past_due', 'open'],
  ['paid', 'paid'],
  ['completed', 'paid'],
  ['canceled', 'void'],
] as const)

const toBill = (raw: Json): Omit<Invoice, 'account'>[] => {
  const id = str(raw.id)
  if (id === null) return []
  const total = whole(obj(obj(raw.details).totals).grand_total) ?? 0
  const status = statuses.get(raw.status) ?? 'draft'
  return [
    {
      id,
      provider: 'paddle',
      customer_id: str(raw.customer_id),
      subscription_id: str(raw.subscription_id),
      number: str(raw.invoice_number),
      status,
      currency: currencyOf(raw),
      total,
      amount_paid: status === 'paid' ? total : 0,
      created_at: str(raw.created_at),
      paid_at: status === 'paid' ? str(raw.billed_at) : null,
      url: status === 'open' ? str(obj(raw.checkout).url) : null,
    },
  ]
}
