import test from 'ava'
import { openStripeSite } from '../../support/stripe-site.ts'
import { buy, createMailbox, createVisitor, logIn } from '../../support/visitor.ts'

type Opened = Awaited<ReturnType<typeof openSite>>

async function openSite(t: Parameters<typeof openStripeSite>[0], options = {}) {
  const mailbox = createMailbox()
  const opened = await openStripeSite(t, {
    ...mailbox.options,
    'membership.providers.stripe.plans': {
      pro: {
        quantity: { max: 5 },
        prices: [
          { id: 'price_month', amount: 900, currency: 'EUR', interval: 'month' },
          { id: 'price_new', amount: 1200, currency: 'EUR', interval: 'month' },
        ],
      },
    },
    ...options,
  })
  opened.fake.addPrice({
    id: 'price_new',
    product: 'price_month',
    unit_amount: 1200,
    currency: 'eur',
    lookup_key: 'new_month',
    recurring: { interval: 'month' },
  })
  return { ...opened, mailbox }
}
// Ann buys on 15 January; the raise begins on 1 March, so that her renewal of 15 March is the first at the new price.
const request = {
  from: 'price_month',
  to: 'price_new',
  on: '2026-03-01T00:00:00.000Z',
  noticeDays: 30,
  needsConsent: false,
}
const html = { accept: 'text/html' }

async function settle({ m, fake }: Opened) {
  await m.runDueJobs()
  await fake.deliver()
  await m.runDueJobs()
}
/** Lets days pass, with the site's work at the end of each. */
async function pass(opened: Opened, days: number) {
  for (let day = 0; day < days; day++) {
    await opened.fake.advance({ days: 1 })
    await settle(opened)
  }
}
function paid({ fake }: Opened) {
  return fake.objects
    .list('invoice')
    .filter(({ status }) => status === 'paid')
    .map(({ amount_paid }) => amount_paid)
}
async function stateOf({ m }: Opened, id: string, email = 'ann@example.com') {
  return (await m.raises.members(id, { account: '', subscription_id: '' }, 50)).find(
    (row) => row.email === email,
  )
}
function pageIn({ mailbox }: Opened, email = 'ann@example.com') {
  return (
    /https?:\/\/[^\s/]+(\/membership\/price\/\S+)/.exec(
      mailbox.of(email, 'price-raise')[0]?.text ?? '',
    )?.[1] ?? ''
  )
}

test('a raise from the notice to the renewal: planned, notified, set before the renewal, charged once', async (t) => {
  const opened = await openSite(t)
  const { m, mailbox } = opened
  await buy(opened, 'ann@example.com')
  const plan = await m.raises.plan(request)
  t.like(plan, { provider: 'stripe', provider_can: 'schedule', notice_days: 30, needs_consent: false })
  t.like(plan.members[0], {
    email: 'ann@example.com',
    does: 'raise',
    from_amount: 900,
    to_amount: 1200,
    currency: 'EUR',
    first_at: '2026-03-15T12:00:00.000Z',
  })
  t.deepEqual(await m.raises.list(), [], 'a plan changes nothing')
  const { id } = await m.raises.raise(request, 'olga')
  await settle(opened)
  const [mail] = mailbox.of('ann@example.com', 'price-raise')
  t.regex(mail?.text ?? '', /€9 per month/)
  t.regex(mail?.text ?? '', /€12 per month/)
  t.regex(mail?.text ?? '', /15 March/)
  await pass(opened, 32)
  t.deepEqual(paid(opened), [900, 900], 'the renewal of 15 February is before the raise')
  await pass(opened, 26)
  t.like(await stateOf(opened, id), { state: 'planned', applies_at: '2026-03-15T12:00:00.000Z' })
  t.deepEqual(paid(opened), [900, 900])
  await pass(opened, 4)
  t.deepEqual(paid(opened), [900, 900, 1200])
  t.like(await stateOf(opened, id), { state: 'raised' })
  await pass(opened, 31)
  t.deepEqual(paid(opened), [900, 900, 1200, 1200])
  const user = (await m.users.findByEmail('ann@example.com'))!
  t.true(user.hasGate('pro' as never))
  t.is(mailbox.of('ann@example.com', 'price-raise').length, 1)
  const [raise] = await m.raises.list()
  t.like(raise, { id, created_by: 'olga', status: 'running', states: { raised: 1 } })
})

