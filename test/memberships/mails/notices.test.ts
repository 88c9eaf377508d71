import test from 'ava'
import type { OrderedData } from '../../../src/memberships/mails/data.ts'
import { createNotices, type MailKind, type NoticesDeps } from '../../../src/memberships/mails/index.ts'
import { stripeEvent } from '../../support/stripe-events.ts'
import { openStripeSite, type StripeSite } from '../../support/stripe-site.ts'
import { askFake, buy, createMailbox, createVisitor } from '../../support/visitor.ts'
import { kinds, openMails, samples } from './support.ts'

test('each mail is sent when due, once, also through a failing transport', async (t) => {
  const mailbox = createMailbox()
  let broken = 2
  const tried: string[] = []
  const opened = await openStripeSite(t, {
    mails: {
      transport: async (mail) => {
        tried.push(mail.id)
        if (broken-- > 0) throw new Error('no connection')
        await mailbox.options.mails.transport(mail)
      },
    },
  })
  const { fake, m } = opened
  const { id } = await buy(opened, 'ann@example.com')
  const settle = async () => {
    for (let n = 0; n < 60; n++) {
      await fake.deliver()
      await m.runDueJobs()
      if ((await m.operator.outbox.list()).length === 0) return
      await fake.advance({ ms: 30_000 })
    }
  }
  const kinds = () => mailbox.of('ann@example.com').map(({ kind }) => kind)
  await settle()
  t.deepEqual(kinds(), ['welcome', 'receipt'])
  t.is(tried[0], tried[1], 'the same mail under the same id')
  t.regex(mailbox.sent[1]!.text, /€9 on 15 January 2026 for Pro/)
  fake.useCard(fake.objects.list('customer')[0]!.id, '4000000000000341')
  await fake.advance({ months: 1, ms: 7_200_000 })
  await settle()
  t.deepEqual(kinds(), ['welcome', 'receipt', 'payment-failed'])
  fake.useCard(fake.objects.list('customer')[0]!.id, '4242424242424242')
  await fake.advance({ days: 5 })
  await settle()
  t.deepEqual(kinds(), ['welcome', 'receipt', 'payment-failed', 'receipt'])
  const user = (await m.users.findByEmail('ann@example.com'))!
  await m.subscriptions.cancel({ user, subscriptionId: id, when: 'period_end' })
  await fake.advance({ ms: 200_000 })
  await settle()
  t.is(kinds().at(-1), 'cancellation')
  t.is(kinds().length, 5)
  t.is(new Set(mailbox.sent.map((mail) => mail.id)).size, 5)
})

/** Lets messages, news and mails arrive. */
async function settle({ fake, m }: Pick<StripeSite, 'fake' | 'm'>) {
  for (let n = 0; n < 60; n++) {
    await fake.deliver()
    await m.runDueJobs()
    if ((await m.operator.outbox.list()).length === 0) return
    await fake.advance({ ms: 30_000 })
  }
}
const plans = {
  'membership.providers.stripe.plans': {
    pro: { group: 'a', prices: [{ id: 'price_month', trial_days: 14 }, 'price_year'], quantity: { max: 5 } },
    team: { group: 'a', prices: ['price_team'], quantity: { max: 10 } },
  },
}
function flat(text: string | undefined): string {
  return (text ?? '').replace(/\s+/g, ' ')
}

test('a trial is announced a week before its charge, a year a month before, each once for all processes', async (t) => {
  const mailbox = createMailbox()
  const opened = await openStripeSite(t, { ...mailbox.options, ...plans })
  const { fake, m } = opened
  const second = await opened.another()
  await buy(opened, 'ann@example.com')
  await buy(opened, 'ben@example.com', { price: 'price_year' })
  await settle(opened)
  await fake.advance({ days: 6 })
  await settle(opened)
  t.is(mailbox.of('ann@example.com', 'trial-ending').length, 0)
  await fake.advance({ days: 1, ms: 3_600_000 })
  await fake.deliver()
  await Promise.all([m.runDueJobs(), second.m.runDueJobs()])
  await settle(opened)
  const [mail, ...more] = mailbox.of('ann@example.com', 'trial-ending')
  t.is(more.length, 0)
  t.regex(flat(mail?.text), /ends on 29 January 2026: .* it costs €9 per month\. .*before 29 January 2026/)
  t.deepEqual(mail?.headers, {}, 'nobody may unsubscribe from what is charged')

  await fake.advance({ days: 327 })
  await settle(opened)
  t.is(mailbox.of('ben@example.com', 'renewal-ahead').length, 0)
  await fake.advance({ days: 2 })
  await settle(opened)
  const [renewal] = mailbox.of('ben@example.com', 'renewal-ahead')
  t.regex(flat(renewal?.text), /renews on 15 January 2027: .* It costs €90 per year/)
  await fake.advance({ days: 40 })
  await settle(opened)
  t.is(mailbox.of('ben@example.com', 'renewal-ahead').length, 1)
  t.is(mailbox.of('ann@example.com', 'renewal-ahead').length, 0, 'a month is not announced')
  t.is(mailbox.of('ann@example.com', 'trial-ending').length, 1)
})

