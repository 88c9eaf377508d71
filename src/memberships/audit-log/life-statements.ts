import type { Storage } from '../../core/storage/index.ts'

interface Member {
  member_id: string
}

/** Statements about recorded actions in the life of an account. */
export function auditLogLifeStatements(storage: Storage) {
  return {
    // The operator's name is another person's data, so it is left out.
    auditLog: storage.prepare<
      Member,
      {
        at: string
        action: string
        subject: string | null
        before: string | null
        after: string | null
        outcome: string
      }
    >('export-auditLog', (db, p) =>
      db
        .selectFrom('audit_log')
        .select(['at', 'action', 'subject', 'before', 'after', 'outcome'])
        .where('member_id', '=', p.member_id)
        .orderBy('at'),
    ),
  }
}
