import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { stripe } from '../../providers/stripe/selling.ts'
import { openSellingSite } from '../../support/selling-site.ts'
import { openStripeSite } from '../../support/stripe-site.ts'
import { buy, createMailbox, createVisitor, logIn } from '../../support/visitor.ts'

const settles = 'DE89370400440532013000'
const comesBack = 'DE62370400440532013001'

const hourMs = 3_600_000

function openSold(fake: Awaited<ReturnType<typeof openStripeSite>>['fake']) {
  return fake.objects.list('checkout.session').filter(({ status }) => status === 'open')
}

for (const [what, path, fields] of [
  ['a membership', '/membership/subscribe/pro', { price: 'price_month' }],
  ['what is bought once', '/membership/payment', { product: 'price_book' }],
] as const) {
  test(`a bank debit for ${what} is shown as processing until the bank answers, and is not offered again`, async (t) => {
    const mailbox = createMailbox()
    const opened = await openStripeSite(t, mailbox.options)
    const { fake, site, m } = opened
    const visitor = createVisitor(site)
    const begun = await visitor.send(path, fields)
    const session = fake.objects.list('checkout.session').at(-1)!
    await fake.pay(session.id, { email: 'ann@example.com', card: settles, days: 12 })
    const page = new URL(String(session.success_url)).pathname
    const state = async () => (await visitor.get(page, { accept: 'application/json' })).json.status
    t.is(await state(), 'processing')
    t.regex((await visitor.get(page)).text, /Your payment is in progress/)
    await fake.deliver()
    await m.runDueJobs()
    t.is(mailbox.of('ann@example.com', 'payment-pending').length, 1)
    t.is(mailbox.of('ann@example.com', 'welcome').length, 0)
    for (const days of [1, 8]) {
      await fake.advance({ days: days === 1 ? 1 : 7 })
      await fake.deliver()
      await m.runDueJobs()
      t.is(await state(), 'processing', `day ${days}`)
      const again = await visitor.send(path, fields)
      t.is(again.status, 201, again.text)
      t.is(new URL(again.json.url).pathname, page, 'the second click leads to the first purchase')
    }
    t.is(fake.objects.list('checkout.session').length, 1)
    await fake.advance({ days: 5 })
    await fake.deliver()
    await m.runDueJobs()
    t.is(await state(), 'paid')
    const user = (await m.users.findByEmail('ann@example.com'))!
    t.true(user.hasGate((path.endsWith('pro') ? 'pro' : 'book') as never))
    t.is(mailbox.of('ann@example.com', 'receipt').length, 1)
    t.is(mailbox.of('ann@example.com', 'payment-pending').length, 1)
    t.is(begun.json.intent_id, page.split('/').at(-1))
  })

  test(`a returned bank debit for ${what} never reads as paid, by event or by fetch`, async (t) => {
    const mailbox = createMailbox()
    const opened = await openStripeSite(t, mailbox.options)
    const { fake, site, m } = opened
    for (const hears of [true, false]) {
      const email = hears ? 'ann@example.com' : 'deaf@example.com'
      const visitor = createVisitor(site)
      await visitor.send(path, fields)
      const session = fake.objects.list('checkout.session').at(-1)!
      await fake.pay(session.id, { email, card: comesBack })
      if (hears) await fake.deliver()
      await fake.advance({ days: 6 })
      if (hears) await fake.deliver()
      const page = new URL(String(session.success_url)).pathname
      const back = await visitor.get(page)
      t.regex(back.text, /The payment failed/)
      t.false(/Thank you\. You/.test(back.text))
      await fake.deliver()
      t.is((await visitor.get(page, { accept: 'application/json' })).json.status, 'failed')
      await m.runDueJobs()
      t.is(mailbox.of(email, 'purchase-failed').length, 1)
      t.is(mailbox.of(email, 'welcome').length + mailbox.of(email, 'receipt').length, 0)
      t.is(await m.users.findByEmail(email), null, 'nothing was bought')
      const again = await visitor.send(path, fields)
      t.is(again.status, 201, again.text)
      t.is(openSold(fake).length, 1, 'it is sold again')
      await fake.pay(openSold(fake)[0]!.id, { email: `other-${email}` })
    }
  })
}

