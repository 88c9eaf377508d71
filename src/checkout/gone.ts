import { type Customer, isEnded } from '../dto/index.ts'
import { MembershipError } from '../errors.ts'
import type { Ledger } from '../ledger/index.ts'
import type { User, Users } from '../members/index.ts'
import { providerAt } from '../providers/accounts.ts'
import type { Provider } from '../providers/contract.ts'

export interface GoneDeps {
  readonly ledger: Ledger
  readonly providers: ReadonlyMap<string, Provider>
  readonly users: Pick<Users, 'findById'>
}

/**
 * Makes a call in the name of a member's customer. Where it is refused and the provider, asked, knows that customer no
 * more (it was deleted there and the message was lost), our books say so from then on, and the call is made once more for
 * the member as they are without it.
 */
export const createForLiving = ({ ledger, providers, users }: GoneDeps) => {
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

  /** The member without the customer that is gone; null while the provider knows it. */
  const without = async (user: User, key: string): Promise<User | null> => {
    const customer = user.customer(key)
    const fetch = customer && providerAt(providers, key, customer.account)?.fetch
    if (!customer || !fetch) return null
    const { id, account } = customer
    const fetched = await fetch({ kind: 'customer', id })
    if (fetched !== null) {
      const isGone = fetched.changes.some((c) => c.type === 'customer' && c.data.deleted)
      if (!isGone) return null
      const origin = { provider: key, account, id: `fetch:customer:${id}`, source: 'fetch' as const }
      await ledger.apply(fetched.changes, { ...origin, at: fetched.at }, endsOf(user, customer, fetched.at))
    }
    const rest = (await users.findById(user.id)) ?? user
    return rest.customerId(key) === id ? hide(rest, key) : rest
  }

  // With a customer its subscriptions end, and their messages may be lost as well.
  const endsOf = (
    user: User,
    { provider, account, id }: Pick<Customer, 'provider' | 'account' | 'id'>,
    dueAt: string,
  ) =>
    user
      .subscriptions()
      .filter((s) => s.provider === provider && s.customer_id === id && !isEnded(s))
      .flatMap((s) => ledger.wish({ provider, account }, { kind: 'subscription', id: s.id }, dueAt))

  return forLiving
}
export type ForLiving = ReturnType<typeof createForLiving>

// Of another mode or account of the provider, perhaps: nothing to note, and no use here.
const hide = (user: User, key: string): User => ({
  ...user,
  customer: (provider) => (provider === key ? null : user.customer(provider)),
  customerId: (provider) => (provider === key ? null : user.customerId(provider)),
})

/** What a provider says to parameters that name nothing: https://docs.stripe.com/error-codes#resource-missing */
const isRefusal = (error: unknown): boolean => {
  if (!(error instanceof MembershipError)) return false
  const { statusCode } = (error.cause ?? {}) as { statusCode?: unknown }
  return statusCode === 400 || statusCode === 404
}
