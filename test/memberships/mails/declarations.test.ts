import test from 'ava'
import { defineProvider, type MembershipOptions, type Provider } from '../../../src/index.ts'
import { stripe } from '../../../src/providers/stripe/index.ts'
import { openStripeSite, type StripeSite } from '../../support/stripe-site.ts'
import { buy, createMailbox, createVisitor } from '../../support/visitor.ts'

async function settle({ fake, m }: Pick<StripeSite, 'fake' | 'm'>) {
  for (let n = 0; n < 60; n++) {
    await fake.deliver()
    await m.runDueJobs()
    if ((await m.operator.outbox.list()).length === 0) return
    await fake.advance({ ms: 30_000 })
  }
}
async function open(t: Parameters<typeof openStripeSite>[0], options: MembershipOptions = {}) {
  const mailbox = createMailbox()
  const opened = await openStripeSite(t, { 'membership.shop.country': 'DE', ...mailbox.options, ...options })
  const declare = async (
    path: 'cancel' | 'withdraw',
    fields: Record<string, string>,
    accept = 'application/json',
  ) =>
    createVisitor(opened.site).send(
      `/membership/${path}`,
      { name: 'Ann Example', contract: 'Pro', ...fields },
      { accept, 'accept-language': 'de' },
    )
  return { ...opened, mailbox, declare }
}

test('a cancellation without a login is confirmed at once, and ends the contract of its address with the period', async (t) => {
  const opened = await open(t)
  const { m, site, mailbox, declare } = opened
  const { user } = await buy(opened, 'ann@example.com')
  await settle(opened)
  const page = await createVisitor(site).get('/membership/cancel', { 'accept-language': 'de' })
  t.regex(page.text, /jetzt kündigen/)
  t.regex(page.text, /Verträge hier kündigen/, 'the link stands on every page')
  t.notRegex(page.text, /<script/)
  const answer = await declare('cancel', { email: 'Ann@example.com' }, 'text/html')
  t.is(answer.status, 200)
  t.regex(answer.text, /am 15\.01\.2026, 12:\d\d UTC eingegangen/)
  await settle(opened)
  const [receipt] = mailbox.of('ann@example.com', 'declaration')
  t.regex(
    receipt?.text.replace(/\s+/g, ' ') ?? '',
    /Kündigung ist am 15\. Januar 2026 um \d\d:\d\d:\d\d UTC eingegangen/,
  )
  const [s] = (await m.users.findById(user.id))!.subscriptions()
  t.true(s?.cancel_at_period_end)
  t.is(s?.ended, false)
  t.is(mailbox.of('ann@example.com', 'cancellation').length, 1)
  t.like((await m.operator.declarations.list())[0], { status: 'done', nature: 'ordinary' })
})

test('a contract is found by its name in the language of the person who cancels', async (t) => {
  const price = (id: string, amount: number) => ({ id, amount, currency: 'EUR', interval: 'month' as const })
  const opened = await open(t, {
    'membership.providers.stripe.plans': {
      pro: { name: 'Reader', words: { de: { name: 'Leserunde' } }, prices: [price('price_month', 900)] },
      team: { name: 'Readers', words: { de: { name: 'Werkstatt' } }, prices: [price('price_team', 2500)] },
    },
  })
  const { visitor } = await buy(opened, 'ann@example.com')
  await buy(opened, 'ann@example.com', { visitor, path: '/membership/subscribe/team', price: 'price_team' })
  await settle(opened)
  await opened.declare('cancel', { email: 'ann@example.com', contract: 'Leserunde, monatlich' })
  await settle(opened)
  const user = (await opened.m.users.findByEmail('ann@example.com'))!
  t.deepEqual(
    user
      .subscriptions()
      .map(({ price_id, cancel_at_period_end }) => [price_id, cancel_at_period_end])
      .sort(),
    [
      ['price_month', true],
      ['price_team', false],
    ],
  )
})

test('a stranger who names a victim ends nothing at once, moves no money, and learns nothing of accounts', async (t) => {
  const opened = await open(t)
  const { m, fake, mailbox, declare } = opened
  const { user, id } = await buy(opened, 'ann@example.com')
  await settle(opened)
  const before = fake.requests().length
  await declare('cancel', { email: 'eve@example.com', contract: id })
  await declare('cancel', {
    email: 'ann@example.com',
    nature: 'extraordinary',
    reason: 'see https://evil.example/x',
  })
  await declare('withdraw', { email: 'ann@example.com' })
  await settle(opened)
  t.is(fake.requests().length, before, 'no provider was asked for anything')
  const [s] = (await m.users.findById(user.id))!.subscriptions()
  t.false(s?.cancel_at_period_end)
  t.is(s?.status, 'active')
  const listed = await m.operator.declarations.list()
  t.deepEqual(listed.map(({ kind, status, member_id }) => [kind, status, member_id === user.id]).sort(), [
    ['cancellation', 'open', false],
    ['cancellation', 'open', true],
    ['withdrawal', 'open', true],
  ])
  t.notRegex(mailbox.sent.map(({ text }) => text).join(), /https:\/\/evil/)
  // Of an address with an account and of one without, answer and receipt differ in nothing.
  const shapeOf = (text: string) =>
    text
      .replace(/\d{14}-[\w-]+/g, 'N')
      .replace(/\d\d:\d\d:\d\d/g, 'T')
      .replace(/[ab]nn@example\.com/g, 'A')
      .replace(/value="[^"]*"/g, '')
  const [known, unknown] = [
    await declare('withdraw', { email: 'ann@example.com' }, 'text/html'),
    await declare('withdraw', { email: 'bnn@example.com' }, 'text/html'),
  ]
  t.is(shapeOf(known.text), shapeOf(unknown.text))
  await settle(opened)
  const last = (email: string) => shapeOf(mailbox.of(email, 'declaration').at(-1)?.text ?? '')
  t.is(last('ann@example.com'), last('bnn@example.com'))
  t.is((await m.operator.declarations.settle(listed[0]!.id, 'op')).status, 'done')
})

