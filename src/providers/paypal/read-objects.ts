import type { Price } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import type { Answer } from '../api.ts'
import type { Change, Fetched, Ref } from '../contract.ts'
import { list, obj, str } from '../narrow.ts'
import { address, type RestAnswer, unlessMissing } from '../rest.ts'
import type { PayPalApi } from './api.ts'
import { paypalObject } from './changes.ts'
import type { Linked, Order, Paid, PayPalObjects, Subscription } from './payload.ts'

/** Reads PayPal's objects as ledger changes. */
export interface PayPalReader {
  /**
   * Fetches the current state of one object, with what it says about others; null when PayPal does not know
   * it.
   * @throws as `ask`
   */
  fetch(ref: Pick<Ref, 'kind' | 'id'>): Promise<Fetched | null>
  subscription(id: string): Promise<RestAnswer<Subscription> | null>
  order(id: string): Promise<RestAnswer<Order> | null>
  /** Reads an answer. */
  changes<K extends keyof PayPalObjects>(kind: K, answer: Answer<PayPalObjects[K]>): Fetched
}

/** `priceOf` finds configured prices. */
export function createObjects(api: PayPalApi, priceOf: (id: string) => Price | undefined): PayPalReader {
  const get = <T>(what: string, path: string, query = {}) => unlessMissing(api.ask<T>(what, { path, query }))

  // Uses the answer's own moment, so that our writes are newer than earlier reads.
  const changes: PayPalReader['changes'] = (kind, { raw, at }) => ({
    changes: paypalObject(kind, raw, { occurred: at, priceOf }).map(withoutMoment),
    at,
  })

  const subscription: PayPalReader['subscription'] = async (id) =>
    // Plan and last failure are only included on request.
    (await get<Subscription>(`subscription ${id}`, address`/v1/billing/subscriptions/${id}`, {
      fields: 'last_failed_payment,plan',
    })) ?? get<Subscription>(`agreement ${id}`, address`/v1/payments/billing-agreements/${id}`)

  const order: PayPalReader['order'] = (id) => get<Order>(`order ${id}`, address`/v2/checkout/orders/${id}`)

  const first = async (
    asked: readonly (readonly [keyof PayPalObjects, string, string])[],
  ): Promise<Fetched | null> => {
    for (const [kind, what, path] of asked) {
      const answer = await get<PayPalObjects[typeof kind]>(what, path)
      if (answer !== null) return changes(kind, answer)
    }
    return null
  }

  /**
   * Fetches a payment by its id, which does not show its kind: a subscription's sale, a capture, or an order.
   */
  const payment = async (id: string): Promise<Fetched | null> => {
    const sale = await get<Paid>(`payment ${id}`, address`/v1/payments/sale/${id}`)
    const agreement = sale === null ? null : str(sale.raw.billing_agreement_id)
    if (sale !== null && agreement !== null) return ofSubscription(sale, agreement)
    const other = await first([
      ['capture', `payment ${id}`, address`/v2/payments/captures/${id}`],
      ['order', `order ${id}`, address`/v2/checkout/orders/${id}`],
    ])
    return other ?? (sale === null ? null : changes('sale', sale))
  }

  /**
   * Adds the subscription of a sale, because the sale names no payer and the payment has changed the
   * subscription.
   */
  const ofSubscription = async (sale: RestAnswer<Paid>, id: string): Promise<Fetched> => {
    const paid = id.startsWith('I-') ? await subscription(id) : null
    if (paid === null) return changes('sale', sale)
    const payer = str(obj(paid.raw.subscriber).payer_id)
    const saleChanges = changes('sale', sale)
    const ofPayer = (change: Change): Change =>
      change.type !== 'money' || payer === null
        ? change
        : { ...change, data: { ...change.data, customer_id: payer } }
    return {
      changes: [...saleChanges.changes.map(ofPayer), ...changes('subscription', paid).changes],
      at: saleChanges.at,
    }
  }

  const fetchers: Record<Ref['kind'], (id: string) => Promise<Fetched | null>> = {
    subscription: async (id) => {
      const answer = await subscription(id)
      return answer && changes('subscription', answer)
    },
    checkout: async (id) => {
      if (id.startsWith('I-')) return fetchers.subscription(id)
      const answer = await order(id)
      return answer && changes('order', answer)
    },
    payment,
    refund: (id) =>
      first([
        ['refund', `refund ${id}`, address`/v2/payments/refunds/${id}`],
        ['refund', `refund ${id}`, address`/v1/payments/refund/${id}`],
      ]),
    // Each payment in a dispute has its own id.
    dispute: (id) =>
      first([['dispute', `dispute ${id}`, address`/v1/customer/disputes/${id.replace(/\.[^.]*$/, '')}`]]),
    // PayPal has no customer objects; subscriptions and orders contain the payer.
    customer: async () => {
      await api.greet()
      return null
    },
    link: async () => null,
  }
  return { fetch: ({ kind, id }) => fetchers[kind](id), subscription, order, changes }
}

function withoutMoment(change: Change): Change {
  if (change.type === 'touch') return change
  const { at: _revised, ...rest } = change
  return rest
}

/** Returns a subscription that must exist. @throws ERR_NOT_FOUND */
export async function found(
  asked: Promise<RestAnswer<Subscription> | null>,
  id: string,
): Promise<RestAnswer<Subscription>> {
  const answer = await asked
  if (answer !== null) return answer
  throw new MembershipError('ERR_NOT_FOUND', `PayPal knows no subscription ${id}.`, {
    action: 'Look whether it belongs to another account, or to the sandbox.',
  })
}

/** Returns the address of the first link with one of these relations. */
export function linkTo(raw: Linked, ...relations: readonly string[]): string | null {
  return str(list(raw.links).find(({ rel }) => relations.includes(String(rel)))?.href)
}
