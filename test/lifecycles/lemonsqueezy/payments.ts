import { from, type Lifecycle, type Sight, type Step } from '../lifecycle.ts'
import {
  at,
  bought,
  failed,
  type Invoice,
  lemonInvoice,
  lemonOrder,
  lemonSubscription,
  plans,
  recovery,
  renewal,
  says,
  today,
} from './objects.ts'

const week = '2026-03-08T00:00:00.000000Z'

function onTrial(ends: string, moment = '2026-03-01T00:00:02Z') {
  return lemonSubscription({ status: 'on_trial', trial_ends_at: ends, renews_at: ends, ...at(moment) })
}

const trying: Step = {
  at: '2026-03-02T00:00:00Z',
  happens: 'a week of trial',
  sends: [
    says(
      '2026-03-01T00:00:03Z',
      'order_created',
      lemonOrder({ subtotal: 0, tax: 0, total: 0, total_usd: 0 }),
    ),
    says('2026-03-01T00:00:04Z', 'subscription_created', onTrial(week)),
  ],
  sees: {
    open: { pro: true },
    status: 'trialing',
    until: '2026-03-08T00:00:00.000Z',
    payments: ['0 paid'],
  },
}

/** The trial's end, which is paid by an invoice of this reason. */
function converted(
  billing_reason: NonNullable<Invoice['billing_reason']>,
  payments: NonNullable<Sight['payments']>,
): Step {
  return {
    at: '2026-03-08T12:00:00Z',
    happens: 'charged',
    sends: [
      says(
        '2026-03-08T00:00:10Z',
        'subscription_updated',
        lemonSubscription({ renews_at: '2026-04-08T00:00:00.000000Z', ...at('2026-03-08T00:00:10Z') }),
      ),
      says(
        '2026-03-08T00:00:11Z',
        'subscription_payment_success',
        lemonInvoice({
          billing_reason,
          created_at: '2026-03-08T00:00:01.000000Z',
          ...at('2026-03-08T00:00:11Z'),
        }),
      ),
    ],
    sees: { open: { pro: true }, status: 'active', until: '2026-04-08T00:00:00.000Z', payments },
  }
}

const lifecycle = from('https://docs.lemonsqueezy.com/help/products/subscriptions', today)

/** The ends of trials, and what is paid late. */
export const lemonPayments: readonly Lifecycle[] = [
  {
    provider: 'lemonsqueezy',
    situation: 'A trial of a week ends, and is paid as a renewal',
    plays: ['trial-paid'],
    fact: {
      says: 'A trial waits for its first scheduled payment, and is active after it. No page says if the invoice of that payment is an initial one or a renewal.',
      source: lifecycle,
    },
    help: 'Nothing: the member keeps access.',
    plans,
    steps: [trying, converted('renewal', ['0 paid', '1200 paid'])],
  },
  {
    provider: 'lemonsqueezy',
    situation: 'A trial of a week ends, and is paid by an initial invoice',
    plays: ['trial-paid'],
    fact: {
      says: 'The order of a trial is made when it begins, and nothing is paid yet. Its first scheduled payment may be the initial invoice; no page says it.',
      source: lifecycle,
    },
    help: 'Nothing: the member keeps access.',
    plans,
    steps: [trying, converted('initial', ['1200 paid'])],
  },
  {
    provider: 'lemonsqueezy',
    situation: 'The seller extends a trial by another week',
    plays: ['free-months'],
    fact: {
      says: 'The seller can set trial_ends_at of a subscription. Another end of the trial may move its next payment.',
      source: from('https://docs.lemonsqueezy.com/api/subscriptions/update-subscription', today),
    },
    help: 'Set trial_ends_at by the API of Lemon Squeezy to give free days.',
    plans,
    steps: [
      trying,
      {
        at: '2026-03-12T00:00:00Z',
        happens: 'extended, and the second week runs',
        sends: [
          says(
            '2026-03-07T00:00:10Z',
            'subscription_updated',
            onTrial('2026-03-15T00:00:00.000000Z', '2026-03-07T00:00:10Z'),
          ),
        ],
        sees: { open: { pro: true }, status: 'trialing', until: '2026-03-15T00:00:00.000Z' },
      },
    ],
  },
  {
    provider: 'lemonsqueezy',
    situation: 'An unpaid subscription is paid by the link of a mail, and is active again',
    plays: ['invoice-paid-late'],
    fact: {
      says: 'After the last try the subscription is unpaid, and Lemon Squeezy sends mails with a link. Paying there makes the subscription active again.',
      source: recovery,
    },
    setting: 'dunning is on',
    help: 'Turn dunning on in the store’s recovery settings. It sends the link to the member.',
    plans,
    steps: [
      {
        at: '2026-04-16T00:00:00Z',
        happens: 'unpaid after two weeks',
        sends: [
          ...bought,
          ...failed,
          says(
            '2026-04-15T00:00:10Z',
            'subscription_updated',
            lemonSubscription({ status: 'unpaid', ...at('2026-04-15T00:00:10Z') }),
          ),
        ],
        sees: { open: { pro: false }, status: 'unpaid', payments: ['1200 paid', '1200 pending'] },
      },
      {
        at: '2026-04-21T00:00:00Z',
        happens: 'paid by the link',
        sends: [
          says('2026-04-20T00:00:10Z', 'subscription_payment_recovered', renewal('2026-04-20T00:00:10Z')),
          says('2026-04-20T00:00:11Z', 'subscription_payment_success', renewal('2026-04-20T00:00:10Z')),
          says(
            '2026-04-20T00:00:12Z',
            'subscription_updated',
            lemonSubscription({ renews_at: '2026-05-01T00:00:00.000000Z', ...at('2026-04-20T00:00:12Z') }),
          ),
        ],
        sees: { open: { pro: true }, status: 'active', payments: ['1200 paid', '1200 paid'] },
      },
    ],
  },
]
