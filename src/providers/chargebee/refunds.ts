import type { Change, Fetched } from '../contract.ts'
import { list, obj, str, whole } from '../narrow.ts'
import { type Bill, createRefunds, refundMark, toRefusal, unknownPayment } from '../refunds.ts'
import { address, isMissing } from '../rest.ts'
import type { ChargebeeApi } from './api.ts'
import { currencyOf, moment } from './facts.ts'
import type { Content, Invoice } from './payload.ts'

/** Refunds and invoices. https://apidocs.chargebee.com/docs/api/invoices/refund-an-invoice */
export function chargebeeRefunds(api: ChargebeeApi) {
  /** Finds the refund of an earlier call, because Chargebee forgets idempotency keys. */
  const findMade = async (invoice: string, mark: string): Promise<Fetched | null> => {
    const { all, at } = await api.all<Content>(`refunds of ${invoice}`, '/credit_notes', {
      'reference_invoice_id[is]': invoice,
    })
    const note = all.map((item) => obj(item.credit_note)).find((item) => JSON.stringify(item).includes(mark))
    if (note === undefined) return null
    const changes: Change[] = []
    for (const { txn_id } of list(note.linked_refunds))
      changes.push(...((await api.fetch({ kind: 'refund', id: String(txn_id) }))?.changes ?? []))
    return { changes, at }
  }

  return createRefunds({
    giveBack: async ({ payment: { id }, amount, idempotencyKey: key }) => {
      // Stored with the credit note.
      const mark = refundMark(key, 16)
      const known = await findMade(id, mark)
      if (known !== null) return known
      const body = {
        refund_amount: amount,
        credit_note: { reason_code: 'other' },
        customer_notes: `Refund ${mark}`,
      }
      const path = address`/invoices/${id}/refund`
      const made = await api.write(`a refund of ${id}`, { path, body, key }).catch((error: unknown) => {
        throw refusalOf(id, error)
      })
      return api.toFetched(made)
    },
    invoices: async (customer) => {
      const { all } = await api.all<Content>(`invoices of ${customer}`, '/invoices', {
        'customer_id[is]': customer,
      })
      return all.flatMap((item) => toBill(obj(item.invoice)))
    },
  })
}

// https://apidocs.chargebee.com/docs/api/error-handling
function refusalOf(id: string, error: unknown): unknown {
  return isMissing(error)
    ? unknownPayment('Chargebee', id, { elsewhere: 'another site, or to the other mode', cause: error.cause })
    : toRefusal(error, { provider: 'Chargebee', id, place: 'Chargebee', statuses: [400, 409] })
}

const statuses: ReadonlyMap<unknown, Bill['status']> = new Map([
  ['paid', 'paid'],
  ['posted', 'open'],
  ['payment_due', 'open'],
  ['not_paid', 'uncollectible'],
  ['voided', 'void'],
] as const)

function toBill(raw: Invoice): Bill[] {
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
