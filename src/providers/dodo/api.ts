import { type Answer, type ApiOptions, changesOfAll, createListApi, fetchBy, type ObjectApi } from '../api.ts'
import type { ApiWords } from '../api-errors.ts'
import type { Fetched } from '../contract.ts'
import { str } from '../narrow.ts'
import { address } from '../rest.ts'
import { answeredChanges } from './changes.ts'
import type { CheckoutSession, DodoObjects } from './payload.ts'

/** Names of Dodo's API in error messages. */
export const dodoWords: ApiWords = {
  name: 'Dodo Payments',
  option: 'membership.providers.dodo.secret',
  keys: 'the Dodo Payments dashboard (Developer, API keys)',
  requests: 'in the Dodo Payments dashboard under Developer',
}

/** Dodo's API. */
export interface DodoApi extends ObjectApi<DodoObjects> {
  /** Reads the current state of one object; null when Dodo does not know it. */
  read<K extends keyof DodoObjects>(kind: K, id: string): Promise<Answer<DodoObjects[K]> | null>
}

// https://docs.dodopayments.com/api-reference/payments/get-payments: at most a hundred, and the first page is
// 0
const pageSize = 100

/**
 * Uses our own client, because Dodo's package hides the time of an answer.
 * https://docs.dodopayments.com/api-reference/introduction
 */
export function createDodoApi({ secret, base, now }: ApiOptions): DodoApi {
  const api = createListApi({
    base,
    words: dodoWords,
    now,
    headers: () => ({ authorization: `Bearer ${secret}` }),
    faultOf: ({ code }) => ({ code }),
    placeOf: (after) => ({ page_number: after ?? '0', page_size: pageSize }),
    // The answer does not say if more follow.
    nextOf: (_raw, { items, after }) => (items.length < pageSize ? null : `${Number(after ?? 0) + 1}`),
  })
  const toFetched = changesOfAll<DodoObjects>(answeredChanges)
  const read: DodoApi['read'] = (kind, id) => api.find(`${kind} ${id}`, `/${kind}s${address`/${id}`}`)
  const readObject = (kind: keyof DodoObjects) => async (id: string) => {
    const found = await read(kind, id)
    return found && toFetched(kind, [found.raw], found.at)
  }
  /**
   * Fetches the result of a checkout page: its payment, and that payment's subscription. A trial may begin
   * without a payment; then its event reports it.
   * https://docs.dodopayments.com/api-reference/checkout-sessions/get-checkouts
   */
  const fetchPage = async (id: string): Promise<Fetched | null> => {
    const session = await api.find<CheckoutSession>(`checkout ${id}`, address`/checkouts/${id}`)
    if (session === null) return null
    const paid = str(session.raw.payment_id)
    const payment = paid === null ? null : await read('payment', paid)
    const subscription = str(payment?.raw.subscription_id)
    const begun = subscription === null ? null : await read('subscription', subscription)
    return {
      changes: [
        ...(payment === null ? [] : answeredChanges('payment', payment.raw)),
        ...(begun === null ? [] : answeredChanges('subscription', begun.raw)),
      ],
      at: session.at,
    }
  }
  const fetchers = {
    subscription: readObject('subscription'),
    customer: readObject('customer'),
    payment: readObject('payment'),
    refund: readObject('refund'),
    dispute: readObject('dispute'),
  }
  return {
    ...api,
    toFetched,
    read,
    fetch: fetchBy({
      ...fetchers,
      checkout: (id) => {
        // The purchase itself carries our note, because its events name no page.
        if (id.startsWith('sub_')) return fetchers.subscription(id)
        return id.startsWith('pay_') ? fetchers.payment(id) : fetchPage(id)
      },
      link: null,
    }),
  }
}
