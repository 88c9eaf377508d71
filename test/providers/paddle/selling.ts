import type { FakePaddle } from '../../../src/fakes/paddle/index.ts'
import { paddle as definition } from '../../../src/providers/paddle/index.ts'
import { createFakeServer } from '../../../src/testkit/index.ts'
import type { SellingCase } from '../selling-case.ts'

function asPaddle(fake: unknown) {
  return fake as FakePaddle
}

/** Amounts are text at Paddle. */
function totalOf(item: Record<string, unknown>): number {
  return Number((item.details as { totals: { grand_total: string } }).totals.grand_total)
}

export const paddle: SellingCase = {
  key: 'paddle',
  definition,
  webhook: 'pdl_ntfset_of_the_fake',
  open: (options) => createFakeServer('paddle', options),
  prices: { month: 'pri_month', team: 'pri_team', book: 'pri_book' },
  checkoutIn: (url) => new URL(url).searchParams.get('_ptxn')!,
  customerOf: (fake, email) =>
    String(
      asPaddle(fake)
        .objects.list('customer')
        .find((customer) => customer.email === email)!.id,
    ),
  payOpen: (_fake, url) =>
    fetch(url, { method: 'POST', body: new URLSearchParams({ card: '4242424242424242' }) }),
  moved: (fake) => ({
    charged: asPaddle(fake)
      .objects.list('transaction')
      .filter(({ status }) => status === 'completed')
      .map(totalOf),
    back: asPaddle(fake)
      .objects.list('adjustment')
      .map(({ totals }) => Number((totals as { total: string }).total)),
  }),
  schedules: false,
  keepsDays: 90,
  openCheckouts: (fake) =>
    asPaddle(fake)
      .objects.list('transaction')
      .filter(
        ({ status, custom_data }) =>
          status === 'draft' && !('membership_closed' in (custom_data as Record<string, unknown>)),
      ).length,
}
