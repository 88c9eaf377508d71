import type Stripe from 'stripe'
import type { InvoicePreview } from '../../dto/index.ts'
import { MembershipError } from '../../errors.ts'
import type { Fetched, Proration, Provider, SwapRequest } from '../contract.ts'
import { currency, idOf, int, isObject, type Json, list, obj, str, time } from '../narrow.ts'
import type { StripeApi } from './api.ts'

type Calls = Required<
  Pick<
    Provider,
    'swap' | 'preview' | 'cancel' | 'resume' | 'pause' | 'payUrl' | 'updateCustomer' | 'subscriptionsOf'
  >
>

/** What can be done to a subscription and its customer. https://docs.stripe.com/api/subscriptions */
export const stripeSubscriptions = (api: StripeApi, now: () => Date): Calls => {
  const changed = (id: string, call: (stripe: Stripe) => Promise<object>): Promise<Fetched> =>
    api.asked('subscription', `subscription ${id}`, call)

  return {
    swap: ({ subscription: { id }, idempotencyKey, ...request }) =>
      changed(id, async (stripe) =>
        stripe.subscriptions.update(
          id,
          {
            items: [await itemOf(stripe, id, request)],
            proration_behavior: prorations[request.proration],
            ...(request.prorationAt === null ? {} : { proration_date: toSeconds(request.prorationAt) }),
            // Without it a declined card would leave the new plan in place, unpaid; another interval is invoiced at once
            // whatever the proration: https://docs.stripe.com/billing/subscriptions/prorations
            payment_behavior: 'error_if_incomplete',
          },
          { idempotencyKey },
        ),
      ),

    preview: async (request) => {
      const { id } = request.subscription
      const prorationAt = request.prorationAt ?? now().toISOString()
      const { raw } = await api.ask(`a preview for ${id}`, async (stripe) =>
        stripe.invoices.createPreview({
          subscription: id,
          subscription_details: {
            items: [await itemOf(stripe, id, request)],
            proration_behavior: prorations[request.proration],
            proration_date: toSeconds(prorationAt),
          },
        }),
      )
      return toPreview(raw, id, prorationAt)
    },

    cancel: ({ subscriptionId: id, when, idempotencyKey }) =>
      changed(id, (stripe) =>
        when === 'now'
          ? stripe.subscriptions.cancel(id, {}, { idempotencyKey }).catch(alreadyOver(stripe, id))
          : stripe.subscriptions.update(id, { cancel_at_period_end: true }, { idempotencyKey }),
      ),

    resume: ({ subscriptionId: id, idempotencyKey }) =>
      changed(id, async (stripe) => {
        const current = await stripe.subscriptions.retrieve(id)
        if (current.status === 'paused') return stripe.subscriptions.resume(id, {}, { idempotencyKey })
        const back: Stripe.SubscriptionUpdateParams = {
          // Stripe takes one of the two at a time.
          ...(current.cancel_at_period_end ? { cancel_at_period_end: false } : {}),
          ...(!current.cancel_at_period_end && current.cancel_at ? { cancel_at: '' } : {}),
          ...(current.pause_collection ? { pause_collection: '' } : {}),
        }
        // Taken back already, perhaps by the first of two clicks: its key is not for other parameters.
        if (Object.keys(back).length === 0) return current
        return stripe.subscriptions.update(id, back, { idempotencyKey })
      }),

    // https://docs.stripe.com/billing/subscriptions/pause-payment: invoices of that time are void.
    pause: ({ subscriptionId: id, until, idempotencyKey }) =>
      changed(id, (stripe) =>
        stripe.subscriptions.update(
          id,
          {
            pause_collection: {
              behavior: 'void',
              ...(until === null ? {} : { resumes_at: toSeconds(until) }),
            },
          },
          { idempotencyKey },
        ),
      ),

    payUrl: async (id) => {
      const { raw } = await api.ask(`open invoices of ${id}`, (stripe) =>
        stripe.invoices.list({ subscription: id, status: 'open', limit: 1 }),
      )
      return str(list(raw)[0]?.hosted_invoice_url)
    },

    updateCustomer: ({ customerId, email, name, idempotencyKey }) =>
      api.asked('customer', `customer ${customerId}`, (stripe) =>
        stripe.customers.update(
          customerId,
          { ...(email === undefined ? {} : { email }), ...(name === undefined ? {} : { name: name ?? '' }) },
          { idempotencyKey },
        ),
      ),

    subscriptionsOf: async (customer) => {
      const { all, at } = await api.askAll(`subscriptions of ${customer}`, (stripe, part) =>
        stripe.subscriptions.list({ customer, status: 'all', ...part }),
      )
      const changes = all.map((one) => api.toChange('subscription', one))
      return { changes: changes.filter((change) => change !== null), at }
    },
  }
}

// https://docs.stripe.com/billing/subscriptions/prorations
const prorations: Record<Proration, 'always_invoice' | 'create_prorations' | 'none'> = {
  now: 'always_invoice',
  next: 'create_prorations',
  none: 'none',
}

const toSeconds = (iso: string): number => Math.floor(Date.parse(iso) / 1000)

/** The item whose price changes: the provider knows it best, a portal may have made another one. */
const itemOf = async (
  stripe: Stripe,
  id: string,
  request: Pick<SwapRequest, 'priceId' | 'quantity'>,
): Promise<{ id: string; price: string; quantity: number }> => {
  const current = await stripe.subscriptions.retrieve(id)
  const [first, ...more] = current.items.data
  if (first && more.length === 0) return { id: first.id, price: request.priceId, quantity: request.quantity }
  throw new MembershipError(
    'ERR_PROVIDER_UNSUPPORTED',
    `The subscription ${id} has ${current.items.data.length} items; only one of a single item can be changed here.`,
    { action: 'Change it in the Stripe dashboard.' },
  )
}

// Ended already, perhaps by an earlier try whose answer was lost: that is what was wanted.
const alreadyOver =
  (stripe: Stripe, id: string) =>
  async (cause: unknown): Promise<object> => {
    if (obj(cause).statusCode !== 404 && obj(cause).statusCode !== 400) throw cause
    const current = await stripe.subscriptions.retrieve(id)
    if (current.status === 'canceled' || current.status === 'incomplete_expired') return current
    throw cause
  }

const toPreview = (raw: Json, subscriptionId: string, prorationAt: string): InvoicePreview => {
  const code = currency(raw.currency) ?? 'USD'
  return {
    provider: 'stripe',
    subscription_id: subscriptionId,
    currency: code,
    amount_due: int(raw.amount_due) ?? 0,
    total: int(raw.total) ?? 0,
    lines: list(raw.lines).map((line) => ({
      text: str(line.description) ?? '',
      amount: int(line.amount) ?? 0,
      price_id: priceOfLine(line),
    })),
    next_payment_at: time(raw.next_payment_attempt) ?? time(raw.period_end),
    proration_at: prorationAt,
  }
}

// In `pricing` since API 2025-03-31, in `price` before.
const priceOfLine = (line: Json): string | null => {
  const details = obj(obj(line.pricing).price_details)
  return idOf(details.price) ?? (isObject(line.price) || str(line.price) ? idOf(line.price) : null)
}
