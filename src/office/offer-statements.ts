import { sql } from 'kysely'
import { type Storage, sameAccount } from '../core/storage/index.ts'

/** The office's lists of gifts and groups, a page at a time. */
export function offerLists(storage: Pick<Storage, 'read'>) {
  return {
    /**
     * Lists gifts, newest first. `before` is the id after which the page before ended. `isHeld` lists only those that wait
     * for an operator.
     */
    gifts: (before: string | null, { limit, isHeld }: { limit: number; isHeld: boolean }) =>
      storage.read((db) =>
        db
          .selectFrom('gifts as g')
          .leftJoin('members as buyer', 'buyer.id', 'g.buyer_id')
          .leftJoin('members as owner', 'owner.id', 'g.member_id')
          .select([
            ...(['g.id', 'g.status', 'g.plan', 'g.months', 'g.to_email', 'g.batch', 'g.label'] as const),
            ...(['g.created_at', 'g.send_at', 'g.sent_at', 'g.redeemed_at', 'g.expires_at'] as const),
            ...(['g.closed_for', 'g.buyer_id', 'g.member_id', 'g.held_at', 'g.code_hash'] as const),
            ...(['buyer.email as buyer_email', 'owner.email as owner_email'] as const),
          ])
          .where('g.id', '<', before ?? '~')
          .$if(isHeld, (query) => query.where(sql<boolean>`g.held_at is not null and g.status = 'ready'`))
          .orderBy('g.id', 'desc')
          .limit(limit),
      ),

    /**
     * Lists groups by the subscription that pays for them, with the buyer. `isLost` lists only those whose seats have to
     * be checked.
     */
    groups: (after: string | null, { limit, isLost }: { limit: number; isLost: boolean }) =>
      storage.read((db) =>
        db
          .selectFrom('groups as g')
          .leftJoin('subscriptions as s', (join) =>
            sameAccount(join, 's', 'g').onRef('s.id', '=', 'g.subscription_id'),
          )
          .leftJoin('customers as c', (join) =>
            sameAccount(join, 'c', 's').onRef('c.customer_id', '=', 's.owner_id'),
          )
          .leftJoin('members as owner', 'owner.id', 'c.member_id')
          .select([
            ...(['g.provider', 'g.subscription_id', 's.status'] as const),
            ...(['owner.id as owner_id', 'owner.email as owner_email'] as const),
          ])
          .where('g.subscription_id', '>', after ?? '')
          .$if(isLost, (query) => query.where('g.lost_at', 'is not', null))
          .orderBy('g.subscription_id')
          .limit(limit),
      ),
  }
}
