import test from 'ava'
import { openStripeSite, type StripeSite } from '../../support/stripe-site.ts'
import { askFake, buy, createMailbox } from '../../support/visitor.ts'

async function settle({ fake, m }: Pick<StripeSite, 'fake' | 'm'>) {
  for (let n = 0; n < 60; n++) {
    await fake.deliver()
    await m.runDueJobs()
    if ((await m.operator.outbox.list()).length === 0) return
    await fake.advance({ ms: 30_000 })
  }
}
function flat(text: string | undefined): string {
  return (text ?? '').replace(/\s+/g, ' ')
}
function seconds(day: string): string {
  return String(Date.parse(day) / 1000)
}

test('mails about a subscription with several items give their total cost, or no amount', async (t) => {
  const mailbox = createMailbox()
  const opened = await openStripeSite(t, {
    ...mailbox.options,
    'membership.providers.stripe.plans': {
      pro: { group: 'a', prices: ['price_year'] },
      extra: { group: 'b', prices: ['price_seat_year'] },
    },
    // Of this site, in no plan.
    'membership.providers.stripe.prices': ['price_unlisted'],
  })
  const { fake } = opened
  const yearly = (id: string, amount: number) =>
    fake.addPrice({ id, unit_amount: amount, currency: 'eur', recurring: { interval: 'year' } })
  yearly('price_seat_year', 50_000)
  yearly('price_unlisted', 700)
  const add = (id: string, price: string) =>
    askFake(fake, 'POST', `/v1/subscriptions/${id}`, {
      'items[0][price]': price,
      proration_behavior: 'none',
    })
  const ann = await buy(opened, 'ann@example.com', { price: 'price_year' })
  const ben = await buy(opened, 'ben@example.com', { price: 'price_year' })
  await settle(opened)
  await add(ann.id, 'price_seat_year')
  await add(ben.id, 'price_unlisted')
  await settle(opened)
  const changed = (email: string) => flat(mailbox.of(email, 'changed')[0]?.text)
  t.regex(changed('ann@example.com'), /costs €590 per year/)
  t.regex(changed('ben@example.com'), /15 January 2027/)
  t.notRegex(changed('ben@example.com'), /€/, 'the site knows no price of the second item')
  await fake.advance({ days: 350 })
  await settle(opened)
  t.regex(flat(mailbox.of('ann@example.com', 'renewal-ahead')[0]?.text), /It costs €590 per year/)
  t.notRegex(flat(mailbox.of('ben@example.com', 'renewal-ahead')[0]?.text), /€/)
})

test('a cancellation for a later period gives its end and the charge before; the last receipt mentions the end', async (t) => {
  const mailbox = createMailbox()
  const opened = await openStripeSite(t, mailbox.options)
  const { fake } = opened
  const { id } = await buy(opened, 'ann@example.com')
  await settle(opened)
  await askFake(fake, 'POST', `/v1/subscriptions/${id}`, {
    cancel_at: seconds('2026-04-15T12:00:00Z'),
    proration_behavior: 'none',
  })
  await settle(opened)
  const said = flat(mailbox.of('ann@example.com', 'cancellation')[0]?.text)
  t.regex(said, /It ends on 15 April 2026\. You are charged as before until then, next on 15 February 2026\./)
  t.notRegex(said, /paid until/)
  const receipts = () => mailbox.of('ann@example.com', 'receipt').map(({ text }) => flat(text))
  await fake.advance({ months: 1, ms: 7_200_000 })
  await settle(opened)
  t.regex(receipts().at(-1)!, /renews on 15 March 2026/)
  await fake.advance({ months: 1 })
  await settle(opened)
  t.is(receipts().length, 3)
  t.regex(receipts().at(-1)!, /ends on 15 April 2026/)
  t.notRegex(receipts().at(-1)!, /renews/)
})

test('a year that ends only with a later one is announced before its charge', async (t) => {
  const mailbox = createMailbox()
  const opened = await openStripeSite(t, mailbox.options)
  const { fake } = opened
  const { id } = await buy(opened, 'ann@example.com', { price: 'price_year' })
  await settle(opened)
  await askFake(fake, 'POST', `/v1/subscriptions/${id}`, {
    cancel_at: seconds('2028-01-15T12:00:00Z'),
    proration_behavior: 'none',
  })
  await fake.advance({ days: 350 })
  await settle(opened)
  t.is(mailbox.of('ann@example.com', 'renewal-ahead').length, 1)
})
