import { endsAt, isPaid, type Payment } from '../../../core/dto/index.ts'
import { type User, unusedPaymentsOf } from '../../members/index.ts'
import { nextChargeOf } from '../charges.ts'
import type { OrderedData } from '../data.ts'
import { defineMail, type Notice } from '../define.ts'
import { named } from '../named.ts'
import { findInvoice } from '../safe.ts'
import { boughtOf, placeOf } from '../subjects.ts'

export interface ReceiptData {
  title: string
  ordered?: OrderedData | null
  amount: number
  currency: string
  /** The provider that defines the minor units. */
  provider?: string
  paid_at: string
  invoice_url: string | null
  renews_at: string | null
  /** The end of the membership, if this was its last payment. */
  ends_at?: string | null
  /** True for money that arrived after the end and opened nothing. */
  is_unused?: boolean
  /** The provider's number of the payment. */
  number?: string
}

const texts = {
  subject: ['title', 'amount'],
  intro: ['title', 'amount', 'date'],
  renews: ['title', 'date'],
  ends: ['title', 'date'],
  unused: ['title', 'amount', 'date'],
  what: [],
  tax: [],
  tax_included: [],
  tax_none: [],
  tax_unsaid: [],
  total: [],
  number: [],
  seller: [],
  button: [],
} as const

const taxTexts = {
  included: 'tax_included',
  none: 'tax_none',
  excluded: 'tax_unsaid',
  unsaid: 'tax_unsaid',
} as const

/** Sent when: a payment is made. */
export const receipt = defineMail<ReceiptData>()('receipt', {
  texts,
  canBeTurnedOff: true,
  noticeOf: (event, { member }) => (event.name === 'payment' ? receiptOf(event.payment, member) : null),
  letter: (
    speaker,
    {
      title,
      paid_at,
      invoice_url,
      renews_at,
      ends_at = null,
      is_unused = false,
      ordered,
      number = '',
      ...sum
    },
  ) => {
    const { say, day, money } = speaker
    const paid = money(sum)
    const sale = speaker.saleAt(sum.provider)
    const invoice = findInvoice(invoice_url, speaker.siteUrl)
    return {
      subject: say('subject', { title, amount: paid }),
      paragraphs: [
        say(is_unused ? 'unused' : 'intro', { title, amount: paid, date: day(paid_at) }),
        renews_at === null ? '' : say('renews', { title, date: day(renews_at) }),
        ends_at === null ? '' : say('ends', { title, date: day(ends_at) }),
        ...speaker.ordered(ordered),
      ],
      facts: [
        { label: say('what', {}), text: title },
        {
          label: say('tax', {}),
          text: sale.seller === null && sale.tax === null ? '' : say(taxTexts[sale.tax ?? 'unsaid'], {}),
        },
        { label: say('total', {}), text: paid },
        { label: say('number', {}), text: number },
        {
          label: say('seller', {}),
          text: sale.seller === null ? '' : [sale.seller.name, ...sale.seller.address].join('\n'),
        },
      ],
      link: invoice === null ? null : { url: invoice, label: say('button', {}) },
    }
  },
})

function receiptOf(payment: Payment, member: User): Notice | null {
  if (!isPaid(payment) || payment.amount === 0 || payment.currency === null) return null
  const { amount, currency, invoice_url, paid_at, updated_at } = payment
  const renewed = member.subscriptions().find((s) => s.id === payment.subscription_id)
  const next = renewed === undefined ? null : nextChargeOf(renewed)
  return {
    key: placeOf(payment),
    // The welcome mail repeats the order of a subscription.
    bought: payment.subscription_id === null ? boughtOf(payment) : undefined,
    data: {
      title: named([payment.price_id ?? renewed?.price_id ?? null]),
      amount,
      currency,
      provider: payment.provider,
      paid_at: paid_at ?? updated_at,
      number: payment.id,
      invoice_url,
      renews_at: next,
      is_unused: unusedPaymentsOf(member).some(
        ({ id, provider }) => id === payment.id && provider === payment.provider,
      ),
      ends_at: renewed === undefined || renewed.ended || next !== null ? null : endsAt(renewed),
    },
  }
}
