import { MembershipError } from '../core/errors.ts'
import type { Answer, ListApi, ObjectApi } from './api.ts'
import { once } from './call-once.ts'
import type { CustomerUpdate, Fetched } from './contract.ts'
import { address, type RestRequest } from './rest.ts'

/** Makes one change of an object, unless it `isDone` already. `request` builds it from the current state. */
export type Reach<Raw, Shown = Raw> = (
  id: string,
  isDone: (raw: Shown) => boolean,
  request: (raw: Shown) => RestRequest,
) => Promise<Answer<Raw>>

/**
 * Builds `Reach` for a provider without idempotency keys: each change looks at the current state first, and
 * again after a lost answer.
 */
export function createReach<Raw, Shown = Raw>({
  ask,
  read,
  shown,
  answersWithObject = false,
}: {
  readonly ask: ListApi['ask']
  /** Reads the current state. */
  readonly read: (id: string) => Promise<Answer<Raw>>
  /** Returns the part of an answer that `isDone` and `request` look at. */
  readonly shown: (raw: Raw) => Shown
  /** True if the answer to a change is the changed object; else it is read again. */
  readonly answersWithObject?: boolean
}): Reach<Raw, Shown> {
  return async (id, isDone, request) => {
    const before = await read(id)
    if (isDone(shown(before.raw))) return before
    const { after } = await once<{ after: Answer<Raw> | null }>({
      make: async () => {
        const answer = await ask<Raw>(`subscription ${id}`, request(shown(before.raw)))
        return { after: answersWithObject ? answer : null }
      },
      find: async () => {
        const now = await read(id)
        return isDone(shown(now.raw)) ? { after: now } : null
      },
    })
    return after ?? read(id)
  }
}

/**
 * Builds the methods about customers, for a provider that has them at `/customers/{id}` and lists
 * subscriptions by `customer_id`.
 */
export function customerMethods<Objects extends { customer: unknown; subscription: unknown }>(
  api: ObjectApi<Objects>,
  { subscriptions = '/subscriptions' } = {},
) {
  return {
    updateCustomer: async (update: CustomerUpdate): Promise<Fetched> => {
      const { customerId: id } = update
      const { raw, at } = await api.ask<Objects['customer']>(`customer ${id}`, {
        method: 'PATCH',
        path: address`/customers/${id}`,
        body: changedFields(update),
        // Repeating the request has no further effect.
        isRepeatable: true,
      })
      return api.toFetched('customer', [raw], at)
    },

    subscriptionsOf: async (customer: string): Promise<Fetched> => {
      const { all, at } = await api.all<Objects['subscription']>(
        `subscriptions of ${customer}`,
        subscriptions,
        {
          customer_id: customer,
        },
      )
      return api.toFetched('subscription', all, at)
    },
  }
}

/**
 * Returns the fields of a customer that are to be changed; others stay. `noName` is how the provider writes
 * that there is no name.
 */
export function changedFields(
  { email, name }: Pick<CustomerUpdate, 'email' | 'name'>,
  noName: '' | null = null,
): { readonly email?: string; readonly name?: string | null } {
  return {
    ...(email === undefined ? {} : { email }),
    ...(name === undefined ? {} : { name: name ?? noName }),
  }
}

/** Builds the error of a pause that was made at the provider, which does not tell what resuming costs. */
export function pausedThere(provider: string, reason: string, action: string): MembershipError {
  return new MembershipError(
    'ERR_PROVIDER_UNSUPPORTED',
    `A pause that was made at ${provider} is ended there: ${reason}.`,
    { action },
  )
}
