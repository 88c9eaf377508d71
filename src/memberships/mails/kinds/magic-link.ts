import { defineMail } from '../define.ts'
import { toLink } from '../safe.ts'

export interface MagicLinkData {
  url: string
  minutes: number
  isSignup: boolean
}

const texts = {
  subject: [],
  subject_signup: [],
  intro: [],
  intro_signup: [],
  validity: ['duration'],
  not_you: [],
  button: [],
  button_signup: [],
} as const

/** Sent when: a person asks to log in, or signs up. */
export const magicLink = defineMail<MagicLinkData>()('magic-link', {
  texts,
  letter: ({ say, duration }, { url, minutes, isSignup }) => ({
    subject: isSignup ? say('subject_signup', {}) : say('subject', {}),
    paragraphs: [
      isSignup ? say('intro_signup', {}) : say('intro', {}),
      say('validity', { duration: duration(minutes) }),
      say('not_you', {}),
    ],
    link: {
      url: toLink(url, 'The link'),
      label: isSignup ? say('button_signup', {}) : say('button', {}),
    },
  }),
})
