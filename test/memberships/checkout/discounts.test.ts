import test, { type ExecutionContext } from 'ava'
import {
  addCustomer,
  attachMethod,
  type FakeServer,
  startSubscription,
} from '../../../src/fakes/engine/index.ts'
import type { MembershipOptions, User } from '../../../src/index.ts'
import { createDiscountsHad } from '../../../src/memberships/trials/index.ts'
import { createClock } from '../../../src/testkit/index.ts'
import { until } from '../../support/browser.ts'
import { openHost } from '../../support/host.ts'
import { openOfficeSite } from '../../support/office.ts'
import { openStripeSite } from '../../support/stripe-site.ts'
import { askFake, buy, createMailbox, createVisitor, logIn, type Visitor } from '../../support/visitor.ts'

const html = { accept: 'text/html' }
const ann = 'ann@example.com'

/** The offer on a cancellation page: its text and its address; null without one. */
function offerIn(page: string): { text: string; url: string } | null {
  const [, text = '', url = ''] = /<p class="order-alternative">([^<]*)<a href="([^"]*)">/.exec(page) ?? []
  return url === '' ? null : { text: text.trim(), url }
}
function factsIn(page: string): string[] {
  return [...page.matchAll(/<dt>([^<]*)<\/dt><dd>([^<]*)<\/dd>/g)].map(([, name, text]) => `${name}: ${text}`)
}
/** The form of a page that confirms an action. */
function formIn(page: string): Record<string, string> {
  return Object.fromEntries(
    [
      ...(/<form class="confirm"[\s\S]*?<\/form>/.exec(page)?.[0] ?? '').matchAll(
        /<input type="hidden" name="([^"]+)" value="([^"]*)"/g,
      ),
    ]
      .map(([, name, value]) => [name!, value!] as const)
      .filter(([name]) => name !== 'token'),
  )
}

/** A site that sells through the sandbox, and a member who bought there. */
async function openSandboxSite(t: ExecutionContext, options: MembershipOptions = {}) {
  const clock = createClock('2026-01-15T12:00:00Z')
  const mailbox = createMailbox()
  const opened = await openHost(t, {
    ...mailbox.options,
    'membership.provider.handler': 'sandbox',
    'membership.providers.sandbox.plans': {
      pro: { prices: [{ id: 'pro_month', amount: 900, currency: 'EUR', interval: 'month' }] },
    },
    'membership.providers.sandbox.discount': { percent: 50 },
    'membership.account.offer': 'discount',
    'membership.ratelimit.limit': 10_000,
    now: clock.now,
    ...options,
  })
  const { m, site } = opened
  const own = async (email = ann) => (await m.users.findByEmail(email))!
  const subscribe = async (visitor: Visitor, email = ann): Promise<string> => {
    const begun = await visitor.send('/membership/subscribe/pro', { price: 'pro_month' })
    const path = new URL(begun.json.url, site).pathname
    const paid = await visitor.send(path, { email, name: 'Ann', card: '4242 4242 4242 4242' })
    if (paid.status !== 303) throw new Error(`${begun.text} ${paid.status} ${paid.text}`)
    await visitor.get(paid.location!)
    await m.runDueJobs()
    clock.advance({ minutes: 1 })
    const held = await until(
      async () => (await own(email)).subscriptions().find((s) => !s.ended),
      (s) => s !== undefined,
    )
    return held!.id
  }
  await m.users.create({ email: ann, verified: true })
  const enter = (email = ann) => logIn(opened, mailbox, email)
  const visitor = await enter()
  const id = await subscribe(visitor)
  const amounts = async (email = ann) =>
    (await own(email))
      .payments()
      .map(({ amount }) => amount)
      .reverse()
  const renew = async (count: number) => {
    clock.advance({ days: 31 })
    await m.runDueJobs()
    return until(amounts, (list) => list.length === count)
  }
  return { ...opened, clock, mailbox, visitor, enter, subscribe, id, own, amounts, renew }
}

