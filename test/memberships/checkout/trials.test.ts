import test from 'ava'
import type { MembershipOptions } from '../../../src/index.ts'
import { sqliteDatabases } from '../../support/databases.ts'
import { openStripeSite, type StripeSite } from '../../support/stripe-site.ts'
import { askFake, buy, createMailbox, createVisitor, logIn, type Visitor } from '../../support/visitor.ts'

const plans = {
  pro: { group: 'membership', prices: [{ id: 'price_month', trial_days: 14 }, 'price_year'] },
  team: { group: 'membership', prices: ['price_team'] },
  book: { prices: [{ id: 'price_book', amount: 1900, currency: 'EUR' }] },
}
function card(name: string) {
  return `4242424242424242#${name}`
}

async function openSite(t: Parameters<typeof openStripeSite>[0], options: MembershipOptions = {}) {
  const mailbox = createMailbox()
  const opened = await openStripeSite(t, {
    'membership.providers.stripe.plans': plans,
    ...mailbox.options,
    ...options,
  })
  return { ...opened, mailbox }
}

async function settle({ m, fake }: Pick<StripeSite, 'm' | 'fake'>) {
  for (let n = 0; n < 2; n++) {
    await m.runDueJobs()
    await fake.deliver({ settle: true })
  }
}

/** What Stripe would charge first for the checkout that this visitor opens now. */
async function dueAtCheckout({ fake }: Pick<StripeSite, 'fake'>, visitor: Visitor, price = 'price_month') {
  const begun = await visitor.send('/membership/subscribe/pro', { price })
  const session = fake.objects.list('checkout.session').find(({ url }) => url === begun.json?.url)
  return session?.amount_total ?? begun.text
}

function chargesOf({ fake }: Pick<StripeSite, 'fake'>) {
  return fake.objects.list('charge').filter(({ paid }) => paid).length
}

test('a trial is given once: a buyer with an earlier trial or payment sees the price and pays at once', async (t) => {
  const opened = await openSite(t)
  const { m, fake } = opened
  const { id, user, visitor } = await buy(opened, 'ann@example.com', { card: card('ann') })
  t.true(user.subscriptions()[0]?.on_trial)
  const tells = async () => {
    const { provider } = await m.viewOf((await m.users.findByEmail('ann@example.com'))!)
    return provider('stripe').subscriptionAction('price_month' as never)
  }
  const before = await m.viewOf(null)
  t.like(before.provider('stripe').subscriptionAction('price_month' as never), {
    action: 'subscribe',
    trial_days: 14,
  })
  await visitor.send(`/membership/cancel/${id}`, { when: 'now' })
  await settle(opened)
  t.like(await tells(), { action: 'subscribe', trial_days: null })
  t.is(await dueAtCheckout(opened, visitor), 900)
  t.is(fake.objects.list('subscription').length, 1)
})

test('a second trial found by its card ends at once, unpaid, with an offer; a paid subscription stays', async (t) => {
  const opened = await openSite(t)
  const { fake, m, mailbox } = opened
  await buy(opened, 'ann@example.com', { card: card('ann') })
  await settle(opened)
  await buy(opened, 'bob@example.com', { card: card('bob') })
  await settle(opened)
  t.true(
    (await m.users.findByEmail('bob@example.com'))!.hasGate('pro' as never),
    'another person, another card',
  )
  const second = await buy(opened, 'ann2@example.com', { card: card('ann') })
  await settle(opened)
  const again = (await m.users.findByEmail('ann2@example.com'))!
  t.like(again.subscriptions()[0], { status: 'canceled' })
  t.false(again.hasGate('pro' as never))
  t.true((await m.users.findByEmail('ann@example.com'))!.hasGate('pro' as never))
  t.is(chargesOf(opened), 0)
  const [mail, ...more] = mailbox.of('ann2@example.com', 'trial-ended')
  t.regex(mail!.text, /You were\s+not\s+charged/)
  t.is(more.length, 0)
  t.regex(
    (await second.visitor.get(new URL(String(second.session.success_url)).pathname)).text,
    /Your free trial has ended/,
  )
  await fake.advance({ days: 20 })
  await settle(opened)
  t.is(chargesOf(opened), 2, 'those of the first trials alone')
  // The offer: bought again it is paid at once, and stays.
  const renewed = await second.visitor.send(`/membership/renew/${second.id}`)
  t.is(renewed.status, 201, renewed.text)
  const session = fake.objects.list('checkout.session').find(({ url }) => url === renewed.json.url)!
  t.is(session.amount_total, 900)
  await fake.pay(session.id, { email: 'ann2@example.com', card: card('ann') })
  await settle(opened)
  t.true((await m.users.findByEmail('ann2@example.com'))!.hasGate('pro' as never))
})

