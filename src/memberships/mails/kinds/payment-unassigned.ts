import { defineMail } from '../define.ts'
import { toLink } from '../safe.ts'

/** A payment of unknown purpose. An operator decides. */
export interface PaymentUnassignedData {
  amount: number
  currency: string
  /** The provider that defines the minor units. */
  provider?: string
  paid_at: string
  account_url: string
}

const texts = { subject: ['amount'], intro: ['amount', 'date'], wait: [], button: [] } as const

/** Sent when: a payment's purpose is still unknown ten minutes after it was paid. An operator then assigns it. */
export const paymentUnassigned = defineMail<PaymentUnassignedData>()('payment-unassigned', {
  texts,
  canBeTurnedOff: true,
  linksToAccount: true,
  letter: ({ say, day, money }, { paid_at, account_url, ...sum }) => {
    const amount = money(sum)
    return {
      subject: say('subject', { amount }),
      paragraphs: [say('intro', { amount, date: day(paid_at) }), say('wait', {})],
      link: { url: toLink(account_url, 'account_url'), label: say('button', {}) },
    }
  },
})
