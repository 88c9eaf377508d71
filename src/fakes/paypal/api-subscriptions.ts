import { obj, str, whole } from '../../providers/narrow.ts'
import {
  cancelSubscription,
  collect,
  pauseSubscription,
  resumeSubscription,
  type Subscription,
} from '../engine/index.ts'
import { type Account, pageAndSubscription } from './account.ts'
import { type Call, type Route, route } from './api.ts'
import { takeAgreed } from './api-checkout.ts'
import { ApiError, missing } from './errors.ts'
import { linksOf, toMoney, toSubscription, toTime } from './shapes-subscription.ts'

/** Actions on a subscription that has begun. */
export const subscriptionRoutes: readonly Route[] = [
  // Includes subscriptions that the buyer has not approved yet.
  // https://developer.paypal.com/api/subscriptions/v1/
  route('GET /v1/billing/subscriptions', ({ account, query }) => {
    const after = Date.parse(query.get('created_after') ?? '') / 1000
    const size = Math.min(whole(query.get('page_size')) ?? 10, 20)
    const page = whole(query.get('page')) ?? 1
    const ids = account.world.store
      .list('checkout')
      .filter(({ mode, created }) => mode === 'subscription' && !(created < after))
      .map(({ id, subscription }) => subscription ?? id)
    const place = `${account.url}/v1/billing/subscriptions?page_size=${size}&page=`
    return {
      subscriptions: ids.slice((page - 1) * size, page * size).map((id) => toSubscription(account, id)),
      links: linksOf({
        self: `${place}${page}`,
        ...(page * size < ids.length ? { next: `${place}${page + 1}` } : {}),
      }),
    }
  }),

  route('GET /v1/billing/subscriptions/:id', ({ account, id, query }) => {
    const { page, subscription } = pageAndSubscription(account, id)
    if (subscription === undefined && page?.mode !== 'subscription') throw missing()
    return toSubscription(account, id, (query.get('fields') ?? '').split(','))
  }),

  route('PATCH /v1/billing/subscriptions/:id', ({ account, id, list }) => {
    begun({ account, id })
    for (const { path, value } of list)
      if (path === '/custom_id') account.note(id, { custom_id: str(value) ?? undefined })
    return null
  }),

  route('POST /v1/billing/subscriptions/:id/cancel', ({ account, id, body }) => {
    const subscription = begun({ account, id })
    refuseEnded(subscription)
    noteStatus(account, id, str(body.reason))
    cancelSubscription(account.world, subscription)
    return null
  }),

  route('POST /v1/billing/subscriptions/:id/suspend', ({ account, id, body }) => {
    const subscription = begun({ account, id })
    noteStatus(account, id, str(body.reason))
    pauseSubscription(account.world, subscription)
    return null
  }),

  // A subscription that was approved and waits for the seller, or that is suspended.
  route('POST /v1/billing/subscriptions/:id/activate', ({ account, id, body }) => {
    const { page, subscription } = pageAndSubscription(account, id)
    if (subscription === undefined && page === undefined) throw missing()
    if (subscription === undefined) {
      if (takeAgreed(account, id) !== null) throw new ApiError(422, 'SUBSCRIPTION_CANNOT_BE_ACTIVATED')
      return null
    }
    if (subscription.status === 'unpaid') throw new ApiError(422, 'SUBSCRIPTION_CANNOT_BE_ACTIVATED')
    if (subscription.status !== 'paused') throw new ApiError(422, 'SUBSCRIPTION_STATUS_INVALID')
    noteStatus(account, id, str(body.reason))
    resumeSubscription(account.world, subscription, 'unchanged')
    return null
  }),

  route('POST /v1/billing/subscriptions/:id/capture *', ({ account, id, body }) => {
    const { world } = account
    const { status } = begun({ account, id })
    const openInvoice = world.store
      .list('invoice')
      .filter((invoice) => invoice.subscription === id && invoice.status === 'open' && invoice.was_tried)
      .at(-1)
    if (openInvoice === undefined) throw new ApiError(422, 'ZERO_OUTSTANDING_BALANCE')
    const { value, currency_code } = toMoney(openInvoice.remaining, openInvoice.currency)
    const asked = obj(body.amount)
    if (Number(asked.value) > Number(value) || asked.currency_code !== currency_code)
      throw new ApiError(422, 'AMOUNT_GREATER_THAN_OUTSTANDING_BALANCE')
    if (status === 'canceled') throw new ApiError(422, 'SUBSCRIPTION_STATUS_INVALID')
    noteStatus(account, id, undefined)
    if (!collect(world, openInvoice.id)) throw new ApiError(422, 'INSTRUMENT_DECLINED')
    return {
      id: world.store.get('payment', world.store.get('invoice', openInvoice.id).payment).charge,
      status: 'COMPLETED',
      amount_with_breakdown: { gross_amount: { value, currency_code } },
      time: toTime(world.clock.seconds()),
    }
  }),

  // "This type of update requires the buyer's consent."
  route(
    'POST /v1/billing/subscriptions/:id/revise',
    ({ account, id, body }) => {
      const { world, url } = account
      const subscription = begun({ account, id })
      refuseEnded(subscription)
      const [item] = subscription.items
      const price = world.store.find('price', str(body.plan_id) ?? item!.price.id)
      if (!price?.active) throw new ApiError(422, 'PLAN_STATUS_INVALID')
      if (price.product !== item!.price.product) throw new ApiError(422, 'PLAN_PRODUCT_NOT_COMPATIBLE')
      if (price.currency !== subscription.currency) throw new ApiError(422, 'CURRENCY_MISMATCH')
      const token = account.newId('agreement')
      account.note(id, { asked: { plan: price.id, quantity: whole(body.quantity) ?? item!.quantity, token } })
      return {
        plan_id: price.id,
        plan_overridden: false,
        links: linksOf({
          approve: `${url}/webapps/billing/subscriptions/update?ba_token=${token}`,
          self: `${url}/v1/billing/subscriptions/${id}`,
        }),
      }
    },
    200,
  ),
]

/**
 * Approves another plan as the buyer: it replaces the old one at once, and is charged with the next period.
 */
export function agreeToChange(account: Account, id: string): void {
  const { world } = account
  const { asked } = account.notesOf(id)
  if (!asked) throw new TypeError(`Nobody asks for a change of ${id}`)
  const subscription = world.store.get('subscription', id)
  const price = world.store.get('price', asked.plan)
  const items = subscription.items.map((item) => ({ ...item, price, quantity: asked.quantity }))
  account.note(id, { asked: null })
  account.tellOf('BILLING.SUBSCRIPTION.UPDATED', world.change('subscription', id, { items }))
}

/** @throws ApiError for one that does not exist or was not approved */
function begun({ account, id }: Pick<Call, 'account' | 'id'>): Subscription {
  const { page, subscription } = pageAndSubscription(account, id)
  if (subscription !== undefined) return subscription
  if (page === undefined) throw missing()
  throw new ApiError(422, 'SUBSCRIPTION_STATUS_INVALID')
}

function refuseEnded({ status }: Subscription): void {
  if (status === 'canceled' || status === 'expired') throw new ApiError(422, 'SUBSCRIPTION_STATUS_INVALID')
}

/** Noted before it is reported. */
export function noteStatus(account: Account, id: string, note: string | null | undefined): void {
  account.note(id, {
    status_update_time: account.world.clock.seconds(),
    ...(note == null ? {} : { status_change_note: note }),
  })
}
