import { sql } from 'kysely'
import type { Storage } from '../../core/storage/index.ts'
import { forMember } from '../members/index.ts'

/** A buyer's consent: the texts, the moment, the price and the address, and nothing else of the person. */
interface ConsentProof {
  id: string
  member_id: string | null
  email: string | null
  provider: string
  plan: string
  price_id: string
  quantity: number
  /** JSON, as the order page showed it; null where the site recorded no text. */
  consent: string | null
  agreed_at: string
  /** Null while the contract runs. */
  keep_until: string | null
}

interface Order extends Omit<ConsentProof, 'keep_until' | 'email'> {
  expires_at: string
}

const columns = [
  ...(['id', 'member_id', 'email', 'provider', 'plan', 'price_id', 'quantity', 'consent'] as const),
  ...(['agreed_at', 'keep_until'] as const),
] as const

const pageSize = 200

/** Statements about proofs of consent. */
export function proofStatements(storage: Storage) {
  return {
    orders: storage.prepare<{ member_id: string }, Order>('proof-orders', (db, p) =>
      db
        .selectFrom('intents')
        .select(['id', 'member_id', 'provider', 'plan', 'price_id', 'quantity', 'consent', 'expires_at'])
        .select(sql<string>`coalesce(settled_at, created_at)`.as('agreed_at'))
        .where('member_id', '=', p.member_id)
        .where('status', '=', sql.lit('complete'))
        .where('mode', '=', sql.lit('subscription')),
    ),
    oldOrders: storage.prepare<
      { before: string; expires_at: string; id: string },
      Order & Pick<ConsentProof, 'email'>
    >('proof-old-orders', (db, p) =>
      db
        .selectFrom('intents as i')
        .innerJoin('members as m', 'm.id', 'i.member_id')
        .select(['i.id', 'i.member_id', 'i.provider', 'i.plan', 'i.price_id', 'i.quantity', 'i.consent'])
        .select([
          'i.expires_at',
          'm.email',
          sql<string>`coalesce(i.settled_at, i.created_at)`.as('agreed_at'),
        ])
        .where('i.status', '=', sql.lit('complete'))
        .where('i.mode', '=', sql.lit('subscription'))
        .where('i.expires_at', '<', p.before)
        .where((eb) => eb(eb.refTuple('i.expires_at', 'i.id'), '>', eb.tuple(p.expires_at, p.id)))
        .orderBy('i.expires_at')
        .orderBy('i.id')
        .limit(sql.lit(pageSize)),
    ),
    insert: forMember(
      storage.prepareMany<ConsentProof>('proof-insert', { all: columns, key: ['id'] }, (db, rows) =>
        db
          .insertInto('consent_proofs')
          .values(rows)
          .onConflict((c) => c.doNothing()),
      ),
    ),
    ofMember: storage.prepare<{ member_id: string }, Omit<ConsentProof, 'member_id'>>('proofs-of', (db, p) =>
      db
        .selectFrom('consent_proofs')
        .select(columns)
        .where('member_id', '=', p.member_id)
        .orderBy('agreed_at')
        .orderBy('id'),
    ),
    /** Lists proofs whose member has no running subscription at that provider, with the end of the last one. */
    ended: storage.prepare<
      { after: string },
      { id: string; member_id: string | null; agreed_at: string; over_at: string | null }
    >('proofs-ended', (db, p) => {
      const own = () =>
        db
          .selectFrom('customers as c')
          .innerJoin('subscriptions as s', (join) =>
            join
              .onRef('s.provider', '=', 'c.provider')
              .onRef('s.account', '=', 'c.account')
              .onRef('s.owner_id', '=', 'c.customer_id'),
          )
          .whereRef('c.member_id', '=', 'p.member_id' as never)
          .whereRef('c.provider', '=', 'p.provider' as never)
      return db
        .selectFrom('consent_proofs as p')
        .select(['p.id', 'p.member_id', 'p.agreed_at'])
        .select(own().select(sql<string | null>`max(s.over_at)`.as('over')).as('over_at'))
        .where('p.keep_until', 'is', null)
        .where('p.id', '>', p.after)
        .where(({ not, exists }) =>
          not(
            exists(own().select('s.id').where('s.status', 'not in', ['canceled', 'expired', 'incomplete'])),
          ),
        )
        .orderBy('p.id')
        .limit(sql.lit(pageSize))
    }),
    end: storage.prepare<Pick<ConsentProof, 'id' | 'keep_until'>>('proof-end', (db, p) =>
      db.updateTable('consent_proofs').set({ keep_until: p.keep_until }).where('id', '=', p.id),
    ),
    /** Keeps a proof without the account, which leaves. */
    leave: storage.prepare<Pick<ConsentProof, 'id' | 'keep_until'>>('proof-leave', (db, p) =>
      db
        .updateTable('consent_proofs')
        .set({ member_id: null, keep_until: p.keep_until })
        .where('id', '=', p.id),
    ),
    move: storage.prepare<{ kept: string; merged: string }>('proofs-merge', (db, p) =>
      db
        .updateTable('consent_proofs')
        .set({ member_id: p.kept, moved_from: p.merged })
        .where('member_id', '=', p.merged),
    ),
    moveBack: storage.prepare<{ kept: string; merged: string }>('proofs-unmerge', (db, p) =>
      db
        .updateTable('consent_proofs')
        .set({ member_id: p.merged, moved_from: null })
        .where('member_id', '=', p.kept)
        .where('moved_from', '=', p.merged),
    ),
  }
}
