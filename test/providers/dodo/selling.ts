import type { FakeDodo } from '../../../src/fakes/dodo/index.ts'
import { dodo as definition } from '../../../src/providers/dodo/index.ts'
import { createFakeServer } from '../../../src/testkit/index.ts'
import type { SellingCase } from '../selling-case.ts'

const asDodo = (merchant: unknown) => merchant as FakeDodo

export const dodo: SellingCase = {
  key: 'dodo',
  definition,
  webhook: 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=',
  open: (options) => createFakeServer('dodo', options),
  prices: { month: 'pdt_month', team: 'pdt_team', book: 'pdt_book' },
  checkoutIn: (url) => /\/session\/(cks_\w+)$/.exec(url)![1]!,
  customerOf: (merchant, email) =>
    String(
      asDodo(merchant)
        .objects.list('customer')
        .find((one) => one.email === email)!.customer_id,
    ),
  payOpen: (_merchant, url) =>
    fetch(url, { method: 'POST', body: new URLSearchParams({ card: '4242424242424242' }) }),
  moved: (merchant) => ({
    charged: asDodo(merchant)
      .objects.list('payment')
      .filter(({ status }) => status === 'succeeded')
      .map(({ total_amount }) => Number(total_amount)),
    back: asDodo(merchant)
      .objects.list('refund')
      .map(({ amount }) => Number(amount)),
  }),
  schedules: true,
  keepsDays: null,
  openCheckouts: () => null,
  pagesUntold: true,
  cannot: ['pause'],
}
