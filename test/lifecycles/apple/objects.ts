import type {
  JWSRenewalInfoDecodedPayload,
  JWSTransactionDecodedPayload,
  NotificationTypeV2,
  Subtype,
} from '@apple/app-store-server-library'
import { from, type Message, monthsAfter, type Step } from '../lifecycle.ts'
import type { Part } from '../typed.ts'

/** Fields that are newer than the package: https://developer.apple.com/documentation/appstoreserverapi/transactionmultiseatinfo */
interface Seats {
  readonly priceTiers: readonly { readonly price: number; readonly quantity: number }[]
  readonly revokedSeatQuantity?: number
}
type SeatSubtype = 'INCREASE_QUANTITY' | 'DECREASE_QUANTITY' | 'SEATS'
type Transaction = Part<JWSTransactionDecodedPayload> & {
  readonly multiSeatInfo?: Seats
  readonly additionalTransactionReason?: 'SEAT_ADDITION'
}
type Renewal = Part<JWSRenewalInfoDecodedPayload> & { readonly renewalQuantity?: number }

export const plans = {
  pro: { name: 'Pro', group: 'membership', prices: ['apple:pro.monthly'] },
  year: { name: 'Year', group: 'membership', prices: ['apple:pro.yearly'] },
  book: { name: 'Book', prices: [{ id: 'apple:book', type: 'one_time' }] },
}

export function ms(at: string): number {
  return Date.parse(at)
}
export const march = '2026-03-01T00:00:00Z'

/** A transaction of a month that begins then. */
export function transaction(id: string, start: string, fields: Transaction = {}): Transaction {
  return {
    transactionId: id,
    originalTransactionId: '1000',
    productId: 'pro.monthly',
    subscriptionGroupIdentifier: '20900001',
    purchaseDate: ms(start),
    originalPurchaseDate: ms(march),
    expiresDate: ms(monthsAfter(start, 1)),
    quantity: 1,
    type: 'Auto-Renewable Subscription',
    appAccountToken: '$ANN',
    inAppOwnershipType: 'PURCHASED',
    transactionReason: id === '1000' ? 'PURCHASE' : 'RENEWAL',
    storefront: 'DEU',
    price: 9990,
    currency: 'EUR',
    ...fields,
  }
}

export function renewal(start: string, fields: Renewal = {}): Renewal {
  return {
    originalTransactionId: '1000',
    productId: 'pro.monthly',
    autoRenewProductId: 'pro.monthly',
    autoRenewStatus: 1,
    renewalPrice: 9990,
    currency: 'EUR',
    renewalDate: ms(monthsAfter(start, 1)),
    ...fields,
  }
}

// https://developer.apple.com/documentation/appstoreserverapi/status
const words = { active: 1, expired: 2, retry: 3, grace: 4, revoked: 5 } as const

export function says(
  at: string,
  [notificationType, subtype]: readonly [`${NotificationTypeV2}`, (`${Subtype}` | SeatSubtype)?],
  status: keyof typeof words | null,
  bought: Transaction,
  next?: Renewal,
): Message {
  return {
    at,
    event: {
      notificationType,
      ...(subtype === undefined ? {} : { subtype }),
      status: status === null ? undefined : words[status],
      transaction: bought,
      ...(next === undefined ? {} : { renewal: next }),
    },
  }
}

export const subscribed = says(
  '2026-03-01T00:00:10Z',
  ['SUBSCRIBED', 'INITIAL_BUY'],
  'active',
  transaction('1000', march),
  renewal(march),
)

export const type = from(
  'https://developer.apple.com/documentation/appstoreservernotifications/notificationtype',
)
export const churn = from(
  'https://developer.apple.com/documentation/storekit/reducing-involuntary-subscriber-churn',
)
export const seats = from(
  'https://developer.apple.com/documentation/appstoreserverapi/transactionmultiseatinfo',
  '2026-11-29',
)
export const commitment = from(
  'https://developer.apple.com/documentation/appstoreserverapi/renewalcommitmentinfo',
  '2026-11-29',
)
export const committed = {
  commitmentInfo: { commitmentAutoRenewStatus: 0, commitmentRenewalDate: ms('2027-03-01T00:00:00Z') },
}
export const failing = { isInBillingRetryPeriod: true }
export const grace = { ...failing, gracePeriodExpiresDate: ms('2026-04-17T00:00:00Z') }

export const today = '2026-11-30'
export const types = from(
  'https://developer.apple.com/documentation/appstoreservernotifications/notificationtype',
  today,
)
export const week = '2026-03-08T00:00:00Z'
export const free: Transaction = {
  expiresDate: ms(week),
  offerType: 1,
  offerDiscountType: 'FREE_TRIAL',
  price: 0,
}
export const trying: Step = {
  at: '2026-03-05T00:00:00Z',
  happens: 'in the trial',
  sends: [
    says(
      '2026-03-01T00:00:10Z',
      ['SUBSCRIBED', 'INITIAL_BUY'],
      'active',
      transaction('1000', march, free),
      renewal(march, { renewalDate: ms(week) }),
    ),
  ],
  sees: { status: 'trialing', open: { pro: true }, until: '2026-03-08T00:00:00.000Z' },
}

export const added = { additionalTransactionReason: 'SEAT_ADDITION' } as const
export const groups = from(
  'https://developer.apple.com/documentation/storekit/managing-the-life-cycle-of-multiseat-subscriptions',
  today,
)
export const additions = from(
  'https://developer.apple.com/documentation/appstoreserverapi/additionaltransactionreason',
  today,
)
/** Five seats are bought, and three more ten days later. */
export const eightSeats: readonly Step[] = [
  {
    at: '2026-03-02T00:00:00Z',
    happens: 'five seats bought',
    sends: [
      says(
        '2026-03-01T00:00:10Z',
        ['SUBSCRIBED', 'INITIAL_BUY'],
        'active',
        transaction('1000', march, {
          quantity: 5,
          multiSeatInfo: { priceTiers: [{ price: 9990, quantity: 5 }] },
        }),
        renewal(march, { renewalQuantity: 5 }),
      ),
    ],
    sees: { open: { pro: true }, quantity: 5, payments: ['4995 paid'] },
  },
  {
    at: '2026-03-12T00:00:00Z',
    happens: 'three seats added',
    sends: [
      says(
        '2026-03-11T00:00:10Z',
        ['DID_CHANGE_RENEWAL_PREF', 'INCREASE_QUANTITY'],
        'active',
        transaction('1001', '2026-03-11T00:00:00Z', {
          quantity: 3,
          expiresDate: ms('2026-04-01T00:00:00Z'),
          transactionReason: 'PURCHASE',
          price: 6700,
          multiSeatInfo: { priceTiers: [{ price: 6700, quantity: 3 }] },
          ...added,
        }),
        renewal(march, { renewalQuantity: 8 }),
      ),
    ],
    sees: { open: { pro: true }, quantity: 8, payments: ['2010 paid', '4995 paid'] },
  },
]
