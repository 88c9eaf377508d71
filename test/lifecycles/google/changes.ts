import { from, type Lifecycle } from '../lifecycle.ts'
import { april, bill, bought, euro, lifecycle, order, plans, purchase, says } from './objects.ts'

const today = '2026-11-30'

export const changes: readonly Lifecycle[] = [
  {
    provider: 'google',
    situation: 'A cancelled subscription is restored in the Play Store before it ends',
    plays: ['cancel-undone'],
    fact: {
      says: 'Restored before its expiry, a purchase keeps its token and renews as if it had not been cancelled. All fields of the cancellation are cleared.',
      source: lifecycle,
    },
    help: 'Nothing: the subscription goes on.',
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
        sees: { open: { pro: true }, ends: '2026-04-01T00:00:00.000Z' },
      },
      {
        at: '2026-03-21T00:00:00Z',
        happens: 'restored',
        sends: [says('2026-03-20T00:00:10Z', 'restarted', 'one', { one: purchase({ token: 'one' }) })],
        sees: { open: { pro: true }, status: 'active', ends: null },
      },
    ],
  },
  {
    provider: 'google',
    situation: 'A cheaper plan is bought for the next month, by a deferred replacement',
    plays: ['change-later'],
    fact: {
      says: 'A deferred replacement is a new purchase at once, with two items. The old item expires with its month, and the new one has no expiry yet. The old token has expired.',
      source: from('https://developer.android.com/google/play/billing/subscriptions', today),
    },
    setting: 'the app asks for the replacement mode DEFERRED',
    help: 'Nothing: the former plan stays open to the end of its month.',
    plans,
    steps: [
      {
        at: '2026-03-16T00:00:00Z',
        happens: 'bought for the next month',
        sends: [
          bought(),
          says('2026-03-15T00:00:10Z', 'purchased', 'two', {
            one: purchase({ token: 'one', state: 'EXPIRED', expiry: '2026-03-15T00:00:00Z' }),
            two: purchase({
              token: 'two',
              more: {
                acknowledgementState: 'ACKNOWLEDGEMENT_STATE_PENDING',
                linkedPurchaseToken: 'one',
                startTime: '2026-03-15T00:00:00Z',
                lineItems: [
                  {
                    productId: 'pro',
                    expiryTime: april,
                    latestSuccessfulOrderId: 'GPA.1',
                    autoRenewingPlan: { autoRenewEnabled: false, recurringPrice: euro(10) },
                    offerDetails: { basePlanId: 'monthly' },
                    deferredItemReplacement: { productId: 'basic' },
                  },
                  {
                    productId: 'basic',
                    autoRenewingPlan: { autoRenewEnabled: true, recurringPrice: euro(5) },
                    offerDetails: { basePlanId: 'monthly' },
                  },
                ],
              },
            }),
          }),
          says('2026-03-15T00:00:11Z', 'expired', 'one', {}),
        ],
        sees: { open: { pro: true, basic: false }, acknowledged: ['two'] },
      },
      {
        at: '2026-04-02T00:00:00Z',
        happens: 'replaced and charged',
        sends: [
          says('2026-04-01T00:00:10Z', 'renewed', 'two', {
            two: purchase({
              token: 'two',
              more: {
                linkedPurchaseToken: 'one',
                startTime: '2026-03-15T00:00:00Z',
                lineItems: [
                  {
                    productId: 'pro',
                    expiryTime: april,
                    latestSuccessfulOrderId: 'GPA.1',
                    autoRenewingPlan: { autoRenewEnabled: false },
                    offerDetails: { basePlanId: 'monthly' },
                  },
                  {
                    productId: 'basic',
                    expiryTime: '2026-05-01T00:00:00Z',
                    latestSuccessfulOrderId: 'GPA.2',
                    autoRenewingPlan: { autoRenewEnabled: true, recurringPrice: euro(5) },
                    offerDetails: { basePlanId: 'monthly' },
                    offerPhase: { basePrice: {} },
                  },
                ],
              },
            }),
            'GPA.2': order('GPA.2', 'two', april, 'basic', {
              total: euro(5),
              lineItems: [bill('basic', april, '2026-05-01T00:00:00Z', 5)],
            }),
          }),
        ],
        sees: { open: { pro: false, basic: true }, payments: ['1000 paid', '500 paid'] },
      },
    ],
  },
]
