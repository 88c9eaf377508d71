import { sql } from 'kysely'
import { inAccount, type Storage } from '../../../core/storage/index.ts'
import { subscriptionData, subscriptionKey } from './facts.ts'
import type { Key, OtherSubscriptionRow } from './rows.ts'
import { versioned } from './versioned.ts'

/** Statements for subscriptions that this site did not sell, and for payments that wait to be known. */
export const otherStatements = (storage: Storage) => {
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
    factForget: storage.prepare<Key & { kind: string; id: string; data: string }>(
      'fact-without-person',
      (db, p) =>
        db
          .updateTable('facts')
          .set({ data: p.data })
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
    statusesAt: storage.prepare<Key & { owner_id: string }, { id: string; status: string }>(
      'payment-statuses-at',
      (db, p) =>
        db
          .selectFrom('payments')
          .select(['id', 'status'])
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
