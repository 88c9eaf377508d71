import type { Proration } from '../contract.ts'
import type { SandboxPrice, SandboxSubscription } from './objects.ts'
import { isSameRhythm, leftOf, nextEnd } from './periods.ts'

export interface Line {
  readonly text: string
  /** Minor units; below 0 is a credit. */
  readonly amount: number
  readonly price_id: string
}

export interface SwapPlan {
  /** The subscription as it is afterwards, its payment left out. */
  readonly subscription: SandboxSubscription
  readonly lines: readonly Line[]
  /** Settled at once; otherwise the lines wait for the next renewal. */
  readonly isDueNow: boolean
}

export interface SwapTerms {
  readonly price: SandboxPrice
  readonly quantity: number
  readonly proration: Proration
  /** The moment of the call. */
  readonly at: string
  /** The moment from which unused and remaining time are counted. */
  readonly from: string
}

/**
 * What a change of price or quantity leads to, in the manner of card providers: unused time of the old price is a
 * credit, remaining time of the new price a charge, by seconds. A change of interval starts a new period, which is
 * paid when it starts whatever the proration; only the credit is then a question of it. A trial costs nothing.
 * Source of the manner: https://docs.stripe.com/billing/subscriptions/prorations
 */
export const planSwap = (current: SandboxSubscription, terms: SwapTerms): SwapPlan => {
  const { price, quantity, proration, at, from } = terms
  const changed = { ...current, price, quantity }
  const isSame = current.price.id === price.id && current.quantity === quantity
  if (isSame || current.status === 'trialing')
    return { subscription: isSame ? current : changed, lines: [], isDueNow: false }

  const left = leftOf(current, from)
  const unused: Line[] =
    proration === 'none'
      ? []
      : [toLine('Unused time on', current, -Math.round(current.price.amount * current.quantity * left))]

  if (!isSameRhythm(current.price, price)) {
    const pending = current.pending.map((line) => ({ ...line, price_id: current.price.id }))
    const renewed = {
      ...changed,
      period_start: at,
      period_end: nextEnd(at, price, at),
      anchor: at,
      pending: [],
    }
    const full = toLine('', changed, price.amount * quantity)
    return { subscription: renewed, lines: [...pending, ...unused, full], isDueNow: true }
  }
  const remaining = toLine('Remaining time on', changed, Math.round(price.amount * quantity * left))
  const lines = proration === 'none' ? [] : [...unused, remaining]
  if (proration === 'now') return { subscription: changed, lines, isDueNow: true }
  const waiting = lines.map(({ text, amount }) => ({ text, amount }))
  return {
    subscription: { ...changed, pending: [...current.pending, ...waiting] },
    lines,
    isDueNow: false,
  }
}

/** The sum in minor units; below 0 is a credit. */
export const totalOf = (lines: readonly { amount: number }[]): number =>
  lines.reduce((sum, { amount }) => sum + amount, 0)

const toLine = (
  what: string,
  { price, quantity }: Pick<SandboxSubscription, 'price' | 'quantity'>,
  amount: number,
): Line => ({
  text: `${what} ${quantity === 1 ? '' : `${quantity} × `}${price.label}`.trim(),
  // No minus zero.
  amount: amount === 0 ? 0 : amount,
  price_id: price.id,
})
