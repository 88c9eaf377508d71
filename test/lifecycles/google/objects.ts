import { from, type Message, monthsAfter } from '../lifecycle.ts'

export type Fields = Record<string, unknown>

export const plans = {
  pro: { name: 'Pro', group: 'membership', prices: ['google:pro:monthly'] },
  basic: { name: 'Basic', group: 'membership', prices: ['google:basic:monthly'] },
}

export const march = '2026-03-01T00:00:00Z'
export const april = '2026-04-01T00:00:00Z'
export function euro(units: number) {
  return { currencyCode: 'EUR', units: String(units), nanos: 0 }
}

interface Purchase {
  readonly token: string
  readonly account?: string | null
  readonly state?: string
  readonly product?: string
  readonly expiry?: string
  readonly order?: string
  readonly more?: Fields
}

/** A subscription purchase as the API shows it. */
export function purchase({
  account = '$ANN',
  state = 'ACTIVE',
  product = 'pro',
  expiry = april,
  order = 'GPA.1',
  more = {},
}: Purchase): Fields {
  return {
    kind: 'androidpublisher#subscriptionPurchaseV2',
    startTime: march,
    regionCode: 'DE',
    subscriptionState: `SUBSCRIPTION_STATE_${state}`,
    acknowledgementState: 'ACKNOWLEDGEMENT_STATE_ACKNOWLEDGED',
    testPurchase: {},
    lineItems: [
      {
        productId: product,
        expiryTime: expiry,
        latestSuccessfulOrderId: order,
        autoRenewingPlan: { autoRenewEnabled: state === 'ACTIVE', recurringPrice: euro(10) },
        offerDetails: { basePlanId: 'monthly' },
        offerPhase: { basePrice: {} },
      },
    ],
    ...(account === null ? {} : { externalAccountIdentifiers: { obfuscatedExternalAccountId: account } }),
    ...more,
  }
}

export function order(
  id: string,
  token: string,
  start: string,
  product = 'pro',
  fields: Fields = {},
): Fields {
  return {
    orderId: id,
    purchaseToken: token,
    state: 'PROCESSED',
    createTime: start,
    total: euro(10),
    orderHistory: { processedEvent: { eventTime: start } },
    lineItems: [
      {
        productId: product,
        subscriptionDetails: {
          basePlanId: 'monthly',
          servicePeriodStartTime: start,
          servicePeriodEndTime: monthsAfter(start, 1),
        },
      },
    ],
    ...fields,
  }
}

// https://developer.android.com/google/play/billing/rtdn-reference#sub
const types = {
  recovered: 1,
  renewed: 2,
  canceled: 3,
  purchased: 4,
  onHold: 5,
  inGracePeriod: 6,
  restarted: 7,
  deferred: 9,
  paused: 10,
  revoked: 12,
  expired: 13,
  itemsChanged: 17,
  cancellationScheduled: 18,
  pendingPurchaseCanceled: 20,
} as const

export function says(at: string, type: keyof typeof types, token: string, answers: Fields): Message {
  return {
    at,
    event: {
      subscriptionNotification: {
        version: '1.0',
        notificationType: types[type],
        purchaseToken: token,
        subscriptionId: 'pro',
      },
    },
    answers,
  }
}

export function bought(token = 'one', product = 'pro'): Message {
  return says('2026-03-01T00:00:10Z', 'purchased', token, {
    [token]: purchase({ token, product }),
    'GPA.1': order('GPA.1', token, march, product),
  })
}

export function bill(product: string, from: string, until: string, units: number): Fields {
  return {
    productId: product,
    total: euro(units),
    subscriptionDetails: {
      basePlanId: 'monthly',
      servicePeriodStartTime: from,
      servicePeriodEndTime: until,
    },
  }
}

export function item(product: string, expiry: string, paid: string): Fields {
  return {
    productId: product,
    expiryTime: expiry,
    latestSuccessfulOrderId: paid,
    autoRenewingPlan: { autoRenewEnabled: true, recurringPrice: euro(10) },
    offerDetails: { basePlanId: 'monthly' },
    offerPhase: { basePrice: {} },
  }
}

export const pending = { acknowledgementState: 'ACKNOWLEDGEMENT_STATE_PENDING' }
export const lifecycle = from('https://developer.android.com/google/play/billing/lifecycle/subscriptions')
export const resource = from(
  'https://developers.google.com/android-publisher/api-ref/rest/v3/purchases.subscriptionsv2',
)

export const ended = says('2026-04-01T00:00:10Z', 'expired', 'one', {
  one: purchase({ token: 'one', state: 'EXPIRED' }),
})