test('in California a notice falls 30 to 7 days before the charge; an earlier one stays, and a second one follows', async (t) => {
  const opened = await openSite(t, { 'membership.shop.california': true })
  const { m, mailbox } = opened
  await buy(opened, 'ann@example.com')
  await m.raises.raise({ ...request, noticeDays: 60 }, 'olga')
  await settle(opened)
  const notices = () => mailbox.of('ann@example.com', 'price-raise')
  t.is(notices().length, 1)
  t.regex(notices()[0]!.text, /15 April/)
  await pass(opened, 59)
  t.is(notices().length, 1, 'until 15 March')
  await pass(opened, 3)
  t.is(notices().length, 2)
  t.regex(notices()[1]!.text, /15 April/)
  await pass(opened, 31)
  t.is(notices().length, 2)
  t.deepEqual(paid(opened), [900, 900, 900, 1200])
})

test('in California a notice that comes less than a week before a renewal leaves that renewal at the old price', async (t) => {
  const opened = await openSite(t, { 'membership.shop.california': true })
  const { m, mailbox } = opened
  await buy(opened, 'ann@example.com')
  await pass(opened, 26)
  await m.raises.raise({ ...request, on: '2026-02-01', noticeDays: 3 }, 'olga')
  await settle(opened)
  t.regex(mailbox.of('ann@example.com', 'price-raise')[0]!.text, /15 March/)
  await pass(opened, 6)
  t.deepEqual(paid(opened), [900, 900])
  await pass(opened, 29)
  t.deepEqual(paid(opened), [900, 900, 1200])
  t.is(mailbox.of('ann@example.com', 'price-raise').length, 2)
})

test('one click in the notice cancels, and nothing is charged any more', async (t) => {
  const opened = await openSite(t)
  const { m, site } = opened
  await buy(opened, 'ann@example.com')
  const { id } = await m.raises.raise(request, 'olga')
  await settle(opened)
  const visitor = createVisitor(site)
  const path = pageIn(opened)
  const page = await visitor.get(path, html)
  t.regex(page.text, /€9 per month/)
  t.regex(page.text, /Cancel my membership/)
  t.false((await m.users.findByEmail('ann@example.com'))!.subscriptions()[0]!.cancel_at_period_end)
  const done = await visitor.send(path, { does: 'cancel' }, html)
  t.regex(done.text, /Your membership ends/)
  await settle(opened)
  t.true((await m.users.findByEmail('ann@example.com'))!.subscriptions()[0]!.cancel_at_period_end)
  await pass(opened, 70)
  t.deepEqual(paid(opened), [900])
  t.like(await stateOf(opened, id), { state: 'left', reason: 'ended' })
  t.is((await visitor.get(`${path}x`, html)).code, 'ERR_LINK')
})

test('where consent is needed, silence keeps the old price, and consent raises it', async (t) => {
  const opened = await openSite(t, { 'membership.shop.country': 'DE' })
  const { m, site } = opened
  const visitor = createVisitor(site)
  for (const email of ['ann@example.com', 'ben@example.com']) {
    const buyer = createVisitor(site)
    const order = await buyer.get('/membership/order?plan=pro&price=price_month', html)
    const fields = Object.fromEntries(
      [
        ...order.text.split('class="confirm"')[1]!.matchAll(/<input[^>]*name="([^"]+)"[^>]*value="([^"]*)"/g),
      ].map(([, name, value]) => [name!, value!]),
    )
    await buyer.send('/membership/subscribe/pro', fields, html)
    await opened.fake.pay(opened.fake.objects.list('checkout.session').at(-1)!.id, { email })
    await opened.fake.advance({ ms: 5000 })
    await settle(opened)
  }
  const { id, needs_consent } = await m.raises.raise({ ...request, needsConsent: undefined }, 'olga')
  t.true(needs_consent, 'a shop of the European Economic Area asks')
  await settle(opened)
  await visitor.send(pageIn(opened, 'ben@example.com'), { does: 'agree' }, html)
  await pass(opened, 65)
  t.like(await stateOf(opened, id), { state: 'kept', reason: 'silence' })
  t.like(await stateOf(opened, id, 'ben@example.com'), { state: 'raised' })
  t.deepEqual(paid(opened).sort(), [1200, 900, 900, 900, 900, 900].sort())
})

