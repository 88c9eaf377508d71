import type { FakePolar } from '../../../src/fakes/polar/index.ts'
import { polar as definition } from '../../../src/providers/polar/index.ts'
import { createFakeServer } from '../../../src/testkit/index.ts'
import type { SellingCase } from '../selling-case.ts'

function asPolar(fake: unknown) {
  return fake as FakePolar
}

function sum(item: Record<string, unknown>, ...names: readonly string[]): number {
  return names.reduce((all, name) => all + Number(item[name]), 0)
}

export const polar: SellingCase = {
  key: 'polar',
  tellsPaymentOnce: true,
  definition,
  webhook: 'polar_whs_of_the_fake',
  open: (options) => createFakeServer('polar', options),
  prices: {
    month: '6f0c4a52-7d1e-4b39-8c55-0a1d2e3f4001',
    team: '6f0c4a52-7d1e-4b39-8c55-0a1d2e3f4002',
    book: '6f0c4a52-7d1e-4b39-8c55-0a1d2e3f4003',
  },
  checkoutIn: (url) => url.split('polar_c_')[1]!,
  customerOf: (fake, email) =>
    String(
      asPolar(fake)
        .objects.list('customer')
        .find((customer) => customer.email === email)!.id,
    ),
  payOpen: (_fake, url) =>
    fetch(url, { method: 'POST', body: new URLSearchParams({ card: '4242424242424242' }) }),
  moved: (fake) => ({
    charged: asPolar(fake)
      .objects.list('order')
      .filter(({ paid, due_amount }) => paid === true && Number(due_amount) > 0)
      .map((order) => sum(order, 'due_amount')),
    back: asPolar(fake)
      .objects.list('refund')
      .map((refund) => sum(refund, 'amount', 'tax_amount')),
  }),
  schedules: true,
  keepsDays: 90,
  openCheckouts: (fake) =>
    asPolar(fake)
      .objects.list('checkout')
      .filter(({ status }) => status === 'open').length,
  leavesPagesOpen: true,
  cannot: ['preview'],
  resumesBeforePaid: true,
}
