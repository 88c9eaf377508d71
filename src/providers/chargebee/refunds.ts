import { createHash } from 'node:crypto'
import type { Invoice, PaymentData } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import { failureOf } from '../api-errors.ts'
import { createJoining } from '../call-once.ts'
import type { Change, Fetched, RefundRequest } from '../contract.ts'
import { type Json, list, obj, str, whole } from '../narrow.ts'
import { address } from '../rest.ts'
import type { ChargebeeApi } from './api.ts'
import { currencyOf, moment } from './facts.ts'

/** Refunds and invoices. https://apidocs.chargebee.com/docs/api/invoices/refund-an-invoice */
export const chargebeeRefunds = (api: ChargebeeApi) => {
  const joined = createJoining<Fetched>()

  const giveBack = async ({ payment, amount, idempotencyKey: key }: RefundRequest): Promise<Fetched> => {
    const mark = markOf(key)
    const known = await findMade(payment.id, mark)
    if (known !== null) return known
    const body = {
      refund_amount: amount,
      credit_note: { reason_code: 'other' },
      customer_notes: `Refund ${mark}`,
    }
    const path = address`/invoices/${payment.id}/refund`
    const made = await api.write(`a refund of ${payment.id}`, { path, body, key }).catch((error: unknown) => {
      throw toRefusal(payment, error)
    })
    return api.told(made)
  }

  /** Finds the refund of an earlier call, because Chargebee forgets idempotency keys. */
  const findMade = async (invoice: string, mark: string): Promise<Fetched | null> => {
    const { all, at } = await api.all(`refunds of ${invoice}`, '/credit_notes', {
      'reference_invoice_id[is]': invoice,
    })
    const note = all.map((item) => obj(item.credit_note)).find((item) => JSON.stringify(item).includes(mark))
    if (note === undefined) return null
    const changes: Change[] = []
    for (const { txn_id } of list(note.linked_refunds))
      changes.push(...((await api.fetch({ kind: 'refund', id: String(txn_id) }))?.changes ?? []))
    return { changes, at }
  }

  return {
    refund: (request: RefundRequest): Promise<Fetched> =>
      joined(request.idempotencyKey, () => giveBack(request)),

    invoices: async (customer: string): Promise<readonly Omit<Invoice, 'account'>[]> => {
      const { all } = await api.all(`invoices of ${customer}`, '/invoices', { 'customer_id[is]': customer })
      return all.flatMap((item) => toBill(obj(item.invoice)))
    },
  }
}

// Stored with the credit note.
const markOf = (key: string): string => createHash('sha256').update(key).digest('hex').slice(0, 16)

/** Translates Chargebee's refusal. https://apidocs.chargebee.com/docs/api/error-handling */
const toRefusal = ({ id }: PaymentData, error: unknown): unknown => {
  const cause = error instanceof Error ? error.cause : null
  const { status, code } = failureOf(cause)
  if (status === 404)
    return new MembershipError('ERR_NOT_FOUND', `Chargebee knows no invoice ${id}.`, {
      action: 'Look whether it belongs to another site, or to the other mode.',
      cause,
    })
  if (status !== 400 && status !== 409) return error
  return new MembershipError(
    'ERR_ACTION_REFUSED',
    `Chargebee does not give the invoice ${id} back (${code}).`,
    { reason: 'provider_refused', action: 'See in Chargebee what is left of it.', cause },
  )
}

const statuses: ReadonlyMap<unknown, Invoice['status']> = new Map([
  ['paid', 'paid'],
  ['posted', 'open'],
  ['payment_due', 'open'],
  ['not_paid', 'uncollectible'],
  ['voided', 'void'],
] as const)

const toBill = (raw: Json): Omit<Invoice, 'account'>[] => {
  const id = str(raw.id)
  if (id === null || raw.deleted === true) return []
  return [
    {
      id,
      provider: 'chargebee',
      customer_id: str(raw.customer_id),
      subscription_id: str(raw.subscription_id),
      number: id,
      status: statuses.get(raw.status) ?? 'draft',
      currency: currencyOf(raw),
      total: whole(raw.total) ?? 0,
      amount_paid: whole(raw.amount_paid) ?? 0,
      created_at: moment(raw.date),
      paid_at: moment(raw.paid_at),
      // Its PDF is created on request and is available for an hour.
      url: null,
    },
  ]
}