test('nobody is raised without a notice that left, or twice, or while a raise is stopped or undone', async (t) => {
  const opened = await openSite(t)
  const { m, mailbox } = opened
  await buy(opened, 'ann@example.com')
  const { id } = await m.raises.raise(request, 'olga')
  await m.raises.raise(request, 'olga')
  await settle(opened)
  t.is(mailbox.of('ann@example.com', 'price-raise').length, 1, 'begun twice, it is one raise')
  const other = await m.raises.plan({ ...request, on: '2026-04-01T00:00:00.000Z' })
  t.not(other.id, id)
  await m.raises.raise({ ...request, on: '2026-04-01T00:00:00.000Z' }, 'olga')
  t.is((await m.raises.members(other.id, { account: '', subscription_id: '' }, 50)).length, 0)
  t.is(await m.raises.noticeBounced(id, 'ann@example.com'), 1)
  await pass(opened, 62)
  t.deepEqual(paid(opened), [900, 900, 900])
  t.like(await stateOf(opened, id), { state: 'paused', reason: 'notice_bounced' })
  await m.raises.noticeAgain(id, 'ann@example.com')
  await settle(opened)
  t.is(mailbox.of('ann@example.com', 'price-raise').length, 2)
  // The notice of 18 March makes 15 April too early: the days count anew.
  await pass(opened, 31)
  t.deepEqual(paid(opened), [900, 900, 900, 900])
  await m.raises.stop(id)
  await pass(opened, 31)
  t.deepEqual(paid(opened), [900, 900, 900, 900, 900])
  await m.raises.resume(id)
  await pass(opened, 26)
  t.like(await stateOf(opened, id), { state: 'planned' })
  await m.raises.undo(id)
  await settle(opened)
  t.like(await stateOf(opened, id), { state: 'undone' })
  t.is(mailbox.of('ann@example.com', 'price-raise-off').length, 1)
  await pass(opened, 5)
  t.deepEqual(paid(opened), [900, 900, 900, 900, 900, 900])
})

test('what a member does between notice and renewal counts: a cancellation and its end, another quantity', async (t) => {
  const opened = await openSite(t)
  const { m } = opened
  const { visitor, id: subscription } = await buy(opened, 'ann@example.com')
  const { id } = await m.raises.raise(request, 'olga')
  await settle(opened)
  const cancelled = await visitor.send(`/membership/cancel/${subscription}`, {})
  t.is(cancelled.status, 200, cancelled.text)
  await pass(opened, 20)
  t.like(await stateOf(opened, id), { state: 'noticed', reason: 'cancelled' })
  const back = await logIn(opened, opened.mailbox, 'ann@example.com')
  await back.send(`/membership/resume/${subscription}`, {})
  const more = await back.send(`/membership/change/${subscription}`, { quantity: '3' })
  t.is(more.status, 200, more.text)
  await pass(opened, 42)
  t.is(paid(opened).at(-1), 3600, 'three pieces at the new price')
  t.like(await stateOf(opened, id), { state: 'raised' })
})

test('a member whose membership is ending gets no notice, and gets one in time after resuming', async (t) => {
  const opened = await openSite(t)
  const { m, mailbox } = opened
  const ann = await buy(opened, 'ann@example.com')
  const bob = await buy(opened, 'bob@example.com')
  for (const { visitor, id } of [ann, bob])
    t.is((await visitor.send(`/membership/cancel/${id}`, {})).status, 200)
  await settle(opened)
  const plan = await m.raises.plan(request)
  t.deepEqual(
    plan.members.map(({ does, first_at, is_leaving }) => ({ does, first_at, is_leaving })),
    [ann, bob].map(() => ({ does: 'raise', first_at: null, is_leaving: true })),
  )
  const { id } = await m.raises.raise(request, 'olga')
  await pass(opened, 20)
  t.is(mailbox.of('ann@example.com', 'price-raise').length, 0, 'whoever leaves needs no notice')
  t.like(await stateOf(opened, id), { state: 'noticed', reason: 'cancelled', noticed_at: null })

  // On 4 February, before the membership ends on the 15th.
  const back = await logIn(opened, mailbox, 'ann@example.com')
  t.is((await back.send(`/membership/resume/${ann.id}`, {})).status, 200)
  await pass(opened, 2)
  t.is(mailbox.of('ann@example.com', 'price-raise').length, 1, 'a day after resuming')
  await pass(opened, 22)
  t.deepEqual(paid(opened), [900, 900, 900], 'Ann paid the old price once more, Bob is gone')
  t.like(await stateOf(opened, id, 'bob@example.com'), { state: 'left', reason: 'ended' })
  await pass(opened, 18)
  t.is(paid(opened).at(-1), 1200, 'the renewal of 15 March is more than 30 days after the notice')
  t.like(await stateOf(opened, id), { state: 'raised' })
  t.is(mailbox.of('ann@example.com', 'price-raise').length, 1)
  t.deepEqual(mailbox.of('bob@example.com', 'price-raise'), [])
})

