import type { Answer } from '../api.ts'
import type { Changed, Fetched, Provider } from '../contract.ts'
import { str } from '../narrow.ts'
import { address } from '../rest.ts'
import { createReach, customerMethods } from '../subscriptions.ts'
import type { PolarApi } from './api.ts'
import type { Subscription } from './payload.ts'
import { portalOf } from './sessions.ts'
import { type Step, scheduleOf, swapOf } from './swaps.ts'

/**
 * Actions on a subscription and its customer. Polar has no idempotency keys, so each call checks the current
 * state first, and again after a lost answer. https://polar.sh/docs/api-reference/subscriptions/update
 */
export function polarSubscriptions(api: PolarApi) {
  const read = (id: string): Promise<Answer<Subscription>> =>
    api.ask(`subscription ${id}`, { path: address`/subscriptions/${id}` })

  const reach = createReach({ ask: api.ask, read, shown: (raw) => raw, answersWithObject: true })
  const toFetched = ({ raw, at }: Answer<Subscription>): Fetched => api.toFetched('subscription', [raw], at)
  const walk = async (id: string, steps: readonly Step[]): Promise<Changed> => {
    let last: Answer<Subscription> | null = null
    for (const { isDone, body } of steps)
      last = await reach(id, isDone, () => ({ method: 'PATCH', path: address`/subscriptions/${id}`, body }))
    return toFetched(last ?? (await read(id)))
  }

  return {
    swap: (request) => walk(request.subscription.id, swapOf(request)),
    schedule: (request) => walk(request.subscription.id, scheduleOf(request)),
    unschedule: ({ subscriptionId: id }) =>
      walk(id, [{ isDone: (raw) => raw.pending_update === null, body: { pending_update: null } }]),

    cancel: async ({ subscriptionId: id, when }) => {
      const { raw } = await read(id)
      // During a pause nothing is paid, so there is no period to wait for.
      const isNow = when === 'now' || raw.status === 'paused'
      return walk(id, [isNow ? endsNow : endsLater])
    },

    resume: async ({ subscriptionId: id }) => {
      const { raw } = await read(id)
      if (raw.status === 'paused') return walk(id, [goesOn])
      return walk(id, [staysOn, staysAwake])
    },

    pause: ({ subscriptionId: id, until }) =>
      walk(id, [
        {
          isDone: (raw) => raw.status === 'paused' || raw.pause_at_period_end === true,
          body: { pause_at_period_end: true, ...(until === null ? {} : { resumes_at: until }) },
        },
      ]),

    // Open invoices are paid in the portal, with another card: https://polar.sh/docs/features/customer-portal
    payUrl: async (id) => {
      const { raw } = await read(id)
      const customer = str(raw.customer_id)
      if (raw.status !== 'past_due' || customer === null) return null
      return (await portalOf(api, customer)).url || null
    },

    ...customerMethods(api, { subscriptions: '/subscriptions/' }),
  } satisfies Partial<Provider>
}

function isOver({ status }: Subscription): boolean {
  return status === 'canceled'
}

const endsNow: Step = { isDone: isOver, body: { revoke: true } }
const endsLater: Step = {
  isDone: (raw) => isOver(raw) || raw.cancel_at_period_end === true,
  body: { cancel_at_period_end: true },
}
const goesOn: Step = { isDone: ({ status }) => status !== 'paused', body: { resume: true } }
const staysOn: Step = {
  isDone: (raw) => raw.cancel_at_period_end !== true,
  body: { cancel_at_period_end: false },
}
const staysAwake: Step = {
  isDone: (raw) => raw.pause_at_period_end !== true,
  body: { pause_at_period_end: false },
}
