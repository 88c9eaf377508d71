import { stripe as definition } from '../../../src/providers/stripe/index.ts'
import type { FakeStripe } from '../../../src/testkit/index.ts'
import { createFakeServer } from '../../../src/testkit/index.ts'
import type { SellingCase } from '../selling-case.ts'

function asStripe(fake: unknown) {
  return fake as FakeStripe
}

export const stripe: SellingCase = {
  key: 'stripe',
  definition,
  webhook: 'whsec_of_the_fake',
  open: (options) => createFakeServer('stripe', options),
  prices: { month: 'price_month', team: 'price_team', book: 'price_book' },
  checkoutIn: (url) => url.split('/').at(-1)!,
  customerOf: (fake, email) =>
    asStripe(fake)
      .objects.list('customer')
      .find((customer) => customer.email === email)!.id,
  payOpen: (_fake, url) => fetch(url, { method: 'POST', body: new URLSearchParams() }),
  moved: (fake) => ({
    charged: asStripe(fake)
      .objects.list('charge')
      .filter(({ status }) => status === 'succeeded')
      .map(({ amount }) => amount),
    back: asStripe(fake)
      .objects.list('refund')
      .map(({ amount }) => amount),
  }),
  schedules: true,
  keepsDays: 30,
  openCheckouts: (fake) =>
    asStripe(fake)
      .objects.list('checkout.session')
      .filter(({ status }) => status === 'open').length,
}
