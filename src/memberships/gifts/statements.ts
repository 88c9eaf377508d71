import { type Kysely, sql } from 'kysely'
import {
  inAccount,
  type Leaving,
  picked,
  type Queue,
  type Row,
  type Storage,
  type Tables,
} from '../../core/storage/index.ts'
import { forMember } from '../members/index.ts'

/** A gift as it is stored. */
export type GiftRow = Row<'gifts'>

export const giftColumns = [
  ...(['id', 'status', 'plan', 'months', 'code_hash', 'intent_id', 'provider', 'account'] as const),
  ...(['payment_id', 'price_id', 'buyer_id', 'to_email', 'message', 'language', 'batch', 'label'] as const),
  ...(['created_at', 'expires_at', 'send_at', 'sent_at', 'sendings', 'redeemed_at', 'member_id'] as const),
  ...(['grant_id', 'left_seconds', 'put_off', 'look_at', 'closed_at', 'closed_for', 'revision'] as const),
  'held_at',
] as const satisfies readonly (keyof GiftRow)[]

type PersonOf = 'buyer_id' | 'member_id'
const changing = giftColumns.filter((column) => column !== 'id' && column !== 'revision')
const changingAlone = changing.filter(
  (column): column is Exclude<typeof column, PersonOf> => column !== 'buyer_id' && column !== 'member_id',
)

/** Gifts that are due. A claim gives each to one process at a time. */
export function giftQueue(leaseMs: number): Queue<GiftRow> {
  return {
    name: 'gifts-look',
    table: 'gifts',
    key: ['id'],
    due: 'look_at',
    columns: giftColumns,
    leaseMs,
  }
}

/** Unpaid orders, which can be removed. */
export const unpaidGifts: Leaving = {
  name: 'gifts-unpaid',
  table: 'gifts',
  key: 'id',
  over: 'created_at',
  among: (query) => query.where('o.status', '=', sql.lit('ordered') as never),
}

/** The run of a gift's grant. */
export interface GrantRun {
  readonly id: string
  readonly starts_at: string | null
  readonly expires_at: string | null
  readonly revoked_at: string | null
}

/** Selects a member's gifts, including those of accounts merged into theirs. */
function ofPerson(db: Kysely<Tables>, column: 'buyer_id' | 'member_id', id: string) {
  return db
    .selectFrom('gifts as own')
    .select('own.id')
    .where(`own.${column}`, '=', id)
    .unionAll(
      db
        .selectFrom('members as merged')
        .innerJoin('gifts as theirs', (join) => join.onRef(`theirs.${column}`, '=', 'merged.id'))
        .select('theirs.id')
        .where('merged.merged_into', '=', id),
    )
}

