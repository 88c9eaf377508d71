import { defineMail } from '../define.ts'

/** For operators: a problem began, or is over. */
export interface OperatorAlertData {
  isOver: boolean
  provider: string
  message: string
  action: string
}

const texts = {
  subject: ['provider'],
  subject_over: ['provider'],
  begun: ['message'],
  over: ['message'],
  action: ['action'],
} as const

/** Sent when: a problem between the site and a provider begins, or is over. It goes to `membership.operator.email`. */
export const operatorAlert = defineMail<OperatorAlertData>()('operator-alert', {
  texts,
  letter: ({ say }, { isOver, provider, message, action }) => ({
    subject: isOver ? say('subject_over', { provider }) : say('subject', { provider }),
    paragraphs: isOver ? [say('over', { message })] : [say('begun', { message }), say('action', { action })],
    link: null,
  }),
})
