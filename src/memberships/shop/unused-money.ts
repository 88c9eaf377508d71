import { type PeriodRules, paidForNothing } from '../../core/access/index.ts'
import { type PaymentData, type SubscriptionData, toPayment, toSubscription } from '../../core/dto/index.ts'
import type { Handlers, Message } from '../../core/jobs/outbox.ts'
import { createDocuments, type Storage } from '../../core/storage/index.ts'
import { unusedMoneyStatements } from './statements.ts'

/** A payment that stayed with the site and opened nothing. */
export interface UnusedPayment {
  /** Names it in forms and in the log. */
  readonly key: string
  readonly provider: string
  readonly account: string
  readonly subscription_id: string
  readonly payment_id: string
  /** When the site noticed, ISO 8601 UTC. */
  readonly since: string
  /** The operator who marked it as done, and when. Absent while it is open. */
  readonly settled_by?: string
  readonly settled_at?: string
}

/** An unused payment with the rest of its money and the member who made it. */
export interface OpenUnusedPayment extends UnusedPayment {
  /** Minor units of the provider, without what was refunded. */
  readonly amount: number
  readonly currency: string | null
  readonly member_id: string | null
}

type Ended = Pick<UnusedPayment, 'provider' | 'account'> & { readonly id: string }

export interface UnusedMoney {
  /** The message that has a subscription looked at. */
  messagesOf(ended: Ended): Message[]
  readonly handlers: Handlers
  /** Lists what waits for an operator, oldest first. */
  list(): Promise<OpenUnusedPayment[]>
  /** Marks a payment as done; it is never noted again. */
  settle(key: string, by: string): Promise<void>
}

/**
 * Notes money that arrived after the end of a subscription and opened nothing, once for each payment. It leaves the list
 * when it is refunded in full, when it opens something after all, or when an operator settles it.
 */
export function createUnusedMoney(deps: {
  storage: Storage
  rules: () => PeriodRules
  now: () => Date
}): UnusedMoney {
  const { storage, rules, now } = deps
  const noted = createDocuments(storage, 'unused-money')
  const statements = unusedMoneyStatements(storage)

  const messagesOf = ({ provider, account, id }: Ended): Message[] => [
    {
      id: `unused-money:${provider}:${account}:${id}`,
      lane: `unused-money:${id}`,
      kind: 'unused-money',
      payload: { provider, account, id },
    },
  ]

  const find = async ({ provider, account, id }: Ended) => {
    const key = { provider, account }
    const [row] = await storage.all(statements.subscription, { ...key, id })
    if (row === undefined) return { unused: [], memberId: null }
    const { data, opens_at, owner_id, member_id: memberId } = row
    const rows = await storage.all(statements.payments, { ...key, owner_id, subscription_id: id })
    const subscription = toSubscription({ ...(JSON.parse(data) as SubscriptionData), opens_at })
    const paid = rows.map((payment) => toPayment(JSON.parse(payment.data) as PaymentData))
    return { unused: paidForNothing(subscription, paid, rules()), memberId }
  }

  const handlers: Handlers = {
    'unused-money': async ({ payload }) => {
      const ended = payload as Ended
      const { unused } = await find(ended)
      for (const { provider, account, id: payment_id } of unused) {
        const key = [provider, account, payment_id].join(' ')
        if ((await noted.get(key)) !== null) continue
        const note: UnusedPayment = {
          key,
          provider,
          account,
          payment_id,
          subscription_id: ended.id,
          since: now().toISOString(),
        }
        await noted.put(key, note)
      }
    },
  }

  const list = async (): Promise<OpenUnusedPayment[]> => {
    const open: OpenUnusedPayment[] = []
    for (const note of await noted.list<UnusedPayment>('')) {
      if (note.settled_at !== undefined) continue
      const { unused, memberId } = await find({ ...note, id: note.subscription_id })
      const payment = unused.find(({ id }) => id === note.payment_id)
      if (payment === undefined) continue
      const { amount, amount_refunded, currency } = payment
      open.push({ ...note, amount: amount - amount_refunded, currency, member_id: memberId })
    }
    return open.sort((a, b) => (a.since < b.since ? -1 : 1))
  }

  return {
    messagesOf,
    handlers,
    list,
    settle: async (key: string, by: string): Promise<void> => {
      const note = await noted.get<UnusedPayment>(key)
      if (note !== null)
        await noted.put(key, {
          ...note,
          settled_by: by,
          settled_at: now().toISOString(),
        } satisfies UnusedPayment)
    },
  }
}
