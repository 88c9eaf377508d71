import type { Change, ProviderEvent, Stage } from '../contract.ts'
import { isObject, type Json } from '../narrow.ts'
import { toCustomerData } from './customer.ts'
import { revisedAt } from './facts.ts'
import { toAdjustment, toCheckout, toFirstPayment, toPayment } from './money.ts'
import { toSubscriptionData } from './subscription.ts'

/** Reads one notification. Pure and total: unknown ones yield no change. */
export const paddleChanges = ({ type, object }: Pick<ProviderEvent, 'type' | 'object'>): Change[] => {
  if (!isObject(object)) return []
  const [about] = type.split('.')
  const at = revisedAt(object)
  const stamp = {
    stage: type.endsWith('.created') ? 'created' : 'updated',
    ...(at === null ? {} : { at }),
  } as const
  return readers[about ?? '']?.(object, stamp) ?? []
}

/** Reads an answer, as a notification would report it. */
export const answeredChanges = (kind: PaddleKind, raw: Json): Change[] =>
  paddleChanges({ type: `${kind}.updated`, object: raw })

/** Objects of Paddle that concern purchases. */
export type PaddleKind = 'customer' | 'subscription' | 'transaction' | 'adjustment'

/** Returns true if events of this type concern purchases. */
export function handles(type: string): boolean {
  return type.split('.')[0]! in readers
}

type Reader = (raw: Json, stamp: { readonly stage: Stage; readonly at?: string }) => Change[]

const readers: Readonly<Record<string, Reader>> = Object.assign(Object.create(null), {
  subscription(raw, stamp) {
    const data = toSubscriptionData(raw)
    if (data === null) return []
    const link = toFirstPayment(raw, data.id)
    return [
      { type: 'subscription', id: data.id, ...stamp, data },
      ...(link === null ? [] : [{ type: 'money', kind: 'link', id: link.id, ...stamp, data: link } as const]),
    ]
  },
  customer(raw, stamp) {
    const data = toCustomerData(raw)
    return data === null ? [] : [{ type: 'customer', id: data.id, ...stamp, data }]
  },
  transaction(raw, stamp) {
    const data = toPayment(raw)
    // The buyer only changes the card, so no money moves.
    if (data === null || raw.origin === 'subscription_payment_method_change') return []
    const checkout = toCheckout(raw, data)
    // An open page has sold nothing, whoever opened it.
    if (raw.status === 'draft' && checkout?.checkout_status !== 'expired') return []
    return [
      ...(raw.status === 'draft'
        ? []
        : [{ type: 'money', kind: 'payment', id: data.id, ...stamp, data } as const]),
      ...(checkout === null
        ? []
        : [{ type: 'money', kind: 'checkout', id: data.id, ...stamp, data: checkout } as const]),
    ]
  },
  adjustment(raw, stamp) {
    const money = toAdjustment(raw)
    return money === null ? [] : [{ type: 'money', id: money.data.id, ...stamp, ...money }]
  },
} satisfies Record<string, Reader>)
