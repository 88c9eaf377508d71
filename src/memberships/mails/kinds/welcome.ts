import type { OrderedData } from '../data.ts'
import { defineMail } from '../define.ts'
import { named } from '../named.ts'
import { toLink } from '../safe.ts'
import { boughtOf, placeOf } from '../subjects.ts'

export interface WelcomeData {
  plan_title: string
  account_url: string
  /** When a trial ends and the first payment follows. */
  trial_until?: string | null
  ordered?: OrderedData | null
}

const texts = {
  subject: ['plan'],
  intro: ['plan'],
  trial: ['plan', 'date'],
  account: [],
  button: [],
} as const

/** Sent when: a membership begins. */
export const welcome = defineMail<WelcomeData>()('welcome', {
  texts,
  canBeTurnedOff: true,
  linksToAccount: true,
  isCourtesy: true,
  noticeOf: (event) => {
    if (event.name !== 'subscribe') return null
    const { subscription: s } = event
    return {
      key: placeOf(s),
      data: { plan_title: named([s.price_id]), trial_until: s.on_trial ? s.trial_ends_at : null },
      bought: boughtOf(s),
    }
  },
  letter: (speaker, { plan_title: plan, account_url, trial_until = null, ordered }) => ({
    subject: speaker.say('subject', { plan }),
    paragraphs: [
      speaker.say('intro', { plan }),
      trial_until === null ? '' : speaker.say('trial', { plan, date: speaker.day(trial_until) }),
      ...speaker.ordered(ordered),
      speaker.say('account', {}),
    ],
    link: { url: toLink(account_url, 'account_url'), label: speaker.say('button', {}) },
  }),
})
