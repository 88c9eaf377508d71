import { defineMail } from '../define.ts'
import { toLink } from '../safe.ts'

/** Sent to the address of the other account. */
export interface MergeOtherData {
  url: string
  minutes: number
  email: string
}

const texts = {
  subject: [],
  intro: ['email'],
  how: ['email'],
  validity: ['duration'],
  not_you: [],
  button: [],
} as const

/** Sent when: a merge was confirmed by the member's own address. It goes to the other account's address. */
export const mergeOther = defineMail<MergeOtherData>()('merge-other', {
  texts,
  letter: ({ say, duration }, { url, minutes, email }) => ({
    subject: say('subject', {}),
    paragraphs: [
      say('intro', { email }),
      say('how', { email }),
      say('validity', { duration: duration(minutes) }),
      say('not_you', {}),
    ],
    link: { url: toLink(url, 'The link'), label: say('button', {}) },
  }),
})
