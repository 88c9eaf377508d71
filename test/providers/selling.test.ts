import test, { type ExecutionContext } from 'ava'
import type { FakeServer, OutageKind } from '../../src/fakes/engine/index.ts'
import { createMembership, type Membership } from '../../src/index.ts'
import { shuffled } from '../support/converge.ts'
import { freshDatabase } from '../support/databases.ts'
import { askedByDoctor } from '../support/doctor.ts'
import { holdings, takeIn } from '../support/holdings.ts'
import {
  choose,
  comeBack,
  memberOf,
  openSellingSite,
  passing,
  purchase,
  type SellingSite,
} from '../support/selling-site.ts'
import { createVisitor, prove } from '../support/visitor.ts'
import { chargebee } from './chargebee/selling.ts'
import { creem } from './creem/selling.ts'
import { dodo } from './dodo/selling.ts'
import { lemonsqueezy } from './lemonsqueezy/selling.ts'
import { paddle } from './paddle/selling.ts'
import { polar } from './polar/selling.ts'
import type { SellingCase } from './selling-case.ts'
import { stripe } from './stripe/selling.ts'

// Each provider that sells, through a site over HTTP: what stands apart is data in its folder.
const cases: readonly SellingCase[] = [chargebee, creem, dodo, lemonsqueezy, paddle, polar, stripe]

const ann = 'ann@example.com'

