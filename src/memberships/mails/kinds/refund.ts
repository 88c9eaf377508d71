import { defineMail } from '../define.ts'
import { named } from '../named.ts'
import { placeOf, subscriptionOf } from '../subjects.ts'

/** A refund of `amount` out of `paid`. */
export interface RefundData {
  title: string
  amount: number
  paid: number
  currency: string
  /** The provider that defines the minor units. */
  provider?: string
  /** True if the refund ended the access it had paid for. */
  has_closed: boolean
}

const texts = {
  subject: ['title', 'amount'],
  whole: ['title', 'amount'],
  part: ['title', 'amount', 'paid'],
  way: [],
  closed: ['title'],
} as const

/** Sent when: a payment is refunded, fully or in part. */
export const refund = defineMail<RefundData>()('refund', {
  texts,
  canBeTurnedOff: true,
  noticeOf: (event, { member }) => {
    if (event.name !== 'given_back' || event.payment.currency === null) return null
    const { payment, amount } = event
    const price = payment.price_id ?? subscriptionOf(payment, member)?.price_id ?? null
    return {
      key: `${placeOf(payment)}:${payment.amount_refunded}`,
      data: {
        title: named([price]),
        amount,
        currency: payment.currency,
        provider: payment.provider,
        paid: payment.amount,
        has_closed: payment.status === 'refunded' && price !== null && !member.hasGate(price as never),
      },
    }
  },
  letter: ({ say, money }, { title, amount, paid, currency, provider, has_closed }) => {
    const back = money({ amount, currency, provider })
    return {
      subject: say('subject', { title, amount: back }),
      paragraphs: [
        amount === paid
          ? say('whole', { title, amount: back })
          : say('part', { title, amount: back, paid: money({ amount: paid, currency, provider }) }),
        say('way', {}),
        has_closed ? say('closed', { title }) : '',
      ],
      link: null,
    }
  },
})
