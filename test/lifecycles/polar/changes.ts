import { polarSubscription } from '../../providers/polar/events.ts'
import type { Lifecycle } from '../lifecycle.ts'
import { ended, manage, paid, plans, proration, renewal, says, team } from './objects.ts'

export const polarChanges: readonly Lifecycle[] = [
  {
    provider: 'polar',
    situation: 'Another product is paid at once, and counts at once',
    plays: ['change-now'],
    fact: {
      says: 'With invoice a change applies at once, and its difference is charged at once. It applies only if that is paid.',
      source: proration,
    },
    help: 'Nothing: the new product is open.',
    plans,
    steps: [
      paid,
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'changed and charged',
        sends: [
          says(
            '2026-03-10T00:00:05Z',
            'subscription.updated',
            polarSubscription({ product_id: 'prod_team', product: team, amount: 3000 }),
          ),
          says('2026-03-10T00:00:06Z', 'order.paid', {
            ...renewal('ord_5', '2026-03-10T00:00:01Z', 'paid'),
            billing_reason: 'subscription_update',
            product_id: 'prod_team',
            product: team,
            subtotal_amount: 1076,
            net_amount: 1076,
            tax_amount: 204,
            total_amount: 1280,
            due_amount: 1280,
          }),
        ],
        sees: { open: { pro: false, team: true }, payments: ['1200 paid', '1280 paid'], status: 'active' },
      },
      { at: '2026-03-31T12:00:00Z', happens: 'to the end of the month', sees: { open: { team: true } } },
    ],
  },
  {
    provider: 'polar',
    situation: 'The seller revokes a subscription within the paid month, without a refund',
    plays: ['cancel-now'],
    fact: {
      says: 'Revoking ends a subscription at once, with everything that it gave, and refunds nothing. Nobody can take it back.',
      source: manage,
    },
    help: 'Cancel at the end of the period instead, and the paid month stays open.',
    plans,
    steps: [
      paid,
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'revoked',
        sends: [
          says('2026-03-10T00:00:05Z', 'subscription.canceled', ended),
          says('2026-03-10T00:00:06Z', 'subscription.revoked', ended),
        ],
        sees: { open: { pro: false }, status: 'canceled', payments: ['1200 paid'] },
      },
    ],
  },
]