test('a stranger’s cancellation in a member’s name closes nothing: the member is notified twice and can undo it', async (t) => {
  const opened = await open(t)
  const { m, fake, mailbox, declare } = opened
  const { user, id, visitor } = await buy(opened, 'ann@example.com')
  await settle(opened)
  const own = async () => (await m.users.findById(user.id))!.subscriptions()[0]!
  const paidUntil = (await own()).current_period_end
  await declare('cancel', { email: 'ann@example.com', name: 'Eve', contract: id, nature: 'ordinary' })
  await settle(opened)
  t.like(await own(), { cancel_at_period_end: true, ended: false, status: 'active' })
  t.is((await own()).current_period_end, paidUntil)
  t.true((await m.users.findById(user.id))!.hasGate('pro' as never))
  t.is(mailbox.of('ann@example.com', 'declaration').length, 1)
  t.is(mailbox.of('ann@example.com', 'cancellation').length, 1)
  await fake.advance({ days: 1 })
  t.is((await visitor.send(`/membership/resume/${id}`)).status, 200)
  await settle(opened)
  t.like(await own(), { cancel_at_period_end: false, status: 'active' })
  await fake.advance({ days: 40 })
  await settle(opened)
  t.true((await own()).current_period_end! > paidUntil!)
  t.true((await m.users.findById(user.id))!.hasGate('pro' as never))
})

test('a cancellation that matches no contract waits for a person, even if the address has only one', async (t) => {
  const opened = await open(t)
  const { user } = await buy(opened, 'ann@example.com')
  await settle(opened)
  await opened.declare('cancel', { email: 'ann@example.com', contract: 'Gazette 4711' })
  await settle(opened)
  t.false((await opened.m.users.findById(user.id))!.subscriptions()[0]?.cancel_at_period_end)
  t.like((await opened.m.operator.declarations.list())[0], {
    status: 'open',
    member_id: user.id,
    subscription_id: null,
  })
})

test('an anonymous cancellation waits for staff at a provider that ends contracts irrevocably', async (t) => {
  const kinds = [
    ({ resume: _, ...provider }: Provider) => provider,
    (provider: Provider) => ({ ...provider, capabilities: { takes_back_end: false } }),
  ]
  for (const like of kinds) {
    const forGood = defineProvider({ ...stripe, create: (context) => like(stripe.create(context)) })
    const opened = await open(t, { customProviders: [forGood] })
    const { user } = await buy(opened, 'ann@example.com')
    await settle(opened)
    await opened.declare('cancel', { email: 'ann@example.com', name: 'Eve' })
    await settle(opened)
    t.false((await opened.m.users.findById(user.id))!.subscriptions()[0]?.cancel_at_period_end)
    t.like((await opened.m.operator.declarations.list())[0], { status: 'open', member_id: user.id })
    t.is(opened.mailbox.of('ann@example.com', 'declaration').length, 1)
  }
})

test('a cancellation may name its day: none after the paid time is carried out sooner', async (t) => {
  const opened = await open(t)
  const { m, site, mailbox, declare } = opened
  const { user } = await buy(opened, 'ann@example.com')
  await settle(opened)
  t.regex((await createVisitor(site).get('/membership/cancel')).text, /type="date" name="ends_on"/)
  t.is((await declare('cancel', { email: 'ann@example.com', ends_on: 'soon' })).json.code, 'ERR_FORM')
  const ended = async () => (await m.users.findById(user.id))!.subscriptions()[0]!.cancel_at_period_end
  const answer = await declare('cancel', { email: 'ann@example.com', ends_on: '2026-06-30' }, 'text/html')
  t.regex(answer.text, /Ende: 30\. Juni 2026/)
  await settle(opened)
  t.false(await ended())
  t.like((await m.operator.declarations.list())[0], { status: 'open', ends_on: '2026-06-30' })
  t.regex(mailbox.of('ann@example.com', 'declaration')[0]!.text, /Ende: 30\. Juni 2026/)
  await declare('cancel', { email: 'ann@example.com', ends_on: '2026-02-01' })
  await settle(opened)
  t.true(await ended(), 'with what is paid, the earliest day that there is')
})

test('receipts cannot flood a mailbox or inject headers; a declaration is always stored, and without a country there is no page', async (t) => {
  const opened = await open(t)
  const { m, mailbox, declare } = opened
  for (let n = 0; n < 6; n++)
    await declare('withdraw', { email: 'ann@example.com', name: 'Ann\r\nBcc: eve@example.com' })
  await settle(opened)
  t.is(mailbox.of('ann@example.com').length, 3)
  t.is((await m.operator.declarations.list()).length, 6)
  for (const mail of mailbox.sent) t.notRegex(mail.subject + mail.to, /[\r\n]|Bcc/)
  t.is((await declare('withdraw', { email: 'a@b.example, eve@example.com' })).json.code, 'ERR_FORM')
  const foreign = await fetch(`${opened.site}/membership/cancel`, {
    method: 'POST',
    body: new URLSearchParams({ name: 'a', contract: 'b', email: 'a@b.example' }),
  })
  t.is(foreign.status, 403)
  const plain = await openStripeSite(t)
  t.is((await fetch(`${plain.site}/membership/cancel`)).status, 404)
})
