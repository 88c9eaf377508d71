import test from 'ava'
import { startNextRequest } from '../support/fake-next.ts'
import { openHost } from '../support/host.ts'
import { openStripeSite } from '../support/stripe-site.ts'
import { buy, createMailbox, createVisitor } from '../support/visitor.ts'

// What an audit from outside did not reach: coupons, other currencies, server actions, imported files, repeated pauses.

test('the provider judges a promotion code: an invented, too long or markup code begins no checkout and is never shown raw', async (t) => {
  const { fake, site } = await openStripeSite(t)
  fake.addCoupon({ id: 'half', percent_off: 50, duration: 'once', code: 'HALF' })
  const html = { accept: 'text/html' }
  for (const code of [
    'half',
    'HALF ',
    '<script>alert(1)</script>',
    "' or 1=1 --",
    'A'.repeat(101),
    '__proto__',
  ]) {
    const visitor = createVisitor(site)
    const answer = await visitor.send('/membership/subscribe/team', { code }, html)
    if (code === 'HALF ') {
      t.is(answer.status, 303, answer.text)
      continue
    }
    t.is(answer.status, 400, `${code} ${answer.text}`)
    t.false(answer.text.includes('<script>alert'), code)
  }
  const sessions = fake.objects.list('checkout.session')
  t.deepEqual(
    sessions.map(({ amount_total }) => amount_total),
    [1250],
  )
})

test('of two tabs, one with a code and one without, only one can be paid, at its own price', async (t) => {
  const opened = await openStripeSite(t)
  const { fake, site, m } = opened
  fake.addCoupon({ id: 'half', percent_off: 50, duration: 'once', code: 'HALF' })
  const visitor = createVisitor(site)
  const first = await visitor.send('/membership/subscribe/team', { code: 'HALF' })
  const second = await visitor.send('/membership/subscribe/team')
  t.not(first.json.url, second.json.url)
  const [reduced, full] = fake.objects
    .list('checkout.session')
    .toSorted((a, b) => a.amount_total! - b.amount_total!)
  t.deepEqual([reduced!.status, full!.status], ['expired', 'open'])
  await t.throwsAsync(fake.pay(reduced!.id, { email: 'eve@example.com' }))
  await fake.pay(full!.id, { email: 'eve@example.com' })
  await fake.deliver()
  await m.runDueJobs()
  t.is(fake.objects.list('subscription').length, 1)
})

test('a refund of a payment with a code never exceeds what was paid', async (t) => {
  const opened = await openStripeSite(t)
  const { fake, m } = opened
  fake.addCoupon({ id: 'half', percent_off: 50, duration: 'once', code: 'HALF' })
  const { user } = await buy(opened, 'eve@example.com', { path: '/membership/subscribe/team', code: 'HALF' })
  const [payment] = user.payments()
  t.is(payment?.amount, 1250)
  await t.throwsAsync(m.payments.refund({ payment: payment!, amount: 2500 }), {
    code: 'ERR_ACTION_REFUSED',
  })
  await m.payments.refund({ payment: payment! })
  await t.throwsAsync(m.payments.refund({ payment: payment!, amount: 1 }), {
    code: 'ERR_ACTION_REFUSED',
  })
  t.is(
    fake.objects.list('refund').reduce((sum, { amount }) => sum + amount, 0),
    1250,
  )
})

test('a currency that a price lacks begins no checkout; one that it has is charged in full, on one page at a time', async (t) => {
  const { fake, site, m } = await openStripeSite(t, {
    'membership.providers.stripe.plans': {
      team: { prices: ['price_team'] },
      both: { prices: ['price_both'] },
    },
  })
  fake.addPrice({
    id: 'price_both',
    unit_amount: 1000,
    currency: 'eur',
    recurring: { interval: 'month' },
    currency_options: { usd: { unit_amount: 1100 } },
  })
  for (const currency of ['usd', 'jpy', 'xxx', 'EURO', '€', '1', 'eur,usd', '__proto__']) {
    const answer = await createVisitor(site).send('/membership/subscribe/team', { currency })
    t.true(answer.status >= 400, `${currency} ${answer.text}`)
  }
  t.is(fake.objects.list('checkout.session').length, 0)
  await m.operator.catalogue.refresh('stripe')
  const visitor = createVisitor(site)
  for (const [currency, amount] of [
    ['usd', 1100],
    ['eur', 1000],
  ] as const) {
    const begun = await visitor.send('/membership/subscribe/both', { currency })
    t.is(begun.status, 201, begun.text)
    const open = fake.objects.list('checkout.session').filter(({ status }) => status === 'open')
    t.deepEqual(
      open.map((session) => [session.currency, session.amount_total]),
      [[currency, amount]],
      'the page in the other currency is closed',
    )
  }
})

test('a member who pays in euros cannot move to a price in dollars: nothing is charged or changed', async (t) => {
  const opened = await openStripeSite(t, {
    'membership.providers.stripe.plans': {
      pro: { group: 'membership', prices: ['price_month', 'price_usd'] },
    },
  })
  const { fake, m } = opened
  fake.addPrice({ id: 'price_usd', unit_amount: 100, currency: 'usd', recurring: { interval: 'month' } })
  await m.operator.catalogue.refresh('stripe')
  const { visitor, id } = await buy(opened, 'eve@example.com')
  const invoices = fake.objects.list('invoice').length
  const answer = await visitor.send(`/membership/change/${id}`, { price: 'price_usd' })
  t.true(answer.status >= 400, answer.text)
  t.regex(answer.json.detail ?? answer.text, /currency|EUR|USD/i)
  const [subscription] = fake.objects.list('subscription')
  t.is(subscription?.items.data[0]?.price.id, 'price_month')
  t.is(fake.objects.list('invoice').length, invoices)
})

