import type { FakeCreem } from '../../../src/fakes/creem/index.ts'
import { creem as definition } from '../../../src/providers/creem/index.ts'
import { createFakeServer } from '../../../src/testkit/index.ts'
import type { SellingCase } from '../selling-case.ts'

function asCreem(fake: unknown) {
  return fake as FakeCreem
}

export const creem: SellingCase = {
  key: 'creem',
  definition,
  webhook: 'whsec_of_the_fake',
  open: (options) => createFakeServer('creem', options),
  prices: { month: 'prod_month', team: 'prod_team', book: 'prod_book' },
  checkoutIn: (url) => /\/checkout\/(ch_\w+)$/.exec(url)![1]!,
  customerOf: (fake, email) =>
    String(
      asCreem(fake)
        .objects.list('customer')
        .find((customer) => customer.email === email)!.id,
    ),
  payOpen: (_fake, url) =>
    fetch(url, { method: 'POST', body: new URLSearchParams({ card: '4242424242424242' }) }),
  moved: (fake) => ({
    charged: asCreem(fake)
      .objects.list('transaction')
      .map(({ amount }) => Number(amount)),
    back: asCreem(fake)
      .books.list('refund')
      .map(({ amount }) => amount),
  }),
  schedules: false,
  keepsDays: null,
  openCheckouts: () => null,
  pagesUntold: true,
  cannot: ['pause', 'preview', 'part of a refund'],
  tellsNotesOnce: true,
}
