import type { Storage } from '../storage/index.ts'

export interface Intent {
  id: string
  provider: string
  mode: string
  plan: string
  price_id: string
  quantity: number
  member_id: string | null
  checkout_id: string | null
  checkout_url: string | null
  redirect: string
  browser: string | null
  status: string
  created_at: string
  expires_at: string
  settled_at: string | null
}

const columns = [
  'id',
  'provider',
  'mode',
  'plan',
  'price_id',
  'quantity',
  'member_id',
  'checkout_id',
  'checkout_url',
  'redirect',
  'browser',
  'status',
  'created_at',
  'expires_at',
  'settled_at',
] as const

export const intentStatements = (storage: Storage) => ({
  find: storage.prepare<{ id: string }, Intent>('intent-whole', (db, p) =>
    db.selectFrom('intents').select(columns).where('id', '=', p.id),
  ),
  insert: storage.prepareMany<Intent>('6-intent-insert', { all: columns, key: ['id'] }, (db, rows) =>
    db.insertInto('intents').values(rows),
  ),
  opened: storage.prepare<{ id: string; checkout_id: string; checkout_url: string | null }>(
    '6-intent-opened',
    (db, p) =>
      db
        .updateTable('intents')
        .set({ checkout_id: p.checkout_id, checkout_url: p.checkout_url })
        .where('id', '=', p.id),
  ),
  /** Whose account an intent's purchase created: the only case in which a return page may log somebody in. */
  createdBy: storage.prepare<{ id: string; member: string }, { id: string }>('member-created-by', (db, p) =>
    db.selectFrom('members').select('id').where('id', '=', p.member).where('created_by', '=', p.id),
  ),
})