test('the cancel page offers the discount once: the next payment is reduced, the one after is not', async (t) => {
  const { visitor, enter, id, amounts, renew, m, own, clock } = await openSandboxSite(t)
  const cancel = () => visitor.get(`/membership/cancel/${id}`, html)
  const page = await cancel()
  const offer = offerIn(page.text)
  t.is(offer?.text, 'Would you rather stay for less? You get 50 % off your next payment, once.')
  t.is(offer?.url, `/membership/discount/${id}`)
  t.true(page.text.indexOf('Cancel on 15 February') < page.text.indexOf('order-alternative'))

  const looked = await visitor.get(offer!.url, html)
  t.is(looked.status, 200, looked.text)
  t.deepEqual(factsIn(looked.text), [
    'You have: Pro, monthly: €9 per month',
    'Discount: 50 % off the next payment. After that the usual price applies again.',
    'Due today: €0',
    'Next payment: €4.50 on 15 February',
  ])
  const form = formIn(looked.text)
  t.deepEqual(Object.keys(form).sort(), ['redirect', 'shown'], 'the form chooses nothing')
  const taken = await visitor.send(offer!.url, { ...form, percent: '100', coupon: 'free' }, html)
  t.is(taken.status, 303, taken.text)
  t.is(taken.location, '/membership/account')
  await m.runDueJobs()
  const account = await visitor.get('/membership/account', html)
  t.regex(account.text, /Done\. Your next payment for Pro, monthly on 15 February is reduced\./)
  t.regex(account.text, /50 % off your next payment on 15 February\./)
  t.regex(account.text, /€4\.50/)

  t.is(offerIn((await cancel()).text), null, 'not a second time')
  t.is((await visitor.send(`/membership/discount/${id}`)).status, 200, 'a second click finds it in place')
  t.deepEqual(await amounts(), [900])
  t.deepEqual(await renew(2), [900, 450])
  const back = await enter()
  t.notRegex((await back.get('/membership/account', html)).text, /off your next payment/)
  const again = await back.send(`/membership/discount/${id}`)
  t.is(again.status, 409, again.text)
  t.is(again.json.reason, 'repeated')
  t.deepEqual(await renew(3), [900, 450, 900])
  t.is(offerIn((await (await enter()).get(`/membership/cancel/${id}`, html)).text), null)
  t.false((await own()).subscriptions()[0]!.cancel_at_period_end)
  t.true(clock.now() > new Date('2026-03-15'))
})

/** A site that sells through Stripe, with a coupon that keeps the configured promise. */
async function openStripe(t: ExecutionContext, options: MembershipOptions = {}) {
  const mailbox = createMailbox()
  const opened = await openStripeSite(t, {
    ...mailbox.options,
    'membership.providers.stripe.discount': { percent: 50, coupon: 'stay' },
    'membership.account.offer': 'discount',
    ...options,
  })
  const { fake, m } = opened
  fake.addCoupon({ id: 'stay', percent_off: 50 })
  fake.addCoupon({ id: 'less', percent_off: 20 })
  fake.addCoupon({ id: 'always', percent_off: 50, duration: 'forever' })
  await m.operator.catalogue.refresh('stripe')
  const bought = await buy(opened, ann)
  const path = `/membership/discount/${bought.id}`
  const updates = () =>
    fake
      .requests()
      .filter(
        ({ method, path: to, params }) =>
          method === 'POST' && to === `/v1/subscriptions/${bought.id}` && 'discounts' in params,
      )
  const offered = async (visitor = bought.visitor) =>
    offerIn((await visitor.get(`/membership/cancel/${bought.id}`, html)).text)
  const paid = () => fake.objects.list('invoice').map(({ amount_paid }) => amount_paid)
  return { ...opened, ...bought, mailbox, path, updates, offered, paid }
}

test('Stripe gets one request as its documentation prints it, and the next invoice is reduced', async (t) => {
  const { fake, m, visitor, id, path, updates, offered, paid } = await openStripe(t)
  t.truthy(await offered())
  const taken = await visitor.send(path)
  t.is(taken.status, 200, taken.text)
  const [update, ...more] = updates()
  t.deepEqual(more, [])
  t.like(update?.params, { discounts: [{ coupon: 'stay' }] })
  t.truthy(update?.idempotency_key)
  await fake.deliver()
  const [s] = (await m.users.findByEmail(ann))!.subscriptions()
  t.regex(s!.metadata.membership_discount!, /^50 2026-01-15T\S+Z 2026-02-15T12:00:00\.000Z$/)
  t.is(await offered(), null)
  const german = await visitor.get('/membership/account', { ...html, 'accept-language': 'de' })
  t.regex(german.text, /50 % Rabatt auf Ihre nächste Zahlung am 15\. Februar\./)

  for (let month = 0; month < 2; month++) {
    await fake.advance({ months: 1 })
    await fake.advance({ ms: 7_200_000 })
    await fake.deliver()
  }
  t.deepEqual(paid().sort(), [450, 900, 900])
  t.is((await m.users.findByEmail(ann))!.subscriptions()[0]!.id, id)
  const log = await m.operator.audit.list()
  t.deepEqual(
    log.map(({ by, action, subject, outcome }) => [by, action, subject, outcome]),
    [['member', 'discount', id, 'done']],
  )
  t.deepEqual(log[0]?.after, { reason: '50 % off the next payment' })
})

