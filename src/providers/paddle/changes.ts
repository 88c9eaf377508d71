import { customerChange, moneyChange, type Stamp, stampOf } from '../changes.ts'
import type { Change, ProviderEvent, Stage } from '../contract.ts'
import { isObject } from '../narrow.ts'
import { toCustomerData } from './customer.ts'
import { revisedAt } from './facts.ts'
import { toAdjustment, toCheckout, toFirstPayment, toPayment } from './money.ts'
import type { PaddleObjects } from './payload.ts'
import { toSubscriptionData } from './subscription.ts'

/** Reads one notification. Pure and total: unknown ones yield no change. */
export function paddleChanges({ type, object }: Pick<ProviderEvent, 'type' | 'object'>): Change[] {
  const [kind = ''] = type.split('.')
  if (!isKind(kind) || !isObject(object)) return []
  const stage = type.endsWith('.created') ? 'created' : 'updated'
  return changesOf(kind, object as PaddleObjects[typeof kind], stage)
}

/** Reads an answer, as a notification would report it. */
export function answeredChanges<K extends keyof PaddleObjects>(kind: K, raw: PaddleObjects[K]): Change[] {
  return changesOf(kind, raw, 'updated')
}

function changesOf<K extends keyof PaddleObjects>(kind: K, raw: PaddleObjects[K], stage: Stage): Change[] {
  return readers[kind](raw, stampOf(stage, revisedAt(raw)))
}

/** Returns true if events of this type concern purchases. */
export function handles(type: string): boolean {
  return isKind(type.split('.')[0]!)
}

type Readers = { readonly [K in keyof PaddleObjects]: (raw: PaddleObjects[K], stamp: Stamp) => Change[] }

const readers: Readers = {
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
}

function isKind(name: string): name is keyof PaddleObjects {
  return Object.hasOwn(readers, name)
}
