import { sql } from 'kysely'
import type { PaymentData } from '../core/dto/index.ts'
import { type Storage, sameAccount } from '../core/storage/index.ts'
import type { MoneyFact } from '../providers/contract.ts'

/** Counts what waits for an operator, each by index. */
export function needsStatements({ read }: Pick<Storage, 'read'>) {
  const counted = async (rows: Promise<readonly { count: number | string }[]>): Promise<number> =>
    Number((await rows)[0]?.count ?? 0)
  const count = sql<number>`count(*)`.as('count')
  return {
    failedPayments: () =>
      counted(
        read((db) =>
          db.selectFrom('subscriptions').select(count).where('status', 'in', ['past_due', 'unpaid']),
        ),
      ),
    stuckEvents: async (): Promise<ReadonlyMap<string, number>> => {
      const rows = await read((db) =>
        db
          .selectFrom('events')
          .select(['status', count])
          .where(sql<boolean>`status in ('failed', 'dead', 'held')`)
          .groupBy('status'),
      )
      return new Map(rows.map(({ status, count: n }) => [status, Number(n)]))
    },
    heldGifts: () =>
      counted(
        read((db) =>
          db.selectFrom('gifts').select(count).where(sql<boolean>`held_at is not null and status = 'ready'`),
        ),
      ),
    lostGroups: () =>
      counted(read((db) => db.selectFrom('groups').select(count).where('lost_at', 'is not', null))),
    /** Members whose gates the upgrade to this version keeps open for a while. */
    keptByUpgrade: (at: string) =>
      counted(
        read((db) =>
          db
            .selectFrom('grants')
            .select(sql<number>`count(distinct member_id)`.as('count'))
            .where('source', '=', sql.lit('upgrade'))
            .where('revoked_at', 'is', null)
            .where('expires_at', '>', at),
        ),
      ),
    deadMessages: () =>
      counted(read((db) => db.selectFrom('outbox').select(count).where('status', '=', sql.lit('dead')))),
    waitingCustomers: () =>
      counted(
        read((db) =>
          db
            .selectFrom('customers')
            .select(count)
            .where('member_id', 'is', null)
            .where('purchased', '=', 1)
            .where('deleted', '=', 0),
        ),
      ),
    stuckDeletions: () =>
      counted(
        read((db) =>
          db
            .selectFrom('deletions')
            .select(count)
            .where('done_at', 'is', null)
            .where('error', 'is not', null),
        ),
      ),
  }
}

/** A refund that its provider, or a bank later, did not carry out. */
export interface RejectedRefund {
  /** Names it in forms and in the log. */
  readonly key: string
  readonly since: string
  readonly provider: string
  readonly account: string
  readonly payment_id: string | null
  readonly member_id: string | null
  /** Minor units of the provider; null where the request does not say. */
  readonly amount: number | null
  readonly currency: string | null
}

const most = 200

/** Refunds that a provider or a bank did not carry out. */
export async function failedRefunds(
  { read }: Pick<Storage, 'read'>,
  since: string,
): Promise<RejectedRefund[]> {
  const rows = await read((db) =>
    db
      .selectFrom('facts as f')
      .leftJoin('payment_refs as r', (join) =>
        sameAccount(join, 'r', 'f').on('r.ref', '=', sql<string>`'refund:' || f.id`),
      )
      .leftJoin('payments as p', (join) => sameAccount(join, 'p', 'r').onRef('p.id', '=', 'r.payment_id'))
      .leftJoin('customers as c', (join) =>
        sameAccount(join, 'c', 'p').onRef('c.customer_id', '=', 'p.owner_id'),
      )
      .select(['f.provider', 'f.account', 'f.id', 'f.data', 'f.at', 'r.payment_id', 'c.member_id'])
      .select('p.data as payment')
      // The index of failed refunds matches these literals only.
      .where(sql<boolean>`f.kind = 'refund' and f.state = 'failed'`)
      .where('f.at', '>=', since)
      .orderBy('f.at')
      .orderBy('f.id')
      .limit(most),
  )
  return rows.map(({ provider, account, id, data, at, payment_id, member_id, payment }) => {
    const { amount, currency } = JSON.parse(data) as MoneyFact
    const paid = payment === null ? null : (JSON.parse(payment) as PaymentData | null)
    return {
      key: `refund ${provider} ${account} ${id}`,
      since: at,
      provider,
      account,
      payment_id,
      member_id,
      // A refund without a currency is of its payment's.
      amount: amount ?? null,
      currency: currency ?? paid?.currency ?? null,
    }
  })
}

/** Requests for a refund that failed here or at the provider. */
export async function refusedRequests(
  { read }: Pick<Storage, 'read'>,
  since: string,
): Promise<RejectedRefund[]> {
  const rows = await read((db) =>
    db
      .selectFrom('change_requests')
      .select(['id', 'at', 'provider', 'account', 'object_id', 'member_id'])
      // The index of refused refunds matches these literals only.
      .where(sql<boolean>`kind = 'refund' and outcome = 'failed'`)
      .where('at', '>=', since)
      .orderBy('at')
      .orderBy('id')
      .limit(most),
  )
  return rows.map(({ id, at, provider, account, object_id, member_id }) => ({
    key: `request ${id}`,
    since: at,
    provider,
    account,
    payment_id: object_id,
    member_id,
    amount: null,
    currency: null,
  }))
}
