import { type Storage, sameAccount } from '../core/storage/index.ts'

/** The office's lists of gifts and groups, a page at a time. */
export const offerLists = (storage: Pick<Storage, 'read'>) => ({
  /** Lists gifts, newest first. `before` is the id after which the page before ended. */
  gifts: (before: string | null, limit: number) =>
    storage.read((db) =>
      db
        .selectFrom('gifts as g')
        .leftJoin('members as buyer', 'buyer.id', 'g.buyer_id')
        .leftJoin('members as owner', 'owner.id', 'g.member_id')
        .select([
          ...(['g.id', 'g.status', 'g.plan', 'g.months', 'g.to_email', 'g.batch', 'g.label'] as const),
          ...(['g.created_at', 'g.send_at', 'g.sent_at', 'g.redeemed_at', 'g.expires_at'] as const),
          ...(['g.closed_for', 'g.buyer_id', 'g.member_id'] as const),
          ...(['buyer.email as buyer_email', 'owner.email as owner_email'] as const),
        ])
        .where('g.id', '<', before ?? '~')
        .orderBy('g.id', 'desc')
        .limit(limit),
    ),

  /** Lists groups by the subscription that pays for them, with the buyer. */
  groups: (after: string | null, limit: number) =>
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
        .orderBy('g.subscription_id')
        .limit(limit),
    ),
})
