import test from 'ava'
import { openStripeSite } from '../../support/stripe-site.ts'

for (const latency of [0, 20])
  test(`two tabs that choose different plans at once leave one page to pay on (${latency} ms away)`, async (t) => {
    const { m, fake, browser } = await openStripeSite(t)
    const ann = browser()
    await ann.open('/membership/login')
    fake.latency(latency)
    const answers = await Promise.all([
      ann.post('/membership/subscribe/pro', { price: 'price_month' }),
      ann.post('/membership/subscribe/team', { price: 'price_team' }),
    ])
    fake.latency(0)
    const pages = answers
      .filter(({ status }) => status === 303)
      .map((answer) => answer.headers.get('location'))
    const open = fake.objects.list('checkout.session').filter(({ status }) => status === 'open')
    t.deepEqual(
      open.map(({ url }) => url),
      pages.filter((page) => open.some(({ url }) => url === page)),
      'what is open was given to somebody',
    )
    t.is(open.length, 1)
    for (const { id } of open) await fake.pay(id, { email: 'ann@example.com' })
    await fake.deliver()
    t.is((await m.users.findByEmail('ann@example.com'))?.subscriptions().length, 1)
    t.is(fake.objects.list('subscription').length, 1)
  })
