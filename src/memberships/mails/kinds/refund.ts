import { defineMail } from '../define.ts'

/** Money went back: `amount` of what was `paid`. */
export interface RefundData {
  title: string
  amount: number
  paid: number
  currency: string
  /** The provider whose minor units these are. */
  provider?: string
  /** True where it closed what was bought with it. */
  has_closed: boolean
}

const texts = {
  subject: ['title', 'amount'],
  whole: ['title', 'amount'],
  part: ['title', 'amount', 'paid'],
  way: [],
  closed: ['title'],
} as const

/** Sent when: money goes back, all of it or a part. */
export const refund = defineMail<RefundData>()('refund', {
  texts,
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
