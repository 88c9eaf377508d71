import test from 'ava'
import { openStripeSite } from '../../support/stripe-site.ts'
import { buy, createMailbox, createVisitor, logIn } from '../../support/visitor.ts'

type Opened = Awaited<ReturnType<typeof openStripeSite>>

const asks = '4000002760003184'
const openPauses = { 'membership.providers.stripe.pause': { max_days: 60 } }

/** What the member holds, as a page would ask. */
async function held({ m, fake }: Opened, email = 'ann@example.com') {
  await fake.deliver()
  await m.runDueJobs()
  const user = (await m.users.findByEmail(email))!
  return {
    user,
    subscription: user.subscriptions()[0]!,
    opens: (gate: string) => user.hasGate(gate as never),
  }
}
function payments({ fake }: Opened) {
  return fake.objects
    .list('invoice')
    .filter(({ status, amount_paid }) => status === 'paid' && amount_paid > 0)
    .map(({ amount_paid }) => amount_paid)
}

test('a form cannot influence the cost of a change: the dearer plan is charged, whatever proration it sends', async (t) => {
  const opened = await openStripeSite(t)
  const { visitor, id } = await buy(opened, 'ann@example.com')
  await opened.fake.advance({ days: 3 })
  const changed = await visitor.send(`/membership/change/${id}`, { plan: 'team', proration: 'none' })
  t.is(changed.status, 200, changed.text)
  t.is(payments(opened).length, 2)
  // 28 of 31 days are left: 22.58 of 25 less 8.13 of 9.
  t.is(payments(opened)[1], 1445)
  t.true((await held(opened)).opens('team'))
})

test('a site may let forms choose a named proration, and only one of those', async (t) => {
  const opened = await openStripeSite(t, { 'membership.providers.stripe.change.proration': ['next'] })
  const { visitor, id } = await buy(opened, 'ann@example.com')
  await opened.fake.advance({ days: 3 })
  await visitor.send(`/membership/change/${id}`, { plan: 'team', proration: 'next' })
  t.is(payments(opened).length, 1, 'with the next invoice')
  await visitor.send(`/membership/change/${id}`, { price: 'price_year', proration: 'none' })
  t.true(payments(opened).length === 2, 'not one that it names')
})

test('a change in another currency than the listed one names what is known, and never the listed amount', async (t) => {
  const mailbox = createMailbox()
  const opened = await openStripeSite(t, {
    ...mailbox.options,
    'membership.providers.stripe.plans': {
      pro: {
        prices: [
          { id: 'price_multi', amount: 900, currency: 'EUR', interval: 'month' },
          { id: 'price_less', amount: 600, currency: 'EUR', interval: 'month' },
        ],
      },
    },
  })
  const multi = (id: string, eur: number, usd: number) =>
    opened.fake.addPrice({
      id,
      product: 'price_month',
      unit_amount: eur,
      currency: 'eur',
      recurring: { interval: 'month' },
      currency_options: { usd: { unit_amount: usd } },
    })
  multi('price_multi', 900, 1000)
  multi('price_less', 600, 700)
  const { visitor, id } = await buy(opened, 'ann@example.com', { price: 'price_multi', currency: 'USD' })
  await held(opened)
  const wanted = `/membership/change/${id}?price=price_less`
  const { prospect: preview } = (await visitor.get(wanted, { accept: 'application/json' })).json
  t.like(preview, { from: { cost: { amount: 1000, currency: 'USD' } }, to: { cost: null }, currency: 'USD' })
  t.is(preview.next_payment.amount, null)
  t.is((await visitor.send(`/membership/change/${id}`, { price: 'price_less' })).status, 200)
  await held(opened)
  await opened.fake.advance({ ms: 120_000 })
  const { subscription } = await held(opened)
  t.like(subscription, { unit_amount: 1000, scheduled_change: { price_id: 'price_less' } })
  const account = (await visitor.get('/membership/account', { accept: 'text/html' })).text
  t.regex(account, /\$10 per month/)
  t.notRegex(account, /[€$]6 per month/, 'the next charge is US$7')
})

