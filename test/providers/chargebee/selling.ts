import type { FakeChargebee } from '../../../src/fakes/chargebee/index.ts'
import { chargebee as definition } from '../../../src/providers/chargebee/index.ts'
import { createFakeServer } from '../../../src/testkit/index.ts'
import type { SellingCase } from '../selling-case.ts'

function asChargebee(fake: unknown) {
  return fake as FakeChargebee
}

export const chargebee: SellingCase = {
  key: 'chargebee',
  definition,
  webhook: 'chargebee:the password of the tests',
  open: (options) => createFakeServer('chargebee', options),
  prices: { month: 'pro-EUR-monthly', team: 'team-EUR-monthly', book: 'book-EUR' },
  checkoutIn: (url) => /\/pages\/v4\/([^/]+)\//.exec(url)![1]!,
  customerOf: (fake, email) =>
    String(
      asChargebee(fake)
        .objects.list('customer')
        .find((customer) => customer.email === email)!.id,
    ),
  payOpen: (_fake, url) =>
    fetch(url, { method: 'POST', body: new URLSearchParams({ card: '4242424242424242' }) }),
  moved: (fake) => ({
    charged: asChargebee(fake)
      .objects.list('invoice')
      .filter(({ status }) => status === 'paid')
      .map(({ amount_paid }) => Number(amount_paid)),
    back: asChargebee(fake)
      .objects.list('transaction')
      .map(({ amount }) => Number(amount)),
  }),
  schedules: true,
  keepsDays: 90,
  openCheckouts: (fake) =>
    asChargebee(fake)
      .objects.list('hosted_page')
      .filter(({ state }) => state === 'created').length,
  pagesUntold: true,
}
