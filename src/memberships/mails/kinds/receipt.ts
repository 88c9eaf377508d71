import type { OrderedData } from '../data.ts'
import { defineMail } from '../define.ts'
import { findInvoice } from '../safe.ts'

export interface ReceiptData {
  title: string
  ordered?: OrderedData | null
  amount: number
  currency: string
  /** The provider whose minor units these are. */
  provider?: string
  paid_at: string
  invoice_url: string | null
  renews_at: string | null
  /** The end of the membership, where this was its last payment. */
  ends_at?: string | null
}

const texts = {
  subject: ['title', 'amount'],
  intro: ['title', 'amount', 'date'],
  renews: ['title', 'date'],
  ends: ['title', 'date'],
  button: [],
} as const

/** Sent when: a payment is made. */
export const receipt = defineMail<ReceiptData>()('receipt', {
  texts,
  letter: (speaker, { title, paid_at, invoice_url, renews_at, ends_at = null, ordered, ...sum }) => {
    const { say, day, money } = speaker
    const paid = money(sum)
    const invoice = findInvoice(invoice_url, speaker.siteUrl)
    return {
      subject: say('subject', { title, amount: paid }),
      paragraphs: [
        say('intro', { title, amount: paid, date: day(paid_at) }),
        renews_at === null ? '' : say('renews', { title, date: day(renews_at) }),
        ends_at === null ? '' : say('ends', { title, date: day(ends_at) }),
        ...speaker.ordered(ordered),
      ],
      link: invoice === null ? null : { url: invoice, label: say('button', {}) },
    }
  },
})
