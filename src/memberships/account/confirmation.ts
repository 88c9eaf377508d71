import type { Payment } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import { titleIn, type Voice } from '../../core/words/index.ts'
import type { View } from '../members/index.ts'

/** The seller, as a confirmation names it. */
export interface Seller {
  readonly name: string
  readonly address: readonly string[]
}

/**
 * The facts on a page to print of a payment of one's own.
 * @throws ERR_NOT_FOUND, also for somebody else's and for one that was never paid
 */
export const confirmationOf = (view: View, id: string, voice: Voice) => {
  const payment = view
    .user()
    ?.payments()
    .find((knownPayment) => knownPayment.id === id && isConfirmed(knownPayment))
  if (payment === undefined)
    throw new MembershipError('ERR_NOT_FOUND', 'You have no such payment.', { action: 'See your account.' })
  const { currency, provider } = payment
  const money = (amount: number) =>
    currency === null ? String(amount) : view.money({ amount, currency, provider }, voice.locale)
  return {
    payment: {
      id,
      title: titleIn(
        voice,
        payment.price_id,
        view.boughtAs(payment.price_id, payment.paid_at ?? payment.updated_at),
        payment.quantity ?? 1,
      ),
      amount: money(payment.amount),
      refunded: payment.amount_refunded > 0 ? money(payment.amount_refunded) : null,
      day: voice.day(payment.paid_at ?? payment.updated_at),
    },
    invoice_url: payment.invoice_url,
  }
}

const isConfirmed = ({ status }: Payment): boolean =>
  status === 'paid' || status === 'partially_refunded' || status === 'refunded'
