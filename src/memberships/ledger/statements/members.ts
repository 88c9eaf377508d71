import type { Storage } from '../../../core/storage/index.ts'
import type { MemberRow } from './rows.ts'

/** A member's row as it is read and made; its password's hash stays behind. */
export const memberColumns = [
  'id',
  'email',
  'email_verified',
  'name',
  'roles',
  'language',
  'content',
  'created_by',
  'created_at',
  'updated_at',
] as const satisfies readonly (keyof MemberRow)[]

/** The person behind what was bought: known by an address, or made with the purchase. */
export const buyerStatements = (storage: Storage) => ({
  memberByEmail: storage.prepare<{ email: string }, { id: string; email_verified: number }>(
    'member-by-email',
    (db, p) => db.selectFrom('members').select(['id', 'email_verified']).where('email', '=', p.email),
  ),
  /** Writes nothing where somebody has the address. */
  memberInsert: storage.prepareMany<MemberRow>(
    '1-member-insert',
    { all: memberColumns, key: ['email'] },
    (db, rows) =>
      db
        .insertInto('members')
        .values(rows)
        .onConflict((c) => c.doNothing()),
  ),
})