test('a bank’s question is answered on its page, and nothing changes before that', async (t) => {
  const told: unknown[] = []
  const opened = await openStripeSite(t, {
    hooks: {
      'membership.change:before': ({ amount_due, currency, at }) =>
        void told.push({ amount_due, currency, at }),
    },
  })
  const { fake } = opened
  const { visitor, id } = await buy(opened, 'ann@example.com')
  fake.useCard(fake.objects.list('customer')[0]!.id, asks)
  await fake.advance({ days: 10 })
  const change = () => visitor.send(`/membership/change/${id}`, { plan: 'team' })
  const first = await change()
  t.is(first.status, 200, first.text)
  t.deepEqual(Object.keys(first.json), ['url'])
  t.false((await held(opened)).opens('team'))
  t.is((await held(opened)).subscription.price_id, 'price_month')
  t.deepEqual(told, [{ amount_due: 1084, currency: 'EUR', at: fake.now().toISOString() }])
  // Asked again from another tab: the newest page counts, the one before is void.
  await fake.advance({ ms: 60_000 })
  const second = await change()
  t.not(second.json.url, first.json.url)
  const open = fake.objects.list('invoice').filter(({ status }) => status === 'open')
  t.deepEqual(
    open.map((open) => open.hosted_invoice_url),
    [second.json.url],
  )
  await fetch(second.json.url, { method: 'POST', redirect: 'manual' })
  t.true((await held(opened)).opens('team'))
  t.deepEqual(payments(opened).length, 2)
})

test('a cheaper plan waits for the end of the paid period; the member sees it and can undo it', async (t) => {
  const opened = await openStripeSite(t)
  const { fake } = opened
  const { visitor, id } = await buy(opened, 'ann@example.com', { path: '/membership/subscribe/team' })
  await fake.advance({ days: 3 })
  const preview = await visitor.send(`/membership/invoice/${id}`, { price: 'price_month' })
  t.like(preview.json, { amount_due: 0, total: 900, changes_at: '2026-02-15T12:00:00.000Z' })
  const page = await visitor.send(
    `/membership/invoice/${id}`,
    { price: 'price_month' },
    { accept: 'text/html' },
  )
  t.regex(page.text, /Starts<\/dt><dd>15 February<\/dd>[\s\S]*Due today<\/dt><dd>€0</)
  const change = (price: string) => visitor.send(`/membership/change/${id}`, { price })
  const scheduled = { price_id: 'price_month', quantity: 1, at: '2026-02-15T12:00:00.000Z' }
  t.deepEqual((await change('price_month')).json.subscription.scheduled_change, scheduled)
  const now = await held(opened)
  t.deepEqual(now.subscription.scheduled_change, scheduled, 'also after the messages')
  t.deepEqual(now.subscription.metadata, {}, 'what we note there is not the site’s')
  t.true(now.opens('team'))
  t.false(now.opens('pro'))
  await fake.advance({ ms: 5000 })
  t.is((await change('price_team')).status, 200)
  t.is((await held(opened)).subscription.scheduled_change, null)
  await fake.advance({ ms: 5000 })
  await change('price_month')
  await fake.advance({ months: 1, days: 1 })
  const after = await held(opened)
  t.is(after.subscription.price_id, 'price_month')
  t.is(after.subscription.scheduled_change, null)
  t.false(after.opens('team'))
  t.deepEqual(payments(opened), [2500, 900])
})

test('a cheaper plan is open from its first minute, also after a month whose discount made it cheaper still', async (t) => {
  const opened = await openStripeSite(t)
  const { fake } = opened
  fake.addCoupon({ id: 'spring', percent_off: 80, duration: 'once', code: 'SPRING' })
  const { visitor, id } = await buy(opened, 'ann@example.com', {
    path: '/membership/subscribe/team',
    price: 'price_team',
    code: 'SPRING',
  })
  t.deepEqual(payments(opened), [500], 'less than a month of the cheaper plan')
  t.is((await visitor.send(`/membership/change/${id}`, { price: 'price_month' })).status, 200)
  await fake.advance({ months: 1, ms: 600_000 })
  const { user, opens } = await held(opened)
  t.is(user.payments()[0]!.status, 'pending', 'Stripe charges an hour later')
  t.deepEqual([opens('pro'), opens('team')], [true, false])
  await fake.advance({ ms: 7_200_000 })
  t.true((await held(opened)).opens('pro'))
  t.deepEqual(payments(opened), [500, 900])
})