for (const sellingCase of cases) {
  const { key, prices, cannot = [] } = sellingCase

  test(`${key}: a returning buyer has access before any event, and an event alone opens too`, async (t) => {
    const opened = await openSellingSite(t, sellingCase)
    const { m, fake } = opened
    const first = await choose(opened, 'pro')
    t.is((await first.visitor.get(first.back, { accept: 'application/json' })).json.status, 'open')
    await fake.pay(first.checkout, { email: ann })
    await passing(fake)
    t.is((await comeBack(opened, first)).json.status, 'paid')
    t.true((await memberOf(m, ann)).hasGate('pro' as never), 'before the message')
    await fake.deliver()
    const [subscription, ...more] = (await memberOf(m, ann)).subscriptions()
    t.is(more.length, 0)
    t.like(subscription, { status: 'active', price_id: prices.month, quantity: 1 })
    const doctor = await askedByDoctor(m, opened.provider(), fake.now())
    t.is(doctor, `ok: ${key} answers, accepts the API key, and knows subscription ${subscription!.id}.`)

    const second = await choose(opened, 'book')
    await fake.pay(second.checkout, { email: 'ben@example.com' })
    await fake.deliver()
    await m.runDueJobs()
    t.true((await memberOf(m, 'ben@example.com')).hasGate('book' as never), 'without coming back')
    t.is((await memberOf(m, 'ben@example.com')).payments().length, 1)
    const late = await second.visitor.get(second.back, { accept: 'application/json' })
    t.is(late.json.status, 'paid')
    t.deepEqual(sellingCase.moved(fake).charged, [900, 1900])
  })

  test(`${key}: a second click returns to the same page, another choice closes it`, async (t) => {
    const opened = await openSellingSite(t, sellingCase)
    const { fake } = opened
    const visitor = createVisitor(opened.site)
    const first = await choose(opened, 'pro', visitor)
    t.is((await choose(opened, 'pro', visitor)).url, first.url)
    t.not((await choose(opened, 'team', visitor)).url, first.url)
    const wanted = sellingCase.pagesUntold || sellingCase.leavesPagesOpen ? 2 : 1
    t.is(sellingCase.openCheckouts(fake) ?? wanted, wanted)
  })

  test(`${key}: a dearer price applies when it is paid, and a declined card changes nothing`, async (t) => {
    const opened = await openSellingSite(t, sellingCase)
    const { m, fake } = opened
    const { visitor, id } = await purchase(opened, ann)
    await fake.advance({ days: 10 })
    fake.useCard(sellingCase.customerOf(fake, ann), '4000000000000341')
    const declined = await visitor.send(`/membership/change/${id}`, { plan: 'team' })
    t.is(declined.status, 402, declined.text)
    await fake.deliver()
    await passing(fake)
    await m.runDueJobs()
    t.like((await memberOf(m, ann)).subscriptions()[0], { price_id: prices.month, status: 'active' })
    fake.useCard(sellingCase.customerOf(fake, ann), '4242424242424242')
    const preview = await visitor.send(`/membership/invoice/${id}`, { plan: 'team' })
    t.is(preview.status, cannot.includes('preview') ? 501 : 200, preview.text)
    await passing(fake)
    const changed = await visitor.send(`/membership/change/${id}`, { plan: 'team' })
    t.is(changed.status, 200, changed.text)
    t.true((await memberOf(m, ann)).hasGate('team' as never), 'before the message')
    // 21 of 31 days are left: 609.68 back, 1693.55 more.
    t.deepEqual(sellingCase.moved(fake).charged, [900, 1084])
    if (!cannot.includes('preview')) t.is(preview.json.amount_due, 1084)
    await passing(fake)
    const more = await visitor.send(`/membership/change/${id}`, { quantity: '2' })
    t.is(more.status, 200, more.text)
    await fake.deliver()
    t.like((await memberOf(m, ann)).subscriptions()[0], { price_id: prices.team, quantity: 2 })
  })

  test(`${key}: a cheaper price applies at the end of the paid period, without a refund`, async (t) => {
    const opened = await openSellingSite(t, sellingCase)
    const { m, fake } = opened
    const { visitor, id } = await purchase(opened, ann, 'team')
    await fake.advance({ days: 10 })
    const changed = await visitor.send(`/membership/change/${id}`, { plan: 'pro' })
    t.is(changed.status, 200, changed.text)
    await fake.deliver()
    await fake.advance({ days: 10 })
    t.true((await memberOf(m, ann)).hasGate('team' as never), 'what is paid stays open')
    await fake.advance({ days: 12 })
    await fake.deliver()
    await m.runDueJobs()
    t.false((await memberOf(m, ann)).hasGate('team' as never), 'and not longer')
    t.true((await memberOf(m, ann)).hasGate('pro' as never))
    t.deepEqual(sellingCase.moved(fake), { charged: [2500, 900], back: [] })
  })

  test(`${key}: cancelled at the end, resumed, cancelled now`, async (t) => {
    const opened = await openSellingSite(t, sellingCase)
    const { m, fake } = opened
    const { visitor, id } = await purchase(opened, ann)
    const own = async () => (await memberOf(m, ann)).subscriptions()[0]!
    await passing(fake)
    t.is((await visitor.send(`/membership/cancel/${id}`)).status, 200)
    t.true((await own()).on_grace_period, 'known before any message')
    await passing(fake)
    const renewed = await visitor.send(`/membership/renew/${id}`)
    t.is(renewed.status, 200, renewed.text)
    t.false((await own()).cancel_at_period_end)
    await fake.deliver()
    await fake.advance({ months: 1, days: 1 })
    await arrive(opened)
    t.like(await own(), { status: 'active', current_period_end: '2026-03-15T12:00:00.000Z' })
    const again = await opened.visitorOf(ann)
    const ended = await again.send(`/membership/cancel/${id}`, { when: 'now' })
    if (cannot.includes('cancel now')) {
      t.like(ended.json.subscription, { status: 'active', cancel_at_period_end: true }, ended.text)
      await fake.advance({ months: 1, days: 1 })
    } else t.is(ended.json.subscription?.status, 'canceled', ended.text)
    await fake.deliver()
    t.false((await memberOf(m, ann)).hasGate('pro' as never))
    t.deepEqual(sellingCase.moved(fake).charged, [900, 900])
  })

  if (!cannot.includes('pause'))
    test(`${key}: a pause begins at the end of the paid period; resuming is paid, or it stays paused`, async (t) => {
      const opened = await openSellingSite(t, sellingCase)
      const { m, fake } = opened
      const { visitor, id } = await purchase(opened, ann)
      const own = async () => (await memberOf(m, ann)).subscriptions()[0]!
      await passing(fake)
      const paused = await visitor.send(`/membership/pause/${id}`)
      t.is(paused.status, 200, paused.text)
      await fake.advance({ days: 20 })
      t.true((await memberOf(m, ann)).hasGate('pro' as never), 'paid until then')
      await fake.advance({ days: 20 })
      await fake.deliver()
      await m.runDueJobs()
      t.false((await memberOf(m, ann)).hasGate('pro' as never), 'in the pause')
      t.deepEqual(sellingCase.moved(fake).charged, [900])
      fake.useCard(sellingCase.customerOf(fake, ann), '4000000000000341')
      const again = await opened.visitorOf(ann)
      const unpaid = await again.send(`/membership/resume/${id}`)
      t.is(unpaid.status, sellingCase.resumesBeforePaid ? 200 : 402, unpaid.text)
      await fake.deliver()
      await m.runDueJobs()
      const { status, paused_at } = await own()
      if (sellingCase.resumesBeforePaid) t.is(status, 'past_due')
      else t.not(paused_at, null, 'paused still')
      if (!sellingCase.resumesBeforePaid) t.false((await memberOf(m, ann)).hasGate('pro' as never), 'unpaid')
      fake.useCard(sellingCase.customerOf(fake, ann), '4242424242424242')
      await passing(fake)
      const resumed = await again.send(
        `/membership/${sellingCase.resumesBeforePaid ? 'renew' : 'resume'}/${id}`,
      )
      t.is(resumed.status, 200, resumed.text)
      if (sellingCase.resumesBeforePaid) await sellingCase.payOpen(fake, resumed.json.url)
      await fake.deliver()
      await m.runDueJobs()
      t.is((await own()).status, 'active')
      t.true((await memberOf(m, ann)).hasGate('pro' as never))
      t.deepEqual(sellingCase.moved(fake).charged, [900, 900])
    })

  test(`${key}: a failed renewal is paid on the provider’s page, then it continues`, async (t) => {
    const opened = await openSellingSite(t, sellingCase)
    const { m, fake } = opened
    const { id } = await purchase(opened, ann)
    fake.useCard(sellingCase.customerOf(fake, ann), '4000000000000341')
    await fake.advance({ months: 1, days: 1 })
    await arrive(opened)
    t.is((await memberOf(m, ann)).subscriptions()[0]?.status, 'past_due')
    const visitor = await opened.visitorOf(ann)
    const renew = await visitor.send(`/membership/renew/${id}`)
    t.regex(String(renew.json.url), /^http/, renew.text)
    fake.useCard(sellingCase.customerOf(fake, ann), '4242424242424242')
    await passing(fake)
    await sellingCase.payOpen(fake, renew.json.url)
    await arrive(opened)
    t.is((await memberOf(m, ann)).subscriptions()[0]?.status, 'active')
    t.deepEqual(sellingCase.moved(fake).charged, [900, 900])
  })

  test(`${key}: of three full refunds at once under three names, one is made and the others are refused`, async (t) => {
    const opened = await openSellingSite(t, sellingCase)
    const { m, fake } = opened
    await purchase(opened, ann, 'book')
    await passing(fake)
    const payment = (await memberOf(m, ann)).payments()[0]!
    const tries = ['a', 'b', 'c'].map((name) => m.payments.refund({ payment, key: name }))
    const outcomes = await Promise.allSettled(tries)
    t.deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected', 'rejected'])
    t.deepEqual(sellingCase.moved(fake).back, [1900])
  })

  test(`${key}: a refund happens once, however often and by whomever it is requested`, async (t) => {
    const opened = await openSellingSite(t, sellingCase)
    const { m, fake } = opened
    await purchase(opened, ann, 'book')
    await passing(fake)
    const payment = (await memberOf(m, ann)).payments()[0]!
    const isWhole = cannot.includes('part of a refund')
    if (isWhole)
      await t.throwsAsync(m.payments.refund({ payment, amount: 500 }), { code: 'ERR_ACTION_REFUSED' })
    const wish = { payment, amount: isWhole ? 1900 : 500, key: 'ticket 7' }
    await Promise.all([m.payments.refund(wish), m.payments.refund(wish)])
    await fake.deliver()
    if (!isWhole) await m.payments.refund(wish)
    t.deepEqual(sellingCase.moved(fake).back, [wish.amount])
    await passing(fake)
    if (!isWhole) await m.payments.refund({ payment })
    await fake.deliver()
    await m.runDueJobs()
    t.like((await memberOf(m, ann)).payments()[0], { amount_refunded: 1900, status: 'refunded' })
    t.false((await memberOf(m, ann)).hasGate('book' as never))
    t.deepEqual(sellingCase.moved(fake).back, isWhole ? [1900] : [500, 1400])
  })

  test(`${key}: nothing happens twice if a call fails, is cut off, or loses its answer`, async (t) => {
    const opened = await openSellingSite(t, sellingCase)
    const { m, fake } = opened
    /** Fails once while it is done; whoever sees an error asks again. */
    const stubbornly = async <T extends { readonly status: number }>(
      kind: OutageKind,
      act: () => Promise<T>,
    ): Promise<void> => {
      const end = fake.outage({ kind, requests: 1 })
      const first = await act()
      end()
      await passing(fake)
      if (first.status < 400) return
      const second = await act()
      t.true(second.status < 400, `${kind}: ${first.status}, then ${second.status}`)
      await passing(fake)
    }
    const given = cannot.includes('part of a refund') ? 900 : 300
    for (const [n, kind] of (['500', 'reset', 'after'] as const).entries()) {
      const email = `${kind}@example.com`
      const visitor = createVisitor(opened.site)
      await visitor.formToken()
      await stubbornly(kind, () => visitor.send('/membership/subscribe/pro'))
      t.is(sellingCase.openCheckouts(fake) ?? 1, 1, kind)
      const begun = await choose(opened, 'pro', visitor)
      await fake.pay(begun.checkout, { email })
      await passing(fake)
      await stubbornly(kind, () => comeBack(opened, begun))
      await fake.deliver()
      await prove(m, visitor)
      const { id } = (await memberOf(m, email)).subscriptions()[0]!
      await fake.advance(new Date(Date.parse('2026-01-15T12:00:00Z') + (n + 1) * 10 * 86_400_000))
      const act = (what: string, fields = {}) =>
        stubbornly(kind, () => visitor.send(`/membership/${what}/${id}`, fields))
      await act('change', { plan: 'team' })
      await act('cancel')
      await act('renew')
      if (!cannot.includes('pause')) {
        await act('pause')
        await act('resume')
      }
      const payment = (await memberOf(m, email)).payments().find(({ amount }) => amount === 900)!
      await stubbornly(kind, () =>
        m.payments.refund({ payment, amount: given, key: 'once' }).then(
          () => ({ status: 200 }),
          () => ({ status: 502 }),
        ),
      )
      await fake.deliver()
      await m.runDueJobs()
      t.like((await memberOf(m, email)).subscriptions()[0], { price_id: prices.team, status: 'active' })
      const { charged, back } = sellingCase.moved(fake)
      t.deepEqual([charged.length, back], [2 * (n + 1), Array(n + 1).fill(given)], kind)
    }
  })

  test(`${key}: lists, past events, and events in any order give the same state`, async (t) => {
    const opened = await openSellingSite(t, sellingCase)
    const { m, fake } = opened
    await live(t, opened)
    const whole = (of: Membership) => held(of, sellingCase)
    const before = await whole(m)
    const listable = (of: Held) => {
      const noted = sellingCase.tellsNotesOnce ? withoutNotes(of) : of
      return sellingCase.tellsPaymentOnce ? withoutMoments(noted) : noted
    }
    t.is(before.subscriptions.length, 2)

    const listed = await openBeside(t, opened)
    for await (const page of opened.provider().list!()) await takeIn(listed, key, page)
    const fromLists = await whole(listed)
    t.deepEqual(listable(fromLists), listable(before), 'from lists')

    if ((sellingCase.keepsDays ?? 0) >= 90) {
      const pulled = await openBeside(t, opened)
      for await (const { outcome } of pulled.webhooks.pull(key, new Date('2026-01-14T00:00:00Z')))
        t.true(['processed', 'ignored'].includes(outcome), outcome)
      await settled(pulled, fake)
      t.deepEqual(await whole(pulled), before, 'from past messages')
    }

    for (const seed of [1]) {
      const told = await openBeside(t, opened)
      for (const event of shuffled(fake.events(), seed)) {
        const body = Buffer.from(JSON.stringify(event))
        const outcome = await told.webhooks.receive(key, { body, headers: told.webhooks.sign(key, body) })
        t.true(['processed', 'ignored', 'duplicate'].includes(outcome), outcome)
      }
      await settled(told, fake)
      t.deepEqual(await whole(told), before, `in any order, ${seed}`)
    }
  })
}