test('a server action of Next sells by the rules of the forms, whatever its form contains', async (t) => {
  const { fake, m } = await openStripeSite(t)
  const { nextHost } = await import('../../src/entries/next.ts')
  const host = nextHost(async () => m)
  const act = async (fields: Record<string, string>): Promise<string> => {
    startNextRequest({ host: 'example.com', 'x-forwarded-proto': 'https' })
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) form.set(name, value)
    return host.subscribe(form).then(
      () => 'nothing',
      (error: Error & { code?: string }) => error.code ?? error.message,
    )
  }
  const tricks: Record<string, string>[] = [
    { plan: 'team', quantity: '-1' },
    { plan: 'team', quantity: '2.5' },
    { plan: 'team', quantity: 'NaN' },
    { plan: 'team', quantity: '1e9' },
    { plan: 'team', quantity: '11' },
    { plan: 'nope' },
    { price: '__proto__' },
    { plan: 'team', currency: 'EURO' },
    { plan: 'team', code: 'A'.repeat(5000) },
    { plan: 'team', provider: 'sandbox' },
    {},
  ]
  for (const fields of tricks)
    t.regex(await act(fields), /^ERR_(FORM|PLAN_UNKNOWN|CHECKOUT_REFUSED|QUANTITY)/, JSON.stringify(fields))
  t.is(await act({ plan: 'team', currency: 'usd' }), 'ERR_PROVIDER_ANSWER', 'Stripe has it in euros only')
  t.is(fake.objects.list('checkout.session').length, 0)
  t.is(await act({ plan: 'team', redirect: 'https://evil.example/' }), 'ERR_REDIRECT')
  const url = await act({
    plan: 'team',
    redirect: '/thanks',
    amount: '1',
    unit_amount: '1',
    trial_days: '900',
  })
  t.regex(url, /^http/)
  const [session] = fake.objects.list('checkout.session')
  t.is(session?.amount_total, 2500)
})

test('pauses that are undone at once, again and again, give no unpaid day', async (t) => {
  const opened = await openStripeSite(t, {
    ...createMailbox().options,
    'membership.providers.stripe.pause': { max_days: 60 },
    'membership.gates.past_due': 0,
  })
  const { fake, m } = opened
  const { visitor, id } = await buy(opened, 'eve@example.com')
  for (let round = 0; round < 8; round++) {
    const paused = await visitor.send(`/membership/pause/${id}`, { until: '2026-03-10' })
    t.is(paused.status, 200, paused.text)
    await fake.advance({ ms: 60_000 })
    const resumed = await visitor.send(`/membership/resume/${id}`)
    t.is(resumed.status, 200, resumed.text)
    await fake.advance({ ms: 60_000 })
    await fake.deliver()
    await m.runDueJobs()
  }
  const paidUntil = Date.parse('2026-02-15T12:30:00Z')
  let wasOpen = 0
  for (let day = 0; day < 80; day += 2) {
    await fake.advance({ days: 2 })
    await fake.deliver()
    await m.runDueJobs()
    const paid = fake.objects
      .list('invoice')
      .filter(({ status, amount_paid }) => status === 'paid' && amount_paid > 0)
    const user = (await m.users.findByEmail('eve@example.com'))!
    if (!user.hasGate('pro' as never) || fake.now().getTime() <= paidUntil) continue
    wasOpen++
    t.true(paid.length > 1, `open on ${fake.now().toISOString()} by one payment`)
  }
  t.true(wasOpen > 20, 'it goes on, and is paid for')
})

test('an imported file grants what plans name, to one account per address, and no role', async (t) => {
  const mailbox = createMailbox()
  const { m } = await openHost(t, {
    ...mailbox.options,
    'membership.providers.stripe.plans': { pro: { prices: ['price_month'] } },
  })
  await m.users.create({ email: 'boss@example.com', verified: true, roles: ['admin'] } as never)
  const file = Buffer.from(
    [
      'Email;Name;Plan;Ends;roles;id',
      'ANN@bücher.example;"=HYPERLINK(""https://evil.example"")";pro;2099-01-01;admin;m_1',
      'ann@xn--bcher-kva.example;Ann;pro;2098-01-01;admin;m_2',
      'boss@example.com;Boss;__proto__;2099-01-01;;',
      'boss@example.com;Boss;constructor;2099-01-01;;',
      'boss@example.com;Boss;*;2099-01-01;;',
      'a@example.com\u0000;Nul;pro;2099-01-01;;',
      'a@example.com,b@example.com;Two;pro;2099-01-01;;',
      'Eve <eve@example.com>;Eve;pro;2099-01-01;;',
    ].join('\n'),
  )
  const map = { email: 'Email', name: 'Name', price_id: 'Plan', ends_at: 'Ends' }
  const [once] = await Promise.all([
    m.operator.import({ file, map, write: true }),
    m.operator.import({ file, map, write: true }),
  ])
  t.is(once.refused.length, 6, JSON.stringify(once.refused))
  const ann = (await m.users.findByEmail('ann@bücher.example'))!
  t.is(ann.id, (await m.users.findByEmail('Ann@xn--bcher-kva.example'))!.id)
  t.deepEqual(ann.roles, ['member'])
  t.true(ann.hasGate('pro' as never))
  const grants = await m.storage.read((db) =>
    db.selectFrom('grants').select(['member_id', 'expires_at']).orderBy('expires_at'),
  )
  t.deepEqual(
    grants,
    ['2098', '2099'].map((year) => ({ member_id: ann.id, expires_at: `${year}-01-01T23:59:59.999Z` })),
    'each of her two rows gives once, by two imports at once',
  )
  t.is(await m.users.findByEmail('eve@example.com'), null)
})
