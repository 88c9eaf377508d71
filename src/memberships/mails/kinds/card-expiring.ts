import { defineMail } from '../define.ts'
import { toLink } from '../safe.ts'
import { aboutOf, placeOf, soldBy } from '../subjects.ts'

export interface CardExpiringData {
  title: string
  /** The last day on which the card works. */
  works_until: string
  renews_at: string
  account_url: string
}

const texts = {
  subject: ['title'],
  intro: ['title', 'until', 'date'],
  update: ['date'],
  done: [],
  button: [],
} as const

/** Sent when: two weeks before a renewal whose card will have expired by then, if the provider reports the expiry. */
export const cardExpiring = defineMail<CardExpiringData>()('card-expiring', {
  texts,
  canBeTurnedOff: true,
  linksToAccount: true,
  noticeOf: (event) =>
    event.name === 'card'
      ? {
          key: `${placeOf(event.subscription)}:${event.card.at}`,
          about: aboutOf(event.subscription),
          data: { works_until: lastDayOf(event.card.expires), renews_at: event.card.at },
        }
      : null,
  // A member who cancelled, paused or changed the date in the meantime needs no card for this renewal.
  refresh: (s, { data, now }) =>
    s.status !== 'active' ||
    s.cancel_at_period_end ||
    s.paused_at !== null ||
    data.renews_at !== s.current_period_end ||
    String(data.renews_at) <= now
      ? null
      : { ...data, title: soldBy(s) },
  letter: ({ say, day }, { title, works_until, renews_at, account_url }) => ({
    subject: say('subject', { title }),
    paragraphs: [
      say('intro', { title, until: day(works_until), date: day(renews_at) }),
      say('update', { date: day(renews_at) }),
      say('done', {}),
    ],
    link: { url: toLink(account_url, 'account_url'), label: say('button', {}) },
  }),
})

/** The last day of a month such as `2027-08`. */
function lastDayOf(month: string): string {
  const [year, number] = month.split('-').map(Number)
  return new Date(Date.UTC(year!, number!, 0)).toISOString()
}