test('changing back and forth for a month gives nothing unpaid', async (t) => {
  const opened = await openStripeSite(t)
  const { fake } = opened
  const { visitor, id } = await buy(opened, 'ann@example.com')
  for (const price of ['price_team', 'price_month', 'price_team', 'price_year', 'price_month']) {
    await fake.advance({ days: 2 })
    const changed = await visitor.send(`/membership/change/${id}`, { price, proration: 'none' })
    t.is(changed.status, 200, changed.text)
  }
  const { subscription } = await held(opened)
  // The year was dearer by its length and paid; the month after it is dearer by the day, and credited.
  t.is(subscription.price_id, 'price_month')
  t.is(subscription.scheduled_change, null)
  t.true(payments(opened).reduce((sum, amount) => sum + amount, 0) > 9000)
})

test('of two changes in two tabs at once one is made, and two in a row end with the newer one', async (t) => {
  const opened = await openStripeSite(t)
  const { visitor, id } = await buy(opened, 'ann@example.com', { path: '/membership/subscribe/team' })
  await opened.fake.advance({ days: 3 })
  const answers = await Promise.all([
    visitor.send(`/membership/change/${id}`, { price: 'price_month' }),
    visitor.send(`/membership/change/${id}`, { price: 'price_month' }),
    visitor.send(`/membership/change/${id}`, { price: 'price_year' }),
  ])
  t.true(answers.every(({ status }) => status === 200 || status === 409))
  t.true(answers.some(({ status }) => status === 200))
  t.true(opened.fake.objects.list('subscription_schedule').length <= 1)
})

test('a quantity is a whole number in decimal digits, within what the plan is sold in', async (t) => {
  const opened = await openStripeSite(t)
  const { visitor, id } = await buy(opened, 'ann@example.com', { path: '/membership/subscribe/team' })
  for (const quantity of ['0', '-1', '1e1', '2.5', '٣', '0x2', ' ', '11', '99999999999']) {
    const changed = await visitor.send(`/membership/change/${id}`, { quantity })
    t.is(changed.status, 400, quantity)
    t.is(changed.json.code, 'ERR_FORM', quantity)
    const bought = await createVisitor(opened.site).send('/membership/subscribe/team', { quantity })
    t.is(bought.status, 400, quantity)
  }
  const book = await createVisitor(opened.site).send('/membership/payment', {
    product: 'price_book',
    quantity: '2',
  })
  t.is(book.json.code, 'ERR_FORM', 'one unless a plan says otherwise')
  await opened.fake.advance({ days: 3 })
  t.is((await visitor.send(`/membership/change/${id}`, { quantity: '3' })).json.subscription.quantity, 3)
  t.is(payments(opened).length, 2, 'more is dearer')
  const less = await visitor.send(`/membership/change/${id}`, { quantity: '1' })
  t.is(less.json.subscription.quantity, 3)
  t.is(less.json.subscription.scheduled_change.quantity, 1, 'fewer is cheaper, and waits')
})

test('a change to another currency is a new purchase', async (t) => {
  const opened = await openStripeSite(t, {
    'membership.providers.stripe.plans': { pro: { group: 'm', prices: ['price_month', 'price_yen'] } },
  })
  opened.fake.addPrice({
    id: 'price_yen',
    unit_amount: 9000,
    currency: 'jpy',
    recurring: { interval: 'month' },
  })
  await opened.m.operator.catalogue.refresh('stripe')
  const { visitor, id } = await buy(opened, 'ann@example.com')
  const changed = await visitor.send(`/membership/change/${id}`, { price: 'price_yen' })
  t.not(changed.status, 200)
  t.is((await held(opened)).subscription.price_id, 'price_month')
})

