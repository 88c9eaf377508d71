import { MembershipError } from '../../core/errors.ts'
import type { Answer } from '../api.ts'
import { once } from '../call-once.ts'
import { idOf, int, str } from '../narrow.ts'
import { type Bill, createRefunds, unknownPayment, wholeBill } from '../refunds.ts'
import type { CreemApi } from './api.ts'
import { currencyOf, moment } from './facts.ts'
import type { Transaction } from './payload.ts'

/**
 * Refunds and invoices. Creem refunds only whole payments.
 * https://docs.creem.io/api-reference/endpoint/create-refund
 */
export function creemRefunds(api: CreemApi) {
  return createRefunds({
    // A whole refund is the only one.
    keyOf: ({ payment }) => payment.id,
    giveBack: async ({ payment: { id }, amount }) => {
      const found = await api.read('transaction', id)
      if (found === null || str(found.raw.id) === null) throw unknownPayment('Creem', id)
      const isDone = ({ raw }: Answer<Transaction>) => givenOf(raw) >= amount
      const toFetched = ({ raw, at }: Answer<Transaction>) => api.toFetched('transaction', [raw], at)
      if (isDone(found)) return toFetched(found)
      if (givenOf(found.raw) > 0 || amount !== paidOf(found.raw)) throw notWhole(id)
      const read = async () => (await api.read('transaction', id)) ?? found
      await once<unknown>({
        make: () =>
          api.ask('a refund', { method: 'POST', path: '/v1/refunds', body: { transaction_id: id } }),
        find: async () => {
          const after = await read()
          return isDone(after) ? after : null
        },
      })
      return toFetched(await read())
    },
    invoices: async (customer) => {
      const { all } = await api.all<Transaction>('payments', '/v1/transactions/search', {
        customer_id: customer,
      })
      return all.map(toBill)
    },
  })
}

function paidOf(raw: Transaction): number {
  return int(raw.amount_paid) ?? int(raw.amount) ?? 0
}
function givenOf(raw: Transaction): number {
  return raw.status === 'refunded' ? paidOf(raw) : (int(raw.refunded_amount) ?? 0)
}

function notWhole(id: string): MembershipError {
  return new MembershipError(
    'ERR_ACTION_REFUSED',
    `Creem gives the payment ${id} back whole, or not at all.`,
    {
      reason: 'only_in_full',
      action: 'Give a part of it back in the Creem dashboard (Transactions).',
    },
  )
}

const statuses: ReadonlyMap<unknown, Bill['status']> = new Map([
  ['pending', 'open'],
  ['declined', 'open'],
  ['uncollectible', 'uncollectible'],
  ['void', 'void'],
] as const)

function toBill(raw: Transaction): Bill {
  const at = moment(raw.created_at)
  return wholeBill({
    id: str(raw.id) ?? '',
    provider: 'creem',
    customer_id: idOf(raw.customer),
    subscription_id: idOf(raw.subscription),
    number: null,
    status: statuses.get(raw.status) ?? 'paid',
    currency: currencyOf(raw),
    total: paidOf(raw),
    created_at: at,
    at,
    url: null,
  })
}
