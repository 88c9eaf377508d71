import {
  type Answer,
  cancelSubscription,
  createIdempotency,
  openFakeServer,
  pauseSubscription,
  type ServerContext,
  settingsOf,
  trackMap,
} from '../engine/index.ts'
import type { Account } from './account.ts'
import { createApi, type Route } from './api.ts'
import { agreeTo, checkoutRoutes } from './api-checkout.ts'
import { endpointRoute, eventRoutes, moneyRoutes } from './api-money.ts'
import { agreeToChange, noteStatus, subscriptionRoutes } from './api-subscriptions.ts'
import { ApiError, toApiError } from './errors.ts'
import { createAccount } from './opening.ts'
import type { FakePayPal, FakePayPalOptions } from './options.ts'
import { type PayPalViews, show } from './shapes.ts'
import { certificatePath, sandboxCertificate, signMessage } from './signing.ts'

/**
 * Starts the engine as PayPal's sandbox, written after its public documentation. A site connects to it with
 * its address as `api_base`, its `clientId` and its `secret`. Its webhooks are signed for the secret of
 * `webhook`, the webhook's id.
 */
export async function createFakePayPal(options: FakePayPalOptions = {}): Promise<FakePayPal> {
  let account!: Account
  const clientId = 'client_of_a_fake_app'
  const secret = options.secret ?? 'secret_of_a_fake_app'
  const server = await openFakeServer<PayPalViews>(options, (context) => {
    const { clock, messages, ids } = context
    // Five days apart, then it is suspended:
    // https://developer.paypal.com/docs/subscriptions/customize/payment-failure-retry/
    account = createAccount(settingsOf(options, [5, 10], 'unpaid'), context)
    return {
      secret,
      world: account.world,
      show: (object) => show(account, object),
      refusalText: () => 'This card cannot be used for this payment.',
      errorOf: toApiError,
      agree: (_world, id, buyer) => agreeTo(account, id, buyer),
      api: createApi({
        account,
        routes: [...routesOf(messages.all), endpointRoute(context)],
        tokens: createTokens({
          clientId,
          secret,
          seconds: clock.seconds,
          saving: context.saving,
          newToken: () => ids('A21', 40),
        }),
        idempotency: createIdempotency({
          seconds: clock.seconds,
          // Retention for orders; others are kept for 72 hours.
          keptSeconds: 6 * 3600,
          maxLength: 108,
          saving: context.saving,
          refuse: (trouble) => new ApiError(trouble === 'in use' ? 409 : 422, 'DUPLICATE_REQUEST_ID'),
        }),
        context,
      }),
      page: async ({ path }) => (path === certificatePath ? { html: sandboxCertificate() } : null),
      sign: signMessage,
      requestId: (requestIds) => requestIds('req', 13),
    }
  })
  const atPayPal = async (act: () => void): Promise<void> => {
    act()
    await server.advance({ ms: 0 })
  }
  return {
    ...server,
    clientId,
    certificate: sandboxCertificate(),
    agree: (id) => atPayPal(() => agreeToChange(account, id)),
    cancelAtPayPal: (id) =>
      atPayPal(() => {
        noteStatus(account, id, null)
        cancelSubscription(account.world, account.world.store.get('subscription', id))
      }),
    suspendAtPayPal: (id) =>
      atPayPal(() => {
        noteStatus(account, id, null)
        pauseSubscription(account.world, account.world.store.get('subscription', id))
      }),
  }
}

function routesOf(all: Parameters<typeof eventRoutes>[0]): readonly Route[] {
  return [...checkoutRoutes, ...subscriptionRoutes, ...moneyRoutes, ...eventRoutes(all)]
}

// https://developer.paypal.com/api/rest/authentication/: nine hours
const tokenSeconds = 32_400

function createTokens(given: {
  readonly clientId: string
  readonly secret: string
  readonly seconds: () => number
  readonly newToken: () => string
  readonly saving: ServerContext['saving']
}) {
  const until = trackMap(given.saving, new Map<string, number>())
  return {
    give: (authorization: string): Answer => {
      const basic = Buffer.from(authorization.replace(/^Basic /, ''), 'base64').toString()
      if (basic !== `${given.clientId}:${given.secret}`)
        return {
          status: 401,
          body: { error: 'invalid_client', error_description: 'Client Authentication failed' },
        }
      const token = given.newToken()
      until.set(`Bearer ${token}`, given.seconds() + tokenSeconds)
      return { status: 200, body: { access_token: token, token_type: 'Bearer', expires_in: tokenSeconds } }
    },
    isGood: (bearer: string): boolean => (until.get(bearer) ?? 0) > given.seconds(),
  }
}
