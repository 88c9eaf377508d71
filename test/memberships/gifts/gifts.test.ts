import test, { type ExecutionContext } from 'ava'
import type { MembershipOptions, User } from '../../../src/index.ts'
import { signed } from '../../../src/testkit/index.ts'
import { allDatabases } from '../../support/databases.ts'
import { openStripeSite, webhookSecret } from '../../support/stripe-site.ts'
import {
  askFake,
  buy,
  createMailbox,
  createVisitor,
  logIn,
  rejectRefund,
  type Visitor,
} from '../../support/visitor.ts'

async function open(
  t: ExecutionContext,
  options: MembershipOptions = {},
  fakeOptions: Parameters<typeof openStripeSite>[2] = {},
) {
  const mailbox = createMailbox()
  const opened = await openStripeSite(
    t,
    {
      ...mailbox.options,
      'membership.providers.stripe.plans': {
        pro: {
          group: 'membership',
          prices: [
            { id: 'price_month', amount: 900, currency: 'EUR', interval: 'month' },
            { id: 'price_gift', amount: 9000, currency: 'EUR', gives: { plan: 'pro', months: 12 } },
            { id: 'price_gift3', amount: 2500, currency: 'EUR', gives: { plan: 'pro', months: 3 } },
          ],
        },
      },
      ...options,
    },
    fakeOptions,
  )
  const { fake, m, site } = opened
  fake.addPrice({ id: 'price_gift', unit_amount: 9000, currency: 'eur' })
  fake.addPrice({ id: 'price_gift3', unit_amount: 2500, currency: 'eur' })
  const userOf = async (email: string): Promise<User> => (await m.users.findByEmail(email))!
  const pro = async (email: string) => (await userOf(email)).explain('pro' as never)
  /** Somebody with an account, logged in. */
  const person = async (email: string): Promise<Visitor> => {
    await m.users.create({ email, verified: true })
    return logIn({ m, site }, mailbox, email)
  }
  const codeIn = (text: string): string => /([0-9A-Z]{5}-){3}[0-9A-Z]{5}/.exec(text)![0]
  const give = async (fields: Record<string, string>, visitor = createVisitor(site)) => {
    const price = fields.price ?? 'price_gift'
    const bought = await buy({ ...opened }, 'ann@example.com', {
      path: '/membership/gift/pro',
      visitor,
      ...fields,
      price,
    })
    await m.runDueJobs()
    return { ...bought, gift: (await m.gifts.of(await userOf('ann@example.com'))).bought[0]! }
  }
  return { ...opened, mailbox, userOf, pro, person, codeIn, give }
}

test('a gift is paid first, sent on its day, redeemed once, and its buyer sees it', async (t) => {
  const { m, fake, site, mailbox, pro, person, codeIn, give, userOf } = await open(t)
  const { visitor, gift, user, back } = await give({
    to: 'Ben@example.com',
    on: '2026-02-01',
    message: 'Happy birthday!',
  })
  t.is(back.status, 200)
  t.like(gift, { status: 'ready', plan: 'pro', months: 12, to: 'ben@example.com', sent_at: null })
  t.false(user.hasGate('pro' as never), 'the buyer of a gift for somebody else has nothing of it')
  t.is(mailbox.of('ann@example.com', 'gift-bought').length, 1)
  t.is(mailbox.of('ben@example.com', 'gift').length, 0, 'not before its day')
  const page = await visitor.get(`/membership/gifts/${gift.id}`, { accept: 'text/html' })
  const code = codeIn(page.text)
  t.regex(page.text, /It will be sent to ben@example\.com on 1 February/)

  await fake.advance({ days: 17 })
  await m.runDueJobs()
  const [mail] = mailbox.of('ben@example.com', 'gift')
  t.regex(mail!.text, /12 months of Pro/)
  t.regex(mail!.text, /Happy birthday!/)
  t.is(codeIn(mail!.text), code, 'the same code on the page and in the mail')

  const ben = await person('ben@example.com')
  const seen = await ben.get(`/membership/redeem/${code}`, { accept: 'application/json' })
  t.like(seen.json, { status: 'ready', plan: 'pro', months: 12, begins: { kind: 'now' } })
  t.false((await pro('ben@example.com')).open, 'opening the link redeems nothing')
  t.is((await ben.send(`/membership/redeem/${code.toLowerCase()}`)).status, 200)
  t.like(await pro('ben@example.com'), {
    open: true,
    reason: 'gift',
    until: fake.now().toISOString().replace('2026', '2027'),
  })
  t.is(
    (await ben.send(`/membership/redeem/${code}`)).status,
    200,
    'again by the same member: the answer was lost',
  )
  const cid = await person('cid@example.com')
  const refused = await cid.send(`/membership/redeem/${code}`)
  t.like(refused.json, { code: 'ERR_ACTION_REFUSED', reason: 'gift_redeemed' })
  t.false((await pro('cid@example.com')).open)
  await m.runDueJobs()
  t.is(mailbox.of('ann@example.com', 'gift-redeemed').length, 1)
  t.is((await m.gifts.of(await userOf('ann@example.com'))).bought[0]!.status, 'redeemed')
  t.is(
    (await createVisitor(site).get(`/membership/gifts/${gift.id}`, { accept: 'application/json' })).status,
    401,
  )
  const rows = await m.storage.read((db) => db.selectFrom('gifts').selectAll())
  t.false(JSON.stringify(rows).includes(code.replaceAll('-', '')), 'only the hash of a code is stored')
  await fake.advance({ days: 366 })
  t.false((await pro('ben@example.com')).open)
})

