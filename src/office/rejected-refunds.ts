import type { PaymentData } from '../core/dto/index.ts'
import { createDocuments, type Storage } from '../core/storage/index.ts'
import { failedRefunds, type RejectedRefund, refusedRequests } from './needs-statements.ts'
import { refundsOf } from './walking-statements.ts'

const daysShown = 60

export interface RejectedRefunds {
  list(): Promise<RejectedRefund[]>
  find(key: string | null): Promise<RejectedRefund | null>
  settle(key: string, by: string): Promise<void>
}

/** Lists rejected refunds of the last sixty days, oldest first, until one succeeds or an operator settles them. */
export function createRejectedRefunds(deps: { storage: Storage; now: () => Date }): RejectedRefunds {
  const { storage, now } = deps
  const settled = createDocuments(storage, 'refunds-settled')

  const list = async (): Promise<RejectedRefund[]> => {
    const since = new Date(now().getTime() - daysShown * 86_400_000).toISOString()
    const found = [...(await failedRefunds(storage, since)), ...(await refusedRequests(storage, since))]
    const open: RejectedRefund[] = []
    for (const refund of found) {
      const isOpen = (await settled.get(refund.key)) === null && !(await wasRepeated(storage, refund))
      if (isOpen) open.push(refund)
    }
    return open.sort((a, b) => (a.since < b.since ? -1 : 1))
  }

  return {
    list,
    find: async (key: string | null): Promise<RejectedRefund | null> =>
      (await list()).find((refund) => refund.key === key) ?? null,
    settle: (key: string, by: string): Promise<void> => settled.put(key, { by, at: now().toISOString() }),
  }
}

/** True if money of the payment was refunded after that, or all of it was. */
async function wasRepeated(
  storage: Pick<Storage, 'read'>,
  { payment_id: id, since, provider, account }: RejectedRefund,
): Promise<boolean> {
  if (id === null) return false
  const [row] = await storage.read((db) =>
    db
      .selectFrom('payments')
      .select('data')
      .where('provider', '=', provider)
      .where('account', '=', account)
      .where('id', '=', id),
  )
  const payment = row === undefined ? null : (JSON.parse(row.data) as PaymentData | null)
  if (payment !== null && payment.amount > 0 && payment.amount_refunded >= payment.amount) return true
  const refunds = await refundsOf(storage, { provider, account }, [id])
  return (refunds.get(id) ?? []).some(({ at }) => at > since)
}
