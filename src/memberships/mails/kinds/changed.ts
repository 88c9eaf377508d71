import type { CostData } from '../data.ts'
import { defineMail } from '../define.ts'
import { toLink } from '../safe.ts'

/** Another plan, price or quantity counts now. `next_at` null: it ends, or nobody said when it is charged. */
export interface ChangedData {
  before: string
  title: string
  cost: CostData | null
  next_at: string | null
  account_url: string
}

const texts = {
  subject: ['title'],
  intro: ['before', 'title'],
  cost: ['cost'],
  next: ['date'],
  button: [],
} as const

/** Sent when: another plan, price or quantity counts. */
export const changed = defineMail<ChangedData>()('changed', {
  texts,
  linksToAccount: true,
  letter: ({ say, day, cost: costWords }, { before, title, cost, next_at, account_url }) => ({
    subject: say('subject', { title }),
    paragraphs: [
      say('intro', { before, title }),
      cost === null ? '' : say('cost', { cost: costWords(cost) }),
      next_at === null ? '' : say('next', { date: day(next_at) }),
    ],
    link: { url: toLink(account_url, 'account_url'), label: say('button', {}) },
  }),
})
