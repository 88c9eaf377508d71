import { sql } from 'kysely'
import { inAccount, type Storage, sameAccount } from '../../core/storage/index.ts'

interface Key {
  provider: string
  account: string
}
/** The parts of a stored snapshot that may name a person. */
export interface Named extends Key {
  id: string
  data: string
  tied: string | null
  revision: number
}
/** A payment, which also names its buyer. */
export interface NamedPayment extends Omit<Named, 'tied'> {
  buyer: string | null
}

/** A place in the list of events with a body. */
export interface Place {
  received_at: string
  seq: number
}
/** An event with its body. */
export interface StoredBody extends Key, Place {
  object_id: string | null
  body: Buffer
}

/** Statements that empty each table of a member's data. The financial record keeps its ids and amounts. */
export const eraseStatements = (storage: Storage) => ({
  checkouts: storage.prepare<{ member_id: string }, { provider: string; checkout_id: string }>(
    'erase-checkouts',
    (db, p) =>
      db
        .selectFrom('intents')
        .select(['provider', 'checkout_id'])
        .where('member_id', '=', p.member_id)
        .where('checkout_id', 'is not', null)
        .$narrowType<{ checkout_id: string }>(),
  ),
  subscriptions: storage.prepare<Key & { owner_id: string }, Named>('erase-subscriptions', (db, p) =>
    db
      .selectFrom('subscriptions')
      .select(['provider', 'account', 'id', 'data', 'tied', 'revision'])
      .where(inAccount(p))
      .where('owner_id', '=', p.owner_id),
  ),
  payments: storage.prepare<Key & { owner_id: string }, NamedPayment>('erase-payments', (db, p) =>
    db
      .selectFrom('payments')
      .select(['provider', 'account', 'id', 'data', 'buyer', 'revision'])
      .where(inAccount(p))
      .where('owner_id', '=', p.owner_id),
  ),
  /** Finds the payment of a checkout begun here, whoever is stored as its owner. */
  paymentOfRef: storage.prepare<Key & { ref: string }, NamedPayment>('erase-payment-of-ref', (db, p) =>
    db
      .selectFrom('payment_refs as r')
      .innerJoin('payments as y', (join) => sameAccount(join, 'y', 'r').onRef('y.id', '=', 'r.payment_id'))
      .select(['y.provider', 'y.account', 'y.id', 'y.data', 'y.buyer', 'y.revision'])
      .where('r.provider', '=', p.provider)
      .where('r.account', '=', p.account)
      .where('r.ref', '=', p.ref),
  ),
  factWrite: storage.prepare<Named & { kind: string }>({ lock: 'facts', name: 'fact-erase' }, (db, p) =>
    db
      .updateTable('facts')
      .set({ data: p.data, tied: p.tied, revision: sql<number>`revision + 1` })
      .where(inAccount(p))
      .where('kind', '=', p.kind)
      .where('id', '=', p.id)
      .where('revision', '=', p.revision),
  ),
  paymentWrite: storage.prepare<Omit<Named, 'tied'>>({ lock: 'payments', name: 'payment-erase' }, (db, p) =>
    db
      .updateTable('payments')
      .set({ data: p.data, buyer: null, revision: sql<number>`revision + 1` })
      .where(inAccount(p))
      .where('id', '=', p.id)
      .where('revision', '=', p.revision),
  ),
  subscriptionWrite: storage.prepare<Named>({ lock: 'subscriptions', name: 'subscription-erase' }, (db, p) =>
    db
      .updateTable('subscriptions')
      .set({ data: p.data, tied: p.tied, revision: sql<number>`revision + 1` })
      .where(inAccount(p))
      .where('id', '=', p.id)
      .where('revision', '=', p.revision),
  ),
  /** Failed events keep their bodies until they are applied, because the body may describe a payment. */
  bodyDrop: storage.prepare<{ seq: number }>({ lock: 'inbox', name: 'event-erase' }, (db, p) =>
    db
      .updateTable('events')
      .set({ body: null })
      .where('seq', '=', p.seq)
      .where('status', '!=', sql.lit('failed')),
  ),
  /** The next events that have a body, by the index of those alone: numbers without a row cost nothing. */
  bodies: storage.prepare<Place, StoredBody>('erase-bodies', (db, p) =>
    db
      .selectFrom('events')
      .select(['seq', 'provider', 'account', 'object_id', 'received_at', 'body'])
      .where('body', 'is not', null)
      .where('received_at', '>=', p.received_at)
      .where(({ eb, or }) => or([eb('received_at', '>', p.received_at), eb('seq', '>', p.seq)]))
      .where('status', '!=', sql.lit('failed'))
      .orderBy('received_at')
      .orderBy('seq')
      .limit(200)
      .$narrowType<{ body: Buffer }>(),
  ),
  /** Links customers with this address that never bought anything and have no member. */
  adopt: storage.prepare<{ member_id: string; email: string }>(
    { lock: 'customers', name: 'customers-adopt' },
    (db, p) =>
      db
        .updateTable('customers')
        .set({ member_id: p.member_id, revision: sql<number>`revision + 1` })
        .where('email', '=', p.email)
        .where('member_id', 'is', null),
  ),
  /** Links declarations of this address that have no member. */
  declarationsAdopt: storage.prepare<{ member_id: string; email: string }>(
    { lock: 'other', name: 'declarations-adopt' },
    (db, p) =>
      db
        .updateTable('declarations')
        .set({ member_id: p.member_id })
        .where('email', '=', p.email)
        .where('member_id', 'is', null),
  ),
  declarations: storage.prepare<{ member_id: string }, { id: string }>('erase-declarations-find', (db, p) =>
    db.selectFrom('declarations').select('id').where('member_id', '=', p.member_id),
  ),
  /** A mail that could not be delivered names its recipient until an operator handles it. */
  directMails: storage.prepare<Record<never, never>, { seq: number; payload: string }>(
    'erase-direct-mails',
    (db) =>
      db
        .selectFrom('outbox')
        .select(['seq', 'payload'])
        .where('kind', '=', 'direct-mail')
        .where('status', '=', 'dead'),
  ),
  directMail: storage.prepare<{ seq: number }>({ lock: 'other', name: 'direct-mail-erase' }, (db, p) =>
    db.deleteFrom('outbox').where('seq', '=', p.seq).where('status', '=', 'dead'),
  ),
  /** Deletes unsent messages about the member. */
  outbox: storage.prepare<{ lane: string }>({ lock: 'other', name: 'outbox-erase' }, (db, p) =>
    db.deleteFrom('outbox').where('lane', '=', p.lane),
  ),
})
export type EraseStatements = ReturnType<typeof eraseStatements>
