import { sql } from 'kysely'
import { inAccount, type Storage, sameAccount } from '../../../core/storage/index.ts'

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

interface Owner extends Key {
  customer_id: string
  guest: number
}

/** Statements that empty the records of a member's purchases. The financial record keeps its ids and amounts. */
export function eraseStatements(storage: Storage) {
  return {
    owners: storage.prepare<{ member_id: string }, Owner>('erase-owners', (db, p) =>
      db
        .selectFrom('customers')
        .select(['provider', 'account', 'customer_id', 'guest'])
        .where('member_id', '=', p.member_id),
    ),
    /** Customers with this address that have no member. */
    ownersOfAddress: storage.prepare<{ email: string }, Owner>('erase-owners-of-address', (db, p) =>
      db
        .selectFrom('customers')
        .select(['provider', 'account', 'customer_id', 'guest'])
        .where('email', '=', p.email)
        .where('member_id', 'is', null),
    ),
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
    factWrite: storage.prepare<Named & { kind: string }>('fact-erase', (db, p) =>
      db
        .updateTable('facts')
        .set({ data: p.data, tied: p.tied, revision: sql<number>`revision + 1` })
        .where(inAccount(p))
        .where('kind', '=', p.kind)
        .where('id', '=', p.id)
        .where('revision', '=', p.revision),
    ),
    paymentWrite: storage.prepare<Omit<Named, 'tied'>>('payment-erase', (db, p) =>
      db
        .updateTable('payments')
        .set({ data: p.data, buyer: null, revision: sql<number>`revision + 1` })
        .where(inAccount(p))
        .where('id', '=', p.id)
        .where('revision', '=', p.revision),
    ),
    subscriptionWrite: storage.prepare<Named>('subscription-erase', (db, p) =>
      db
        .updateTable('subscriptions')
        .set({ data: p.data, tied: p.tied, revision: sql<number>`revision + 1` })
        .where(inAccount(p))
        .where('id', '=', p.id)
        .where('revision', '=', p.revision),
    ),
    /** Links customers with this address that never bought anything and have no member. */
    adopt: storage.prepare<{ member_id: string; email: string }>('customers-adopt', (db, p) =>
      db
        .updateTable('customers')
        .set({ member_id: p.member_id, revision: sql<number>`revision + 1` })
        .where('email', '=', p.email)
        .where('member_id', 'is', null),
    ),
  }
}
