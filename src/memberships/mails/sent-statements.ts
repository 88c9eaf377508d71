import { fingerprint } from '../../core/http/tokens.ts'
import { type Leaving, type Storage, step } from '../../core/storage/index.ts'
import type { MailKind } from './mail.ts'

/** A mail that left: never what stands in it. */
export interface SentMail {
  readonly kind: string
  readonly sent_at: string
}

/** Which mails left to whom, some time after they did. */
export const oldSentMails: Leaving = { name: 'sent-mails', table: 'sent_mails', key: 'id', over: 'sent_at' }

/** Notes which mails left to members, for whoever runs the site. */
export const createSentMails = ({ storage, now }: { storage: Storage; now: () => Date }) => {
  const columns = ['id', 'member_id', 'kind', 'sent_at'] as const
  const insert = storage.prepareMany<{ id: string; member_id: string; kind: string; sent_at: string }>(
    { lock: 'other', name: 'sent-mail' },
    { all: columns, key: ['id'] },
    (db, rows) =>
      db
        .insertInto('sent_mails')
        .values(rows)
        .onConflict((c) => c.column('id').doNothing()),
  )
  return {
    /** Once for each message; a mail that has left is not sent again because its note failed. */
    note: async (mail: { id: string; memberId: string; kind: MailKind }): Promise<void> => {
      // A message may be called by the link that stands in it.
      const row = { id: fingerprint(mail.id), member_id: mail.memberId, kind: mail.kind }
      await storage.commit([step(insert, { ...row, sent_at: now().toISOString() })]).catch(() => undefined)
    },
    /** The newest first. */
    of: (memberId: string, limit: number): Promise<SentMail[]> =>
      storage.read((db) =>
        db
          .selectFrom('sent_mails')
          .select(['kind', 'sent_at'])
          .where('member_id', '=', memberId)
          .orderBy('sent_at', 'desc')
          .limit(limit),
      ),
  }
}
export type SentMails = ReturnType<typeof createSentMails>
