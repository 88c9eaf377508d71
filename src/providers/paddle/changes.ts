import { customerChange, moneyChange, type Stamp, stampOf } from '../changes.ts'
import type { Change, ProviderEvent } from '../contract.ts'
import { isObject, type Json } from '../narrow.ts'
import { toCustomerData } from './customer.ts'
import { revisedAt } from './facts.ts'
import { toAdjustment, toCheckout, toFirstPayment, toPayment } from './money.ts'
import { toSubscriptionData } from './subscription.ts'

/** Reads one notification. Pure and total: unknown ones yield no change. */
export const paddleChanges = ({ type, object }: Pick<ProviderEvent, 'type' | 'object'>): Change[] => {
  if (!isObject(object)) return []
  const [about] = type.split('.')
  const stage = type.endsWith('.created') ? 'created' : 'updated'
  return readers[about ?? '']?.(object, stampOf(stage, revisedAt(object))) ?? []
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

type Reader = (raw: Json, stamp: Stamp) => Change[]

const readers: Readonly<Record<string, Reader>> = Object.assign(Object.create(null), {
  subscription(raw, stamp) {
    const data = toSubscriptionData(raw)
    if (data === null) return []
    return [
      { type: 'subscription', id: data.id, ...stamp, data },
      ...moneyChange('link', toFirstPayment(raw, data.id), stamp),
    ]
  },
  customer: (raw, stamp) => customerChange(toCustomerData(raw), stamp),
  transaction(raw, stamp) {
    const data = toPayment(raw)
    // The buyer only changes the card, so no money moves.
    if (data === null || raw.origin === 'subscription_payment_method_change') return []
    const checkout = toCheckout(raw, data)
    // An open page has sold nothing, whoever opened it.
    if (raw.status === 'draft' && checkout?.checkout_status !== 'expired') return []
    return [
      ...moneyChange('payment', raw.status === 'draft' ? null : data, stamp),
      ...moneyChange('checkout', checkout, stamp),
    ]
  },
  adjustment(raw, stamp) {
    const money = toAdjustment(raw)
    return money === null ? [] : moneyChange(money.kind, money.data, stamp)
  },
} satisfies Record<string, Reader>)