test('a member who cancels a trial is told that nothing is charged, and gets no announcement', async (t) => {
  const mailbox = createMailbox()
  let isAway = false
  const opened = await openStripeSite(t, {
    ...plans,
    mails: {
      transport: async (mail) => {
        if (isAway) throw new Error('the mail server is away')
        await mailbox.options.mails.transport(mail)
      },
    },
  })
  const { fake, m } = opened
  const ann = await buy(opened, 'ann@example.com')
  const ben = await buy(opened, 'ben@example.com', { card: '5555555555554444' })
  await settle(opened)
  await m.subscriptions.cancel({ user: ann.user, subscriptionId: ann.id, when: 'period_end' })
  await settle(opened)
  t.regex(
    flat(mailbox.of('ann@example.com', 'cancellation')[0]?.text),
    /during the trial: .*You won’t be charged\..*until 29 January 2026/,
  )
  // Due, but not out of the door yet, when the plan is left.
  isAway = true
  await fake.advance({ days: 8 })
  await fake.deliver()
  await m.runDueJobs()
  t.true((await m.operator.outbox.list()).some(({ id }) => id.startsWith('mail:trial-ending:')))
  await m.subscriptions.cancel({ user: ben.user, subscriptionId: ben.id, when: 'period_end' })
  isAway = false
  await fake.advance({ ms: 3_600_000 })
  await settle(opened)
  t.deepEqual(
    mailbox.of('ben@example.com').map(({ kind }) => kind),
    ['welcome', 'cancellation'],
  )
  t.is(mailbox.of('ann@example.com', 'trial-ending').length, 0)
})

test('partial and full refunds and a change of plan are notified, each with its own text', async (t) => {
  const mailbox = createMailbox()
  const opened = await openStripeSite(t, mailbox.options)
  const { fake, m } = opened
  const { user, id } = await buy(opened, 'ann@example.com')
  await settle(opened)
  const charge = String(fake.objects.list('charge')[0]?.id)
  fake.refund(charge, 300)
  await settle(opened)
  fake.refund(charge)
  await settle(opened)
  t.deepEqual(
    mailbox.of('ann@example.com', 'refund').map(({ text }) => /We refunded .*?\./s.exec(flat(text))?.[0]),
    [
      'We refunded €3 of the €9 that you paid for Pro, monthly.',
      'We refunded €6 of the €9 that you paid for Pro, monthly.',
    ],
  )
  await m.subscriptions.change({
    user: (await m.users.findById(user.id))!,
    subscriptionId: id,
    plan: 'team',
    price: null,
    quantity: null,
    proration: null,
    prorationAt: null,
  })
  await settle(opened)
  t.regex(
    flat(mailbox.of('ann@example.com', 'changed')[0]?.text),
    /Before: Pro, monthly\. Now: Team, monthly\. It costs €25 per month\./,
  )
})