test('a returning member is recognised by address and card; only hashes are stored', async (t) => {
  const opened = await openSite(t)
  const { m, fake, mailbox } = opened
  const { user, visitor, id } = await buy(opened, 'ann@example.com', { card: card('ann') })
  await settle(opened)
  const customer = user.customerId('stripe')!
  await visitor.send('/membership/account/delete', { confirm: 'delete' })
  await settle(opened)
  t.is(await m.users.findByEmail('ann@example.com'), null)
  const rows = await m.storage.read((db) => db.selectFrom('trials').selectAll())
  const [method] = fake.objects.list('payment_method')
  for (const secret of ['ann', customer, id, method!.card!.fingerprint])
    t.false(JSON.stringify(rows).includes(secret), secret)
  t.true(rows.length >= 3)
  // By address alone, before the click.
  const back = await logInAnew(opened, 'ann@example.com')
  t.is(await dueAtCheckout(opened, back), 900)
  const view = await m.viewOf((await m.users.findByEmail('ann@example.com'))!)
  t.like(view.provider('stripe').subscriptionAction('price_month' as never), {
    action: 'subscribe',
    trial_days: null,
  })
  // By the card, under another address.
  await buy(opened, 'other@example.com', { card: card('ann') })
  await settle(opened)
  t.false((await m.users.findByEmail('other@example.com'))!.hasGate('pro' as never))
  t.is(mailbox.of('other@example.com', 'trial-ended').length, 1)
  // Two years after.
  await fake.advance({ days: 800 })
  await m.runDueJobs()
  t.is((await m.storage.read((db) => db.selectFrom('trials').selectAll())).length, 0)
})

async function logInAnew(opened: Awaited<ReturnType<typeof openSite>>, email: string): Promise<Visitor> {
  await opened.m.users.create({ email, verified: true })
  return logIn(opened, opened.mailbox, email)
}

test('a signed-out trial with an earlier member’s address ends when the member is known', async (t) => {
  const opened = await openSite(t)
  const { m } = opened
  const { visitor } = await buy(opened, 'ann@example.com', { card: card('one') })
  await settle(opened)
  await visitor.send('/membership/account/delete', { confirm: 'delete' })
  await settle(opened)
  await buy(opened, 'ann@example.com', { card: card('two'), proved: false })
  await settle(opened)
  t.false((await m.users.findByEmail('ann@example.com'))!.hasGate('pro' as never))
})

test('two trials on two devices, processed by two processes, become one', async (t) => {
  const database = await sqliteDatabases()
  t.teardown(database.close)
  const opened = await openSite(t, { 'membership.database.url': await database.url() })
  const { fake, m, site } = opened
  const { m: beside } = await opened.another()
  const sessions: { id: string; email: string }[] = []
  for (const email of ['ann@example.com', 'ann2@example.com']) {
    const begun = await createVisitor(site).send('/membership/subscribe/pro', { price: 'price_month' })
    const { id } = fake.objects.list('checkout.session').find(({ url }) => url === begun.json.url)!
    sessions.push({ id, email })
  }
  for (const { id, email } of sessions) await fake.pay(id, { email, card: card('ann') })
  await fake.deliver()
  await Promise.all([m.runDueJobs(), beside.runDueJobs()])
  await fake.deliver({ settle: true })
  t.is(fake.objects.list('subscription').filter(({ status }) => status === 'trialing').length, 1)
  t.is(fake.objects.list('subscription').length, 2)
})

