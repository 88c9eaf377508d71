import { sql } from 'kysely'
import { inAccount, type Row, type Storage, sameAccount } from '../../core/storage/index.ts'
import { forMember } from '../members/index.ts'

/** A stored declaration. The typed text is null after its account was deleted. */
export type DeclarationRow = Omit<Row<'declarations'>, 'forgets'>

const columns = [
  ...(['id', 'kind', 'nature', 'reason', 'ends_on', 'name', 'contract', 'email', 'received_at'] as const),
  ...(['due_on', 'status', 'member_id', 'subscription_id', 'done_at', 'done_by'] as const),
]

/** Statements that write a declaration with its acknowledgement, settle it, and list declarations by index. */
export function declarationStatements(storage: Storage) {
  return {
    put: forMember(
      storage.prepareMany<DeclarationRow>('declaration-insert', { all: columns, key: ['id'] }, (db, rows) =>
        db
          .insertInto('declarations')
          .values(rows)
          .onConflict((c) =>
            c.column('id').doUpdateSet((eb) => ({
              status: eb.ref('excluded.status'),
              member_id: eb.ref('excluded.member_id'),
              subscription_id: eb.ref('excluded.subscription_id'),
              done_at: eb.ref('excluded.done_at'),
              done_by: eb.ref('excluded.done_by'),
            })),
          ),
      ),
    ),
    /** Settles a declaration, and clears its typed text if the account was deleted. */
    settle: storage.prepare<{ id: string; done_at: string; done_by: string }>(
      'declaration-settle',
      (db, p) => {
        const kept = (column: 'name' | 'contract' | 'email' | 'reason') =>
          sql<string | null>`case when forgets = 1 then null else ${sql.ref(column)} end`
        return db
          .updateTable('declarations')
          .set({
            status: 'done',
            done_at: p.done_at,
            done_by: p.done_by,
            name: kept('name'),
            contract: kept('contract'),
            email: kept('email'),
            reason: kept('reason'),
          })
          .where('id', '=', p.id)
      },
    ),
    one: storage.prepare<{ id: string }, DeclarationRow>('declaration', (db, p) =>
      db.selectFrom('declarations').select(columns).where('id', '=', p.id),
    ),
    newest: storage.prepare<{ before: string; limit: number }, DeclarationRow>(
      'declarations-newest',
      (db, p) =>
        db
          .selectFrom('declarations')
          .select(columns)
          .where('id', '<', p.before)
          .orderBy('id', 'desc')
          .limit(p.limit),
    ),
    /** Lists open declarations, oldest first. Those not handled yet appear soon. */
    open: storage.prepare<{ after: string; limit: number }, DeclarationRow>('declarations-open', (db, p) =>
      db
        .selectFrom('declarations')
        .select(columns)
        .where('status', '=', sql.lit('open'))
        .where('id', '>', p.after)
        .orderBy('id')
        .limit(p.limit),
    ),
  }
}

/** A dispute as stored, with its payment and member. */
export type Dispute = Pick<Row<'facts'>, 'provider' | 'account' | 'id' | 'data' | 'at'> & {
  readonly payment_id: string | null
  readonly member_id: string | null
}

/** Lists disputes changed since then, decided or not, with their payment and member. */
export function disputesSince(storage: Storage) {
  return storage.prepare<{ since: string; limit: number }, Dispute>('disputes-since', (db, p) =>
    db
      .selectFrom('facts as f')
      .leftJoin('payment_refs as r', (join) =>
        sameAccount(join, 'r', 'f').on('r.ref', '=', sql<string>`'dispute:' || f.id`),
      )
      .leftJoin('payments as p', (join) => sameAccount(join, 'p', 'r').onRef('p.id', '=', 'r.payment_id'))
      .leftJoin('customers as c', (join) =>
        sameAccount(join, 'c', 'p').onRef('c.customer_id', '=', 'p.owner_id'),
      )
      .select(['f.provider', 'f.account', 'f.id', 'f.data', 'f.at', 'r.payment_id', 'c.member_id'])
      // The index of disputes matches this literal only.
      .where('f.kind', '=', sql.lit('dispute'))
      .where('f.at', '>=', p.since)
      .orderBy('f.at')
      .orderBy('f.id')
      .limit(p.limit),
  )
}

/** Statements that read a subscription with its payments, whoever owns them now. */
export function unusedMoneyStatements(storage: Storage) {
  return {
    subscription: storage.prepare<
      { provider: string; account: string; id: string },
      { data: string; opens_at: string | null; owner_id: string; member_id: string | null }
    >('unused-money-subscription', (db, p) =>
      db
        .selectFrom('subscriptions as s')
        .leftJoin('customers as c', (join) =>
          sameAccount(join, 'c', 's').onRef('c.customer_id', '=', 's.owner_id'),
        )
        .select(['s.data', 's.opens_at', 's.owner_id', 'c.member_id'])
        .where('s.provider', '=', p.provider)
        .where('s.account', '=', p.account)
        .where('s.id', '=', p.id),
    ),
    payments: storage.prepare<
      { provider: string; account: string; owner_id: string; subscription_id: string },
      { data: string }
    >('unused-money-payments', (db, p) =>
      db
        .selectFrom('payments')
        .select('data')
        .where(inAccount(p))
        .where('owner_id', '=', p.owner_id)
        .where('subscription_id', '=', p.subscription_id)
        .where('status', '!=', sql.lit('waiting')),
    ),
  }
}

/** Statements about the places of buyers. The ledger writes them. */
export function californiaStatements(storage: Storage) {
  return {
    known: storage.prepare<object, { place: string | null }>('california-known', (db) =>
      db
        .selectFrom('customers')
        .select('place')
        .where('place', '=', sql.lit('california'))
        .where('member_id', 'is not', null)
        .limit(1),
    ),
    places: storage.prepare<{ member_id: string }, { place: string | null }>('california-places', (db, p) =>
      db.selectFrom('customers').select('place').where('member_id', '=', p.member_id),
    ),
  }
}
