import { createMembership, formatMoney, type Invoice } from 'membership'

const line = ({ total, currency }: Invoice): string =>
  formatMoney({ amount: total, currency: currency ?? 'EUR' }, 'en')

/** The bills of a member who has bought nothing yet. */
export async function run(): Promise<string> {
  const m = await createMembership({
    install: false,
    root: false,
    'membership.database.url': 'sqlite::memory:',
    'membership.provider.handler': 'sandbox',
    'membership.providers.sandbox': {},
  })
  try {
    const user = await m.users.create({ email: 'ann@example.com' })
    return `${(await m.invoices.list({ user, provider: 'sandbox' })).map(line).length} bills`
  } finally {
    await m.close()
  }
}
export const expected = '0 bills'
