import { type Kysely, sql } from 'kysely'
import { inAccount, type Row, type Storage, sameAccount, type Tables } from '../../core/storage/index.ts'
import { isKey } from '../limits/statements.ts'
import type { MemberRow } from '../members/statements.ts'

/** A merge, kept until it can no longer be undone. */
export type MergeRow = Row<'merges'>

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

/** A key of the merged account, beside the copy of it that the kept account has. */
export interface KeyPair {
  readonly name: string
  readonly key: string
  readonly parts: string
  readonly taken_at: string
  readonly copy_taken_at: string
  readonly copy_held_until: string | null
  readonly copy_released_at: string | null
}

const columns = [
  'id',
  'kept_id',
  'merged_id',
  'at',
  'until',
  'filled',
  'released_email',
  'undone_at',
] as const satisfies readonly (keyof MergeRow)[]

/** The tables whose rows move, each with its number in the locking order. */
const moving = [
  ['2', 'customers'],
  ['6', 'intents'],
  ['8', 'grants'],
  ['9', 'limit_credits'],
  ['9', 'group_seats'],
] as const

/** Statements that read before a merge. */
export const pairStatements = (storage: Storage) => ({
  leaving: storage.prepare<{ member_id: string }, { member_id: string }>('merge-leaving', (db, p) =>
    db.selectFrom('deletions').select('member_id').where('member_id', '=', p.member_id),
  ),
  /** Changes of the address that its earlier owner can still undo. */
  takeable: storage.prepare<{ member_id: string; since: string }, { confirmed_at: string }>(
    'merge-takeable',
    (db, p) =>
      db
        .selectFrom('email_changes')
        .select('confirmed_at')
        .where('member_id', '=', p.member_id)
        .where('void_at', 'is', null)
        .where('confirmed_at', '>', p.since)
        .$narrowType<{ confirmed_at: string }>(),
  ),
  /** Undoable merges into this account, and of it. */
  open: storage.prepare<{ member_id: string; now: string }, MergeRow>('merges-open', (db, p) =>
    db
      .selectFrom('merges')
      .select(columns)
      .where(({ eb, or }) => or([eb('kept_id', '=', p.member_id), eb('merged_id', '=', p.member_id)]))
      .where('undone_at', 'is', null)
      .where('until', '>', p.now)
      .orderBy('at', 'desc'),
  ),
  holds: storage.prepare<{ member_id: string }, { customers: number; intents: number; grants: number }>(
    'merge-holds',
    (db, p) => {
      const count = (table: 'customers' | 'intents' | 'grants') =>
        db
          .selectFrom(table)
          .select(({ fn }) => fn.countAll<number>().as('n'))
          .where('member_id', '=', p.member_id)
      return db
        .selectFrom('members')
        .select([
          count('customers').as('customers'),
          count('intents').as('intents'),
          count('grants').as('grants'),
        ])
        .where('id', '=', p.member_id)
        .$castTo<{ customers: number; intents: number; grants: number }>()
    },
  ),
})

