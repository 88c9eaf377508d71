import type { FakeDodo } from '../../../src/fakes/dodo/index.ts'
import { dodo as definition } from '../../../src/providers/dodo/index.ts'
import { createFakeServer } from '../../../src/testkit/index.ts'
import type { SellingCase } from '../selling-case.ts'

function asDodo(fake: unknown) {
  return fake as FakeDodo
}

export const dodo: SellingCase = {
  key: 'dodo',
  tellsPaymentOnce: true,
  definition,
  webhook: 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=',
  open: (options) => createFakeServer('dodo', options),
  prices: { month: 'pdt_month', team: 'pdt_team', book: 'pdt_book' },
  checkoutIn: (url) => /\/session\/(cks_\w+)$/.exec(url)![1]!,
  customerOf: (fake, email) =>
    String(
      asDodo(fake)
        .objects.list('customer')
        .find((customer) => customer.email === email)!.customer_id,
    ),
  payOpen: (_fake, url) =>
    fetch(url, { method: 'POST', body: new URLSearchParams({ card: '4242424242424242' }) }),
  moved: (fake) => ({
    charged: asDodo(fake)
      .objects.list('payment')
      .filter(({ status }) => status === 'succeeded')
      .map(({ total_amount }) => Number(total_amount)),
    back: asDodo(fake)
      .objects.list('refund')
      .map(({ amount }) => Number(amount)),
  }),
  schedules: true,
  keepsDays: null,
  openCheckouts: () => null,
  pagesUntold: true,
  cannot: ['pause'],
}
