import type {
  JWSRenewalInfoDecodedPayload,
  JWSTransactionDecodedPayload,
  NotificationTypeV2,
  Subtype,
} from '@apple/app-store-server-library'
import { from, type Lifecycle, type Message, monthsAfter } from '../lifecycle.ts'
import type { Part } from '../typed.ts'

/** Fields that are newer than the package: https://developer.apple.com/documentation/appstoreserverapi/transactionmultiseatinfo */
interface Seats {
  readonly priceTiers: readonly { readonly price: number; readonly quantity: number }[]
  readonly revokedSeatQuantity?: number
}
type Transaction = Part<JWSTransactionDecodedPayload> & { readonly multiSeatInfo?: Seats }
type Renewal = Part<JWSRenewalInfoDecodedPayload> & { readonly renewalQuantity?: number }

const plans = {
  pro: { name: 'Pro', group: 'membership', prices: ['apple:pro.monthly'] },
  book: { name: 'Book', prices: [{ id: 'apple:book', type: 'one_time' }] },
}

const ms = (at: string): number => Date.parse(at)
const march = '2026-03-01T00:00:00Z'

/** A transaction of a month that begins then. */
const transaction = (id: string, start: string, fields: Transaction = {}): Transaction => ({
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
})

const renewal = (start: string, fields: Renewal = {}): Renewal => ({
  originalTransactionId: '1000',
  productId: 'pro.monthly',
  autoRenewProductId: 'pro.monthly',
  autoRenewStatus: 1,
  renewalPrice: 9990,
  currency: 'EUR',
  renewalDate: ms(monthsAfter(start, 1)),
  ...fields,
})

// https://developer.apple.com/documentation/appstoreserverapi/status
const words = { active: 1, expired: 2, retry: 3, grace: 4, revoked: 5 } as const

export const says = (
  at: string,
  [notificationType, subtype]: readonly [`${NotificationTypeV2}`, `${Subtype}`?],
  status: keyof typeof words | null,
  bought: Transaction,
  next?: Renewal,
): Message => ({
  at,
  event: {
    notificationType,
    ...(subtype === undefined ? {} : { subtype }),
    status: status === null ? undefined : words[status],
    transaction: bought,
    ...(next === undefined ? {} : { renewal: next }),
  },
})

const subscribed = says(
  '2026-03-01T00:00:10Z',
  ['SUBSCRIBED', 'INITIAL_BUY'],
  'active',
  transaction('1000', march),
  renewal(march),
)

const type = from('https://developer.apple.com/documentation/appstoreservernotifications/notificationtype')
const churn = from('https://developer.apple.com/documentation/storekit/reducing-involuntary-subscriber-churn')
const seats = from(
  'https://developer.apple.com/documentation/appstoreserverapi/transactionmultiseatinfo',
  '2026-11-29',
)
const commitment = from(
  'https://developer.apple.com/documentation/appstoreserverapi/renewalcommitmentinfo',
  '2026-11-29',
)
const committed = {
  commitmentInfo: { commitmentAutoRenewStatus: 0, commitmentRenewalDate: ms('2027-03-01T00:00:00Z') },
}
const failing = { isInBillingRetryPeriod: true }
const grace = { ...failing, gracePeriodExpiresDate: ms('2026-04-17T00:00:00Z') }