test('replacing a trial’s card with a used one ends the trial, unpaid, with one mail', async (t) => {
  const opened = await openSite(t)
  const { fake, m, mailbox } = opened
  await buy(opened, 'ann@example.com', { card: card('ann') })
  await settle(opened)
  const { user } = await buy(opened, 'bob@example.com', { card: card('bob') })
  await settle(opened)
  // After the warning that comes three days before the end nothing more is said of the subscription.
  await fake.advance({ days: 12 })
  await settle(opened)
  const customer = user.customerId('stripe')!
  const [used] = fake.objects.list('payment_method')
  await askFake(fake, 'POST', `/v1/customers/${customer}`, {
    'invoice_settings[default_payment_method]': used!.id,
  })
  await settle(opened)
  t.like((await m.users.findById(user.id))!.subscriptions()[0], { status: 'canceled' })
  await fake.advance({ days: 10 })
  await settle(opened)
  t.is(chargesOf(opened), 1, 'the first trial’s alone')
  t.deepEqual(
    mailbox.sent.filter(({ to }) => to === 'bob@example.com').map(({ kind }) => kind),
    // Announced a week before it would have been charged, and ended meanwhile.
    ['welcome', 'trial-ending', 'trial-ended'],
  )
})

test('a trial not sold by this site stays, even for a used card', async (t) => {
  const opened = await openSite(t)
  const { fake, m } = opened
  await buy(opened, 'ann@example.com', { card: card('ann') })
  await settle(opened)
  const created = await fetch(`${fake.url}/v1/checkout/sessions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${fake.secret}` },
    body: new URLSearchParams({
      mode: 'subscription',
      'line_items[0][price]': 'price_month',
      'line_items[0][quantity]': '1',
      'subscription_data[trial_period_days]': '30',
      success_url: 'https://example.com/',
    }),
  })
  const { id } = (await created.json()) as { id: string }
  await fake.pay(id, { email: 'ann3@example.com', card: card('ann') })
  await settle(opened)
  t.true((await m.users.findByEmail('ann3@example.com'))!.hasGate('pro' as never))
})

test('free days given in the provider’s dashboard do not end a paid subscription', async (t) => {
  const opened = await openSite(t)
  const { fake, m } = opened
  const first = await buy(opened, 'ann@example.com', { card: card('ann') })
  await first.visitor.send(`/membership/cancel/${first.id}`, { when: 'now' })
  await settle(opened)
  // The second membership is paid at once, and so is one of somebody else with the same card.
  const second = await buy(opened, 'ann@example.com', { card: card('ann'), visitor: first.visitor })
  const spouse = await buy(opened, 'bob@example.com', { card: card('ann'), price: 'price_year' })
  await settle(opened)
  t.is(chargesOf(opened), 2)
  for (const { id } of [second, spouse])
    await askFake(fake, 'POST', `/v1/subscriptions/${id}`, {
      trial_end: String(Math.floor(fake.now().getTime() / 1000) + 10 * 86_400),
      proration_behavior: 'none',
    })
  await settle(opened)
  for (const email of ['ann@example.com', 'bob@example.com']) {
    const member = (await m.users.findByEmail(email))!
    t.true(member.hasGate('pro' as never), email)
    t.true(
      member.subscriptions().some(({ status }) => status === 'trialing'),
      email,
    )
  }
})

