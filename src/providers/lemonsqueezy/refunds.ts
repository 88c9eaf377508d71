import { createHash } from 'node:crypto'
import type { Invoice } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import { failureOf } from '../api-errors.ts'
import { createJoining, once } from '../call-once.ts'
import type { DocumentStore, Fetched, RefundRequest } from '../contract.ts'
import { type Json, obj, str, whole } from '../narrow.ts'
import { address } from '../rest.ts'
import { type LemonSqueezyAnswer, type LemonSqueezyApi, pathOfPayment } from './api.ts'
import { currencyOf, idText } from './facts.ts'

/** Amount that had been refunded before. */
interface Note {
  readonly before: number
}

/** Refunds and invoices. https://docs.lemonsqueezy.com/api/orders/issue-refund */
export const lemonSqueezyRefunds = (api: LemonSqueezyApi, store: DocumentStore) => {
  const joined = createJoining<Fetched>()

  /** Notes under the key how much had been refunded before this refund, because Lemon Squeezy's refunds
   *  carry no note. */
  const noteOf = async (key: string, before: number): Promise<Note> => {
    const name = `refund:${createHash('sha256').update(key).digest('hex').slice(0, 32)}`
    const known = await store.get<Note>(name)
    if (known !== null) return known
    const note: Note = { before }
    if (await store.swap({ key: name, was: null, value: note }, new Map())) return note
    return (await store.get<Note>(name)) ?? note
  }

  const giveBack = async ({ payment: { id }, amount, idempotencyKey }: RefundRequest): Promise<Fetched> => {
    const path = pathOfPayment(id)
    const found = await api.find('a payment', path)
    if (found === null)
      throw new MembershipError('ERR_NOT_FOUND', `Lemon Squeezy knows no payment ${id}.`, {
        action: 'Look whether it belongs to another account, or to the other mode.',
      })
    const { before } = await noteOf(idempotencyKey, givenOf(found.data))
    const isDone = ({ data }: LemonSqueezyAnswer) => givenOf(data) >= before + amount
    if (isDone(found)) return api.told([found.data], found.at)
    if (before + amount > totalOf(found.data)) throw tooMuch(id)
    const { type, id: number } = found.data
    const after = await once<LemonSqueezyAnswer>({
      make: () =>
        api.ask('a refund', {
          method: 'POST',
          path: `${path}/refund`,
          body: { data: { type, id: number, attributes: { amount } } },
        }),
      find: async () => {
        const again = await api.ask('a payment', { path })
        return isDone(again) ? again : null
      },
    }).catch((error: unknown) => {
      throw toRefusal(id, error)
    })
    return api.told([after.data], after.at)
  }

  return {
    refund: (request: RefundRequest): Promise<Fetched> =>
      joined(request.idempotencyKey, () => giveBack(request)),

    /** Orders, and the subscription invoices after the first, which is an order. */
    invoices: async (customer: string): Promise<readonly Omit<Invoice, 'account'>[]> => {
      const of = (what: string) =>
        api.all(`${what} of a customer`, `${address`/v1/customers/${customer}`}/${what}`)
      const [orders, subscriptions] = [await of('orders'), await of('subscriptions')]
      const bills: Json[] = []
      for (const { id } of subscriptions.all) {
        const query = { 'filter[subscription_id]': idText(id) ?? '' }
        const { all } = await api.all('invoices', '/v1/subscription-invoices', query)
        bills.push(...all.filter((item) => obj(item.attributes).billing_reason !== 'initial'))
      }
      return [...orders.all, ...bills].map(toBill)
    },
  }
}

const totalOf = (raw: Json): number => whole(obj(raw.attributes).total) ?? 0
const givenOf = (raw: Json): number => {
  const { refunded_amount: back, status } = obj(raw.attributes)
  return whole(back) ?? (status === 'refunded' ? totalOf(raw) : 0)
}

const tooMuch = (id: string, cause?: unknown): MembershipError =>
  new MembershipError('ERR_ACTION_REFUSED', `Less than that is left of the payment ${id}.`, {
    reason: 'amount_too_large',
    action: 'See in Lemon Squeezy (Orders) what is left.',
    cause,
  })

const toRefusal = (id: string, error: unknown): unknown => {
  const cause = error instanceof Error ? error.cause : null
  const { status } = failureOf(cause)
  return status === 400 || status === 422 ? tooMuch(id, cause) : error
}

const statuses: ReadonlyMap<unknown, Invoice['status']> = new Map([
  ['pending', 'open'],
  ['paid', 'paid'],
  ['refunded', 'paid'],
  ['partial_refund', 'paid'],
] as const)

const toBill = ({ id: given, type, attributes }: Json): Omit<Invoice, 'account'> => {
  const raw = obj(attributes)
  const id = idText(given) ?? ''
  const status = statuses.get(raw.status) ?? 'void'
  const total = whole(raw.total) ?? 0
  const urls = obj(raw.urls)
  return {
    id: type === 'orders' ? id : `inv_${id}`,
    provider: 'lemonsqueezy',
    customer_id: idText(raw.customer_id),
    subscription_id: idText(raw.subscription_id),
    number: idText(raw.order_number),
    status,
    currency: currencyOf(raw),
    total,
    amount_paid: status === 'paid' ? total : 0,
    created_at: str(raw.created_at),
    paid_at: status === 'paid' ? str(raw.created_at) : null,
    url: str(urls.invoice_url) ?? str(urls.receipt),
  }
}
