import { from, type Lifecycle } from '../lifecycle.ts'
import { bill, bought, euro, type Fields, lifecycle, march, order, plans, purchase, says } from './objects.ts'

const today = '2026-11-30'
const trialEnd = '2026-03-08T00:00:00Z'

function onTrial(state: string): Fields {
  return purchase({
    token: 'one',
    state,
    more: {
      lineItems: [
        {
          productId: 'pro',
          expiryTime: trialEnd,
          latestSuccessfulOrderId: 'GPA.1',
          autoRenewingPlan: { autoRenewEnabled: true, recurringPrice: euro(10) },
          offerDetails: { basePlanId: 'monthly', offerId: 'week' },
          offerPhase: { freeTrial: {} },
        },
      ],
    },
  })
}

const trialBegan = says('2026-03-01T00:00:10Z', 'purchased', 'one', {
  one: onTrial('ACTIVE'),
  'GPA.1': order('GPA.1', 'one', march, 'pro', {
    total: euro(0),
    lineItems: [bill('pro', march, trialEnd, 0)],
  }),
})

/** The order of March, of which so many euros went back. */
function refunded(at: string, units: number): Fields {
  return order('GPA.1', 'one', march, 'pro', {
    state: 'PARTIALLY_REFUNDED',
    orderHistory: {
      processedEvent: { eventTime: march },
      partialRefundEvents: [
        {
          createTime: at,
          processTime: at,
          state: 'PROCESSED_SUCCESSFULLY',
          refundDetails: { total: euro(units) },
        },
      ],
    },
  })
}

const orders = from('https://developers.google.com/android-publisher/api-ref/rest/v3/orders', today)

