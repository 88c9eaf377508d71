import type { Storage } from '../storage/index.ts'

export interface LinkRow {
  id: string
  email: string
  member_id: string | null
  redirect: string
  created_at: string
  expires_at: string
  used_at: string | null
}

const columns = ['id', 'email', 'member_id', 'redirect', 'created_at', 'expires_at', 'used_at'] as const

export const linkStatements = (storage: Storage) => ({
  insert: storage.prepareMany<LinkRow>('9-link-insert', { all: columns, key: ['id'] }, (db, rows) =>
    db.insertInto('login_links').values(rows),
  ),
  find: storage.prepare<{ id: string }, LinkRow>('login-link', (db, p) =>
    db.selectFrom('login_links').select(columns).where('id', '=', p.id),
  ),
  /** Uses a link up: of two at once, one finds it unused. */
  use: storage.prepare<{ id: string; now: string }>('8-link-use', (db, p) =>
    db
      .updateTable('login_links')
      .set({ used_at: p.now })
      .where('id', '=', p.id)
      .where('used_at', 'is', null)
      .where('expires_at', '>', p.now),
  ),
  forget: storage.prepare<{ before: string }>('9-link-forget', (db, p) =>
    db.deleteFrom('login_links').where('expires_at', '<', p.before),
  ),
  leaving: storage.prepare<{ member_id: string }, { member_id: string }>('login-leaving', (db, p) =>
    db.selectFrom('deletions').select('member_id').where('member_id', '=', p.member_id),
  ),
  /** A purchase that waits for whoever proves to own its address. */
  waiting: storage.prepare<{ email: string }, { customer_id: string }>('login-waiting', (db, p) =>
    db
      .selectFrom('customers')
      .select('customer_id')
      .where('email', '=', p.email)
      .where('member_id', 'is', null)
      .where('purchased', '=', 1)
      .limit(1),
  ),
})
