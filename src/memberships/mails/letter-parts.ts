import type { EndReason, MailData, OrderedData } from './kinds.ts'
import type { Letter } from './letter.ts'
import { toLink } from './safe.ts'
import type { Speaker } from './speaker.ts'

/** The order and what was agreed to, on a medium that lasts: directive 2011/83/EU, article 8 (7). */
export const orderedWords = ({ say, moment }: Speaker, ordered: OrderedData | null | undefined): string[] =>
  !ordered
    ? []
    : [
        say('common.ordered', { moment: moment(ordered.at) }),
        ...ordered.facts.map(({ label, text }) => `${label}: ${text}`),
        ...(ordered.text === '' ? [] : [`${say('common.agreed', {})} ${ordered.text}`]),
      ]

/** What is charged next, and how to stop it: a trial that ends, or a renewal. */
export const aheadLetter = (
  { say, day, cost: costWords }: Speaker,
  kind: 'trial-ending' | 'renewal-ahead',
  { title, at, cost, account_url }: MailData['trial-ending'],
): Letter => ({
  subject: say(`${kind}.subject`, { title, date: day(at) }),
  paragraphs: [
    say(`${kind}.intro`, { title, date: day(at) }),
    cost === null ? '' : say(`${kind}.cost`, { cost: costWords(cost) }),
    say(`${kind}.cancel`, { date: day(at) }),
  ],
  link: { url: toLink(account_url, 'account_url'), label: say(`${kind}.button`, {}) },
})

/** What stood behind an end, in its own words. */
export const endWords = (
  { say, day }: Speaker,
  { title, paid_until, charged_until, reason }: Ending,
): string => {
  if (paid_until !== null && reason === 'unpaid') return say('cancellation.owed', { title })
  if (paid_until !== null && charged_until !== null)
    return say('cancellation.charged_until', { title, date: day(charged_until), next: day(paid_until) })
  if (paid_until !== null)
    return say(reason === 'trial' ? 'cancellation.trial_until' : 'cancellation.paid_until', {
      title,
      date: day(paid_until),
    })
  if (reason === 'trial') return say('cancellation.trial_ended', { title })
  if (reason === 'unpaid') return say('cancellation.ended_unpaid', { title })
  if (reason === 'refunded') return say('cancellation.ended_refunded', { title })
  if (reason === 'disputed') return say('cancellation.ended_disputed', { title })
  return say('cancellation.ended', { title })
}

interface Ending {
  readonly title: string
  readonly paid_until: string | null
  readonly charged_until: string | null
  readonly reason: EndReason | null
}
