import { from, type Lifecycle } from '../lifecycle.ts'
import {
  bought,
  euro,
  mollieCharge,
  mollieChargeback,
  mollieFirst,
  mollieRefund,
  mollieSubscription,
  pings,
  plans,
  renewed,
  today,
} from './objects.ts'

export const mollieRefunds: readonly Lifecycle[] = [
  {
    provider: 'mollie',
    situation: 'The seller cancels a subscription in Mollie’s dashboard, and refunds the month',
    plays: ['cancel-credited', 'refund-full'],
    fact: {
      says: 'A cancelled subscription makes no further charges. Its payments stay, and each can be refunded.',
      source: from('https://docs.mollie.com/reference/cancel-subscription', today),
    },
    help: 'Nothing: the money went back, and access ended.',
    plans,
    steps: [
      {
        at: '2026-03-02T00:00:00Z',
        happens: 'paid',
        sends: [bought],
        sees: { open: { pro: true }, payments: ['900 paid'] },
      },
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'cancelled and refunded',
        sends: [
          pings(
            '2026-03-10T10:01:00Z',
            'tr_first',
            mollieSubscription({
              status: 'canceled',
              canceledAt: '2026-03-10T10:00:00+00:00',
              nextPaymentDate: undefined,
            }),
            mollieFirst({ amountRefunded: euro('9.00') }),
            mollieRefund({
              paymentId: 'tr_first',
              amount: euro('9.00'),
              createdAt: '2026-03-10T10:00:30+00:00',
            }),
          ),
        ],
        compares: true,
        sees: { open: { pro: false }, payments: ['900 refunded'], status: 'canceled' },
      },
    ],
  },
  {
    provider: 'mollie',
    situation: 'A renewal that was charged back stays so, and the next month is paid',
    plays: ['dispute', 'dispute-lost'],
    fact: {
      says: 'A chargeback takes the money at once. Without a reversal it stays with the buyer, and the subscription goes on to its next date.',
      source: from('https://docs.mollie.com/reference/get-chargeback', today),
    },
    help: 'Cancel the subscription if you want no more payments of this buyer.',
    plans,
    steps: [
      {
        at: '2026-04-11T00:00:00Z',
        happens: 'April is charged back',
        sends: [
          bought,
          pings('2026-04-04T08:01:00Z', 'tr_april', ...renewed('tr_april', '2026-05-01')),
          pings(
            '2026-04-10T08:01:00Z',
            'tr_april',
            mollieCharge({ amountChargedBack: euro('9.00') }),
            mollieChargeback({ paymentId: 'tr_april', createdAt: '2026-04-10T08:00:00+00:00' }),
          ),
        ],
        sees: { payments: ['900 disputed', '900 paid'], open: { pro: false }, operator: 'disputed' },
      },
      {
        at: '2026-05-05T00:00:00Z',
        happens: 'May is paid',
        sends: [
          pings(
            '2026-05-04T08:01:00Z',
            'tr_may',
            mollieSubscription({ nextPaymentDate: '2026-06-01' }),
            mollieCharge({
              id: 'tr_may',
              createdAt: '2026-05-01T03:00:00+00:00',
              paidAt: '2026-05-04T08:00:00+00:00',
            }),
          ),
        ],
        sees: {
          payments: ['900 disputed', '900 paid', '900 paid'],
          open: { pro: true },
          status: 'active',
          until: '2026-06-01T00:00:00.000Z',
        },
      },
    ],
  },
]
