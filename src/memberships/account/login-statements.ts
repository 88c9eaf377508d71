import type { Leaving, Row, Storage } from '../../core/storage/index.ts'

/** A link that was sent. The token itself is not stored. */
export type LinkRow = Row<'login_links'>

const columns = ['id', 'email', 'member_id', 'redirect', 'created_at', 'expires_at', 'used_at'] as const

/** Links that expired some time ago, used or not. */
export const oldLinks: Leaving = {
  name: 'login-links',
  table: 'login_links',
  key: 'id',
  over: 'expires_at',
}

/** Statements about login links, and the checks before a login. */
export function linkStatements(storage: Storage) {
  return {
    insert: storage.prepareMany<LinkRow>('link-insert', { all: columns, key: ['id'] }, (db, rows) =>
      db.insertInto('login_links').values(rows),
    ),
    find: storage.prepare<{ id: string }, LinkRow>('login-link', (db, p) =>
      db.selectFrom('login_links').select(columns).where('id', '=', p.id),
    ),
    /** Uses a link. Of two requests at once, only one finds it unused. */
    use: storage.prepare<{ id: string; now: string }>(
      {
        name: 'link-use',
        before: 'grants',
        because: 'the link that was opened is used before the others are voided',
      },
      (db, p) =>
        db
          .updateTable('login_links')
          .set({ used_at: p.now })
          .where('id', '=', p.id)
          .where('used_at', 'is', null)
          .where('expires_at', '>', p.now),
    ),
    /** Finds a purchase that waits for its address to be proved. */
    waiting: storage.prepare<{ email: string }, { customer_id: string }>('login-waiting', (db, p) =>
      db
        .selectFrom('customers')
        .select('customer_id')
        .where('email', '=', p.email)
        .where('member_id', 'is', null)
        .where('purchased', '=', 1)
        .limit(1),
    ),
  }
}
