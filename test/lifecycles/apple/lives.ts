import type {
  JWSRenewalInfoDecodedPayload,
  JWSTransactionDecodedPayload,
  NotificationTypeV2,
  Subtype,
} from '@apple/app-store-server-library'
import { from, type Lifecycle, type Message, monthsAfter, type Step } from '../lifecycle.ts'
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

const plans = {
  pro: { name: 'Pro', group: 'membership', prices: ['apple:pro.monthly'] },
  year: { name: 'Year', group: 'membership', prices: ['apple:pro.yearly'] },
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
  [notificationType, subtype]: readonly [`${NotificationTypeV2}`, (`${Subtype}` | SeatSubtype)?],
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

const today = '2026-11-30'
const types = from(
  'https://developer.apple.com/documentation/appstoreservernotifications/notificationtype',
  today,
)
const week = '2026-03-08T00:00:00Z'
const free: Transaction = { expiresDate: ms(week), offerType: 1, offerDiscountType: 'FREE_TRIAL', price: 0 }
const trying: Step = {
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

const added = { additionalTransactionReason: 'SEAT_ADDITION' } as const
const groups = from(
  'https://developer.apple.com/documentation/storekit/managing-the-life-cycle-of-multiseat-subscriptions',
  today,
)
const additions = from(
  'https://developer.apple.com/documentation/appstoreserverapi/additionaltransactionreason',
  today,
)
/** Five seats are bought, and three more ten days later. */
const eightSeats: readonly Step[] = [
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
  {
    provider: 'apple',
    situation: 'A free week ends, and is paid',
    plays: ['trial-paid'],
    fact: {
      says: 'A transaction of a free offer has the discount type FREE_TRIAL. DID_RENEW tells the paid period after it.',
      source: from('https://developer.apple.com/documentation/appstoreserverapi/offerdiscounttype', today),
    },
    help: 'Nothing: the member keeps access.',
    plans,
    steps: [
      trying,
      {
        at: '2026-03-08T12:00:00Z',
        happens: 'renewed',
        sends: [
          says('2026-03-08T00:00:10Z', ['DID_RENEW'], 'active', transaction('1001', week), renewal(week)),
        ],
        sees: { status: 'active', open: { pro: true }, until: '2026-04-08T00:00:00.000Z' },
      },
    ],
  },
  {
    provider: 'apple',
    situation: 'A free week ends, and Apple cannot charge it',
    plays: ['trial-unpaid'],
    fact: {
      says: 'DID_FAIL_TO_RENEW without a subtype says that there is no grace period: Apple tries again, without service.',
      source: types,
    },
    setting: 'the billing grace period is off',
    help: 'Nothing: access opens when Apple is paid.',
    plans,
    steps: [
      trying,
      {
        at: '2026-03-08T12:00:00Z',
        happens: 'not paid',
        sends: [
          says(
            '2026-03-08T00:00:10Z',
            ['DID_FAIL_TO_RENEW'],
            'retry',
            transaction('1000', march, free),
            renewal(march, { ...failing, renewalDate: ms(week) }),
          ),
        ],
        sees: { open: { pro: false }, status: 'unpaid' },
      },
    ],
  },
  {
    provider: 'apple',
    situation: 'The seller extends the renewal date by two weeks',
    plays: ['free-months'],
    fact: {
      says: 'RENEWAL_EXTENDED says that the renewal date of one subscription was extended by the App Store Server API.',
      source: types,
    },
    help: 'Extend the renewal date in the App Store Server API to give free days.',
    plans,
    steps: [
      {
        at: '2026-03-02T00:00:00Z',
        happens: 'bought in the app',
        sends: [subscribed],
        sees: { open: { pro: true }, until: '2026-04-01T00:00:00.000Z' },
      },
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'extended',
        sends: [
          says(
            '2026-03-10T00:00:10Z',
            ['RENEWAL_EXTENDED'],
            'active',
            transaction('1000', march, { expiresDate: ms('2026-04-15T00:00:00Z') }),
            renewal(march, { renewalDate: ms('2026-04-15T00:00:00Z') }),
          ),
        ],
        sees: { open: { pro: true }, until: '2026-04-15T00:00:00.000Z' },
      },
      { at: '2026-04-10T00:00:00Z', happens: 'in the free days', sees: { open: { pro: true } } },
    ],
  },
  {
    provider: 'apple',
    situation: 'The member moves up to another product of the group, at once',
    plays: ['change-now'],
    fact: {
      says: 'DID_CHANGE_RENEWAL_PREF with UPGRADE takes effect at once: a new period of the other product begins, and the unused time goes back.',
      source: types,
    },
    help: 'Nothing: the new product is open.',
    plans,
    steps: [
      {
        at: '2026-03-02T00:00:00Z',
        happens: 'bought in the app',
        sends: [subscribed],
        sees: { open: { pro: true, year: false } },
      },
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'moved up',
        sends: [
          says(
            '2026-03-10T00:00:10Z',
            ['DID_CHANGE_RENEWAL_PREF', 'UPGRADE'],
            'active',
            transaction('1001', '2026-03-10T00:00:00Z', {
              productId: 'pro.yearly',
              transactionReason: 'PURCHASE',
              expiresDate: ms('2027-03-10T00:00:00Z'),
              price: 89_000,
            }),
            renewal(march, {
              productId: 'pro.yearly',
              autoRenewProductId: 'pro.yearly',
              renewalPrice: 89_000,
              renewalDate: ms('2027-03-10T00:00:00Z'),
            }),
          ),
        ],
        sees: { open: { pro: false, year: true }, payments: ['8900 paid', '999 paid'] },
      },
    ],
  },
  {
    provider: 'apple',
    situation: 'The member moves down to another product, from the next renewal on',
    plays: ['change-later'],
    fact: {
      says: 'DID_CHANGE_RENEWAL_PREF with DOWNGRADE takes effect at the next renewal, and changes nothing before.',
      source: types,
    },
    help: 'Nothing: the former product stays until then.',
    plans,
    steps: [
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'another product is chosen',
        sends: [
          subscribed,
          says(
            '2026-03-10T00:00:10Z',
            ['DID_CHANGE_RENEWAL_PREF', 'DOWNGRADE'],
            'active',
            transaction('1000', march),
            renewal(march, { autoRenewProductId: 'pro.yearly', renewalPrice: 89_000 }),
          ),
        ],
        sees: { open: { pro: true, year: false }, page: /Year/ },
      },
      {
        at: '2026-04-02T00:00:00Z',
        happens: 'renewed as the other product',
        sends: [
          says(
            '2026-04-01T00:00:10Z',
            ['DID_RENEW'],
            'active',
            transaction('1001', '2026-04-01T00:00:00Z', {
              productId: 'pro.yearly',
              expiresDate: ms('2027-04-01T00:00:00Z'),
              price: 89_000,
            }),
            renewal('2026-04-01T00:00:00Z', {
              productId: 'pro.yearly',
              autoRenewProductId: 'pro.yearly',
              renewalPrice: 89_000,
              renewalDate: ms('2027-04-01T00:00:00Z'),
            }),
          ),
        ],
        sees: { open: { pro: false, year: true } },
      },
    ],
  },
  {
    provider: 'apple',
    situation: 'A group of five adds three seats within the month, and these are refunded',
    plays: ['quantity', 'refund-part'],
    fact: {
      says: 'Added seats have a transaction of their own beside the first one, and the seats of the period are their sum. The purchaser loses access only when every transaction of the period is revoked.',
      source: additions,
    },
    help: 'Nothing: the group keeps its five seats.',
    plans,
    steps: [
      ...eightSeats,
      {
        at: '2026-03-16T00:00:00Z',
        happens: 'the added seats were refunded',
        sends: [
          says(
            '2026-03-15T00:00:10Z',
            ['REFUND'],
            'active',
            transaction('1001', '2026-03-11T00:00:00Z', {
              quantity: 3,
              expiresDate: ms('2026-04-01T00:00:00Z'),
              transactionReason: 'PURCHASE',
              price: 6700,
              multiSeatInfo: { priceTiers: [{ price: 6700, quantity: 3 }] },
              revocationDate: ms('2026-03-15T00:00:00Z'),
              revocationReason: 0,
              revocationPercentage: 100_000,
              ...added,
            }),
            renewal(march, { renewalQuantity: 5 }),
          ),
        ],
        sees: { open: { pro: true }, payments: ['2010 refunded', '4995 paid'] },
      },
    ],
  },
  {
    provider: 'apple',
    situation: 'A group that grew within the month plans fewer seats for the next one',
    plays: ['quantity'],
    fact: {
      says: 'Seats that are added count at once. A lower number counts from the next renewal on, and outside of a refund no seat goes within a period.',
      source: from(
        'https://developer.apple.com/documentation/appstoreservernotifications/renewalquantity',
        today,
      ),
    },
    help: 'Give the group its seats by hand until the renewal, or wait: they are back when the number of the next month is known.',
    fails: 'the seats of a period are in several transactions, and a message carries one of them',
    plans,
    steps: [
      ...eightSeats,
      {
        at: '2026-03-16T00:00:00Z',
        happens: 'four seats from the next month on',
        sends: [
          says(
            '2026-03-15T00:00:10Z',
            ['DID_CHANGE_RENEWAL_PREF', 'DECREASE_QUANTITY'],
            'active',
            transaction('1001', '2026-03-11T00:00:00Z', {
              quantity: 3,
              expiresDate: ms('2026-04-01T00:00:00Z'),
              transactionReason: 'PURCHASE',
              price: 6700,
              multiSeatInfo: { priceTiers: [{ price: 6700, quantity: 3 }] },
              ...added,
            }),
            renewal(march, { renewalQuantity: 4 }),
          ),
        ],
        sees: { open: { pro: true }, quantity: 8 },
      },
    ],
  },
  {
    provider: 'apple',
    situation: 'An organization assigns a seat that it bought in Apple Business, and reassigns it',
    plays: ['own', 'quantity'],
    fact: {
      says: 'With a volume purchase the transaction of each assignee records that person’s access. An organization can take a seat back and assign it to somebody else.',
      source: groups,
    },
    setting: 'volume purchases are allowed in App Store Connect, as they are by default',
    help: 'Nothing: each assigned seat opens the plan for its person. Turn volume purchases off in App Store Connect if your prices do not fit them.',
    plans,
    steps: [
      {
        at: '2026-03-02T00:00:00Z',
        happens: 'assigned to Ann',
        sends: [
          says(
            '2026-03-01T00:00:10Z',
            ['SUBSCRIBED', 'INITIAL_BUY'],
            'active',
            transaction('1000', march, { quantity: 200, inAppOwnershipType: 'ASSIGNED' }),
            renewal(march),
          ),
        ],
        sees: { open: { pro: true }, openForBob: { pro: false }, quantity: 1, payments: [] },
      },
      {
        at: '2026-03-12T00:00:00Z',
        happens: 'reassigned to Bob',
        sends: [
          says(
            '2026-03-11T00:00:10Z',
            ['REVOKE'],
            'revoked',
            transaction('1000', march, {
              quantity: 200,
              inAppOwnershipType: 'ASSIGNED',
              revocationDate: ms('2026-03-11T00:00:00Z'),
            }),
            renewal(march, { autoRenewStatus: 0 }),
          ),
          says(
            '2026-03-11T00:00:20Z',
            ['SUBSCRIBED', 'INITIAL_BUY'],
            'active',
            transaction('2000', '2026-03-11T00:00:00Z', {
              originalTransactionId: '2000',
              originalPurchaseDate: ms('2026-03-11T00:00:00Z'),
              expiresDate: ms('2026-04-01T00:00:00Z'),
              appAccountToken: '$BOB',
              quantity: 200,
              inAppOwnershipType: 'ASSIGNED',
            }),
            renewal(march, { originalTransactionId: '2000' }),
          ),
        ],
        sees: { open: { pro: false }, openForBob: { pro: true } },
      },
    ],
  },
]
