import { createHash } from 'node:crypto'
import type { Invoice, PaymentData } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import { failureOf } from '../api-errors.ts'
import { createJoining, once } from '../call-once.ts'
import type { Fetched, RefundRequest } from '../contract.ts'
import { int, type Json, obj, str } from '../narrow.ts'
import { address, unlessMissing } from '../rest.ts'
import type { PolarAnswer, PolarApi } from './api.ts'
import { currencyOf } from './facts.ts'
import { toPayment } from './money.ts'

const keyName = 'membership_refund'

/** Refunds and invoices. https://polar.sh/docs/api-reference/refunds/create */
export const polarRefunds = (api: PolarApi) => {
  const joined = createJoining<Fetched>()

  const giveBack = async ({ payment, amount, idempotencyKey }: RefundRequest): Promise<Fetched> => {
    const { id } = payment
    const mark = createHash('sha256').update(idempotencyKey).digest('hex').slice(0, 32)
    const findMade = async (): Promise<PolarAnswer | null> => {
      const { all, at } = await api.all(`refunds of ${id}`, '/refunds/', { order_id: id })
      // A failed refund returned no money, so the same request may be repeated.
      const raw = all.find(
        ({ metadata, status }) =>
          obj(metadata)[keyName] === mark && status !== 'failed' && status !== 'canceled',
      )
      return raw === undefined ? null : { raw, at }
    }
    const made = await once({
      // Polar has no idempotency keys. A repeated request may have succeeded before, perhaps in another
      // process.
      looksFirst: true,
      find: findMade,
      make: async () => {
        const order = await unlessMissing(api.ask(`payment ${id}`, { path: address`/orders/${id}` }))
        if (order === null)
          throw new MembershipError('ERR_NOT_FOUND', `Polar knows no payment ${id}.`, {
            action: 'Look whether it belongs to another organization, or to the sandbox.',
          })
        const body = {
          order_id: id,
          reason: 'customer_request',
          amount: withoutTax(order.raw, amount, id),
          metadata: { [keyName]: mark },
        }
        return api.ask(`a refund of ${id}`, { method: 'POST', path: '/refunds/', body })
      },
    }).catch((error: unknown) => {
      throw toRefusal(payment, error)
    })
    return api.told('refund', [made.raw], made.at)
  }

  return {
    refund: (request: RefundRequest): Promise<Fetched> =>
      joined(request.idempotencyKey, () => giveBack(request)),

    invoices: async (customer: string): Promise<readonly Omit<Invoice, 'account'>[]> => {
      const { all } = await api.all(`orders of ${customer}`, '/orders/', { customer_id: customer })
      return all.flatMap(toBill)
    },
  }
}

/** Returns the net part of an amount, because the tax is refunded in addition. The whole rest is refunded
 *  to the last cent.
 *  @throws ERR_ACTION_REFUSED when less is left */
const withoutTax = (raw: Json, amount: number, id: string): number => {
  const [net, tax] = [int(raw.refundable_amount) ?? 0, int(raw.refundable_tax_amount) ?? 0]
  if (amount > net + tax)
    throw new MembershipError('ERR_ACTION_REFUSED', `Less than that is left of the payment ${id}.`, {
      reason: 'amount_too_large',
      action: 'See in the Polar dashboard what is left.',
    })
  if (amount === net + tax) return net
  // Computes the tax of a part as Polar does. The refund may be a cent too low, but never too high.
  const share = (int(raw.tax_amount) ?? 0) / Math.max(1, int(raw.net_amount) ?? 1)
  const part = Math.round(amount / (1 + share))
  return Math.max(1, part + Math.round(part * share) > amount ? part - 1 : part)
}

/** Translates Polar's refusal. */
const toRefusal = ({ id }: PaymentData, error: unknown): unknown => {
  const { status, code } = failureOf(error instanceof Error ? error.cause : null)
  if (status !== 403 && status !== 422) return error
  return new MembershipError('ERR_ACTION_REFUSED', `Polar does not give the payment ${id} back (${code}).`, {
    reason: 'provider_refused',
    action: 'See it in the Polar dashboard.',
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
      provider: 'polar',
      customer_id: str(raw.customer_id),
      subscription_id: str(raw.subscription_id),
      number: str(raw.invoice_number),
      status: isPaid ? 'paid' : paid.state === 'failed' ? 'void' : 'open',
      currency: currencyOf(raw),
      total,
      amount_paid: isPaid ? total : 0,
      created_at: str(raw.created_at),
      paid_at: isPaid ? str(raw.created_at) : null,
      // Its file is created on request.
      url: null,
    },
  ]
}