type Held = Awaited<ReturnType<typeof held>>

/** As lists tell it: a payment that came later has the moment at which it was asked for. */
function withoutMoments({ payments, ...rest }: Held): Held {
  return {
    ...rest,
    payments: payments.map((row) => {
      const { billed_at, ...data } = row.data
      return { ...row, data: { ...data, paid_at: billed_at ?? data.paid_at } }
    }),
  }
}

function withoutNotes({ payments, ...rest }: Held): Held {
  return {
    ...rest,
    payments: payments.map((row) => {
      const items = row.data.items.map((item: object) => ({ ...item, quantity: null }))
      return { ...row, data: { ...row.data, metadata: {}, quantity: null, items } }
    }),
  }
}

/** Purchases, changes, a failure, money back: a few months of two members. */
async function live(t: ExecutionContext, opened: SellingSite): Promise<void> {
  const { m, fake, sellingCase } = opened
  const { visitor, id } = await purchase(opened, ann)
  await purchase(opened, 'ben@example.com', 'book')
  const cleo = await purchase(opened, 'cleo@example.com', 'team')
  // One page is closed for another, and that one is left open.
  const nobody = createVisitor(opened.site)
  await choose(opened, 'pro', nobody)
  await choose(opened, 'team', nobody)
  await fake.advance({ days: 10 })
  t.is((await visitor.send(`/membership/change/${id}`, { plan: 'team' })).status, 200)
  await passing(fake)
  t.is((await cleo.visitor.send(`/membership/cancel/${cleo.id}`)).status, 200)
  const amount = sellingCase.cannot?.includes('part of a refund') ? 1900 : 700
  await m.payments.refund({ payment: (await memberOf(m, 'ben@example.com')).payments()[0]!, amount })
  fake.useCard(sellingCase.customerOf(fake, ann), '4000000000000341')
  await fake.advance({ months: 1 })
  fake.useCard(sellingCase.customerOf(fake, ann), '4242424242424242')
  await fake.advance({ months: 1 })
  await fake.deliver()
  await settled(m, fake)
}

/** What everybody has; without pages on which nothing was bought, where only who opened one knows of it. */
async function held(m: Membership, { pagesUntold }: SellingCase) {
  const all = await holdings(m)
  return pagesUntold ? { ...all, payments: all.payments.filter(({ status }) => status !== 'waiting') } : all
}

/** Messages come in, and what they only name is asked for. */
async function arrive({ m, fake }: SellingSite): Promise<void> {
  await fake.deliver()
  await passing(fake)
  await m.runDueJobs()
}

/** Until nothing is asked for any more. */
async function settled(m: Membership, fake: FakeServer): Promise<void> {
  for (let round = 0; round < 3; round++) {
    await m.runDueJobs()
    await fake.advance({ ms: 10_000 })
  }
}

async function openBeside(t: ExecutionContext, { options }: SellingSite): Promise<Membership> {
  const beside = await createMembership({ ...options, ...(await freshDatabase()) })
  t.teardown(() => beside.close())
  return beside
}