test('a gift whose secret was taken out too early is not sent, and leaves once the secret is back', async (t) => {
  const [older, newer] = ['older-secret-'.repeat(4), 'newer-secret-'.repeat(4)]
  const { m, fake, mailbox, give, another } = await open(t, { 'membership.secret': [older] })
  await give({ to: 'ben@example.com', on: '2026-02-01' })
  await m.close()
  const without = await another({ 'membership.secret': [newer] })
  await fake.advance({ days: 20 })
  for (let n = 0; n < 3; n++) await without.m.runDueJobs()
  const giftOf = async (site: typeof without.m) =>
    (await site.gifts.of((await site.users.findByEmail('ann@example.com'))!)).bought[0]!
  t.is((await giftOf(without.m)).sent_at, null)
  t.is(mailbox.of('ben@example.com', 'gift').length, 0)
  await without.close()
  const both = await another({ 'membership.secret': [newer, older] })
  await fetch(both.site)
  for (const { seq } of await both.m.operator.outbox.list({ dead: true }))
    await both.m.operator.outbox.replay(seq)
  await fake.advance({ days: 1 })
  for (let n = 0; n < 3; n++) await both.m.runDueJobs()
  t.not((await giftOf(both.m)).sent_at, null)
  t.is(mailbox.of('ben@example.com', 'gift').length, 1)
})

test('bought for oneself it opens the plan that long, and again it is added', async (t) => {
  const opened = await open(t)
  const { m, fake, pro, userOf } = opened
  const self = { path: '/membership/payment', product: 'price_gift3' }
  const { visitor } = await buy(opened, 'ann@example.com', self)
  await m.runDueJobs()
  t.like(await pro('ann@example.com'), { open: true, reason: 'gift', until: '2026-04-15T12:00:05.000Z' })
  await buy(opened, 'ann@example.com', { ...self, visitor })
  await m.runDueJobs()
  t.is((await m.gifts.of(await userOf('ann@example.com'))).own.length, 2)
  await fake.advance({ days: 100 })
  await m.runDueJobs()
  t.like(await pro('ann@example.com'), { open: true, reason: 'gift', until: '2026-07-15T12:00:05.000Z' })
  await fake.advance({ days: 90 })
  await m.runDueJobs()
  t.false((await pro('ann@example.com')).open)
})

test('for somebody who pays, the next renewal moves by the gift: no day is both charged and given', async (t) => {
  const opened = await open(t)
  const { m, fake, mailbox, pro, give, codeIn, userOf } = opened
  const { visitor: ben } = await buy(opened, 'ben@example.com')
  const { visitor, gift } = await give({ price: 'price_gift3' })
  const code = codeIn((await visitor.get(`/membership/gifts/${gift.id}`, { accept: 'text/html' })).text)
  const before = await ben.get(`/membership/redeem/${code}`, { accept: 'application/json' })
  t.is(before.json.begins.kind, 'put_off')
  t.is((await ben.send(`/membership/redeem/${code}`)).status, 200)
  await fake.deliver()
  const [own] = (await m.gifts.of(await userOf('ben@example.com'))).own
  t.is(own!.put_off!.from.slice(0, 10), '2026-02-15')
  t.is(own!.put_off!.until.slice(0, 10), '2026-05-15')
  await m.runDueJobs()
  const [mail, ...more] = mailbox.of('ben@example.com', 'changed')
  t.regex(mail?.text ?? '', /Your gift follows the time that you paid for, and lasts until\s15\sMay\s2026/)
  t.deepEqual(more, [], 'nothing was paused for her')
  const charged = async () => (await userOf('ben@example.com')).payments().filter((p) => p.amount > 0).length
  t.is(await charged(), 1)
  for (const days of [20, 20, 30, 35]) {
    await fake.advance({ days })
    await fake.deliver()
    await m.runDueJobs()
    t.true((await pro('ben@example.com')).open, fake.now().toISOString())
  }
  t.is(await charged(), 1, 'three months later nothing more was charged')
  t.is((await pro('ben@example.com')).reason, 'gift')
  await fake.advance({ days: 20 })
  await fake.deliver()
  await m.runDueJobs()
  t.is(await charged(), 2)
  t.is((await pro('ben@example.com')).reason, 'subscription')
})

