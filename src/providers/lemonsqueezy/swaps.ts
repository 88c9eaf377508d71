import { MembershipError } from '../../core/errors.ts'
import type { Answer } from '../api.ts'
import { declined } from '../api-errors.ts'
import type { Changed, Proration, SwapRequest } from '../contract.ts'
import { int, obj, str } from '../narrow.ts'
import { waitFor } from '../patience.ts'
import { address, type RestRequest } from '../rest.ts'
import type { Reach } from '../subscriptions.ts'
import type { LemonSqueezyApi } from './api.ts'
import { idText } from './facts.ts'
import type { Invoice, Resource, Subscription, SubscriptionUpdate } from './payload.ts'

/** Variant and quantity of a subscription. */
interface Sold {
  readonly variant: string | null
  readonly quantity: number | null
}

/**
 * Changes variant or quantity at once; Lemon Squeezy cannot schedule changes. A dearer one is charged at
 * once. If the payment fails, the former one is restored without billing.
 * https://docs.lemonsqueezy.com/api/subscriptions/update-subscription
 */
export function createSwaps({
  api,
  read,
  reach,
}: {
  readonly api: LemonSqueezyApi
  readonly read: (id: string) => Promise<Answer<Resource<Subscription>>>
  readonly reach: Reach<Resource<Subscription>, Subscription>
}) {
  return async (request: SwapRequest): Promise<Changed> => {
    const { id } = request.subscription
    const first = obj((await read(id)).raw.attributes)
    const was: Sold = { variant: request.subscription.price_id, quantity: request.subscription.quantity }
    const wanted: Sold = { variant: request.priceId, quantity: request.quantity }
    checkQuantity(first, wanted)
    // During a trial nothing was paid that could be prorated.
    const proration = first.status === 'on_trial' ? 'none' : request.proration
    const known = await invoicesOf(api, id)
    const toVariant = (variant: string | null, how: Proration): Promise<Answer<Resource<Subscription>>> =>
      reach(
        id,
        (raw) => soldIn(raw).variant === variant,
        () => patch(id, { variant_id: Number(variant), ...billing(how) }),
      )
    const toQuantity = (quantity: number | null, how: Proration): Promise<Answer<Resource<Subscription>>> =>
      reach(
        id,
        // During a trial there is no quantity yet.
        (raw) => [null, quantity].includes(soldIn(raw).quantity),
        (raw) => patchItem(raw, quantity, how),
      )
    const requirePaid = async (): Promise<void> => {
      if (proration !== 'now' || (await isPaid(api, id, known))) return
      await toQuantity(was.quantity, 'none')
      await toVariant(was.variant, 'none')
      throw declined(undefined)
    }
    const moved = await toVariant(wanted.variant, proration)
    const shown = obj(moved.raw.attributes)
    // Subscriptions paid with PayPal can only be changed by the buyer; the call changes nothing.
    if (soldIn(shown).variant !== wanted.variant) return toAgree(shown, moved.at)
    await requirePaid()
    const after = await toQuantity(wanted.quantity, proration)
    await requirePaid()
    return api.toFetched([after.raw], after.at)
  }
}

function billing(how: Proration): SubscriptionUpdate {
  return how === 'now' ? { invoice_immediately: true } : how === 'none' ? { disable_prorations: true } : {}
}

function soldIn(raw: Subscription): Sold {
  return {
    variant: idText(raw.variant_id),
    quantity: int(obj(raw.first_subscription_item).quantity),
  }
}

/**
 * Builds a change of the subscription's own fields.
 * https://docs.lemonsqueezy.com/api/subscriptions/update-subscription
 */
export function patch(id: string, attributes: SubscriptionUpdate): RestRequest {
  return {
    method: 'PATCH',
    path: address`/v1/subscriptions/${id}`,
    body: { data: { type: 'subscriptions', id, attributes } },
  }
}

// https://docs.lemonsqueezy.com/api/subscription-items/update-subscription-item
function patchItem(raw: Subscription, quantity: number | null, how: Proration): RestRequest {
  const id = idText(obj(raw.first_subscription_item).id) ?? ''
  const attributes = { quantity, ...billing(how) }
  return {
    method: 'PATCH',
    path: address`/v1/subscription-items/${id}`,
    body: { data: { type: 'subscription-items', id, attributes } },
  }
}

function toAgree(raw: Subscription, at: string): Changed {
  return {
    changes: [],
    at,
    payUrl: str(obj(raw.urls).customer_portal_update_subscription),
  }
}

/** Returns the invoices of earlier changes, by number. */
async function invoicesOf(api: LemonSqueezyApi, id: string): Promise<ReadonlyMap<unknown, Invoice>> {
  const { all } = await api.all<Resource<Invoice>>(
    'invoices of a subscription',
    '/v1/subscription-invoices',
    {
      'filter[subscription_id]': id,
    },
  )
  return new Map(all.map((item) => [item.id, obj(item.attributes)]))
}

// A bank may take a moment.
const settleMs = 1000

/** Returns true if every invoice of a change is paid; a free change has none. */
async function isPaid(
  api: LemonSqueezyApi,
  id: string,
  known: ReadonlyMap<unknown, Invoice>,
): Promise<boolean> {
  const look = async () =>
    [...(await invoicesOf(api, id))].every(
      ([number, { status }]) => known.has(number) || status === 'paid' || status === 'void',
    )
  if (await look()) return true
  await waitFor(settleMs)
  return look()
}

/** @throws ERR_ACTION_REFUSED during a trial, when Lemon Squeezy has no quantity yet */
function checkQuantity(raw: Subscription, { quantity }: Sold): void {
  if (soldIn(raw).quantity !== null || (quantity ?? 1) === 1) return
  throw new MembershipError('ERR_ACTION_REFUSED', 'In a trial its quantity cannot be changed.', {
    reason: 'on_trial',
    action: 'Change it when the trial is over.',
  })
}
