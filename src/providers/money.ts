import type { StatedMoney, Unstated } from '../core/dto/index.ts'
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

/** Writes money into the fields of a fact. Nothing else makes this part. */
export const amountPart = ({ amount, currency }: StatedMoney | Unstated): AmountPart =>
  ({ ...(amount === null ? {} : { amount }), currency }) as AmountPart
