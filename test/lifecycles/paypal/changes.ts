import { paypalSale, usd } from '../../providers/paypal/events.ts'
import { from, type Lifecycle } from '../lifecycle.ts'
import { bought, type Fields, plans, regular, says, subscription, today } from './objects.ts'

function months(completed: number): Fields {
  return {
    tenure_type: 'TRIAL',
    sequence: 1,
    cycles_completed: completed,
    cycles_remaining: 2 - completed,
    total_cycles: 2,
  }
}

/** In the free months, the next of which begins on this day. */
function free(completed: number, next: string): Fields {
  return subscription(
    completed === 1 ? '2026-03-01T00:00:05Z' : '2026-04-01T10:30:05Z',
    {},
    {
      cycle_executions: [months(completed), regular(0)],
      last_payment: undefined,
      next_billing_time: `${next}T10:00:00Z`,
    },
  )
}

export const paypalChanges: readonly Lifecycle[] = [
  {
    provider: 'paypal',
    situation: 'Cancelled two minutes after paying, while the counter says 0',
    plays: ['cancel-now'],
    fact: {
      says: 'The first payment is in last_payment before cycles_completed counts its period, and a cancellation ends further charges only.',
      source: from('https://github.com/paypal/paypal-checkout-components/issues/1383'),
    },
    help: 'Nothing: the paid month stays.',
    plans,
    steps: [
      {
        at: '2026-03-01T00:01:00Z',
        happens: 'paid, counter 0',
        sends: [
          says(
            '2026-03-01T00:00:20Z',
            'BILLING.SUBSCRIPTION.ACTIVATED',
            subscription('2026-03-01T00:00:05Z', {}, { cycle_executions: [regular(0)] }),
          ),
          says('2026-03-01T00:00:30Z', 'PAYMENT.SALE.COMPLETED', paypalSale()),
        ],
        sees: { open: { pro: true } },
      },
      {
        at: '2026-03-01T00:05:00Z',
        happens: 'cancelled at PayPal',
        sends: [
          says(
            '2026-03-01T00:02:10Z',
            'BILLING.SUBSCRIPTION.CANCELLED',
            subscription(
              '2026-03-01T00:02:00Z',
              { status: 'CANCELLED', status_update_time: '2026-03-01T00:02:00Z' },
              { cycle_executions: [regular(0)], next_billing_time: undefined },
            ),
          ),
        ],
        sees: { open: { pro: true }, until: '2026-04-01T00:00:00.000Z' },
      },
      { at: '2026-04-02T00:00:00Z', happens: 'the paid month is over', sees: { open: { pro: false } } },
    ],
  },
  {
    provider: 'paypal',
    situation: 'The buyer agrees to another plan, which counts from the next payment on',
    plays: ['change-later'],
    fact: {
      says: 'A revised subscription names the new plan once the buyer has agreed, and its price counts from the next billing cycle on.',
      source: from('https://developer.paypal.com/subscriptions/tiers/', today),
    },
    help: 'Let members change on this site, which notes what is paid. A change that another program asks for at PayPal opens the new plan at once.',
    fails:
      'neither the subscription nor a sale names the former plan, if another program asked for the change',
    plans,
    steps: [
      { at: '2026-03-01T00:05:00Z', happens: 'paid', sends: bought, sees: { open: { pro: true } } },
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'agreed',
        sends: [
          says(
            '2026-03-10T10:00:10Z',
            'BILLING.SUBSCRIPTION.UPDATED',
            subscription('2026-03-10T10:00:00Z', { plan_id: 'P-YEAR' }),
          ),
        ],
        sees: { open: { pro: true } },
      },
      {
        at: '2026-04-02T00:00:00Z',
        happens: 'charged',
        sends: [
          says(
            '2026-04-01T10:30:10Z',
            'PAYMENT.SALE.COMPLETED',
            paypalSale({
              id: 'SALE2',
              amount: { total: '199.00', currency: 'USD', details: { subtotal: '199.00' } },
              create_time: '2026-04-01T10:30:00Z',
              update_time: '2026-04-01T10:30:00Z',
            }),
          ),
          says(
            '2026-04-01T10:30:20Z',
            'BILLING.SUBSCRIPTION.UPDATED',
            subscription(
              '2026-04-01T10:30:05Z',
              { plan_id: 'P-YEAR' },
              {
                cycle_executions: [regular(1)],
                last_payment: { amount: usd('199.0'), time: '2026-04-01T10:30:00Z' },
                next_billing_time: '2027-04-01T10:00:00Z',
              },
            ),
          ),
        ],
        sees: { open: { year: true }, status: 'active', page: /1 April 2027/ },
      },
    ],
  },
  {
    provider: 'paypal',
    situation: 'The seller cancels, and refunds the month in full',
    plays: ['cancel-credited'],
    fact: {
      says: 'A cancellation ends further charges, and refunds nothing. The sale is refunded beside it, which PAYMENT.SALE.REFUNDED tells.',
      source: from('https://developer.paypal.com/api/rest/webhooks/event-names/', today),
    },
    help: 'Set Client ID and Secret. The site then asks PayPal who paid, and the refund closes access.',
    fails: 'without API keys a sale names no payer, so its refund closes nothing',
    plans,
    steps: [
      { at: '2026-03-01T00:05:00Z', happens: 'paid', sends: bought, sees: { open: { pro: true } } },
      {
        at: '2026-03-10T10:02:00Z',
        happens: 'cancelled',
        sends: [
          says(
            '2026-03-10T10:00:10Z',
            'BILLING.SUBSCRIPTION.CANCELLED',
            subscription(
              '2026-03-10T10:00:00Z',
              { status: 'CANCELLED', status_update_time: '2026-03-10T10:00:00Z' },
              { next_billing_time: undefined },
            ),
          ),
        ],
        sees: { open: { pro: true }, ends: '2026-04-01T00:00:00.000Z' },
      },
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'refunded',
        sends: [
          says('2026-03-10T10:05:10Z', 'PAYMENT.SALE.REFUNDED', {
            id: 'REFUND1',
            sale_id: 'SALE1',
            state: 'completed',
            amount: { total: '-12.00', currency: 'USD' },
            create_time: '2026-03-10T10:05:00Z',
            update_time: '2026-03-10T10:05:00Z',
            links: [],
          }),
        ],
        sees: { open: { pro: false } },
      },
    ],
  },
  {
    provider: 'paypal',
    situation: 'The seller suspends a paid subscription, and activates it two months later',
    plays: ['pause-now'],
    fact: {
      says: 'A suspended subscription is charged no more until it is activated again. No page says that the days that were paid before it end.',
      source: from('https://developer.paypal.com/docs/subscriptions/customize/pause-resume', today),
    },
    help: 'Activate it at PayPal, or let the member resume it here within the paid month.',
    plans,
    steps: [
      { at: '2026-03-01T00:05:00Z', happens: 'paid', sends: bought, sees: { open: { pro: true } } },
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'suspended',
        sends: [
          says(
            '2026-03-10T10:00:10Z',
            'BILLING.SUBSCRIPTION.SUSPENDED',
            subscription(
              '2026-03-10T10:00:00Z',
              { status: 'SUSPENDED', status_update_time: '2026-03-10T10:00:00Z' },
              { next_billing_time: undefined },
            ),
          ),
        ],
        sees: { open: { pro: true } },
      },
      { at: '2026-04-02T12:00:00Z', happens: 'the paid month is over', sees: { open: { pro: false } } },
      {
        at: '2026-05-11T00:00:00Z',
        happens: 'activated and charged',
        sends: [
          says(
            '2026-05-10T10:30:10Z',
            'BILLING.SUBSCRIPTION.ACTIVATED',
            subscription(
              '2026-05-10T10:30:00Z',
              { status_update_time: '2026-05-10T10:00:00Z' },
              {
                cycle_executions: [regular(2)],
                last_payment: { amount: usd('12.0'), time: '2026-05-10T10:30:00Z' },
                next_billing_time: '2026-06-10T10:00:00Z',
              },
            ),
          ),
        ],
        sees: { open: { pro: true }, status: 'active', until: '2026-06-10T10:00:00.000Z' },
      },
    ],
  },
  {
    provider: 'paypal',
    situation: 'The first two months of a plan are free, and the third one is paid',
    plays: ['free-months'],
    fact: {
      says: 'A plan may begin with several free trial cycles. The regular cycles, and their charges, begin after the last one.',
      source: from('https://developer.paypal.com/docs/subscriptions/customize/trial-period/', today),
    },
    setting: 'the trial of the plan has total_cycles 2',
    help: 'Give free months with a plan that begins with them. PayPal gives none to a running subscription.',
    plans,
    steps: [
      {
        at: '2026-03-01T00:05:00Z',
        happens: 'the first free month',
        sends: [says('2026-03-01T00:00:20Z', 'BILLING.SUBSCRIPTION.ACTIVATED', free(1, '2026-04-01'))],
        sees: { open: { pro: true }, status: 'trialing' },
      },
      {
        at: '2026-04-15T00:00:00Z',
        happens: 'the second free month',
        sends: [says('2026-04-01T10:30:10Z', 'BILLING.SUBSCRIPTION.UPDATED', free(2, '2026-05-01'))],
        sees: { open: { pro: true }, status: 'trialing', until: '2026-05-01T10:00:00.000Z', mails: [] },
      },
      {
        at: '2026-05-02T00:00:00Z',
        happens: 'charged',
        sends: [
          says(
            '2026-05-01T10:30:10Z',
            'BILLING.SUBSCRIPTION.UPDATED',
            subscription(
              '2026-05-01T10:30:05Z',
              {},
              {
                cycle_executions: [months(2), regular(1)],
                last_payment: { amount: usd('12.0'), time: '2026-05-01T10:30:00Z' },
                next_billing_time: '2026-06-01T10:00:00Z',
              },
            ),
          ),
        ],
        sees: { open: { pro: true }, status: 'active', until: '2026-06-01T10:00:00.000Z' },
      },
    ],
  },
  {
    provider: 'paypal',
    situation: 'The buyer agrees to three units, which are charged from the next payment on',
    plays: ['quantity'],
    fact: {
      says: 'The quantity of a subscription is revised with the buyer’s consent, and the new price counts from the next billing cycle on.',
      source: from('https://developer.paypal.com/docs/subscriptions/customize/revise-subscriptions/', today),
    },
    setting: 'the plan has quantity_supported',
    help: 'Let members change the number on this site, which notes what is paid.',
    plans,
    steps: [
      {
        at: '2026-03-01T00:05:00Z',
        happens: 'paid for one',
        sends: bought,
        sees: { open: { pro: true }, quantity: 1 },
      },
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'agreed',
        sends: [
          says(
            '2026-03-10T10:00:10Z',
            'BILLING.SUBSCRIPTION.UPDATED',
            subscription('2026-03-10T10:00:00Z', { quantity: '3' }),
          ),
        ],
        sees: { open: { pro: true } },
      },
      {
        at: '2026-04-02T00:00:00Z',
        happens: 'charged for three',
        sends: [
          says(
            '2026-04-01T10:30:20Z',
            'BILLING.SUBSCRIPTION.UPDATED',
            subscription(
              '2026-04-01T10:30:05Z',
              { quantity: '3' },
              {
                cycle_executions: [regular(2)],
                last_payment: { amount: usd('36.0'), time: '2026-04-01T10:30:00Z' },
                next_billing_time: '2026-05-01T10:00:00Z',
              },
            ),
          ),
        ],
        sees: { open: { pro: true }, quantity: 3, until: '2026-05-01T10:00:00.000Z' },
      },
    ],
  },
]
