import { sql } from 'kysely'
import type { Row, Storage } from '../../core/storage/index.ts'
import { isKey } from './statements.ts'

interface Pair {
  kept: string
  merged: string
}

interface Member {
  member_id: string
}

/** A count, as it is read when two accounts separate. */
export type UsageRow = Omit<Row<'limit_usage'>, 'notified'>

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

/** Statements about counted allowances in the life of an account. */
export function limitLifeStatements(storage: Storage) {
  return {
    usageErase: storage.prepare<Member>('limit_usage-erase', (db, p) =>
      db.deleteFrom('limit_usage').where('member_id', '=', p.member_id),
    ),
    keysErase: storage.prepare<Member>('limit_keys-erase', (db, p) =>
      db.deleteFrom('limit_keys').where('member_id', '=', p.member_id),
    ),
    creditsErase: storage.prepare<Member>('limit_credits-erase', (db, p) =>
      db.deleteFrom('limit_credits').where('member_id', '=', p.member_id),
    ),
    usageOf: storage.prepare<
      Member,
      { name: string; bucket: string; used: number; starts_at: string; ends_at: string; at: string }
    >('export-limits', (db, p) =>
      db
        .selectFrom('limit_usage')
        .select(['name', 'bucket', 'used', 'starts_at', 'ends_at', 'at'])
        .where('member_id', '=', p.member_id)
        .orderBy('name')
        .orderBy('bucket'),
    ),
    keysOf: storage.prepare<
      Member,
      { name: string; key: string; amount: number; taken_at: string; released_at: string | null }
    >('export-limit-keys', (db, p) =>
      db
        .selectFrom('limit_keys')
        .select(['name', 'key', 'amount', 'taken_at', 'released_at'])
        .where('member_id', '=', p.member_id)
        .orderBy('name')
        .orderBy('taken_at'),
    ),
    creditsOf: storage.prepare<
      Member,
      { name: string; amount: number; reason: string; created_at: string; expires_at: string | null }
    >('export-limit-credits', (db, p) =>
      db
        .selectFrom('limit_credits')
        .select(['name', 'amount', 'reason', 'created_at', 'expires_at'])
        .where('member_id', '=', p.member_id)
        .orderBy('created_at'),
    ),
    move: storage.prepare<Pair>('limit_credits-merge', (db, p) =>
      db
        .updateTable('limit_credits')
        .set({ member_id: p.kept, moved_from: p.merged })
        .where('member_id', '=', p.merged),
    ),
    moveBack: storage.prepare<Pair>('limit_credits-unmerge', (db, p) =>
      db
        .updateTable('limit_credits')
        .set({ member_id: p.merged, moved_from: null })
        .where('member_id', '=', p.kept)
        .where('moved_from', '=', p.merged),
    ),
    /**
     * Notes at the merged account, for each count of the other, what that one had used, or could use of its own. It comes
     * before the counts are added.
     */
    noteOwn: storage.prepare<Pair & { at: string }>('limit-usage-keep', (db, p) =>
      db
        .insertInto('limit_usage')
        .columns(['member_id', 'name', 'bucket', 'starts_at', 'ends_at', 'used', 'amount', 'at', 'kept_own'])
        .expression((eb) =>
          eb
            .selectFrom('limit_usage as k')
            .select([
              sql<string>`cast(${p.merged} as text)`.as('member_id'),
              ...(['k.name', 'k.bucket', 'k.starts_at', 'k.ends_at'] as const),
              sql<number>`0`.as('used'),
              ...(['k.amount', 'k.at'] as const),
              sql<number>`case when k.used > k.amount then k.used else k.amount end`.as('kept_own'),
            ])
            .where('k.member_id', '=', p.kept)
            .where('k.ends_at', '>', p.at)
            .where('k.bucket', 'not like', '%:%'),
        )
        .onConflict((conflict) =>
          conflict
            .columns(['member_id', 'name', 'bucket'])
            .doUpdateSet((eb) => ({ kept_own: eb.ref('excluded.kept_own') })),
        ),
    ),
    /** The counts of both accounts, but those of top-ups and credits. */
    usageOfBoth: storage.prepare<Pair & { at: string }, UsageRow>('limit-usage-of-both', (db, p) =>
      db
        .selectFrom('limit_usage')
        .select(['member_id', 'name', 'bucket', 'starts_at', 'ends_at', 'used', 'amount', 'at', 'kept_own'])
        .where('member_id', 'in', [p.kept, p.merged])
        .where('bucket', 'not like', '%:%')
        .where('ends_at', '>', p.at),
    ),
    /** Writes a count as it follows from what was read. */
    setUsage: storage.prepare<
      Pick<UsageRow, 'member_id' | 'name' | 'bucket'> & { before: number; used: number }
    >('limit-usage-set', (db, p) =>
      db
        .updateTable('limit_usage')
        .set({ used: p.used })
        .where('member_id', '=', p.member_id)
        .where('name', '=', p.name)
        .where('bucket', '=', p.bucket)
        .where('used', '=', p.before),
    ),
    putUsage: storage.prepareMany<Omit<UsageRow, 'kept_own'>>(
      'limit-usage-put',
      {
        all: ['member_id', 'name', 'bucket', 'starts_at', 'ends_at', 'used', 'amount', 'at'],
        key: ['member_id', 'name', 'bucket'],
      },
      (db, rows) =>
        db
          .insertInto('limit_usage')
          .values(rows)
          .onConflict((conflict) =>
            conflict.columns(['member_id', 'name', 'bucket']).doUpdateSet((eb) => ({
              starts_at: eb.ref('excluded.starts_at'),
              ends_at: eb.ref('excluded.ends_at'),
              used: eb.ref('excluded.used'),
              kept_own: null,
            })),
          ),
    ),
    /** Adds up the uses of both accounts in periods that run, so that a merge gives nobody an allowance twice. */
    addUsage: storage.prepare<Pair & { at: string }>('limit-usage-merge', (db, p) =>
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
    addKeys: storage.prepare<Pair>('limit-keys-merge', (db, p) =>
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
    endHolds: storage.prepare<Pair>('limit-keys-merged', (db, p) =>
      db
        .updateTable('limit_keys')
        .set({ held_until: null })
        .where('member_id', '=', p.merged)
        .where('held_until', 'is not', null),
    ),
    /** Moves the kept account's uses of top-ups and credits along with those that go back. */
    usageBack: storage.prepare<Pair>('limit-usage-unmerge', (db, p) =>
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
      'limit-key-hold-back',
      (db, p) =>
        db
          .updateTable('limit_keys')
          .set({ held_until: p.held_until })
          .where(isKey(p))
          .where('released_at', 'is', null),
    ),
  }
}
