import { setTimeout as pause } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { storageOf } from '../../../src/site/assembly/former-names.ts'
import type { createFakeStripe } from '../../../src/testkit/index.ts'
import { allDatabases } from '../../support/databases.ts'
import { openStripeSite } from '../../support/stripe-site.ts'
import { buy, createVisitor } from '../../support/visitor.ts'

type Fake = Awaited<ReturnType<typeof createFakeStripe>>

/** The same numbers for the same seed. */
function numbers(seed: number) {
  return () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return seed / 2_147_483_648
  }
}

/** The provider answers after another time at each moment. */
function jitter(t: Pick<ExecutionContext, 'teardown'>, fake: Fake, random: () => number): () => void {
  const timer = setInterval(() => fake.latency(Math.floor(random() * 30)), 3)
  const stop = () => {
    clearInterval(timer)
    fake.latency(0)
  }
  t.teardown(stop)
  return stop
}

async function later<T>(random: () => number, run: () => Promise<T>): Promise<T> {
  await pause(Math.floor(random() * 25))
  return run()
}

function openSessions(fake: Fake) {
  return fake.objects.list('checkout.session').filter(({ status }) => status === 'open')
}

for (const databases of allDatabases) {
  const open = async (t: Parameters<typeof openStripeSite>[0]) => {
    const database = await databases()
    const opened = await openStripeSite(t, {
      'membership.database.url': await database.url(),
      'membership.secret': 'one secret for all processes of this site',
      'membership.providers.stripe.change.downgrade': 'now',
      'membership.providers.stripe.pause': { max_days: 60 },
    })
    t.teardown(() => database.close())
    return opened
  }
  const on = (title: string) => `${title} (${databases.name.replace('Databases', '')})`

  test.serial(on('a double click on a price opens one checkout, also in two processes'), async (t) => {
    const { fake, site, another } = await open(t)
    const second = await another()
    const random = numbers(1)
    const stop = jitter(t, fake, random)
    for (let round = 1; round <= 12; round++) {
      const visitor = createVisitor(site)
      await visitor.formToken()
      const twin = createVisitor(round % 3 === 0 ? second.site : site)
      for (const [name, value] of visitor.cookies) twin.cookies.set(name, value)
      const token = await visitor.formToken()
      const click = (item: typeof visitor) =>
        later(random, () => item.send('/membership/subscribe/pro', { price: 'price_month', token }))
      const answers = await Promise.all([click(visitor), click(twin), click(visitor)])
      t.deepEqual(
        answers.map(({ status }) => status),
        [201, 201, 201],
        answers.map(({ text }) => text).join(),
      )
      t.is(new Set(answers.map(({ json }) => json.url)).size, 1)
      t.is(fake.objects.list('checkout.session').length, round)
    }
    stop()
  })

  test.serial(on('two tabs with different plans never leave two checkouts that can be paid'), async (t) => {
    const { fake, site } = await open(t)
    const random = numbers(2)
    const stop = jitter(t, fake, random)
    for (let round = 0; round < 20; round++) {
      const visitor = createVisitor(site)
      await visitor.formToken()
      const before = openSessions(fake).length
      const answers = await Promise.all([
        later(random, () => visitor.send('/membership/subscribe/pro', { price: 'price_month' })),
        later(random, () => visitor.send('/membership/subscribe/pro', { price: 'price_year' })),
        later(random, () => visitor.send('/membership/subscribe/team')),
      ])
      for (const { status, json, text } of answers)
        t.true(status === 201 || (status === 409 && json.code === 'ERR_CHECKOUT_REFUSED'), text)
      t.true(answers.some(({ status }) => status === 201))
      t.is(openSessions(fake).length - before, 1, `round ${round}: ${answers.map(({ status }) => status)}`)
      // Whoever is sent away comes in by trying once more.
      const again = await visitor.send('/membership/subscribe/team')
      t.is(again.status, 201, again.text)
      t.is(openSessions(fake).length - before, 1)
      t.is(openSessions(fake).at(-1)?.url, again.json.url)
    }
    stop()
  })

  test.serial(
    on('return page and messages at once settle a purchase once, from two processes'),
    async (t) => {
      const { fake, m, site, another, log } = await open(t)
      const second = await another()
      const random = numbers(3)
      for (let round = 0; round < 12; round++) {
        const visitor = createVisitor(site)
        const email = `buyer${round}@example.com`
        const begun = await visitor.send('/membership/subscribe/pro', { price: 'price_month' })
        const session = fake.objects.list('checkout.session').at(-1)!
        await fake.pay(session.id, { email })
        const stop = jitter(t, fake, random)
        const path = `/membership/subscribe/${begun.json.intent_id}`
        const twin = createVisitor(second.site)
        for (const [name, value] of visitor.cookies) twin.cookies.set(name, value)
        const [answered, two] = await Promise.all([
          later(random, () => visitor.get(path, { accept: 'application/json' })),
          later(random, () => twin.get(path, { accept: 'application/json' })),
          later(random, () => fake.deliver()),
        ])
        stop()
        t.is(answered.json.status, 'paid', answered.text)
        t.is(two.json.status, 'paid', two.text)
        const user = await m.users.findByEmail(email)
        t.is(user?.subscriptions().length, 1)
        t.is(user?.payments().filter(({ status }) => status === 'paid').length, 1)
        t.true(user?.hasGate('pro' as never))
        const entered = [visitor, twin].filter(({ cookies }) => cookies.has('membership_session'))
        t.is(entered.length, 1, 'a purchase opens one session')
        await fake.advance({ ms: 10_000 })
      }
      const members = await storageOf(m).read((db) => db.selectFrom('members').select('id'))
      t.is(members.length, 12)
      t.deepEqual(
        log.filter((line) => !line.includes('another process')),
        [],
      )
    },
  )

  test.serial(on('what is clicked twice is done once: change, cancel, resume, pause'), async (t) => {
    const opened = await open(t)
    const { fake } = opened
    const { visitor, id } = await buy(opened, 'ann@example.com')
    const random = numbers(4)
    let price = 'price_month'
    for (let round = 0; round < 6; round++) {
      price = price === 'price_month' ? 'price_team' : 'price_month'
      for (const [path, fields] of [
        ['change', { price }],
        ['cancel', {}],
        ['resume', {}],
        // Afterwards Stripe calls what is paid a trial, and changes wait for its end.
        ...(round === 5
          ? ([
              ['pause', { until: '2026-03-01' }],
              ['resume', {}],
            ] as const)
          : []),
      ] as const) {
        await fake.advance({ ms: 5000 })
        await fake.deliver()
        const events = fake.events().filter(({ type }) => type === 'customer.subscription.updated').length
        const invoices = fake.objects.list('invoice').length
        const stop = jitter(t, fake, random)
        const click = () => later(random, () => visitor.send(`/membership/${path}/${id}`, fields))
        const answers = await Promise.all([click(), click(), click()])
        stop()
        for (const { status, text } of answers) t.is(status, 200, `${round} ${path}: ${text}`)
        const now = fake.events().filter(({ type }) => type === 'customer.subscription.updated').length
        t.is(now - events, 1, `${round} ${path}`)
        t.is(fake.objects.list('invoice').length - invoices, path === 'change' ? 1 : 0, `${round} ${path}`)
      }
    }
  })

  test.serial(
    on('of two different wishes at once one is done, the other is told so or comes after'),
    async (t) => {
      const opened = await open(t)
      const { fake, m } = opened
      const { visitor, id } = await buy(opened, 'ann@example.com')
      const random = numbers(5)
      for (let round = 0; round < 10; round++) {
        await fake.advance({ ms: 5000 })
        const price = round % 2 ? 'price_month' : 'price_team'
        const stop = jitter(t, fake, random)
        const answers = await Promise.all([
          later(random, () => visitor.send(`/membership/change/${id}`, { price })),
          later(random, () => visitor.send(`/membership/cancel/${id}`)),
        ])
        stop()
        for (const { status, json, text } of answers)
          t.true(status === 200 || json.code === 'ERR_ACTION_REFUSED', text)
        t.true(answers.some(({ status }) => status === 200))
        await fake.deliver()
        await m.runDueJobs()
        const own = (await m.users.findByEmail('ann@example.com'))!.subscriptions()[0]!
        const theirs = fake.objects.list('subscription')[0]!
        t.is(own.price_id, theirs.items.data[0]!.price.id)
        t.is(own.cancel_at_period_end, theirs.cancel_at_period_end)
        t.is(own.price_id === price, answers[0]!.status === 200)
        t.is(own.cancel_at_period_end, answers[1]!.status === 200)
        await fake.advance({ ms: 5000 })
        if (own.cancel_at_period_end) t.is((await visitor.send(`/membership/resume/${id}`)).status, 200)
        if (own.price_id !== price)
          t.is((await visitor.send(`/membership/change/${id}`, { price })).status, 200)
        await fake.deliver()
      }
    },
  )

  test.serial(on('cancelled while it renews, a membership ends in both books alike'), async (t) => {
    const opened = await open(t)
    const { fake, m } = opened
    const random = numbers(6)
    for (let round = 0; round < 6; round++) {
      const email = `renewer${round}@example.com`
      const { id, user } = await buy(opened, email)
      const end = Date.parse(user.subscriptions()[0]!.current_period_end!)
      await fake.advance(new Date(end - 7_200_000))
      await fake.deliver()
      const stop = jitter(t, fake, random)
      const when = round % 2 ? 'now' : 'period_end'
      const target = { user: (await m.users.findByEmail(email))!, subscriptionId: id, when } as const
      await Promise.all([
        later(random, () => m.subscriptions.cancel(target)),
        later(random, () => fake.advance(new Date(end + 1000))),
        later(random, () => fake.deliver()),
      ])
      stop()
      await fake.advance({ ms: 200_000 })
      await fake.deliver()
      await m.runDueJobs()
      await fake.advance({ days: 2 })
      await fake.deliver()
      await m.runDueJobs()
      const own = (await m.users.findByEmail(email))!.subscriptions()[0]!
      const theirs = fake.objects.get(id) as { status: string; cancel_at_period_end: boolean }
      t.is(own.status, theirs.status as never)
      t.is(own.cancel_at_period_end, theirs.cancel_at_period_end)
    }
  })

  test.serial(
    on('an account that is deleted while its checkout is paid pays for nothing afterwards'),
    async (t) => {
      const opened = await open(t)
      const { fake, m } = opened
      const random = numbers(7)
      for (let round = 0; round < 6; round++) {
        const { visitor, user } = await buy(opened, `leaver${round}@example.com`, {
          path: '/membership/payment',
          product: 'price_book',
        })
        await fake.advance({ ms: 60_000 })
        const begun = await visitor.send('/membership/subscribe/team')
        t.is(begun.status, 201, begun.text)
        const session = fake.objects.list('checkout.session').at(-1)!
        const stop = jitter(t, fake, random)
        const [, deleted] = await Promise.all([
          later(random, () => fake.pay(session.id)).catch(() => 'closed before it was paid'),
          later(random, () => visitor.send('/membership/account/delete', { confirm: 'delete' })),
        ])
        stop()
        t.true([200, 202].includes(deleted.status), deleted.text)
        for (let hour = 0; hour < 4; hour++) {
          await fake.deliver()
          await m.runDueJobs()
          await fake.advance({ days: 1 })
        }
        const living = fake.objects
          .list('subscription')
          .filter(({ customer, status }) => customer === user.customerId('stripe') && status !== 'canceled')
        t.deepEqual(living, [], `round ${round}`)
        t.is(await m.users.findByEmail(`leaver${round}@example.com`), null)
      }
    },
  )

  test.serial(on('a call that succeeded while our answer was lost is found out by asking'), async (t) => {
    const opened = await open(t)
    const { fake, m } = opened
    const { visitor, id } = await buy(opened, 'ann@example.com')
    const own = async () => (await m.users.findByEmail('ann@example.com'))!.subscriptions()[0]!
    await fake.advance({ ms: 5000 })
    // Every try does the work, and no answer arrives; the messages are lost as well.
    const undo = fake.outage({ kind: 'after' })
    const lost = await visitor.send(`/membership/cancel/${id}`)
    undo()
    t.is(lost.status, 502, lost.text)
    t.is(lost.json.code, 'ERR_PROVIDER_ANSWER')
    t.true(fake.objects.list('subscription')[0]?.cancel_at_period_end, 'done over there')
    t.false((await own()).cancel_at_period_end, 'not known here')
    t.is(
      (await visitor.send(`/membership/change/${id}`, { price: 'price_team' })).status,
      409,
      'not meanwhile',
    )
    const same = await visitor.send(`/membership/cancel/${id}`)
    t.is(same.status, 200, 'the same again joins it')
    await fake.advance({ ms: 200_000 })
    await m.runDueJobs()
    t.true((await own()).cancel_at_period_end)
    t.is((await visitor.send(`/membership/change/${id}`, { price: 'price_team' })).status, 200)

    const broken = fake.outage({ kind: 'after' })
    await fake.advance({ ms: 5000 })
    await visitor.send(`/membership/resume/${id}`)
    broken()
    await fake.advance({ ms: 200_000 })
    await m.runDueJobs()
    t.is((await own()).cancel_at_period_end, fake.objects.list('subscription')[0]!.cancel_at_period_end)
  })

  test.serial(on('a database that fails after the provider’s answer loses nothing'), async (t) => {
    const opened = await open(t)
    const { fake, m, log } = opened
    const { visitor, id } = await buy(opened, 'ann@example.com')
    const own = async () => (await m.users.findByEmail('ann@example.com'))!.subscriptions()[0]!
    await fake.advance({ ms: 5000 })
    const { commit } = m.storage
    // The wish is kept; from the answer on nothing is, whoever writes.
    const storage = m.storage as { commit: typeof commit }
    const failing = async <T>(isAnswered: () => boolean, run: () => Promise<T>): Promise<T> => {
      storage.commit = (unit) => (isAnswered() ? Promise.reject(new Error('disk full')) : commit(unit))
      return run().finally(() => {
        storage.commit = commit
      })
    }
    const failed = await failing(
      () => fake.objects.list('subscription')[0]?.cancel_at_period_end === true,
      () => visitor.send(`/membership/cancel/${id}`),
    )
    t.is(failed.status, 500)
    t.is(failed.json.code, 'ERR_UNEXPECTED')
    t.false(failed.text.includes('disk full'))
    t.true(log.some((line) => line.includes('disk full')))
    t.true(fake.objects.list('subscription')[0]?.cancel_at_period_end)
    await fake.advance({ ms: 200_000 })
    await m.runDueJobs()
    t.true((await own()).cancel_at_period_end)

    // The same at a checkout: the next click comes to the same page.
    const buyer = createVisitor(opened.site)
    await buyer.formToken()
    const before = fake.objects.list('checkout.session').length
    const sent = await failing(
      () => fake.objects.list('checkout.session').length > before,
      () => buyer.send('/membership/subscribe/team'),
    )
    t.is(sent.status, 500)
    const sessions = fake.objects.list('checkout.session').length
    const again = await buyer.send('/membership/subscribe/team')
    t.is(again.status, 201)
    t.is(fake.objects.list('checkout.session').length, sessions)
    t.is(again.json.url, fake.objects.list('checkout.session').at(-1)?.url)
  })
}
