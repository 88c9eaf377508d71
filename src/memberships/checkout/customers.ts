import { createHash } from 'node:crypto'
import { isMembershipError } from '../../core/errors.ts'
import type { Handlers, Message, Outbox } from '../../core/jobs/outbox.ts'
import type { Storage } from '../../core/storage/index.ts'
import type { ProviderReader } from '../../providers/contract.ts'
import type { Ledger } from '../ledger/index.ts'
import type { User } from '../members/index.ts'
import { type Changes, offers } from '../subscriptions/index.ts'
import { providerAt } from '../verification/index.ts'
import type { MissingCustomers } from './missing-customers.ts'
import { unsupported } from './target.ts'

/** A new address or name that the member entered. */
export interface CustomerData {
  readonly email?: string
  readonly name?: string | null
}

export interface Customers {
  /**
   * Queues the given data for one provider, unchanged.
   * @throws ERR_PROVIDER_UNSUPPORTED where it accepts no update
   */
  push(user: User, provider: string, data: CustomerData): Promise<void>
  /**
   * Builds messages to every provider that knows the member, for the unit that changes the name or address. Each reads
   * the member's data at delivery, because an outage may outlast the next change.
   */
  messages(user: User, data: CustomerData): Message[]
  readonly handlers: Handlers
}

/** Sends changed names and addresses to the providers. They arrive in order for each customer, also after an outage. */
export function createCustomers(deps: {
  storage: Storage
  outbox: Outbox
  ledger: Ledger
  changes: Changes
  providers: ReadonlyMap<string, ProviderReader>
  unlessMissing: MissingCustomers['unlessMissing']
  findMember: (id: string) => Promise<User | null>
  randomId: () => string
}): Customers {
  const { storage, outbox, ledger, changes, providers, unlessMissing, findMember, randomId } = deps

  /**
   * Builds messages to one provider, one per customer of the member. There are none without a customer, or where the
   * provider accepts no update.
   */
  const messagesTo = (user: User, provider: string, update: CustomerUpdate): Message[] =>
    user.customers(provider).flatMap(({ id, account }) => {
      if (!offers(providerAt(providers, provider, account), 'updateCustomer')) return []
      const payload: Payload = { provider, account, customer_id: id, ...update }
      return [{ id: `customer:${randomId()}`, lane: `customer:${provider}:${id}`, kind: 'customer', payload }]
    })

  const messages = (user: User, data: CustomerData): Message[] => {
    const update = { member_id: user.id, data }
    return [...providers.keys()].flatMap((provider) => messagesTo(user, provider, update))
  }

  const push = async (user: User, provider: string, data: CustomerData): Promise<void> => {
    const queued = messagesTo(user, provider, { data })
    if (queued.length === 0 && user.customers(provider).length > 0)
      throw unsupported({ key: provider }, 'change the name or address of a customer')
    if (queued.length === 0) return
    await storage.commit(outbox.steps(queued))
    outbox.nudge()
  }

  const handlers: Handlers = {
    customer: async ({ id, payload }) => {
      const { provider, account, customer_id, ...update } = payload as Payload
      const asked = providerAt(providers, provider, account)
      const data = await present(update)
      if (!offers(asked, 'updateCustomer') || data === null) return
      // An idempotency key belongs to one content, so the data is part of it.
      const key = `${id}:${createHash('sha256').update(JSON.stringify(data)).digest('base64url').slice(0, 12)}`
      const request = {
        kind: 'updateCustomer' as const,
        provider,
        account,
        object: customer_id,
        memberId: update.member_id ?? null,
        requestedBy: { kind: 'member' as const },
        name: key,
        reason: 'another name or address',
        mayRepeat: true,
      }
      // Where the customer no longer exists there, the update is dropped.
      await unlessMissing({ provider, account, id: customer_id }, () =>
        changes
          .perform(request, { customerId: customer_id, ...data }, async (fetched, noted) => {
            const origin = { provider, account, id: `fetch:${id}`, source: 'fetch' as const, at: fetched.at }
            await ledger.apply(fetched.changes, origin, noted)
            return fetched
          })
          .catch(unlessShared),
      )
    },
  }
  /** The member's current name and address, for updates of the member's own data; null once the member is gone. */
  const present = async ({ member_id, data }: CustomerUpdate): Promise<CustomerData | null> => {
    if (member_id === undefined) return data
    const user = await findMember(member_id)
    return (
      user && {
        ...('email' in data && user.email !== null ? { email: user.email } : {}),
        ...('name' in data ? { name: user.name } : {}),
      }
    )
  }

  return { push, messages, handlers }
}

// Another shop reads the customer's name and address, too. They stay, and only this site has the new ones.
function unlessShared(error: unknown): null {
  if (isMembershipError(error, 'ERR_ACTION_REFUSED') && error.reason === 'foreign') return null
  throw error
}

interface CustomerUpdate {
  /** Set when the data is this member's own name and address. */
  readonly member_id?: string
  readonly data: CustomerData
}

interface Payload extends CustomerUpdate {
  readonly provider: string
  readonly account: string
  readonly customer_id: string
}
