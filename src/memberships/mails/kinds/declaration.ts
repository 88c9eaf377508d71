import { defineMail } from '../define.ts'

/** Confirms a declaration from a public page, with the second of its arrival. */
export interface DeclarationData {
  number: string
  kind: 'cancellation' | 'withdrawal'
  nature: 'ordinary' | 'extraordinary' | null
  received_at: string
  name: string
  contract: string
  reason: string | null
  /** The requested day of the end; null for the earliest possible. */
  ends_on?: string | null
}

const texts = {
  subject_cancellation: [],
  subject_withdrawal: [],
  cancellation: ['moment', 'number'],
  withdrawal: ['moment', 'number'],
  said: ['name', 'contract'],
  reason: ['reason'],
  ends_on: ['date'],
  ends_soonest: [],
  next_ordinary: [],
  next_extraordinary: [],
  next_withdrawal: [],
  not_you: [],
  undo: [],
} as const

/** Sent when: a cancellation or a withdrawal arrives by a public page. The law requires it, so it is always sent. */
export const declaration = defineMail<DeclarationData>()('declaration', {
  texts,
  letter: (
    { say, moment, day },
    { kind, nature, number, received_at, name, contract, reason, ends_on = null },
  ) => ({
    subject: say(`subject_${kind}`, {}),
    paragraphs: [
      say(`${kind}`, { moment: moment(received_at), number }),
      say('said', { name: inert(name), contract: inert(contract) }),
      kind === 'withdrawal'
        ? ''
        : ends_on === null
          ? say('ends_soonest', {})
          : say('ends_on', { date: day(ends_on) }),
      reason === null ? '' : say('reason', { reason: inert(reason) }),
      kind === 'withdrawal' ? say('next_withdrawal', {}) : say(`next_${nature ?? 'ordinary'}`, {}),
      [say('not_you', {}), kind === 'withdrawal' ? '' : say('undo', {})].join(' ').trim(),
    ],
    link: null,
  }),
})

/**
 * Anybody can make us mail a stranger with text of their choice. The law requires the text to be repeated, but it must
 * not contain anything that a mail program turns into a link.
 */
function inert(text: string): string {
  return text
    .replaceAll('://', ' : / / ')
    .replaceAll('@', '(at)')
    .replace(/[.\u3002\uff0e\uff61](?=[\p{L}\p{N}])/gu, '[.]')
}