/** Statements that merge and separate accounts. Each writes only if the row is still as it was read. */
export const mergeStatements = (storage: Storage) => ({
  insert: storage.prepareMany<MergeRow>(
    { lock: 'other', name: 'merge-insert' },
    { all: columns, key: ['id'] },
    (db, rows) => db.insertInto('merges').values(rows),
  ),
  undo: storage.prepare<{ id: string; at: string }>({ lock: 'other', name: 'merge-undo' }, (db, p) =>
    db
      .updateTable('merges')
      .set({ undone_at: p.at, released_email: null })
      .where('id', '=', p.id)
      .where('undone_at', 'is', null)
      .where('until', '>', p.at),
  ),
  /** Closes the merged account to logins. An unproved address is released. */
  leave: storage.prepare<{ id: string; into: string; email: string | null; before: string }>(
    { lock: 'members', name: 'member-leave' },
    (db, p) =>
      db
        .updateTable('members')
        .set({ merged_into: p.into, email: p.email })
        .where('id', '=', p.id)
        .where('merged_into', 'is', null)
        .where('updated_at', '=', p.before),
  ),
  comeBack: storage.prepare<{ id: string; from: string; email: string | null }>(
    { lock: 'members', name: 'member-come-back' },
    (db, p) =>
      db
        .updateTable('members')
        .set({ merged_into: null, email: p.email })
        .where('id', '=', p.id)
        .where('merged_into', '=', p.from),
  ),
  /** Updates the kept account if it is not merged itself and its address is still proved. */
  keep: storage.prepare<
    Pick<MemberRow, 'id' | 'name' | 'language' | 'content' | 'updated_at'> & { before: string }
  >({ lock: 'members', name: 'member-keep' }, (db, p) =>
    db
      .updateTable('members')
      .set({ name: p.name, language: p.language, content: p.content, updated_at: p.updated_at })
      .where('id', '=', p.id)
      .where('merged_into', 'is', null)
      .where('updated_at', '=', p.before),
  ),
  /** Changes a row if the deletion of one of them has begun after all. */
  nobodyLeaves: storage.prepare<Pair>({ lock: 'fetches', name: 'merge-nobody-leaves' }, (db, p) =>
    db
      .updateTable('deletions')
      .set((eb) => ({ step: eb.ref('step') }))
      .where('member_id', 'in', [p.kept, p.merged]),
  ),
  move: moving.map(([place, table]) =>
    storage.prepare<Pair>(`${place}-${table}-merge`, (db, p) =>
      db
        .updateTable(table)
        .set({
          member_id: p.kept,
          moved_from: p.merged,
          ...(table === 'customers' ? { revision: sql<number>`revision + 1` } : {}),
        })
        .where('member_id', '=', p.merged),
    ),
  ),
  moveBack: moving.map(([place, table]) =>
    storage.prepare<Pair>(`${place}-${table}-unmerge`, (db, p) =>
      db
        .updateTable(table)
        .set({
          member_id: p.merged,
          moved_from: null,
          ...(table === 'customers' ? { revision: sql<number>`revision + 1` } : {}),
        })
        .where('member_id', '=', p.kept)
        .where('moved_from', '=', p.merged),
    ),
  ),
  /** What both used counts together, so that a merge gives nobody an allowance twice; what is not over counts. */
  addUsage: storage.prepare<Pair & { at: string }>({ lock: 'other', name: 'limit-usage-merge' }, (db, p) =>
    db
      .insertInto('limit_usage')
      .columns(['member_id', 'name', 'bucket', 'starts_at', 'ends_at', 'used', 'amount', 'at'])
      .expression((eb) =>
        eb
          .selectFrom('limit_usage as m')
          .select([
            sql<string>`cast(${p.kept} as text)`.as('member_id'),
            ...(['m.name', 'm.bucket', 'm.starts_at', 'm.ends_at', 'm.used', 'm.amount', 'm.at'] as const),
          ])
          .where('m.member_id', '=', p.merged)
          .where('m.ends_at', '>', p.at),
      )
      .onConflict((conflict) =>
        conflict.columns(['member_id', 'name', 'bucket']).doUpdateSet({
          used: sql<number>`case when limit_usage.ends_at <= ${p.at} then excluded.used else limit_usage.used + excluded.used end`,
          starts_at: sql<string>`case when limit_usage.ends_at <= ${p.at} then excluded.starts_at else limit_usage.starts_at end`,
          ends_at: sql<string>`case when limit_usage.ends_at <= ${p.at} or excluded.ends_at < limit_usage.ends_at then excluded.ends_at else limit_usage.ends_at end`,
        }),
      ),
  ),
  /** Keys of the merged account take nothing again. */
  addKeys: storage.prepare<Pair>({ lock: 'other', name: 'limit-keys-merge' }, (db, p) =>
    db
      .insertInto('limit_keys')
      .columns(['member_id', 'name', 'key', 'amount', 'parts', 'taken_at', 'held_until', 'released_at'])
      .expression((eb) =>
        eb
          .selectFrom('limit_keys as m')
          .select([
            sql<string>`cast(${p.kept} as text)`.as('member_id'),
            ...([
              'm.name',
              'm.key',
              'm.amount',
              'm.parts',
              'm.taken_at',
              'm.held_until',
              'm.released_at',
            ] as const),
          ])
          .where('m.member_id', '=', p.merged),
      )
      .onConflict((conflict) => conflict.columns(['member_id', 'name', 'key']).doNothing()),
  ),
  /** The merged account's holds go on at the kept one alone. */
  endHolds: storage.prepare<Pair>({ lock: 'other', name: 'limit-keys-merged' }, (db, p) =>
    db
      .updateTable('limit_keys')
      .set({ held_until: null })
      .where('member_id', '=', p.merged)
      .where('held_until', 'is not', null),
  ),
  /** What the kept account used of top-ups and credits that go back goes with them. */
  usageBack: storage.prepare<Pair>({ lock: 'other', name: 'limit-usage-unmerge' }, (db, p) =>
    db
      .insertInto('limit_usage')
      .columns(['member_id', 'name', 'bucket', 'starts_at', 'ends_at', 'used', 'amount', 'at'])
      .expression((eb) =>
        eb
          .selectFrom('limit_usage as m')
          .select([
            sql<string>`cast(${p.merged} as text)`.as('member_id'),
            ...(['m.name', 'm.bucket', 'm.starts_at', 'm.ends_at', 'm.used', 'm.amount', 'm.at'] as const),
          ])
          .where('m.member_id', '=', p.kept)
          .where('m.bucket', 'like', '%:%'),
      )
      .onConflict((conflict) =>
        conflict.columns(['member_id', 'name', 'bucket']).doUpdateSet({ used: sql<number>`excluded.used` }),
      ),
  ),
  /** Lists the merged account's keys that count, each with the kept account's copy. */
  keyPairs: storage.prepare<Pair, KeyPair>('limit-keys-of-both', (db, p) =>
    db
      .selectFrom('limit_keys as m')
      .innerJoin('limit_keys as k', (join) =>
        join.onRef('k.name', '=', 'm.name').onRef('k.key', '=', 'm.key'),
      )
      .select([
        ...(['m.name', 'm.key', 'm.parts', 'm.taken_at', 'k.taken_at as copy_taken_at'] as const),
        ...(['k.held_until as copy_held_until', 'k.released_at as copy_released_at'] as const),
      ])
      .where('m.member_id', '=', p.merged)
      .where('m.released_at', 'is', null)
      .where('k.member_id', '=', p.kept),
  ),
  /** Holds an amount again at the account that held it first. */
  holdBack: storage.prepare<{ member_id: string; name: string; key: string; held_until: string }>(
    { lock: 'other', name: 'limit-key-hold-back' },
    (db, p) =>
      db
        .updateTable('limit_keys')
        .set({ held_until: p.held_until })
        .where(isKey(p))
        .where('released_at', 'is', null),
  ),
  /** Gifts of both accounts are looked at soon, because the time of each depends on what else opens its plan. */
  giftsDue: storage.prepare<Pair & { at: string }>({ lock: 'other', name: 'gifts-due-merge' }, (db, p) =>
    db
      .updateTable('gifts')
      .set({ look_at: p.at, revision: sql<number>`revision + 1` })
      .where('status', '=', sql.lit('redeemed'))
      .where('member_id', 'in', [p.kept, p.merged]),
  ),
  /** Gifts that a returning customer paid for: an event of their payment may have named the kept account. */
  giftsBack: storage.prepare<Pair>('gifts-unmerge', (db, p) =>
    db
      .updateTable('gifts')
      .set({ buyer_id: p.merged, revision: sql<number>`revision + 1` })
      .where('buyer_id', '=', p.kept)
      .where(({ exists }) => exists(paidBy(db, p))),
  ),
  /** Months that a returning customer bought for itself within the merge. */
  ownGiftsBack: storage.prepare<Pair>('gifts-own-unmerge', (db, p) =>
    db
      .updateTable('gifts')
      .set({ member_id: p.merged, revision: sql<number>`revision + 1` })
      .where('member_id', '=', p.kept)
      .where('code_hash', 'is', null)
      .where(({ exists }) => exists(paidBy(db, p))),
  ),
  /** The time of those months: after the gifts themselves. */
  ownGrantsBack: storage.prepare<Pair>('grants-of-gifts-unmerge', (db, p) =>
    db
      .updateTable('grants')
      .set({ member_id: p.merged })
      .where('member_id', '=', p.kept)
      .where('id', 'in', (eb) =>
        eb
          .selectFrom('gifts')
          .select('gifts.grant_id')
          .where('gifts.member_id', '=', p.merged)
          .where('gifts.code_hash', 'is', null)
          .where('gifts.grant_id', 'is not', null),
      ),
  ),
  /** Closes free days that another account paid for, until they end. */
  closeFreeDays: storage.prepare<FreeDays>({ lock: 'facts', name: 'subscription-opens-at' }, (db, p) =>
    db.updateTable('subscriptions').set({ opens_at: p.opens_at }).where(inAccount(p)).where('id', '=', p.id),
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
  /** Ends the merges of a deleted member: they cannot be undone, and no address is kept for it. */
  erase: storage.prepare<{ member_id: string }>({ lock: 'other', name: 'merges-erase' }, (db, p) =>
    db
      .updateTable('merges')
      .set({ released_email: null, filled: sql.lit('[]'), until: sql.ref('at') })
      .where(({ eb, or }) => or([eb('kept_id', '=', p.member_id), eb('merged_id', '=', p.member_id)])),
  ),
  mergedInto: storage.prepare<{ member_id: string }, { id: string; email: string | null }>(
    'members-merged-into',
    (db, p) => db.selectFrom('members').select(['id', 'email']).where('merged_into', '=', p.member_id),
  ),
  forget: storage.prepare<{ now: string }>({ lock: 'other', name: 'merges-forget' }, (db, p) =>
    db
      .updateTable('merges')
      .set({ released_email: null })
      .where('until', '<=', p.now)
      .where('released_email', 'is not', null),
  ),
})

/** The payment of a gift, where a customer made it that goes back. */
const paidBy = (db: Kysely<Tables>, { kept, merged }: Pair) =>
  db
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
