import type { Answer } from '../api.ts'
import { failureOf } from '../api-errors.ts'
import { once } from '../call-once.ts'
import type { DocumentStore } from '../contract.ts'
import { obj, str, whole } from '../narrow.ts'
import { type Bill, createRefunds, refundMark, tooLittleLeft, unknownPayment, wholeBill } from '../refunds.ts'
import { address } from '../rest.ts'
import { type LemonSqueezyApi, pathOfPayment } from './api.ts'
import { currencyOf, idText } from './facts.ts'
import type { Invoice, Order, Paid, Resource } from './payload.ts'

/** Amount that had been refunded before. */
interface Note {
  readonly before: number
}

/** Refunds and invoices. https://docs.lemonsqueezy.com/api/orders/issue-refund */
export function lemonSqueezyRefunds(api: LemonSqueezyApi, store: DocumentStore) {
  /**
   * Notes under the key how much had been refunded before this refund, because Lemon Squeezy's refunds carry
   * no note.
   */
  const noteOf = async (key: string, before: number): Promise<Note> => {
    const name = `refund:${refundMark(key, 32)}`
    const known = await store.get<Note>(name)
    if (known !== null) return known
    const note: Note = { before }
    if (await store.swap({ key: name, was: null, value: note }, new Map())) return note
    return (await store.get<Note>(name)) ?? note
  }

  return createRefunds({
    giveBack: async ({ payment: { id }, amount, idempotencyKey }) => {
      const path = pathOfPayment(id)
      const found = await api.find<Resource<Order | Invoice>>('a payment', path)
      if (found === null) throw unknownPayment('Lemon Squeezy', id)
      const { before } = await noteOf(idempotencyKey, givenOf(found.raw))
      const isDone = ({ raw }: Answer<Resource<Order | Invoice>>) => givenOf(raw) >= before + amount
      if (isDone(found)) return api.toFetched([found.raw], found.at)
      if (before + amount > totalOf(found.raw)) throw tooLittleLeft(id, orders)
      const { type, id: number } = found.raw
      const after = await once<Answer<Resource<Order | Invoice>>>({
        make: () =>
          api.ask<Resource<Order | Invoice>>('a refund', {
            method: 'POST',
            path: `${path}/refund`,
            body: { data: { type, id: number, attributes: { amount } } },
          }),
        find: async () => {
          const again = await api.ask<Resource<Order | Invoice>>('a payment', { path })
          return isDone(again) ? again : null
        },
      }).catch((error: unknown) => {
        const cause = error instanceof Error ? error.cause : null
        const { status } = failureOf(cause)
        throw status === 400 || status === 422 ? tooLittleLeft(id, orders, cause) : error
      })
      return api.toFetched([after.raw], after.at)
    },

    /** Orders, and the subscription invoices after the first, which is an order. */
    invoices: async (customer) => {
      const of = <T>(what: string) =>
        api.all<Resource<T>>(`${what} of a customer`, `${address`/v1/customers/${customer}`}/${what}`)
      const [sold, subscriptions] = [await of<Order>('orders'), await of('subscriptions')]
      const renewals: Resource<Invoice>[] = []
      for (const { id } of subscriptions.all) {
        const query = { 'filter[subscription_id]': idText(id) ?? '' }
        const { all } = await api.all<Resource<Invoice>>('invoices', '/v1/subscription-invoices', query)
        renewals.push(...all.filter((item) => obj(item.attributes).billing_reason !== 'initial'))
      }
      return [...sold.all, ...renewals].map(toBill)
    },
  })
}

const orders = 'Lemon Squeezy (Orders)'

function totalOf(raw: Resource<Paid>): number {
  return whole(obj(raw.attributes).total) ?? 0
}
function givenOf(raw: Resource<Paid>): number {
  const { refunded_amount: back, status } = obj(raw.attributes)
  return whole(back) ?? (status === 'refunded' ? totalOf(raw) : 0)
}

const statuses: ReadonlyMap<unknown, Bill['status']> = new Map([
  ['pending', 'open'],
  ['paid', 'paid'],
  ['refunded', 'paid'],
  ['partial_refund', 'paid'],
] as const)

function toBill({ id: given, type, attributes }: Resource<Order & Invoice>): Bill {
  const raw = obj(attributes)
  const id = idText(given) ?? ''
  const urls = obj(raw.urls)
  return wholeBill({
    id: type === 'orders' ? id : `inv_${id}`,
    provider: 'lemonsqueezy',
    customer_id: idText(raw.customer_id),
    subscription_id: idText(raw.subscription_id),
    number: idText(raw.order_number),
    status: statuses.get(raw.status) ?? 'void',
    currency: currencyOf(raw),
    total: whole(raw.total) ?? 0,
    created_at: str(raw.created_at),
    at: str(raw.created_at),
    url: str(urls.invoice_url) ?? str(urls.receipt),
  })
}