test('who is exempt, came early or has no dearer price keeps it, and wrong orders are refused', async (t) => {
  const opened = await openSite(t)
  const { m } = opened
  for (const email of ['ann@example.com', 'ben@example.com']) await buy(opened, email)
  const reasons = async (more: object) =>
    (await m.raises.plan({ ...request, ...more })).members.map(({ reason }) => reason)
  t.deepEqual(await reasons({}), [null, null])
  t.deepEqual((await reasons({ keep: ['Ann@example.com'] })).sort(), ['exempt', null])
  t.deepEqual(await reasons({ before: '2026-02-01T00:00:00.000Z' }), ['before', 'before'])
  for (const wrong of [
    { to: 'price_month' },
    { from: 'price_new', to: 'price_month' },
    { to: 'price_none' },
    { noticeDays: 0 },
    { on: 'soon' },
  ])
    await t.throwsAsync(m.raises.plan({ ...request, ...wrong }), { code: 'ERR_USAGE' }, JSON.stringify(wrong))
})

test('a process that dies after the provider’s answer, and a second process, raise once', async (t) => {
  const opened = await openSite(t)
  const { m, fake } = opened
  await buy(opened, 'ann@example.com')
  const { id } = await m.raises.raise(request, 'olga')
  await settle(opened)
  const { m: second } = await opened.another()
  await pass(opened, 56)
  // The answer of every change at the provider is lost.
  const end = fake.outage({ kind: 'after' })
  await fake.advance({ days: 1 })
  await Promise.all([m.runDueJobs(), second.runDueJobs()])
  end()
  await pass(opened, 5)
  t.deepEqual(paid(opened), [900, 900, 1200])
  t.like(await stateOf(opened, id), { state: 'raised' })
})

test('an exception that names no membership is listed, so that a typing error raises nobody unseen', async (t) => {
  const opened = await openSite(t)
  await buy(opened, 'ann@example.com')
  const { members, unknown_exceptions } = await opened.m.raises.plan({
    ...request,
    keep: ['Ann@Example.com', 'bob@exmaple.com'],
  })
  t.is(members[0]?.reason, 'exempt')
  t.deepEqual(unknown_exceptions, ['bob@exmaple.com'])
})

test('a gate that names the old price stays open for whoever is raised, in every process, unpaid and after an undo', async (t) => {
  const opened = await openSite(t)
  const { m, fake } = opened
  const { m: second } = await opened.another()
  await buy(opened, 'ann@example.com')
  const { id } = await m.raises.raise(request, 'olga')
  const gates = ['price_month', 'pro_month', 'pro']
  const open = async (where = m) => {
    const user = (await where.users.findByEmail('ann@example.com'))!
    return [
      gates.every((gate) => user.hasGate(gate as never)),
      user.paidTime('price_month' as never).days,
      user.subscriptionForPrice('price_month' as never)?.price_id ?? null,
    ]
  }
  for (let day = 0; day < 56; day++) {
    await pass(opened, 1)
    t.true((await open())[0] as boolean, `day ${day}`)
  }
  await m.raises.stop(id)
  t.true((await open())[0] as boolean, 'stopped with the new price planned')
  await m.raises.resume(id)
  // The renewal at the new price fails: the days of grace begin.
  fake.useCard(String(fake.objects.list('customer')[0]!.id), '4000000000000341')
  await pass(opened, 4)
  const user = (await m.users.findByEmail('ann@example.com'))!
  t.like(user.subscriptions()[0], { price_id: 'price_new', past_due: true })
  t.like(user.explain('price_month' as never), { open: true, reason: 'past_due' })
  t.true((await open())[0] as boolean)
  fake.useCard(String(fake.objects.list('customer')[0]!.id), '4242424242424242')
  await pass(opened, 7)
  t.deepEqual(paid(opened), [900, 900, 1200])
  t.deepEqual((await open())[2], 'price_new')
  t.is((await open())[1], (await m.users.findByEmail('ann@example.com'))!.paidTime('pro' as never).days)
  await m.raises.undo(id)
  await settle(opened)
  t.true((await open())[0] as boolean, 'the new price was charged, so an undo leaves it')
  await second.runDueJobs()
  t.deepEqual(await open(second), await open(), 'a process that began before the raise')
  const { m: third } = await opened.another()
  t.deepEqual(await open(third), await open(), 'a process that begins after it')
  const back = await logIn(opened, opened.mailbox, 'ann@example.com')
  const cancelled = await back.send(`/membership/cancel/${user.subscriptions()[0]!.id}`, {})
  t.is(cancelled.status, 200, cancelled.text)
  await pass(opened, 32)
  t.false((await open())[0] as boolean, 'it closes with the membership')
})