test('cancelling, resuming and changing a scheduled subscription go through its schedule', async (t) => {
  const opened = await openStripeSite(t)
  const { fake } = opened
  const { visitor, id } = await buy(opened, 'ann@example.com', { path: '/membership/subscribe/team' })
  const step = async (path: string, fields: Record<string, string> = {}) => {
    await fake.advance({ ms: 5000 })
    const answer = await visitor.send(`/membership/${path}/${id}`, fields)
    t.is(answer.status, 200, `${path}: ${answer.text}`)
    return (await held(opened)).subscription
  }
  await step('change', { price: 'price_month' })
  const cancelled = await step('cancel')
  t.true(cancelled.on_grace_period)
  t.is(cancelled.scheduled_change, null)
  t.is(cancelled.cancel_at, '2026-02-15T12:00:00.000Z')
  const kept = await step('resume')
  t.false(kept.on_grace_period)
  await step('change', { price: 'price_month' })
  const dearer = await step('change', { price: 'price_year' })
  t.is(dearer.price_id, 'price_year')
  t.is(dearer.scheduled_change, null, 'the newer wish counts')
  await step('change', { price: 'price_month' })
  t.is((await step('cancel', { when: 'now' })).status, 'canceled')
  await fake.advance({ months: 2 })
  t.false((await held(opened)).opens('pro'))
})

test('a change scheduled at the provider is shown too', async (t) => {
  const opened = await openStripeSite(t)
  const { fake } = opened
  const { id } = await buy(opened, 'ann@example.com', { path: '/membership/subscribe/team' })
  const call = (path: string, body: Record<string, string>) =>
    fetch(`${fake.url}/v1/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${fake.secret}` },
      body: new URLSearchParams(body),
    }).then(
      (answer) =>
        answer.json() as Promise<{ id: string; phases: { start_date: number; end_date: number }[] }>,
    )
  const schedule = await call('subscription_schedules', { from_subscription: id })
  const [phase] = schedule.phases
  await call(`subscription_schedules/${schedule.id}`, {
    'phases[0][start_date]': String(phase!.start_date),
    'phases[0][end_date]': String(phase!.end_date),
    'phases[0][items][0][price]': 'price_team',
    'phases[1][items][0][price]': 'price_month',
    'phases[1][duration][interval]': 'month',
  })
  await held(opened)
  await fake.advance({ ms: 10_000 })
  t.is((await held(opened)).subscription.scheduled_change?.price_id, 'price_month')
})

test('nobody can pause unless the site allows it', async (t) => {
  const opened = await openStripeSite(t)
  const { visitor, id } = await buy(opened, 'ann@example.com')
  const paused = await visitor.send(`/membership/pause/${id}`)
  t.is(paused.json.code, 'ERR_ACTION_REFUSED')
  t.is((await held(opened)).subscription.paused_at, null)
  t.false((await opened.m.viewOf((await held(opened)).user)).provider().can().pause)
})

test('with bank debit a dearer price begins with the next period, and opens when the bank has paid', async (t) => {
  const opened = await openStripeSite(t)
  const { fake } = opened
  const { visitor, id, user } = await buy(opened, 'ann@example.com')
  fake.useCard(user.customerId('stripe')!, 'DE89370400440532013000')
  await fake.advance({ days: 1 })
  const preview = await visitor.send(`/membership/invoice/${id}`, { price: 'price_team' })
  t.like(preview.json, { amount_due: 0, total: 2500, changes_at: '2026-02-15T12:00:00.000Z' })
  t.is((await visitor.send(`/membership/change/${id}`, { price: 'price_team' })).status, 200)
  const { subscription } = await held(opened)
  t.like(subscription, { price_id: 'price_month', scheduled_change: { price_id: 'price_team' } })
  await fake.advance(new Date('2026-02-15T12:30:00Z'))
  t.false((await held(opened)).opens('team'), 'a draft')
  await fake.advance(new Date('2026-02-17T12:00:00Z'))
  t.false((await held(opened)).opens('team'), 'the bank was asked')
  t.deepEqual(payments(opened), [900])
  await fake.advance(new Date('2026-02-25T12:00:00Z'))
  t.true((await held(opened)).opens('team'))
  t.deepEqual(payments(opened), [900, 2500])
})

