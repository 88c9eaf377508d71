import { paidUntil, type SubscriptionData } from '../../core/dto/index.ts'
import type { Log } from '../../core/log.ts'
import type { Storage } from '../../core/storage/index.ts'
import type { Ledger } from '../ledger/index.ts'

/**
 * Asks again for subscriptions that should have been renewed or ended long ago and of which nothing was heard: a lost
 * message that the provider no longer keeps would leave them open for ever. Reads every living subscription, in pages.
 */
export const createOverdue = (deps: { storage: Storage; ledger: Ledger; now: () => Date; log: Log }) => {
  const { storage, ledger, now, log } = deps
  let nextAt = 0

  const page = (after: Key) =>
    storage.read((db) =>
      db
        .selectFrom('subscriptions')
        .select(['provider', 'account', 'id', 'data'])
        .where((eb) =>
          eb(
            eb.refTuple('provider', 'account', 'id'),
            '>',
            eb.tuple(after.provider, after.account, after.id),
          ),
        )
        .where('status', 'in', ['active', 'trialing', 'past_due'])
        .where('at', '<', new Date(now().getTime() - quietMs).toISOString())
        .orderBy('provider')
        .orderBy('account')
        .orderBy('id')
        .limit(pageSize),
    )

  /** Once a day. Returns how many subscriptions are asked for. */
  const runDue = async (): Promise<number> => {
    const moment = now().getTime()
    if (moment < nextAt) return 0
    nextAt = moment + everyMs
    let asked = 0
    let after: Key = { provider: '', account: '', id: '' }
    for (;;) {
      const rows = await page(after)
      const overdue = rows.filter((row) => isAskedFor(row, moment))
      const steps = overdue.flatMap(({ provider, account, id }) =>
        ledger.wish({ provider, account }, { kind: 'subscription', id }, now().toISOString()),
      )
      if (steps.length > 0) await storage.commit(steps)
      asked += steps.length
      const last = rows.at(-1)
      if (last === undefined || rows.length < pageSize) return asked
      after = last
    }
  }

  // A row that cannot be understood is asked for like one that is overdue, and hides no other.
  const isAskedFor = ({ data, ...key }: Key & { data: string }, moment: number): boolean => {
    try {
      return isOverdue(JSON.parse(data) as SubscriptionData, moment)
    } catch (error) {
      log('a subscription cannot be read and is asked for', { ...key, reason: String(error).slice(0, 300) })
      return true
    }
  }
  return { runDue }
}

interface Key {
  readonly provider: string
  readonly account: string
  readonly id: string
}

const pageSize = 500
const everyMs = 86_400_000
// A renewal's messages come within hours; a failed payment is tried again for weeks, each try with a message.
const quietMs = 2 * 86_400_000

const isOverdue = (s: SubscriptionData, now: number): boolean => {
  const end = s.resumes_at ?? paidUntil(s)
  return end !== null && Date.parse(end) + quietMs < now
}
