import type { FakeChargebee } from '../../../src/fakes/chargebee/index.ts'
import { chargebee as definition } from '../../../src/providers/chargebee/index.ts'
import { createFakeServer } from '../../../src/testkit/index.ts'
import type { SellingCase } from '../selling-case.ts'

const asChargebee = (merchant: unknown) => merchant as FakeChargebee

export const chargebee: SellingCase = {
  key: 'chargebee',
  definition,
  webhook: 'chargebee:the password of the tests',
  open: (options) => createFakeServer('chargebee', options),
  prices: { month: 'pro-EUR-monthly', team: 'team-EUR-monthly', book: 'book-EUR' },
  checkoutIn: (url) => /\/pages\/v4\/([^/]+)\//.exec(url)![1]!,
  customerOf: (merchant, email) =>
    String(
      asChargebee(merchant)
        .objects.list('customer')
        .find((one) => one.email === email)!.id,
    ),
  payOpen: (_merchant, url) =>
    fetch(url, { method: 'POST', body: new URLSearchParams({ card: '4242424242424242' }) }),
  moved: (merchant) => ({
    charged: asChargebee(merchant)
      .objects.list('invoice')
      .filter(({ status }) => status === 'paid')
      .map(({ amount_paid }) => Number(amount_paid)),
    back: asChargebee(merchant)
      .objects.list('transaction')
      .map(({ amount }) => Number(amount)),
  }),
  schedules: true,
  keepsDays: 90,
  openCheckouts: (merchant) =>
    asChargebee(merchant)
      .objects.list('hosted_page')
      .filter(({ state }) => state === 'created').length,
  pagesUntold: true,
}