test('a debit without an event is fetched every six hours, however often the site restarts', async (t) => {
  const opened = await openSellingSite(t, stripe)
  const { fake, site } = opened
  const begun = await createVisitor(site).send('/membership/subscribe/pro', {})
  const id = stripe.checkoutIn(begun.json.url)
  await fake.pay(id, { email: 'ann@example.com', card: settles, days: 3 })
  await fake.deliver()
  await opened.m.runDueJobs()
  const asked = () => fake.requests().filter(({ path }) => path.includes(id)).length
  let { m } = opened
  const before = asked()
  for (let hours = 1; hours <= 11; hours++) {
    await fake.advance({ ms: hourMs })
    ;({ m } = await opened.restart({}))
    await m.runDueJobs()
    t.is(asked() - before, Math.floor(hours / 6), `${hours} hours`)
  }
  await fake.advance({ days: 3 })
  await m.runDueJobs()
  t.true((await m.users.findByEmail('ann@example.com'))?.hasGate('pro' as never))
})

test('a member with a debit in progress buys nothing twice, not even in another browser', async (t) => {
  const mailbox = createMailbox()
  const opened = await openStripeSite(t, mailbox.options)
  const { fake, m, site } = opened
  await buy(opened, 'ann@example.com', { path: '/membership/payment', product: 'price_book' })
  const ann = await logIn(opened, mailbox, 'ann@example.com')
  const begun = await ann.send('/membership/subscribe/pro', { price: 'price_month' })
  t.is(begun.status, 201, begun.text)
  await fake.pay(fake.objects.list('checkout.session').at(-1)!.id, { card: settles, days: 9 })
  await fake.deliver()
  await m.runDueJobs()
  const elsewhere = await logIn(opened, mailbox, 'ann@example.com', createVisitor(site))
  const second = await elsewhere.send('/membership/subscribe/team')
  t.is(openSold(fake).length, 0, second.text)
  t.is(second.json.code, 'ERR_CHECKOUT_REFUSED')
  await fake.advance({ days: 10 })
  await fake.deliver()
  t.is((await m.users.findByEmail('ann@example.com'))?.subscriptions().length, 1)
})

test('a buyer who paid and closed the tab is led to the purchase at the next click', async (t) => {
  const opened = await openStripeSite(t)
  const { fake, site, m } = opened
  for (const hears of [true, false]) {
    const visitor = createVisitor(site)
    await visitor.send('/membership/subscribe/pro', { price: 'price_month' })
    const session = fake.objects.list('checkout.session').at(-1)!
    await fake.pay(session.id, { email: `ann-${hears}@example.com` })
    await fake.advance({ ms: 5000 })
    if (hears) await fake.deliver()
    for (const [path, fields] of [
      ['/membership/subscribe/pro', { price: 'price_month' }],
      ['/membership/subscribe/pro', { price: 'price_year' }],
      ['/membership/subscribe/team', {}],
    ] as const) {
      const again = await visitor.send(path, fields)
      t.is(again.status, 201, again.text)
      t.is(again.json.url, session.success_url)
    }
    t.is(openSold(fake).length, 0)
    const back = await visitor.get(new URL(String(session.success_url)).pathname)
    t.regex(back.text, /Thank you\. You/)
    await fake.deliver()
    const user = (await m.users.findByEmail(`ann-${hears}@example.com`))!
    t.is(user.subscriptions().length, 1)
  }
})

test('an ended or refunded purchase can be bought again in the same browser', async (t) => {
  const opened = await openStripeSite(t)
  const { fake, site } = opened
  const { visitor, session } = await buy(opened, 'ann@example.com', {
    path: '/membership/payment',
    product: 'price_book',
  })
  const fresh = createVisitor(site)
  for (const [name, value] of visitor.cookies) if (!/session/.test(name)) fresh.cookies.set(name, value)
  const led = await fresh.send('/membership/payment', { product: 'price_book' })
  t.is(led.json.url, session.success_url)
  fake.refund(String(fake.objects.list('payment_intent')[0]?.id))
  await fake.deliver()
  const again = await fresh.send('/membership/payment', { product: 'price_book' })
  t.is(again.status, 201)
  t.is(openSold(fake).length, 1)
})

