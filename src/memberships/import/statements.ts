import { sql } from 'kysely'
import { inAccount, type Storage } from '../../core/storage/index.ts'
import { memberColumns } from '../ledger/statements/member-statements.ts'
import { grantColumns } from '../members/statements.ts'

/** The row of an imported member. */
export interface ImportedMember {
  id: string
  email: string
  email_verified: number
  name: string | null
  roles: string
  language: string | null
  content: string
  created_by: string
  created_at: string
  updated_at: string
  password_hash: string | null
}
/** The row of an imported grant. */
export interface ImportedGrant {
  id: string
  member_id: string
  gate: string
  source: string
  reason: string
  starts_at: string | null
  expires_at: string | null
  created_at: string
  revoked_at: string | null
  moved_from: string | null
}
interface Known {
  id: string
  email_verified: number
  created_by: string | null
  merged_into: string | null
}

const importedColumns = [...memberColumns, 'password_hash'] as const

/** Compiled statements of an import. A password hash is written and never read. */
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
  memberInsert: storage.prepareMany<ImportedMember>(
    { lock: 'members', name: 'member-import' },
    { all: importedColumns, key: ['id'] },
    (db, rows) =>
      db
        .insertInto('members')
        .values(rows)
        .onConflict((c) => c.doNothing()),
  ),
  /** Links an owner without a member to a member. */
  customerLink: storage.prepare<{
    provider: string
    account: string
    customer_id: string
    member_id: string
  }>({ lock: 'customers', name: 'customers-link' }, (db, p) =>
    db
      .updateTable('customers')
      .set({ member_id: p.member_id, revision: sql<number>`revision + 1` })
      .where(inAccount(p))
      .where('customer_id', '=', p.customer_id)
      .where('member_id', 'is', null),
  ),
  /** Gives the owner of a store's purchases, whose account was deleted, to another member. */
  customerFromDeleted: storage.prepare<{
    provider: string
    account: string
    customer_id: string
    from: string
    member_id: string
  }>({ lock: 'customers', name: 'customers-from-deleted' }, (db, p) =>
    db
      .updateTable('customers')
      .set({ member_id: p.member_id, revision: sql<number>`revision + 1` })
      .where(inAccount(p))
      .where('customer_id', '=', p.customer_id)
      .where('member_id', '=', p.from)
      .where((eb) =>
        eb.exists(
          eb
            .selectFrom('deletions')
            .select('deletions.member_id')
            .where('deletions.member_id', '=', p.from)
            .where('deletions.done_at', 'is not', null),
        ),
      ),
  ),
  grantInsert: storage.prepareMany<ImportedGrant>(
    { lock: 'grants', name: 'grant-import' },
    { all: grantColumns, key: ['id'] },
    (db, rows) =>
      db
        .insertInto('grants')
        .values(rows)
        .onConflict((c) => c.column('id').doNothing()),
  ),
})