test('a pause begins at the end of the paid period, closes access, and ends with a payment', async (t) => {
  const told: string[] = []
  const opened = await openStripeSite(t, {
    ...openPauses,
    hooks: {
      'membership.pause:before': ({ from, until }) => void told.push(`${from} ${until}`),
      'membership.pause:after': ({ subscription }) => void told.push(`paused ${subscription.paused_at}`),
    },
  })
  const { fake } = opened
  const { visitor, id } = await buy(opened, 'ann@example.com')
  await fake.advance({ days: 10 })
  const pause = (until: string) => visitor.send(`/membership/pause/${id}`, { until })
  for (const until of ['2026-02-10', '2026-04-20', '2036-01-01'])
    t.is((await pause(until)).json.code, 'ERR_ACTION_REFUSED', until)
  t.is((await pause('tomorrow')).json.code, 'ERR_FORM')
  const paused = await pause('2026-03-20')
  t.is(paused.status, 200, paused.text)
  const before = await held(opened)
  t.like(before.subscription, {
    status: 'active',
    on_trial: false,
    paused_at: '2026-02-15T12:00:00.000Z',
    resumes_at: '2026-03-20T00:00:00.000Z',
    current_period_end: '2026-02-15T12:00:00.000Z',
  })
  t.true(before.opens('pro'), 'what is paid stays open')
  t.is((await pause('2026-03-20')).status, 200, 'a second click that comes late: it is as wished')
  t.deepEqual(told, ['2026-02-15T12:00:00.000Z 2026-03-20T00:00:00.000Z', 'paused 2026-02-15T12:00:00.000Z'])
  t.is((await pause('2026-03-25')).json.code, 'ERR_ACTION_REFUSED', 'it is paused already')
  t.is((await visitor.send(`/membership/change/${id}`, { plan: 'team' })).json.code, 'ERR_ACTION_REFUSED')
  await fake.advance(new Date('2026-02-16T00:00:00Z'))
  t.false((await held(opened)).opens('pro'))
  t.deepEqual(payments(opened), [900])
  await fake.advance(new Date('2026-03-21T00:00:00Z'))
  t.true((await held(opened)).opens('pro'))
  t.deepEqual(payments(opened), [900, 900])
})

test('a started pause ends early only with a payment, and is over after a cancellation', async (t) => {
  const mailbox = createMailbox()
  const opened = await openStripeSite(t, { ...openPauses, ...mailbox.options })
  const { fake } = opened
  const bought = await buy(opened, 'ann@example.com')
  const { id } = bought
  let visitor = bought.visitor
  await fake.advance({ days: 1 })
  await visitor.send(`/membership/pause/${id}`)
  await held(opened)
  await fake.advance({ days: 40 })
  visitor = await logIn(opened, mailbox, 'ann@example.com')
  fake.useCard(fake.objects.list('customer')[0]!.id, '4000000000000341')
  t.is((await visitor.send(`/membership/resume/${id}`)).status, 402)
  t.false((await held(opened)).opens('pro'))
  fake.useCard(fake.objects.list('customer')[0]!.id, '4242424242424242')
  t.is((await visitor.send(`/membership/resume/${id}`)).status, 200)
  t.true((await held(opened)).opens('pro'))
  t.deepEqual(payments(opened), [900, 900])
  await fake.advance({ days: 1 })
  await visitor.send(`/membership/pause/${id}`)
  await held(opened)
  await fake.advance({ days: 40 })
  visitor = await logIn(opened, mailbox, 'ann@example.com')
  t.is((await visitor.send(`/membership/cancel/${id}`)).json.subscription.status, 'canceled')
  t.is((await visitor.send(`/membership/resume/${id}`)).json.code, 'ERR_ACTION_REFUSED')
})

test('paused, cancelled, kept: the pause is gone, and the payment day is unchanged', async (t) => {
  const opened = await openStripeSite(t, openPauses)
  const { fake } = opened
  const { visitor, id } = await buy(opened, 'ann@example.com')
  for (const path of ['pause', 'cancel', 'resume']) {
    await fake.advance({ ms: 5000 })
    const answer = await visitor.send(`/membership/${path}/${id}`)
    t.is(answer.status, 200, `${path} ${answer.text}`)
    const { subscription } = await held(opened)
    t.is(subscription.current_period_end, '2026-02-15T12:00:00.000Z', path)
    t.is(subscription.paused_at, path === 'pause' ? '2026-02-15T12:00:00.000Z' : null, path)
    t.is(subscription.cancel_at_period_end, path === 'cancel', path)
  }
  await fake.advance({ months: 1, days: 1 })
  t.deepEqual(payments(opened), [900, 900])
  t.true((await held(opened)).opens('pro'))
})

