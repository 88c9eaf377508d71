import { z } from 'zod'
import { MembershipError } from '../../core/errors.ts'
import { lazy } from '../../core/lazy.ts'
import { type ApiOptions, fetchBy } from '../api.ts'
import { type ApiWords, failureOf } from '../api-errors.ts'
import { moneyChange } from '../changes.ts'
import { createClientCredentials, type Token } from '../client-credentials.ts'
import type { Change, Fetched, Provider, Ref, Unacknowledged } from '../contract.ts'
import { int, list, obj, str } from '../narrow.ts'
import { address, createRest, type Rest, unlessMissing } from '../rest.ts'
import { isOfPurchase, ownerOfPurchase } from '../stores.ts'
import { customerOf } from './facts.ts'
import { toProductPayment, toRenewal } from './money.ts'
import type { ErrorAnswer, Order, Product, Subscription } from './payload.ts'
import { heldItems, isTest, toSubscriptionData } from './subscription.ts'

/** Names of Google's API in error messages. */
export const googleWords: ApiWords = {
  name: 'Google Play',
  option: 'membership.providers.google.secret',
  keys: 'the Google Cloud console (IAM, Service accounts, Keys)',
  requests: 'in the Google Cloud console (APIs and services, Google Play Android Developer API)',
}

/** Access to the API: the key of a service account, and the app. */
export interface GoogleAccess extends ApiOptions {
  readonly packageName: string
  /** Mode of this site; purchases of the other mode say nothing here. */
  readonly livemode: boolean | null
  /** The prices that the site's plans name. */
  readonly prices: () => readonly string[]
  /** The customer under whom the site stores a subscription; null for an unknown one. */
  readonly storedCustomer: (token: string) => Promise<string | null>
}

/** Google's API. */
export interface GoogleApi {
  readonly ask: Rest['ask']
  /** Path of the app's objects. */
  readonly app: string
  /** Reads one purchase; null when Google does not know it. */
  fetch(ref: Ref): Promise<Fetched | null>
  readonly acknowledge: NonNullable<Provider['acknowledge']>
}

/**
 * Our own client: Google's package is large, and hides the time of an answer.
 * https://developers.google.com/android-publisher/api-ref/rest
 */
