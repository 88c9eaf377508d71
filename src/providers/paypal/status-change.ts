import type { Price } from '../../core/dto/index.ts'
import { mayBeDone } from '../call-once.ts'
import type { Fetched } from '../contract.ts'
import { address, type RestAnswer } from '../rest.ts'
import { issueOf, type PayPalApi } from './api.ts'
import { soldBy } from './held.ts'
import { nextBilling } from './notes.ts'
import type { Subscription } from './payload.ts'
import { isFailing, paidBeyond } from './periods.ts'
import { found, type PayPalReader } from './read-objects.ts'

/** Dependencies of actions on a subscription. */
export interface Acting {
  readonly api: PayPalApi
  readonly objects: PayPalReader
  readonly priceOf: (id: string) => Price | undefined
  readonly now: () => Date
}

/** Reads the subscription from PayPal. @throws ERR_NOT_FOUND */
export const readSubscription = ({ objects }: Acting, id: string): Promise<RestAnswer<Subscription>> =>
  found(objects.subscription(id), id)

/** Returns the same as ledger changes. */
export const told = ({ objects }: Acting, answer: RestAnswer<Subscription>): Fetched =>
  objects.changes('subscription', answer)

const calls = { CANCELLED: 'cancel', ACTIVE: 'activate' } as const

/** Brings a subscription to a status. These calls take no idempotency key, so after a lost answer or a
 *  refusal the subscription shows if it was done. */
export const bringTo = async (
  acting: Acting,
  id: string,
  status: keyof typeof calls,
  reason: string,
): Promise<RestAnswer<Subscription>> => {
  const does = calls[status]
  try {
    const path = address`/v1/billing/subscriptions/${id}/${does}`
    await acting.api.ask(`${does} of ${id}`, { method: 'POST', path, body: { reason } })
    return await readSubscription(acting, id)
  } catch (error) {
    if (!mayBeDone(error) && issueOf(error) !== 'SUBSCRIPTION_STATUS_INVALID') throw error
    const current = await readSubscription(acting, id)
    if (current.raw.status === status) return current
    throw error
  }
}

/** Returns the end of the paid time of a running subscription; null if nothing is paid beyond now. */
export const paidEnd = ({ now, priceOf }: Acting, { raw }: RestAnswer<Subscription>): string | null => {
  const at = now().toISOString()
  const later = nextBilling(raw)
  if (isFailing(raw)) return null
  return later !== null && later > at ? later : paidBeyond(raw, soldBy(raw, priceOf).cost, at)
}