test('a cancellation that is undone, a pause and its end are confirmed once each, with the day that follows', async (t) => {
  const mailbox = createMailbox()
  const pause = { 'membership.providers.stripe.pause': { max_days: 60 } }
  const opened = await openStripeSite(t, { ...mailbox.options, ...pause })
  const { m, fake } = opened
  const { user, id: subscriptionId } = await buy(opened, 'ann@example.com')
  const pass = async () => {
    for (let n = 0; n < 4; n++) {
      await fake.advance({ ms: 30_000 })
      await settle(opened)
    }
  }
  const own = async () => ({ user: (await m.users.findById(user.id))!, subscriptionId })
  const mails = () =>
    mailbox.of('ann@example.com', 'changed').map(({ subject, text }) => [subject, flat(text)])
  await pass()
  await m.subscriptions.cancel({ ...(await own()), when: 'period_end' })
  await pass()
  t.deepEqual(mails(), [])
  await m.subscriptions.resume(await own())
  await pass()
  t.is(mails().length, 1)
  t.is(mails()[0]?.[0], 'Your membership continues: Pro, monthly')
  t.regex(mails()[0]?.[1] ?? '', /It costs €9 per month\. The next payment is on 15 February 2026\./)

  await m.subscriptions.pause(await own())
  await pass()
  t.is(mails().length, 2)
  t.is(mails()[1]?.[0], 'Paused: Pro, monthly')
  t.regex(
    mails()[1]?.[1] ?? '',
    /pauses on 15 February 2026: Pro, monthly\. From then until 16 April 2026, no payment is taken\./,
  )
  await m.subscriptions.resume(await own())
  await pass()
  t.is(mails().length, 3)
  t.is(mails()[2]?.[0], 'Your membership continues: Pro, monthly')
  t.is(mailbox.of('ann@example.com', 'cancellation').length, 1)
})

test('a refund that waits is announced as waiting, its failure is corrected, and another one is announced again', async (t) => {
  const mailbox = createMailbox()
  const opened = await openStripeSite(t, mailbox.options)
  const { fake, m } = opened
  await buy(opened, 'ann@example.com', { path: '/membership/payment', product: 'price_book' })
  await settle(opened)
  const [charge] = fake.objects.list('charge')
  const receive = async (type: string, object: Record<string, unknown>) => {
    await fake.advance({ ms: 10_000 })
    const created = Math.floor(fake.now().getTime() / 1000)
    const body = Buffer.from(JSON.stringify({ ...stripeEvent(type, object, { created }), livemode: false }))
    await m.webhooks.receive('stripe', { body, headers: m.webhooks.sign('stripe', body) as never })
    await settle(opened)
  }
  const subjects = () => mailbox.of('ann@example.com', 'refund').map(({ subject }) => subject)
  const refund = (id: string, status: string) => ({
    id,
    object: 'refund',
    status,
    amount: charge!.amount,
    currency: 'eur',
    charge: charge!.id,
    payment_intent: charge!.payment_intent,
    metadata: {},
    created: charge!.created,
  })
  const back = { ...charge!, amount_refunded: charge!.amount, refunded: true }
  // https://docs.stripe.com/refunds#pending-refunds: a balance that is too low.
  await receive('refund.created', refund('re_1', 'pending'))
  await receive('charge.refunded', back)
  t.deepEqual(subjects(), ['Your refund is on its way: €19 for Book'])
  t.regex(flat(mailbox.of('ann@example.com', 'refund')[0]!.text), /It has not been paid yet\./)
  await receive('charge.updated', charge!)
  await receive('refund.failed', refund('re_1', 'failed'))
  t.is(subjects()[1], 'Your refund failed: €19 for Book')
  t.regex(
    flat(mailbox.of('ann@example.com', 'refund')[1]!.text),
    /The money is still with us\..*You have access to Book again\./,
  )
  await receive('charge.refunded', back)
  await receive('refund.created', refund('re_2', 'succeeded'))
  t.is(subjects().length, 3)
  t.is(subjects()[2], 'Refund: €19 for Book')
})

test('an end after a chargeback names the bank, not a cancellation', async (t) => {
  const mailbox = createMailbox()
  const opened = await openStripeSite(t, mailbox.options)
  const { fake, m } = opened
  const { user, id } = await buy(opened, 'ann@example.com')
  await settle(opened)
  fake.dispute(String(fake.objects.list('charge')[0]?.id))
  await settle(opened)
  const own = (await m.users.findById(user.id))!
  await m.subscriptions.cancel({ user: own, subscriptionId: id, when: 'now' })
  await settle(opened)
  t.regex(
    flat(mailbox.of('ann@example.com', 'cancellation')[0]?.text),
    /has ended: Pro, monthly\. Your bank took the last payment back/,
  )
})