export function createGoogleApi(access: GoogleAccess): GoogleApi {
  const { base, now, packageName, livemode, prices, storedCustomer } = access
  // Read with the first request, like every other key.
  const account = lazy(() => accountIn(access.secret))
  const { ask } = createRest({
    base,
    words: googleWords,
    now,
    headers: createClientCredentials({ ask: async () => requestToken(account(), access), now }),
    faultOf: (body: ErrorAnswer) => ({ code: str(obj(body.error).status) }),
  })
  const app = address`/androidpublisher/v3/applications/${packageName}`
  const read = <T>(what: string, path: string) => ask<T>(what, { path: `${app}${path}` })
  const orderOf = async (id: string | null): Promise<Order> =>
    id === null ? {} : ((await unlessMissing(read<Order>('an order', address`/orders/${id}`)))?.raw ?? {})

  const subscriptionOf = (token: string) =>
    read<Subscription>('a subscription', address`/purchases/subscriptionsv2/tokens/${token}`)

  /**
   * Returns the customer of a purchase. One that was made in the Play Store, or that replaces another, may name no
   * account. It then belongs to whoever had the former one, and stays with them, because Google forgets both the context
   * and the former purchase. Source:
   * https://developer.android.com/google/play/billing/play-developer-apis-release-notes (19 November 2025)
   */
  const ownerOf = async (token: string, raw: Subscription, depth = 0): Promise<string | null> => {
    const stated = customerOf(raw)
    if (stated !== null) return stated
    const stored = await storedCustomer(token)
    if (stored !== null && stored !== ownerOfPurchase(token)) return stored
    const context = obj(raw.outOfAppPurchaseContext)
    const expired = str(obj(context.expiredExternalAccountIdentifiers).obfuscatedExternalAccountId)
    if (expired !== null) return expired
    const former = str(raw.linkedPurchaseToken) ?? str(context.expiredPurchaseToken)
    if (former === null || depth > longestChain) return null
    const known = await storedCustomer(former)
    if (known !== null) return known
    const asked = await unlessGone(subscriptionOf(former))
    return asked === null ? null : ownerOf(former, asked.raw, depth + 1)
  }

  /** https://developers.google.com/android-publisher/api-ref/rest/v3/purchases.subscriptionsv2/get */
  const subscription = async (token: string, orderId?: string): Promise<Fetched> => {
    const { raw, at } = await subscriptionOf(token)
    if (livemode !== null && isTest(raw) === livemode) return { changes: [], at }
    const owner = await ownerOf(token, raw)
    const customer = owner ?? ownerOfPurchase(token)
    const [item] = heldItems(raw, at)
    const order = await orderOf(orderId ?? str(item?.latestSuccessfulOrderId))
    const linked = str(raw.linkedPurchaseToken)
    const payment = moneyChange('payment', toRenewal(order, { token, customer }, raw))
    // An older order says nothing about the present period.
    if (orderId !== undefined) return { changes: [touchOf(token), ...payment], at }
    const data = toSubscriptionData({ token, customer, at }, raw, order, prices())
    return {
      changes: [
        { type: 'subscription', id: token, stage: 'updated', data },
        ...payment,
        // The purchase before an upgrade or a new subscription is over.
        ...(linked === null ? [] : [touchOf(linked)]),
      ],
      at,
      unacknowledged: waitingIn(raw, {
        kind: 'subscription',
        id: token,
        productId: str(item?.productId),
        boughtAt: str(raw.startTime),
        // A purchase that names no account keeps this one.
        ...(customerOf(raw) === null && owner !== null && !isOfPurchase(owner) ? { customerId: owner } : {}),
      }),
    }
  }

  /** https://developers.google.com/android-publisher/api-ref/rest/v3/purchases.productsv2/getproductpurchasev2 */
  const product = async (token: string): Promise<Fetched> => {
    const { raw, at } = await read<Product>('a purchase', address`/purchases/productsv2/tokens/${token}`)
    const isTestPurchase = raw.testPurchaseContext !== undefined && raw.testPurchaseContext !== null
    if (livemode !== null && isTestPurchase === livemode) return { changes: [], at }
    const order = await orderOf(str(raw.orderId))
    const [item] = list(raw.productLineItem)
    return {
      changes: moneyChange('payment', toProductPayment(token, raw, order)),
      at,
      unacknowledged: waitingIn(raw, {
        kind: 'payment',
        id: token,
        productId: str(item?.productId),
        boughtAt: str(raw.purchaseCompletionTime),
      }),
    }
  }

  /** https://developers.google.com/android-publisher/api-ref/rest/v3/orders/get */
  const ofOrder = async (id: string): Promise<Fetched> => {
    const { raw, at } = await read<Order>('an order', address`/orders/${id}`)
    const token = str(raw.purchaseToken)
    const isRenewing = list(raw.lineItems).some(
      ({ subscriptionDetails }) => subscriptionDetails !== undefined,
    )
    if (token === null) return { changes: [], at }
    return isRenewing ? subscription(token, id) : product(token)
  }

  return {
    ask,
    app,
    // https://developers.google.com/android-publisher/api-ref/rest/v3/purchases.subscriptions/acknowledge
    acknowledge: async ({ kind, id, productId, customerId }) => {
      const list = kind === 'subscription' ? 'subscriptions' : 'products'
      await ask('an acknowledgement', {
        method: 'POST',
        path: `${app}/purchases/${list}${address`/${productId}/tokens/${id}:acknowledge`}`,
        body: customerId === undefined ? {} : { externalAccountIds: { obfuscatedAccountId: customerId } },
        // Repeating it has no further effect.
        isRepeatable: true,
      })
    },
    fetch: fetchBy({
      subscription: (token) => unlessGone(subscription(token)),
      payment: (id) => unlessGone(isOrder(id) ? ofOrder(id) : product(id)),
      customer: null,
      checkout: null,
      refund: null,
      dispute: null,
      link: null,
    }),
  }
}

