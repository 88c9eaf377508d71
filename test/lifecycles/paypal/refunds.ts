import {
  paypalCapture,
  paypalDispute,
  paypalOrder,
  paypalRefund,
  usd,
} from '../../providers/paypal/events.ts'
import { from, type Lifecycle } from '../lifecycle.ts'
import { type Fields, plans, refunds, says } from './objects.ts'

const pending: Fields = { status: 'PENDING', status_details: { reason: 'ECHECK' } }

export const paypalRefunds: readonly Lifecycle[] = [
  {
    provider: 'paypal',
    situation: 'A chargeback reverses a purchase, and the seller wins the dispute',
    plays: ['dispute', 'dispute-won', 'reversed'],
    fact: {
      says: 'PAYMENT.CAPTURE.REVERSED takes the money when a dispute begins. The money returns to a seller who wins, and only the resolved dispute says so.',
      source: from('https://developer.paypal.com/api/nvp-soap/ipn/IPNandPDTVariables/'),
    },
    help: 'Answer the dispute in PayPal’s resolution centre.',
    plans,
    steps: [
      {
        at: '2026-03-02T10:00:00Z',
        happens: 'the book is paid',
        sends: [
          says('2026-03-02T09:00:20Z', 'PAYMENT.CAPTURE.COMPLETED', paypalCapture()),
          says('2026-03-02T09:00:21Z', 'CHECKOUT.ORDER.COMPLETED', paypalOrder()),
        ],
        sees: { page: /Bought on 2 March/, open: { book: true }, payments: ['3000 paid'] },
      },
      {
        at: '2026-03-11T10:00:00Z',
        happens: 'disputed and reversed',
        sends: [
          says(
            '2026-03-10T10:00:00Z',
            'CUSTOMER.DISPUTE.CREATED',
            paypalDispute({ create_time: '2026-03-10T09:59:00Z', update_time: '2026-03-10T09:59:00Z' }),
          ),
          says(
            '2026-03-10T10:01:00Z',
            'PAYMENT.CAPTURE.REVERSED',
            paypalRefund({
              id: 'REV1',
              create_time: '2026-03-10T10:00:30Z',
              update_time: '2026-03-10T10:00:30Z',
            }),
          ),
        ],
        sees: { open: { book: false }, payments: ['3000 disputed'] },
      },
      {
        at: '2026-05-02T10:00:00Z',
        happens: 'won',
        sends: [
          says(
            '2026-05-01T10:00:00Z',
            'CUSTOMER.DISPUTE.RESOLVED',
            paypalDispute({
              status: 'RESOLVED',
              create_time: '2026-03-10T09:59:00Z',
              update_time: '2026-05-01T09:59:00Z',
              dispute_outcome: { outcome_code: 'RESOLVED_SELLER_FAVOUR' },
            }),
          ),
        ],
        sees: { page: /Bought on 2 March/, open: { book: true }, payments: ['3000 paid'] },
      },
    ],
  },
  {
    provider: 'paypal',
    situation: 'A chargeback reverses a purchase, and the buyer wins the dispute',
    plays: ['dispute', 'dispute-lost'],
    fact: {
      says: 'The reversed money stays with a buyer in whose favour the dispute is resolved.',
      source: from('https://developer.paypal.com/docs/api/customer-disputes/v1/'),
    },
    help: 'Answer disputes in PayPal’s resolution centre before their due date.',
    plans,
    steps: [
      {
        at: '2026-03-02T10:00:00Z',
        happens: 'the book is paid',
        sends: [
          says('2026-03-02T09:00:20Z', 'PAYMENT.CAPTURE.COMPLETED', paypalCapture()),
          says('2026-03-02T09:00:21Z', 'CHECKOUT.ORDER.COMPLETED', paypalOrder()),
        ],
        sees: { open: { book: true }, payments: ['3000 paid'], page: /Bought on 2 March/ },
      },
      {
        at: '2026-03-11T10:00:00Z',
        happens: 'disputed and reversed',
        sends: [
          says(
            '2026-03-10T10:00:00Z',
            'CUSTOMER.DISPUTE.CREATED',
            paypalDispute({ create_time: '2026-03-10T09:59:00Z', update_time: '2026-03-10T09:59:00Z' }),
          ),
          says(
            '2026-03-10T10:01:00Z',
            'PAYMENT.CAPTURE.REVERSED',
            paypalRefund({
              id: 'REV1',
              create_time: '2026-03-10T10:00:30Z',
              update_time: '2026-03-10T10:00:30Z',
            }),
          ),
        ],
        sees: { open: { book: false }, payments: ['3000 disputed'] },
      },
      {
        at: '2026-05-02T10:00:00Z',
        happens: 'lost',
        sends: [
          says(
            '2026-05-01T10:00:00Z',
            'CUSTOMER.DISPUTE.RESOLVED',
            paypalDispute({
              status: 'RESOLVED',
              create_time: '2026-03-10T09:59:00Z',
              update_time: '2026-05-01T09:59:00Z',
              dispute_outcome: { outcome_code: 'RESOLVED_BUYER_FAVOUR' },
            }),
          ),
        ],
        sees: { open: { book: false }, payments: ['3000 disputed'] },
      },
    ],
  },
  {
    provider: 'paypal',
    situation: 'A buyer only asks about a payment, and no money moves',
    plays: ['inquiry'],
    fact: {
      says: 'A dispute in the stage INQUIRY takes no money; only a claim or a chargeback does.',
      source: from('https://developer.paypal.com/docs/api/customer-disputes/v1/'),
    },
    help: 'Answer the buyer in PayPal’s resolution centre.',
    plans,
    steps: [
      {
        at: '2026-03-11T10:00:00Z',
        happens: 'asked',
        sends: [
          says('2026-03-02T09:00:20Z', 'PAYMENT.CAPTURE.COMPLETED', paypalCapture()),
          says('2026-03-02T09:00:21Z', 'CHECKOUT.ORDER.COMPLETED', paypalOrder()),
          says(
            '2026-03-10T10:00:00Z',
            'CUSTOMER.DISPUTE.CREATED',
            paypalDispute({
              dispute_life_cycle_stage: 'INQUIRY',
              create_time: '2026-03-10T09:59:00Z',
              update_time: '2026-03-10T09:59:00Z',
            }),
          ),
        ],
        sees: { page: /Bought on 2 March/, open: { book: true }, payments: ['3000 paid'] },
      },
    ],
  },
  {
    provider: 'paypal',
    situation: 'A book is refunded in part, and then the rest',
    plays: ['refund-part', 'refund-full'],
    fact: {
      says: 'A capture can be refunded in parts, up to its sum. Each refund is an object of its own.',
      source: refunds,
    },
    help: 'Refund in your office or at PayPal.',
    plans,
    steps: [
      {
        at: '2026-03-03T00:00:00Z',
        happens: 'a third went back',
        sends: [
          says('2026-03-02T09:00:21Z', 'CHECKOUT.ORDER.COMPLETED', paypalOrder()),
          says('2026-03-02T10:00:10Z', 'PAYMENT.CAPTURE.REFUNDED', paypalRefund({ amount: usd('10.00') })),
        ],
        sees: { page: /Bought on 2 March/, open: { book: true }, payments: ['3000 partially_refunded'] },
      },
      {
        at: '2026-03-05T00:00:00Z',
        happens: 'all went back',
        sends: [
          says(
            '2026-03-04T10:00:10Z',
            'PAYMENT.CAPTURE.REFUNDED',
            paypalRefund({
              id: 'REFUND2',
              amount: usd('20.00'),
              create_time: '2026-03-04T10:00:00Z',
              update_time: '2026-03-04T10:00:00Z',
            }),
          ),
        ],
        sees: { open: { book: false }, payments: ['3000 refunded'] },
      },
    ],
  },
  {
    provider: 'paypal',
    situation: 'A refund waits for the seller’s bank, fails, and is made again',
    plays: ['refund-pending', 'refund-failed'],
    fact: {
      says: 'A refund by eCheck is PENDING until the seller’s bank pays, and FAILED or CANCELLED if it does not. Only COMPLETED moves money.',
      source: refunds,
    },
    help: 'See in your PayPal account why it failed, and refund again.',
    plans,
    steps: [
      {
        at: '2026-03-02T10:00:00Z',
        happens: 'the book is paid',
        sends: [
          says('2026-03-02T09:00:20Z', 'PAYMENT.CAPTURE.COMPLETED', paypalCapture()),
          says('2026-03-02T09:00:21Z', 'CHECKOUT.ORDER.COMPLETED', paypalOrder()),
        ],
        sees: { open: { book: true }, payments: ['3000 paid'], page: /Bought on 2 March/ },
      },
      {
        at: '2026-03-03T00:00:00Z',
        happens: 'the refund waits',
        sends: [says('2026-03-02T10:00:10Z', 'PAYMENT.CAPTURE.REFUNDED', paypalRefund(pending))],
        sees: { open: { book: true }, payments: ['3000 paid'], page: /Bought on 2 March/ },
      },
      {
        at: '2026-03-08T00:00:00Z',
        happens: 'it failed',
        sends: [
          says(
            '2026-03-07T10:00:10Z',
            'PAYMENT.CAPTURE.REFUNDED',
            paypalRefund({ ...pending, status: 'FAILED', update_time: '2026-03-07T10:00:00Z' }),
          ),
        ],
        sees: { open: { book: true }, payments: ['3000 paid'], page: /Bought on 2 March/ },
      },
      {
        at: '2026-03-10T00:00:00Z',
        happens: 'made again',
        sends: [
          says(
            '2026-03-09T10:00:10Z',
            'PAYMENT.CAPTURE.REFUNDED',
            paypalRefund({
              id: 'REFUND2',
              create_time: '2026-03-09T10:00:00Z',
              update_time: '2026-03-09T10:00:00Z',
            }),
          ),
        ],
        sees: { open: { book: false }, payments: ['3000 refunded'] },
      },
    ],
  },
]
