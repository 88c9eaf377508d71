import { creem as definition } from '../../../src/providers/creem/index.ts'
import type { ProviderCase } from '../case.ts'
import {
  creemBook,
  creemCheckout,
  creemDispute,
  creemEvent,
  creemRefund,
  creemSubscription,
} from './events.ts'
import { expected } from './expected.ts'
import { told } from './told.ts'

const at = '2026-03-01T00:00:01.5Z'

// Answers of the API, named after what they are; a message about one is wrapped around it.
const ofApi: Readonly<Record<string, string>> = {
  checkout: 'checkout.completed',
  checkout_create: 'checkout.completed',
  customer: 'customer.created',
  discount: 'discount.created',
  license: 'license.created',
  product: 'product.created',
  subscription: 'subscription.update',
  transaction: 'transaction.created',
}

/** Creem in the tests of all providers. */
export const creem: ProviderCase = {
  definition,
  secret: 'whsec_of_the_tests',
  delivered: (file, payload) => {
    const type = ofApi[file.slice(0, file.indexOf('--'))]
    return type === undefined ? undefined : creemEvent(type, at, payload)
  },
  modes: [
    [creemEvent('subscription.active', at, creemSubscription({ mode: 'prod' })), true],
    [creemEvent('subscription.active', at, creemSubscription({ mode: 'test' })), false],
    [creemEvent('subscription.active', at, creemSubscription({ mode: 'sandbox' })), false],
    [creemEvent('subscription.active', at, creemSubscription({ mode: 'local' })), false],
    [creemEvent('subscription.active', at, creemSubscription({ mode: 'tomorrow' })), null],
    [creemEvent('subscription.active', at, creemSubscription({ mode: undefined })), null],
    [creemEvent('subscription.active', at, null), null],
  ],
  events: [
    creemEvent('checkout.completed', at, creemBook()),
    creemEvent('subscription.paid', at, creemSubscription()),
    creemEvent('refund.created', at, creemRefund()),
    creemEvent('dispute.created', at, creemDispute()),
  ],
  story: {
    email: 'ann@example.com',
    plan: 'prod_pro_monthly',
    book: 'prod_book',
    subscribes: [
      creemEvent('checkout.completed', '2026-03-01T00:00:01Z', creemCheckout()),
      // As the documentation shows it: it knows no period yet, and says no new revision when it does.
      creemEvent(
        'subscription.active',
        '2026-03-01T00:00:01.25Z',
        creemSubscription({
          last_transaction: undefined,
          current_period_start_date: undefined,
          current_period_end_date: undefined,
        }),
      ),
      creemEvent('subscription.paid', at, creemSubscription()),
    ],
    buys: [creemEvent('checkout.completed', '2026-03-02T09:00:01Z', creemBook())],
    cancels: [
      creemEvent(
        'subscription.scheduled_cancel',
        '2026-03-02T09:30:01Z',
        creemSubscription({ status: 'scheduled_cancel' }),
      ),
    ],
    ends: [
      creemEvent(
        'subscription.canceled',
        '2026-04-01T00:00:05Z',
        creemSubscription({ status: 'canceled', canceled_at: '2026-04-01T00:00:04Z' }),
      ),
    ],
    refunds: [creemEvent('refund.created', '2026-03-02T10:00:01Z', creemRefund())],
  },
  told,
  expected,
}