for (const undone of ['a cancellation', 'the pause itself'])
  test(`undoing ${undone} ${undone === 'a cancellation' ? 'puts the renewal off again' : 'leaves the renewal where it was'}`, async (t) => {
    const opened = await open(t)
    const { m, fake, pro, userOf } = opened
    const { visitor: ben, id } = await buy(opened, 'ben@example.com')
    const [code] = await m.gifts.create({ plan: 'pro', months: 3, count: 1 })
    const arrive = async () => {
      await fake.advance({ ms: 6000 })
      await fake.deliver()
      await m.runDueJobs()
      await fake.deliver()
    }
    t.is((await ben.send(`/membership/redeem/${code!.code}`)).status, 200)
    await arrive()
    const mine = async () => (await userOf('ben@example.com')).subscriptions()[0]!
    t.is((await mine()).resumes_at?.slice(0, 10), '2026-05-15')
    if (undone === 'a cancellation') {
      t.is((await ben.send(`/membership/cancel/${id}`)).status, 200)
      await arrive()
      t.like(await mine(), { paused_at: null, cancel_at: '2026-02-15T12:00:00.000Z' })
    }
    t.is((await ben.send(`/membership/resume/${id}`)).status, 200)
    await arrive()
    const moved = undone === 'a cancellation' ? '2026-05-15' : undefined
    t.is((await mine()).resumes_at?.slice(0, 10), moved)
    t.is((await mine()).cancel_at, null)
    for (const days of [20, 20, 30]) {
      await fake.advance({ days })
      await arrive()
      t.true((await pro('ben@example.com')).open)
    }
    const charged = (await userOf('ben@example.com')).payments().filter((p) => p.amount > 0).length
    t.is(charged, undone === 'a cancellation' ? 1 : 3)
  })

test('a change while a renewal is put off is refused with its days, and works once it is resumed; the gift then waits', async (t) => {
  const opened = await open(t, {
    'membership.providers.stripe.plans': {
      pro: {
        group: 'membership',
        prices: [
          { id: 'price_month', amount: 900, currency: 'EUR', interval: 'month' },
          { id: 'price_year', amount: 9000, currency: 'EUR', interval: 'year' },
        ],
      },
    },
  })
  const { m, fake, userOf, pro } = opened
  const { visitor: ben, id } = await buy(opened, 'ben@example.com', { price: 'price_month' })
  const [code] = await m.gifts.create({ plan: 'pro', months: 3, count: 1 })
  const arrive = async () => {
    await fake.advance({ ms: 6000 })
    await fake.deliver()
    await m.runDueJobs()
    await fake.deliver()
  }
  const mine = async () => (await userOf('ben@example.com')).subscriptions()[0]!
  t.is((await ben.send(`/membership/redeem/${code!.code}`)).status, 200)
  await arrive()
  const before = await mine()
  t.like(before, { paused_at: '2026-02-15T12:00:00.000Z', resumes_at: '2026-05-15T12:00:00.000Z' })
  const refused = await ben.send(`/membership/change/${id}`, { price: 'price_year' })
  t.is(refused.status, 409)
  t.like(refused.json, { code: 'ERR_ACTION_REFUSED', reason: 'paused', resumes_at: before.resumes_at })
  t.regex(refused.json.detail, /paused from 2026-02-15 until 2026-05-15/)
  t.regex(refused.json.action, /Resume it in your account.*or change it after 2026-05-15/)
  const page = await ben.get(`/membership/change/${id}?price=price_year`, { accept: 'text/html' })
  t.regex(page.text, /paused until 15 May 2026\. Resume it in your account, then change it\./)
  const account = await ben.get('/membership/account', { accept: 'text/html' })
  t.notRegex(account.text, new RegExp(`/membership/change/${id}`), 'no form offers it')
  t.regex(account.text, new RegExp(`/membership/resume/${id}`))
  t.like(await mine(), { price_id: 'price_month', resumes_at: before.resumes_at })
  t.is((await ben.send(`/membership/resume/${id}`)).status, 200)
  await arrive()
  t.is((await ben.send(`/membership/change/${id}`, { price: 'price_year' })).status, 200)
  await arrive()
  // What is paid stays to its end, and the change begins there.
  t.like((await mine()).scheduled_change, { price_id: 'price_year', at: before.paused_at })
  t.like(await pro('ben@example.com'), { open: true, ground: 'paid' })
  for (const days of [20, 20]) {
    await fake.advance({ days })
    await arrive()
  }
  t.like(await mine(), { price_id: 'price_year', paused_at: null })
  t.like(await pro('ben@example.com'), { open: true, ground: 'paid' })
  const gift = (await m.gifts.of(await userOf('ben@example.com'))).own[0]!
  t.like(gift, { status: 'redeemed', put_off: null, starts_at: null })
})

test('a member who cancels before the renewal was put off keeps the cancellation, and the gift follows the paid end', async (t) => {
  const opened = await open(t)
  const { m, fake, pro, give, codeIn, userOf } = opened
  const { visitor: ben, id } = await buy(opened, 'ben@example.com')
  const { visitor, gift } = await give({ price: 'price_gift3' })
  const code = codeIn((await visitor.get(`/membership/gifts/${gift.id}`, { accept: 'text/html' })).text)
  const end = fake.outage({ kind: 'reset' })
  t.is((await ben.send(`/membership/redeem/${code}`)).status, 200)
  end()
  const mine = async () => (await userOf('ben@example.com')).subscriptions()[0]!
  // In the provider's portal, where nothing of ours is asked.
  await askFake(fake, 'POST', `/v1/subscriptions/${id}`, { cancel_at_period_end: 'true' })
  await fake.deliver()
  for (let n = 0; n < 4; n++) {
    await fake.advance({ ms: 180_000 })
    await fake.deliver()
    await m.runDueJobs()
  }
  t.like(await mine(), { cancel_at_period_end: true, paused_at: null })
  await fake.advance({ days: 40 })
  await fake.deliver()
  await m.runDueJobs()
  t.is((await mine()).status, 'canceled')
  t.like(await pro('ben@example.com'), { open: true, reason: 'gift' })
  t.is((await userOf('ben@example.com')).payments().filter((p) => p.amount > 0).length, 1)
})