test('a failed payment says what closes and when it is retried, and its link only pays, without a login', async (t) => {
  const mailbox = createMailbox()
  const opened = await openStripeSite(t, mailbox.options)
  const { fake, site } = opened
  await buy(opened, 'ann@example.com')
  await settle(opened)
  const customer = String(fake.objects.list('customer')[0]!.id)
  fake.useCard(customer, '4000000000000341')
  await fake.advance({ months: 1, ms: 7_200_000 })
  await settle(opened)
  const { text = '' } = mailbox.of('ann@example.com', 'payment-failed')[0] ?? {}
  t.regex(
    flat(text),
    /You keep access until 8 March 2026 at the latest\. It ends sooner if the payment is given up and the membership ends\./,
  )
  t.regex(flat(text), /try the payment again on 1[5-9] February 2026/)
  const path = new URL(/https?:\/\/\S+\/membership\/pay\/\S+/.exec(text)?.[0] ?? '').pathname

  const stranger = createVisitor(site)
  const asked = fake.requests().length
  const page = await stranger.get(path)
  t.is(page.status, 200)
  t.regex(flat(page.text), /Pro, monthly: €9/)
  t.notRegex(page.text, /ann@example\.com/)
  t.is(page.headers.get('referrer-policy'), 'no-referrer')
  t.is(fake.requests().length, asked, 'looking asks no provider')
  const paid = await stranger.send(path)
  t.regex(paid.json.url, /^http:\/\/127\.0\.0\.1/)
  t.false(stranger.cookies.has('membership_session'))
  t.is((await stranger.send('/membership/portal')).status, 401)
  const token = path.split('/').at(-1)!
  for (const other of ['login', 'account/email', 'account/email-undo', 'unsubscribe'])
    t.is((await stranger.send(`/membership/${other}/${token}`)).json?.code ?? 'ERR_LINK', 'ERR_LINK', other)

  fake.useCard(customer, '4242424242424242')
  await fake.advance({ days: 5 })
  await settle(opened)
  t.regex((await stranger.get(path)).text, /Nothing to pay/)
  t.deepEqual((await stranger.send(path)).json, { url: null })
  await fake.advance({ days: 40 })
  t.is((await stranger.send(path)).json.code, 'ERR_LINK')
})

test('a manual grant is notified once, not if it was revoked before; such mails can be switched off', async (t) => {
  const mailbox = createMailbox()
  let isDown = true
  const { m, site, fake } = await openStripeSite(t, {
    ...mailbox.options,
    mails: {
      transport: async (mail) => {
        if (isDown) throw new Error('451 try again later')
        await mailbox.options.mails.transport(mail)
      },
    },
  })
  const ann = await m.users.create({ email: 'ann@example.com', verified: true })
  // Where no address is configured, the first request tells it.
  await fetch(site)
  const give = () =>
    m.users.grant({ memberId: ann.id, gate: 'pro', expiresAt: new Date('2026-03-01T00:00:00Z') })
  await m.users.revoke(await give())
  await give()
  // Nothing has left until then, however fast it is tried; and what the site began by itself has come to its end.
  await m.runDueJobs()
  isDown = false
  await fake.advance({ ms: 3_600_000 })
  await m.runDueJobs()
  await m.runDueJobs()
  const mails = mailbox.of('ann@example.com')
  t.deepEqual(
    mails.map(({ kind }) => kind),
    ['granted'],
  )
  t.regex(flat(mails[0]?.text), /We gave you access: Pro\. It lasts until 1 March 2026/)
  const url = /^<(.*)>$/.exec(mails[0]?.headers['List-Unsubscribe'] ?? '')?.[1] ?? ''
  t.is(mails[0]?.headers['List-Unsubscribe-Post'], 'List-Unsubscribe=One-Click')
  // A mail program looks at the link; then it sends what RFC 8058 says, without a cookie and from nowhere.
  t.is((await fetch(url)).status, 200)
  const oneClick = (to: string) =>
    fetch(to, {
      method: 'POST',
      body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
      redirect: 'error',
    })
  await give()
  await m.runDueJobs()
  t.is(mailbox.of('ann@example.com').length, 2, 'looking switches nothing off')
  t.is((await oneClick(url)).status, 200)
  t.is((await oneClick(`${url}x`)).status, 410)
  await give()
  await m.runDueJobs()
  t.is(mailbox.of('ann@example.com').length, 2)
  t.true(url.startsWith(site))
  // Merged, the choice is the person's; taken back by the link of the older account, it counts for both.
  const other = await m.users.create({ email: 'ann@other.example', verified: true })
  await m.users.merge({ keep: other.id, merge: ann.id, by: 'ada', write: true })
  const giveOther = () => m.users.grant({ memberId: other.id, gate: 'pro' })
  await giveOther()
  await m.runDueJobs()
  t.is(mailbox.of('ann@other.example', 'granted').length, 0)
  const page = await fetch(`${url}?back=1`, { method: 'POST', redirect: 'error' })
  t.regex(await page.text(), /Optional mails are on/)
  await giveOther()
  await m.runDueJobs()
  t.is(mailbox.of('ann@other.example', 'granted').length, 1)
})

