import type { KeyObject } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type JWK, jwtVerify } from 'jose'
import type { FakeClock } from '../engine/index.ts'

/** A product of the app: a base plan of a subscription, or something bought once. */
export interface FakeGoogleProduct {
  readonly basePlan?: string
  /** Price in the currency's unit. */
  readonly price: number
  readonly currency?: string
  readonly months?: number
}

/** A purchase by its token. */
export interface HeldToken {
  readonly token: string
  product: string
  account: string | null
  /** A licence tester bought it, with no money. */
  readonly isTest: boolean
  state: string
  expiry: number
  readonly start: number
  autoRenew: boolean
  linked: string | null
  /** The former purchase of a resubscription in the Play Store, until it is acknowledged. */
  former: string | null
  /** True once another purchase replaced it. */
  isReplaced: boolean
  isAcknowledged: boolean
  resumesAt: number | null
  cancelledAt: number | null
  deferredTo: string | null
  priceChange: string | null
  isTrial: boolean
  readonly orders: FakeOrder[]
}

/** An order: one charge. */
export interface FakeOrder {
  readonly id: string
  readonly total: number
  readonly from: number
  readonly to: number | null
  readonly at: number
  state: string
  refunded: number
  voidedAt: number | null
}

interface Api {
  readonly clock: FakeClock
  readonly held: ReadonlyMap<string, HeldToken>
  readonly products: Readonly<Record<string, FakeGoogleProduct>>
  readonly packageName: string
  readonly acknowledged: string[]
  readonly state: { readonly isFailing: boolean }
  readonly serviceAccount: string
  /** Key that signs the tokens of pushes. */
  readonly jwk: JWK
  /** Key of the service account. */
  readonly accountKey: KeyObject
}

interface Answer {
  readonly status: number
  readonly body: object
}

/** Days for which an expired purchase can be asked for. */
const keptDays = 60

const accessToken = 'ya29.of-the-fake'

/**
 * Serves the part of the Google Play Developer API that a site uses, with Google's token and key addresses.
 * https://developers.google.com/android-publisher/api-ref/rest
 */