for (const kind of ['503', 'saved'] as const)
  test(`a provider that answers ${kind} at redemption is asked again until the renewal has moved`, async (t) => {
    const opened = await open(t)
    const { m, fake, pro, give, codeIn, userOf } = opened
    const { visitor: ben } = await buy(opened, 'ben@example.com')
    const { visitor, gift } = await give({ price: 'price_gift3' })
    const code = codeIn((await visitor.get(`/membership/gifts/${gift.id}`, { accept: 'text/html' })).text)
    const end = fake.outage({ kind })
    t.is((await ben.send(`/membership/redeem/${code}`)).status, 200)
    const later = async (ms: number) => {
      await fake.advance({ ms })
      await fake.deliver()
      await m.runDueJobs()
    }
    await later(180_000)
    end()
    const own = async () => (await m.gifts.of(await userOf('ben@example.com'))).own[0]!
    t.is((await own()).put_off, null)
    for (let n = 0; n < 4; n++) await later(900_000)
    t.is((await own()).put_off?.from.slice(0, 10), '2026-02-15')
    for (const days of [40, 40]) {
      await later(days * 86_400_000)
      t.true((await pro('ben@example.com')).open)
    }
    const charged = (await userOf('ben@example.com')).payments().filter((p) => p.amount > 0)
    t.is(charged.length, 1, 'no day is both charged and given')
  })

test('where the provider stays away until the renewal is charged, the one after it moves', async (t) => {
  const opened = await open(t)
  const { m, fake, pro, give, codeIn, userOf } = opened
  const { visitor: ben } = await buy(opened, 'ben@example.com')
  const { visitor, gift } = await give({ price: 'price_gift3' })
  const code = codeIn((await visitor.get(`/membership/gifts/${gift.id}`, { accept: 'text/html' })).text)
  const end = fake.outage({ kind: '503' })
  t.is((await ben.send(`/membership/redeem/${code}`)).status, 200)
  const later = async (by: { days?: number; ms?: number }) => {
    await fake.advance(by)
    await fake.deliver()
    await m.runDueJobs()
  }
  for (let n = 0; n < 12; n++) await later({ days: 3 })
  end()
  for (let n = 0; n < 3; n++) await later({ ms: 3_600_000 })
  const [own] = (await m.gifts.of(await userOf('ben@example.com'))).own
  t.is(own!.put_off?.from.slice(0, 10), '2026-03-15')
  t.is(own!.put_off?.until.slice(0, 10), '2026-06-15')
  for (let n = 0; n < 8; n++) {
    await later({ days: 10 })
    t.true((await pro('ben@example.com')).open, fake.now().toISOString())
  }
  t.is((await userOf('ben@example.com')).payments().filter((p) => p.amount > 0).length, 2)
})

test('a refund closes what is left, and both are told; codes by hand can be taken back', async (t) => {
  const opened = await open(t)
  const { m, mailbox, pro, person, give, codeIn, userOf } = opened
  const { visitor, gift } = await give({ to: 'ben@example.com' })
  const code = codeIn((await visitor.get(`/membership/gifts/${gift.id}`, { accept: 'text/html' })).text)
  const ben = await person('ben@example.com')
  t.is((await ben.send('/membership/redeem', { code })).status, 200)
  t.true((await pro('ben@example.com')).open)
  await m.payments.refund({ payment: (await userOf('ann@example.com')).payments()[0]! })
  await m.runDueJobs()
  t.false((await pro('ben@example.com')).open)
  for (const email of ['ann@example.com', 'ben@example.com'])
    t.is(mailbox.of(email, 'gift-closed').length, 1, email)

  const made = await m.gifts.create({ plan: 'pro', months: 3, count: 3, label: 'fair' })
  t.is(new Set(made.map((item) => item.code)).size, 3)
  const [first, second] = made
  await m.gifts.revoke(first!.code, 'op')
  t.like((await ben.send('/membership/redeem', { code: first!.code })).json, { reason: 'gift_closed' })
  const users = await Promise.all(
    ['cid', 'dan', 'eve'].map((name) => m.users.create({ email: `${name}@example.com`, verified: true })),
  )
  const tries = await Promise.allSettled(users.map((user) => m.gifts.redeem({ code: second!.code, user })))
  t.is(
    tries.filter(({ status }) => status === 'fulfilled').length,
    1,
    'a code opens once, whoever is at it at once',
  )
  const opens = await Promise.all(
    users.map(async ({ id }) => (await m.users.findById(id))!.hasGate('pro' as never)),
  )
  t.is(opens.filter(Boolean).length, 1)
  t.is((await m.gifts.list({ batch: second!.batch! })).length, 3)
})

