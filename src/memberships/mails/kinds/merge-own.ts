import { defineMail } from '../define.ts'
import { toLink } from '../safe.ts'

/** Sent to the member's own address: another account is to be merged into this one. */
export interface MergeOwnData {
  url: string
  minutes: number
  other_email: string
}

const texts = { subject: [], intro: ['other'], validity: ['duration'], not_you: [], button: [] } as const

/** Sent when: a member requests to merge another account into theirs. It goes to the member's own address. */
export const mergeOwn = defineMail<MergeOwnData>()('merge-own', {
  texts,
  letter: ({ say, duration }, { url, minutes, other_email: other }) => ({
    subject: say('subject', {}),
    paragraphs: [
      say('intro', { other }),
      say('validity', { duration: duration(minutes) }),
      say('not_you', {}),
    ],
    link: { url: toLink(url, 'The link'), label: say('button', {}) },
  }),
})