export function giftStatements(storage: Storage) {
  return {
    find: storage.prepare<{ id: string }, GiftRow>('gift', (db, p) =>
      db.selectFrom('gifts').select(giftColumns).where('id', '=', p.id),
    ),
    byCode: storage.prepare<{ code_hash: string }, GiftRow>('gift-by-code', (db, p) =>
      db.selectFrom('gifts').select(giftColumns).where('code_hash', '=', p.code_hash),
    ),
    byIntent: storage.prepare<{ intent_id: string }, GiftRow>('gift-by-intent', (db, p) =>
      db.selectFrom('gifts').select(giftColumns).where('intent_id', '=', p.intent_id),
    ),
    byPayment: storage.prepare<{ provider: string; account: string; payment_id: string }, GiftRow>(
      'gift-by-payment',
      (db, p) =>
        db.selectFrom('gifts').select(giftColumns).where(inAccount(p)).where('payment_id', '=', p.payment_id),
    ),
    /** Lists gifts bought by a member, or by an account merged into theirs, newest first. */
    ofBuyer: storage.prepare<{ buyer_id: string }, GiftRow>('gifts-of-buyer', (db, p) =>
      db
        .selectFrom('gifts')
        .select(giftColumns)
        .where('id', 'in', ofPerson(db, 'buyer_id', p.buyer_id))
        .orderBy('created_at', 'desc'),
    ),
    /** Lists gifts redeemed by a member, or by an account merged into theirs. */
    ofMember: storage.prepare<{ member_id: string }, GiftRow>('gifts-of-member', (db, p) =>
      db
        .selectFrom('gifts')
        .select(giftColumns)
        .where('id', 'in', ofPerson(db, 'member_id', p.member_id))
        .orderBy('redeemed_at'),
    ),
    ofBatch: storage.prepare<{ batch: string; after: string; limit: number }, GiftRow>(
      'gifts-of-batch',
      (db, p) =>
        db
          .selectFrom('gifts')
          .select(giftColumns)
          .where('batch', '=', p.batch)
          .where('id', '>', p.after)
          .orderBy('id')
          .limit(p.limit),
    ),
    newest: storage.prepare<{ before: string; limit: number }, GiftRow>('gifts-newest', (db, p) =>
      db
        .selectFrom('gifts')
        .select(giftColumns)
        .where('id', '<', p.before)
        .orderBy('id', 'desc')
        .limit(p.limit),
    ),
    insert: forMember(
      storage.prepareMany<GiftRow>('gift-insert', { all: giftColumns, key: ['id'] }, (db, rows) =>
        db
          .insertInto('gifts')
          .values(rows)
          .onConflict((c) => c.doNothing()),
      ),
    ),
    /** Writes a gift if it is unchanged since it was read. Its buyer and its owner stay. */
    update: storage.prepare<Omit<GiftRow, PersonOf>>('gift-update', (db, p) =>
      db
        .updateTable('gifts')
        .set({ ...picked(p, changingAlone), revision: sql<number>`revision + 1` })
        .where('id', '=', p.id)
        .where('revision', '=', p.revision),
    ),
    /** Does the same for a gift that gets a buyer or an owner. */
    give: forMember(
      storage.prepare<GiftRow>('gift-give', (db, p) =>
        db
          .updateTable('gifts')
          .set({ ...picked(p, changing), revision: sql<number>`revision + 1` })
          .where('id', '=', p.id)
          .where('revision', '=', p.revision),
      ),
    ),
    /** Notes that the mail left. Only a gift that waits for nothing else is looked at again. */
    sent: storage.prepare<{ id: string; sent_at: string; look_at: string | null }>('gift-sent', (db, p) =>
      db
        .updateTable('gifts')
        .set({
          sent_at: p.sent_at,
          look_at: sql<string | null>`case when status = 'ready' then ${p.look_at} else look_at end`,
          revision: sql<number>`revision + 1`,
        })
        .where('id', '=', p.id),
    ),
    remove: storage.prepare<{ id: string; revision: number }>('gift-remove', (db, p) =>
      db.deleteFrom('gifts').where('id', '=', p.id).where('revision', '=', p.revision),
    ),
    grant: storage.prepare<{ id: string }, GrantRun>('gift-grant', (db, p) =>
      db.selectFrom('grants').select(['id', 'starts_at', 'expires_at', 'revoked_at']).where('id', '=', p.id),
    ),
    /** Lists the runs of a member's other gifts for the same gate. */
    otherRuns: storage.prepare<
      { member_id: string; gate: string; id: string },
      { id: string; starts_at: string; expires_at: string }
    >('gift-other-runs', (db, p) =>
      db
        .selectFrom('grants')
        .select(['id', 'starts_at', 'expires_at'])
        .where('member_id', '=', p.member_id)
        .where('gate', '=', p.gate)
        .where('source', '=', sql.lit('gift'))
        .where('id', '!=', p.id)
        .where('revoked_at', 'is', null)
        .where('starts_at', 'is not', null)
        .where('expires_at', 'is not', null)
        .$narrowType<{ starts_at: string; expires_at: string }>(),
    ),
    /** The last moment at which an account was merged with another, or separated from it. */
    joinedAt: storage.prepare<{ member_id: string }, { at: string | null }>('gift-joined-at', (db, p) =>
      db
        .selectFrom('merges')
        .select(sql<string | null>`max(coalesce(undone_at, at))`.as('at'))
        .where(({ eb, or }) => or([eb('kept_id', '=', p.member_id), eb('merged_id', '=', p.member_id)])),
    ),
    /** Deletes the buyer of gifts. An unsent gift keeps its address until it is sent. */
    forgetBuyer: storage.prepare<{ member_id: string }>('gifts-forget-buyer', (db, p) =>
      db
        .updateTable('gifts')
        .set({
          buyer_id: null,
          to_email: sql<string | null>`case when status = 'ready' and sent_at is null then to_email end`,
          message: sql<string | null>`case when status = 'ready' and sent_at is null then message end`,
          revision: sql<number>`revision + 1`,
        })
        .where('buyer_id', '=', p.member_id),
    ),
    /** Deletes the address and the message of a member's unpaid orders. */
    forgetOrders: storage.prepare<{ member_id: string }>('gifts-forget-orders', (db, p) =>
      db
        .updateTable('gifts')
        .set({ to_email: null, message: null, send_at: null, revision: sql<number>`revision + 1` })
        .where('status', '=', sql.lit('ordered'))
        .where('intent_id', 'in', (eb) =>
          eb.selectFrom('intents').select('id').where('member_id', '=', p.member_id),
        ),
    ),
    /** Deletes the address and the message of gifts that a member redeemed. */
    forgetMember: storage.prepare<{ member_id: string }>('gifts-forget-member', (db, p) =>
      db
        .updateTable('gifts')
        .set({ to_email: null, message: null, look_at: null, revision: sql<number>`revision + 1` })
        .where('member_id', '=', p.member_id),
    ),
  }
}
export type GiftStatements = ReturnType<typeof giftStatements>