test('a pause made on the provider’s page closes access, and the member can end it', async (t) => {
  const opened = await openStripeSite(t, openPauses)
  const { fake } = opened
  const { visitor, id } = await buy(opened, 'ann@example.com')
  const { url } = (await visitor.send('/membership/portal')).json
  await fetch(url, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ do: 'pause', subscription: id }),
  })
  // Before any message has come: the provider is asked, not our books.
  const resumed = await visitor.send(`/membership/resume/${id}`)
  t.is(resumed.json.subscription.status, 'active', resumed.text)
  await fake.advance({ ms: 10_000 })
  await fetch(url, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ do: 'pause', subscription: id }),
  })
  const paused = await held(opened)
  t.is(paused.subscription.status, 'paused')
  t.is(paused.subscription.paused_at, fake.now().toISOString())
  t.false(paused.opens('pro'))
})

// https://docs.stripe.com/billing/subscriptions/pause-payment: the customer keeps access meanwhile
test('paused collection at the provider gives free months', async (t) => {
  const opened = await openStripeSite(t)
  const { fake } = opened
  const { id } = await buy(opened, 'ann@example.com')
  await fetch(`${fake.url}/v1/subscriptions/${id}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${fake.secret}` },
    body: new URLSearchParams({ 'pause_collection[behavior]': 'void' }),
  })
  await held(opened)
  await fake.advance({ days: 5 })
  const first = await held(opened)
  t.is(first.subscription.paused_at, null)
  t.true(first.opens('pro'))
  await fake.advance({ months: 1 })
  await held(opened)
  await fake.advance({ ms: 10_000 })
  t.true((await held(opened)).opens('pro'))
  t.deepEqual(payments(opened), [900])
})

test('access stays open during a pause if the site configures it', async (t) => {
  const opened = await openStripeSite(t, {
    'membership.providers.stripe.pause': { max_days: 60, access: 'open' },
  })
  const { fake } = opened
  const { visitor, id } = await buy(opened, 'ann@example.com')
  await fake.advance({ days: 1 })
  await visitor.send(`/membership/pause/${id}`)
  await held(opened)
  await fake.advance({ days: 40 })
  t.true((await held(opened)).opens('pro'))
})

test('after an undone pause a dearer plan begins with the next period, without free time', async (t) => {
  const opened = await openStripeSite(t, openPauses)
  const { fake } = opened
  const { visitor, id } = await buy(opened, 'ann@example.com')
  const step = async (path: string, fields: Record<string, string> = {}) => {
    await fake.advance({ ms: 5000 })
    const answer = await visitor.send(`/membership/${path}/${id}`, fields)
    t.is(answer.status, 200, `${path}: ${answer.text}`)
    return answer.json
  }
  await step('pause')
  await step('resume')
  const preview = await step('invoice', { plan: 'team' })
  t.like(preview, { amount_due: 0, changes_at: '2026-02-15T12:00:00.000Z' })
  await step('change', { plan: 'team' })
  const before = await held(opened)
  t.false(before.opens('team'))
  t.true(before.opens('pro'))
  t.is(before.subscription.scheduled_change?.price_id, 'price_team')
  await fake.advance({ months: 1, days: 1 })
  const after = await held(opened)
  t.true(after.opens('team'))
  t.is(after.subscription.scheduled_change, null)
  t.deepEqual(payments(opened), [900, 2500])
})

test('a subscription paused, resumed and paused again is paused', async (t) => {
  const opened = await openStripeSite(t, openPauses)
  const { fake } = opened
  const { visitor, id } = await buy(opened, 'ann@example.com')
  for (const [path, fields] of [
    ['pause', { until: '2026-03-20' }],
    ['resume', {}],
    ['pause', { until: '2026-03-10' }],
  ] as const) {
    await fake.advance({ days: 1 })
    t.is((await visitor.send(`/membership/${path}/${id}`, fields)).status, 200, path)
  }
  t.like((await held(opened)).subscription, {
    paused_at: '2026-02-15T12:00:00.000Z',
    resumes_at: '2026-03-10T00:00:00.000Z',
    current_period_start: '2026-01-15T12:00:00.000Z',
  })
  await fake.advance(new Date('2026-03-01T00:00:00Z'))
  t.false((await held(opened)).opens('pro'))
  t.deepEqual(payments(opened), [900])
})
