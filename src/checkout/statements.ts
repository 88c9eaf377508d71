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
  /** The member, when a purchase made the account after the intent began: it can only have been this one. */
  madeSince: storage.prepare<{ member: string; begun: string }, { id: string }>(
    'member-made-since',
    (db, p) =>
      db
        .selectFrom('members')
        .select('id')
        .where('id', '=', p.member)
        .where('created_by', 'is not', null)
        .where('created_at', '>=', p.begun),
  ),
})
