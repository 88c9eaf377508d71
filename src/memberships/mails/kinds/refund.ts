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
  /** True if access is open again after a refund that failed. */
  is_open?: boolean
  /** `pending` while the provider has not made the refund; `failed` if a notified refund came back. */
  state?: 'made' | 'pending' | 'failed'
}

const texts = {
  subject: ['title', 'amount'],
  whole: ['title', 'amount'],
  part: ['title', 'amount', 'paid'],
  way: [],
  closed: ['title'],
  waiting_subject: ['title', 'amount'],
  waiting: ['title', 'amount'],
  waiting_way: [],
  failed_subject: ['title', 'amount'],
  failed: ['title', 'amount'],
  failed_way: [],
  open: ['title'],
} as const

/** Sent when: a payment is refunded, fully or in part, or a refund that was announced fails. */
export const refund = defineMail<RefundData>()('refund', {
  texts,
  canBeTurnedOff: true,
  noticeOf: (event, { member }) => {
    if (event.name !== 'given_back' && event.name !== 'kept_back') return null
    const { payment, amount } = event
    if (payment.currency === null) return null
    const price = payment.price_id ?? subscriptionOf(payment, member)?.price_id ?? null
    const isOpen = price !== null && member.hasGate(price as never)
    const failed = payment.refund_failed ?? 0
    const isMade = amount > (payment.refund_pending ?? 0)
    return {
      // A refund after a failed one can reach the same sum.
      key: [placeOf(payment), payment.amount_refunded, ...(failed > 0 ? [event.name, failed] : [])].join(':'),
      data: {
        title: named([price]),
        amount,
        currency: payment.currency,
        provider: payment.provider,
        paid: payment.amount,
        has_closed: payment.status === 'refunded' && price !== null && !isOpen,
        is_open: isOpen,
        state: event.name === 'kept_back' ? 'failed' : isMade ? 'made' : 'pending',
      },
    }
  },
  letter: (
    { say, money },
    { title, amount, paid, currency, provider, has_closed, is_open, state = 'made' },
  ) => {
    const back = money({ amount, currency, provider })
    const closed = has_closed ? say('closed', { title }) : ''
    if (state === 'failed')
      return {
        subject: say('failed_subject', { title, amount: back }),
        paragraphs: [
          say('failed', { title, amount: back }),
          say('failed_way', {}),
          is_open ? say('open', { title }) : '',
        ],
        link: null,
      }
    if (state === 'pending')
      return {
        subject: say('waiting_subject', { title, amount: back }),
        paragraphs: [say('waiting', { title, amount: back }), say('waiting_way', {}), closed],
        link: null,
      }
    return {
      subject: say('subject', { title, amount: back }),
      paragraphs: [
        amount === paid
          ? say('whole', { title, amount: back })
          : say('part', { title, amount: back, paid: money({ amount: paid, currency, provider }) }),
        say('way', {}),
        closed,
      ],
      link: null,
    }
  },
})
