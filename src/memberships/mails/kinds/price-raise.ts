import type { CostData } from '../data.ts'
import { defineMail } from '../define.ts'
import type { Named } from '../named.ts'
import { toLink } from '../safe.ts'

/** A subscription that will cost more. */
export interface PriceRaiseData {
  title: Named | string
  before: CostData
  after: CostData
  /** The first renewal at the new price. */
  at: string
  needs_consent: boolean
  /** The last payment, if it was lower than the present price. */
  paid_less?: { amount: number; currency: string; provider: string } | null
  /** The page that cancels with one click, and agrees where that is needed. */
  url: string
}

/** Sent when: an operator raises a price, at least the ordered days before the first charge. */
export const priceRaise = defineMail<PriceRaiseData>()('price-raise', {
  texts: {
    subject: ['title', 'date'],
    intro: ['title', 'before', 'after', 'date'],
    less: ['paid'],
    agree: ['before'],
    stays: ['date'],
    cancel: ['date'],
    button: [],
    button_agree: [],
  },
  letter: ({ say, day, cost, money }, { title, before, after, at, needs_consent, paid_less, url }) => {
    const date = day(at)
    return {
      subject: say('subject', { title: String(title), date }),
      paragraphs: [
        say('intro', { title: String(title), before: cost(before), after: cost(after), date }),
        paid_less ? say('less', { paid: money(paid_less) }) : '',
        needs_consent ? say('agree', { before: cost(before) }) : say('stays', { date }),
        say('cancel', { date }),
      ],
      link: { url: toLink(url, 'The link'), label: say(needs_consent ? 'button_agree' : 'button', {}) },
    }
  },
})

/** A raise that was undone. */
export interface PriceRaiseOffData {
  title: Named | string
  cost: CostData
  account_url: string
}

/** Sent when: an operator undoes a raise after its notice was sent. */
export const priceRaiseOff = defineMail<PriceRaiseOffData>()('price-raise-off', {
  texts: { subject: ['title'], intro: ['title', 'cost'], button: [] },
  letter: ({ say, cost: costWords }, { title, cost, account_url }) => ({
    subject: say('subject', { title: String(title) }),
    paragraphs: [say('intro', { title: String(title), cost: costWords(cost) })],
    link: { url: toLink(account_url, 'account_url'), label: say('button', {}) },
  }),
})