export const appleLives: readonly Lifecycle[] = [
  {
    provider: 'apple',
    situation: 'A renewal fails with a grace period, which ends, and is then paid',
    plays: ['retry-recovers'],
    fact: {
      says: 'In the grace period the member has full service. After it the store tries to bill for up to 60 days, without service. A recovery starts a new period.',
      source: churn,
    },
    setting: 'the billing grace period is on, with 16 days',
    help: 'Turn the billing grace period on in App Store Connect, so that members keep access while Apple tries again.',
    plans,
    steps: [
      {
        at: '2026-03-02T00:00:00Z',
        happens: 'bought in the app',
        sends: [subscribed],
        sees: { open: { pro: true }, status: 'active', payments: ['999 paid'] },
      },
      {
        at: '2026-04-02T00:00:00Z',
        happens: 'the renewal failed',
        sends: [
          says(
            '2026-04-01T00:00:10Z',
            ['DID_FAIL_TO_RENEW', 'GRACE_PERIOD'],
            'grace',
            transaction('1000', march),
            renewal(march, grace),
          ),
        ],
        sees: { until: '2026-04-17T00:00:00.000Z', open: { pro: true } },
      },
      {
        at: '2026-04-18T00:00:00Z',
        happens: 'the grace period is over',
        sends: [
          says(
            '2026-04-17T00:00:10Z',
            ['GRACE_PERIOD_EXPIRED'],
            'retry',
            transaction('1000', march),
            renewal(march, failing),
          ),
        ],
        sees: { open: { pro: false }, status: 'unpaid' },
      },
      {
        at: '2026-04-21T00:00:00Z',
        happens: 'recovered',
        sends: [
          says(
            '2026-04-20T00:00:10Z',
            ['DID_RENEW', 'BILLING_RECOVERY'],
            'active',
            transaction('1001', '2026-04-20T00:00:00Z'),
            renewal('2026-04-20T00:00:00Z'),
          ),
        ],
        sees: { open: { pro: true }, status: 'active', payments: ['999 paid', '999 paid'] },
      },
    ],
  },
  {
    provider: 'apple',
    situation: 'A renewal fails without a grace period, and Apple gives up after 60 days',
    plays: ['dunning-cancels'],
    fact: {
      says: 'While the store only tries to bill, the member has no service. When that ends without a payment, the subscription is expired.',
      source: churn,
    },
    setting: 'the billing grace period is off',
    help: 'Turn the billing grace period on in App Store Connect.',
    plans,
    steps: [
      {
        at: '2026-04-02T00:00:00Z',
        happens: 'the renewal failed',
        sends: [
          subscribed,
          says(
            '2026-04-01T00:00:10Z',
            ['DID_FAIL_TO_RENEW'],
            'retry',
            transaction('1000', march),
            renewal(march, failing),
          ),
        ],
        sees: { open: { pro: false }, status: 'unpaid' },
      },
      {
        at: '2026-06-01T00:00:00Z',
        happens: 'Apple gave up',
        sends: [
          says(
            '2026-05-31T00:00:10Z',
            ['EXPIRED', 'BILLING_RETRY'],
            'expired',
            transaction('1000', march),
            renewal(march, { autoRenewStatus: 0, expirationIntent: 2 }),
          ),
        ],
        sees: { open: { pro: false }, status: 'canceled' },
      },
    ],
  },
  {
    provider: 'apple',
    situation: 'The member turns the renewal off while a failed renewal is in its grace period',
    plays: ['cancel-at-end'],
    fact: {
      says: 'The grace period is a promise of service to its end; turning the renewal off takes none of it.',
      source: 'unknown',
    },
    setting: 'the billing grace period is on, with 16 days',
    help: 'Nothing: access ends with the grace period.',
    plans,
    steps: [
      {
        at: '2026-04-05T00:00:00Z',
        happens: 'renewal off in the grace period',
        sends: [
          subscribed,
          says(
            '2026-04-01T00:00:10Z',
            ['DID_FAIL_TO_RENEW', 'GRACE_PERIOD'],
            'grace',
            transaction('1000', march),
            renewal(march, grace),
          ),
          says(
            '2026-04-04T00:00:10Z',
            ['DID_CHANGE_RENEWAL_STATUS', 'AUTO_RENEW_DISABLED'],
            'grace',
            transaction('1000', march),
            renewal(march, { ...grace, autoRenewStatus: 0 }),
          ),
        ],
        sees: {
          until: '2026-04-17T00:00:00.000Z',
          ends: '2026-04-17T00:00:00.000Z',
          payments: ['999 paid'],
          open: { pro: true },
        },
      },
      { at: '2026-04-18T00:00:00Z', happens: 'the grace period is over', sees: { open: { pro: false } } },
    ],
  },
  {
    provider: 'apple',
    situation: 'The member turns the renewal off, and on again before the end',
    plays: ['cancel-at-end', 'cancel-undone'],
    fact: {
      says: 'With the renewal turned off, the paid period stays; the change can be taken back until then.',
      source: type,
    },
    help: 'Nothing: the member changes it in the settings of the App Store.',
    plans,
    steps: [
      {
        at: '2026-03-10T00:00:00Z',
        happens: 'renewal off',
        sends: [
          subscribed,
          says(
            '2026-03-09T00:00:10Z',
            ['DID_CHANGE_RENEWAL_STATUS', 'AUTO_RENEW_DISABLED'],
            'active',
            transaction('1000', march),
            renewal(march, { autoRenewStatus: 0 }),
          ),
        ],
        sees: { ends: '2026-04-01T00:00:00.000Z', open: { pro: true }, until: '2026-04-01T00:00:00.000Z' },
      },
      {
        at: '2026-03-21T00:00:00Z',
        happens: 'renewal on again',
        sends: [
          says(
            '2026-03-20T00:00:10Z',
            ['DID_CHANGE_RENEWAL_STATUS', 'AUTO_RENEW_ENABLED'],
            'active',
            transaction('1000', march),
            renewal(march),
          ),
        ],
        sees: { ends: null, open: { pro: true }, status: 'active' },
      },
    ],
  },
  {
    provider: 'apple',
    situation: 'Apple refunds the running month, and takes the refund back later',
    plays: ['refund-full', 'reversed'],
    fact: {
      says: 'A refunded transaction has a revocation date. A reversed refund gives the content back.',
      source: type,
    },
    help: 'Answer Apple’s consumption request in App Store Connect before it decides.',
    plans,
    steps: [
      {
        at: '2026-03-06T00:00:00Z',
        happens: 'refunded',
        sends: [
          subscribed,
          says(
            '2026-03-05T00:00:10Z',
            ['REFUND'],
            'revoked',
            transaction('1000', march, {
              revocationDate: ms('2026-03-05T00:00:00Z'),
              revocationReason: 0,
              revocationType: 'REFUND_FULL',
              revocationPercentage: 100_000,
            }),
            renewal(march, { autoRenewStatus: 0 }),
          ),
        ],
        sees: { open: { pro: false }, payments: ['999 refunded'] },
      },
      {
        at: '2026-03-09T00:00:00Z',
        happens: 'the refund was reversed',
        sends: [
          says(
            '2026-03-08T00:00:10Z',
            ['REFUND_REVERSED'],
            'active',
            transaction('1000', march),
            renewal(march, { autoRenewStatus: 0 }),
          ),
        ],
        sees: { open: { pro: true }, payments: ['999 paid'] },
      },
    ],
  },
  {
    provider: 'apple',
    situation: 'A group buys five seats in one purchase, and a refund takes two of them',
    plays: ['quantity', 'refund-part'],
    fact: {
      says: 'The price of a multiseat purchase is the average per seat, and its tiers give the total. A refund of seats revokes some, and the transaction stays valid for the others.',
      source: seats,
    },
    setting: 'multiseat purchases are on, as Apple set them on 16 September 2026',
    help: 'Decide in App Store Connect for each subscription if groups may buy seats of it.',
    plans,
    steps: [
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
        sees: { open: { pro: true }, payments: ['4995 paid'] },
      },
      {
        at: '2026-03-06T00:00:00Z',
        happens: 'two seats refunded',
        sends: [
          says(
            '2026-03-05T00:00:10Z',
            ['REFUND'],
            'active',
            transaction('1000', march, {
              quantity: 5,
              revocationDate: ms('2026-03-05T00:00:00Z'),
              revocationPercentage: 40_000,
              multiSeatInfo: { priceTiers: [{ price: 9990, quantity: 5 }], revokedSeatQuantity: 2 },
            }),
            renewal(march, { renewalQuantity: 3 }),
          ),
        ],
        sees: { open: { pro: true }, payments: ['4995 partially_refunded'] },
      },
    ],
  },
  {
    provider: 'apple',
    situation: 'A person who was assigned a seat of a group has a transaction without a price of their own',
    plays: ['quantity'],
    fact: {
      says: 'With invitations by Apple, each person who joins gets an own transaction with the ownership type ASSIGNED, which states the purchaser’s price.',
      source: from(
        'https://developer.apple.com/documentation/storekit/transaction/multiseatinfo-swift.struct/invitationmanagement-swift.struct/apple',
        '2026-11-29',
      ),
    },
    help: 'Nothing: the seat opens the plan, and counts as no revenue.',
    plans,
    steps: [
      {
        at: '2026-03-02T00:00:00Z',
        happens: 'joined the group',
        sends: [
          says(
            '2026-03-01T00:00:10Z',
            ['SUBSCRIBED', 'INITIAL_BUY'],
            'active',
            transaction('1000', march, { quantity: 5, inAppOwnershipType: 'ASSIGNED' }),
            renewal(march),
          ),
        ],
        sees: { open: { pro: true }, payments: [] },
      },
      {
        at: '2026-03-06T00:00:00Z',
        happens: 'the seat was taken back',
        sends: [
          says(
            '2026-03-05T00:00:10Z',
            ['REVOKE'],
            'revoked',
            transaction('1000', march, {
              quantity: 5,
              inAppOwnershipType: 'ASSIGNED',
              revocationDate: ms('2026-03-05T00:00:00Z'),
              revocationReason: 0,
            }),
            renewal(march, { autoRenewStatus: 0 }),
          ),
        ],
        sees: { open: { pro: false } },
      },
    ],
  },
  {
    provider: 'apple',
    situation: 'A higher price waits for the member’s consent',
    plays: ['own'],
    fact: {
      says: 'A price increase that needs consent is pending until the member agrees; without it the subscription ends with its period.',
      source: type,
    },
    help: 'Nothing: Apple asks the member.',
    plans,
    steps: [
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'consent asked for',
        sends: [
          subscribed,
          says(
            '2026-03-10T00:00:10Z',
            ['PRICE_INCREASE', 'PENDING'],
            'active',
            transaction('1000', march),
            renewal(march, { priceIncreaseStatus: 0, renewalPrice: 12_990 }),
          ),
        ],
        sees: { open: { pro: true } },
      },
      {
        at: '2026-04-02T00:00:00Z',
        happens: 'not agreed',
        sends: [
          says(
            '2026-04-01T00:00:10Z',
            ['EXPIRED', 'PRICE_INCREASE'],
            'expired',
            transaction('1000', march),
            renewal(march, { autoRenewStatus: 0, expirationIntent: 3 }),
          ),
        ],
        sees: { open: { pro: false } },
      },
    ],
  },
  {
    provider: 'apple',
    situation: 'A member who pays monthly for a committed year ends it after the first month',
    plays: ['cancel-at-end', 'own'],
    fact: {
      says: 'All twelve months are billed, also after the commitment’s renewal was turned off. commitmentAutoRenewStatus says so, and commitmentRenewalDate names the end of the year.',
      source: commitment,
    },
    help: 'Nothing: the account shows the day on which the year ends.',
    plans,
    steps: [
      {
        at: '2026-03-20T00:00:00Z',
        happens: 'ended, to the end of the year',
        sends: [
          subscribed,
          says(
            '2026-03-19T00:00:10Z',
            ['DID_CHANGE_RENEWAL_STATUS', 'AUTO_RENEW_DISABLED'],
            'active',
            transaction('1000', march),
            renewal(march, committed),
          ),
        ],
        sees: { open: { pro: true }, status: 'active', ends: '2027-03-01T00:00:00.000Z' },
      },
      {
        at: '2026-04-02T00:00:00Z',
        happens: 'the second month is billed',
        sends: [
          says(
            '2026-04-01T00:00:10Z',
            ['DID_RENEW'],
            'active',
            transaction('1001', '2026-04-01T00:00:00Z'),
            renewal('2026-04-01T00:00:00Z', committed),
          ),
        ],
        sees: { payments: ['999 paid', '999 paid'], open: { pro: true }, ends: '2027-03-01T00:00:00.000Z' },
      },
    ],
  },
]
