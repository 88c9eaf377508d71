import { type ExpressionBuilder, type Kysely, sql } from 'kysely'
import type { Storage, Tables } from '../../core/storage/index.ts'
import type { Ref } from '../../providers/contract.ts'
import { type Ledger, splitRef } from '../ledger/index.ts'
import type { Place } from './compare-places.ts'
import { namedPrefix } from './progress.ts'

export interface OwnBooks {
  /** Reads a page of them, after an id. */
  unnamed(place: Place, space: string, after: string): Promise<{ id: string }[]>
  /** A few living subscriptions, from both ends of their ids. */
  someLiving(place: Place): Promise<string[]>
  countLiving(place: Place): Promise<number>
  hasMember(id: string): Promise<boolean>
  /** Reads a page of owners, after an id. */
  owners(place: Place, after: string): Promise<string[]>
  ownersOf(place: Place, memberId: string): Promise<string[]>
  /** The subscriptions of these owners, and the objects behind their payments. */
  objectsOf(place: Place, owners: readonly string[]): Promise<Ref[]>
  /** Checkouts that a member began here without a known payment, newest first. */
  checkoutsOf(place: Place, memberId: string): Promise<string[]>
}

/** Queries of our own data for a comparison. */
export function createOwnBooks({ storage, ledger }: { storage: Storage; ledger: Ledger }): OwnBooks {
  const livingAt = (db: Kysely<Tables>, { key, account }: Place) =>
    db
      .selectFrom('subscriptions')
      .where('provider', '=', key)
      .where('account', '=', account)
      .where('status', 'in', livingStatuses)

  /** Living subscriptions that no page of the comparison named. */
  const unnamedAt = (db: Kysely<Tables>, place: Place, space: string) =>
    livingAt(db, place).where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('documents')
            .select('documents.key')
            .where('documents.space', '=', space)
            .whereRef('documents.key', '=', sql`${sql.lit(namedPrefix)} || subscriptions.id`),
        ),
      ),
    )

  const unnamed = (place: Place, space: string, after: string) =>
    storage.read((db) =>
      unnamedAt(db, place, space).select('id').where('id', '>', after).orderBy('id').limit(pageSize),
    )

  const someLiving = async (place: Place): Promise<string[]> => {
    const from = (direction: 'asc' | 'desc') =>
      storage.read((db) => livingAt(db, place).select('id').orderBy('id', direction).limit(few))
    const rows = [...(await from('asc')), ...(await from('desc'))]
    return [...new Set(rows.map(({ id }) => id))]
  }

  const countLiving = async (place: Place): Promise<number> => {
    const [row] = await storage.read((db) => livingAt(db, place).select(count))
    return Number(row?.count ?? 0)
  }

  const hasMember = async (id: string): Promise<boolean> => {
    const rows = await storage.read((db) => db.selectFrom('members').select('id').where('id', '=', id))
    return rows.length > 0
  }

  const ownersOf = async ({ key, account }: Place, memberId: string): Promise<string[]> => {
    const rows = await storage.read((db) =>
      db
        .selectFrom('customers')
        .select('customer_id')
        .where('provider', '=', key)
        .where('account', '=', account)
        .where('member_id', '=', memberId),
    )
    return rows.map((row) => row.customer_id)
  }

  const owners = async ({ key, account }: Place, after: string): Promise<string[]> => {
    const rows = await storage.read((db) =>
      db
        .selectFrom('customers')
        .select('customer_id')
        .where('provider', '=', key)
        .where('account', '=', account)
        .where('customer_id', '>', after)
        .orderBy('customer_id')
        .limit(pageSize),
    )
    return rows.map((row) => row.customer_id)
  }

  const objectsOf = async ({ key: provider, account }: Place, owners: readonly string[]): Promise<Ref[]> => {
    const refs: Ref[] = []
    for (const owner_id of owners) {
      const rowsOf = (table: 'subscriptions' | 'payments') =>
        storage.read((db) =>
          db
            .selectFrom(table)
            .select('id')
            .where('provider', '=', provider)
            .where('account', '=', account)
            .where('owner_id', '=', owner_id)
            .orderBy('id'),
        )
      for (const { id } of await rowsOf('subscriptions')) refs.push({ kind: 'subscription', id })
      for (const { id: payment_id } of await rowsOf('payments'))
        for (const row of await storage.all(ledger.statements.refsOfPayment, {
          provider,
          account,
          payment_id,
        })) {
          const { role, kind, id } = splitRef(row.ref)
          refs.push(role === 'bill' || role === 'collection' ? { kind, id, part: role } : { kind, id })
        }
    }
    return refs
  }

  const checkoutsOf = async ({ key }: Place, memberId: string): Promise<string[]> => {
    const rows = await storage.read((db) =>
      db
        .selectFrom('intents')
        .select('checkout_id')
        .where('member_id', '=', memberId)
        .where('provider', '=', key)
        .where('checkout_id', 'is not', null)
        .where('status', '!=', 'complete')
        .where('mode', 'in', ['subscription', 'payment'])
        .orderBy('created_at', 'desc')
        .limit(mostCheckouts),
    )
    return rows.flatMap((row) => row.checkout_id ?? [])
  }

  return { unnamed, someLiving, countLiving, hasMember, owners, ownersOf, objectsOf, checkoutsOf }
}

function count(eb: ExpressionBuilder<Tables, 'subscriptions'>) {
  return eb.fn.countAll<number>().as('count')
}

export function isLiving(status: string): boolean {
  return (livingStatuses as readonly string[]).includes(status)
}

/** Rows per page. */
export const pageSize = 500
/** The statuses of living subscriptions. */
export const livingStatuses = ['trialing', 'active', 'past_due'] as const
const mostCheckouts = 20
const few = 5
