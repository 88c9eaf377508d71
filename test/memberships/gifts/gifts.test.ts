import test, { type ExecutionContext } from 'ava'
import type { MembershipOptions, User } from '../../../src/index.ts'
import { openStripeSite } from '../../support/stripe-site.ts'
import { buy, createMailbox, createVisitor, logIn, type Visitor } from '../../support/visitor.ts'

const open = async (t: ExecutionContext, options: MembershipOptions = {}) => {
  const mailbox = createMailbox()
  const opened = await openStripeSite(t, {
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
  })
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
    ...{ to: 'Ben@example.com', on: '2026-02-01', message: 'Happy birthday!' },
  })
  t.is(back.status, 200)
  t.like(gift, { status: 'ready', plan: 'pro', months: 12, to: 'ben@example.com', sent_at: null })
  t.false(user.hasGate('pro' as never), 'the buyer of a gift for somebody else has nothing of it')
  t.is(mailbox.of('ann@example.com', 'gift-bought').length, 1)
  t.is(mailbox.of('ben@example.com', 'gift').length, 0, 'not before its day')
  const page = await visitor.get(`/membership/gifts/${gift.id}`, { accept: 'text/html' })
  const code = codeIn(page.text)
  t.regex(page.text, /It is sent to ben@example\.com on 1 February/)

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
