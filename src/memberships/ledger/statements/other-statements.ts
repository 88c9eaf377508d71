import { sql } from 'kysely'
import { inAccount, type Storage } from '../../../core/storage/index.ts'
import { subscriptionData, subscriptionKey } from './facts.ts'
import type { Key, OtherPerson, OtherSubscriptionRow } from './rows.ts'
import { versioned } from './versioned.ts'

const personKey = ['provider', 'account', 'role', 'id'] as const

/** Statements for subscriptions that this site did not sell, and for payments that wait to be known. */
export function otherStatements(storage: Storage) {
  const others = versioned<OtherSubscriptionRow, (typeof subscriptionKey)[number]>(storage, {
    name: 'other-subscription',
    table: 'other_subscriptions',
    key: subscriptionKey,
    columns: [...subscriptionKey, ...subscriptionData, 'seen', 'revision'],
    updated: [...subscriptionData, 'seen'],
  })
  return {
    otherSubscription: others.find,
    otherInsert: others.insert,
    otherUpdate: others.update,
    otherDelete: others.remove,
    /** Changes a row if this subscription waits, or is another shop's. */
    otherStands: storage.prepare<Key & { id: string }>('other-subscription-stands', (db, p) =>
      db
        .updateTable('other_subscriptions')
        .set((eb) => ({ revision: eb.ref('revision') }))
        .where(inAccount(p))
        .where('id', '=', p.id),
    ),
    /** Writes what is kept of an object of another shop. The name sorts behind the steps that write the object. */
    factForget: storage.prepare<Key & { kind: string; id: string; data: string; tied: string | null }>(
      'fact-without-person',
      (db, p) =>
        db
          .updateTable('facts')
          .set({ data: p.data, tied: p.tied })
          .where(inAccount(p))
          .where('kind', '=', p.kind)
          .where('id', '=', p.id),
    ),
    /** Changes a row if this subscription is one of this site. */
    ownStands: storage.prepare<Key & { id: string }>('own-subscription-stands', (db, p) =>
      db
        .updateTable('subscriptions')
        .set((eb) => ({ revision: eb.ref('revision') }))
        .where(inAccount(p))
        .where('id', '=', p.id),
    ),
    /**
     * Changes a row if this subscription of this site is as it was read. Whoever writes it meanwhile starts again, and so
     * sees what is written with this.
     */
    ownAsRead: storage.prepare<Key & { id: string; revision: number }>('own-subscription-as-read', (db, p) =>
      db
        .updateTable('subscriptions')
        .set((eb) => ({ revision: eb('revision', '+', 1) }))
        .where(inAccount(p))
        .where('id', '=', p.id)
        .where('revision', '=', p.revision),
    ),
    /** Notes that a person is named who bought nothing here as far as that is known. The earlier look stays. */
    personNoted: storage.prepareMany<OtherPerson>(
      'other-person-noted',
      { all: ['provider', 'account', 'role', 'id', 'since', 'due_at'], key: personKey },
      (db, rows) =>
        db
          .insertInto('other_people')
          .values(rows)
          .onConflict((c) =>
            c.columns(personKey).doUpdateSet({
              due_at: sql<string>`case when other_people.due_at < excluded.due_at then other_people.due_at else excluded.due_at end`,
            }),
          ),
    ),
    /**
     * Moves the look at a customer forward, where one is noted. It locks the note also where that is due
     * already, so that a look meanwhile sees what is written with it.
     */
    personDue: storage.prepare<Key & { id: string; due_at: string }>('other-person-due', (db, p) =>
      db
        .updateTable('other_people')
        .set({
          due_at: sql<string>`case when other_people.due_at < ${p.due_at} then other_people.due_at else ${p.due_at} end`,
        })
        .where(inAccount(p))
        .where('role', '=', sql.lit('customer'))
        .where('id', '=', p.id),
    ),
    /** Lists the people of a provider at whom to look now. */
    peopleDue: storage.prepare<{ provider: string; now: string; limit: number }, OtherPerson>(
      'other-people-due',
      (db, p) =>
        db
          .selectFrom('other_people')
          .select(['provider', 'account', 'role', 'id', 'since', 'due_at'])
          .where('provider', '=', p.provider)
          .where('due_at', '<=', p.now)
          .orderBy('due_at')
          .limit(p.limit),
    ),
    /** Looks later, unless it is due at another moment meanwhile. */
    personLater: storage.prepare<OtherPerson & { later: string }>('other-person-later', (db, p) =>
      db
        .updateTable('other_people')
        .set({ due_at: p.later })
        .where(inAccount(p))
        .where('role', '=', p.role)
        .where('id', '=', p.id)
        .where('due_at', '=', p.due_at),
    ),
    personDone: storage.prepare<OtherPerson>('other-person-done', (db, p) =>
      db
        .deleteFrom('other_people')
        .where(inAccount(p))
        .where('role', '=', p.role)
        .where('id', '=', p.id)
        .where('due_at', '=', p.due_at),
    ),
    /** Lists named customers after a place who bought nothing here. */
    unsoldCustomers: storage.prepare<Key & { id: string; limit: number }, Key & { id: string }>(
      'unsold-customers',
      (db, p) =>
        db
          .selectFrom('customers')
          .select(['provider', 'account', 'customer_id as id'])
          .where('provider', '=', p.provider)
          .where(({ eb, refTuple, tuple }) =>
            eb(refTuple('account', 'customer_id'), '>', tuple(p.account, p.id)),
          )
          .where('purchased', '=', sql.lit(0))
          .where('member_id', 'is', null)
          .where((eb) => eb.or([eb('email', 'is not', null), eb('name', 'is not', null)]))
          .orderBy('account')
          .orderBy('customer_id')
          .limit(p.limit),
    ),
    /** Lists a customer's subscriptions that are not this site's, as far as that is known. */
    otherIdsOf: storage.prepare<Key & { owner_id: string }, { id: string }>(
      'other-subscriptions-of',
      (db, p) =>
        db
          .selectFrom('other_subscriptions')
          .select('id')
          .where(inAccount(p))
          .where('owner_id', '=', p.owner_id),
    ),
    /** Finds a subscription that a customer has at another shop. */
    subscribedElsewhere: storage.prepare<Key & { owner_id: string }, { id: string }>(
      'subscribed-elsewhere',
      (db, p) =>
        db
          .selectFrom('other_subscriptions')
          .select('id')
          .where(inAccount(p))
          .where('owner_id', '=', p.owner_id)
          .limit(1),
    ),
    /** Lists a customer's subscriptions that are this site's. */
    subscribedHere: storage.prepare<Key & { owner_id: string }, { id: string }>('subscribed-here', (db, p) =>
      db.selectFrom('subscriptions').select('id').where(inAccount(p)).where('owner_id', '=', p.owner_id),
    ),
    /** Lists a customer's payments; `waiting`: of another shop, or not known yet. */
    statusesAt: storage.prepare<
      Key & { owner_id: string },
      { id: string; status: string; subscription_id: string | null }
    >('payment-statuses-at', (db, p) =>
      db
        .selectFrom('payments')
        .select(['id', 'status', 'subscription_id'])
        .where(inAccount(p))
        .where('owner_id', '=', p.owner_id),
    ),
    /** Lists the payments of a subscription that are not accepted. */
    waitingOf: storage.prepare<Key & { subscription_id: string }, { id: string }>(
      'waiting-payments-of',
      (db, p) =>
        db
          .selectFrom('payments')
          .select('id')
          .where(inAccount(p))
          .where('subscription_id', '=', p.subscription_id)
          .where('status', '=', sql.lit('waiting')),
    ),
    /** Lists the accepted payments of a subscription, by its customer. */
    acceptedOf: storage.prepare<Key & { owner_id: string; subscription_id: string }, { id: string }>(
      'accepted-payments-of',
      (db, p) =>
        db
          .selectFrom('payments')
          .select('id')
          .where(inAccount(p))
          .where('owner_id', '=', p.owner_id)
          .where('subscription_id', '=', p.subscription_id)
          .where('status', '!=', sql.lit('waiting')),
    ),
    /** Lists other subscriptions after a place, in the order of their key. */
    others: storage.prepare<
      Key & { id: string; limit: number },
      Pick<OtherSubscriptionRow, 'provider' | 'account' | 'id' | 'seen' | 'data' | 'begun_at' | 'at'> & {
        is_own: number
      }
    >(
      'other-subscriptions',
      (db, p) =>
        db
          .selectFrom('other_subscriptions as o')
          .select(['o.provider', 'o.account', 'o.id', 'o.seen', 'o.data', 'o.begun_at', 'o.at'])
          .select((eb) =>
            eb
              .selectFrom('subscriptions as s')
              .select(({ fn }) => fn.countAll<number>().as('n'))
              .whereRef('s.provider', '=', 'o.provider')
              .whereRef('s.account', '=', 'o.account')
              .whereRef('s.id', '=', 'o.id')
              .as('is_own'),
          )
          .where(({ eb, refTuple, tuple }) =>
            eb(refTuple('o.provider', 'o.account', 'o.id'), '>', tuple(p.provider, p.account, p.id)),
          )
          .orderBy('o.provider')
          .orderBy('o.account')
          .orderBy('o.id')
          .limit(p.limit) as never,
    ),
    /** Lists waiting payments after a place, in the order of their index. */
    waiting: storage.prepare<
      Key & { id: string; limit: number },
      { provider: string; account: string; id: string; subscription_id: string | null; is_own: number }
    >(
      'waiting-payments',
      (db, p) =>
        db
          .selectFrom('payments as y')
          .select(['y.provider', 'y.account', 'y.id', 'y.subscription_id'])
          .select((eb) =>
            eb
              .selectFrom('subscriptions as s')
              .select(({ fn }) => fn.countAll<number>().as('n'))
              .whereRef('s.provider', '=', 'y.provider')
              .whereRef('s.account', '=', 'y.account')
              .whereRef('s.id', '=', 'y.subscription_id')
              .as('is_own'),
          )
          .where('y.status', '=', sql.lit('waiting'))
          .where(({ eb, refTuple, tuple }) =>
            eb(refTuple('y.provider', 'y.account', 'y.id'), '>', tuple(p.provider, p.account, p.id)),
          )
          .orderBy('y.provider')
          .orderBy('y.account')
          .orderBy('y.id')
          .limit(p.limit) as never,
    ),
  }
}
