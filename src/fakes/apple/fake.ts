import { createHash, randomUUID } from 'node:crypto'
import { createFakeClock, type FakeClock } from '../engine/index.ts'
import { type FakeNotification, type Held, type SignedPurchase, startApi } from './api.ts'
import { createSigner, newApiKey, type StoreSigner } from './signing.ts'

/** A product of the app. Prices are in thousandths of the currency's unit. */
export interface FakeProduct {
  readonly price: number
  readonly currency?: string
  /** Default: an auto-renewable subscription. */
  readonly type?:
    | 'Auto-Renewable Subscription'
    | 'Non-Consumable'
    | 'Consumable'
    | 'Non-Renewing Subscription'
  /** Length of a subscription's period; default one month. */
  readonly months?: number
}

/** The app that sells. */
export interface FakeAppleOptions {
  readonly products: Readonly<Record<string, FakeProduct>>
  readonly start?: Date
  /** Default: the sandbox, which TestFlight uses, too. */
  readonly environment?: 'Production' | 'Sandbox'
  readonly bundleId?: string
  readonly appId?: number
  readonly signer?: StoreSigner
}

/** A purchase in the app. */
export interface AppPurchase {
  readonly product: string
  /** The member's token; a person who shares the purchase of their family has none. */
  readonly token?: string | null
  readonly quantity?: number
  /** A free first period; or an offer by its identifier, with its price. */
  readonly trial?: boolean
  readonly offer?: { readonly id: string; readonly type: 1 | 2 | 3 | 4; readonly price: number }
  readonly isShared?: boolean
  /** Default: the app's own; TestFlight uses the sandbox. */
  readonly environment?: 'Production' | 'Sandbox'
}

/** One app in the App Store: people buy in it, the store renews and reports. Times move by hand. */
export interface FakeApple {
  readonly url: string
  readonly clock: FakeClock
  readonly signer: StoreSigner
  /** Configuration of the provider for this app. */
  readonly settings: Readonly<Record<string, unknown>>
  readonly notifications: readonly FakeNotification[]
  /** Buys in the app, and returns the id of the first transaction. */
  buy(purchase: AppPurchase): string
  /** Renews a subscription for the next period, at the end of the present one. */
  renew(id: string): string
  /** Fails to renew, with a period of grace in days or without one. */
  failRenewal(id: string, graceDays?: number): void
  endGrace(id: string): void
  expire(id: string): void
  setAutoRenew(id: string, isOn: boolean): void
  /** Changes to another product: at once, or at the end of the period. */
  change(id: string, product: string, when: 'now' | 'renewal'): void
  askForConsent(id: string): void
  /** Refunds a transaction; `percent` of it, by default all. */
  refund(transactionId: string, percent?: number): void
  reverseRefund(transactionId: string): void
  /** Takes a shared purchase from a person of the family. */
  revoke(id: string): void
  /** Sends a notification about nothing that was bought. */
  test(): void
  /** Moves the clock, and does whatever the store does until then: renews, or ends what is not to be renewed. */
  moveTo(at: Date): void
  purchase(id: string): Held
  /** Payloads as they are signed, of a purchase or of one of its transactions. */
  signedOf(id: string, transactionId?: string): SignedPurchase
  close(): Promise<void>
}

const day = 86_400_000

/**
 * Starts an app without history, with its API on loopback, written after Apple's public documentation.
 * https://developer.apple.com/documentation/appstoreservernotifications
 */
