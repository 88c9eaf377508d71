import type { Customer } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import type { Storage } from '../../core/storage/index.ts'
import type { ProviderReader } from '../../providers/contract.ts'
import type { Ledger } from '../ledger/index.ts'
import type { User, Users } from '../members/index.ts'
import { providerAt } from '../verification/provider-at.ts'

/** Only reads; to end what it finds is for the caller. */
export const missingCustomerStatements = (storage: Storage) => ({
  /** Queries for customers that their provider deleted. */
  livingOf: storage.prepare<{ provider: string; account: string; customer_id: string }, { id: string }>(
    'subscriptions-living-of',
    (db, p) =>
      db
        .selectFrom('subscriptions')
        .select('id')
        .where('provider', '=', p.provider)
        .where('account', '=', p.account)
        .where('owner_id', '=', p.customer_id)
        .where('status', 'not in', ['canceled', 'expired'])
        .orderBy('id'),
  ),
})

/** Dependencies of the search for deleted customers. */
export interface MissingCustomersDeps {
  readonly storage: Storage
  readonly ledger: Ledger
  readonly providers: ReadonlyMap<string, ProviderReader>
  readonly users: Pick<Users, 'findById'>
}

type CustomerKey = Pick<Customer, 'provider' | 'account' | 'id'>

/**
 * Calls about customers that may be gone: deleted at the provider, while the message of it was lost. Where a call is
 * refused the provider is asked, and our books say it from then on.
 */
export const createMissingCustomers = ({ storage, ledger, providers, users }: MissingCustomersDeps) => {
  const statements = missingCustomerStatements(storage)

  /** Makes a call about one customer; null where that customer is gone. @throws as `call` */
  const unlessMissing = async <T>(customer: CustomerKey, call: () => Promise<T>): Promise<T | null> => {
    try {
      return await call()
    } catch (error) {
      if (isRefusal(error) && (await isMissing(customer))) return null
      throw error
    }
  }

  /** Makes a call in the name of a member; where it is refused, once more for the member without the customers that are
   *  gone. @throws as `call` */
  const forLiving = async <T, U extends User | null>(
    user: U,
    key: string,
    call: (user: U) => Promise<T>,
  ): Promise<T> => {
    try {
      return await call(user)
    } catch (error) {
      const rest = user !== null && isRefusal(error) ? await without(user, key) : null
      if (rest === null) throw error
      return call(rest as U)
    }
  }

  /** The member without the customers that are gone; null while the provider knows all of them. */
  const without = async (user: User, key: string): Promise<User | null> => {
    const missing: CustomerKey[] = []
    for (const customer of user.customers(key)) if (await isMissing(customer)) missing.push(customer)
    return missing.length === 0 ? null : hide((await users.findById(user.id)) ?? user, missing)
  }

  const isMissing = async ({ provider: key, account, id }: CustomerKey): Promise<boolean> => {
    const provider = providerAt(providers, key, account)
    if (!provider?.fetch) return false
    const fetched = await provider.fetch({ kind: 'customer', id })
    // Of another mode or account of the provider, perhaps: nothing to note, and no use here.
    if (fetched === null) return true
    if (!fetched.changes.some((c) => c.type === 'customer' && c.data.deleted)) return false
    const origin = { provider: key, account, id: `fetch:customer:${id}`, source: 'fetch' as const }
    // With a customer its subscriptions end, and their messages may be lost as well.
    const living = await storage.all(statements.livingOf, { provider: key, account, customer_id: id })
    const fetches = living.flatMap((s) =>
      ledger.requestFetch(origin, { kind: 'subscription', id: s.id }, fetched.at),
    )
    await ledger.apply(fetched.changes, { ...origin, at: fetched.at }, fetches)
    return true
  }

  return { unlessMissing, forLiving }
}
/** Calls that survive a customer who is gone at the provider. */
export type MissingCustomers = ReturnType<typeof createMissingCustomers>

const hide = (user: User, missing: readonly CustomerKey[]): User => {
  const customers = (provider: string) =>
    user
      .customers(provider)
      .filter(({ id, account }) => !missing.some((g) => g.id === id && g.account === account))
  return {
    ...user,
    customers,
    customer: (provider) => customers(provider)[0] ?? null,
    customerId: (provider) => customers(provider)[0]?.id ?? null,
  }
}

/**
 * Recognises a provider's answer to parameters that name nothing:
 * https://docs.stripe.com/error-codes#resource-missing
 */
const isRefusal = (error: unknown): boolean => {
  if (!(error instanceof MembershipError)) return false
  const { statusCode } = (error.cause ?? {}) as { statusCode?: unknown }
  return statusCode === 400 || statusCode === 404
}
