import type { Price } from '../../core/dto/index.ts'
import { moneyChange, type Stamp, stampOf, updated } from '../changes.ts'
import type { Change, ProviderEvent, Stage } from '../contract.ts'
import { isObject, type Json, obj, str } from '../narrow.ts'
import { asSubscription } from './agreement.ts'
import { contactOf, payerOf } from './customer.ts'
import { revisedAt } from './facts.ts'
import { toCapture, toDisputes, toRefund, toSale } from './money.ts'
import { moneyIn, payerIn, toBill, toPage } from './orders.ts'
import { toFirstPage, toSubscriptionData } from './subscription.ts'

/** Reads one webhook event. Pure and total: unknown events yield no change. `priceOf` finds configured
 *  prices. */
export const paypalChanges = (
  { type, object, occurred_at: occurred }: Pick<ProviderEvent, 'type' | 'object' | 'occurred_at'>,
  priceOf: (id: string) => Price | undefined = () => undefined,
): Change[] => {
  const read = readers.find(([pattern]) => pattern.test(type))?.[1]
  if (read === undefined || !isObject(object)) return []
  return read(object, { stamp: stampOf(stageOf(type), revisedAt(object)), occurred, priceOf })
}

/** Reads one object from PayPal's API. An order contains its captures and refunds completely. */
export const paypalObject = (
  kind: PayPalKind,
  raw: Json,
  { occurred, priceOf }: Pick<Told, 'occurred' | 'priceOf'>,
): Change[] => {
  const context = { stamp: updated, occurred, priceOf }
  const own = ofKind[kind](raw, context)
  if (kind !== 'order') return own
  const { captures, refunds } = moneyIn(raw)
  return [
    ...own,
    ...captures.flatMap((capture) => ofKind.capture(capture, context)),
    ...refunds.flatMap((refund) => ofKind.refund(refund, context)),
  ]
}

/** Objects that concern purchases, in PayPal's terms. */
export type PayPalKind = 'subscription' | 'order' | 'capture' | 'sale' | 'refund' | 'dispute'

interface Told {
  readonly stamp: Stamp
  readonly occurred: string
  readonly priceOf: (id: string) => Price | undefined
}
type Reader = (raw: Json, told: Told) => Change[]

const stageOf = (type: string): Stage => (type.endsWith('.CREATED') ? 'created' : 'updated')

const ofSubscription: Reader = (written, { stamp, occurred, priceOf }) => {
  const raw = asSubscription(written)
  const data = toSubscriptionData(raw, { at: stamp.at ?? occurred, priceOf })
  if (data === null) return []
  const contact = contactOf(obj(raw.subscriber))
  return [
    { type: 'subscription', id: data.id, ...stamp, data, ...(contact === undefined ? {} : { contact }) },
    ...moneyChange('checkout', toFirstPage(raw, data), stamp),
  ]
}

const ofOrder: Reader = (raw, { stamp }) => {
  // Without an id it is not an order.
  if (str(raw.id) === null) return []
  return [
    ...payerOf(payerIn(raw), stamp.at ?? null),
    ...moneyChange({ kind: 'payment', part: 'bill' }, toBill(raw), stamp),
    ...moneyChange('checkout', toPage(raw), stamp),
  ]
}

const ofKind: Readonly<Record<PayPalKind, Reader>> = {
  subscription: ofSubscription,
  order: ofOrder,
  capture: (raw, { stamp }) => moneyChange('payment', toCapture(raw), stamp),
  sale: (raw, { stamp }) => moneyChange('payment', toSale(raw), stamp),
  refund: (raw, { stamp }) => moneyChange('refund', toRefund(raw), stamp),
  dispute: (raw, { stamp }) => toDisputes(raw).flatMap((data) => moneyChange('dispute', data, stamp)),
}

// Source: https://developer.paypal.com/api/rest/webhooks/event-names/
const readers: readonly (readonly [RegExp, Reader])[] = [
  [
    /^BILLING\.SUBSCRIPTION\.(CREATED|ACTIVATED|RE-ACTIVATED|UPDATED|SUSPENDED|CANCELLED|EXPIRED|PAYMENT\.FAILED)$/,
    ofKind.subscription,
  ],
  [/^PAYMENT\.(SALE|CAPTURE)\.(REFUNDED|REVERSED)$/, ofKind.refund],
  [/^PAYMENT\.SALE\.(COMPLETED|DENIED|PENDING)$/, ofKind.sale],
  [/^PAYMENT\.CAPTURE\.(COMPLETED|DENIED|DECLINED|PENDING)$/, ofKind.capture],
  [/^CHECKOUT\.ORDER\.(APPROVED|SAVED|COMPLETED|PROCESSED|DECLINED|VOIDED)$/, ofKind.order],
  [/^CUSTOMER\.DISPUTE\.(CREATED|UPDATED|RESOLVED)$/, ofKind.dispute],
]
