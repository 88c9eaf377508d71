import { defineMail } from '../define.ts'
import { toLink } from '../safe.ts'

/** For operators: something needs an answer by a day. `due_on` is null if the provider names none. */
export interface OperatorDeadlineData {
  about: 'dispute' | 'cancellation' | 'withdrawal' | 'payment'
  number: string
  due_on: string | null
  url: string
}

const texts = {
  subject_dispute: ['number'],
  subject_cancellation: ['number'],
  subject_withdrawal: ['number'],
  subject_payment: ['number'],
  dispute: ['number'],
  cancellation: ['number'],
  withdrawal: ['number'],
  payment: ['number'],
  due: ['date'],
  button: [],
} as const

/**
 * Sent when: a dispute, a withdrawal or a cancellation arrives, and again three days before it is due; once for money
 * that arrived after the end and opened nothing. It goes to `membership.operator.email`.
 */
export const operatorDeadline = defineMail<OperatorDeadlineData>()('operator-deadline', {
  texts,
  letter: ({ say, day }, { about, number, due_on, url }) => ({
    subject: say(`subject_${about}`, { number }),
    paragraphs: [say(`${about}`, { number }), due_on === null ? '' : say('due', { date: day(due_on) })],
    link: { url: toLink(url, 'url'), label: say('button', {}) },
  }),
})
