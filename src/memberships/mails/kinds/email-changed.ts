import { defineMail } from '../define.ts'
import { toLink } from '../safe.ts'

/** Sent to the old address. The link undoes the change. */
export interface EmailChangedData {
  url: string
  days: number
}

const texts = { subject: [], intro: [], not_you: [], validity: ['duration'], button_undo: [] } as const

/** Sent when: the address was changed. It goes to the old one. */
export const emailChanged = defineMail<EmailChangedData>()('email-changed', {
  texts,
  letter: ({ say, duration }, { url, days }) => ({
    subject: say('subject', {}),
    paragraphs: [say('intro', {}), say('not_you', {}), say('validity', { duration: duration(days * 1440) })],
    link: { url: toLink(url, 'The link'), label: say('button_undo', {}) },
  }),
})
