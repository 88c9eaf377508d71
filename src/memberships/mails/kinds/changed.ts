import { costOf, nextChargeOf } from '../charges.ts'
import type { CostData } from '../data.ts'
import { defineMail } from '../define.ts'
import { type Named, named } from '../named.ts'
import { toLink } from '../safe.ts'
import { aboutOf, placeOf, readsAs, soldBy } from '../subjects.ts'

/**
 * Another plan, price or quantity is in effect. `next_at` is null if the membership ends or the next charge is unknown.
 */
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

/** Sent when: another plan, price or quantity takes effect. */
export const changed = defineMail<ChangedData>()('changed', {
  texts,
  canBeTurnedOff: true,
  linksToAccount: true,
  noticeOf: (event) =>
    event.name === 'change'
      ? {
          key: `${placeOf(event.subscription)}:${event.subscription.updated_at}`,
          about: aboutOf(event.subscription),
          data: { before: named(event.before.price_ids, event.before.quantity) },
        }
      : null,
  refresh: (s, { data, plans }) => {
    const title = soldBy(s)
    const before = data.before as Named
    if (s.ended || readsAs(title, plans) === readsAs(before, plans)) return null
    return { before, title, cost: costOf(s, plans), next_at: nextChargeOf(s) }
  },
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
