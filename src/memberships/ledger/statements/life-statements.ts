import { type Kysely, sql } from 'kysely'
import { inAccount, type Storage, sameAccount, type Tables } from '../../../core/storage/index.ts'

/** Free days of a subscription that another account paid for, and their end. */
export interface FreeDays {
  readonly provider: string
  readonly account: string
  readonly id: string
  readonly opens_at: string | null
}

interface Pair {
  kept: string
  merged: string
}

/** Statements about customers and subscriptions in the life of an account. */
export function ledgerLifeStatements(storage: Storage) {
  return {
    customers: storage.prepare<{ member_id: string }>('customers-erase', (db, p) =>
      db
        .updateTable('customers')
        .set({ email: null, name: null, place: null, revision: sql<number>`revision + 1` })
        .where('member_id', '=', p.member_id),
    ),
    move: storage.prepare<Pair>('customers-merge', (db, p) =>
      db
        .updateTable('customers')
        .set({ member_id: p.kept, moved_from: p.merged, revision: sql<number>`revision + 1` })
        .where('member_id', '=', p.merged),
    ),
    moveBack: storage.prepare<Pair>('customers-unmerge', (db, p) =>
      db
        .updateTable('customers')
        .set({ member_id: p.merged, moved_from: null, revision: sql<number>`revision + 1` })
        .where('member_id', '=', p.kept)
        .where('moved_from', '=', p.merged),
    ),
    /** The homes of a member's customers, as far as a law asks. */
    places: storage.prepare<
      { member_id: string },
      { provider: string; account: string; customer_id: string; place: string | null }
    >('customers-places', (db, p) =>
      db
        .selectFrom('customers')
        .select(['provider', 'account', 'customer_id', 'place'])
        .where('member_id', '=', p.member_id),
    ),
    /** Closes free days that another account paid for, until they end. */
    closeFreeDays: storage.prepare<FreeDays>('subscription-opens-at', (db, p) =>
      db
        .updateTable('subscriptions')
        .set({ opens_at: p.opens_at })
        .where(inAccount(p))
        .where('id', '=', p.id),
    ),
    /** Lists the customers that return to a merged account. */
    goingBack: storage.prepare<Pair, { provider: string; account: string; customer_id: string }>(
      'merge-going-back',
      (db, p) =>
        db
          .selectFrom('customers')
          .select(['provider', 'account', 'customer_id'])
          .where('member_id', '=', p.kept)
          .where('moved_from', '=', p.merged),
    ),
  }
}

/** The payment of a gift, where a customer made it that goes back. */
export function boughtWith(db: Kysely<Tables>, { kept, merged }: Pair) {
  return db
    .selectFrom('payments as y')
    .innerJoin('customers as c', (join) =>
      sameAccount(join, 'c', 'y').onRef('c.customer_id', '=', 'y.owner_id'),
    )
    .select(sql.lit(1).as('paid'))
    .where(
      sql<boolean>`y.provider = gifts.provider and y.account = gifts.account and y.id = gifts.payment_id`,
    )
    .where(({ eb, or, and }) =>
      or([
        eb('c.member_id', '=', merged),
        and([eb('c.member_id', '=', kept), eb('c.moved_from', '=', merged)]),
      ]),
    )
}
