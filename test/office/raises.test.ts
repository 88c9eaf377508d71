import test from 'ava'
import { openOfficeSite } from '../support/office.ts'
import { buy } from '../support/visitor.ts'

const html = { accept: 'text/html' }

test('the office lists price raises: who, why it waits, and when the new price is charged', async (t) => {
  const opened = await openOfficeSite(t, {
    'membership.providers.stripe.plans': {
      pro: {
        name: 'Pro',
        prices: [
          { id: 'price_month', amount: 900, currency: 'EUR', interval: 'month' },
          { id: 'price_new', amount: 1200, currency: 'EUR', interval: 'month' },
        ],
      },
    },
  })
  const { m, fake, enter } = opened
  fake.addPrice({ id: 'price_new', unit_amount: 1200, currency: 'eur', recurring: { interval: 'month' } })
  await buy(opened, 'ann@example.com')
  const request = { from: 'price_month', to: 'price_new', on: '2026-03-01T00:00:00.000Z', noticeDays: 30 }
  const { id } = await m.prices.raise({ ...request, needsConsent: false }, 'olga')
  await m.runDueJobs()
  await m.prices.noticeBounced(id, 'ann@example.com')
  const { visitor } = await enter('ops@example.com')
  const page = (await visitor.get('/membership/office/raises', html)).text
  t.regex(page, /aria-current="page">Raises</)
  t.regex(page, /Ordered by olga/)
  t.regex(page, /30 days of notice\./)
  t.regex(page, /ann@example\.com[\s\S]*paused[\s\S]*the notice did not arrive/)
  await m.prices.stop(id)
  t.regex((await visitor.get('/membership/office/raises', html)).text, /Stopped\./)
})
