import type { FakeLemonSqueezy } from '../../../src/fakes/lemonsqueezy/index.ts'
import { lemonsqueezy as definition } from '../../../src/providers/lemonsqueezy/index.ts'
import { createFakeServer } from '../../../src/testkit/index.ts'
import type { SellingCase } from '../selling-case.ts'

function asLemon(fake: unknown) {
  return fake as FakeLemonSqueezy
}
type Shown = ReturnType<FakeLemonSqueezy['objects']['list']>

function numbers(resources: Shown, field: string): number[] {
  return resources.map(({ attributes }) => Number(attributes[field]))
}

/** The order of a page, as its buyer is told it. */
export function orderOf(fake: unknown, checkout: string) {
  const { orders } = { orders: asLemon(fake).objects.list('orders') }
  return orders.find(({ attributes }) => attributes.identifier === [...checkout].reverse().join(''))
}

export const lemonsqueezy: SellingCase = {
  key: 'lemonsqueezy',
  tellsPaymentOnce: true,
  definition,
  webhook: 'a secret of ones own',
  open: (options) => createFakeServer('lemonsqueezy', options),
  prices: { month: '2001', team: '2002', book: '2003' },
  settings: () => ({
    plans: {
      pro: {
        group: 'membership',
        prices: [{ id: '2001', amount: 900, currency: 'EUR', interval: 'month' }],
        quantity: { max: 5 },
      },
      team: {
        group: 'membership',
        prices: [{ id: '2002', amount: 2500, currency: 'EUR', interval: 'month' }],
        quantity: { max: 10 },
      },
      book: { prices: [{ id: '2003', amount: 1900, currency: 'EUR', type: 'one_time' }] },
    },
  }),
  checkoutIn: (url) => /\/checkout\/custom\/([\w-]+)/.exec(url)![1]!,
  customerOf: (fake, email) =>
    asLemon(fake)
      .objects.list('customers')
      .find(({ attributes }) => attributes.email === email)!.id,
  payOpen: (_fake, url) =>
    fetch(url, { method: 'POST', body: new URLSearchParams({ card: '4242424242424242' }) }),
  moved: (fake) => {
    const { list } = asLemon(fake).objects
    const bills = list('subscription-invoices').filter(
      ({ attributes }) => attributes.billing_reason !== 'initial' && attributes.status !== 'pending',
    )
    const all = [...list('orders'), ...bills].sort((a, b) =>
      String(a.attributes.created_at) < String(b.attributes.created_at) ? -1 : 1,
    )
    return {
      charged: numbers(all, 'total'),
      back: asLemon(fake)
        .books.list('refund')
        .map(({ amount }) => amount),
    }
  },
  schedules: false,
  keepsDays: null,
  openCheckouts: () => null,
  wayBack: (fake, { checkout, back }) => {
    const order = orderOf(fake, checkout)
    const query = `order=${order?.id}&identifier=${order?.attributes.identifier}`
    return `${back.replace('/membership/', '/membership/lemonsqueezy/')}?${query}`
  },
  cannot: ['pause', 'preview', 'cancel now'],
  tellsNotesOnce: true,
}
