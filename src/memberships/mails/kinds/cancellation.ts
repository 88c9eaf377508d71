import { endsAt, type Payment, paidUntil, type Subscription } from '../../../core/dto/index.ts'
import type { User } from '../../members/index.ts'
import { nextChargeOf } from '../charges.ts'
import type { EndReason } from '../data.ts'
import { defineMail, type MailSpeaker } from '../define.ts'
import { named } from '../named.ts'
import { findLink, toLink } from '../safe.ts'
import { aboutOf, placeOf } from '../subjects.ts'

export interface CancellationData {
  title: string
  /** null if it ended now. */
  paid_until: string | null
  /** The end, if it lies after the paid period. Charges continue until then. */
  charged_until?: string | null
  /** null for a plain cancellation. */
  reason?: EndReason | null
  /** The page that undoes the cancellation; null where there is none. */
  resume_url: string | null
  account_url: string
}

const texts = {
  subject: ['title'],
  subject_ended: ['title'],
  paid_until: ['title', 'date'],
  charged_until: ['title', 'date', 'next'],
  ended: ['title'],
  owed: ['title'],
  trial_until: ['title', 'date'],
  trial_ended: ['title'],
  ended_unpaid: ['title'],
  ended_refunded: ['title'],
  ended_disputed: ['title'],
  resume: ['title'],
  button_resume: [],
  button_account: [],
} as const

/**
 * Sent when: a membership is cancelled, or ends in a trial, unpaid, after a refund or after a chargeback. Each has its
 * own wording.
 */
export const cancellation = defineMail<CancellationData>()('cancellation', {
  texts,
  canBeTurnedOff: true,
  linksToAccount: true,
  noticeOf: (event, { member, id }) => {
    if (event.name !== 'cancel') return null
    const { subscription: s, from } = event
    return {
      key: `${placeOf(s)}:${s.canceled_at ?? s.ended_at ?? id}`,
      about: aboutOf(s),
      data: {
        title: named([s.price_id]),
        paid_until: s.ended ? null : (paidUntil(s) ?? endsAt(s)),
        charged_until: s.ended || nextChargeOf(s) === null ? null : endsAt(s),
        reason: reasonOf(s, from, member),
        resume_url: null,
      },
    }
  },
  letter: (speaker, data) => {
    const { title, paid_until, charged_until = null, reason = null, resume_url, account_url } = data
    const { say } = speaker
    const resume = findLink(resume_url)
    return {
      subject: paid_until === null ? say('subject_ended', { title }) : say('subject', { title }),
      paragraphs: [
        endWords(speaker, { title, paid_until, charged_until, reason }),
        resume === null ? '' : say('resume', { title }),
      ],
      link:
        resume === null
          ? { url: toLink(account_url, 'account_url'), label: say('button_account', {}) }
          : { url: resume, label: say('button_resume', {}) },
    }
  },
})

/** Words the reason of an end. */
function endWords(
  { say, day }: MailSpeaker<typeof texts>,
  { title, paid_until, charged_until, reason }: Ending,
): string {
  if (paid_until !== null && reason === 'unpaid') return say('owed', { title })
  if (paid_until !== null && charged_until !== null)
    return say('charged_until', { title, date: day(charged_until), next: day(paid_until) })
  if (paid_until !== null)
    return say(reason === 'trial' ? 'trial_until' : 'paid_until', {
      title,
      date: day(paid_until),
    })
  if (reason === 'trial') return say('trial_ended', { title })
  if (reason === 'unpaid') return say('ended_unpaid', { title })
  if (reason === 'refunded') return say('ended_refunded', { title })
  if (reason === 'disputed') return say('ended_disputed', { title })
  return say('ended', { title })
}

interface Ending {
  readonly title: string
  readonly paid_until: string | null
  readonly charged_until: string | null
  readonly reason: EndReason | null
}

/** The known reason of an end. */
function reasonOf(s: Subscription, from: Subscription['status'] | null, member: User): EndReason | null {
  const isOf = (p: Payment): boolean => p.provider === s.provider && p.subscription_id === s.id
  const own = member.payments().filter(isOf)
  if (s.status === 'trialing' || from === 'trialing' || isEndedInTrial(s)) return 'trial'
  if (!s.ended) return s.past_due || s.status === 'unpaid' ? 'unpaid' : null
  const last = own[0]?.status
  if (last === 'refunded' || last === 'disputed') return last
  return from === 'past_due' || from === 'unpaid' ? 'unpaid' : null
}

function isEndedInTrial(s: Subscription): boolean {
  return s.ended && s.trial_ends_at !== null && s.ended_at !== null && s.ended_at <= s.trial_ends_at
}
