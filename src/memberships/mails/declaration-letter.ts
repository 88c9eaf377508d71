import type { MailData } from './kinds.ts'
import type { Letter } from './letter.ts'
import type { Speaker } from './speaker.ts'

/** The receipt of a declaration: the same for every address, since whoever declared it proved nothing. */
export const declarationLetter = (
  { say, moment, day }: Speaker,
  { kind, nature, number, received_at, name, contract, reason, ends_on = null }: MailData['declaration'],
): Letter => ({
  subject: say(`declaration.subject_${kind}`, {}),
  paragraphs: [
    say(`declaration.${kind}`, { moment: moment(received_at), number }),
    say('declaration.said', { name: inert(name), contract: inert(contract) }),
    kind === 'withdrawal'
      ? ''
      : ends_on === null
        ? say('declaration.ends_soonest', {})
        : say('declaration.ends_on', { date: day(ends_on) }),
    reason === null ? '' : say('declaration.reason', { reason: inert(reason) }),
    kind === 'withdrawal'
      ? say('declaration.next_withdrawal', {})
      : say(`declaration.next_${nature ?? 'ordinary'}`, {}),
    [say('declaration.not_you', {}), kind === 'withdrawal' ? '' : say('declaration.undo', {})]
      .join(' ')
      .trim(),
  ],
  link: null,
})

/** Anybody can have us write to a stranger what they typed: it is repeated, as the law wants, but nothing in it is an
 *  address that a mail program makes a link of. */
const inert = (text: string): string =>
  text
    .replaceAll('://', ' : / / ')
    .replaceAll('@', '(at)')
    .replace(/[.\u3002\uff0e\uff61](?=[\p{L}\p{N}])/gu, '[.]')
