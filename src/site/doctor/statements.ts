import { sql } from 'kysely'
import type { Storage } from '../../core/storage/index.ts'
import { unnamedGatesSpace } from '../../memberships/members/index.ts'

/** A read-only storage. */
export type Readable = Pick<Storage, 'read' | 'dialect'>

/** Number of rows to read where no index leads to the few that matter. */
export const looked = 20_000
/** Number of received events to read, newest first. */
export const newest = 5000
/** Most rows of one kind that a finding names. */
export const named = 1000

const stuck = sql<boolean>`status in ('failed', 'dead', 'held')`

/** Queries of the doctor. Each follows an index, or stops after a fixed number of rows. */
export const doctorQueries = {
  /** Gifts that wait for their code to be redeemed. */
  unredeemedGifts: ({ read }: Readable) =>
    read((db) =>
      db
        .selectFrom('gifts')
        .select(['id', 'code_hash'])
        .where('status', '=', 'ready')
        .where('code_hash', 'is not', null)
        .limit(looked),
    ),
  /** The encrypted second factors of operators. */
  sealedFactors: ({ read }: Readable) =>
    read((db) => db.selectFrom('operators').select('secret').where('secret', 'is not', null).limit(looked)),
  /** Addresses of private feeds. */
  feedSeeds: ({ read }: Readable) =>
    read((db) => db.selectFrom('feeds').select(['seed', 'token_hash']).limit(looked)),
  /** Marks by which earlier trials are recognised. */
  trialMarks: ({ read }: Readable) => read((db) => db.selectFrom('trials').select('mark').limit(1)),
  newestEvents: ({ read }: Readable) =>
    read((db) =>
      db
        .selectFrom('events')
        .select(['provider', 'account', 'status', 'received_at', 'occurred_at'])
        .orderBy('seq', 'desc')
        .limit(newest),
    ),
  /** Current troubles, as the running site noticed them. */
  troubles: ({ read }: Readable) =>
    read((db) =>
      db
        .selectFrom('troubles')
        .select(['provider', 'account', 'kind', 'message', 'action', 'since'])
        .orderBy('since'),
    ),
  /** Deliveries of each account, as the running site noted them. */
  deliveries: ({ read }: Readable) =>
    read((db) => db.selectFrom('documents').select('value').where('space', '=', 'deliveries').orderBy('key')),
  /** Gates that pages asked for and that nothing named. */
  unnamedGates: ({ read }: Readable) =>
    read((db) => db.selectFrom('documents').select('value').where('space', '=', unnamedGatesSpace)),
  stuckEvents: ({ read }: Readable) =>
    read((db) =>
      db
        .selectFrom('events')
        .select(['provider', 'status', sql<number>`count(*)`.as('count'), sql<number>`max(seq)`.as('newest')])
        .where(stuck)
        .groupBy(['provider', 'status']),
    ),
  reasonOf: ({ read }: Readable, seq: number) =>
    read((db) => db.selectFrom('events').select(['reason', 'type']).where('seq', '=', seq)),
  /** Members whose changes could not be turned into hooks and mails. */
  unnotified: ({ read }: Readable) =>
    read((db) =>
      db
        .selectFrom('notify_queue')
        .select(['provider', 'owner_id', 'error'])
        .where('error', 'is not', null)
        .limit(named),
    ),
  /** Messages that were given up. */
  givenUp: ({ read }: Readable) =>
    read((db) =>
      db
        .selectFrom('outbox')
        .select(['seq', 'kind', 'error'])
        .where('status', '=', sql.lit('dead'))
        .orderBy('seq')
        .limit(named),
    ),
  contestedSubscriptions: ({ read }: Readable) =>
    read((db) =>
      db
        .selectFrom('subscriptions')
        .select(['provider', 'id'])
        .where('contested', '=', sql.lit(1))
        .orderBy('at')
        .limit(named),
    ),
  contestedFacts: ({ read }: Readable) =>
    read((db) =>
      db
        .selectFrom('facts')
        .select(['provider', 'kind', 'id'])
        .where('contested', '=', sql.lit(1))
        .orderBy('at')
        .limit(named),
    ),
  /** Subscriptions of which only the first items are known. */
  cutSubscriptions: ({ read }: Readable) =>
    read((db) =>
      db
        .selectFrom('subscriptions')
        .select(['provider', 'id'])
        .where('items', 'is not', null)
        // The row itself ends the text this way; no metadata of an item can.
        .where('items', 'like', '%],"whole":null}')
        .orderBy('provider')
        .orderBy('id')
        .limit(named),
    ),
  /**
   * Cancelled subscriptions of these providers, newest first, except those that this site ended immediately.
   */
  canceledThere: ({ read }: Readable, providers: readonly string[]) =>
    read((db) =>
      db
        .selectFrom(
          db
            .selectFrom('subscriptions')
            .select(['provider', 'account', 'id', 'owner_id', 'status', 'opens_at', 'data', 'at'])
            .where('provider', 'in', [...providers])
            .orderBy('provider')
            .orderBy('account')
            .orderBy('id')
            .limit(looked)
            .as('some'),
        )
        .select(['provider', 'account', 'id', 'owner_id', 'data'])
        .where('status', '=', 'canceled')
        .where('opens_at', 'is', null)
        .orderBy('at', 'desc')
        .limit(named),
    ),
  paymentsOf: (
    { read }: Readable,
    { provider, account, owner_id, id }: Record<'provider' | 'account' | 'owner_id' | 'id', string>,
  ) =>
    read((db) =>
      db
        .selectFrom('payments')
        .select('data')
        .where('provider', '=', provider)
        .where('account', '=', account)
        .where('owner_id', '=', owner_id)
        .where('subscription_id', '=', id)
        .where('status', '!=', 'waiting'),
    ),
  /** Payments whose price is unknown. */
  unpricedPayments: ({ read }: Readable) =>
    read((db) =>
      db
        .selectFrom(
          db
            .selectFrom('payments')
            .select(['provider', 'account', 'id', 'price_id', 'subscription_id', 'status'])
            .orderBy('provider')
            .orderBy('account')
            .orderBy('id')
            .limit(looked)
            .as('some'),
        )
        .select(['provider', 'id'])
        .where('price_id', 'is', null)
        .where('subscription_id', 'is', null)
        .where('status', '=', 'paid')
        .limit(named),
    ),
  /** Payments whose purpose has been unknown for so long that somebody must decide it. */
  unassignedPayments: (
    { read }: Readable,
    { before, settled }: { before: string; settled: ReadonlySet<string> },
  ) =>
    read((db) =>
      db
        .selectFrom('payments')
        .select(['provider', 'id'])
        .where('unknown_since', 'is not', null)
        .where('unknown_since', '<=', before)
        .$if(settled.size > 0, (query) => query.where('provider', 'not in', [...settled]))
        .orderBy('unknown_since')
        .limit(named),
    ),
  waitingCustomers: ({ read }: Readable) =>
    read((db) =>
      db
        .selectFrom('customers')
        .select(['provider', 'customer_id', 'email'])
        .where('member_id', 'is', null)
        .where('purchased', '=', 1)
        .where('deleted', '=', 0)
        .orderBy('email')
        .limit(named),
    ),
  /** Owners with more than one subscription, past ones included. */
  busyOwners: ({ read }: Readable) =>
    read((db) =>
      db
        .selectFrom('subscriptions')
        .select(['provider', 'account', 'owner_id'])
        .groupBy(['provider', 'account', 'owner_id'])
        .having(sql<boolean>`count(*) > 1`)
        .limit(named),
    ),
  /** Members with more than one customer, at one provider or several. */
  busyMembers: ({ read }: Readable) =>
    read((db) =>
      db
        .selectFrom('customers')
        .select('member_id')
        .where('member_id', 'is not', null)
        .groupBy('member_id')
        .having(sql<boolean>`count(*) > 1`)
        .limit(named),
    ),
  customersOf: ({ read }: Readable, members: readonly string[]) =>
    read((db) =>
      db
        .selectFrom('customers')
        .select(['provider', 'account', 'customer_id', 'member_id', 'guest', 'deleted'])
        .where('member_id', 'in', members),
    ),
  memberOf: ({ read }: Readable, key: { provider: string; account: string; owner_id: string }) =>
    read((db) =>
      db
        .selectFrom('customers')
        .select('member_id')
        .where('provider', '=', key.provider)
        .where('account', '=', key.account)
        .where('customer_id', '=', key.owner_id),
    ),
  subscriptionsOf: ({ read }: Readable, key: { provider: string; account: string; owner_id: string }) =>
    read((db) =>
      db
        .selectFrom('subscriptions')
        .select(['provider', 'id', 'status', 'price_id'])
        .where('provider', '=', key.provider)
        .where('account', '=', key.account)
        .where('owner_id', '=', key.owner_id),
    ),
  /** Checkouts that began here since then, within the number of rows that are read. */
  intentsSince: ({ read }: Readable, since: string) =>
    read((db) =>
      db
        .selectFrom(
          db
            .selectFrom('intents')
            .select(['id', 'provider', 'status', 'checkout_id', 'created_at'])
            .orderBy('id')
            .limit(looked)
            .as('some'),
        )
        .select(['id', 'provider', 'status', 'checkout_id', 'created_at'])
        .where('created_at', '>=', since),
    ),
  failingFetches: ({ read }: Readable) =>
    read((db) =>
      db
        .selectFrom(
          db
            .selectFrom('fetches')
            .select(['provider', 'kind', 'id', 'attempts', 'error'])
            .orderBy('due_at')
            .limit(looked)
            .as('some'),
        )
        .select(['provider', 'kind', 'id', 'attempts', 'error'])
        .where('attempts', '>=', 3)
        .where('error', 'is not', null)
        .limit(named),
    ),
}