test('an ended purchase can be bought again, even if the provider’s last event is late', async (t) => {
  const opened = await openStripeSite(t)
  const { fake, m } = opened
  const { visitor, id, user } = await buy(opened, 'ann@example.com')
  t.is((await visitor.send(`/membership/cancel/${id}`)).status, 200)
  await fake.deliver()
  const end = user.subscriptions()[0]?.current_period_end
  await fake.advance({ ms: Date.parse(end!) - fake.now().getTime() })
  const late = await m.users.findById(user.id)
  t.is(late?.subscriptions()[0]?.status, 'active')
  t.false(late?.hasGate('pro'))
  const again = await visitor.send('/membership/subscribe/pro', { price: 'price_month' })
  t.is(again.status, 201)
  t.true(
    openSold(fake).some(({ url }) => url === again.json.url),
    again.json.url,
  )
})

test('a purchase on two signed-out devices is mailed at once, with the way to a refund', async (t) => {
  const mailbox = createMailbox()
  const opened = await openStripeSite(t, mailbox.options)
  const { m, fake } = opened
  await buy(opened, 'ann@example.com')
  await logIn(opened, mailbox, 'ann@example.com')
  await m.runDueJobs()
  t.is(mailbox.of('ann@example.com', 'bought-twice').length, 0)
  await buy(opened, 'Ann@Example.com', { path: '/membership/subscribe/team' })
  await fake.deliver()
  await m.runDueJobs()
  t.is((await m.users.findByEmail('ann@example.com'))?.subscriptions().length, 2)
  const [mail, ...more] = mailbox.of('ann@example.com', 'bought-twice')
  t.regex(mail?.text ?? '', /two devices: Team[\s\S]*refund/)
  t.is(more.length, 0)
})

test('an open checkout is closed at the provider where it was opened, even after a switch', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'membership-purchases-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const { fake, site, another } = await openStripeSite(t, {
    'membership.database.url': `sqlite:${join(folder, 'site.sqlite')}`,
    'membership.secret': 'one secret for all processes of this site',
  })
  const visitor = createVisitor(site)
  t.is((await visitor.send('/membership/subscribe/pro', { price: 'price_month' })).status, 201)
  const prices = [{ id: 'sandbox_month', amount: 900, currency: 'EUR', interval: 'month' as const }]
  const second = await another({
    'membership.provider.handler': 'sandbox',
    'membership.providers.sandbox.plans': { basic: { group: 'membership', prices } },
  })
  const twin = createVisitor(second.site)
  for (const [name, value] of visitor.cookies) twin.cookies.set(name, value)
  const begun = await twin.send('/membership/subscribe/basic', { token: await visitor.formToken() })
  t.is(begun.status, 201, begun.text)
  t.regex(begun.json.url, /sandbox/)
  t.deepEqual(
    fake.objects.list('checkout.session').map(({ status }) => status),
    ['expired'],
  )
})

test('an account created by a purchase has the language of its page, and so have its mails', async (t) => {
  const mailbox = createMailbox()
  const { fake, site, m } = await openStripeSite(t, mailbox.options)
  const buyIn = async (email: string, headers: Record<string, string>, paid: object = {}) => {
    const visitor = createVisitor(site)
    const asked = { accept: 'application/json', ...headers }
    const begun = await visitor.send('/membership/subscribe/pro', { price: 'price_month' }, asked)
    t.is(begun.status, 201, begun.text)
    await fake.pay(fake.objects.list('checkout.session').at(-1)!.id, { email, ...paid })
    // Before any message: by one about the customer alone nobody would know yet where it was begun.
    await visitor.get(`/membership/subscribe/${begun.json.intent_id}`)
    await fake.deliver()
    await m.runDueJobs()
    return (await m.users.findByEmail(email))?.language
  }
  t.is(await buyIn('ann@example.com', { 'accept-language': 'de-AT, en;q=0.5' }), 'de')
  t.is(mailbox.of('ann@example.com', 'welcome')[0]?.language, 'de')
  t.is(mailbox.of('ann@example.com', 'receipt')[0]?.language, 'de')

  t.is(await buyIn('bob@example.com', { 'accept-language': 'tlh' }), null, 'what nobody speaks is not kept')
  t.is(mailbox.of('bob@example.com', 'welcome')[0]?.language, 'en')

  await m.users.create({ email: 'eve@example.com', verified: true, language: 'en' })
  t.is(await buyIn('eve@example.com', { 'accept-language': 'de' }), 'en', 'the account’s own stays')

  await buyIn('zoe@example.com', { 'accept-language': 'de' }, { card: settles, days: 12 })
  t.is(mailbox.of('zoe@example.com', 'payment-pending')[0]?.language, 'de')
})

