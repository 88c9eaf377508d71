import type { Invoice } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import { createJoining, once } from '../call-once.ts'
import type { Fetched, RefundRequest } from '../contract.ts'
import { idOf, int, type Json, str } from '../narrow.ts'
import type { CreemAnswer, CreemApi } from './api.ts'
import { currencyOf, moment } from './facts.ts'

/** Refunds and invoices. Creem refunds only whole payments.
 *  https://docs.creem.io/api-reference/endpoint/create-refund */
export const creemRefunds = (api: CreemApi) => {
  const joined = createJoining<Fetched>()

  const giveBack = async ({ payment: { id }, amount }: RefundRequest): Promise<Fetched> => {
    const found = await api.find('transaction', id)
    if (found === null || str(found.data.id) === null)
      throw new MembershipError('ERR_NOT_FOUND', `Creem knows no payment ${id}.`, {
        action: 'Look whether it belongs to another account, or to the other mode.',
      })
    const isDone = ({ data }: CreemAnswer) => givenOf(data) >= amount
    const changesOf = ({ data, at }: CreemAnswer) => api.told('transaction', [data], at)
    // A whole refund is the only one.
    if (isDone(found)) return changesOf(found)
    if (givenOf(found.data) > 0 || amount !== paidOf(found.data)) throw notWhole(id)
    const read = async () => (await api.find('transaction', id)) ?? found
    await once<unknown>({
      make: () => api.ask('a refund', { method: 'POST', path: '/v1/refunds', body: { transaction_id: id } }),
      find: async () => {
        const after = await read()
        return isDone(after) ? after : null
      },
    })
    return changesOf(await read())
  }

  return {
    refund: (request: RefundRequest): Promise<Fetched> => joined(request.payment.id, () => giveBack(request)),

    invoices: async (customer: string): Promise<readonly Omit<Invoice, 'account'>[]> => {
      const { all } = await api.all('payments', '/v1/transactions/search', { customer_id: customer })
      return all.map(toBill)
    },
  }
}

const paidOf = (raw: Json): number => int(raw.amount_paid) ?? int(raw.amount) ?? 0
const givenOf = (raw: Json): number =>
  raw.status === 'refunded' ? paidOf(raw) : (int(raw.refunded_amount) ?? 0)

const notWhole = (id: string): MembershipError =>
  new MembershipError('ERR_ACTION_REFUSED', `Creem gives the payment ${id} back whole, or not at all.`, {
    reason: 'only_in_full',
    action: 'Give a part of it back in the Creem dashboard (Transactions).',
  })

const statuses: ReadonlyMap<unknown, Invoice['status']> = new Map([
  ['pending', 'open'],
  ['declined', 'open'],
  ['uncollectible', 'uncollectible'],
  ['void', 'void'],
] as const)

const toBill = (raw: Json): Omit<Invoice, 'account'> => {
  const status = statuses.get(raw.status) ?? 'paid'
  const total = paidOf(raw)
  const at = moment(raw.created_at)
  return {
    id: str(raw.id) ?? '',
    provider: 'creem',
    customer_id: idOf(raw.customer),
    subscription_id: idOf(raw.subscription),
    number: null,
    status,
    currency: currencyOf(raw),
    total,
    amount_paid: status === 'paid' ? total : 0,
    created_at: at,
    paid_at: status === 'paid' ? at : null,
    url: null,
  }
}