test('two clicks in two processes give one discount, and a lost answer is repeated as the same request', async (t) => {
  const { another, visitor, path, updates, fake, paid } = await openStripe(t)
  const second = createVisitor((await another()).site)
  for (const [name, value] of visitor.cookies) second.cookies.set(name, value)
  await Promise.all([visitor.formToken(), second.formToken()])
  const lost = fake.outage({ kind: 'after', requests: 1 })
  const answers = await Promise.all([visitor.send(path), second.send(path), visitor.send(path)])
  lost()
  t.true(answers.every(({ status }) => [200, 409, 502].includes(status)))
  const again = await visitor.send(path)
  t.is(again.status, 200, again.text)
  t.is(new Set(updates().map(({ idempotency_key }) => idempotency_key)).size, 1)
  await fake.advance({ months: 1 })
  await fake.advance({ ms: 7_200_000 })
  t.deepEqual(paid().sort(), [450, 900])
})

test('a coupon that promises something else, or a discount that runs, changes nothing; cancelling stays possible', async (t) => {
  for (const coupon of ['less', 'always', 'none'] as const) {
    const { visitor, id, path, updates, m } = await openStripe(t, {
      'membership.providers.stripe.discount': { percent: 50, coupon },
    })
    const refused = await visitor.send(path, { shown: '' }, { accept: 'application/json' })
    t.true(refused.status >= 400, coupon)
    t.deepEqual(updates(), [], coupon)
    const rows = await m.storage.read((db) => db.selectFrom('trials').select('mark'))
    t.deepEqual(rows, [], 'nobody is remembered')
    t.is((await visitor.send(`/membership/cancel/${id}`)).status, 200)
    t.is((await visitor.send(path)).status, 409, 'it ends already')
  }
  const running = await openStripe(t)
  await askFake(running.fake, 'POST', `/v1/subscriptions/${running.id}`, { 'discounts[0][coupon]': 'always' })
  const before = running.updates().length
  const refused = await running.visitor.send(running.path)
  t.is(refused.status, 409, refused.text)
  t.is(refused.json.reason, 'not_allowed')
  t.is(running.updates().length, before)
})

test('it is offered only where a payment is coming: not without a coupon, in a pause, a planned change or arrears', async (t) => {
  const bare = await openStripe(t, { 'membership.providers.stripe.discount': { percent: 50 } })
  t.is(await bare.offered(), null, 'Stripe needs a coupon')
  t.is((await bare.visitor.send(bare.path)).status, 409)
  const off = await openStripe(t, { 'membership.providers.stripe.discount': null })
  t.is((await off.visitor.send(off.path)).json.reason, 'not_allowed')

  const team = await openStripe(t, { 'membership.providers.stripe.pause': { max_days: 30 } })
  const { visitor, id, fake, path } = team
  const change = async (price: string) => {
    t.is((await visitor.send(`/membership/change/${id}`, { price })).status, 200)
    await fake.advance({ ms: 5000 })
    await fake.deliver()
  }
  await change('price_team')
  await change('price_month')
  const planned = await visitor.send(path)
  t.is(planned.json.reason, 'change_scheduled', planned.text)
  await change('price_team')
  t.is((await visitor.send(`/membership/pause/${id}`)).status, 200)
  t.is((await visitor.send(path)).json.reason, 'already_paused')
  t.is(await team.offered(), null)
  await fake.deliver()

  const stranger = createVisitor(team.site)
  t.is((await stranger.send(path)).status, 401)
  const owing = await openStripe(t)
  owing.fake.useCard(owing.user.subscriptions()[0]!.customer_id!, '4000000000000341')
  await owing.fake.advance({ months: 1 })
  await owing.fake.advance({ ms: 7_200_000 })
  await owing.fake.deliver()
  const back = await logIn(owing, owing.mailbox, ann)
  t.is((await back.send(owing.path)).json.reason, 'not_paid')
})

