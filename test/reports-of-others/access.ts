import { addOnce, changeSubscription } from '../../src/fakes/engine/index.ts'
import type { User } from '../../src/index.ts'
import {
  purchase as buyAtMollie,
  memberOf as mollieMember,
  openMollieSite,
  settled,
} from '../providers/mollie/site.ts'
import { askPayPal, openPayPalSite } from '../providers/paypal/site.ts'
import { askFake, buyByLink } from '../support/visitor.ts'
import type { Report } from './report.ts'
import { ann, declined, openShop, openStripeShop, openTeam } from './shop.ts'

/** Somebody paid and stood outside, or stood inside unpaid. */
export const accessReports: readonly Report[] = [
  {
    link: 'https://github.com/laravel/cashier-stripe/issues/1759',
    kind: 'access',
    seller: 'stripe',
    wanted: 'a “created” that arrives after its “updated” does not set a paid subscription back',
    why: 'The later message won, and a paid subscription was stored as incomplete.',
    at6ca7: 'held',
    async run(t) {
      const { choose, fake, post, isOpen, member } = await openShop(t, 'stripe')
      await fake.pay((await choose('pro')).checkout, { email: ann })
      for (const event of fake.events().reverse()) t.is(await post(event), 200)
      t.true(await isOpen())
      t.deepEqual(
        (await member()).subscriptions().map(({ status }) => status),
        ['active'],
      )
    },
  },
  {
    link: 'https://github.com/restrictcontentpro/restrict-content-pro/issues/1095',
    kind: 'access',
    seller: 'stripe',
    wanted: 'the late end of a former subscription does not close the one that was bought since',
    why: 'A delayed cancellation of the old plan cancelled the new one.',
    at6ca7: 'held',
    async run(t) {
      const { buy, fake, choose, post, isOpen } = await openShop(t, 'stripe')
      const { visitor, id } = await buy()
      const before = fake.events().length
      t.is((await visitor.send(`/membership/cancel/${id}`, { when: 'now' })).status, 200)
      const late = fake.events().slice(before)
      await fake.pay((await choose('pro', visitor)).checkout, { email: ann })
      for (const event of fake.events().slice(before + late.length)) t.is(await post(event), 200)
      for (const event of late) t.is(await post(event), 200)
      t.true(await isOpen())
    },
  },
  {
    link: 'https://github.com/invertase/stripe-firebase-extensions/issues/177',
    kind: 'access',
    seller: 'stripe',
    wanted: 'a first attempt that expires unpaid takes nothing from the second one, which was paid',
    why: 'The failed attempt ended a day later, and its message took the role of a paying member away.',
    at6ca7: 'held',
    async run(t) {
      const { choose, fake, pass, isOpen, post, member } = await openShop(t, 'stripe')
      const begun = await choose('pro')
      await fake.pay(begun.checkout, { email: ann })
      await pass({ days: 1 })
      const own = (await member()).subscriptions()[0]!
      const [failed] = fake.events().filter(({ type }) => type === 'customer.subscription.created')
      const { object } = failed!.data as { object: Record<string, unknown> }
      const gone = { ...object, id: 'sub_first_attempt', status: 'incomplete_expired', latest_invoice: null }
      t.is(
        await post({
          ...failed!,
          id: 'evt_gone',
          type: 'customer.subscription.updated',
          data: { object: gone },
        }),
        200,
      )
      t.true(await isOpen())
      t.is(own.status, 'active')
    },
  },
  {
    link: 'https://github.com/TryGhost/Ghost/issues/12498',
    kind: 'access',
    seller: 'stripe',
    wanted: 'somebody whose first payment failed can buy, and so can somebody whose membership ended',
    why: 'Any former subscription, failed or cancelled, locked the member out of the checkout for ever.',
    at6ca7: 'held',
    async run(t) {
      const { m, choose, logIn, fake, settle, isOpen, atProvider } = await openShop(t, 'stripe')
      await m.users.create({ email: ann, verified: true })
      const visitor = await logIn()
      const first = await choose('pro', visitor)
      t.not((await fake.pay(first.checkout, { card: declined })).refusal, null)
      await fake.pay((await choose('pro', visitor)).checkout)
      await settle()
      t.true(await isOpen())
      await atProvider('cancel now')
      await settle()
      t.false(await isOpen())
      await fake.pay((await choose('pro', visitor)).checkout)
      await settle()
      t.true(await isOpen())
    },
  },
  {
    link: 'https://github.com/dj-stripe/dj-stripe/issues/139',
    kind: 'access',
    seller: 'stripe',
    wanted: 'a membership that was to end later closes at once when the dashboard cancels it now',
    why: 'The second cancellation was not read, and access lasted to the end of the period.',
    at6ca7: 'held',
    async run(t) {
      const { buy, settle, atProvider, isOpen } = await openShop(t, 'stripe')
      const { visitor, id } = await buy()
      t.is((await visitor.send(`/membership/cancel/${id}`)).status, 200)
      await settle()
      t.true(await isOpen())
      await atProvider('cancel now')
      await settle()
      t.false(await isOpen())
    },
  },
  {
    link: 'https://github.com/invertase/stripe-firebase-extensions/issues/232',
    kind: 'access',
    seller: 'stripe',
    wanted: 'a cancelled membership closes at its end although no message says that it has ended',
    why: 'The endpoint did not send “deleted”, and the role of a subscriber stayed for ever.',
    at6ca7: 'held',
    async run(t) {
      const { buy, fake, settle, m, isOpen } = await openShop(t, 'stripe')
      const { visitor, id } = await buy()
      t.is((await visitor.send(`/membership/cancel/${id}`)).status, 200)
      await settle()
      fake.sendTo({ url: 'http://127.0.0.1:9/', secret: 'nobody listens', isEnabled: false })
      await fake.advance({ months: 1, days: 1 })
      await m.runDueJobs()
      t.false(await isOpen())
    },
  },
  {
    link: 'https://github.com/lmsqueezy/laravel/issues/32',
    kind: 'access',
    seller: 'lemonsqueezy',
    wanted: 'the status “cancelled” keeps the paid month open, and closes at its end',
    why: 'The cancellation message seemed to end the access of somebody who had paid for the month.',
    at6ca7: 'held',
    async run(t) {
      const { buy, atProvider, settle, pass, isOpen, member } = await openShop(t, 'lemonsqueezy')
      await buy()
      await atProvider('cancel later')
      await settle()
      t.true((await member()).subscriptions()[0]!.on_grace_period)
      await pass({ days: 20 })
      t.true(await isOpen())
      await pass({ days: 12 })
      t.false(await isOpen())
    },
  },
  {
    link: 'https://github.com/merlinfuchs/kite/pull/331',
    kind: 'access',
    seller: 'lemonsqueezy',
    wanted: 'somebody who cancelled can go on, or buy again after the end',
    why: 'The list of prices took a cancelled membership for a running one, and its button stayed dead.',
    at6ca7: 'held',
    async run(t) {
      const { buy, logIn, passing, settle, pass, isOpen, choose, fake } = await openShop(t, 'lemonsqueezy')
      const { visitor, id } = await buy()
      for (const path of [
        `/membership/cancel/${id}`,
        `/membership/renew/${id}`,
        `/membership/cancel/${id}`,
      ]) {
        await passing()
        t.is((await visitor.send(path)).status, 200, path)
      }
      await settle()
      await pass({ months: 1, days: 2 })
      t.false(await isOpen())
      await fake.pay((await choose('pro', await logIn())).url, { email: ann })
      await settle()
      t.true(await isOpen())
    },
  },
  {
    link: 'https://github.com/pay-rails/pay/issues/1208',
    kind: 'access',
    seller: 'paddle',
    wanted: 'a member who types another address at the checkout has what they bought',
    why: 'Paddle made a second customer of the other address, and the purchase reached nobody.',
    at6ca7: 'held',
    async run(t) {
      const { logIn, choose, fake, settle, isOpen, m } = await openShop(t, 'paddle')
      await m.users.create({ email: ann, verified: true })
      const begun = await choose('pro', await logIn())
      await fake.pay(begun.url, { email: 'private@example.com' })
      await settle()
      t.true(await isOpen())
      t.is(await m.users.findByEmail('private@example.com'), null)
    },
  },
  {
    link: 'https://github.com/pentacent/keila/issues/56',
    kind: 'access',
    seller: 'paddle',
    wanted: 'a payment that arrives before its subscription opens the plan all the same',
    why: 'The payment’s message found no subscription, and the buyer stayed outside.',
    at6ca7: 'held',
    async run(t) {
      const { choose, fake, post, settle, isOpen, member } = await openShop(t, 'paddle')
      await fake.pay((await choose('pro')).url, { email: ann })
      for (const event of fake.events().reverse()) t.is(await post(event), 200)
      await settle()
      t.true(await isOpen())
      t.is((await member()).payments().length, 1)
    },
  },
  {
    link: 'https://github.com/plausible/analytics/pull/4240',
    kind: 'access',
    seller: 'paddle',
    wanted: 'two messages of one moment end in the newest state, whichever comes first',
    why: 'A recovered payment ended as past due, because “past due” and “active” left at the same time.',
    at6ca7: 'held',
    async run(t) {
      const { buy, fake, sellingCase, post, settle, isOpen, member } = await openShop(t, 'paddle')
      await buy()
      fake.useCard(sellingCase.customerOf(fake, ann), declined)
      await fake.advance({ months: 1, days: 1 })
      const before = fake.events().length
      fake.useCard(sellingCase.customerOf(fake, ann), '4242424242424242')
      await fake.advance({ days: 9 })
      for (const event of fake.events().slice(before).reverse()) t.is(await post(event), 200)
      await settle()
      t.is((await member()).subscriptions()[0]!.status, 'active')
      t.true(await isOpen())
    },
  },
  {
    link: 'https://github.com/PaddleHQ/paddle-node-sdk/issues/107',
    kind: 'access',
    seller: 'paddle',
    wanted: 'the “active” that announces a renewal pays for nothing when its charge then fails',
    why: 'A renewal says “active” with its new period first, and the period looked paid.',
    at6ca7: 'held',
    async run(t) {
      const { buy, fake, sellingCase, pass, isOpen, member } = await openShop(t, 'paddle')
      await buy()
      fake.useCard(sellingCase.customerOf(fake, ann), declined)
      await pass({ months: 1, days: 1 })
      t.is((await member()).explain('pro' as never).reason, 'past_due')
      for (let days = 0; days < 24; days += 4) await pass({ days: 4 })
      t.false(await isOpen())
    },
  },
  {
    link: 'https://github.com/textbee/textbee/pull/293',
    kind: 'access',
    seller: 'polar',
    wanted: 'messages that trail behind a revocation restore nothing, and touch no other purchase',
    why: 'A late “updated” of a dead subscription reactivated it, or switched off another one.',
    at6ca7: 'failed',
    async run(t) {
      const { buy, fake, atProvider, settle, post, isOpen, choose } = await openShop(t, 'polar')
      const { visitor } = await buy()
      const earlier = fake.events().filter(({ type }) => String(type).startsWith('subscription.'))
      await atProvider('cancel now')
      await settle()
      for (const event of earlier) t.is(await post(event), 200)
      t.false(await isOpen())
      const late = fake
        .events()
        .filter(({ type }) => /^subscription\.(updated|canceled|revoked)/.test(String(type)))
      await fake.pay((await choose('pro', visitor)).url, { email: ann })
      await settle()
      for (const event of late) t.is(await post(event), 200)
      t.true(await isOpen())
    },
  },
  {
    link: 'https://github.com/danestves/laravel-polar/issues/32',
    kind: 'access',
    seller: 'polar',
    wanted: 'a cancellation in the customer portal is known here, with the paid days, and so is its undoing',
    why: 'The message came, and the subscription stayed active without a period of grace.',
    at6ca7: 'held',
    async run(t) {
      const { buy, atProvider, settle, isOpen, member, passing } = await openShop(t, 'polar')
      await buy()
      await passing()
      await atProvider('cancel later')
      await settle()
      t.true((await member()).subscriptions()[0]!.on_grace_period)
      t.true(await isOpen())
      await passing()
      await atProvider('keep')
      await settle()
      t.false((await member()).subscriptions()[0]!.cancel_at_period_end)
    },
  },
  {
    link: 'https://github.com/traceroot-ai/traceroot/issues/1880',
    kind: 'access',
    seller: 'stripe',
    wanted: 'a plan is found among the items of a subscription, wherever it stands',
    why: 'The first item decided, it was an extra charge, and a paying customer fell to the free plan.',
    at6ca7: 'held',
    async run(t) {
      const { choose, fake, post, isOpen } = await openShop(t, 'stripe')
      fake.addPrice({
        id: 'price_extra',
        unit_amount: 100,
        currency: 'eur',
        recurring: { interval: 'month' },
      })
      await fake.pay((await choose('pro')).checkout, { email: ann })
      for (const event of fake.events()) t.is(await post(event), 200)
      const event = fake.events().findLast(({ type }) => type === 'customer.subscription.updated')!
      const { object } = event.data as { object: { items: { data: { price: object }[] } } }
      const [own] = object.items.data
      const extra = {
        ...own!,
        id: 'si_extra',
        price: { ...own!.price, id: 'price_extra', product: 'prod_extra' },
      }
      const items = { ...object.items, data: [extra, own!] }
      await fake.advance({ days: 1 })
      const created = Math.floor(fake.now().getTime() / 1000)
      t.is(await post({ ...event, id: 'evt_items', created, data: { object: { ...object, items } } }), 200)
      t.true(await isOpen())
    },
  },
  {
    link: 'https://github.com/polarsource/polar/issues/5608',
    kind: 'access',
    seller: 'polar',
    wanted: '“past due” inside a month that is paid closes nothing',
    why: 'An upgrade was not paid, and the benefits of the paid plan were revoked, too.',
    at6ca7: 'failed',
    async run(t) {
      const { buy, fake, post, isOpen, pass } = await openShop(t, 'polar')
      await buy()
      await fake.advance({ days: 2 })
      const active = fake.events().findLast(({ type }) => type === 'subscription.active')!
      const moved = { status: 'past_due', modified_at: fake.now().toISOString() }
      const data = { ...(active.data as object), ...moved }
      const timestamp = fake.now().toISOString()
      t.is(await post({ ...active, type: 'subscription.updated', timestamp, data }), 200)
      await pass({ days: 26 })
      t.true(await isOpen())
    },
  },
  {
    link: 'https://github.com/langwatch/langwatch/issues/6572',
    kind: 'access',
    seller: 'stripe',
    wanted: 'invitations that are under way let nobody in beyond the seats that are paid',
    why: 'The limit was asked for when inviting, and not when somebody accepted.',
    at6ca7: 'held',
    async run(t) {
      const { m, fake, id, invite, joins, isOpen, settle } = await openTeam(t, 3)
      for (const email of ['ben@example.com', 'cid@example.com']) await invite(email)
      t.is(await joins('ben@example.com'), 200)
      const item = fake.objects.list('subscription')[0]!.items.data[0]!
      await askFake(fake, 'POST', `/v1/subscriptions/${id}`, {
        'items[0][id]': item.id,
        'items[0][quantity]': '2',
        proration_behavior: 'none',
      })
      await settle()
      await fake.advance({ months: 1, days: 1 })
      await settle()
      await joins('cid@example.com').catch(() => 0)
      await settle()
      const inside = []
      for (const email of [ann, 'ben@example.com', 'cid@example.com'])
        if (await isOpen('team', email)) inside.push(email)
      t.deepEqual(inside, [ann, 'ben@example.com'])
      t.true((await m.teams.find(id)).members.length <= 2)
    },
  },
  {
    link: 'https://github.com/fastrepl/anarlog/pull/6690',
    kind: 'access',
    seller: 'stripe',
    wanted: 'a team that fills its last seats with people without an account can seat all of them',
    why: 'An invited person counted twice while accepting, and the last seats stayed empty.',
    at6ca7: 'held',
    async run(t) {
      const { invite, joins, isOpen } = await openTeam(t, 3)
      const emails = ['ben@example.com', 'cid@example.com']
      for (const email of emails) await invite(email)
      t.deepEqual(await Promise.all(emails.map(joins)), [200, 200])
      for (const email of emails) t.true(await isOpen('team', email), email)
      await t.throwsAsync(invite('dan@example.com'))
    },
  },
  {
    link: 'https://github.com/weave-os/router/issues/793',
    kind: 'access',
    seller: null,
    wanted: 'a limit is never exceeded by requests that come at the same moment',
    why: 'Every request read the same sum before any of them had been counted.',
    at6ca7: 'held',
    async run(t) {
      const limits = { exports: { amount: 5, every: 'month' as const } }
      const plans = { pro: { limits, prices: ['price_month'] } }
      const { buy, m, member } = await openStripeShop(t, {
        options: { 'membership.providers.stripe.plans': plans },
      })
      await buy()
      const user = await member()
      const all = await Promise.allSettled(
        Array.from({ length: 20 }, () => m.limits.use(user, 'exports' as never)),
      )
      t.is(all.filter(({ status }) => status === 'fulfilled').length, 5)
    },
  },
  {
    link: 'https://github.com/pschlan/cron-job.org/issues/127',
    kind: 'access',
    seller: 'stripe',
    wanted: 'somebody whose membership is over still finds their payments and receipts',
    why: 'The billing portal opened for active subscribers only, and receipts were out of reach.',
    at6ca7: 'held',
    async run(t) {
      const { buy, logIn, atProvider, settle, pass, isOpen } = await openShop(t, 'stripe')
      await buy()
      await atProvider('cancel now')
      await settle()
      await pass({ days: 40 })
      t.false(await isOpen())
      const visitor = await logIn()
      const { text } = await visitor.get('/membership/account', { accept: 'text/html' })
      const receipt = /href="[^"]*(\/membership\/payments\/[^"/]+)"/.exec(text)?.[1] ?? ''
      t.regex((await visitor.get(receipt, { accept: 'text/html' })).text, /€9\b/)
    },
  },
  {
    link: 'https://github.com/invertase/stripe-firebase-extensions/issues/27',
    kind: 'access',
    seller: 'stripe',
    wanted: 'something bought once on the invoice of a subscription opens its own gate',
    why: 'Only the first price of a purchase counted, and the others opened nothing.',
    at6ca7: 'failed',
    async run(t) {
      const { buy, fake, isOpen, pass } = await openShop(t, 'stripe')
      await buy()
      await fake.act((world) => {
        const [own] = world.store.list('subscription')
        addOnce(world, own!, world.store.get('price', 'price_book'))
      })
      await pass({ months: 1, days: 1 })
      t.true(await isOpen())
      t.true(await isOpen('book'))
    },
  },
  {
    link: 'https://github.com/koala73/worldmonitor/issues/4765',
    kind: 'access',
    seller: 'dodo',
    wanted: 'a renewal whose messages never arrive is asked for, and closes nothing',
    why: 'A lost message about a renewal ended the access of somebody who had paid.',
    at6ca7: 'held',
    async run(t) {
      const chaos = { drop: 0 }
      const options = { 'membership.compare.automatic': true }
      const { buy, fake, m, member, isOpen, charged } = await openShop(t, 'dodo', options, { chaos })
      await buy()
      chaos.drop = 1
      await fake.advance({ months: 1, ms: 60_000 })
      for (let hours = 0; hours < 24; hours++) {
        await m.runDueJobs()
        t.true(await isOpen(), `hour ${hours}`)
        await fake.advance({ ms: 3_600_000 })
      }
      t.deepEqual(charged(), [900, 900])
      t.is((await member()).subscriptions()[0]!.current_period_end?.slice(0, 10), '2026-03-15')
    },
  },
  {
    link: 'https://github.com/laravel/cashier-stripe/issues/1751',
    kind: 'access',
    seller: 'stripe',
    wanted: 'an end that is only a moment, without “at period end”, is the end of the membership',
    why: 'The portal sent a date alone, and the subscription looked as if it went on.',
    at6ca7: 'held',
    async run(t) {
      const { buy, fake, post, member, isOpen } = await openShop(t, 'stripe')
      await buy()
      await fake.advance({ days: 1 })
      const event = fake.events().findLast(({ type }) => type === 'customer.subscription.updated')!
      const { object } = event.data as { object: { items: { data: { current_period_end: number }[] } } }
      const created = Math.floor(fake.now().getTime() / 1000)
      const end = { cancel_at: object.items.data[0]!.current_period_end, canceled_at: created }
      fake.sendTo({ url: 'http://127.0.0.1:9/', secret: 'nobody listens', isEnabled: false })
      const data = { object: { ...object, ...end, cancel_at_period_end: false } }
      t.is(await post({ ...event, id: 'evt_end', created, data }), 200)
      t.true((await member()).subscriptions()[0]!.on_grace_period)
      t.true(await isOpen())
      await fake.advance({ months: 1 })
      t.false(await isOpen())
    },
  },
  {
    link: 'https://github.com/enupal/stripe/issues/392',
    kind: 'access',
    seller: 'stripe',
    wanted: 'a first month that a code makes free opens the plan, without any payment',
    why: 'Nothing was paid, so no payment was found, and the subscription was never stored.',
    at6ca7: 'held',
    async run(t) {
      const { fake, buy, settle, isOpen, charged } = await openStripeShop(t, {
        options: { 'membership.providers.stripe.checkout': { allow_promotion_codes: true } },
      })
      fake.addCoupon({ percent_off: 100, code: 'FREE' } as never)
      await buy({ price: 'price_month', code: 'FREE' })
      await settle()
      t.deepEqual(charged(), [])
      t.true(await isOpen())
      await fake.advance({ months: 1, days: 1 })
      await settle()
      t.deepEqual(charged(), [900])
      t.true(await isOpen())
    },
  },
  {
    link: 'https://github.com/polarsource/polar/issues/8325',
    kind: 'access',
    seller: 'polar',
    wanted: '“revoked” of a subscription that is only past due ends nothing while the renewal is tried again',
    why: 'The message came at the first failed renewal, and its name looked final.',
    at6ca7: 'held',
    async run(t) {
      const { buy, fake, sellingCase, pass, post, isOpen, member } = await openShop(t, 'polar')
      await buy()
      const customer = sellingCase.customerOf(fake, ann)
      fake.useCard(customer, declined)
      await pass({ months: 1, days: 1 })
      const due = fake.events().findLast(({ type }) => type === 'subscription.updated')!
      t.like(due.data, { status: 'past_due', ended_at: null })
      t.is(await post({ ...due, type: 'subscription.revoked', timestamp: fake.now().toISOString() }), 200)
      t.true(await isOpen())
      fake.useCard(customer, '4242424242424242')
      await pass({ days: 9 })
      t.true(await isOpen())
      t.is((await member()).subscriptions()[0]!.status, 'active')
    },
  },
  {
    link: 'https://github.com/strangerstudios/paid-memberships-pro/pull/3518',
    kind: 'access',
    seller: null,
    wanted: 'somebody who cancels while a renewal is unpaid has no access until the end of that period',
    why: 'A missed yearly payment and a cancellation gave a year for nothing.',
    at6ca7: 'held',
    async run(t) {
      const fakeOptions = { dunning: { retryDays: [27] } }
      const { buy, fake, sellingCase, pass, isOpen, logIn, charged } = await openShop(
        t,
        'paddle',
        {},
        fakeOptions,
      )
      const { id } = await buy()
      fake.useCard(sellingCase.customerOf(fake, ann), declined)
      await pass({ months: 1, days: 1 })
      const left = await (await logIn()).send(`/membership/cancel/${id}`)
      t.is(left.status, 200, left.text)
      await pass({ days: 22 })
      t.false(await isOpen())
      t.deepEqual(charged(), [900])
    },
  },
  {
    link: 'https://github.com/Rise-Vision/rise-vision-apps/issues/2518',
    kind: 'access',
    seller: 'chargebee',
    wanted: 'a subscription that dunning cancels at Chargebee closes, and its invoice is not paid',
    why: 'The message did not fit, licences stayed active, and a written off invoice looked paid.',
    at6ca7: 'held',
    async run(t) {
      const { buy, fake, sellingCase, pass, isOpen, member, running } = await openShop(t, 'chargebee')
      await buy()
      fake.useCard(sellingCase.customerOf(fake, ann), declined)
      await pass({ months: 1, days: 2 })
      t.true(await isOpen())
      for (let days = 0; days < 24; days += 4) await pass({ days: 4 })
      t.deepEqual(running(), [])
      t.false(await isOpen())
      t.is((await member()).payments().filter(({ status }) => status === 'paid').length, 1)
    },
  },
  {
    link: 'https://github.com/Flagsmith/flagsmith/pull/8278',
    kind: 'access',
    seller: 'chargebee',
    wanted: 'seats that are added in Chargebee’s dashboard count here, without a change of the plan',
    why: 'Only another plan refreshed the seats, and buyers of more kept the lower limit.',
    at6ca7: 'held',
    async run(t) {
      const { buy, fake, passing, settle, member } = await openShop(t, 'chargebee')
      await buy(ann, 'team')
      await passing()
      await fake.act((world) => {
        const [own] = world.store.list('subscription')
        const items = [{ id: own!.items[0]!.id, quantity: 4 }]
        changeSubscription(world, own!, { items, prorates: 'now' })
      })
      await settle()
      t.like((await member()).subscriptions()[0], { quantity: 4, status: 'active' })
    },
  },
  {
    link: 'https://github.com/lichess-org/lila/pull/14412',
    kind: 'access',
    seller: 'paypal',
    wanted: 'a subscription that PayPal suspends keeps its paid days, and opens nothing after them',
    why: 'The state was unknown, and a patron whose card was gone stayed a patron.',
    at6ca7: 'held',
    async run(t) {
      const { paypal, subscribe, own, opens, settle } = await openPayPalSite(t)
      await subscribe()
      await paypal.advance({ days: 3 })
      const path = `/v1/billing/subscriptions/${(await own()).id}/suspend`
      t.is((await askPayPal(paypal, 'POST', path, { reason: 'no funding source' })).status, 204)
      await settle()
      await paypal.advance({ days: 29 })
      await settle()
      t.false(await opens('pro'))
      await paypal.advance({ months: 2 })
      await settle()
      t.false(await opens('pro'))
    },
  },
  {
    link: 'https://github.com/Automattic/wp-calypso/issues/44554',
    kind: 'access',
    seller: null,
    wanted: 'a feed shows what is paid to those who paid, as long as they pay, and to nobody else',
    why: 'Paid paragraphs of a post stood in the feed that everybody could read.',
    at6ca7: 'held',
    async run(t) {
      const feeds = {
        '/posts.xml': ({ view }: { view: { allows(gate: string): boolean } }) =>
          `<rss>${view.allows('pro') ? '<item>for payers</item>' : ''}</rss>`,
      }
      const options = { 'membership.url': 'http://localhost', 'membership.secret': 'x'.repeat(32), feeds }
      const { buy, m, site, member, atProvider, settle } = await openShop(t, 'paddle', options as never)
      const read = async (user: User) => {
        const { pathname } = new URL(await m.feeds.url(user, '/posts.xml'))
        return (await fetch(new URL(pathname, site))).text()
      }
      await buy()
      const other = await m.users.create({ email: 'ben@example.com', verified: true })
      t.regex(await read(await member()), /for payers/)
      t.notRegex(await read(other), /for payers/)
      await atProvider('cancel now')
      await settle()
      t.notRegex(await read(await member()), /for payers/)
    },
  },
  {
    link: 'https://github.com/laravel/cashier-paddle/issues/92',
    kind: 'access',
    seller: 'paddle',
    wanted: 'a membership that is ended at once here is not opened again by the messages that follow',
    why: 'Paddle’s message named the end of the period, and gave the rest of it back.',
    at6ca7: 'held',
    async run(t) {
      const { buy, fake, m, member, post, passing, settle, isOpen } = await openShop(t, 'paddle')
      const { id } = await buy()
      const before = fake.events().filter(({ event_type }) => String(event_type).startsWith('subscription.'))
      await passing()
      await m.subscriptions.cancel({ user: await member(), subscriptionId: id, when: 'now' } as never)
      t.false(await isOpen())
      await settle()
      for (const event of before) t.is(await post({ ...event, event_id: `${event.event_id}x` }), 200)
      t.false(await isOpen())
      t.true((await member()).subscriptions()[0]!.ended)
    },
  },
  {
    link: 'https://github.com/antiwork/gumroad/pull/6590',
    kind: 'access',
    seller: null,
    wanted: 'each charge of a membership has a receipt of its own, with its day, and the newest comes first',
    why: 'A member who asked for the invoice of the last period got the one of the sign-up.',
    at6ca7: 'held',
    async run(t) {
      const { buy, pass, logIn, charged } = await openShop(t, 'creem')
      await buy()
      await pass({ months: 1, days: 2 })
      t.deepEqual(charged(), [900, 900])
      const visitor = await logIn()
      const { text } = await visitor.get('/membership/account', { accept: 'text/html' })
      const links = [...text.matchAll(/href="[^"]*(\/membership\/payments\/[^"/]+)"/g)].map(
        ([, path]) => path!,
      )
      t.is(new Set(links).size, 2)
      for (const [index, day] of [/February 15|15 February/, /January 15|15 January/].entries())
        t.regex((await visitor.get(links[index]!, { accept: 'text/html' })).text, day)
    },
  },
  {
    link: 'https://github.com/polarsource/polar/issues/8742',
    kind: 'access',
    seller: 'polar',
    wanted: 'a cheaper plan begins with the next period, and the dearer one stays open until then',
    why: 'The change counted at once, and the rest of the paid month was lost.',
    at6ca7: 'held',
    async run(t) {
      const { buy, fake, passing, settle, pass, isOpen, charged } = await openShop(t, 'polar')
      const { visitor, id } = await buy(ann, 'team')
      await passing()
      const changed = await visitor.send(`/membership/change/${id}`, { plan: 'pro' })
      t.is(changed.status, 200, changed.text)
      await settle()
      await pass({ days: 27 })
      t.true(await isOpen('team'))
      await fake.advance({ days: 6 })
      await settle()
      t.false(await isOpen('team'))
      t.true(await isOpen())
      t.deepEqual(charged(), [2500, 900])
    },
  },
  {
    link: 'https://github.com/laravel/cashier-paddle/pull/206',
    kind: 'access',
    seller: 'paddle',
    wanted: 'a pause that is taken back before it begins changes nothing, and the next month is charged',
    why: 'A planned pause could not be resumed, because Paddle expected another request for it.',
    at6ca7: 'held',
    async run(t) {
      const { buy, m, member, settle, passing, pass, isOpen, charged } = await openShop(t, 'paddle')
      const { id } = await buy()
      await passing()
      await m.subscriptions.pause({ user: await member(), subscriptionId: id })
      await settle()
      await pass({ days: 3 })
      await m.subscriptions.resume({ user: await member(), subscriptionId: id })
      await settle()
      t.is((await member()).subscriptions()[0]!.paused_at, null)
      t.deepEqual(charged(), [900])
      await pass({ days: 30 })
      t.true(await isOpen())
      t.deepEqual(charged(), [900, 900])
    },
  },
  {
    link: 'https://github.com/mollie/WooCommerce/issues/143',
    kind: 'access',
    seller: 'mollie',
    wanted: 'a renewal by direct debit keeps access during the days that the bank takes',
    why: 'Each renewal put the subscription on hold, and payers were out until the debit arrived.',
    at6ca7: 'held',
    async run(t) {
      const opened = await openMollieSite(t)
      await buyAtMollie(opened, ann)
      const { customer_id } = (await mollieMember(opened.m, ann)).subscriptions()[0]!
      opened.fake.useCard(customer_id!, 'DE89370400440532013000')
      await opened.fake.advance({ months: 1, ms: 7_200_000 })
      await settled(opened)
      const statuses = async () => (await mollieMember(opened.m, ann)).payments().map(({ status }) => status)
      t.deepEqual(await statuses(), ['pending', 'paid'])
      for (let days = 0; days < 8; days++) {
        t.true((await mollieMember(opened.m, ann)).hasGate('pro' as never), `day ${days}`)
        await opened.fake.advance({ days: 1 })
        await settled(opened)
      }
      t.deepEqual(await statuses(), ['paid', 'paid'])
    },
  },
  {
    link: 'https://github.com/lmsqueezy/lemonsqueezy.js/issues/119',
    kind: 'access',
    seller: 'lemonsqueezy',
    wanted: 'an upgrade that is not paid makes it past due, and the month that was paid before stays open',
    why: 'The declined upgrade put the whole subscription into dunning, which may end in a paid period.',
    at6ca7: 'failed',
    async run(t) {
      const { buy, fake, post, pass, isOpen, member } = await openShop(t, 'lemonsqueezy')
      await buy()
      await fake.advance({ days: 2 })
      await fake.act((world) => {
        const [own] = world.store.list('subscription')
        world.change('subscription', own!.id, { status: 'past_due' })
      })
      type Told = { meta: { event_name: string }; data: { attributes: object } }
      const told = fake.events() as unknown as Told[]
      const { meta, data } = told.find((event) => event.meta.event_name === 'subscription_created')!
      const updated_at = fake.now().toISOString()
      const attributes = { ...data.attributes, status: 'past_due', updated_at }
      t.is(
        await post({
          meta: { ...meta, event_name: 'subscription_updated' },
          data: { ...data, attributes },
        }),
        200,
      )
      t.is((await member()).subscriptions()[0]!.status, 'past_due')
      for (let days = 0; days < 24; days += 6) {
        await pass({ days: 6 })
        t.true(await isOpen(), `${days} ${(await member()).whyClosed('pro' as never)?.code}`)
      }
    },
  },
  {
    link: 'https://github.com/khoj-ai/khoj/issues/1069',
    kind: 'access',
    seller: null,
    wanted: 'an address that a phone writes with capitals logs into the account that paid',
    why: 'The link worked, and opened a second, empty account.',
    at6ca7: 'held',
    async run(t) {
      const { buy, m, visitor, mailbox, settle, member } = await openShop(t, 'dodo')
      await buy()
      await settle()
      const phone = visitor()
      await phone.send('/membership/login', { email: 'Ann@Example.com' })
      await settle()
      const opened = await phone.send(mailbox.link(ann))
      t.is(opened.status, 200)
      t.is(opened.json.member_id, (await member()).id)
      t.is((await m.users.findByEmail('ANN@EXAMPLE.COM'))?.id, (await member()).id)
    },
  },
  {
    link: 'https://github.com/Flagsmith/flagsmith/issues/2197',
    kind: 'access',
    seller: 'chargebee',
    wanted:
      'a team whose subscription ends closes for each of its members, and for those who are still invited',
    why: 'The paid account was cancelled, and everybody stayed in it.',
    at6ca7: 'held',
    async run(t) {
      const { invite, joins, atProvider, settle, isOpen } = await openTeam(t, 3)
      await invite('ben@example.com')
      t.is(await joins('ben@example.com'), 200)
      await invite('cid@example.com')
      t.true(await isOpen('team', 'ben@example.com'))
      await atProvider('cancel now')
      await settle()
      await joins('cid@example.com')
      for (const email of [ann, 'ben@example.com', 'cid@example.com'])
        t.false(await isOpen('team', email), email)
    },
  },
  {
    link: 'https://github.com/get-engram/engram/issues/443',
    kind: 'access',
    seller: 'stripe',
    wanted: 'an account with somebody’s address gets nothing of that customer before the address is proved',
    why: 'Any account could write a customer’s address, and opened the billing page of that customer.',
    at6ca7: 'held',
    async run(t) {
      const { m, fake, settle, isOpen, logIn, member } = await openStripeShop(t)
      await m.users.create({ email: ann })
      await buyByLink({ fake }, { email: ann, price: 'price_month' })
      await fake.advance({ days: 1 })
      await settle()
      t.false(await isOpen())
      t.is((await member()).customerId('stripe'), null)
      await logIn()
      await settle()
      t.true(await isOpen())
    },
  },
  {
    link: 'https://github.com/faustbrian/laravel-paddle/issues/5',
    kind: 'access',
    seller: 'paddle',
    wanted: 'a cancelled membership still names what was bought, before its end and after it',
    why: 'The cancellation emptied the plan, and the paid rest of the period belonged to nothing.',
    at6ca7: 'held',
    async run(t) {
      const { buy, atProvider, passing, settle, pass, member, isOpen } = await openShop(t, 'paddle')
      await buy()
      const { price_id } = (await member()).subscriptions()[0]!
      await passing()
      await atProvider('cancel later')
      await settle()
      t.like((await member()).subscriptions()[0], { price_id, cancel_at_period_end: true })
      t.true(await isOpen())
      await pass({ months: 1, days: 1 })
      t.like((await member()).subscriptions()[0], { price_id, status: 'canceled' })
      t.false(await isOpen())
    },
  },
  {
    link: 'https://github.com/Sachinchaurasiya360/InternHack/issues/1953',
    kind: 'access',
    seller: 'dodo',
    wanted: 'a subscription whose payment came first is found when it ends, and closes',
    why: 'The payment was settled before its subscription was known, and no later message found a user.',
    at6ca7: 'held',
    async run(t) {
      const { choose, fake, post, settle, passing, pass, atProvider, member, isOpen } = await openShop(
        t,
        'dodo',
      )
      await fake.pay((await choose('pro')).url, { email: ann })
      const isPayment = ({ type }: Record<string, unknown>) => String(type).startsWith('payment.')
      const events = fake.events()
      for (const event of events.filter(isPayment)) t.is(await post(event), 200)
      await settle()
      for (const event of events.filter((event) => !isPayment(event))) t.is(await post(event), 200)
      t.true(await isOpen())
      t.is((await member()).payments()[0]!.subscription_id, (await member()).subscriptions()[0]!.id)
      await passing()
      await atProvider('cancel now')
      await pass({ months: 1, days: 2 })
      t.false(await isOpen())
    },
  },
  {
    link: 'https://github.com/HermanMartinus/bearblog/issues/321',
    kind: 'access',
    seller: 'lemonsqueezy',
    wanted: 'a pause that a customer makes at Lemon Squeezy opens nothing that is not paid',
    why: 'Nobody listened to the pause, and the premium features were free until it ended.',
    at6ca7: 'held',
    async run(t) {
      const { buy, fake, passing, settle, pass, isOpen, member } = await openShop(t, 'lemonsqueezy')
      const { id } = await buy()
      await passing()
      const collect = (collection: { pause: 'void'; resumes_at: null } | null) =>
        fake.act((world) => void world.change('subscription', id, { collection }, 'subscription changed'))
      await collect({ pause: 'void', resumes_at: null })
      await settle()
      await pass({ months: 2, days: 3 })
      t.false(await isOpen())
      t.is((await member()).payments().length, 1)
      await collect(null)
      await pass({ months: 1 })
      t.true(await isOpen())
      t.is((await member()).payments().length, 2)
    },
  },
]
