import { MembershipError } from '../../core/errors.ts'
import { once } from '../call-once.ts'
import type { Changed, Fetched, Provider } from '../contract.ts'
import { type Json, obj, str } from '../narrow.ts'
import { address } from '../rest.ts'
import type { LemonSqueezyAnswer, LemonSqueezyApi } from './api.ts'
import { patch, type Reach } from './requests.ts'
import { createSwaps } from './swaps.ts'

type Calls = Required<Pick<Provider, 'swap' | 'cancel' | 'resume' | 'payUrl'>>

/** Actions on a subscription. Lemon Squeezy has no idempotency keys, so each call checks the current state
 *  first, and again after a lost answer.
 *  https://docs.lemonsqueezy.com/guides/developer-guide/managing-subscriptions */
export const lemonSqueezySubscriptions = (api: LemonSqueezyApi): Calls => {
  const read = (id: string): Promise<LemonSqueezyAnswer> =>
    api.ask('a subscription', { path: address`/v1/subscriptions/${id}` })

  const reach: Reach = async (id, isDone, request) => {
    const before = await read(id)
    const shown = obj(before.data.attributes)
    if (isDone(shown)) return before
    const find = async () => {
      const after = await read(id)
      return isDone(obj(after.data.attributes)) ? after : null
    }
    await once<unknown>({ make: () => api.ask('a change', request(shown)), find })
    // The request may have changed an item, so the subscription is read again.
    return read(id)
  }
  const toFetched = ({ data, at }: LemonSqueezyAnswer): Fetched => api.told([data], at)

  return {
    swap: createSwaps({ api, read, reach }),

    // There is no immediate cancellation: the paid period stays paid.
    cancel: async ({ subscriptionId: id }) =>
      toFetched(
        await reach(
          id,
          ({ cancelled, status }) => cancelled === true || status === 'expired',
          () => ({ method: 'DELETE', path: address`/v1/subscriptions/${id}` }),
        ),
      ),

    resume: async ({ subscriptionId: id }): Promise<Changed> => {
      const { data } = await read(id)
      if (isPaused(obj(data.attributes))) throw pausedThere()
      return toFetched(
        await reach(
          id,
          ({ cancelled }) => cancelled === false,
          () => patch(id, { cancelled: false }),
        ),
      )
    },

    payUrl: async (id) => {
      const { status, urls } = obj((await read(id)).data.attributes)
      return status === 'past_due' || status === 'unpaid' ? str(obj(urls).update_payment_method) : null
    },
  }
}

const isPaused = ({ status, pause }: Json): boolean => status === 'paused' || obj(pause).mode !== undefined

// It would continue without payment until the next one is due, however long the unpaid time was.
const pausedThere = (): MembershipError =>
  new MembershipError(
    'ERR_PROVIDER_UNSUPPORTED',
    'A pause that was made at Lemon Squeezy is ended there: going on takes no payment.',
    { action: 'Unpause it in the Lemon Squeezy dashboard (Subscriptions).' },
  )