test('a raise names its prices by look-up key, too, also right after a start', async (t) => {
  const opened = await openSite(t)
  await buy(opened, 'ann@example.com')
  const { from, to } = await opened.m.raises.plan({ ...request, from: 'pro_month', to: 'new_month' })
  t.deepEqual([from, to], ['price_month', 'price_new'])
  opened.fake.latency(300)
  const { m: fresh } = await opened.another({ 'membership.database.url': 'sqlite::memory:' })
  t.like(await fresh.raises.plan({ ...request, from: 'pro_month', to: 'new_month' }), { from, to })
  opened.fake.latency(0)
  const { id } = await opened.m.raises.raise({ ...request, from: 'pro_month', to: 'new_month' }, 'olga')
  await pass(opened, 62)
  t.like(await stateOf(opened, id), { state: 'raised' })
  t.deepEqual(paid(opened), [900, 900, 1200])
})

test('a raise waits while a membership is paused, and applies at the first renewal after the pause', async (t) => {
  const opened = await openSite(t, { 'membership.providers.stripe.pause': { max_days: 90 } })
  const { m } = opened
  const { id: subscriptionId } = await buy(opened, 'ann@example.com')
  const { id } = await m.raises.raise(request, 'olga')
  await pass(opened, 20)
  const user = async () => (await m.users.findByEmail('ann@example.com'))!
  await m.subscriptions.pause({ user: await user(), subscriptionId })
  await settle(opened)
  await pass(opened, 45)
  t.like(await stateOf(opened, id), { state: 'noticed', reason: 'paused' })
  t.deepEqual(paid(opened), [900])
  await m.subscriptions.resume({ user: await user(), subscriptionId })
  await pass(opened, 40)
  t.like(await stateOf(opened, id), { state: 'raised' })
  t.is(paid(opened).at(-1), 1200)
  t.true((await user()).hasGate('price_month' as never))
})

test('a raise goes on for the account that has the membership: after a merge, and after it is taken back', async (t) => {
  const opened = await openSite(t)
  const { m } = opened
  await buy(opened, 'ann@example.com')
  const kept = await m.users.create({ email: 'kept@example.com', verified: true })
  const { id } = await m.raises.raise(request, 'olga')
  await pass(opened, 40)
  const merged = (await m.users.findByEmail('ann@example.com'))!.id
  await m.users.merge({ keep: kept.id, merge: merged, by: 'op', write: true })
  await pass(opened, 17)
  t.like(await stateOf(opened, id, 'kept@example.com'), { state: 'planned', member_id: kept.id })
  await m.users.unmerge({ merged, by: 'op' })
  await pass(opened, 5)
  t.like((await stateOf(opened, id, 'ann@example.com')) ?? (await stateOf(opened, id, 'kept@example.com')), {
    state: 'raised',
  })
  t.deepEqual(paid(opened), [900, 900, 1200])
  t.true((await m.users.findByEmail('ann@example.com'))!.hasGate('price_month' as never))
  t.false((await m.users.findById(kept.id))!.hasGate('price_month' as never))
})

