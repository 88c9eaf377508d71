import { signHmac } from '../../providers/signatures.ts'
import { stripeScheme } from '../../providers/stripe/verify.ts'
import { createIdempotency, openFakeServer, type SignMessage, type Speech } from '../engine/index.ts'
import type { Account } from './account.ts'
import { createApi } from './api.ts'
import { billingRoutes } from './api-billing.ts'
import { checkoutRoutes } from './api-checkout.ts'
import { eventRoutes } from './api-events.ts'
import { priceRoutes } from './api-prices.ts'
import { readRoutes } from './api-read.ts'
import { scheduleRoutes } from './api-schedules.ts'
import { subscriptionRoutes } from './api-subscriptions.ts'
import { refuseKey, toApiError } from './errors.ts'
import { decodeForm } from './form.ts'
import { createAccount } from './opening.ts'
import type { FakeStripe, FakeStripeOptions } from './options.ts'
import { createPages } from './pages.ts'
import type { StripeViews } from './shapes.ts'
import { refusalText } from './shapes-money.ts'

/**
 * Starts the engine as Stripe, written after its public documentation. Real clients connect to it with
 * `host`, `port` and `protocol`.
 */
export async function createFakeStripe(options: FakeStripeOptions = {}): Promise<FakeStripe> {
  let account!: Account
  const server = await openFakeServer<StripeViews>(options, (context) => {
    account = createAccount(toSettings(options), context)
    const { world, show } = account
    const secret = options.secret ?? 'sk_test_fake'
    const idempotency = createIdempotency({
      seconds: context.clock.seconds,
      // https://docs.stripe.com/api/idempotent_requests
      keptSeconds: 86_400,
      maxLength: 255,
      refuse: refuseKey,
      saving: context.saving,
    })
    const routes = [
      ...checkoutRoutes,
      ...subscriptionRoutes,
      ...priceRoutes,
      ...scheduleRoutes,
      ...billingRoutes,
      ...eventRoutes(context.isDelivered),
      ...readRoutes,
    ]
    return {
      secret,
      world,
      show: show as Speech<StripeViews>['show'],
      refusalText,
      errorOf: toApiError,
      api: createApi({ account, secret, routes, idempotency, context }),
      page: createPages(world),
      sign: signEvent,
      requestId: (ids) => ids('req', 14),
      paramsOf: ({ query, body }) => tolerantly([query, body].filter((part) => part !== '').join('&')),
    }
  })
  return {
    ...server,
    objects: { list: account.list, get: account.findAny },
    events: () => server.events() as ReturnType<FakeStripe['events']>,
  }
}

function toSettings(options: FakeStripeOptions) {
  const { apiVersion = '2025-03-31.basil', dunning = {} } = options
  return {
    apiVersion: apiVersion === 'old' ? '2024-06-20' : apiVersion,
    draftSeconds: options.draftSeconds ?? 3600,
    mixesIntervals: true,
    tax: options.tax ?? null,
    dunning: { retryDays: dunning.retryDays ?? [3, 5, 7], outcome: dunning.outcome ?? 'cancel' },
  }
}

function tolerantly(form: string): Record<string, unknown> {
  try {
    return decodeForm(form)
  } catch {
    return { unreadable: form.slice(0, 1000) }
  }
}

/** Builds the headers of a delivery. https://docs.stripe.com/webhooks#verify-manually */
export const signEvent: SignMessage = ({ body }, secret, at) => ({
  'Content-Type': 'application/json; charset=utf-8',
  'User-Agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
  ...signHmac(stripeScheme, Buffer.from(body), secret, at),
})
