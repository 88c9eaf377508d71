import { from, type Lifecycle } from '../lifecycle.ts'
import { dodoPayment, dodoSubscription, paid, plans, says, subscriptions, today, year } from './objects.ts'

const frozen = '2026-04-13T00:00:00Z'

export const dodoChanges: readonly Lifecycle[] = [
  {
    provider: 'dodo',
    situation: 'A change to a year is scheduled for the next billing date, and then charged',
    plays: ['change-later'],
    fact: {
      says: 'With effective_at next_billing_date a change of plan waits in scheduled_change until then, and can be cancelled.',
      source: subscriptions,
    },
    help: 'Nothing: the former plan stays until then.',
    plans,
    steps: [
      paid,
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'scheduled',
        sends: [
          says(
            '2026-03-10T00:00:10Z',
            'subscription.updated',
            dodoSubscription({
              scheduled_change: {
                id: 'sch_1',
                addons: [],
                created_at: '2026-03-10T00:00:00Z',
                effective_at: '2026-04-01T00:00:00Z',
                product_id: 'pdt_year',
                product_name: 'Year',
                quantity: 1,
              },
            }),
          ),
        ],
        sees: { open: { pro: true, year: false }, page: /Year/ },
      },
      {
        at: '2026-04-02T00:00:00Z',
        happens: 'changed and charged',
        sends: [
          says(
            '2026-04-01T00:00:10Z',
            'payment.succeeded',
            dodoPayment({ payment_id: 'pay_2', total_amount: 9000, created_at: '2026-04-01T00:00:05Z' }),
          ),
          says(
            '2026-04-01T00:00:11Z',
            'subscription.plan_changed',
            dodoSubscription({
              ...year,
              previous_billing_date: '2026-04-01T00:00:05Z',
              next_billing_date: '2027-04-01T00:00:00Z',
            }),
          ),
        ],
        sees: { open: { pro: false, year: true }, payments: ['1200 paid', '9000 paid'], status: 'active' },
      },
    ],
  },
  {
    provider: 'dodo',
    situation: 'The seller moves the next billing date, to give two more weeks',
    plays: ['free-months'],
    fact: {
      says: 'The seller can set a later next_billing_date, in the dashboard too. It is the end of the running period and the day of the next charge.',
      source: from('https://docs.dodopayments.com/api-reference/subscriptions/patch-subscriptions', today),
    },
    help: 'Use it to give free days.',
    plans,
    steps: [
      paid,
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'moved',
        sends: [
          says(
            '2026-03-10T00:00:10Z',
            'subscription.updated',
            dodoSubscription({ next_billing_date: '2026-04-15T00:00:00Z' }),
          ),
        ],
        sees: { open: { pro: true }, until: '2026-04-15T00:00:00.000Z' },
      },
      { at: '2026-04-10T00:00:00Z', happens: 'in the free days', sees: { open: { pro: true } } },
    ],
  },
  {
    provider: 'dodo',
    situation: 'Paused in Dodo’s dashboard within the paid month, and resumed after twelve days',
    plays: ['pause-now'],
    fact: {
      says: 'A pause ends access at once and freezes the paid time. Resuming moves the next billing date on by the length of the pause, so that the paid days come after it.',
      source: subscriptions,
    },
    help: 'Resume it in Dodo’s dashboard. The paid days are not lost.',
    plans,
    steps: [
      paid,
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'paused',
        sends: [
          says(
            '2026-03-10T00:00:10Z',
            'subscription.paused',
            dodoSubscription({ status: 'paused', paused_at: '2026-03-10T00:00:00Z' }),
          ),
        ],
        sees: { open: { pro: false }, status: 'paused', operator: 'paused' },
      },
      {
        at: '2026-03-23T00:00:00Z',
        happens: 'resumed',
        sends: [
          says(
            '2026-03-22T00:00:10Z',
            'subscription.unpaused',
            dodoSubscription({ next_billing_date: frozen }),
          ),
        ],
        sees: { open: { pro: true }, status: 'active', until: '2026-04-13T00:00:00.000Z' },
      },
      { at: '2026-04-12T00:00:00Z', happens: 'in the paid days', sees: { open: { pro: true } } },
    ],
  },
]
