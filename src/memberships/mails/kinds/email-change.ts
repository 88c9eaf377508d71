import { defineMail } from '../define.ts'
import { toLink } from '../safe.ts'

/** Sent to the new address. Opening the link proves it. */
export interface EmailChangeData {
  url: string
  minutes: number
}

const texts = { subject: [], intro: [], validity: ['duration'], not_you: [], button: [] } as const

/** Sent when: a member requests another address. It goes to the new one. */
export const emailChange = defineMail<EmailChangeData>()('email-change', {
  texts,
  letter: ({ say, duration }, { url, minutes }) => ({
    subject: say('subject', {}),
    paragraphs: [say('intro', {}), say('validity', { duration: duration(minutes) }), say('not_you', {})],
    link: { url: toLink(url, 'The link'), label: say('button', {}) },
  }),
})
