import type { Customer } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import { inAccount, type Storage } from '../../core/storage/index.ts'
import type { ProviderReader } from '../../providers/contract.ts'
import type { Ledger } from '../ledger/index.ts'
import type { User, Users } from '../members/index.ts'
import { providerAt } from '../verification/index.ts'

/** Statements that only read. The caller ends what they find. */
export function missingCustomerStatements(storage: Storage) {
  return {
    /** Statements about customers that their provider deleted. */
    livingOf: storage.prepare<{ provider: string; account: string; customer_id: string }, { id: string }>(
      'subscriptions-living-of',
      (db, p) =>
        db
          .selectFrom('subscriptions')
          .select('id')
          .where(inAccount(p))
          .where('owner_id', '=', p.customer_id)
          .where('status', 'not in', ['canceled', 'expired'])
          .orderBy('id'),
    ),
  }
}

export interface MissingCustomersDeps {
  readonly storage: Storage
  readonly ledger: Ledger
  readonly providers: ReadonlyMap<string, ProviderReader>
  readonly users: Pick<Users, 'findById'>
}

type CustomerKey = Pick<Customer, 'provider' | 'account' | 'id'>

/** Calls that tolerate a customer missing at the provider. */
export interface MissingCustomers {
  /**
   * Makes a call about one customer; null where that customer is missing.
   * @throws as `call`
   */
  readonly unlessMissing: <T>(customer: CustomerKey, call: () => Promise<T>) => Promise<T | null>
  /**
   * Makes a call for a member. If it is refused, it is repeated once without the missing customers.
   * @throws as `call`
   */
  readonly forLiving: <T, U extends User | null>(
    user: U,
    key: string,
    call: (user: U) => Promise<T>,
  ) => Promise<T>
}

/**
 * Handles calls about customers that the provider deleted without an event reaching us. After a refused call the
 * provider is asked, and our state records the deletion.
 */
export function createMissingCustomers({
  storage,
  ledger,
  providers,
  users,
}: MissingCustomersDeps): MissingCustomers {
  const statements = missingCustomerStatements(storage)

  const unlessMissing = async <T>(customer: CustomerKey, call: () => Promise<T>): Promise<T | null> => {
    try {
      return await call()
    } catch (error) {
      if (isRefusal(error) && (await isMissing(customer))) return null
      throw error
    }
  }

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

  /** The member without missing customers; null while the provider knows all of them. */
  const without = async (user: User, key: string): Promise<User | null> => {
    const missing: CustomerKey[] = []
    for (const customer of user.customers(key)) if (await isMissing(customer)) missing.push(customer)
    return missing.length === 0 ? null : hide((await users.findById(user.id)) ?? user, missing)
  }

  const isMissing = async ({ provider: key, account, id }: CustomerKey): Promise<boolean> => {
    const provider = providerAt(providers, key, account)
    if (!provider?.fetch) return false
    const fetched = await provider.fetch({ kind: 'customer', id })
    // The customer may belong to another mode or account. It cannot be used here, and its deletion is not recorded.
    if (fetched === null) return true
    if (!fetched.changes.some((c) => c.type === 'customer' && c.data.deleted)) return false
    const origin = { provider: key, account, id: `fetch:customer:${id}`, source: 'fetch' as const }
    // A customer's deletion ends its subscriptions, and their events may be lost as well.
    const living = await storage.all(statements.livingOf, { provider: key, account, customer_id: id })
    const fetches = living.flatMap((s) =>
      ledger.requestFetch(origin, { kind: 'subscription', id: s.id }, fetched.at),
    )
    await ledger.apply(fetched.changes, { ...origin, at: fetched.at }, fetches)
    return true
  }

  return { unlessMissing, forLiving }
}

function hide(user: User, missing: readonly CustomerKey[]): User {
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
 * True for a provider's answer that a parameter names a missing object:
 * https://docs.stripe.com/error-codes#resource-missing
 */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof MembershipError)) return false
  const { statusCode } = (error.cause ?? {}) as { statusCode?: unknown }
  return statusCode === 400 || statusCode === 404
}
