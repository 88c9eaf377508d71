import type { Answer } from '../api.ts'
import type { Fetched, Provider } from '../contract.ts'
import { obj, str } from '../narrow.ts'
import { address, type RestRequest } from '../rest.ts'
import { createReach, customerMethods, pausedThere } from '../subscriptions.ts'
import type { DodoApi } from './api.ts'
import type { MethodPage, PlanChange, Preview, Subscription, SubscriptionUpdate } from './payload.ts'
import {
  afterPayment,
  changeBody,
  howOf,
  isPlanned,
  isSoldAt,
  newestPayment,
  planBody,
  previewOf,
} from './swaps.ts'

/**
 * Actions on a subscription and its customer. Dodo has no idempotency keys, so each call checks the current
 * state first, and again after a lost answer.
 * https://docs.dodopayments.com/api-reference/subscriptions/patch-subscriptions
 */
export function dodoSubscriptions(api: DodoApi, now: () => Date) {
  const read = (id: string): Promise<Answer<Subscription>> =>
    api.ask(`subscription ${id}`, { path: address`/subscriptions/${id}` })
  const reach = createReach({ ask: api.ask, read, shown: (raw) => raw })
  const patch = (id: string, body: SubscriptionUpdate): RestRequest => ({
    method: 'PATCH',
    path: address`/subscriptions/${id}`,
    body,
  })
  const changing = (id: string, body: PlanChange, what = ''): RestRequest => ({
    method: 'POST',
    path: `${address`/subscriptions/${id}/change-plan`}${what}`,
    body,
  })
  const toFetched = ({ raw, at }: Answer<Subscription>): Fetched => api.toFetched('subscription', [raw], at)

  return {
    swap: async (request) => {
      const { id } = request.subscription
      const paidBefore = str((await newestPayment(api, id))?.payment_id)
      const after = await reach(
        id,
        (raw) => isSoldAt(raw, request),
        (raw) => changing(id, changeBody(raw, request, howOf(raw, request.proration))),
      )
      if (isSoldAt(after.raw, request)) return toFetched(after)
      return toFetched(await afterPayment(api, { id, wanted: request, paidBefore }))
    },

    preview: async (request) => {
      const { id } = request.subscription
      const { raw: before } = await read(id)
      const body = changeBody(before, request, howOf(before, request.proration))
      const { raw } = await api.ask<Preview>('a preview', { ...changing(id, body, '/preview'), reads: true })
      return previewOf(raw, id, now())
    },

    schedule: async (request) => {
      const { id } = request.subscription
      return toFetched(
        await reach(
          id,
          (raw) => isPlanned(raw, request),
          (raw) => changing(id, planBody(raw, request)),
        ),
      )
    },

    unschedule: async ({ subscriptionId: id }) =>
      toFetched(
        await reach(
          id,
          (raw) => str(obj(raw.scheduled_change).effective_at) === null,
          () => ({ method: 'DELETE', path: address`/subscriptions/${id}/change-plan/scheduled` }),
        ),
      ),

    cancel: async ({ subscriptionId: id, when }) =>
      toFetched(
        await reach(
          id,
          (raw) => isOver(raw) || (when === 'period_end' && raw.cancel_at_next_billing_date === true),
          (raw) =>
            // An unpaid subscription has no period to wait for.
            when === 'now' || unpaid.has(raw.status)
              ? patch(id, { status: 'cancelled' })
              : patch(id, { cancel_at_next_billing_date: true }),
        ),
      ),

    resume: async ({ subscriptionId: id }) => {
      const { raw } = await read(id)
      // The documentation does not say if resuming a pause made there is charged.
      if (raw.status === 'paused')
        throw pausedThere(
          'Dodo Payments',
          'what it costs to go on is not told',
          'Resume it in the Dodo Payments dashboard (Subscriptions).',
        )
      return toFetched(
        await reach(
          id,
          (item) => item.cancel_at_next_billing_date !== true,
          () => patch(id, { cancel_at_next_billing_date: false }),
        ),
      )
    },

    // Page for another card, which then pays what is owed:
    // https://docs.dodopayments.com/api-reference/subscriptions/update-payment-method
    payUrl: async (id) => {
      const { raw } = await read(id)
      if (!owed.has(raw.status)) return null
      const { raw: page } = await api.ask<MethodPage>('a page for another card', {
        method: 'POST',
        path: address`/subscriptions/${id}/update-payment-method`,
        body: { payment_method: { type: 'new' } },
        // If the answer was lost, nobody knows the page's address, so nobody pays there.
        isRepeatable: true,
      })
      return str(page.payment_link)
    },

    ...customerMethods(api),
  } satisfies Partial<Provider>
}

function isOver({ status }: Subscription): boolean {
  return status === 'cancelled' || status === 'expired' || status === 'failed'
}

const owed: ReadonlySet<unknown> = new Set(['on_hold', 'past_due'])
const unpaid: ReadonlySet<unknown> = new Set([...owed, 'paused', 'pending'])
