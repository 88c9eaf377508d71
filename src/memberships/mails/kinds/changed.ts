import { endsAt, type Subscription } from '../../../core/dto/index.ts'
import { costOf, nextChargeOf } from '../charges.ts'
import type { CostData } from '../data.ts'
import { defineMail, type MailSpeaker, type Notice } from '../define.ts'
import { type Named, named } from '../named.ts'
import { toLink } from '../safe.ts'
import { aboutOf, placeOf, readsAs, soldBy } from '../subjects.ts'

/**
 * Another plan, price or quantity is in effect, or the membership is paused, waits for a gift, or continues. `next_at` is null if the
 * membership ends or the next charge is unknown.
 */
export interface ChangedData {
  /** Empty for a pause, and for a membership that continues. */
  before: string
  title: string
  cost: CostData | null
  next_at: string | null
  /** The end of a pause; null or absent for any other change. */
  paused_until?: string | null
  /** The begin of a pause; null or absent once it has begun. */
  pauses_on?: string | null
  /** True if the pause is the time of a gift, which opens the plan meanwhile. */
  is_gift?: boolean
  /** True if its cancellation or its pause was undone, or the pause is over. */
  is_kept?: boolean
  account_url: string
}

const texts = {
  subject: ['title'],
  subject_paused: ['title'],
  subject_kept: ['title'],
  subject_gift: ['title'],
  intro: ['before', 'title'],
  pauses: ['title', 'from', 'until'],
  paused: ['title', 'until'],
  kept: ['title'],
  gift: ['title', 'until'],
  cost: ['cost'],
  next: ['date'],
  button: [],
} as const

/**
 * Sent when: another plan, price or quantity takes effect, a membership is paused until a known day, or it continues
 * after a cancellation or a pause.
 */
export const changed = defineMail<ChangedData>()('changed', {
  texts,
  canBeTurnedOff: true,
  linksToAccount: true,
  noticeOf: (event) => {
    if (event.name === 'change')
      return noticeFor(event.subscription, '', {
        before: named(event.before.price_ids, event.before.quantity),
      })
    // A pause without an end is a provider's: a trial that ran out, or a payment that failed.
    if (event.name === 'pause' && event.subscription.resumes_at !== null)
      return noticeFor(event.subscription, ':paused', { is: 'paused' })
    if (event.name === 'renew' && event.reason === 'kept')
      return noticeFor(event.subscription, ':kept', { is: 'kept' })
    return null
  },
  refresh: (s, { data, plans, now }) => {
    const title = soldBy(s)
    if (data.is === 'paused') return pausedNow(s, now)
    if (data.is === 'put_off') return waitingNow(s, now)
    if (data.is === 'kept') {
      if (s.ended || endsAt(s) !== null || s.paused_at !== null) return null
      return { before: '', title, cost: costOf(s, plans), next_at: nextChargeOf(s), is_kept: true }
    }
    const before = data.before as Named
    if (s.ended || readsAs(title, plans) === readsAs(before, plans)) return null
    return { before, title, cost: costOf(s, plans), next_at: nextChargeOf(s) }
  },
  letter: (speaker, data) => ({
    subject: subjectOf(speaker, data),
    paragraphs: paragraphsOf(speaker, data),
    link: { url: toLink(data.account_url, 'account_url'), label: speaker.say('button', {}) },
  }),
})

function noticeFor(s: Subscription, what: string, data: Notice['data']): Notice {
  return {
    key: `${placeOf(s)}:${s.updated_at}${what}`,
    about: aboutOf(s),
    data,
  }
}

/** The pause as it is when the mail is written; null where it is over, or the membership ends before it. */
function pausedNow(s: Subscription, now: string): Omit<ChangedRead, 'account_url'> | null {
  const { paused_at: at, resumes_at: until } = s
  const end = endsAt(s)
  if (s.ended || at === null || until === null || until <= now || (end !== null && end <= until)) return null
  const pauses_on = at > now ? at : null
  return { before: '', title: soldBy(s), cost: null, next_at: null, paused_until: until, pauses_on }
}

/** The same for a pause that a gift made. */
function waitingNow(s: Subscription, now: string): Omit<ChangedRead, 'account_url'> | null {
  const paused = pausedNow(s, now)
  return paused && Object.assign(paused, { is_gift: true })
}

/** The data as it is read, with a title that is not in words yet. */
type ChangedRead = Omit<ChangedData, 'title'> & { readonly title: Named }

type Say = MailSpeaker<typeof texts>

function subjectOf({ say }: Say, { title, paused_until = null, is_kept, is_gift }: ChangedData): string {
  if (is_gift === true) return say('subject_gift', { title })
  if (paused_until !== null) return say('subject_paused', { title })
  return say(is_kept === true ? 'subject_kept' : 'subject', { title })
}

function paragraphsOf({ say, day, cost: costWords }: Say, data: ChangedData): string[] {
  const { before, title, cost, next_at, paused_until = null, pauses_on = null, is_kept } = data
  if (paused_until !== null) {
    const until = day(paused_until)
    if (data.is_gift === true) return [say('gift', { title, until })]
    return pauses_on === null
      ? [say('paused', { title, until })]
      : [say('pauses', { title, until, from: day(pauses_on) })]
  }
  return [
    is_kept === true ? say('kept', { title }) : say('intro', { before, title }),
    cost === null ? '' : say('cost', { cost: costWords(cost) }),
    next_at === null ? '' : say('next', { date: day(next_at) }),
  ]
}
