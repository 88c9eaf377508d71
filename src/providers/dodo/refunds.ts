import { createHash } from 'node:crypto'
import type { Invoice } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import { failureOf } from '../api-errors.ts'
import { createJoining, once } from '../call-once.ts'
import type { Fetched, RefundRequest } from '../contract.ts'
import { int, type Json, list, obj, str } from '../narrow.ts'
import { address } from '../rest.ts'
import type { DodoAnswer, DodoApi } from './api.ts'
import { toPayment } from './money.ts'

const keyName = 'membership_refund'

/** Refunds and invoices. https://docs.dodopayments.com/api-reference/refunds/post-refunds */
export const dodoRefunds = (api: DodoApi) => {
  const joined = createJoining<Fetched>()

  const giveBack = async ({ payment: { id }, amount, idempotencyKey }: RefundRequest): Promise<Fetched> => {
    const mark = createHash('sha256').update(idempotencyKey).digest('hex').slice(0, 32)
    const paid = await api.find('payment', id)
    if (paid === null)
      throw new MembershipError('ERR_NOT_FOUND', `Dodo Payments knows no payment ${id}.`, {
        action: 'Look whether it belongs to another business, or to the other mode.',
      })
    /** Finds a refund by our note, which only the refund object contains. */
    const findMade = async (): Promise<DodoAnswer | null> => {
      const now = (await api.find('payment', id)) ?? paid
      for (const { refund_id } of list(now.raw.refunds)) {
        const refund = await api.find('refund', str(refund_id) ?? '')
        // A failed refund returned no money, so the same request may be repeated.
        if (obj(refund?.raw.metadata)[keyName] === mark && refund?.raw.status !== 'failed') return refund
      }
      return null
    }
    const made = await once({
      // Dodo has no idempotency keys. A repeated request may have succeeded before, perhaps in another
      // process.
      looksFirst: true,
      find: findMade,
      make: async () => {
        const items = isWhole(paid.raw, amount) ? {} : { items: await partsOf(api, id, amount) }
        return api.ask(`a refund of ${id}`, {
          method: 'POST',
          path: '/refunds',
          body: { payment_id: id, ...items, metadata: { [keyName]: mark } },
        })
      },
    }).catch((error: unknown) => {
      throw toRefusal(id, error)
    })
    // The payment shows the total refunded.
    const after = (await api.find('payment', id)) ?? paid
    return {
      changes: [
        ...api.told('refund', [made.raw], made.at).changes,
        ...api.told('payment', [after.raw], after.at).changes,
      ],
      at: made.at,
    }
  }

  return {
    refund: (request: RefundRequest): Promise<Fetched> =>
      joined(request.idempotencyKey, () => giveBack(request)),

    invoices: async (customer: string): Promise<readonly Omit<Invoice, 'account'>[]> => {
      const { all } = await api.all(`payments of ${customer}`, '/payments', { customer_id: customer })
      return all.flatMap(toBill)
    },
  }
}

const isWhole = (raw: Json, amount: number): boolean =>
  list(raw.refunds).length === 0 && amount === int(raw.total_amount)

/** Splits a partial refund over the purchased items.
 *  @throws ERR_ACTION_REFUSED when less is left */
const partsOf = async (api: DodoApi, id: string, amount: number): Promise<Json[]> => {
  const { raw } = await api.ask(`what was paid with ${id}`, { path: address`/payments/${id}/line-items` })
  const parts: Json[] = []
  let left = amount
  for (const item of list(raw.items)) {
    const part = Math.min(left, int(item.refundable_amount) ?? 0)
    if (part > 0) parts.push({ item_id: str(item.items_id), amount: part, tax_inclusive: true })
    left -= part
  }
  if (left === 0) return parts
  throw new MembershipError('ERR_ACTION_REFUSED', `Less than that is left of the payment ${id}.`, {
    reason: 'amount_too_large',
    action: 'See in the Dodo Payments dashboard what is left.',
  })
}

/** Translates Dodo's refusal. */
const toRefusal = (id: string, error: unknown): unknown => {
  const { status, code } = failureOf(error instanceof Error ? error.cause : null)
  if (status === null || ![400, 403, 409, 422].includes(status)) return error
  return new MembershipError('ERR_ACTION_REFUSED', `Dodo Payments does not give ${id} back (${code}).`, {
    reason: 'provider_refused',
    action: 'See it in the Dodo Payments dashboard.',
    cause: error,
  })
}

const toBill = (raw: Json): Omit<Invoice, 'account'>[] => {
  const paid = toPayment(raw)
  if (paid === null) return []
  const total = paid.amount ?? 0
  const isPaid = paid.state === 'paid'
  return [
    {
      id: paid.id,
      provider: 'dodo',
      customer_id: paid.customer_id ?? null,
      subscription_id: str(raw.subscription_id),
      number: str(raw.invoice_id),
      status: isPaid ? 'paid' : paid.state === 'failed' ? 'void' : 'open',
      currency: paid.currency ?? null,
      total,
      amount_paid: isPaid ? total : 0,
      created_at: str(raw.created_at),
      paid_at: isPaid ? str(raw.created_at) : null,
      url: str(raw.invoice_url),
    },
  ]
}
