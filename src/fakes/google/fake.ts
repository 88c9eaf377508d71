import { generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto'
import { exportJWK, SignJWT } from 'jose'
import { lazy } from '../../core/lazy.ts'
import { createFakeClock, type FakeClock } from '../engine/index.ts'
import { type FakeGoogleProduct, type HeldToken, startApi } from './api.ts'

/** The app that sells. */
export interface FakeGoogleOptions {
  /** By product id. A product without a base plan is bought once. */
  readonly products: Readonly<Record<string, FakeGoogleProduct>>
  readonly start?: Date
  readonly packageName?: string
  /** False: people pay with real money; true: they are licence testers. Default: true. */
  readonly isTest?: boolean
}

/** A push as Pub/Sub posts it. */
export interface FakePush {
  readonly body: Buffer
  headers(): Promise<Record<string, string>>
}

/** One app in Google Play: people buy in it, the store renews and reports. Times move by hand. */
export interface FakeGoogle {
  readonly url: string
  readonly clock: FakeClock
  readonly settings: Readonly<Record<string, unknown>>
  readonly pushes: readonly FakePush[]
  /** Signs a token as Google does, with other claims than usual. */
  sign(
    claims?: Readonly<Record<string, unknown>>,
    options?: { key?: KeyObject; kid?: string },
  ): Promise<string>
  /** Buys in the app, and returns the purchase token. */
  buy(purchase: {
    product: string
    account?: string | null
    replaces?: string
    /** The ended purchase that is bought again in the Play Store, outside the app. */
    resubscribes?: string
    isTrial?: boolean
    isTest?: boolean
  }): string
  renew(token: string): void
  failRenewal(token: string, graceDays?: number): void
  hold(token: string): void
  recover(token: string): void
  pause(token: string, until: Date): void
  setAutoRenew(token: string, isOn: boolean): void
  expire(token: string): void
  deferChange(token: string, product: string): void
  askForConsent(token: string): void
  /** Refunds an order, all of it or a part; `isSilent` leaves out the notification. */
  refund(orderId: string, options?: { amount?: number; isSilent?: boolean }): void
  test(): void
  /** Answers acknowledgements with an error until it is set back. */
  failAcknowledgements(isFailing: boolean): void
  purchase(token: string): HeldToken
  /** Purchases that were acknowledged, in order. */
  readonly acknowledged: readonly string[]
  close(): Promise<void>
}

const keys = lazy(() => generateKeyPairSync('rsa', { modulusLength: 2048 }))
const accountKeys = lazy(() => generateKeyPairSync('rsa', { modulusLength: 2048 }))
const day = 86_400_000

/**
 * Starts an app without history, with its API on loopback, written after Google's public documentation.
 * https://developer.android.com/google/play/billing/rtdn-reference
 */
export async function createFakeGoogle(options: FakeGoogleOptions): Promise<FakeGoogle> {
  const { products, packageName = 'com.example.app', isTest = true } = options
  const clock = createFakeClock(options.start ?? new Date('2026-03-01T00:00:00Z'), false)
  const held = new Map<string, HeldToken>()
  const pushes: FakePush[] = []
  const acknowledged: string[] = []
  const state = { isFailing: false }
  const audience = 'https://example.com/membership/webhooks/google'
  const pushAccount = 'push@example-project.iam.gserviceaccount.com'
  const now = () => clock.now().getTime()
  let serial = 0

  const productOf = (name: string): FakeGoogleProduct => {
    const product = products[name]
    if (product === undefined) throw new TypeError(`The app sells no product "${name}".`)
    return product
  }
  const take = (token: string): HeldToken => {
    const found = held.get(token)
    if (found === undefined) throw new TypeError(`There is no purchase "${token}".`)
    return found
  }

  const sign: FakeGoogle['sign'] = (claims = {}, { key = keys().privateKey, kid = 'key-1' } = {}) => {
    const seconds = Math.floor(now() / 1000)
    return new SignJWT({
      iss: 'https://accounts.google.com',
      aud: audience,
      azp: '113774264463038321964',
      sub: '113774264463038321964',
      email: pushAccount,
      email_verified: true,
      iat: seconds,
      exp: seconds + 3600,
      ...claims,
    })
      .setProtectedHeader({ alg: 'RS256', kid, typ: 'JWT' })
      .sign(key)
  }

  const push = (content: object): void => {
    const notification = { version: '1.0', packageName, eventTimeMillis: String(now()), ...content }
    const message = {
      attributes: {},
      data: Buffer.from(JSON.stringify(notification)).toString('base64'),
      messageId: String(136_969_346_945 + ++serial),
      publishTime: clock.now().toISOString(),
    }
    const body = Buffer.from(JSON.stringify({ message, subscription: 'projects/example/subscriptions/play' }))
    pushes.push({ body, headers: async () => ({ authorization: `Bearer ${await sign()}` }) })
  }
  const tell = (notificationType: number, { token, product }: HeldToken): void =>
    push({
      subscriptionNotification: {
        version: '1.0',
        notificationType,
        purchaseToken: token,
        subscriptionId: product,
      },
    })

  const charge = (item: HeldToken, from: number, to: number | null): void => {
    const number = item.orders.length - 1
    const first = item.orders[0]?.id ?? `GPA.3345-1234-5678-${String(10_000 + ++serial)}`
    item.orders.push({
      id: item.orders.length === 0 ? first : `${first}..${number}`,
      total: item.isTrial ? 0 : productOf(item.product).price,
      from,
      to,
      at: now(),
      state: 'PROCESSED',
      refunded: 0,
      voidedAt: null,
    })
  }

  const store: Omit<FakeGoogle, 'url' | 'settings' | 'close'> = {
    clock,
    pushes,
    acknowledged,
    sign,
    buy: ({
      product,
      account = null,
      replaces,
      resubscribes,
      isTrial = false,
      isTest: isTester = isTest,
    }) => {
      const { basePlan, months = 1 } = productOf(product)
      const token = `${randomUUID().replaceAll('-', '')}.AO-J1O${randomUUID().replaceAll('-', '')}`
      const expiry = addMonths(now(), months)
      const item: HeldToken = {
        token,
        product,
        account,
        isTest: isTester,
        state: 'ACTIVE',
        expiry,
        start: now(),
        autoRenew: true,
        linked: replaces ?? null,
        former: resubscribes ?? null,
        isReplaced: false,
        isAcknowledged: false,
        resumesAt: null,
        cancelledAt: null,
        deferredTo: null,
        priceChange: null,
        isTrial,
        orders: [],
      }
      held.set(token, item)
      charge(item, now(), basePlan === undefined ? null : expiry)
      if (replaces !== undefined)
        Object.assign(take(replaces), {
          state: 'EXPIRED',
          expiry: now(),
          autoRenew: false,
          isReplaced: true,
        })
      if (basePlan === undefined)
        push({
          oneTimeProductNotification: {
            version: '1.0',
            notificationType: 1,
            purchaseToken: token,
            sku: product,
          },
        })
      else tell(4, item)
      return token
    },
    renew: (token) => {
      const item = take(token)
      const from = item.expiry
      Object.assign(item, {
        product: item.deferredTo ?? item.product,
        deferredTo: null,
        isTrial: false,
        state: 'ACTIVE',
      })
      item.expiry = addMonths(from, productOf(item.product).months ?? 1)
      charge(item, from, item.expiry)
      tell(2, item)
    },
    failRenewal: (token, graceDays = 0) => {
      const item = take(token)
      if (graceDays === 0) return store.hold(token)
      Object.assign(item, { state: 'IN_GRACE_PERIOD', expiry: item.expiry + graceDays * day })
      tell(6, item)
    },
    hold: (token) => {
      const item = take(token)
      item.state = 'ON_HOLD'
      tell(5, item)
    },
    recover: (token) => {
      const item = take(token)
      Object.assign(item, { state: 'ACTIVE', expiry: addMonths(now(), productOf(item.product).months ?? 1) })
      charge(item, now(), item.expiry)
      tell(1, item)
    },
    pause: (token, until) => {
      const item = take(token)
      Object.assign(item, { state: 'PAUSED', resumesAt: until.getTime() })
      tell(10, item)
    },
    setAutoRenew: (token, isOn) => {
      const item = take(token)
      Object.assign(item, {
        autoRenew: isOn,
        state: isOn ? 'ACTIVE' : 'CANCELED',
        cancelledAt: isOn ? null : now(),
      })
      tell(isOn ? 7 : 3, item)
    },
    expire: (token) => {
      const item = take(token)
      Object.assign(item, { state: 'EXPIRED', autoRenew: false, expiry: Math.min(item.expiry, now()) })
      tell(13, item)
    },
    deferChange: (token, product) => {
      const item = take(token)
      productOf(product)
      item.deferredTo = product
      tell(17, item)
    },
    askForConsent: (token) => {
      const item = take(token)
      item.priceChange = 'OUTSTANDING'
      tell(19, item)
    },
    refund: (orderId, { amount, isSilent = false } = {}) => {
      const item = [...held.values()].find(({ orders }) => orders.some(({ id }) => id === orderId))
      const order = item?.orders.find(({ id }) => id === orderId)
      if (item === undefined || order === undefined) throw new TypeError(`There is no order "${orderId}".`)
      const isWhole = amount === undefined || amount >= order.total
      Object.assign(order, {
        state: isWhole ? 'REFUNDED' : 'PARTIALLY_REFUNDED',
        refunded: amount ?? order.total,
        voidedAt: isWhole ? now() : null,
      })
      if (!isWhole) return
      const isProduct = order.to === null
      const isLast = order === item.orders.at(-1)
      if (isLast && !isProduct) Object.assign(item, { state: 'EXPIRED', expiry: now(), autoRenew: false })
      if (isProduct) item.state = 'CANCELLED'
      if (!isSilent)
        push({
          voidedPurchaseNotification: {
            purchaseToken: item.token,
            orderId,
            productType: isProduct ? 2 : 1,
            refundType: 1,
          },
        })
    },
    test: () => push({ testNotification: { version: '1.0' } }),
    failAcknowledgements: (isFailing) => {
      state.isFailing = isFailing
    },
    purchase: take,
  }

  const serviceAccount = 'reader@example-project.iam.gserviceaccount.com'
  const api = await startApi({
    clock,
    held,
    products,
    packageName,
    acknowledged,
    state,
    serviceAccount,
    jwk: { ...(await exportJWK(keys().publicKey)), kid: 'key-1', alg: 'RS256', use: 'sig' },
    accountKey: accountKeys().publicKey,
  })
  const secret = JSON.stringify({
    type: 'service_account',
    client_email: serviceAccount,
    private_key: accountKeys().privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    token_uri: `${api.url}/token`,
  })
  return {
    ...store,
    ...api,
    settings: {
      webhook: audience,
      secret,
      package: packageName,
      push_account: pushAccount,
      push_keys: `${api.url}/certs`,
      api_base: api.url,
      livemode: !isTest,
    },
  }
}

function addMonths(from: number, months: number): number {
  const date = new Date(from)
  return date.setUTCMonth(date.getUTCMonth() + months)
}
