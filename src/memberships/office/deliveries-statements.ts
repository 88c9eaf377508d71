import type { Storage } from '../../core/storage/index.ts'

/** Which received events. */
export interface DeliveriesFilter {
  readonly status: string | null
  readonly provider: string | null
  readonly type: string | null
  /** Before this number, the newest first. */
  readonly before: number | null
}

/** What is told of a received event in a list. */
export type ListedEvent = Awaited<ReturnType<typeof listEvents>>[number]

/** Received events, the newest first, without their bodies. */
export const listEvents = (
  { read }: Pick<Storage, 'read'>,
  { status, provider, type, before }: DeliveriesFilter,
  limit: number,
) =>
  read((db) =>
    db
      .selectFrom('events')
      .select([
        'seq',
        'provider',
        'account',
        'event_id',
        'type',
        'object_id',
        'received_at',
        'status',
        'reason',
        'attempts',
      ])
      .$if(status !== null, (query) => query.where('status', '=', status!))
      .$if(provider !== null, (query) => query.where('provider', '=', provider!))
      .$if(type !== null, (query) => query.where('type', '=', type!))
      .$if(before !== null, (query) => query.where('seq', '<', before!))
      .orderBy('seq', 'desc')
      .limit(limit),
  )

/** Purchases that nobody owns. */
export const listUnclaimed = ({ read }: Pick<Storage, 'read'>, limit: number) =>
  read((db) =>
    db
      .selectFrom('customers')
      .select(['provider', 'account', 'customer_id', 'email', 'name'])
      .where('member_id', 'is', null)
      .where('purchased', '=', 1)
      .where('deleted', '=', 0)
      .orderBy('email')
      .limit(limit),
  )
