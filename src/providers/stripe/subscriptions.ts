import type Stripe from 'stripe'
import { MembershipError } from '../../core/errors.ts'
import type { Changed, Fetched, Payer, Provider } from '../contract.ts'
import { type Json, list, obj, str } from '../narrow.ts'
import { isMissing, type StripeApi } from './api.ts'
import { reduceNext } from './discounts.ts'
import { toSeconds } from './items.ts'
import { paidEnd } from './notes.ts'
import { goOn, putOff } from './pauses.ts'
import type { Invoice, ListAnswer, PayerAnswer, Preview, Session, Subscription } from './payload.ts'
import { endAtOnce, endWithPeriod, planChange, release } from './schedules.ts'
import { previewOf, type Swapped, swap, toPreview } from './swaps.ts'

/** Actions on a subscription and its customer. https://docs.stripe.com/api/subscriptions */
export function stripeSubscriptions(api: StripeApi, now: () => Date) {
  const changed = (id: string, call: (stripe: Stripe) => Promise<object>): Promise<Fetched> =>
    api.done('subscription', `subscription ${id}`, call)
  const swapped = async (id: string, call: (stripe: Stripe) => Promise<Swapped>): Promise<Changed> => {
    let payUrl: string | null = null
    const fetched = await changed(id, async (stripe) => {
      const done = await call(stripe)
      payUrl = done.payUrl
      return done.subscription
    })
    return { ...fetched, payUrl }
  }

  return {
    swap: (request) => swapped(request.subscription.id, (stripe) => swap(stripe, request)),

    preview: async (request) => {
      const { id } = request.subscription
      const prorationAt = request.prorationAt ?? now().toISOString()
      const { raw } = await api.ask<Preview>(`a preview for ${id}`, (stripe) =>
        previewOf(stripe, request, prorationAt),
      )
      return toPreview(
        { invoice: obj(raw.invoice), paidEnd: str(raw.paidEnd), note: raw.note },
        id,
        prorationAt,
      )
    },

    schedule: (request) => changed(request.subscription.id, (stripe) => planChange(stripe, request)),

    unschedule: ({ subscriptionId: id, idempotencyKey }) =>
      changed(id, async (stripe) => {
        const current = await stripe.subscriptions.retrieve(id)
        return current.schedule === null ? current : release(stripe, current, idempotencyKey)
      }),

    cancel: ({ subscriptionId: id, when, idempotencyKey }) =>
      changed(id, async (stripe) => {
        const current = await stripe.subscriptions.retrieve(id)
        const paid = paidEnd(current)
        // During a pause nothing is paid, so there is no period to wait for.
        if (when === 'now' || (paid !== null && paid <= now().toISOString()))
          return endNow(stripe, current, idempotencyKey)
        if (current.schedule !== null) return endWithPeriod(stripe, current, idempotencyKey)
        return stripe.subscriptions.update(
          id,
          {
            cancel_at_period_end: true,
            ...(paid === null ? {} : { trial_end: toSeconds(paid), proration_behavior: 'none' as const }),
          },
          { idempotencyKey },
        )
      }),

    // https://docs.stripe.com/api/subscriptions/update#update_subscription-items-deleted
    removeItems: ({ subscriptionId: id, items, idempotencyKey }) =>
      changed(id, async (stripe) => {
        const current = await stripe.subscriptions.retrieve(id)
        const gone = list(current.items).filter((item) => items.some((own) => own.id === item.id))
        if (gone.length === 0 || current.status === 'canceled') return current
        if (current.schedule !== null || gone.length === list(current.items).length)
          throw notRemovable(id, 'A schedule decides its items.')
        return stripe.subscriptions.update(
          id,
          {
            items: gone.map((item) => ({ id: String(item.id), deleted: true })),
            proration_behavior: 'none',
          },
          { idempotencyKey },
        )
      }),

    resume: ({ subscriptionId: id, idempotencyKey: key }) =>
      swapped(id, async (stripe) => {
        const current = await stripe.subscriptions.retrieve(id)
        const kept = await keep(stripe, current, key)
        if (kept !== null) return { subscription: kept, payUrl: null }
        // It runs already, perhaps after the first of two clicks, whose key must not be reused with other
        // parameters.
        return (await goOn(stripe, current, { now: now(), key })) ?? { subscription: current, payUrl: null }
      }),

    pause: (request) => changed(request.subscriptionId, (stripe) => putOff(stripe, request)),

    discount: (request) => changed(request.subscriptionId, (stripe) => reduceNext(stripe, request, now())),

    payUrl: async (id) => {
      const { raw } = await api.ask<ListAnswer<Invoice>>(`open invoices of ${id}`, (stripe) =>
        stripe.invoices.list({ subscription: id, status: 'open', limit: 1 }),
      )
      return str(list(raw.data)[0]?.hosted_invoice_url)
    },

    payerOf: (id) => payerOf(api, id),

    updateCustomer: ({ customerId, email, name, idempotencyKey }) =>
      api.done('customer', `customer ${customerId}`, (stripe) =>
        stripe.customers.update(
          customerId,
          { ...(email === undefined ? {} : { email }), ...(name === undefined ? {} : { name: name ?? '' }) },
          { idempotencyKey },
        ),
      ),

    subscriptionsOf: async (customer) => {
      const { all, at } = await api.askAll<Subscription>(`subscriptions of ${customer}`, (stripe, part) =>
        stripe.subscriptions.list({ customer, status: 'all', ...part }),
      )
      const changes = await Promise.all(all.map((item) => api.wholeChanges('subscription', item)))
      return { changes: changes.flat(), at }
    },
  } satisfies Partial<Provider>
}

