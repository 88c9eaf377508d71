import { setTimeout as pause } from 'node:timers/promises'
import test from 'ava'
import { openStripeSite, type StripeSite } from '../../support/stripe-site.ts'
import { askFake, buy, createMailbox } from '../../support/visitor.ts'

type Opened = Pick<StripeSite, 'fake' | 'm' | 'site'>

/** Lets messages, jobs and mails arrive. */
async function settle({ fake, m }: Pick<Opened, 'fake' | 'm'>) {
  for (let n = 0; n < 60; n++) {
    await fake.deliver()
    await m.runDueJobs()
    if ((await m.operator.outbox.list()).length === 0) return
    await fake.advance({ ms: 30_000 })
  }
}

/** Buys, and types an address at Stripe. */
async function buyFrom(opened: Opened, email: string, address: Record<string, string>, price?: string) {
  const bought = await buy(opened, email, price === undefined ? {} : { price })
  const fields = Object.entries(address).map(([key, value]) => [`address[${key}]`, value])
  const { customer } = opened.fake.objects.get(bought.session.id as string) as { customer: unknown }
  if (fields.length > 0)
    await askFake(opened.fake, 'POST', `/v1/customers/${customer}`, Object.fromEntries(fields))
  await settle(opened)
  return bought
}

const california = { country: 'US', state: 'CA' }
const texas = { country: 'US', state: 'TX' }
const plans = {
  'membership.providers.stripe.plans': { pro: { group: 'a', prices: ['price_month', 'price_year'] } },
}

test('a monthly contract has a reminder each year in California and where no place is known, and nowhere else', async (t) => {
  const mailbox = createMailbox()
  const opened = await openStripeSite(t, { ...mailbox.options, ...plans })
  const reminded = () => mailbox.sent.filter(({ kind }) => kind === 'yearly-reminder').map(({ to }) => to)
  await buyFrom(opened, 'cal@example.com', california)
  await buyFrom(opened, 'tex@example.com', texas)
  await buyFrom(opened, 'usa@example.com', { country: 'US' })
  await buyFrom(opened, 'new@example.com', {})
  await buyFrom(opened, 'ger@example.com', { country: 'DE', state: 'CA' })
  await buyFrom(opened, 'year@example.com', california, 'price_year')
  const over = await buyFrom(opened, 'over@example.com', california)
  await opened.m.subscriptions.cancel({ user: over.user, subscriptionId: over.id, when: 'period_end' })
  await opened.fake.advance({ days: 340 })
  await settle(opened)
  t.deepEqual(reminded(), [])
  await opened.fake.advance({ days: 12 })
  await settle(opened)
  t.deepEqual(reminded().sort(), ['cal@example.com', 'new@example.com', 'usa@example.com'])
  const [mail] = mailbox.of('cal@example.com', 'yearly-reminder')
  const text = String(mail?.text).replace(/\s+/g, ' ')
  t.regex(text, /renews automatically until you cancel it\. It costs €9 per month\./)
  t.regex(text, /next charge is on \d+ January 2027\. You can cancel at any time in your account\./)
  t.deepEqual(mail?.headers, {}, 'nobody may unsubscribe from what a law asks for')
  t.is(mailbox.of('year@example.com', 'renewal-ahead').length, 1, 'has the notice before each renewal')
  await opened.fake.advance({ days: 300 })
  await settle(opened)
  t.is(reminded().length, 3)
  await opened.fake.advance({ days: 66 })
  await settle(opened)
  t.is(reminded().length, 6, 'once more in the second year')
})

test('nobody is reminded while no member of California is known, or where the site says so', async (t) => {
  for (const [settings, address] of [
    [{}, texas],
    [{}, {}],
    [{ 'membership.shop.california': false }, california],
  ] as const) {
    const mailbox = createMailbox()
    const opened = await openStripeSite(t, { ...mailbox.options, ...plans, ...settings })
    await buyFrom(opened, 'ann@example.com', address)
    await opened.fake.advance({ days: 360 })
    await settle(opened)
    t.is(mailbox.of('ann@example.com', 'yearly-reminder').length, 0)
    t.true(mailbox.of('ann@example.com', 'receipt').length > 0)
  }
})

test('the proof of consent outlives the account for three years, with its address and nothing else', async (t) => {
  const mailbox = createMailbox()
  const opened = await openStripeSite(t, {
    ...mailbox.options,
    ...plans,
    'membership.shop.country': 'US',
  })
  const { m, fake } = opened
  const proofs = () =>
    m.storage.read<{ email: string; price_id: string; agreed_at: string; member_id: string | null }>((db) =>
      db.selectFrom('consent_proofs').select(['email', 'price_id', 'agreed_at', 'member_id', 'keep_until']),
    )
  const cal = await buyFrom(opened, 'cal@example.com', california)
  const tex = await buyFrom(opened, 'tex@example.com', texas)
  await m.users.delete(cal.user.id)
  await m.users.delete(tex.user.id)
  await settle(opened)
  const going = () =>
    m.storage.read((db) => db.selectFrom('deletions').select('member_id').where('done_at', 'is', null))
  // A run that a timer began is not waited for.
  for (let n = 0; n < 100 && (await going()).length > 0; n++) {
    await pause(50)
    await settle(opened)
  }
  t.deepEqual(
    (await proofs()).map(({ email, price_id, agreed_at, member_id }) => [
      email,
      price_id,
      agreed_at.slice(0, 10),
      member_id,
    ]),
    [['cal@example.com', 'price_month', '2026-01-15', null]],
  )
  const places = await m.storage.read<{ place: string | null; email: string | null }>((db) =>
    db.selectFrom('customers').select(['place', 'email']),
  )
  t.true(places.every(({ place, email }) => place === null && email === null))
  await fake.advance({ days: 3 * 365 - 1 })
  await settle(opened)
  t.is((await proofs()).length, 1)
  await fake.advance({ days: 3 })
  await settle(opened)
  t.is((await proofs()).length, 0)
})

test('the proof of a contract that runs for long is kept until a year after its end', async (t) => {
  const mailbox = createMailbox()
  const opened = await openStripeSite(t, { ...mailbox.options, ...plans, 'membership.shop.california': true })
  const { m, fake } = opened
  const { user, id } = await buyFrom(opened, 'cal@example.com', california, 'price_year')
  const kept = () =>
    m.storage.read<{ email: string; keep_until: string | null }>((db) =>
      db.selectFrom('consent_proofs').select(['email', 'keep_until']),
    )
  const wait = async (days: number) => {
    await fake.advance({ days })
    await settle(opened)
    await settle(opened)
  }
  await wait(790)
  t.deepEqual(await kept(), [{ email: 'cal@example.com', keep_until: null }])
  t.is((await m.users.export((await m.users.findById(user.id))!)).consent_proofs.length, 1)
  await wait(800)
  t.deepEqual(await kept(), [{ email: 'cal@example.com', keep_until: null }], 'four years, and it still runs')
  await m.subscriptions.cancel({ user, subscriptionId: id, when: 'now' })
  await wait(1)
  const ended = fake.now().getTime()
  const [proof] = await kept()
  t.true(Math.abs(Date.parse(String(proof?.keep_until)) - ended - 365 * 86_400_000) < 3 * 86_400_000)
  await wait(367)
  t.deepEqual(await kept(), [])
})
