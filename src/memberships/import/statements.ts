import type { Storage } from '../../core/storage/index.ts'

interface Known {
  id: string
  email_verified: number
  created_by: string | null
  merged_into: string | null
}

/** Queries of an import. */
export const importStatements = (storage: Storage) => ({
  byId: storage.prepare<{ id: string }, Known>('import-by-id', (db, p) =>
    db
      .selectFrom('members')
      .select(['id', 'email_verified', 'created_by', 'merged_into'])
      .where('id', '=', p.id),
  ),
  byEmail: storage.prepare<{ email: string }, Known>('import-by-email', (db, p) =>
    db
      .selectFrom('members')
      .select(['id', 'email_verified', 'created_by', 'merged_into'])
      .where('email', '=', p.email),
  ),
  /** Lists every grant that a member ever had. A revoked one is not given again. */
  grantIds: storage.prepare<{ member_id: string }, { id: string }>('import-grants', (db, p) =>
    db.selectFrom('grants').select('id').where('member_id', '=', p.member_id),
  ),
})
