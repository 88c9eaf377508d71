import { from, type Lifecycle } from '../lifecycle.ts'
import { changes } from './changes.ts'
import {
  april,
  bill,
  bought,
  ended,
  euro,
  type Fields,
  item,
  lifecycle,
  march,
  order,
  pending,
  plans,
  purchase,
  resource,
  says,
} from './objects.ts'
import { payments } from './payments.ts'

/** The add-on is first, since the documentation promises no order of the items. */
function withAddOn(expiry: string, addOnExpiry: string, addOnOrder: string, paid = 'GPA.1'): Fields {
  return purchase({
    token: 'one',
    more: { lineItems: [item('basic', addOnExpiry, addOnOrder), item('pro', expiry, paid)] },
  })
}

function committed(expiry: string, paid: string, remaining: number): Fields {
  return purchase({
    token: 'one',
    more: {
      lineItems: [
        {
          ...item('pro', expiry, paid),
          autoRenewingPlan: {
            autoRenewEnabled: true,
            recurringPrice: euro(10),
            installmentDetails: {
              initialCommittedPaymentsCount: 3,
              remainingCommittedPaymentsCount: remaining,
              pendingCancellation: {},
            },
          },
        },
      ],
    },
  })
}

const notes = from(
  'https://developer.android.com/google/play/billing/play-developer-apis-release-notes',
  '2026-11-29',
)
const addOns = from(
  'https://developer.android.com/google/play/billing/subscription-with-addons',
  '2026-11-29',
)
const installments = from(
  'https://developers.google.com/android-publisher/api-ref/rest/v3/purchases.subscriptionsv2#InstallmentPlan',
  '2026-11-29',
)

const gone = { error: { code: 410, message: 'The purchase token is no longer valid.', status: 'GONE' } }
const errors = from('https://developers.google.com/android-publisher/errors', '2026-11-30')