function notRemovable(id: string, reason: string): MembershipError {
  return new MembershipError(
    'ERR_PROVIDER_UNSUPPORTED',
    `No item of ${id} can be removed from here. ${reason}`,
    {
      action: 'Remove this site’s items in the Stripe dashboard.',
    },
  )
}

/** Undoes a cancellation; null if there is none. One set by a schedule is removed with the schedule. */
async function keep(
  stripe: Stripe,
  current: Stripe.Subscription,
  key: string,
): Promise<Stripe.Subscription | null> {
  if (!current.cancel_at_period_end && current.cancel_at === null) return null
  const free = current.schedule === null ? current : await release(stripe, current, key)
  if (!free.cancel_at_period_end && free.cancel_at === null) return free
  // Stripe accepts only one of the two at a time.
  const back = free.cancel_at_period_end ? { cancel_at_period_end: false } : { cancel_at: '' as const }
  return stripe.subscriptions.update(free.id, back, { idempotencyKey: key })
}

function endNow(stripe: Stripe, current: Stripe.Subscription, key: string): Promise<object> {
  return current.schedule === null
    ? stripe.subscriptions
        .cancel(current.id, {}, { idempotencyKey: key })
        .catch(alreadyOver(stripe, current.id))
    : endAtOnce(stripe, current, key).catch(alreadyOver(stripe, current.id))
}

// It has ended already, perhaps by an earlier try with a lost answer, so the goal is reached.
function alreadyOver(stripe: Stripe, id: string) {
  return async (cause: unknown): Promise<object> => {
    if (obj(cause).statusCode !== 404 && obj(cause).statusCode !== 400) throw cause
    const current = await stripe.subscriptions.retrieve(id)
    if (current.status === 'canceled' || current.status === 'incomplete_expired') return current
    throw cause
  }
}

/**
 * Identifies the payer of a subscription by its own payment method, else the customer's. Cards and bank
 * accounts have a fingerprint, which is the same for the same number, whoever uses it. Wallets with a device
 * number have that number's fingerprint. https://docs.stripe.com/api/payment_methods/object
 */
async function payerOf(api: StripeApi, id: string): Promise<Payer | null> {
  const expand = ['default_payment_method', 'customer.invoice_settings.default_payment_method']
  const found = await api
    .ask<PayerAnswer>(`who pays ${id}`, (stripe) => stripe.subscriptions.retrieve(id, { expand }))
    .catch(unlessMissing)
  if (found === null) return null
  const { raw } = found
  const customer = obj(raw.customer)
  const methods = [raw.default_payment_method, obj(customer.invoice_settings).default_payment_method]
  return {
    methods: [...new Set(methods.flatMap((method) => fingerprintOf(obj(method) as Json)))],
    isOnTrial: raw.status === 'trialing',
    isBuyers: await beganOnAPage(api, id),
  }
}

/**
 * Returns true if a checkout session created it: the site's own checkout or a payment link. The dashboard and
 * the API create none.
 */
async function beganOnAPage(api: StripeApi, subscription: string): Promise<boolean> {
  const { raw } = await api.ask<ListAnswer<Session>>(`the checkout of ${subscription}`, (stripe) =>
    stripe.checkout.sessions.list({ subscription, limit: 1 }),
  )
  return list(raw.data).length > 0
}

function fingerprintOf(method: Json): string[] {
  const type = str(method.type)
  const own = type === null ? null : obj(method[type])
  const text = own && (str(own.fingerprint) ?? str(own.payer_id))
  return text ? [`${type} ${text}`] : []
}

function unlessMissing(error: unknown): null {
  if (error instanceof MembershipError && isMissing(error.cause)) return null
  throw error
}
