import test from 'ava'
import { says as apple } from './apple/objects.ts'
import { says as chargebee } from './chargebee/lives.ts'
import { says as dodo } from './dodo/lives.ts'
import { says as lemonsqueezy } from './lemonsqueezy/objects.ts'
import { played } from './lifecycle.ts'
import { mollieCharge, mollieSubscription } from './mollie/objects.ts'
import { says as paddle } from './paddle/objects.ts'
import { says as stripe } from './stripe/objects.ts'
import { sdks } from './typed.ts'

const at = '2026-03-01T00:00:00Z'

// `npm run types` fails where one of these wrong messages is none.
test('a wrong event, field or word of a message is a type error, by the official packages', (t) => {
  const wrong = {
    apple: [
      // @ts-expect-error
      apple(at, ['DID_RENEWED'], 'active', {}),
      // @ts-expect-error
      apple(at, ['DID_RENEW'], 'active', { expiresDay: 1 }),
      // @ts-expect-error
      apple(at, ['DID_RENEW'], 'renewed', {}),
    ],
    chargebee: [
      // @ts-expect-error
      chargebee(at, 'subscription_renewal', {}),
      // @ts-expect-error
      chargebee(at, 'subscription_renewed', { invoice: { status: 'unpaid' } }),
      // @ts-expect-error
      chargebee(at, 'subscription_renewed', { subscription: { due_invoice_count: 1 } }),
    ],
    dodo: [
      // @ts-expect-error
      dodo(at, 'subscription.canceled', {}),
      // @ts-expect-error
      dodo(at, 'subscription.on_hold', { status: 'unpaid' }),
      // @ts-expect-error
      dodo(at, 'payment.failed', { retries: 1 }),
    ],
    lemonsqueezy: [
      // @ts-expect-error
      lemonsqueezy(at, 'subscription_canceled', {}),
      // @ts-expect-error
      lemonsqueezy(at, 'subscription_updated', { status: 'canceled' }),
      // @ts-expect-error
      lemonsqueezy(at, 'subscription_updated', { ends: null }),
    ],
    mollie: [
      // @ts-expect-error
      mollieSubscription({ status: 'past_due' }),
      // @ts-expect-error
      mollieCharge({ status: 'charged_back' }),
      // @ts-expect-error
      mollieCharge({ paid_at: at }),
    ],
    paddle: [
      // @ts-expect-error
      paddle(at, 'subscription.cancelled', {}),
      // @ts-expect-error
      paddle(at, 'subscription.updated', { status: 'unpaid' }),
      // @ts-expect-error
      paddle(at, 'transaction.completed', { paid_at: at }),
    ],
    stripe: [
      // @ts-expect-error
      stripe(at, 'customer.subscription.canceled', {}),
      // @ts-expect-error
      stripe(at, 'customer.subscription.updated', { status: 'cancelled' }),
      // @ts-expect-error
      stripe(at, 'invoice.paid', { paid_at: 1 }),
    ],
  }
  t.deepEqual(Object.keys(wrong).sort(), played.filter((provider) => 'package' in sdks[provider]).sort())
})