test('a reminder covers the actual charge: the new plan and date, never an abandoned or paused one', async (t) => {
  const mailbox = createMailbox()
  const opened = await openStripeSite(t, {
    ...mailbox.options,
    ...plans,
    'membership.providers.stripe.pause': { max_days: 90 },
  })
  const { fake, m } = opened
  const own = async (email: string) => (await m.users.findByEmail(email))!
  const change = async (email: string, to: object) => {
    const user = await own(email)
    const wish = { plan: null, price: null, quantity: null, proration: null, prorationAt: null, ...to }
    await m.subscriptions.change({ user, subscriptionId: user.subscriptions()[0]!.id, ...wish })
  }
  await buy(opened, 'ann@example.com')
  const zoe = await buy(opened, 'zoe@example.com', { card: '5555555555554444' })
  await buy(opened, 'ben@example.com', { price: 'price_year' })
  const eve = await buy(opened, 'eve@example.com', { price: 'price_year' })
  await settle(opened)
  await fake.advance({ days: 2 })
  await change('ann@example.com', { plan: 'team' })
  await settle(opened)
  await fake.advance({ days: 6 })
  await settle(opened)
  t.regex(flat(mailbox.of('ann@example.com', 'trial-ending')[0]?.text), /29 January 2026: Team, monthly\./)
  t.is(mailbox.of('zoe@example.com', 'trial-ending').length, 1)
  // The shop gives two more weeks.
  const longer = String(Date.parse('2026-02-12T12:00:00Z') / 1000)
  await askFake(fake, 'POST', `/v1/subscriptions/${zoe.id}`, {
    trial_end: longer,
    proration_behavior: 'none',
  })
  await settle(opened)
  await fake.advance({ days: 15 })
  await settle(opened)
  t.deepEqual(
    mailbox.of('zoe@example.com', 'trial-ending').map(({ subject }) => /on (.*):/.exec(subject)?.[1]),
    ['29 January 2026', '12 February 2026'],
  )
  await fake.advance({ days: 270 })
  await settle(opened)
  await change('ben@example.com', { price: 'price_month' })
  const until = '2027-02-15T12:00:00.000Z'
  await m.subscriptions.pause({ user: await own('eve@example.com'), subscriptionId: eve.id, until })
  await settle(opened)
  await fake.advance({ days: 60 })
  await settle(opened)
  for (const email of ['ann', 'ben', 'eve'])
    t.is(mailbox.of(`${email}@example.com`, 'renewal-ahead').length, 0, email)
  t.is(mailbox.of('ann@example.com', 'trial-ending').length, 1)
})

test('after an upgrade with reminders, each future event is announced once and on time, and no past one', async (t) => {
  const mailbox = createMailbox()
  const opened = await openStripeSite(t, {
    ...mailbox.options,
    ...plans,
    // As it was before there were any.
    'membership.mails.trial_days': 0,
    'membership.mails.renewal_days': 0,
  })
  const { fake, m } = opened
  await buy(opened, 'ann@example.com', { price: 'price_year' })
  const old = await buy(opened, 'old@example.com', { price: 'price_year' })
  await m.subscriptions.cancel({ user: old.user, subscriptionId: old.id, when: 'now' })
  await fake.advance({ days: 100 })
  await buy(opened, 'ben@example.com', { price: 'price_year' })
  await settle(opened)
  await fake.advance({ days: 245 })
  await settle(opened)
  const { m: upgraded, site } = await opened.another({
    'membership.mails.trial_days': 7,
    'membership.mails.renewal_days': 30,
  })
  await fetch(site)
  const aheads = () => mailbox.sent.filter(({ kind }) => kind === 'renewal-ahead').map(({ to }) => to)
  const work = async () => {
    for (let n = 0; n < 12; n++) await upgraded.runDueJobs()
  }
  await work()
  t.deepEqual(aheads(), ['ann@example.com'], 'twenty days before, at the first look')
  await fake.advance({ days: 80 })
  await work()
  t.deepEqual(aheads(), ['ann@example.com'])
  await fake.advance({ days: 12 })
  await work()
  t.deepEqual(aheads(), ['ann@example.com', 'ben@example.com'], 'without any message of the provider')
  t.is(mailbox.of('old@example.com', 'renewal-ahead').length, 0)
})