test('a refund that the bank rejects makes the gift good again, until the same day as before', async (t) => {
  const { m, fake, pro, person, give, codeIn, userOf } = await open(t)
  const { visitor, gift } = await give({ price: 'price_gift3' })
  const code = codeIn((await visitor.get(`/membership/gifts/${gift.id}`, { accept: 'text/html' })).text)
  const ben = await person('ben@example.com')
  await ben.send('/membership/redeem', { code })
  const { until } = await pro('ben@example.com')
  await fake.advance({ days: 30 })
  const payment = (await userOf('ann@example.com')).payments()[0]!
  await m.payments.refund({ payment, amount: 500 })
  await m.runDueJobs()
  t.like(await pro('ben@example.com'), { open: true, until }, 'a part closes nothing')
  await m.payments.refund({ payment })
  await m.runDueJobs()
  t.false((await pro('ben@example.com')).open)
  await rejectRefund({ m, fake })
  t.like(await pro('ben@example.com'), { open: true, reason: 'gift', until })
  t.is((await m.gifts.of(await userOf('ann@example.com'))).bought[0]!.status, 'redeemed')
})

for (const outcome of ['won', 'lost'] as const)
  test(`a dispute closes a gift that nobody has redeemed yet; ${outcome}, it ${outcome === 'won' ? 'is good again' : 'stays closed'}`, async (t) => {
    const { m, fake, pro, person, give, codeIn } = await open(t)
    const { visitor, gift } = await give({ price: 'price_gift3' })
    const code = codeIn((await visitor.get(`/membership/gifts/${gift.id}`, { accept: 'text/html' })).text)
    const ben = await person('ben@example.com')
    const arrive = async () => {
      await fake.advance({ ms: 10_000 })
      await fake.deliver()
      await m.runDueJobs()
    }
    const refused = async () => {
      const { json } = await ben.send('/membership/redeem', { code })
      t.like(json, { code: 'ERR_ACTION_REFUSED', reason: 'gift_closed' })
    }
    const { id } = fake.dispute(fake.objects.list('charge').find(({ paid }) => paid)!.id)
    await arrive()
    await refused()
    fake.closeDispute(id, outcome)
    await arrive()
    if (outcome === 'lost') await refused()
    else t.is((await ben.send('/membership/redeem', { code })).status, 200)
    t.is((await pro('ben@example.com')).open, outcome === 'won')
  })

test('a gift outlives the account of its buyer, without the address; with the account of its member it ends', async (t) => {
  const { m, pro, person, give, codeIn, userOf } = await open(t)
  const { visitor, gift } = await give({ to: 'ben@example.com', message: 'From your aunt' })
  const code = codeIn((await visitor.get(`/membership/gifts/${gift.id}`, { accept: 'text/html' })).text)
  const ben = await person('ben@example.com')
  await m.users.delete((await userOf('ann@example.com')).id)
  await m.runDueJobs()
  t.is(await m.users.findByEmail('ann@example.com'), null)
  const kept = JSON.stringify(await m.storage.read((db) => db.selectFrom('gifts').selectAll()))
  t.false(/ben@example|aunt/.test(kept))
  t.is((await ben.send('/membership/redeem', { code })).status, 200)
  t.like(await pro('ben@example.com'), { open: true, reason: 'gift' })
  await m.users.delete((await userOf('ben@example.com')).id)
  await m.runDueJobs()
  const cid = await person('cid@example.com')
  t.is((await cid.send('/membership/redeem', { code })).status, 409, 'its code opens nothing more')
  await person('ben@example.com')
  t.false((await pro('ben@example.com')).open, 'another account of that address has nothing of it')
})

for (const database of allDatabases)
  test(`${database.name}: the person who redeems a gift hears once what is open and until when, and only while it is`, async (t) => {
    const opened = await database()
    t.teardown(opened.close)
    const mailbox = createMailbox()
    let isMailAway = false
    const transport: typeof mailbox.options.mails.transport = async (mail) => {
      if (isMailAway) throw new Error('The mail server is away.')
      return mailbox.options.mails.transport(mail)
    }
    const { m, fake, site } = await open(t, {
      mails: { transport },
      'membership.database.url': await opened.url(),
    })
    // The address of the links comes with the first request.
    await fetch(site)
    const redeem = async (email: string) => {
      const [made] = await m.gifts.create({ plan: 'pro', months: 3, count: 1 })
      const user = await m.users.create({ email, verified: true, language: 'de' })
      const gift = await m.gifts.redeem({ code: made!.code, user })
      t.is((await m.gifts.redeem({ code: made!.code, user })).id, gift.id)
      return { user, gift }
    }
    const begun = () => mailbox.sent.filter(({ kind }) => kind === 'gift-begun')

    await redeem('ben@example.com')
    await m.runDueJobs()
    t.is(begun()[0]?.subject, 'Ihr Geschenk hat begonnen: Pro')
    t.regex(begun()[0]?.text ?? '', /Zugang\sbis\szum\s15\.\sApril\s2026/)
    await fake.advance({ days: 10 })
    await m.runDueJobs()
    t.is(begun().length, 1)

    isMailAway = true
    await m.gifts.revoke((await redeem('cid@example.com')).gift.id, 'op')
    await m.users.delete((await redeem('dan@example.com')).user.id)
    const { user: fay } = await redeem('fay@example.com')
    const eve = await m.users.create({ email: 'eve@example.com', verified: true })
    await m.users.merge({ keep: eve.id, merge: fay.id, by: 'op', write: true })
    isMailAway = false
    await fake.advance({ days: 1 })
    for (let n = 0; n < 3; n++) await m.runDueJobs()
    t.deepEqual(
      begun().map(({ to }) => to),
      ['ben@example.com', 'eve@example.com'],
      'no mail about a gift that was taken back or an account that is gone; after a merge to the account that stays',
    )
  })

