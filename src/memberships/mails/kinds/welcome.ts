import type { OrderedData } from '../data.ts'
import { defineMail } from '../define.ts'
import { toLink } from '../safe.ts'

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
  linksToAccount: true,
  isCourtesy: true,
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