test('a refund that leaves the membership leaves its raise, and a change of plan ends it', async (t) => {
  const opened = await openSite(t, {
    'membership.providers.stripe.plans': {
      pro: {
        group: 'membership',
        prices: [
          { id: 'price_month', amount: 900, currency: 'EUR', interval: 'month' },
          { id: 'price_new', amount: 1200, currency: 'EUR', interval: 'month' },
        ],
      },
      team: {
        group: 'membership',
        prices: [{ id: 'price_team', amount: 2500, currency: 'EUR', interval: 'month' }],
      },
    },
  })
  const { m } = opened
  await buy(opened, 'ann@example.com')
  const { id: subscriptionId } = await buy(opened, 'ben@example.com')
  const { id } = await m.raises.raise(request, 'olga')
  await pass(opened, 5)
  const [payment] = (await m.users.findByEmail('ann@example.com'))!.payments()
  await m.payments.refund({ payment: payment!, amount: 100 })
  const user = (await m.users.findByEmail('ben@example.com'))!
  await m.subscriptions.change({ user, subscriptionId, plan: 'team' as never })
  await settle(opened)
  await pass(opened, 58)
  t.like(await stateOf(opened, id), { state: 'raised' })
  t.like(await stateOf(opened, id, 'ben@example.com'), { state: 'left', reason: 'other_price' })
  t.is(paid(opened).filter((amount) => amount === 1200).length, 1, 'only Ann pays the new price')
})

test('a raised member does not go back to the old price while it is still sold, and changes the rest as before', async (t) => {
  const opened = await openSite(t)
  const { m } = opened
  const { id } = await buy(opened, 'ann@example.com')
  const offered = async () =>
    (await m.viewOf(await m.users.findByEmail('ann@example.com')))
      .provider('stripe')
      .subscriptionAction('price_month' as never)
  await m.raises.raise(request, 'olga')
  await pass(opened, 58)
  t.like(await stateOf(opened, (await m.raises.list())[0]!.id), { state: 'planned' })
  t.is((await offered()).action, 'change', 'a planned raise can be taken back')
  await pass(opened, 4)
  t.deepEqual(paid(opened), [900, 900, 1200])
  t.like(await offered(), { action: 'none', reason: 'not_sold' })
  const visitor = await logIn(opened, opened.mailbox, 'ann@example.com')
  const list = await visitor.get('/membership/prices', html)
  t.notRegex(list.text, /value="price_month"/)
  const back = await visitor.send(`/membership/change/${id}`, { price: 'price_month' })
  t.like(back, { status: 409, code: 'ERR_ACTION_REFUSED' })
  t.is(back.json.reason, 'price_unknown')
  const look = await visitor.get(`/membership/change/${id}?price=price_month`, html)
  t.is(look.status, 409)
  const user = (await m.users.findByEmail('ann@example.com'))!
  await m.subscriptions.change({ user, subscriptionId: id, quantity: 2 })
  await opened.fake.deliver()
  const [s] = (await m.users.findByEmail('ann@example.com'))!.subscriptions()
  t.like(s, { price_id: 'price_new', quantity: 2 })
})

test('a notice says what it does not know: a lasting discount; and it names the day on which a pause ends', async (t) => {
  const opened = await openSite(t, { 'membership.providers.stripe.pause': { max_days: 200 } })
  const { m, mailbox, fake } = opened
  fake.addCoupon({ id: 'half', percent_off: 50, duration: 'forever', code: 'HALF' })
  await buy(opened, 'ann@example.com', { code: 'HALF' })
  await buy(opened, 'ben@example.com')
  const { id: subscriptionId } = await buy(opened, 'cid@example.com')
  const cid = (await m.users.findByEmail('cid@example.com'))!
  await m.subscriptions.pause({ user: cid, subscriptionId, until: '2026-05-15T12:00:00.000Z' } as never)
  await settle(opened)
  await m.raises.raise(request, 'olga')
  await settle(opened)
  const text = (email: string) => (mailbox.of(email, 'price-raise')[0]?.text ?? '').replace(/\s+/g, ' ')
  t.regex(
    text('ann@example.com'),
    /Your last payment was lower: €4\.50\. These sums are without your discount or credit\./,
  )
  t.notRegex(text('ben@example.com'), /lower/, 'who pays the price')
  t.regex(text('cid@example.com'), /15 May 2026/, 'who is charged again in May')
})
