import type { BilledFor, StatedMoney, Unstated } from '../core/dto/index.ts'
import type { MoneyFact } from './snapshots.ts'

declare const ofOneObject: unique symbol

/** Amount and currency of a payment, refund or dispute, which came from one object. */
export interface AmountPart extends Pick<MoneyFact, 'amount' | 'currency'> {
  readonly [ofOneObject]: true
}

/** A fact that states no money, because it only joins others. */
interface NoAmount {
  readonly amount?: undefined
  readonly currency?: undefined
}

/** A money fact as the package's providers read it. */
export type ReadMoney = Omit<MoneyFact, 'amount' | 'currency'> & (AmountPart | NoAmount)

/**
 * Writes money into the fields of a fact. Nothing else makes this part. What went back stands between the two, because
 * stored digests of facts know that order.
 */
export function amountPart(
  { amount, currency }: StatedMoney | Unstated,
  back: Pick<MoneyFact, 'amount_refunded' | 'is_whole'> = {},
): AmountPart & typeof back {
  return { ...(amount === null ? {} : { amount }), ...back, currency } as AmountPart & typeof back
}

/** The facts that one kind of payment message states beside its sum, by the provider's documentation. */
export interface PaymentWords {
  /** The object, as the provider names it. */
  readonly object: string
  /** Its part of a payment, see {@link PaymentPart}; `payment` for the object without a part. */
  readonly role: 'payment' | 'collection' | 'bill' | 'checkout'
  /** The words that it may have: a single message need not have all of them. */
  readonly says: readonly PaymentWord[]
  /** The purposes that it tells apart. Without any, the purchase or its subscription decides. */
  readonly purposes: readonly BilledFor[]
  /** The address of the documentation. */
  readonly source: string
}

/** A word about what is paid. */
export type PaymentWord = 'period' | 'item amounts' | 'price' | 'quantity' | 'trial'