test('somebody who deletes the account and comes back with the same address gets no second discount', async (t) => {
  const opened = await openStripe(t)
  const { m, fake, visitor, path, user, mailbox } = opened
  t.is((await visitor.send(path)).status, 200)
  await fake.deliver()
  await m.users.delete(user.id)
  for (let n = 0; n < 5 && (await m.users.findByEmail(ann)) !== null; n++) {
    await m.runDueJobs()
    await fake.advance({ ms: 60_000 })
    await fake.deliver()
  }
  await m.users.create({ email: ann, verified: true })
  const back = await logIn(opened, mailbox, ann)
  const again = await buy(opened, ann, { visitor: back })
  t.not(again.id, opened.id)
  t.not(again.user.id, user.id)
  const page = await back.get(`/membership/cancel/${again.id}`, html)
  t.is(page.status, 200)
  t.is(offerIn(page.text), null)
  const refused = await back.send(`/membership/discount/${again.id}`)
  t.is(refused.json.reason, 'repeated', refused.text)
  const marks = await m.storage.read((db) => db.selectFrom('trials').select('at'))
  t.true(marks.length > 0 && marks.every(({ at }) => at.startsWith('9999')), 'and these marks never leave')
})

test('a subscription that another shop shares gets no offer, and is not touched', async (t) => {
  const mailbox = createMailbox()
  const opened = await openStripeSite(t, {
    ...mailbox.options,
    'membership.providers.stripe.discount': { percent: 50, coupon: 'stay' },
    'membership.account.offer': 'discount',
  })
  const { fake, m } = opened
  fake.addCoupon({ id: 'stay', percent_off: 50 })
  fake.addPrice({ id: 'price_club', unit_amount: 777, currency: 'eur', recurring: { interval: 'month' } })
  await m.operator.catalogue.refresh('stripe')
  const { id } = await startInDashboard(fake, ann, ['price_month', 'price_club'])
  for (let n = 0; n < 2; n++) {
    await fake.deliver({ settle: true })
    await m.runDueJobs()
  }
  const visitor = await logIn(opened, mailbox, ann)
  const page = await visitor.get(`/membership/cancel/${id}`, html)
  t.is(page.status, 200, page.text)
  t.is(offerIn(page.text), null)
  const refused = await visitor.send(`/membership/discount/${id}`)
  t.is(refused.status, 409, refused.text)
  t.is(refused.json.reason, 'foreign')
  t.deepEqual(
    fake.requests().filter(({ method }) => method !== 'GET'),
    [],
  )
})

/** Starts a subscription in the dashboard. */
function startInDashboard(fake: FakeServer, email: string, prices: readonly string[]) {
  return fake.act((world) => {
    const customer = addCustomer(world, { email })
    const method = attachMethod(world, customer.id, '4242424242424242')
    return startSubscription(world, {
      customer: customer.id,
      currency: 'eur',
      metadata: {},
      method: method.id,
      items: prices.map((price) => ({ price: world.store.get('price', price), quantity: 1 })),
      trialEnd: null,
      withoutMethod: 'cancel',
      coupon: null,
      code: null,
    })
  })
}

test('an upgrade before the payment uses the discount, and its page shows what is charged', async (t) => {
  const { fake, m, visitor, id, path, paid } = await openStripe(t)
  await visitor.send(path)
  await fake.advance({ days: 3 })
  await fake.deliver()
  const account = async () => (await visitor.get('/membership/account', html)).text
  t.regex(await account(), /50 % off your next payment/)
  const page = await visitor.get(`/membership/change/${id}?price=price_team`, html)
  const [, due] = /Due today<\/dt><dd>€([\d.]+)</.exec(page.text) ?? []
  await visitor.send(`/membership/change/${id}`, formIn(page.text), html)
  await fake.advance({ ms: 60_000 })
  await fake.deliver()
  t.is(Math.min(...paid()), Math.round(Number(due) * 100))
  t.true(Number(due) < 14, 'half of the difference')
  t.notRegex(await account(), /off your next payment/)
  t.is((await m.users.findByEmail(ann))!.subscriptions()[0]!.price_id, 'price_team')
})

test('a pause moves the discount to the first payment after it; a cancellation hides it until it is undone', async (t) => {
  const { fake, visitor, id, path, paid } = await openStripe(t, {
    'membership.providers.stripe.pause': { max_days: 30 },
  })
  await visitor.send(path)
  const settled = async () => {
    await fake.advance({ ms: 5000 })
    await fake.deliver()
    return (await visitor.get('/membership/account', html)).text
  }
  t.regex(await settled(), /50 % off your next payment on 15 February/)
  await visitor.send(`/membership/cancel/${id}`)
  t.notRegex(await settled(), /off your next payment/)
  await visitor.send(`/membership/resume/${id}`)
  t.regex(await settled(), /off your next payment/)
  await visitor.send(`/membership/pause/${id}`)
  t.regex(await settled(), /50 % off your next payment on 17 March/)
  await fake.advance({ months: 2 })
  await fake.advance({ days: 3 })
  t.deepEqual(
    paid().filter((amount) => Number(amount) > 0),
    [900, 450],
  )
})