test('the mail about a gift that begins is not sent where its time waits for a renewal, or where the site leaves it out', async (t) => {
  const opened = await open(t)
  const { m, mailbox } = opened
  const { visitor: ben } = await buy(opened, 'ben@example.com')
  const [paid] = await m.gifts.create({ plan: 'pro', months: 3, count: 1 })
  t.is((await ben.send(`/membership/redeem/${paid!.code}`)).status, 200)
  await m.runDueJobs()
  t.is(mailbox.of('ben@example.com', 'gift-begun').length, 0)

  const without = await open(t, { 'membership.mails.kinds': ['receipt'] })
  const cid = await without.person('cid@example.com')
  const [code] = await without.m.gifts.create({ plan: 'pro', months: 3, count: 1 })
  t.is((await cid.send(`/membership/redeem/${code!.code}`)).status, 200)
  await without.m.runDueJobs()
  t.true((await without.pro('cid@example.com')).open)
  t.is(without.mailbox.of('cid@example.com', 'gift-begun').length, 0)
})

for (const database of allDatabases)
  test(`${database.name}: a code that two processes redeem at once opens for one member, who may ask twice`, async (t) => {
    const opened = await database()
    t.teardown(opened.close)
    const { m, another } = await open(t, { 'membership.database.url': await opened.url() })
    const other = (await another()).m
    const users = await Promise.all(
      ['ben', 'cid'].map((name) => m.users.create({ email: `${name}@example.com`, verified: true })),
    )
    for (const { code } of await m.gifts.create({ plan: 'pro', months: 1, count: 5 })) {
      const tries = await Promise.allSettled(
        users.flatMap((user) => [m, other].map((site) => site.gifts.redeem({ code, user }))),
      )
      const refusals = tries.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
      t.true(
        refusals.every(({ reason }) => reason === 'gift_redeemed'),
        refusals.map(String).join('\n'),
      )
      const winners = tries.flatMap((result) =>
        result.status === 'fulfilled' ? [result.value.member_id] : [],
      )
      t.is(winners.length, 2, 'both tries of the winner')
      t.is(new Set(winners).size, 1)
    }
  })

test('codes that are typed wrong are counted by account, whatever the address', async (t) => {
  const { person } = await open(t, { 'membership.ratelimit.trust_proxy': 1 })
  const ben = await person('ben@example.com')
  const answers: number[] = []
  for (let i = 0; i < 12; i++) {
    const headers = { accept: 'application/json', 'x-forwarded-for': `203.0.113.${i + 1}` }
    answers.push((await ben.get('/membership/redeem/01234-56789-ABCDE-FGHJK', headers)).status)
  }
  t.is(answers.filter((status) => status === 404).length, 10)
  t.is(answers.at(-1), 429)
})

test('codes that are typed wrong are counted by address', async (t) => {
  const { site } = await open(t)
  const visitor = createVisitor(site)
  const answers: number[] = []
  for (let i = 0; i < 12; i++)
    answers.push(
      (await visitor.get('/membership/redeem/01234-56789-ABCDE-FGHJK', { accept: 'application/json' }))
        .status,
    )
  t.deepEqual([...new Set(answers)], [404, 429])
  t.is(answers.filter((status) => status === 404).length, 10)
})

test('good codes count for nobody: a fair of people behind one address redeems them all', async (t) => {
  const { m, person } = await open(t)
  const codes = await m.gifts.create({ plan: 'pro', months: 1, count: 14 })
  for (const [n, { code }] of codes.entries()) {
    const visitor = await person(`p${n}@example.com`)
    t.is((await visitor.get(`/membership/redeem/${code}`, { accept: 'text/html' })).status, 200, `${n}`)
    t.is((await visitor.send(`/membership/redeem/${code}`)).status, 200, `${n}`)
  }
})

test('a code is redeemed on its last day, which ends with it', async (t) => {
  const { m } = await open(t)
  const today = (await m.gifts.create({ plan: 'pro', months: 1, count: 1 }))[0]!.created_at.slice(0, 10)
  const yesterday = new Date(Date.parse(today) - 86_400_000).toISOString().slice(0, 10)
  const ann = await m.users.create({ email: 'last@example.com', verified: true })
  const [last] = await m.gifts.create({ plan: 'pro', months: 1, count: 1, expiresAt: today })
  t.is(last!.expires_at, `${today}T23:59:59.999Z`)
  await t.notThrowsAsync(m.gifts.redeem({ code: last!.code, user: ann }))
  const [over] = await m.gifts.create({ plan: 'pro', months: 1, count: 1, expiresAt: yesterday })
  await t.throwsAsync(m.gifts.redeem({ code: over!.code, user: ann }), {
    message: `This code could be redeemed until ${yesterday}.`,
  })
  const [moment] = await m.gifts.create({
    plan: 'pro',
    months: 1,
    count: 1,
    expiresAt: `${today}T00:00:00.000Z`,
  })
  t.is(moment!.expires_at, `${today}T00:00:00.000Z`, 'a moment stays one')
})

