import { sql } from 'kysely'
import { inAccount, type Storage, sameAccount } from '../../core/storage/index.ts'
import type { SwitchesTable } from '../../core/storage/tables-life.ts'

export type SwitchRow = SwitchesTable

/** A subscription at the old provider, with its member and its state in the switch. */
export interface SwitchingSubscription {
  readonly account: string
  readonly id: string
  readonly data: string
  readonly member_id: string | null
  readonly state: string | null
  readonly to_provider: string | null
  readonly round: number | null
  readonly until: string | null
  readonly price_id: string | null
}

const columns = [
  'provider',
  'account',
  'id',
  'to_provider',
  'until',
  'price_id',
  'state',
  'round',
  'updated_at',
] as const

/** Statements of a switch. */
export function switchStatements(storage: Storage) {
  return {
    /** Begins the switch of a subscription, also after it was stopped. Writes nothing if another process began it. */
    begin: storage.prepare<SwitchRow>('switch-begin', (db, p) =>
      db
        .insertInto('switches')
        .values(Object.fromEntries(columns.map((name) => [name, p[name]])) as never)
        .onConflict((c) =>
          c
            .columns(['provider', 'account', 'id'])
            .doUpdateSet({
              state: p.state,
              round: p.round,
              until: p.until,
              price_id: p.price_id,
              to_provider: p.to_provider,
              updated_at: p.updated_at,
            })
            .where('switches.state', '=', sql.lit('stopped') as never),
        ),
    ),
    find: storage.prepare<Pick<SwitchRow, 'provider' | 'account' | 'id'>, SwitchRow>('switch-find', (db, p) =>
      db.selectFrom('switches').select(columns).where(inAccount(p)).where('id', '=', p.id),
    ),
    become: storage.prepare<
      Pick<SwitchRow, 'provider' | 'account' | 'id' | 'state' | 'updated_at'> & { was: string }
    >('switch-become', (db, p) =>
      db
        .updateTable('switches')
        .set({ state: p.state, updated_at: p.updated_at })
        .where(inAccount(p))
        .where('id', '=', p.id)
        .where('state', '=', p.was),
    ),
    forget: storage.prepare<Pick<SwitchRow, 'provider' | 'account' | 'id'> & { was: string }>(
      'switch-forget',
      (db, p) =>
        db.deleteFrom('switches').where(inAccount(p)).where('id', '=', p.id).where('state', '=', p.was),
    ),
  }
}

/** Reads a page of the provider's living subscriptions, and of those whose switch began. */
export function switchedMembers(
  storage: Storage,
  provider: string,
  after: { account: string; id: string },
): Promise<SwitchingSubscription[]> {
  return storage.read((db) =>
    db
      .selectFrom('subscriptions as s')
      .leftJoin('customers as c', (join) =>
        sameAccount(join, 'c', 's').onRef('c.customer_id', '=', 's.owner_id'),
      )
      .leftJoin('switches as w', (join) => sameAccount(join, 'w', 's').onRef('w.id', '=', 's.id'))
      .select([
        's.account',
        's.id',
        's.data',
        'c.member_id',
        'w.state',
        'w.to_provider',
        'w.round',
        'w.until',
        'w.price_id',
      ])
      .where('s.provider', '=', provider)
      .where((eb) => eb(eb.refTuple('s.account', 's.id'), '>', eb.tuple(after.account, after.id)))
      .where((eb) =>
        eb.or([
          eb('s.status', 'in', ['trialing', 'active', 'past_due', 'unpaid', 'paused']),
          eb('w.id', 'is not', null),
        ]),
      )
      .orderBy('s.account')
      .orderBy('s.id')
      .limit(subscriptionsPerPage),
  )
}

/** Subscriptions per page. */
export const subscriptionsPerPage = 200