export const googleLives: readonly Lifecycle[] = [
  {
    provider: 'google',
    situation: 'A renewal fails, is in its grace period, then on hold, and recovers',
    plays: ['retry-recovers'],
    fact: {
      says: 'In the grace period the member keeps access, and the expiry moves on. On hold access stops. A recovery starts a new period.',
      source: lifecycle,
    },
    setting: 'a grace period of 7 days',
    help: 'Set the days of grace and hold of each base plan in the Play Console.',
    plans,
    steps: [
      {
        at: '2026-03-02T00:00:00Z',
        happens: 'bought in the app',
        sends: [bought()],
        sees: { open: { pro: true }, status: 'active' },
      },
      {
        at: '2026-04-02T00:00:00Z',
        happens: 'the renewal failed',
        sends: [
          says('2026-04-01T00:00:10Z', 'inGracePeriod', 'one', {
            one: purchase({ token: 'one', state: 'IN_GRACE_PERIOD', expiry: '2026-04-08T00:00:00Z' }),
          }),
        ],
        sees: { until: '2026-04-08T00:00:00.000Z', open: { pro: true } },
      },
      {
        at: '2026-04-09T00:00:00Z',
        happens: 'on hold',
        sends: [
          says('2026-04-08T00:00:10Z', 'onHold', 'one', {
            one: purchase({ token: 'one', state: 'ON_HOLD', expiry: '2026-04-08T00:00:00Z' }),
          }),
        ],
        sees: { open: { pro: false }, status: 'unpaid' },
      },
      {
        at: '2026-04-20T00:00:00Z',
        happens: 'recovered',
        sends: [
          says('2026-04-19T00:00:10Z', 'recovered', 'one', {
            one: purchase({ token: 'one', expiry: '2026-05-19T00:00:00Z', order: 'GPA.1..0' }),
            'GPA.1..0': order('GPA.1..0', 'one', '2026-04-19T00:00:00Z'),
          }),
        ],
        sees: { open: { pro: true }, payments: ['1000 paid', '1000 paid'] },
      },
    ],
  },
  {
    provider: 'google',
    situation: 'A renewal is charged late, and for a day the purchase is active past its expiry',
    plays: ['retry-recovers'],
    fact: {
      says: 'Google may try again in silence for up to a day. The state stays active, and the expiry lies in the past.',
      source: lifecycle,
    },
    help: 'Nothing: the member keeps access during that day.',
    plans,
    steps: [
      {
        at: '2026-03-02T00:00:00Z',
        happens: 'bought in the app',
        sends: [bought()],
        sees: { open: { pro: true } },
      },
      { at: '2026-04-01T20:00:00Z', happens: 'nothing was sent', sees: { open: { pro: true } } },
      {
        at: '2026-04-02T02:00:00Z',
        happens: 'charged',
        sends: [
          says('2026-04-02T01:00:00Z', 'renewed', 'one', {
            one: purchase({ token: 'one', expiry: '2026-05-01T00:00:00Z', order: 'GPA.1..0' }),
            'GPA.1..0': order('GPA.1..0', 'one', april),
          }),
        ],
        sees: { open: { pro: true }, payments: ['1000 paid', '1000 paid'] },
      },
    ],
  },
  {
    provider: 'google',
    situation: 'The member cancels in the Play Store, and keeps the paid month',
    plays: ['cancel-at-end'],
    fact: {
      says: 'A cancelled subscription stays valid until its expiry, and is expired after that.',
      source: lifecycle,
    },
    help: 'Nothing: the member can restore it in the Play Store until it ends.',
    plans,
    steps: [
      {
        at: '2026-03-10T00:00:00Z',
        happens: 'cancelled',
        sends: [
          bought(),
          says('2026-03-09T00:00:10Z', 'canceled', 'one', {
            one: purchase({
              token: 'one',
              state: 'CANCELED',
              more: {
                canceledStateContext: { userInitiatedCancellation: { cancelTime: '2026-03-09T00:00:00Z' } },
              },
            }),
          }),
        ],
        sees: { open: { pro: true }, until: '2026-04-01T00:00:00.000Z' },
      },
      {
        at: '2026-04-02T00:00:00Z',
        happens: 'the paid month is over',
        sends: [ended],
        sees: { open: { pro: false }, status: 'canceled' },
      },
    ],
  },
  {
    provider: 'google',
    situation: 'The member pauses in the Play Store, and the pause begins with the next period',
    plays: ['pause-later'],
    fact: {
      says: 'A paused subscription gives no access, and names the day on which it goes on by itself.',
      source: lifecycle,
    },
    help: 'Nothing: the member resumes in the Play Store, or waits for that day.',
    plans,
    steps: [
      {
        at: '2026-04-02T00:00:00Z',
        happens: 'paused',
        sends: [
          bought(),
          says('2026-04-01T00:00:10Z', 'paused', 'one', {
            one: purchase({
              token: 'one',
              state: 'PAUSED',
              more: { pausedStateContext: { autoResumeTime: '2026-06-01T00:00:00Z' } },
            }),
          }),
        ],
        sees: { open: { pro: false }, status: 'paused' },
      },
      {
        at: '2026-06-01T12:00:00Z',
        happens: 'it goes on',
        sends: [
          says('2026-06-01T00:00:10Z', 'renewed', 'one', {
            one: purchase({ token: 'one', expiry: '2026-07-01T00:00:00Z', order: 'GPA.1..0' }),
            'GPA.1..0': order('GPA.1..0', 'one', '2026-06-01T00:00:00Z'),
          }),
        ],
        sees: { open: { pro: true }, status: 'active' },
      },
    ],
  },
  {
    provider: 'google',
    situation:
      'Somebody whose subscription ended resubscribes in the Play Store, which knows no user of the app',
    plays: ['own'],
    fact: {
      says: 'Such a purchase has no account id. Until it is acknowledged, outOfAppPurchaseContext names the account of the former one; an id given with the acknowledgement stays.',
      source: notes,
    },
    help: 'Nothing: the member who had the former subscription owns the new one.',
    plans,
    steps: [
      {
        at: '2026-04-02T00:00:00Z',
        happens: 'the first one ended',
        sends: [bought(), ended],
        sees: { open: { pro: false } },
      },
      {
        at: '2026-04-11T00:00:00Z',
        happens: 'resubscribed',
        sends: [
          says('2026-04-10T00:00:10Z', 'purchased', 'two', {
            two: purchase({
              token: 'two',
              account: null,
              expiry: '2026-05-10T00:00:00Z',
              order: 'GPA.2',
              more: {
                ...pending,
                outOfAppPurchaseContext: {
                  expiredExternalAccountIdentifiers: { obfuscatedExternalAccountId: '$ANN' },
                  expiredPurchaseToken: 'one',
                },
              },
            }),
            'GPA.2': order('GPA.2', 'two', '2026-04-10T00:00:00Z'),
          }),
        ],
        sees: { open: { pro: true }, acknowledged: ['two'] },
      },
      {
        at: '2026-05-11T00:00:00Z',
        happens: 'renewed, with the account of the acknowledgement',
        sends: [
          says('2026-05-10T00:00:10Z', 'renewed', 'two', {
            two: purchase({
              token: 'two',
              expiry: '2026-06-10T00:00:00Z',
              order: 'GPA.2..0',
            }),
            'GPA.2..0': order('GPA.2..0', 'two', '2026-05-10T00:00:00Z'),
          }),
        ],
        sees: { payments: ['1000 paid', '1000 paid', '1000 paid'], open: { pro: true } },
      },
    ],
  },
  {
    provider: 'google',
    situation: 'Resubscribed in the Play Store, where only the token of the former purchase is named',
    plays: ['own'],
    fact: {
      says: 'expiredPurchaseToken names the former purchase, which a site may have stored; the API answers for it for 60 days.',
      source: from(
        'https://googleapis.dev/dotnet/Google.Apis.AndroidPublisher.v3/latest/api/Google.Apis.AndroidPublisher.v3.Data.OutOfAppPurchaseContext.html',
        '2026-11-29',
      ),
    },
    help: 'Nothing: the owner of the former purchase owns the new one.',
    plans,
    steps: [
      {
        at: '2026-04-11T00:00:00Z',
        happens: 'resubscribed',
        sends: [
          bought(),
          ended,
          says('2026-04-10T00:00:10Z', 'purchased', 'two', {
            two: purchase({
              token: 'two',
              account: null,
              expiry: '2026-05-10T00:00:00Z',
              order: 'GPA.2',
              more: { ...pending, outOfAppPurchaseContext: { expiredPurchaseToken: 'one' } },
            }),
            'GPA.2': order('GPA.2', 'two', '2026-04-10T00:00:00Z'),
          }),
        ],
        sees: { open: { pro: true }, acknowledged: ['two'] },
      },
    ],
  },
  {
    provider: 'google',
    situation: 'A change of plan replaces the purchase by one that names no account',
    plays: ['change-now'],
    fact: {
      says: 'linkedPurchaseToken names the purchase that a new one replaces. The old one is cancelled by replacementCancellation and gives no access any more.',
      source: resource,
    },
    help: 'Nothing: the member goes on with the new plan.',
    plans,
    steps: [
      {
        at: '2026-03-05T00:00:00Z',
        happens: 'basic was bought',
        sends: [bought('one', 'basic')],
        sees: { open: { basic: true, pro: false } },
      },
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'changed to pro',
        sends: [
          says('2026-03-10T00:00:10Z', 'purchased', 'two', {
            one: purchase({
              token: 'one',
              product: 'basic',
              state: 'CANCELED',
              more: { canceledStateContext: { replacementCancellation: {} } },
            }),
            two: purchase({
              token: 'two',
              account: null,
              expiry: '2026-04-10T00:00:00Z',
              order: 'GPA.2',
              more: { ...pending, linkedPurchaseToken: 'one', startTime: '2026-03-10T00:00:00Z' },
            }),
            'GPA.2': order('GPA.2', 'two', '2026-03-10T00:00:00Z'),
          }),
        ],
        sees: { open: { basic: false, pro: true } },
      },
    ],
  },
  {
    provider: 'google',
    situation: 'A purchase is replaced by one of another user of the app on the same phone',
    plays: ['own'],
    fact: {
      says: 'A replaced purchase gives no access any more; the new purchase belongs to the account that it names.',
      source: resource,
    },
    help: 'Nothing: one purchase opens for one member.',
    plans,
    steps: [
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'Bob replaced it',
        sends: [
          bought(),
          says('2026-03-10T00:00:10Z', 'purchased', 'two', {
            one: purchase({
              token: 'one',
              state: 'CANCELED',
              more: { canceledStateContext: { replacementCancellation: {} } },
            }),
            two: purchase({
              token: 'two',
              account: '$BOB',
              expiry: '2026-04-10T00:00:00Z',
              order: 'GPA.2',
              more: { ...pending, linkedPurchaseToken: 'one', startTime: '2026-03-10T00:00:00Z' },
            }),
            'GPA.2': order('GPA.2', 'two', '2026-03-10T00:00:00Z'),
          }),
        ],
        sees: { open: { pro: false }, openForBob: { pro: true } },
      },
    ],
  },
  {
    provider: 'google',
    situation: 'An order is refunded and revoked in the Play Console',
    plays: ['refund-full'],
    fact: {
      says: 'A revoked purchase loses access at once, and its order is refunded.',
      source: lifecycle,
    },
    help: 'Refund and revoke in the Play Console; a refund alone leaves the access.',
    plans,
    steps: [
      {
        at: '2026-03-06T00:00:00Z',
        happens: 'revoked',
        sends: [
          bought(),
          says('2026-03-05T00:00:10Z', 'revoked', 'one', {
            one: purchase({ token: 'one', state: 'EXPIRED', expiry: '2026-03-05T00:00:00Z' }),
            'GPA.1': order('GPA.1', 'one', march, 'pro', {
              state: 'REFUNDED',
              orderHistory: {
                processedEvent: { eventTime: march },
                refundEvent: { eventTime: '2026-03-05T00:00:00Z', refundDetails: { total: euro(10) } },
              },
            }),
          }),
        ],
        sees: { open: { pro: false }, payments: ['1000 refunded'] },
      },
    ],
  },
  {
    provider: 'google',
    situation: 'An add-on is bought in the middle of the month, and taken off before the next one',
    plays: ['own'],
    fact: {
      says: 'Each item of such a purchase has an expiry of its own. An item that is taken off stays until it expires; the others renew.',
      source: addOns,
    },
    help: 'Nothing: each item opens its own plan to its own end.',
    plans,
    steps: [
      {
        at: '2026-03-16T00:00:00Z',
        happens: 'the add-on is bought to the end of the running month',
        sends: [
          bought(),
          says('2026-03-15T00:00:10Z', 'itemsChanged', 'one', {
            one: withAddOn(april, april, 'GPA.2'),
            'GPA.2': order('GPA.2', 'one', '2026-03-15T00:00:00Z', 'basic', {
              total: euro(5),
              lineItems: [bill('basic', '2026-03-15T00:00:00Z', april, 5)],
            }),
          }),
        ],
        sees: { open: { pro: true, basic: true } },
      },
      {
        at: '2026-04-02T00:00:00Z',
        happens: 'one order renews both',
        sends: [
          says('2026-04-01T00:00:10Z', 'renewed', 'one', {
            one: withAddOn('2026-05-01T00:00:00Z', '2026-05-01T00:00:00Z', 'GPA.3', 'GPA.3'),
            'GPA.3': order('GPA.3', 'one', april, 'pro', {
              total: euro(20),
              lineItems: [
                bill('pro', april, '2026-05-01T00:00:00Z', 10),
                bill('basic', april, '2026-05-01T00:00:00Z', 10),
              ],
            }),
          }),
        ],
        sees: { payments: ['1000 paid', '2000 paid', '500 paid'], open: { pro: true, basic: true } },
      },
      {
        at: '2026-05-02T00:00:00Z',
        happens: 'the add-on was taken off, and the other item renewed alone',
        sends: [
          says('2026-05-01T00:00:10Z', 'renewed', 'one', {
            one: purchase({ token: 'one', expiry: '2026-06-01T00:00:00Z', order: 'GPA.4' }),
            'GPA.4': order('GPA.4', 'one', '2026-05-01T00:00:00Z'),
          }),
        ],
        sees: { open: { pro: true, basic: false } },
      },
    ],
  },
  {
    provider: 'google',
    situation: 'A member of a plan with committed payments cancels before they are all made',
    plays: ['cancel-at-end', 'own'],
    fact: {
      says: 'A cancellation of an installment plan waits until the committed payments are made. Until then the purchase is active, and names how many remain.',
      source: installments,
    },
    help: 'Nothing: the account shows the day on which it ends.',
    plans,
    steps: [
      {
        at: '2026-03-20T00:00:00Z',
        happens: 'cancelled, with two payments to make',
        sends: [
          bought(),
          says('2026-03-19T00:00:10Z', 'cancellationScheduled', 'one', { one: committed(april, 'GPA.1', 2) }),
        ],
        sees: { open: { pro: true }, status: 'active', ends: '2026-06-01T00:00:00.000Z' },
      },
      {
        at: '2026-05-02T00:00:00Z',
        happens: 'the last one is made',
        sends: [
          says('2026-05-01T00:00:10Z', 'renewed', 'one', {
            one: committed('2026-06-01T00:00:00Z', 'GPA.3', 0),
            'GPA.3': order('GPA.3', 'one', '2026-05-01T00:00:00Z'),
          }),
        ],
        sees: { payments: ['1000 paid', '1000 paid'], open: { pro: true }, ends: '2026-06-01T00:00:00.000Z' },
      },
    ],
  },
  {
    provider: 'google',
    situation: 'A purchase ended, and 60 days later Google knows its token no more',
    plays: ['own'],
    fact: {
      says: 'Purchases can be asked for until 60 days after they expired. Later the answer is an error: the token is gone.',
      source: errors,
    },
    help: 'Nothing: payments and their dates stay on this site.',
    plans,
    steps: [
      {
        at: '2026-04-02T00:00:00Z',
        happens: 'the paid month is over',
        sends: [bought(), ended],
        sees: { open: { pro: false }, status: 'canceled', payments: ['1000 paid'] },
      },
      {
        at: '2026-06-10T00:00:00Z',
        happens: 'a late message names the token, which is gone',
        sends: [says('2026-06-09T00:00:10Z', 'expired', 'one', { one: gone, 'GPA.1': gone })],
        sees: { open: { pro: false }, status: 'canceled', payments: ['1000 paid'], mails: [] },
      },
    ],
  },
  {
    provider: 'google',
    situation: 'All messages about the end are lost, and Google knows the token no more',
    plays: ['own'],
    fact: {
      says: 'Purchases can be asked for until 60 days after they expired. Later the answer is an error: the token is gone.',
      source: errors,
    },
    help: 'This needs a site that was off for two months. Refuse the member’s purchase in your office, or end it by hand.',
    fails: 'a purchase that a provider does not know stays as it was, because a wrong key answers like that',
    plans,
    steps: [
      {
        at: '2026-03-02T00:00:00Z',
        happens: 'bought in the app',
        sends: [bought()],
        sees: { open: { pro: true }, status: 'active' },
      },
      {
        at: '2026-06-10T00:00:00Z',
        happens: 'a late message names the token, which is gone',
        sends: [says('2026-06-09T00:00:10Z', 'expired', 'one', { one: gone, 'GPA.1': gone })],
        sees: { open: { pro: false }, payments: ['1000 paid'] },
      },
    ],
  },
  ...payments,
  ...changes,
]
