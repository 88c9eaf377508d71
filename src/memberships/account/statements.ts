import type { ExpressionBuilder } from 'kysely'
import type { Row, Storage, Tables } from '../../core/storage/index.ts'

/** The part of a member's row that the member may change. */
export type ProfileRow = Row<'members', 'id' | 'name' | 'language' | 'content' | 'updated_at'>

const leaving = (id: string) => (eb: ExpressionBuilder<Tables, 'members'>) =>
  eb.selectFrom('deletions').select('member_id').where('member_id', '=', id)

/** Statements that change a member's own row. */
export const profileStatements = (storage: Storage) => ({
  /** Writes nothing if another writer changed the row since it was read, or the account is being deleted. */
  update: storage.prepare<ProfileRow & { before: string }>(
    { lock: 'members', name: 'account-update' },
    (db, p) =>
      db
        .updateTable('members')
        .set({ name: p.name, language: p.language, content: p.content, updated_at: p.updated_at })
        .where('id', '=', p.id)
        .where('updated_at', '=', p.before)
        .where('id', 'not in', leaving(p.id)),
  ),
  /** Writes nothing if the account is being deleted. */
  setLanguage: storage.prepare<{ id: string; language: string; updated_at: string }>(
    'account-language',
    (db, p) =>
      db
        .updateTable('members')
        .set({ language: p.language, updated_at: p.updated_at })
        .where('id', '=', p.id)
        .where('id', 'not in', leaving(p.id)),
  ),
  /** Writes nothing if the address is taken, another writer changed the row, or the account is being deleted. */
  setEmail: storage.prepare<{
    id: string
    email: string
    email_verified: number
    updated_at: string
    before: string
  }>({ lock: 'members', name: 'account-email' }, (db, p) =>
    db
      .updateTable('members')
      .set({ email: p.email, email_verified: p.email_verified, updated_at: p.updated_at })
      .where('id', '=', p.id)
      .where('updated_at', '=', p.before)
      .where('id', 'not in', leaving(p.id))
      .where((eb) =>
        eb.not(
          eb.exists(
            eb
              .selectFrom('members as other')
              .select('other.id')
              .where('other.email', '=', p.email)
              .where('other.id', '!=', p.id),
          ),
        ),
      ),
  ),
})