export async function startApi(api: Api): Promise<{ url: string; close: () => Promise<void> }> {
  let url = ''
  const server = createServer(async (request, response) => {
    const { status, body } = await answer(api, url, request)
    response.writeHead(status, { 'content-type': 'application/json', date: api.clock.now().toUTCString() })
    response.end(JSON.stringify(body))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
}

async function answer(api: Api, url: string, request: IncomingMessage): Promise<Answer> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
  if (pathname === '/certs') return { status: 200, body: { keys: [api.jwk] } }
  if (pathname === '/token') return token(api, url, await textOf(request))
  if (request.headers.authorization !== `Bearer ${accessToken}`) return failure(401, 'UNAUTHENTICATED')
  const app = `/androidpublisher/v3/applications/${api.packageName}`
  if (!pathname.startsWith(`${app}/`)) return failure(404, 'NOT_FOUND')
  const path = decodeURIComponent(pathname.slice(app.length))
  const [, kind, id = '', action] =
    /^\/(purchases\/(?:subscriptionsv2|productsv2)\/tokens|purchases\/(?:subscriptions|products)\/[^/]+\/tokens|orders)\/([^:]+)(?::(\w+))?$/.exec(
      path,
    ) ?? []
  if (request.method === 'POST' && action === 'acknowledge')
    return acknowledge(api, id, await textOf(request))
  if (path === '/purchases/voidedpurchases') return voided(api, searchParams)
  if (kind === 'orders') return order(api, id)
  const item = api.held.get(id)
  if (item === undefined) return failure(404, 'NOT_FOUND')
  const isSubscription = api.products[item.product]?.basePlan !== undefined
  // "The subscription purchase is no longer available for query because it has been expired for too long":
  // https://developer.android.com/google/play/billing/lifecycle/subscriptions
  if (isSubscription && item.expiry < api.clock.now().getTime() - keptDays * 86_400_000)
    return failure(400, 'FAILED_PRECONDITION')
  if (kind === 'purchases/subscriptionsv2/tokens' && isSubscription)
    return { status: 200, body: subscription(api, item) }
  if (kind === 'purchases/productsv2/tokens' && !isSubscription) return { status: 200, body: product(item) }
  return failure(404, 'NOT_FOUND')
}

function failure(code: number, status: string): Answer {
  return {
    status: code,
    body: { error: { code, message: status, status } },
  }
}

/** https://developers.google.com/identity/protocols/oauth2/service-account#httprest */
async function token(api: Api, url: string, body: string): Promise<Answer> {
  const form = new URLSearchParams(body)
  try {
    const { payload } = await jwtVerify(form.get('assertion') ?? '', api.accountKey, {
      algorithms: ['RS256'],
      issuer: api.serviceAccount,
      audience: `${url}/token`,
      currentDate: api.clock.now(),
    })
    if (payload.scope !== 'https://www.googleapis.com/auth/androidpublisher')
      return failure(400, 'INVALID_SCOPE')
  } catch {
    return failure(400, 'INVALID_GRANT')
  }
  return { status: 200, body: { access_token: accessToken, expires_in: 3599, token_type: 'Bearer' } }
}

function iso(ms: number): string {
  return new Date(ms).toISOString()
}
function money(amount: number, currencyCode: string) {
  return {
    currencyCode,
    units: String(Math.trunc(amount)),
    nanos: Math.round((amount % 1) * 1e9),
  }
}
function acknowledgement({ isAcknowledged }: HeldToken): string {
  return `ACKNOWLEDGEMENT_STATE_${isAcknowledged ? 'ACKNOWLEDGED' : 'PENDING'}`
}

/** https://developers.google.com/android-publisher/api-ref/rest/v3/purchases.subscriptionsv2 */
function subscription({ products, held }: Api, item: HeldToken): object {
  const { basePlan, price = 0, currency = 'EUR' } = products[item.product] ?? {}
  return {
    kind: 'androidpublisher#subscriptionPurchaseV2',
    startTime: iso(item.start),
    regionCode: 'DE',
    subscriptionState: `SUBSCRIPTION_STATE_${item.state}`,
    latestOrderId: item.orders.at(-1)?.id,
    ...(item.linked === null ? {} : { linkedPurchaseToken: item.linked }),
    acknowledgementState: acknowledgement(item),
    ...(item.account === null
      ? {}
      : { externalAccountIdentifiers: { obfuscatedExternalAccountId: item.account } }),
    ...(item.former === null ? {} : { outOfAppPurchaseContext: contextOf(held, item.former) }),
    ...(item.isTest ? { testPurchase: {} } : {}),
    ...(item.resumesAt === null || item.state !== 'PAUSED'
      ? {}
      : { pausedStateContext: { autoResumeTime: iso(item.resumesAt) } }),
    ...(item.isReplaced ? { canceledStateContext: { replacementCancellation: {} } } : {}),
    ...(item.cancelledAt === null || item.isReplaced
      ? {}
      : { canceledStateContext: { userInitiatedCancellation: { cancelTime: iso(item.cancelledAt) } } }),
    lineItems: [
      {
        productId: item.product,
        expiryTime: iso(item.expiry),
        latestSuccessfulOrderId: item.orders.at(-1)?.id,
        autoRenewingPlan: {
          autoRenewEnabled: item.autoRenew,
          recurringPrice: money(price, currency),
          ...(item.priceChange === null
            ? {}
            : {
                priceChangeDetails: {
                  priceChangeState: item.priceChange,
                  newPrice: money(price + 1, currency),
                  expectedNewPriceChargeTime: iso(item.expiry),
                },
              }),
        },
        offerDetails: { basePlanId: basePlan, ...(item.isTrial ? { offerId: 'free-month' } : {}) },
        offerPhase: item.isTrial ? { freeTrial: {} } : { basePrice: {} },
        ...(item.deferredTo === null ? {} : { deferredItemReplacement: { productId: item.deferredTo } }),
      },
    ],
  }
}

/** https://developer.android.com/google/play/billing/play-developer-apis-release-notes (19 November 2025) */
function contextOf(held: Api['held'], former: string): object {
  const account = held.get(former)?.account ?? null
  return {
    expiredPurchaseToken: former,
    ...(account === null
      ? {}
      : { expiredExternalAccountIdentifiers: { obfuscatedExternalAccountId: account } }),
  }
}

/** https://developers.google.com/android-publisher/api-ref/rest/v3/purchases.productsv2 */
function product(item: HeldToken): object {
  return {
    kind: 'androidpublisher#productPurchaseV2',
    orderId: item.orders[0]?.id,
    regionCode: 'DE',
    purchaseCompletionTime: iso(item.start),
    acknowledgementState: acknowledgement(item),
    ...(item.account === null ? {} : { obfuscatedExternalAccountId: item.account }),
    ...(item.isTest ? { testPurchaseContext: { fopType: 'TEST' } } : {}),
    purchaseStateContext: { purchaseState: item.state === 'CANCELLED' ? 'CANCELLED' : 'PURCHASED' },
    productLineItem: [{ productId: item.product, productOfferDetails: { quantity: 1 } }],
  }
}

function findOrder({ held }: Api, id: string): { item: HeldToken; order: FakeOrder } | null {
  for (const item of held.values()) {
    const order = item.orders.find((known) => known.id === id)
    if (order !== undefined) return { item, order }
  }
  return null
}

/** https://developers.google.com/android-publisher/api-ref/rest/v3/orders */
function order(api: Api, id: string): Answer {
  const found = findOrder(api, id)
  if (found === null) return failure(404, 'NOT_FOUND')
  const { item, order } = found
  const { basePlan, currency = 'EUR' } = api.products[item.product] ?? {}
  const refund = {
    eventTime: iso(order.voidedAt ?? order.at),
    state: 'PROCESSED',
    refundDetails: { total: money(order.refunded, currency) },
  }
  return {
    status: 200,
    body: {
      orderId: order.id,
      purchaseToken: item.token,
      state: order.state,
      createTime: iso(order.at),
      total: money(order.total, currency),
      tax: money(0, currency),
      orderHistory: {
        processedEvent: { eventTime: iso(order.at) },
        ...(order.state === 'REFUNDED' ? { refundEvent: refund } : {}),
        ...(order.state === 'PARTIALLY_REFUNDED' ? { partialRefundEvents: [refund] } : {}),
      },
      lineItems: [
        {
          productId: item.product,
          ...(order.to === null
            ? { oneTimePurchaseDetails: { quantity: 1 } }
            : {
                subscriptionDetails: {
                  basePlanId: basePlan,
                  servicePeriodStartTime: iso(order.from),
                  servicePeriodEndTime: iso(order.to),
                },
              }),
        },
      ],
    },
  }
}

/** https://developers.google.com/android-publisher/api-ref/rest/v3/purchases.voidedpurchases/list */
function voided({ held }: Api, query: URLSearchParams): Answer {
  const since = Number(query.get('startTime') ?? 0)
  const voidedPurchases = [...held.values()].flatMap((item) =>
    item.orders
      .filter(({ voidedAt }) => voidedAt !== null && voidedAt >= since)
      .map((order) => ({
        kind: 'androidpublisher#voidedPurchase',
        purchaseToken: item.token,
        orderId: order.id,
        purchaseTimeMillis: String(order.at),
        voidedTimeMillis: String(order.voidedAt),
        voidedSource: 0,
        voidedReason: 0,
      })),
  )
  return { status: 200, body: { voidedPurchases } }
}

/** https://developers.google.com/android-publisher/api-ref/rest/v3/purchases.subscriptions/acknowledge */
function acknowledge({ held, acknowledged, state }: Api, id: string, body: string): Answer {
  const item = held.get(id)
  if (state.isFailing) return failure(503, 'UNAVAILABLE')
  if (item === undefined) return failure(404, 'NOT_FOUND')
  const { externalAccountIds } = JSON.parse(body || '{}') as {
    externalAccountIds?: { obfuscatedAccountId?: string }
  }
  Object.assign(item, {
    isAcknowledged: true,
    former: null,
    account: item.account ?? externalAccountIds?.obfuscatedAccountId ?? null,
  })
  acknowledged.push(id)
  return { status: 200, body: {} }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts).toString('utf8')
}
