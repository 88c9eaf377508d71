import type { Handlers, Message, Outbox } from '../jobs/outbox.ts'
import type { Ledger } from '../ledger/index.ts'
import type { User } from '../members/index.ts'
import { providerAt } from '../providers/accounts.ts'
import type { Provider } from '../providers/contract.ts'
import type { Storage } from '../storage/index.ts'
import { askAnew } from './final.ts'

/** Another address or name, as the member gave it. */
export interface CustomerData {
  readonly email?: string
  readonly name?: string | null
}

/** Sends changed names and addresses to the providers, in order for each customer, also after an outage of theirs. */
export const createCustomers = (deps: {
  storage: Storage
  outbox: Outbox
  ledger: Ledger
  providers: ReadonlyMap<string, Provider>
  randomId: () => string
}) => {
  const { storage, outbox, ledger, providers, randomId } = deps

  /** What tells one provider; nothing where the member is no customer or the provider takes none. */
  const messagesTo = (user: User, provider: string, data: CustomerData): Message[] => {
    const customer = user.customer(provider)
    if (customer === null) return []
    const { id, account } = customer
    if (!providerAt(providers, provider, account)?.updateCustomer) return []
    const payload: Payload = { provider, account, customer_id: id, data }
    return [{ id: `customer:${randomId()}`, lane: `customer:${provider}:${id}`, kind: 'customer', payload }]
  }

  /** What tells every provider that knows the member, for the unit that changes the name or address. */
  const messages = (user: User, data: CustomerData): Message[] =>
    [...providers.keys()].flatMap((provider) => messagesTo(user, provider, data))

  /** Queues the change for one provider. */
  const push = async (user: User, provider: string, data: CustomerData): Promise<void> => {
    const queued = messagesTo(user, provider, data)
    if (queued.length === 0) return
    await storage.commit(outbox.steps(queued))
    outbox.nudge()
  }

  const handlers: Handlers = {
    customer: async ({ id, payload }) => {
      const { provider, account, customer_id, data } = payload as Payload
      const asked = providerAt(providers, provider, account)
      if (!asked?.updateCustomer) return
      const fetched = await askAnew({ key: id, randomId }, (idempotencyKey) =>
        asked.updateCustomer!({ customerId: customer_id, idempotencyKey, ...data }),
      )
      const origin = { provider, account, id: `fetch:${id}`, source: 'fetch' as const, at: fetched.at }
      await ledger.apply(fetched.changes, origin)
    },
  }
  return { push, messages, handlers }
}
export type Customers = ReturnType<typeof createCustomers>

interface Payload {
  readonly provider: string
  readonly account: string
  readonly customer_id: string
  readonly data: CustomerData
}