test('a refusal is read as a page that says that nothing was changed, in both languages', async (t) => {
  for (const [language, words] of [
    ['en', /Nothing was changed, and you were not charged/],
    ['de', /Es wurde nichts geändert/],
  ] as const) {
    const { visitor, path } = await openStripe(t, {
      'membership.providers.stripe.discount': { percent: 50, coupon: 'less' },
    })
    const speaking = { ...html, 'accept-language': language }
    const form = formIn((await visitor.get(path, speaking)).text)
    const refused = await visitor.send(path, form, speaking)
    t.is(refused.status, 409)
    t.regex(refused.text, words)
  }
})

test('a person with two memberships has one discount, even if both are asked for at once', async (t) => {
  const { m } = await openSandboxSite(t)
  const had = createDiscountsHad({
    storage: m.storage,
    providers: new Map([['acme', {}]]),
    secrets: () => ['s'.repeat(32)],
    now: () => new Date('2026-01-15T12:00:00Z'),
  })
  const user = {
    email: 'Ben@Example.com',
    email_verified: true,
    customers: () => [{ account: '', id: 'cus_1' }],
    subscriptions: () => [],
  } as unknown as User
  const place = (id: string) => ({ provider: 'acme', account: '', id })
  const both = await Promise.all([had.reserve(user, place('sub_1')), had.reserve(user, place('sub_2'))])
  t.deepEqual(both.sort(), [false, true])
  const [winner, other] = (await had.had(user, place('sub_1'))) ? ['sub_2', 'sub_1'] : ['sub_1', 'sub_2']
  t.true(await had.reserve(user, place(winner!)), 'a repetition')
  await m.storage.commit(had.release(user, place(other!)))
  t.false(await had.reserve(user, place(other!)), 'only the holder releases it')
  await m.storage.commit(had.release(user, place(winner!)))
  t.true(await had.reserve(user, place(other!)))
  await m.storage.commit(had.note(user, place(other!)))
  t.true(await had.had(user, place(other!)), 'once it is reduced, also for itself')
  const moved = { ...user, email: 'ben@example.com', customers: () => [] } as unknown as User
  t.true(await had.had(moved, place('sub_3')), 'by the address alone')
})

test('the notice before a renewal and the office name the discount, and merged accounts have had it', async (t) => {
  const opened = await openOfficeSite(t, {
    'membership.providers.stripe.discount': { percent: 50, coupon: 'stay' },
  })
  const { fake, m, enter, mailbox } = opened
  fake.addCoupon({ id: 'stay', percent_off: 50 })
  await m.operator.catalogue.refresh('stripe')
  const { user, id } = await buy(opened, ann, { price: 'price_year' })
  const ben = await buy(opened, 'ben@example.com')
  const settle = async () => {
    for (let n = 0; n < 4; n++) {
      await fake.deliver()
      await m.runDueJobs()
    }
  }
  await m.subscriptions.discount({ user: (await m.users.findById(user.id))!, subscriptionId: id })
  await fake.advance({ days: 350 })
  await settle()
  const { text = '' } = mailbox.of(ann, 'renewal-ahead')[0] ?? {}
  t.regex(text.replace(/\s+/g, ' '), /It costs €90 per year.*50 % off this payment, once: you pay €45\./)

  const { visitor } = await enter('ada@example.com')
  const page = await visitor.get(`/membership/office/members/${user.id}`, html)
  t.regex(page.text.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' '), /50 % off the next payment/)
  t.regex((await visitor.get('/membership/office/log', html)).text, /Give a discount/)

  await m.users.merge({ keep: ben.user.id, merge: user.id, by: 'ada', write: true })
  const kept = (await m.users.findById(ben.user.id))!
  const refused = await t.throwsAsync(m.subscriptions.discount({ user: kept, subscriptionId: ben.id }))
  t.is((refused as Error & { reason?: string }).reason, 'repeated')
  await m.users.unmerge({ merged: user.id, by: 'ada' })
  const apart = (await m.users.findById(ben.user.id))!
  const { prospect } = await m.subscriptions.describe({
    action: 'discount',
    user: apart,
    subscriptionId: ben.id,
  })
  t.is(prospect.percent_off, 50, 'after the undo, the other account never had one')
})
