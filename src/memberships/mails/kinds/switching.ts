import { defineMail } from '../define.ts'
import { toLink } from '../safe.ts'

/** The site changes its payment provider: it ends with what is paid, and is bought again at the new one. */
export interface SwitchingData {
  title: string
  ends_at: string
  /** It can be bought before that, and costs nothing before. */
  isSoldNow: boolean
  /** True where the switch was taken back: the membership goes on as before. */
  isBack: boolean
  account_url: string
}

const texts = {
  subject: ['title'],
  subject_back: ['title'],
  intro: ['title', 'date'],
  now: ['date'],
  later: ['date'],
  nothing: [],
  back: ['title'],
  button: [],
  button_account: [],
} as const

/** Sent when: the site changes its payment provider and ends a membership there with what is paid; or it goes on after all. */
export const switching = defineMail<SwitchingData>()('switching', {
  texts,
  linksToAccount: true,
  letter: ({ say, day }, { title, ends_at, isSoldNow, isBack, account_url }) => {
    const account = toLink(account_url, 'account_url')
    if (isBack)
      return {
        subject: say('subject_back', { title }),
        paragraphs: [say('back', { title })],
        link: { url: account, label: say('button_account', {}) },
      }
    const date = day(ends_at)
    return {
      subject: say('subject', { title }),
      paragraphs: [
        say('intro', { title, date }),
        isSoldNow ? say('now', { date }) : say('later', { date }),
        say('nothing', {}),
      ],
      link: { url: new URL('/membership/switch', account).href, label: say('button', {}) },
    }
  },
})