/**
 * Returns null for a purchase that Google does not know, or that ended more than 60 days ago. Sources:
 * https://developers.google.com/android-publisher/api-ref/rest/v3/purchases.subscriptionsv2/get and
 * https://developers.google.com/android-publisher/errors
 */
async function unlessGone<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await unlessMissing(asked)
  } catch (error) {
    const { status, code } = failureOf(error instanceof Error ? error.cause : null)
    if (status === 410 || (status === 400 && code === 'FAILED_PRECONDITION')) return null
    throw error
  }
}

/** A purchase that is not acknowledged yet. One that is pending is not paid, and must not be acknowledged. */
function waitingIn(
  { acknowledgementState, ...raw }: Subscription & Product,
  purchase: { [K in keyof Omit<Unacknowledged, 'customerId'>]: Unacknowledged[K] | null } & {
    readonly customerId?: string
  },
): Unacknowledged[] {
  const { kind, id, productId, boughtAt, customerId } = purchase
  const isPaid =
    raw.subscriptionState !== 'SUBSCRIPTION_STATE_PENDING' &&
    obj(raw.purchaseStateContext).purchaseState !== 'PENDING' &&
    obj(raw.purchaseStateContext).purchaseState !== 'CANCELLED'
  if (acknowledgementState !== 'ACKNOWLEDGEMENT_STATE_PENDING' || !isPaid) return []
  if (kind === null || id === null || productId === null || boughtAt === null) return []
  return [{ kind, id, productId, boughtAt, ...(customerId === undefined ? {} : { customerId }) }]
}

// A purchase may replace one that replaced another, and so on.
const longestChain = 5

function touchOf(token: string): Change {
  return { type: 'touch', ref: { kind: 'subscription', id: token } }
}

// `GPA.3345-1234-5678-90123..1`: https://support.google.com/googleplay/android-developer/answer/2741495
function isOrder(id: string): boolean {
  return id.startsWith('GPA.')
}

const accountSchema = z.object({
  client_email: z.string().min(1),
  private_key: z.string().min(1),
  token_uri: z.url().default('https://oauth2.googleapis.com/token'),
})

function accountIn(secret: string): z.infer<typeof accountSchema> {
  try {
    return accountSchema.parse(JSON.parse(secret))
  } catch {
    // The cause would repeat the key.
    throw new MembershipError(
      'ERR_CONFIG',
      'membership.providers.google.secret is no key of a service account.',
      {
        action:
          'Set it to the text of the JSON file that the Google Cloud console downloads (IAM, Service accounts, Keys).',
      },
    )
  }
}

const jose = lazy(() => import('jose'))
const scope = 'https://www.googleapis.com/auth/androidpublisher'

/** https://developers.google.com/identity/protocols/oauth2/service-account#httprest */
async function requestToken(
  { client_email: email, private_key: key, token_uri: audience }: z.infer<typeof accountSchema>,
  { now }: GoogleAccess,
): Promise<Token> {
  const { importPKCS8, SignJWT } = await jose()
  const issued = Math.floor(now().getTime() / 1000)
  const assertion = await new SignJWT({ scope })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
    .setIssuer(email)
    .setAudience(audience)
    .setIssuedAt(issued)
    .setExpirationTime(issued + 3600)
    .sign(await importPKCS8(key, 'RS256'))
  const { ask } = createRest({ base: audience, words: googleWords, now, headers: () => ({}) })
  const { raw } = await ask<{ readonly access_token?: unknown; readonly expires_in?: unknown }>('a token', {
    method: 'POST',
    path: '',
    body: new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion }),
    reads: true,
  })
  return { token: str(raw.access_token) ?? '', seconds: int(raw.expires_in) ?? 0 }
}