test('free days added to a free trial in the dashboard do not end it', async (t) => {
  const opened = await openSite(t)
  const { fake, m } = opened
  await buy(opened, 'ann@example.com', { card: card('ann') })
  await settle(opened)
  const bob = await buy(opened, 'bob@example.com', { card: card('bob') })
  await settle(opened)
  await askFake(fake, 'POST', `/v1/subscriptions/${bob.id}`, {
    trial_end: String(Math.floor(fake.now().getTime() / 1000) + 40 * 86_400),
    proration_behavior: 'none',
  })
  // The card of somebody who had a trial: without the dashboard's days this would end it.
  const [used] = fake.objects.list('payment_method')
  await askFake(fake, 'POST', `/v1/customers/${bob.user.customerId('stripe')}`, {
    'invoice_settings[default_payment_method]': used!.id,
  })
  await settle(opened)
  t.like((await m.users.findByEmail('bob@example.com'))!.subscriptions()[0], { status: 'trialing' })
})

test('a site’s addition gives no second trial, and the plan decides about always or never', async (t) => {
  const added = { checkout: { subscription_data: { trial_period_days: 30, description: 'kept' } } }
  const bare = { pro: { group: 'membership', prices: ['price_month', 'price_year'] } }
  const opened = await openSite(t, {
    'membership.providers.stripe.plans': bare,
    'membership.providers.stripe.checkout': added.checkout,
  })
  const { visitor, id, user } = await buy(opened, 'ann@example.com', { card: card('ann') })
  t.true(user.subscriptions()[0]?.on_trial, 'the addition counts for who never had one')
  await visitor.send(`/membership/cancel/${id}`, { when: 'now' })
  await settle(opened)
  t.is(await dueAtCheckout(opened, visitor), 900)

  const always = await openSite(t, {
    'membership.providers.stripe.plans': { pro: { ...plans.pro, trial: 'always' } },
  })
  const again = await buy(always, 'ann@example.com', { card: card('ann') })
  await again.visitor.send(`/membership/cancel/${again.id}`, { when: 'now' })
  await settle(always)
  t.is(await dueAtCheckout(always, again.visitor), 0)

  const never = await openSite(t, {
    'membership.providers.stripe.plans': { pro: { ...plans.pro, trial: 'never' } },
  })
  t.is(await dueAtCheckout(never, createVisitor(never.site)), 900)
})

test('a trial without a card is told when it ends paused, and each way back says to store a card first', async (t) => {
  const opened = await openSite(t, {
    'membership.providers.stripe.checkout': {
      payment_method_collection: 'if_required',
      subscription_data: { trial_settings: { end_behavior: { missing_payment_method: 'pause' } } },
    },
  })
  const { fake, m, mailbox } = opened
  const { visitor, id } = await buy(opened, 'ann@example.com')
  await settle(opened)
  await fake.advance({ days: 8 })
  await settle(opened)
  t.is(mailbox.of('ann@example.com', 'trial-ending').length, 1, 'before the end')
  await fake.advance({ days: 7 })
  for (let n = 0; n < 4; n++) {
    await settle(opened)
    await fake.advance({ ms: 60_000 })
  }
  const [s] = (await m.users.findByEmail('ann@example.com'))!.subscriptions()
  t.like(s, { status: 'paused', trial_ends_at: '2026-01-29T12:00:00.000Z' })
  const [ended] = mailbox.of('ann@example.com', 'trial-ended')
  t.regex(
    ended!.text.replace(/\s+/g, ' '),
    /No card is stored, so you were not charged.*store a card in your account/,
  )
  const again = await visitor.send('/membership/subscribe/pro', { price: 'price_month' })
  t.like(again.json, {
    status: 409,
    code: 'ERR_CHECKOUT_REFUSED',
    resume_url: `/membership/resume/${id}`,
    action: 'Resume it in your account. If no card is stored there yet, store one first.',
  })
  const resumed = await visitor.send(`/membership/resume/${id}`)
  t.like(resumed.json, { status: 409, code: 'ERR_ACTION_REFUSED', reason: 'no_payment_method' })
  const customer = String(fake.objects.list('customer')[0]!.id)
  fake.useCard(customer, '4242424242424242')
  t.true((await visitor.send(`/membership/resume/${id}`)).status < 400, 'with a card it goes on')
  await settle(opened)
  t.is((await m.users.findByEmail('ann@example.com'))!.subscriptions()[0]?.status, 'active')
})
