import { sql } from 'kysely'
import { inAccount, type Storage } from '../../../core/storage/index.ts'
import type { Key } from './rows.ts'

const farAhead = '9999-12-31T23:59:59.999Z'

/** Statements that other modules ask for by the ledger's doors. */
export function ledgerDoorStatements(storage: Storage) {
  return {
    /** Gives the waiting purchases of an address to the member who proved it. */
    claim: storage.prepare<{ member_id: string; email: string }>('customers-claim', (db, p) =>
      db
        .updateTable('customers')
        .set({ member_id: p.member_id, revision: sql<number>`revision + 1` })
        .where('email', '=', p.email)
        .where('member_id', 'is', null)
        .where('purchased', '=', 1),
    ),
    /** Links an owner without a member to a member. */
    customerLink: storage.prepare<{
      provider: string
      account: string
      customer_id: string
      member_id: string
    }>('customers-link', (db, p) =>
      db
        .updateTable('customers')
        .set({ member_id: p.member_id, revision: sql<number>`revision + 1` })
        .where(inAccount(p))
        .where('customer_id', '=', p.customer_id)
        .where('member_id', 'is', null),
    ),
    /** Gives the owner of a store's purchases, whose account was deleted, to another member. */
    customerFromDeleted: storage.prepare<{
      provider: string
      account: string
      customer_id: string
      from: string
      member_id: string
    }>('customers-from-deleted', (db, p) =>
      db
        .updateTable('customers')
        .set({ member_id: p.member_id, revision: sql<number>`revision + 1` })
        .where(inAccount(p))
        .where('customer_id', '=', p.customer_id)
        .where('member_id', '=', p.from)
        .where((eb) =>
          eb.exists(
            eb
              .selectFrom('deletions')
              .select('deletions.member_id')
              .where('deletions.member_id', '=', p.from)
              .where('deletions.done_at', 'is not', null),
          ),
        ),
    ),
    /** Records that a subscription was ended here at once, so that nothing of it stays open. */
    endedHere: storage.prepare<{ provider: string; account: string; id: string }>(
      'subscription-ended-here',
      (db, p) =>
        db
          .updateTable('subscriptions')
          .set({ opens_at: sql.lit(farAhead) })
          .where(inAccount(p))
          .where('id', '=', p.id),
    ),
    /** Notes how far the handling of a payment of unknown purpose is. */
    unknownStep: storage.prepare<Key & { id: string; from: number; to: number }>('payment-unknown', (db, p) =>
      db
        .updateTable('payments')
        .set({ unknown_step: p.to })
        .where(inAccount(p))
        .where('id', '=', p.id)
        .where('unknown_step', '=', p.from),
    ),
  }
}
