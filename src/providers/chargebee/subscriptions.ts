import { MembershipError } from '../../core/errors.ts'
import type { Answer } from '../api.ts'
import { declined } from '../api-errors.ts'
import type { Provider } from '../contract.ts'
import { type Json, list, obj, str, whole } from '../narrow.ts'
import { address } from '../rest.ts'
import { type ChargebeeApi, dueInvoices } from './api.ts'
import { objectChanges } from './changes.ts'
import type { Content, Subscription } from './payload.ts'
import { billing, isSwapped, itemsFor, toPreview } from './swaps.ts'

/**
 * Actions on a subscription and its customer. Chargebee forgets idempotency keys after half an hour, so each
 * call checks the current state first. https://apidocs.chargebee.com/docs/api/subscriptions
 */
export function chargebeeSubscriptions(api: ChargebeeApi, now: () => Date) {
  const read = (id: string): Promise<Answer<Content>> =>
    api.ask<Content>(`subscription ${id}`, { path: address`/subscriptions/${id}` })
  const post = (id: string, what: string, key: string, body: Json = {}): Promise<Answer<Content>> =>
    api.write(`subscription ${id}`, {
      path: `${address`/subscriptions/${id}`}/${what}`,
      body,
      key: `${key}:${what}`,
    })
  /** Undoes scheduled events that are in the way. A change, a pause and an end exclude each other. */
  const clear = async (id: string, key: string, plans: readonly (keyof typeof undoing)[]) => {
    let current = await read(id)
    for (const plan of plans) {
      const { isPlanned, call } = undoing[plan]
      if (isPlanned(subscriptionIn(current))) current = await post(id, call, key)
    }
    return current
  }

  return {
    swap: async ({ subscription: { id }, idempotencyKey: key, proration, ...wanted }) => {
      // A waiting change would replace this one later.
      const current = await clear(id, key, ['change'])
      const raw = subscriptionIn(current)
      if (isSwapped(raw, wanted)) return api.toFetched(current)
      // During a trial nothing was paid that could be prorated.
      const billed = raw.status === 'in_trial' ? billing.none : billing[proration]
      return api.toFetched(await post(id, 'update_for_items', key, { ...itemsFor(raw, wanted), ...billed }))
    },

    preview: async ({ subscription: { id }, proration, ...wanted }) => {
      const raw = subscriptionIn(await read(id))
      const billed = raw.status === 'in_trial' ? billing.none : billing[proration]
      const answer = await api.estimate(`a preview for ${id}`, '/estimates/update_subscription_for_items', {
        subscription: { id },
        ...itemsFor(raw, wanted),
        ...billed,
      })
      return toPreview(answer.raw, id, now())
    },

    schedule: async ({ subscription: { id }, idempotencyKey: key, ...wanted }) => {
      const raw = subscriptionIn(await read(id))
      return api.toFetched(
        await post(id, 'update_for_items', key, { ...itemsFor(raw, wanted), change_option: 'end_of_term' }),
      )
    },

    unschedule: async ({ subscriptionId: id, idempotencyKey: key }) =>
      api.toFetched(await clear(id, key, ['change'])),

    cancel: async ({ subscriptionId: id, when, idempotencyKey: key }) => {
      const before = subscriptionIn(await read(id))
      // During a pause nothing is paid, so there is no period to wait for.
      const isNow = when === 'now' || before.status === 'paused'
      const current = isNow ? await read(id) : await clear(id, key, ['change', 'pause'])
      const raw = subscriptionIn(current)
      if (isOver(raw) || (!isNow && undoing.end.isPlanned(raw))) return api.toFetched(current)
      const option = isNow ? 'immediately' : 'end_of_term'
      return api.toFetched(
        await post(id, 'cancel_for_items', key, {
          cancel_option: option,
          credit_option_for_current_term_charges: 'none',
        }),
      )
    },

    removeItems: async ({ subscriptionId: id, items, idempotencyKey: key }) => {
      const current = await read(id)
      const raw = subscriptionIn(current)
      const own = new Set(items.map(({ price_id }) => price_id))
      const all = list(raw.subscription_items).filter(({ item_type }) => item_type !== 'charge')
      const others = all.filter((item) => !own.has(str(item.item_price_id)))
      if (isOver(raw) || others.length === all.length) return api.toFetched(current)
      // A subscription keeps a plan: https://www.chargebee.com/docs/billing/2.0/product-catalog/addons
      if (!others.some(({ item_type }) => item_type === 'plan'))
        throw new MembershipError(
          'ERR_PROVIDER_UNSUPPORTED',
          `The subscription ${id} cannot go on without its plan.`,
          { action: 'Change its plan in Chargebee.' },
        )
      return api.toFetched(
        await post(id, 'update_for_items', key, {
          subscription_items: others.map(({ item_price_id, quantity }) => ({ item_price_id, quantity })),
          replace_items_list: true,
          ...billing.none,
        }),
      )
    },

    resume: async ({ subscriptionId: id, idempotencyKey: key }) => {
      const current = await clear(id, key, ['pause', 'end'])
      if (subscriptionIn(current).status !== 'paused') return api.toFetched(current)
      const after = await post(id, 'resume', key, {
        resume_option: 'immediately',
        charges_handling: 'invoice_immediately',
      })
      if ((whole(subscriptionIn(after).due_invoices_count) ?? 0) === 0) return api.toFetched(after)
      // Otherwise it would continue unpaid while Chargebee retries the payment.
      await post(id, 'pause', key, { pause_option: 'immediately', invoice_dunning_handling: 'stop' })
      throw declined(undefined)
    },

    pause: async ({ subscriptionId: id, until, idempotencyKey: key }) => {
      const current = await clear(id, key, ['change'])
      const raw = subscriptionIn(current)
      if (raw.status === 'paused' || undoing.pause.isPlanned(raw)) return api.toFetched(current)
      return api.toFetched(
        await post(id, 'pause', key, {
          pause_option: 'end_of_term',
          ...(until === null ? {} : { resume_date: Math.floor(Date.parse(until) / 1000) }),
        }),
      )
    },

    // Opens a page for everything that the customer owes.
    payUrl: async (id) => {
      const [open] = await dueInvoices(api, id)
      const customer = str(open?.customer_id)
      if (customer === null) return null
      const { raw } = await api.write(`a page for the open invoices of ${id}`, {
        path: '/hosted_pages/collect_now',
        body: { customer: { id: customer }, currency_code: open?.currency_code },
        key: `collect:${str(open?.id)}:${str(open?.status)}`,
      })
      return str(obj(raw.hosted_page).url)
    },

    updateCustomer: async ({ customerId, email, name, idempotencyKey: key }) =>
      api.toFetched(
        await api.write(`customer ${customerId}`, {
          path: address`/customers/${customerId}`,
          body: { email, ...(name === undefined ? {} : namesOf(name ?? '')) },
          key,
        }),
      ),

    subscriptionsOf: async (customer) => {
      const { all, at } = await api.all<Content>(`subscriptions of ${customer}`, '/subscriptions', {
        'customer_id[is]': customer,
      })
      return { changes: all.flatMap(({ subscription }) => objectChanges({ subscription })), at }
    },
  } satisfies Partial<Provider>
}

function subscriptionIn({ raw }: Answer<Content>): Subscription {
  return obj(raw.subscription)
}

function isOver({ status }: Subscription): boolean {
  return status === 'cancelled' || status === 'transferred'
}

/** Scheduled events of a subscription, each with the call that undoes it. */
const undoing = {
  change: {
    isPlanned: (raw: Subscription): boolean => raw.has_scheduled_changes === true && !isOver(raw),
    call: 'remove_scheduled_changes',
  },
  pause: {
    isPlanned: (raw: Subscription): boolean =>
      raw.status === 'active' &&
      whole(raw.pause_date) !== null &&
      (whole(raw.pause_date) ?? 0) * 1000 > (whole(raw.resource_version) ?? 0),
    call: 'remove_scheduled_pause',
  },
  end: {
    isPlanned: (raw: Subscription): boolean =>
      !isOver(raw) && (raw.status === 'non_renewing' || whole(raw.cancelled_at) !== null),
    call: 'remove_scheduled_cancellation',
  },
} as const

// The last word is the family name.
function namesOf(name: string): Json {
  const words = name.trim().split(/\s+/)
  const last = words.length > 1 ? words.pop() : ''
  return { first_name: words.join(' '), last_name: last }
}
