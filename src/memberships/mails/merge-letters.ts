import type { MailData } from './kinds.ts'
import type { Letter } from './letter.ts'
import { toLink } from './safe.ts'
import type { Speaker } from './speaker.ts'

type Kind = 'merge-own' | 'merge-other' | 'merged'

/** What two addresses are asked and told whose accounts become one. */
export const mergeLetters: { readonly [K in Kind]: (speaker: Speaker, data: MailData[K]) => Letter } = {
  'merge-own': ({ say, duration }, { url, minutes, other_email: other }) => ({
    subject: say('merge-own.subject', {}),
    paragraphs: [
      say('merge-own.intro', { other }),
      say('merge-own.validity', { duration: duration(minutes) }),
      say('merge-own.not_you', {}),
    ],
    link: { url: toLink(url, 'The link'), label: say('merge-own.button', {}) },
  }),

  'merge-other': ({ say, duration }, { url, minutes, email }) => ({
    subject: say('merge-other.subject', {}),
    paragraphs: [
      say('merge-other.intro', { email }),
      say('merge-other.how', { email }),
      say('merge-other.validity', { duration: duration(minutes) }),
      say('merge-other.not_you', {}),
    ],
    link: { url: toLink(url, 'The link'), label: say('merge-other.button', {}) },
  }),

  merged: ({ say, duration }, { url, days, email, other_email: other }) => ({
    subject: say('merged.subject', {}),
    paragraphs: [
      say('merged.intro', { email, other }),
      say('merged.not_you', {}),
      say('merged.validity', { duration: duration(days * 1440) }),
    ],
    link: { url: toLink(url, 'The link'), label: say('merged.button_back', {}) },
  }),
}
