import test from 'ava'
import { openStripeSite } from '../support/stripe-site.ts'
import { createVisitor } from '../support/visitor.ts'

function textOf(html: string): string {
  return html
    .replace(/<head>[\s\S]*?<\/head>|<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .replace(/\u00a0/g, ' ')
}

test('a price of seats names the sum of its first number, and the order that of the chosen one, each once', async (t) => {
  const { site } = await openStripeSite(t, {
    'membership.shop.country': 'DE',
    'membership.providers.stripe.plans': {
      team: {
        name: 'Team',
        seats: 'quantity',
        quantity: { min: 2, max: 12 },
        prices: [{ id: 'price_team', amount: 2500, currency: 'EUR', interval: 'month' }],
      },
      book: { quantity: { max: 3 }, prices: [{ id: 'price_month', amount: 900, currency: 'EUR' }] },
    },
  })
  const visitor = createVisitor(site)
  const see = async (path: string, language = 'en') =>
    textOf((await visitor.get(path, { accept: 'text/html', 'accept-language': language })).text)
  const sentence = 'You see the sum for your number before you order.'
  const prices = await see('/membership/prices')
  t.true(prices.includes(`Price per seat. 2 seats: €50 per month. ${sentence}`), prices)
  t.is(prices.split(sentence).length, 2, 'a price that begins at one piece says its sum already')
  t.regex(await see('/membership/prices', 'de'), /Preis pro Platz\. 2 Plätze: 50 € pro Monat\. Die Summe/)
  const order = await see('/membership/order?plan=team&price=price_team&quantity=3')
  t.regex(order, /You get 3 × Team, monthly/)
  t.is(order.split('Due today €75').length, 2)
  t.is(order.split('€75 per month').length, 2)
})
