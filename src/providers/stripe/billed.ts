import { MembershipError } from '../../core/errors.ts'
import type { Change } from '../contract.ts'
import { idOf } from '../narrow.ts'
import { fetchedChange } from './changes.ts'
import { toRef } from './kinds.ts'
import type { AskAll } from './long-lists.ts'
import { isMissing } from './missing.ts'
import type { InvoicePayment } from './payload.ts'

/** Finds the purpose of a payment intent that does not contain it: the invoices that it pays, or, without
 *  any, a one-time purchase. Since API 2025-03-31 only this list shows it; older versions lack the list.
 *  https://docs.stripe.com/api/invoice-payment/list */
export const billedBy = async (
  askAll: AskAll,
  change: Change | undefined,
  livemode: boolean,
): Promise<readonly Change[]> => {
  if (change?.type !== 'money' || change.part !== 'collection') return []
  if (change.data.state !== 'paid' || change.data.purpose !== undefined) return []
  const { id } = change
  const all = await askAll<InvoicePayment>(`the invoices of intent ${id}`, (api, part) =>
    api.invoicePayments.list({ payment: { type: 'payment_intent', payment_intent: id }, ...part }),
  ).then((answer) => answer.all, noneIfMissing)
  if (all === null) return []
  return all.length === 0 ? [boughtOnce(id, livemode)] : all.flatMap((item) => linked(item, livemode))
}

const linked = (raw: InvoicePayment, livemode: boolean): Change[] => {
  const [link, invoice] = [fetchedChange('invoice_payment', raw, livemode), idOf(raw.invoice)]
  return [
    ...(link === null ? [] : [link]),
    ...(invoice === null ? [] : [{ type: 'touch', ref: toRef('invoice', invoice) } as const]),
  ]
}

const boughtOnce = (intent: string, livemode: boolean): Change => {
  const id = `unbilled:${intent}`
  const data = {
    livemode,
    id,
    refs: [toRef('intent', intent)],
    state: 'succeeded',
    purpose: 'one_time',
  } as const
  return { type: 'money', kind: 'link', id, stage: 'updated', data }
}

const noneIfMissing = (error: unknown): null => {
  if (error instanceof MembershipError && isMissing(error.cause)) return null
  throw error
}
