import { defineMail } from '../define.ts'
import { named } from '../named.ts'
import { toLink } from '../safe.ts'
import { placeOf } from '../subjects.ts'

/** A second trial that ended unpaid, or a trial that is paused because no card is stored. */
export interface TrialEndedData {
  title: string
  account_url: string
  is_paused?: boolean
}

const texts = {
  subject: ['title'],
  intro: ['title'],
  offer: [],
  paused: ['title'],
  paused_offer: [],
  button: [],
} as const

/** Sent when: a second trial of the same plan group has ended unpaid, or a trial ended without a card and is paused. */
export const trialEnded = defineMail<TrialEndedData>()('trial-ended', {
  texts,
  canBeTurnedOff: true,
  linksToAccount: true,
  isCourtesy: true,
  noticeOf: (event) => {
    if (event.name !== 'pause') return null
    const { status, trial_ends_at: end, paused_at: at, resumes_at, price_id } = event.subscription
    // https://docs.stripe.com/billing/subscriptions/trials/free-trials: `missing_payment_method: pause`
    const isAtEnd = end !== null && at !== null && Math.abs(Date.parse(at) - Date.parse(end)) <= dayMs
    return status === 'paused' && isAtEnd && resumes_at === null
      ? {
          key: `${placeOf(event.subscription)}:paused`,
          data: { title: named([price_id]), is_paused: true },
        }
      : null
  },
  letter: ({ say }, { title, account_url, is_paused = false }) => ({
    subject: say('subject', { title }),
    paragraphs: is_paused
      ? [say('paused', { title }), say('paused_offer', {})]
      : [say('intro', { title }), say('offer', {})],
    link: { url: toLink(account_url, 'account_url'), label: say('button', {}) },
  }),
})

const dayMs = 86_400_000