test('where an order page comes first, the recipient and the message stand in no address', async (t) => {
  const { site } = await open(t, { 'membership.shop.country': 'DE' })
  const visitor = createVisitor(site)
  const html = { accept: 'text/html' }
  await visitor.get('/membership/gift/pro', html)
  const given = { price: 'price_gift', to: 'ben@example.com', message: 'Happy birthday, Ben' }
  const page = await visitor.send('/membership/gift/pro', given, html)
  t.is(page.status, 200)
  t.is(page.location, null)
  t.regex(page.text, /name="to" value="ben@example\.com"/)
  const hidden = [...page.text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)]
  const fields = Object.fromEntries(hidden.map(([, name, value]) => [name!, value!]))
  const { token: _, ...order } = fields as Record<string, string>
  t.is(order.message, given.message)
  const consent = /name="consent"[^>]*value="([^"]+)"/.exec(page.text)?.[1]
  const ordered = await visitor.send(
    '/membership/gift/pro',
    { ...order, ...(consent === undefined ? {} : { consent }) },
    html,
  )
  t.is(ordered.status, 303)
  t.notRegex(ordered.location ?? '', /ben|birthday/i)
})

test('where a plan begins at two seats, a gift is one and a top-up begins at one: what the page says is charged', async (t) => {
  const price = (id: string, amount: number, more: object) => ({ id, amount, currency: 'EUR', ...more })
  const opened = await openStripeSite(t, {
    'membership.providers.stripe.plans': {
      team: {
        seats: 'quantity',
        quantity: { min: 2, max: 20 },
        limits: { exports: { amount: 100, every: 'month' } },
        prices: [
          price('price_team', 2500, { interval: 'month' }),
          price('price_gift', 9000, { gives: { plan: 'team', months: 12 } }),
          price('price_more', 500, { adds: { exports: 50 } }),
        ],
      },
    },
  })
  opened.fake.addPrice({ id: 'price_gift', unit_amount: 9000, currency: 'eur' })
  opened.fake.addPrice({ id: 'price_more', unit_amount: 500, currency: 'eur' })
  const charged = async (path: string, fields: Record<string, string>) => {
    const { status, json } = await createVisitor(opened.site).send(path, fields)
    const session = opened.fake.objects.list('checkout.session').find(({ url }) => url === json?.url)
    return session?.amount_total ?? status
  }
  const page = await createVisitor(opened.site).get('/membership/gift/team', { accept: 'application/json' })
  t.like(page.json.prices[0], { id: 'price_gift', amount: '€90' })
  t.is(await charged('/membership/gift/team', { price: 'price_gift' }), 9000)
  t.is(await charged('/membership/payment', { product: 'price_gift' }), 9000)
  t.is(await charged('/membership/payment', { product: 'price_gift', quantity: '5' }), 400)
  t.is(await charged('/membership/payment', { product: 'price_more' }), 500)
  t.is(await charged('/membership/payment', { product: 'price_more', quantity: '3' }), 1500)
  t.is(await charged('/membership/subscribe/team', { price: 'price_team' }), 5000)
})

test('three gifts of a month each end on the day of one gift of three months', async (t) => {
  const { m, fake } = await open(t)
  await fake.advance({ days: 16 })
  const ends = async (email: string, months: readonly number[]) => {
    const { id } = await m.users.create({ email, verified: true })
    for (const count of months) {
      const [gift] = await m.gifts.create({ plan: 'pro', months: count, count: 1 })
      await m.gifts.redeem({ code: gift!.code, user: (await m.users.findById(id))! })
    }
    return id
  }
  const [three, once] = [await ends('three@example.com', [1, 1, 1]), await ends('once@example.com', [3])]
  const last = new Map<string, string | null>()
  for (let day = 0; day < 95; day++) {
    await fake.advance({ days: 1 })
    await m.runDueJobs()
    for (const id of [three, once]) {
      const { open: isOpen, until } = (await m.users.findById(id))!.explain('pro' as never)
      if (isOpen) last.set(id, until)
    }
  }
  t.is(last.get(once), '2026-04-30T12:00:00.000Z')
  t.is(last.get(three)?.slice(0, 10), '2026-04-30')
})

test('months for oneself whose price left the configuration while a debit was in progress are given when it is paid', async (t) => {
  const database = await allDatabases[0]!()
  t.teardown(database.close)
  const opened = await open(t, { 'membership.database.url': await database.url() })
  const { m, fake, site } = opened
  const buyByDebit = async (email: string, iban: string) => {
    const begun = await createVisitor(site).send('/membership/payment', { product: 'price_gift' })
    const session = fake.objects.list('checkout.session').find(({ url }) => url === begun.json.url)!
    // https://docs.stripe.com/testing#sepa-direct-debit
    await fake.pay(String(session.id), { email, card: iban })
    await fake.advance({ ms: 5000 })
    await fake.deliver()
    await m.runDueJobs()
  }
  await buyByDebit('ann@example.com', 'DE89370400440532013000')
  await buyByDebit('ben@example.com', 'DE62370400440532013001')
  t.not((await m.users.findByEmail('ann@example.com'))?.hasGate('pro' as never), true, 'a debit may fail')

  await m.close()
  const later = await opened.another({
    'membership.providers.stripe.plans': {
      pro: { prices: [{ id: 'price_month', amount: 900, currency: 'EUR', interval: 'month' }] },
    },
  })
  fake.sendTo({ url: `${later.site}/membership/webhooks/stripe`, secret: 'whsec_of_the_fake' })
  await fake.advance({ days: 15 })
  await fake.deliver()
  await later.m.runDueJobs()
  const [ann, ben] = await Promise.all(
    ['ann@example.com', 'ben@example.com'].map((email) => later.m.users.findByEmail(email)),
  )
  t.is(ann!.payments()[0]!.status, 'paid')
  t.like(ann!.explain('pro' as never), { open: true, reason: 'gift' })
  t.not(ben?.hasGate('pro' as never), true, 'a debit that failed gives nothing')
})

