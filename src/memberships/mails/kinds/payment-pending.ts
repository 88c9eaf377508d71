import { defineMail } from '../define.ts'
import { toLink } from '../safe.ts'

/** A bank has to make the payment, which takes time. */
export interface PaymentPendingData {
  title: string
  account_url: string
}

const texts = { subject: ['title'], intro: ['title'], wait: [], button: [] } as const

/** Sent when: a purchase waits for a bank's payment, which takes days. */
export const paymentPending = defineMail<PaymentPendingData>()('payment-pending', {
  texts,
  canBeTurnedOff: true,
  linksToAccount: true,
  letter: ({ say }, { title, account_url }) => ({
    subject: say('subject', { title }),
    paragraphs: [say('intro', { title }), say('wait', {})],
    link: { url: toLink(account_url, 'account_url'), label: say('button', {}) },
  }),
})