test('a card that expires before the renewal is named two weeks ahead, once, and not after a cancellation', async (t) => {
  const mailbox = createMailbox()
  const opened = await openStripeSite(t, { ...mailbox.options })
  const { fake, m } = opened
  // Entered in January 2026, test cards work to December 2029: the renewal of 15 January 2030 is the first after that.
  await buy(opened, 'ann@example.com', { price: 'price_year' })
  await buy(opened, 'ben@example.com', { price: 'price_year' })
  const eve = await buy(opened, 'eve@example.com', { price: 'price_year' })
  await settle(opened)
  for (let year = 2026; year < 2029; year++) {
    await fake.advance({ days: 365 })
    await settle(opened)
  }
  await fake.advance({ days: 350 })
  await m.subscriptions.cancel({ user: eve.user, subscriptionId: eve.id, when: 'period_end' })
  await settle(opened)
  t.is(mailbox.of('ann@example.com', 'card-expiring').length, 0, 'sixteen days before')
  await fake.advance({ days: 3 })
  await settle(opened)
  await fake.advance({ days: 1 })
  await settle(opened)
  const [mail, ...more] = mailbox.of('ann@example.com', 'card-expiring')
  t.deepEqual(more, [])
  t.regex(flat(mail?.text), /expires after 31 December 2029\. Your next payment is on 15 January 2030\./)
  t.is(mailbox.of('ben@example.com', 'card-expiring').length, 1)
  t.is(mailbox.of('eve@example.com', 'card-expiring').length, 0)
})