test('a gift whose price left the configuration while a debit was in progress is given when it is paid', async (t) => {
  const database = await allDatabases[0]!()
  t.teardown(database.close)
  const opened = await open(t, { 'membership.database.url': await database.url() })
  const { m, fake, site, mailbox } = opened
  const giveByDebit = async (to: string, iban: string) => {
    const fields = { price: 'price_gift3', to }
    const begun = await createVisitor(site).send('/membership/gift/pro', fields)
    const session = fake.objects.list('checkout.session').find(({ url }) => url === begun.json.url)!
    await fake.pay(String(session.id), { email: 'ann@example.com', card: iban })
    await fake.advance({ ms: 5000 })
    await fake.deliver()
    await m.runDueJobs()
  }
  await giveByDebit('cleo@example.com', 'DE89370400440532013000')
  await giveByDebit('dora@example.com', 'DE62370400440532013001')
  t.is(mailbox.of('cleo@example.com', 'gift').length, 0, 'a debit may fail')

  await m.close()
  const later = await opened.another({
    'membership.url': site,
    'membership.providers.stripe.plans': {
      pro: { prices: [{ id: 'price_month', amount: 900, currency: 'EUR', interval: 'month' }] },
    },
  })
  fake.sendTo({ url: `${later.site}/membership/webhooks/stripe`, secret: 'whsec_of_the_fake' })
  await fake.advance({ days: 15 })
  await fake.deliver()
  await later.m.runDueJobs()
  const gifts = await later.m.gifts.list()
  t.deepEqual(
    gifts.filter(({ status }) => status === 'ready').map(({ to, plan, months }) => [to, plan, months]),
    [['cleo@example.com', 'pro', 3]],
  )
  t.is(mailbox.of('cleo@example.com', 'gift').length, 1)
  t.is(mailbox.of('dora@example.com', 'gift').length, 0, 'a debit that failed gives nothing')
})

test('an operator revokes a disputed gift: it stays revoked after the dispute is won, and the log says who did it', async (t) => {
  const { m, fake, give } = await open(t)
  const { gift } = await give({})
  const dispute = fake.dispute(fake.objects.list('charge')[0]!.id) as { id: string }
  await fake.deliver()
  await m.runDueJobs()
  t.like(await m.gifts.list(), [{ id: gift.id, status: 'closed', closed_for: 'disputed' }])
  await m.gifts.revoke(gift.id, 'ada')
  const logged = () => m.operator.audit.list({})
  t.like(
    (await logged()).filter(({ action }) => action === 'revoke'),
    [{ by: 'ada', subject: `gift ${gift.id}`, outcome: 'done' }],
  )
  fake.closeDispute(dispute.id, 'won')
  await fake.deliver()
  await m.runDueJobs()
  t.like(await m.gifts.list(), [{ id: gift.id, status: 'closed', closed_for: 'revoked' }])
})

test('months for oneself open at once, whichever message of the payment arrives last', async (t) => {
  const types = ['checkout.session.completed', 'payment_intent.succeeded', 'charge.succeeded']
  for (const last of types) {
    const { m, fake, site, pro } = await open(t, {}, { chaos: { drop: 1 } })
    const begun = await createVisitor(site).send('/membership/payment', { product: 'price_gift' })
    const session = fake.objects.list('checkout.session').find(({ url }) => url === begun.json.url)!
    await fake.pay(String(session.id), { email: 'ann@example.com' })
    await fake.advance({ ms: 5000 })
    const isLast = ({ type }: { type: string }) => type === last
    const events = fake.events() as unknown as { type: string }[]
    t.is(events.filter(isLast).length, 1, last)
    for (const event of [...events.filter((event) => !isLast(event)), ...events.filter(isLast)]) {
      const { body, headers } = signed('stripe', event, { secret: webhookSecret, now: fake.now() })
      const answer = await fetch(`${site}/membership/webhooks/stripe`, { method: 'POST', body, headers })
      t.is(answer.status, 200)
      await m.runDueJobs()
    }
    t.like(await pro('ann@example.com'), { open: true, reason: 'gift' }, last)
  }
})

test('the page before a deletion counts a gift as the recipient’s, and not as bought for good', async (t) => {
  const { m, person, codeIn, give, mailbox } = await open(t)
  const { visitor } = await give({ to: 'ben@example.com' })
  await m.runDueJobs()
  const page = async (who: Visitor) =>
    (await who.get('/membership/account/delete', { accept: 'text/html' })).text
  const buyer = await page(visitor)
  t.notRegex(buyer, /bought it for good|through a gift/)
  const ben = await person('ben@example.com')
  t.is(
    (await ben.send(`/membership/redeem/${codeIn(mailbox.of('ben@example.com', 'gift')[0]!.text)}`)).status,
    200,
  )
  t.regex(await page(ben), /Pro: your access through a gift ends\. It would last until 15 January 2027\./)
})