test('a guest’s order and language are in the first mails, whichever event creates the account', async (t) => {
  const mailbox = createMailbox()
  const { fake, site, m } = await openStripeSite(t, { ...mailbox.options, 'membership.shop.country': 'DE' })
  const visitor = createVisitor(site)
  const german = { 'accept-language': 'de' }
  const asked = { accept: 'application/json', ...german }
  const order = await visitor.get('/membership/order?plan=pro&price=price_month', asked)
  const agreed = { price: 'price_month', shown: order.json.shown, consent: order.json.consent.version }
  const begun = await visitor.send('/membership/subscribe/pro', agreed, asked)
  t.is(begun.status, 201, begun.text)
  await fake.pay(fake.objects.list('checkout.session').at(-1)!.id, { email: 'ann@example.com' })
  const types: string[] = []
  const send = async (isOfCheckout: boolean) => {
    for (const event of fake.events().filter(({ type }) => type.startsWith('checkout.') === isOfCheckout)) {
      types.push(event.type)
      const raw = JSON.stringify(event)
      await fetch(`${site}/membership/webhooks/stripe`, {
        method: 'POST',
        body: raw,
        headers: { 'content-type': 'application/json', ...m.webhooks.sign('stripe', Buffer.from(raw)) },
      })
      // Hooks and mails are looked after between any two messages.
      await m.runDueJobs()
    }
  }
  await send(false)
  t.truthy(await m.users.findByEmail('ann@example.com'), 'a message about the customer made the account')
  await m.runDueJobs()
  await fake.advance({ ms: 3000 })
  await send(true)
  await fake.advance({ ms: 20_000 })
  await m.runDueJobs()
  const [welcome] = mailbox.of('ann@example.com', 'welcome')
  t.is(welcome?.language, 'de', types.join())
  t.is(mailbox.of('ann@example.com', 'receipt')[0]?.language, 'de')
  t.regex(
    welcome?.text ?? '',
    /Ihre Bestellung vom[\s\S]*9\s€ pro Monat[\s\S]*Verlängerung: automatisch[\s\S]*Sie haben erklärt:/,
  )
})

test('a completed checkout with an unknown subscription blocks the next one for a day', async (t) => {
  const opened = await openStripeSite(t)
  const { fake, site, m } = opened
  await m.users.create({ email: 'ann@example.com', verified: true })
  const visitor = createVisitor(site)
  const begun = await visitor.send('/membership/subscribe/pro', { price: 'price_month' })
  t.is(begun.status, 201, begun.text)
  const session = fake.objects.list('checkout.session').find(({ url }) => url === begun.json.url)!
  await fake.pay(session.id, { email: 'ann@example.com' })
  // Only the checkout's own event arrives, and Stripe's API answers nothing for hours.
  const undo = fake.outage({ kind: '500', requests: 100_000 })
  const completed = fake.events().find(({ type }) => type === 'checkout.session.completed')!
  const body = Buffer.from(JSON.stringify(completed))
  await m.webhooks.receive('stripe', { body, headers: m.webhooks.sign('stripe', body) })

  for (const hours of [0, 1, 20]) {
    await fake.advance({ ms: hours * 3_600_000 })
    const again = await visitor.send('/membership/subscribe/pro', { price: 'price_month' })
    t.notRegex(String(again.json?.url), /checkout\/|cs_/, `after ${hours} hours: ${again.text}`)
    t.is(again.json?.intent_id, begun.json.intent_id)
  }
  undo()
  t.is(fake.objects.list('checkout.session').length, 1)

  await fake.advance({ ms: 4 * 3_600_000 })
  const next = await visitor.send('/membership/subscribe/pro', { price: 'price_year' })
  t.is(next.status, 201, next.text)
})
