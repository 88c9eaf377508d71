import { createMembership, formatMoney, type Membership } from 'membership'

/** One line for each price: what it costs, how often, and what it brings. */
function priceList(m: Membership): string[] {
  return m.plans().flatMap(({ name, features, prices }) =>
    prices.map(({ amount, currency, interval }) => {
      const costs = amount === null || currency === null ? '' : formatMoney({ amount, currency }, 'en')
      return `${name}: ${costs}${interval === null ? '' : ` a ${interval}`} (${features.join(', ')})`
    }),
  )
}

export async function run(): Promise<string> {
  const m = await createMembership({
    install: false,
    root: false,
    'membership.database.url': 'sqlite::memory:',
    'membership.provider.handler': 'sandbox',
    'membership.providers.sandbox': {},
    'membership.plans': {
      reader: {
        name: 'Reader',
        lines: ['All articles', 'The archive'],
        prices: [
          { id: 'reader_monthly', amount: 900, currency: 'EUR', interval: 'month' },
          { id: 'reader_yearly', amount: 9000, currency: 'EUR', interval: 'year' },
        ],
      },
      book: {
        name: 'The book',
        lines: ['All letters, printed'],
        prices: [{ id: 'book', amount: 2950, currency: 'EUR' }],
      },
    },
  })
  try {
    return priceList(m).join('\n')
  } finally {
    await m.close()
  }
}
export const expected = `Reader: €9 a month (All articles, The archive)
Reader: €90 a year (All articles, The archive)
The book: €29.50 (All letters, printed)`
