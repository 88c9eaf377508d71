import { sql } from 'kysely'
import { inAccount, type Row, type Storage } from '../../../core/storage/index.ts'

type Unsold = Row<'payments', 'provider' | 'account' | 'id' | 'data'>

/** Statements for purchases whose terms are not stored yet, of each table. */
export function soldStatements(storage: Storage) {
  return (['subscriptions', 'payments'] as const).map((table) => unsoldIn(storage, table))
}

function unsoldIn(storage: Storage, table: 'subscriptions' | 'payments') {
  return {
    unsold: storage.prepare<{ provider: string; limit: number }, Unsold>(`${table}-unsold`, (db, p) => {
      const unsold = db
        .selectFrom(table)
        .select(['provider', 'account', 'id', 'data'])
        .where('provider', '=', p.provider)
        .where('sold', 'is', null)
        .orderBy('provider')
        .orderBy('account')
        .orderBy('id')
        .limit(p.limit)
      return table === 'payments' ? unsold.where('status', '!=', sql.lit('waiting')) : unsold
    }),
    fill: storage.prepare<Omit<Unsold, 'data'> & { sold: string }>(`${table}-fill-sold`, (db, p) =>
      db
        .updateTable(table)
        .set({ sold: p.sold })
        .where(inAccount(p))
        .where('id', '=', p.id)
        .where('sold', 'is', null),
    ),
  }
}
