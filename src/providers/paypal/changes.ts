import { noteFormer } from '../../core/dto/former.ts'
import type { Price } from '../../core/dto/index.ts'
import { moneyChange, type Stamp, stampOf, updated, withPaidMoment } from '../changes.ts'
import type { Change, ProviderEvent, Stage } from '../contract.ts'
import { isObject, obj, str } from '../narrow.ts'
import { asSubscription } from './agreement.ts'
import { contactOf, payerOf } from './customer.ts'
import { revisedAt } from './facts.ts'
import { soldBy } from './held.ts'
import { toCapture, toDisputes, toRefund, toReversal, toSale } from './money.ts'
import { moneyIn, payerIn, toBill, toPage } from './orders.ts'
import type { Order, PayPalObjects } from './payload.ts'
import { formerData, toFirstPage, toSubscriptionData } from './subscription.ts'

/**
 * Reads one webhook event. Pure and total: unknown events yield no change. `priceOf` finds configured prices.
 */
export function paypalChanges(
  { type, object, occurred_at: occurred }: Pick<ProviderEvent, 'type' | 'object' | 'occurred_at'>,
  priceOf: (id: string) => Price | undefined = () => undefined,
): Change[] {
  const kind = kinds.find(([pattern]) => pattern.test(type))?.[1]
  if (kind === undefined || !isObject(object)) return []
  const raw = object as PayPalObjects[typeof kind]
  const changes = changesOf(kind, raw, { stamp: stampOf(stageOf(type), revisedAt(raw)), occurred, priceOf })
  // An eCheck completes days after its sale or capture was made.
  return /^PAYMENT\.(SALE|CAPTURE)\.COMPLETED$/.test(type) ? withPaidMoment(changes, occurred) : changes
}

/** Reads one object from PayPal's API. An order contains its captures and refunds completely. */
export function paypalObject<K extends keyof PayPalObjects>(
  kind: K,
  raw: PayPalObjects[K],
  { occurred, priceOf }: Pick<Told, 'occurred' | 'priceOf'>,
): Change[] {
  const context = { stamp: updated, occurred, priceOf }
  const own = changesOf(kind, raw, context)
  if (kind !== 'order') return own
  const { captures, refunds } = moneyIn(raw as Order)
  return [
    ...own,
    ...captures.flatMap((capture) => readers.capture(capture, context)),
    ...refunds.flatMap((refund) => readers.refund(refund, context)),
  ]
}

interface Told {
  readonly stamp: Stamp
  readonly occurred: string
  readonly priceOf: (id: string) => Price | undefined
}
type Readers = { readonly [K in keyof PayPalObjects]: (raw: PayPalObjects[K], told: Told) => Change[] }

function changesOf<K extends keyof PayPalObjects>(kind: K, raw: PayPalObjects[K], told: Told): Change[] {
  return readers[kind](raw, told)
}

function stageOf(type: string): Stage {
  return type.endsWith('.CREATED') ? 'created' : 'updated'
}

const ofSubscription: Readers['subscription'] = (written, { stamp, occurred, priceOf }) => {
  const raw = asSubscription(written)
  const sells = soldBy(raw, priceOf)
  const reading = { at: stamp.at ?? occurred, sells }
  const data = toSubscriptionData(raw, reading)
  if (data === null) return []
  const former = formerData(raw, reading, data)
  if (former !== null) noteFormer(data, former)
  const contact = contactOf(obj(raw.subscriber))
  return [
    {
      type: 'subscription',
      id: data.id,
      ...stamp,
      data,
      ...(contact === undefined ? {} : { contact }),
      ...(sells.isListed ? { amount_listed: true as const } : {}),
    },
    ...moneyChange('checkout', toFirstPage(raw, data), stamp),
  ]
}

const ofOrder: Readers['order'] = (raw, { stamp }) => {
  // Without an id it is not an order.
  if (str(raw.id) === null) return []
  return [
    ...payerOf(payerIn(raw), stamp.at ?? null),
    ...moneyChange({ kind: 'payment', part: 'bill' }, toBill(raw), stamp),
    ...moneyChange('checkout', toPage(raw), stamp),
  ]
}

const readers: Readers = {
  subscription: ofSubscription,
  order: ofOrder,
  capture: (raw, { stamp }) => moneyChange('payment', toCapture(raw), stamp),
  sale: (raw, { stamp }) => moneyChange('payment', toSale(raw), stamp),
  refund: (raw, { stamp }) => moneyChange('refund', toRefund(raw), stamp),
  reversal: (raw, { stamp }) => moneyChange('refund', toReversal(raw), stamp),
  dispute: (raw, { stamp }) => toDisputes(raw).flatMap((data) => moneyChange('dispute', data, stamp)),
}

// Source: https://developer.paypal.com/api/rest/webhooks/event-names/
const kinds: readonly (readonly [RegExp, keyof PayPalObjects])[] = [
  [
    /^BILLING\.SUBSCRIPTION\.(CREATED|ACTIVATED|RE-ACTIVATED|UPDATED|SUSPENDED|CANCELLED|EXPIRED|PAYMENT\.FAILED)$/,
    'subscription',
  ],
  [/^PAYMENT\.(SALE|CAPTURE)\.REFUNDED$/, 'refund'],
  [/^PAYMENT\.(SALE|CAPTURE)\.REVERSED$/, 'reversal'],
  [/^PAYMENT\.SALE\.(COMPLETED|DENIED|PENDING)$/, 'sale'],
  [/^PAYMENT\.CAPTURE\.(COMPLETED|DENIED|DECLINED|PENDING)$/, 'capture'],
  [/^CHECKOUT\.ORDER\.(APPROVED|SAVED|COMPLETED|PROCESSED|DECLINED|VOIDED)$/, 'order'],
  [/^CUSTOMER\.DISPUTE\.(CREATED|UPDATED|RESOLVED)$/, 'dispute'],
]