test('three days before access ends unpaid, its member gets a last notice, once, and nobody who has paid', async (t) => {
  const mailbox = createMailbox()
  const opened = await openStripeSite(t, { ...mailbox.options, 'membership.gates.past_due': 7 })
  const { fake, m } = opened
  const second = await opened.another()
  await buy(opened, 'ann@example.com')
  await buy(opened, 'ben@example.com', { card: '5555555555554444' })
  await buy(opened, 'eve@example.com', { card: '4242424242424242' })
  await settle(opened)
  const customers = fake.objects.list('customer')
  for (const { id } of customers) fake.useCard(id, '4000000000000341')
  // Who has the plan for good loses nothing.
  const eve = (await m.users.findByEmail('eve@example.com'))!
  await m.users.grant({ memberId: eve.id, gate: 'pro' })
  await fake.advance({ months: 1, ms: 7_200_000 })
  await settle(opened)
  fake.useCard(customers.find(({ email }) => email === 'ben@example.com')!.id, '4242424242424242')
  await fake.advance({ days: 3, ms: 10_800_000 })
  await settle(opened)
  t.is(mailbox.of('ann@example.com', 'payment-failed').length, 1)
  t.is(mailbox.of('ann@example.com', 'access-ending').length, 0, 'four days before')
  await fake.advance({ days: 1 })
  await fake.deliver()
  await Promise.all([m.runDueJobs(), second.m.runDueJobs()])
  await settle(opened)
  const [mail, ...more] = mailbox.of('ann@example.com', 'access-ending')
  t.deepEqual(more, [])
  const until = (await m.users.findByEmail('ann@example.com'))!.explain('pro' as never).until!
  t.is(until.slice(0, 10), '2026-02-22')
  t.regex(flat(mail?.text), /payment of €9 for Pro.* You lose access on 22 February 2026 unless it is paid\./)
  t.regex(flat(mail?.text), /membership\/pay\//)
  t.deepEqual(mailbox.of('ben@example.com', 'access-ending'), [])
  t.deepEqual(mailbox.of('eve@example.com', 'access-ending'), [])
})

test('a grace of four days ends without a second notice', async (t) => {
  const mailbox = createMailbox()
  const opened = await openStripeSite(t, { ...mailbox.options, 'membership.gates.past_due': 4 })
  const { fake } = opened
  await buy(opened, 'ann@example.com')
  await settle(opened)
  fake.useCard(fake.objects.list('customer')[0]!.id, '4000000000000341')
  await fake.advance({ months: 1, ms: 7_200_000 })
  for (let day = 0; day < 6; day++) {
    await settle(opened)
    await fake.advance({ days: 1 })
  }
  t.is(mailbox.of('ann@example.com', 'payment-failed').length, 1)
  t.is(mailbox.of('ann@example.com', 'access-ending').length, 0)
})

const data = { title: { prices: ['price_month'], quantity: null } }

const given = { gate: 'pro', starts_at: null, expires_at: null, revoked_at: null }
function unused(): never {
  throw new Error('not asked here')
}
/** Mails that nobody sends but the given transport. */
function noticesWith(deps: Pick<NoticesDeps, 'transport'> & Partial<NoticesDeps>) {
  return createNotices({
    mails: openMails,
    kinds: new Set(kinds),
    findMember: async () => ({ id: 'm', email: 'ann@example.com', name: null, language: 'de' }) as never,
    linkOf: async () => ({ ...samples['magic-link'], email: 'ann@example.com', user: null }),
    wasEndedTrial: unused,
    isSwitching: unused,
    wasTakenBack: unused,
    isPutOff: unused,
    plans: () => [],
    titleIn: () => 'Pro',
    planIn: (_language, plan) => plan,
    accountUrl: () => 'https://neap.example/account',
    payUrl: async () => null,
    orderOf: async () => null,
    courtesy: {
      isOff: async () => false,
      urlOf: async () => 'https://neap.example/membership/unsubscribe/x',
    },
    findGrant: async () => given,
    sent: { note: async () => undefined },
    now: () => new Date('2026-01-15T12:00:00Z'),
    ...deps,
  })
}
const { signal } = new AbortController()

test('access revoked while its mail is written is not notified', async (t) => {
  const sent: string[] = []
  let revoked_at: string | null = null
  const notices = noticesWith({
    transport: async ({ kind }) => void sent.push(kind),
    findGrant: async () => ({ ...given, revoked_at }),
    courtesy: {
      isOff: async () => false,
      // To sign a link takes longest of all.
      urlOf: async () => {
        if (sent.length === 1) revoked_at = '2026-01-15T11:59:59Z'
        return 'https://neap.example/membership/unsubscribe/x'
      },
    },
  })
  const payload = { member_id: 'm', kind: 'granted', data: { grant: 'g' } }
  for (const id of ['kept', 'taken back']) await notices.handlers.mail!({ id, at: '', signal, payload })
  t.deepEqual(sent, ['granted'])
})

test('each kind of mail is either a courtesy with List-Unsubscribe, or required for law or money without it', async (t) => {
  const courtesy = ['granted', 'trial-ended', 'welcome']
  const sent = new Map<string, Readonly<Record<string, string>>>()
  let ordered: OrderedData | null = null
  const notices = noticesWith({
    transport: async ({ kind, headers }) => void sent.set(kind, headers),
    orderOf: async () => ordered,
  })
  const send = (kind: MailKind, more: object = {}) =>
    notices.handlers.mail!({
      id: kind,
      at: '',
      signal,
      payload: {
        member_id: 'm',
        kind,
        data: { ...samples[kind], ...(kind === 'granted' ? {} : data), ...more },
      },
    })
  for (const kind of kinds) await send(kind)
  await notices.handlers['link-mail']!({ id: 'x', at: '', signal, payload: { link_id: 'x' } })
  t.deepEqual([...sent.keys()].sort(), [...kinds].sort(), 'every kind was written')
  const unsubscribed = [...sent].filter(([, headers]) => 'List-Unsubscribe' in headers).map(([kind]) => kind)
  t.deepEqual(unsubscribed.sort(), courtesy)
  for (const kind of courtesy)
    t.is(sent.get(kind)?.['List-Unsubscribe-Post'], 'List-Unsubscribe=One-Click', 'RFC 8058')
  // What confirms an order is wanted by the law: directive 2011/83/EU, article 8 (7).
  ordered = { at: '2026-01-15T12:00:00Z', text: '', facts: [] }
  await notices.handlers.mail!({
    id: 'order',
    at: '',
    signal,
    payload: {
      member_id: 'm',
      kind: 'welcome',
      data: samples.welcome,
      bought: { provider: 'stripe', price: 'price_month' },
    },
  })
  t.deepEqual(sent.get('welcome'), {})
})
