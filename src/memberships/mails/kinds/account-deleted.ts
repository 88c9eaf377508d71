import { defineMail } from '../define.ts'

export type AccountDeletedData = Record<never, never>

const texts = { subject: [], intro: [], records: [] } as const

/** Sent when: a member deleted the account. */
export const accountDeleted = defineMail<AccountDeletedData>()('account-deleted', {
  texts,
  canBeTurnedOff: true,
  letter: ({ say }) => ({
    subject: say('subject', {}),
    paragraphs: [say('intro', {}), say('records', {})],
    link: null,
  }),
})
