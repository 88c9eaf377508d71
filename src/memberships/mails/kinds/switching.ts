import { defineMail } from '../define.ts'
import { toLink } from '../safe.ts'

/**
 * The site changes its payment provider: the membership ends with the paid period and is bought again at the new one.
 */
export interface SwitchingData {
  title: string
  ends_at: string
  /** True if it can be bought before that, without a charge until then. */
  isSoldNow: boolean
  /** True if the switch was undone, so that the membership continues. */
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

/** Sent when: a provider switch ends a membership with the paid period, or the switch is undone and it continues. */
export const switching = defineMail<SwitchingData>()('switching', {
  texts,
  canBeTurnedOff: true,
  linksToAccount: true,
  letter: ({ say, day, siteUrl }, { title, ends_at, isSoldNow, isBack, account_url }) => {
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
      link: { url: `${siteUrl}/membership/switch`, label: say('button', {}) },
    }
  },
})
