import { from, type Lifecycle } from '../lifecycle.ts'
import {
  churn,
  commitment,
  committed,
  failing,
  free,
  grace,
  march,
  ms,
  plans,
  renewal,
  says,
  subscribed,
  today,
  transaction,
  trying,
  type,
  types,
  week,
} from './objects.ts'
import { appleRefunds } from './refunds.ts'
import { appleSeats } from './seats.ts'

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
  ...appleRefunds,
  ...appleSeats,
]
