import { fingerprint } from '../../core/http/tokens.ts'
import { type Leaving, type Storage, step } from '../../core/storage/index.ts'
import type { MailKind } from './mail.ts'

/** A sent mail, without its text. */
export interface SentMail {
  readonly kind: string
  readonly sent_at: string
}

/** Records of sent mails, removed after some time. */
export const oldSentMails: Leaving = { name: 'sent-mails', table: 'sent_mails', key: 'id', over: 'sent_at' }

export interface SentMails {
  /** Records a message once. A failed record does not send the mail again. */
  note(mail: { id: string; memberId: string; kind: MailKind }): Promise<void>
  /** Lists the mails sent to a member, newest first. */
  of(memberId: string, limit: number): Promise<SentMail[]>
}

/** Records which mails were sent to members, for operators. */
export function createSentMails({ storage, now }: { storage: Storage; now: () => Date }): SentMails {
  const columns = ['id', 'member_id', 'kind', 'sent_at'] as const
  const insert = storage.prepareMany<{ id: string; member_id: string; kind: string; sent_at: string }>(
    'sent-mail',
    { all: columns, key: ['id'] },
    (db, rows) =>
      db
        .insertInto('sent_mails')
        .values(rows)
        .onConflict((c) => c.column('id').doNothing()),
  )
  return {
    note: async (mail: { id: string; memberId: string; kind: MailKind }): Promise<void> => {
      // A message's id may contain a login link, so only its fingerprint is stored.
      const row = { id: fingerprint(mail.id), member_id: mail.memberId, kind: mail.kind }
      await storage.commit([step(insert, { ...row, sent_at: now().toISOString() })]).catch(() => undefined)
    },
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