export const payments: readonly Lifecycle[] = [
  {
    provider: 'google',
    situation: 'A pending first payment never arrives, and Google cancels the purchase',
    plays: ['first-fails'],
    fact: {
      says: 'A purchase may be pending at first. SUBSCRIPTION_PENDING_PURCHASE_CANCELED says that its transaction was cancelled.',
      source: from('https://developer.android.com/google/play/billing/rtdn-reference', today),
    },
    help: 'Nothing: nothing was paid, and the member can buy again in the app.',
    plans,
    steps: [
      {
        at: '2026-03-04T00:00:00Z',
        happens: 'the pending purchase was cancelled',
        sends: [
          says('2026-03-03T00:00:10Z', 'pendingPurchaseCanceled', 'one', {
            one: purchase({
              token: 'one',
              state: 'PENDING_PURCHASE_CANCELED',
              more: {
                lineItems: [{ productId: 'pro', offerDetails: { basePlanId: 'monthly' } }],
              },
            }),
          }),
        ],
        sees: { open: { pro: false }, mails: [] },
      },
    ],
  },
  {
    provider: 'google',
    situation: 'A free week ends, and is paid in the store',
    plays: ['trial-paid'],
    fact: {
      says: 'The phase of an item is a free trial at first. With the first renewal it is the base price, and the order has the sum.',
      source: lifecycle,
    },
    help: 'Nothing: the member keeps access.',
    plans,
    steps: [
      {
        at: '2026-03-02T00:00:00Z',
        happens: 'in the free week',
        sends: [trialBegan],
        sees: { open: { pro: true }, status: 'trialing', until: '2026-03-08T00:00:00.000Z' },
      },
      {
        at: '2026-03-09T00:00:00Z',
        happens: 'paid',
        sends: [
          says('2026-03-08T00:00:10Z', 'renewed', 'one', {
            one: purchase({ token: 'one', expiry: '2026-04-08T00:00:00Z', order: 'GPA.1..0' }),
            'GPA.1..0': order('GPA.1..0', 'one', trialEnd),
          }),
        ],
        sees: { open: { pro: true }, status: 'active', until: '2026-04-08T00:00:00.000Z' },
      },
    ],
  },
  {
    provider: 'google',
    situation: 'A free week ends, its charge fails, and the purchase is on hold',
    plays: ['trial-unpaid'],
    fact: {
      says: 'Without days of grace Google tries again for a day, in silence. Then the purchase is on hold, and access has to stop.',
      source: lifecycle,
    },
    setting: 'a grace period of 0 days',
    help: 'The member sets another way of payment in the Play Store.',
    plans,
    steps: [
      {
        at: '2026-03-02T00:00:00Z',
        happens: 'in the free week',
        sends: [trialBegan],
        sees: { open: { pro: true }, status: 'trialing' },
      },
      {
        at: '2026-03-09T12:00:00Z',
        happens: 'not paid',
        sends: [says('2026-03-09T00:00:10Z', 'onHold', 'one', { one: onTrial('ON_HOLD') })],
        sees: { open: { pro: false }, status: 'unpaid' },
      },
    ],
  },
  {
    provider: 'google',
    situation: 'A renewal is never paid, and the purchase ends after its hold',
    plays: ['dunning-cancels'],
    fact: {
      says: 'A purchase that does not recover on hold is cancelled by the system, with its expiry in the past. Its expiration follows at once.',
      source: lifecycle,
    },
    setting: 'a grace period of 7 days',
    help: 'Nothing: the member can subscribe again in the app or the Play Store.',
    plans,
    steps: [
      {
        at: '2026-04-09T00:00:00Z',
        happens: 'on hold',
        sends: [
          bought(),
          says('2026-04-01T00:00:10Z', 'inGracePeriod', 'one', {
            one: purchase({ token: 'one', state: 'IN_GRACE_PERIOD', expiry: '2026-04-08T00:00:00Z' }),
          }),
          says('2026-04-08T00:00:10Z', 'onHold', 'one', {
            one: purchase({ token: 'one', state: 'ON_HOLD', expiry: '2026-04-08T00:00:00Z' }),
          }),
        ],
        sees: { open: { pro: false }, status: 'unpaid' },
      },
      {
        at: '2026-06-01T00:00:00Z',
        happens: 'the hold is over',
        sends: [
          says('2026-05-31T00:00:10Z', 'canceled', 'one', {
            one: purchase({
              token: 'one',
              state: 'CANCELED',
              expiry: '2026-04-08T00:00:00Z',
              more: { canceledStateContext: { systemInitiatedCancellation: {} } },
            }),
          }),
          says('2026-05-31T00:00:11Z', 'expired', 'one', {
            one: purchase({
              token: 'one',
              state: 'EXPIRED',
              expiry: '2026-04-08T00:00:00Z',
              more: { canceledStateContext: { systemInitiatedCancellation: {} } },
            }),
          }),
        ],
        sees: { open: { pro: false }, status: 'canceled', payments: ['1000 paid'] },
      },
    ],
  },
  {
    provider: 'google',
    situation: 'A purchase is revoked with a prorated refund',
    plays: ['cancel-credited'],
    fact: {
      says: 'A purchase can be revoked with a refund for the days that remain. Access has to stop at once.',
      source: from(
        'https://developers.google.com/android-publisher/api-ref/rest/v3/purchases.subscriptionsv2/revoke',
        today,
      ),
    },
    help: 'Nothing: access ends with the refund, and the payment shows what went back.',
    plans,
    steps: [
      {
        at: '2026-03-02T00:00:00Z',
        happens: 'bought in the app',
        sends: [bought()],
        sees: { open: { pro: true }, payments: ['1000 paid'] },
      },
      {
        at: '2026-03-12T00:00:00Z',
        happens: 'revoked',
        sends: [
          says('2026-03-11T00:00:10Z', 'revoked', 'one', {
            one: purchase({ token: 'one', state: 'EXPIRED', expiry: '2026-03-11T00:00:00Z' }),
            'GPA.1': refunded('2026-03-11T00:00:05Z', 6),
          }),
        ],
        sees: { open: { pro: false }, status: 'canceled', payments: ['1000 partially_refunded'] },
      },
    ],
  },
  {
    provider: 'google',
    situation: 'A part of an order is refunded in the Play Console, and the next message shows it',
    plays: ['refund-part'],
    fact: {
      says: 'An order lists the refunds of a part of it, each with its sum. No message is documented for them.',
      source: orders,
    },
    help: 'Nothing: a refund in part closes nothing.',
    plans,
    steps: [
      {
        at: '2026-03-02T00:00:00Z',
        happens: 'bought in the app',
        sends: [bought()],
        sees: { open: { pro: true }, payments: ['1000 paid'] },
      },
      {
        at: '2026-03-10T00:00:00Z',
        happens: 'a part went back, and the member cancelled after that',
        sends: [
          says('2026-03-09T00:00:10Z', 'canceled', 'one', {
            one: purchase({
              token: 'one',
              state: 'CANCELED',
              more: {
                canceledStateContext: { userInitiatedCancellation: { cancelTime: '2026-03-09T00:00:00Z' } },
              },
            }),
            'GPA.1': refunded('2026-03-05T00:00:00Z', 3),
          }),
        ],
        sees: {
          open: { pro: true },
          until: '2026-04-01T00:00:00.000Z',
          payments: ['1000 partially_refunded'],
        },
      },
    ],
  },
  {
    provider: 'google',
    situation: 'The seller defers the next renewal by two weeks',
    plays: ['free-months'],
    fact: {
      says: 'A renewal can be deferred as a gesture. The member has full access until the new expiry, and is not charged before.',
      source: lifecycle,
    },
    help: 'Use it to give free days.',
    plans,
    steps: [
      {
        at: '2026-03-21T00:00:00Z',
        happens: 'deferred',
        sends: [
          bought(),
          says('2026-03-20T00:00:10Z', 'deferred', 'one', {
            one: purchase({ token: 'one', expiry: '2026-04-15T00:00:00Z' }),
          }),
        ],
        sees: { open: { pro: true }, until: '2026-04-15T00:00:00.000Z' },
      },
      { at: '2026-04-10T00:00:00Z', happens: 'in the free days', sees: { open: { pro: true } } },
    ],
  },
]
