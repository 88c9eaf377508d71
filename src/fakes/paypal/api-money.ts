import { toMinor } from '../../providers/decimals.ts'
import { obj, str } from '../../providers/narrow.ts'
import { paypalDigits } from '../../providers/paypal/minor-units.ts'
import {
  type Charge,
  endpointsOf,
  findCharge,
  type Message,
  refund,
  type ServerContext,
  type Webhook,
} from '../engine/index.ts'
import type { Account } from './account.ts'
import { type Call, type Route, route } from './api.ts'
import { ApiError, missing } from './errors.ts'
import { subscriptionOf, toCapture, toDispute, toRefund, toSale } from './shapes-money.ts'
import { linksOf, toPlan } from './shapes-subscription.ts'
import { isSigned } from './signing.ts'

/**
 * Parses an amount.
 * @throws DECIMALS_NOT_SUPPORTED: https://developer.paypal.com/api/rest/reference/orders/v2/errors/
 */
function minorOf(value: unknown, currency: unknown): number | null {
  const code = str(currency) ?? ''
  if (paypalDigits(code) === 0 && String(value).includes('.'))
    throw new ApiError(422, 'DECIMALS_NOT_SUPPORTED')
  return toMinor(value, code, paypalDigits)
}

/** Payments, refunds, disputes and plans. */
export const moneyRoutes: readonly Route[] = [
  route('GET /v1/payments/sale/:id', (call) => toSale(call.account, charged(call, 'sale'))),
  route('GET /v2/payments/captures/:id', (call) => toCapture(call.account, charged(call, 'capture'))),
  route('POST /v1/payments/sale/:id/refund *', (call) => {
    const { total, currency } = obj(call.body.amount)
    return giveBack(call, charged(call, 'sale'), minorOf(total, currency))
  }),
  route('POST /v2/payments/captures/:id/refund *', (call) => {
    const { value, currency_code } = obj(call.body.amount)
    return giveBack(call, charged(call, 'capture'), minorOf(value, currency_code))
  }),
  route('GET /v2/payments/refunds/:id', ({ account, id }) => {
    const found = account.world.store.find('refund', id)
    if (found === undefined || isOfSale(account, found.charge)) throw missing()
    return toRefund(account, found)
  }),
  route('GET /v1/payments/refund/:id', ({ account, id }) => {
    const found = account.world.store.find('refund', id)
    if (found === undefined || !isOfSale(account, found.charge)) throw missing()
    return toRefund(account, found)
  }),
  route('GET /v1/customer/disputes/:id', ({ account, id }) => {
    const found = account.world.store.find('dispute', id)
    if (found === undefined) throw missing()
    return toDispute(account, found)
  }),
  route('GET /v1/billing/plans/:id', ({ account, id }) => {
    const found = account.world.store.find('price', id)
    if (!found?.rhythm) throw missing()
    return toPlan(account.world, found)
  }),
  route('GET /v1/billing/plans', ({ account, query }) => {
    const size = Number(query.get('page_size') ?? 10)
    const page = Number(query.get('page') ?? 1)
    const all = account.world.store.list('price').filter(({ rhythm }) => rhythm !== null)
    const plans = all.slice((page - 1) * size, page * size).map((price) => toPlan(account.world, price))
    return { plans, total_items: all.length, total_pages: Math.max(1, Math.ceil(all.length / size)) }
  }),
]

/** Past events, newest first, and verification of one. https://developer.paypal.com/docs/api/webhooks/v1/ */
export function eventRoutes(all: () => readonly Message[]): readonly Route[] {
  return [
    route('GET /v1/notifications/webhooks-events', ({ account, query }) => {
      const [from, to] = ['start_time', 'end_time'].map((name) => Date.parse(query.get(name) ?? '') / 1000)
      const skip = Number(query.get('skip') ?? 0)
      // The largest page size is undocumented; a larger request gets fewer events.
      const size = Math.min(20, Number(query.get('page_size') ?? 10))
      const found = all().filter(({ created }) => !(created < from! || created > to!))
      const page = found.toReversed().slice(skip, skip + size)
      const next = new URLSearchParams(query)
      next.set('skip', String(skip + size))
      return {
        events: page.map(({ body }) => JSON.parse(body) as unknown),
        count: page.length,
        // Its links use PayPal's own host.
        links:
          skip + size < found.length
            ? linksOf({ next: `https://api.sandbox.paypal.com/v1/notifications/webhooks-events?${next}` })
            : linksOf({ self: account.url }),
      }
    }),
    {
      method: 'POST',
      path: /^\/v1\/notifications\/verify-webhook-signature$/,
      takesKey: false,
      run: ({ body }) => ({
        status: 200,
        body: { verification_status: isSigned(body) ? 'SUCCESS' : 'FAILURE' },
      }),
    },
  ]
}

/** The app's webhooks: https://developer.paypal.com/docs/api/webhooks/v1/#webhooks_list */
export function endpointRoute(context: Pick<ServerContext, 'endpoint'>): Route {
  return route('GET /v1/notifications/webhooks', () => ({ webhooks: endpointsOf(context).map(toEndpoint) }))
}

// A webhook cannot be disabled as a whole; a disabled one has no enabled events.
function toEndpoint({ url, secret, isEnabled = true, events = ['*'] }: Webhook) {
  return {
    id: secret,
    url,
    event_types: events.map((name) => ({ name, status: isEnabled ? 'ENABLED' : 'DISABLED' })),
  }
}

function isOfSale(account: Account, charge: string): boolean {
  return subscriptionOf(account.world, account.world.store.get('charge', charge)) !== undefined
}

function charged({ account, id }: Call, kind: 'sale' | 'capture'): Charge {
  const found = findCharge(account.world, id)
  if (found?.id !== id || isOfSale(account, id) !== (kind === 'sale')) throw missing()
  return found
}

function giveBack({ account }: Call, charge: Charge, amount: number | null): Record<string, unknown> {
  return toRefund(account, refund(account.world, charge, amount === null ? {} : { amount }))
}