export async function createFakeApple(options: FakeAppleOptions): Promise<FakeApple> {
  const { products, environment = 'Sandbox', bundleId = 'com.example.app', appId = 1_234_567_890 } = options
  const clock = createFakeClock(options.start ?? new Date('2026-03-01T00:00:00Z'), false)
  const signer = options.signer ?? createSigner()
  const held = new Map<string, Held>()
  const notifications: FakeNotification[] = []
  let serial = 2_000_000_000_000_000
  const now = () => clock.now().getTime()

  const productOf = (name: string): FakeProduct => {
    const product = products[name]
    if (product === undefined) throw new TypeError(`The app sells no product "${name}".`)
    return product
  }
  const isRenewing = (item: Held): boolean =>
    (productOf(item.product).type ?? 'Auto-Renewable Subscription') === 'Auto-Renewable Subscription'
  const take = (id: string): Held => {
    const found = held.get(id)
    if (found === undefined) throw new TypeError(`There is no purchase "${id}".`)
    return found
  }
  const lastOf = (item: Held) => item.transactions.at(-1)!

  const addTransaction = (
    item: Held,
    given: { reason: 'PURCHASE' | 'RENEWAL'; from?: number; bought?: AppPurchase },
  ) => {
    const { reason, from = now(), bought } = given
    const product = productOf(item.product)
    const type = product.type ?? 'Auto-Renewable Subscription'
    const transactionId = String(++serial)
    const quantity = bought?.quantity ?? 1
    const price = item.isShared || bought?.trial ? 0 : (bought?.offer?.price ?? product.price) * quantity
    const [first] = item.transactions
    item.transactions.push({
      transactionId,
      originalTransactionId: item.id === '' ? transactionId : item.id,
      webOrderLineItemId: String(serial + 7_000_000),
      bundleId,
      productId: item.product,
      ...(isRenewing(item) ? { subscriptionGroupIdentifier: '20900001' } : {}),
      purchaseDate: from,
      originalPurchaseDate: first?.originalPurchaseDate ?? from,
      ...(isRenewing(item) ? { expiresDate: addMonths(from, product.months ?? 1) } : {}),
      quantity,
      type,
      ...(item.token === null ? {} : { appAccountToken: item.token }),
      inAppOwnershipType: item.isShared ? 'FAMILY_SHARED' : 'PURCHASED',
      environment: item.environment,
      transactionReason: reason,
      storefront: 'DEU',
      storefrontId: '143443',
      price,
      currency: product.currency ?? 'EUR',
      appTransactionId: `70${createHash('sha256')
        .update(item.token ?? item.id)
        .digest()
        .readUInt32BE(0)}`,
      ...(bought?.trial ? { offerType: 1, offerDiscountType: 'FREE_TRIAL', offerPeriod: 'P1M' } : {}),
      ...(bought?.offer
        ? {
            offerType: bought.offer.type,
            offerIdentifier: bought.offer.id,
            offerDiscountType: 'PAY_AS_YOU_GO',
          }
        : {}),
    })
    return transactionId
  }

  const signedOf: FakeApple['signedOf'] = (id, transactionId) => {
    const item = take(id)
    const transaction =
      item.transactions.find((known) => known.transactionId === transactionId) ?? lastOf(item)
    const last = lastOf(item)
    const next = productOf(item.next)
    const signedDate = now()
    return {
      status: item.status,
      signedTransactionInfo: signer.sign({ ...transaction, signedDate }),
      signedRenewalInfo: signer.sign({
        originalTransactionId: item.id,
        autoRenewProductId: item.next,
        productId: item.product,
        autoRenewStatus: item.autoRenew ? 1 : 0,
        renewalPrice: next.price,
        currency: next.currency ?? 'EUR',
        ...(item.status === 3 || item.status === 4 ? { isInBillingRetryPeriod: true } : {}),
        ...(item.graceEnd === null ? {} : { gracePeriodExpiresDate: item.graceEnd }),
        ...(item.priceIncrease === null ? {} : { priceIncreaseStatus: item.priceIncrease }),
        ...(item.expirationIntent === null ? {} : { expirationIntent: item.expirationIntent }),
        renewalDate: last.expiresDate,
        recentSubscriptionStartDate: last.originalPurchaseDate,
        environment: item.environment,
        signedDate,
      }),
    }
  }

  const post = (type: string, subtype: string | null, data: object, at = environment): void => {
    const id = randomUUID()
    const payload = {
      notificationType: type,
      ...(subtype === null ? {} : { subtype }),
      notificationUUID: id,
      version: '2.0',
      signedDate: now(),
      data: {
        ...(at === 'Production' ? { appAppleId: appId } : {}),
        bundleId,
        bundleVersion: '1',
        environment: at,
        ...data,
      },
    }
    const body = Buffer.from(JSON.stringify({ signedPayload: signer.sign(payload) }))
    notifications.push({ id, type, subtype, body, at: now() })
  }
  const notify = (type: string, subtype: string | null, item: Held, transactionId?: string): void => {
    const { status, signedTransactionInfo, signedRenewalInfo } = signedOf(item.id, transactionId)
    const data = { signedTransactionInfo, ...(isRenewing(item) ? { signedRenewalInfo, status } : {}) }
    post(type, subtype, data, item.environment)
  }
  const ofTransaction = (transactionId: string) => {
    for (const item of held.values()) {
      const transaction = item.transactions.find((known) => known.transactionId === transactionId)
      if (transaction !== undefined) return { item, transaction }
    }
    throw new TypeError(`There is no transaction "${transactionId}".`)
  }

  const store: Omit<FakeApple, 'url' | 'close' | 'settings'> = {
    clock,
    signer,
    notifications,
    buy: (purchase) => {
      const item: Held = {
        id: '',
        product: purchase.product,
        next: purchase.product,
        token: purchase.isShared ? null : (purchase.token ?? null),
        isShared: purchase.isShared ?? false,
        environment: purchase.environment ?? environment,
        transactions: [],
        status: 1,
        autoRenew: true,
        graceEnd: null,
        priceIncrease: null,
        expirationIntent: null,
      }
      const id = addTransaction(item, { reason: 'PURCHASE', bought: purchase })
      const kept = Object.assign(item, { id })
      held.set(id, kept)
      if (isRenewing(kept)) notify('SUBSCRIBED', 'INITIAL_BUY', kept)
      else notify('ONE_TIME_CHARGE', null, kept)
      return id
    },
    renew: (id) => {
      const item = take(id)
      const wasFailing = item.status === 3 || item.status === 4
      const ends = Number(lastOf(item).expiresDate)
      item.product = item.next
      // After a lapse the new period begins when the payment succeeds.
      const from = item.status === 3 ? now() : ends
      Object.assign(item, { status: 1, graceEnd: null, expirationIntent: null })
      const transactionId = addTransaction(item, { reason: 'RENEWAL', from })
      notify('DID_RENEW', wasFailing ? 'BILLING_RECOVERY' : null, item)
      return transactionId
    },
    failRenewal: (id, graceDays = 0) => {
      const item = take(id)
      item.graceEnd = graceDays === 0 ? null : Number(lastOf(item).expiresDate) + graceDays * day
      item.status = graceDays === 0 ? 3 : 4
      notify('DID_FAIL_TO_RENEW', graceDays === 0 ? null : 'GRACE_PERIOD', item)
    },
    endGrace: (id) => {
      const item = take(id)
      item.status = 3
      notify('GRACE_PERIOD_EXPIRED', null, item)
    },
    expire: (id) => {
      const item = take(id)
      const isFailed = item.status === 3 || item.status === 4
      Object.assign(item, { status: 2, graceEnd: null, autoRenew: false, expirationIntent: isFailed ? 2 : 1 })
      notify('EXPIRED', isFailed ? 'BILLING_RETRY' : 'VOLUNTARY', item)
    },
    setAutoRenew: (id, isOn) => {
      const item = take(id)
      item.autoRenew = isOn
      notify('DID_CHANGE_RENEWAL_STATUS', isOn ? 'AUTO_RENEW_ENABLED' : 'AUTO_RENEW_DISABLED', item)
    },
    change: (id, product, when) => {
      const item = take(id)
      productOf(product)
      item.next = product
      if (when === 'now') {
        lastOf(item).isUpgraded = true
        item.product = product
        addTransaction(item, { reason: 'PURCHASE' })
      }
      notify('DID_CHANGE_RENEWAL_PREF', when === 'now' ? 'UPGRADE' : 'DOWNGRADE', item)
    },
    askForConsent: (id) => {
      const item = take(id)
      item.priceIncrease = 0
      notify('PRICE_INCREASE', 'PENDING', item)
    },
    refund: (transactionId, percent = 100) => {
      const { item, transaction } = ofTransaction(transactionId)
      Object.assign(transaction, {
        revocationDate: now(),
        revocationReason: 0,
        revocationType: percent === 100 ? 'REFUND_FULL' : 'REFUND_PRORATED',
        revocationPercentage: percent * 1000,
      })
      if (transaction === lastOf(item)) Object.assign(item, { status: 5, autoRenew: false })
      notify('REFUND', null, item, transactionId)
    },
    reverseRefund: (transactionId) => {
      const { item, transaction } = ofTransaction(transactionId)
      for (const field of ['revocationDate', 'revocationReason', 'revocationType', 'revocationPercentage'])
        delete transaction[field]
      if (transaction === lastOf(item)) item.status = Number(transaction.expiresDate) > now() ? 1 : 2
      notify('REFUND_REVERSED', null, item, transactionId)
    },
    revoke: (id) => {
      const item = take(id)
      Object.assign(lastOf(item), {
        revocationDate: now(),
        revocationReason: 0,
        revocationType: 'FAMILY_REVOKE',
      })
      item.status = 5
      notify('REVOKE', null, item)
    },
    test: () => post('TEST', null, {}),
    moveTo: (at) => {
      for (;;) {
        const due = [...held.values()]
          .filter(
            (item) =>
              isRenewing(item) && item.status === 1 && Number(lastOf(item).expiresDate) <= at.getTime(),
          )
          .sort((a, b) => Number(lastOf(a).expiresDate) - Number(lastOf(b).expiresDate))[0]
        if (due === undefined) break
        clock.moveTo(Number(lastOf(due).expiresDate))
        if (due.autoRenew) store.renew(due.id)
        else store.expire(due.id)
      }
      clock.moveTo(at.getTime())
    },
    purchase: take,
    signedOf,
  }

  const keyId = '2X9R4HXF34'
  const issuerId = '57246542-96fe-1a63-e053-0824d011072a'
  const secret = newApiKey()
  const api = await startApi({ store, held, environment, access: { keyId, issuerId, secret, bundleId } })
  return {
    ...store,
    ...api,
    settings: {
      webhook: bundleId,
      secret,
      key_id: keyId,
      issuer_id: issuerId,
      app_id: appId,
      root_certificate: signer.root,
      api_base: api.url,
      livemode: environment === 'Production',
    },
  }
}

function addMonths(from: number, months: number): number {
  const date = new Date(from)
  const dayOfMonth = date.getUTCDate()
  date.setUTCDate(1)
  date.setUTCMonth(date.getUTCMonth() + months)
  const days = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  return date.setUTCDate(Math.min(dayOfMonth, days))
}
