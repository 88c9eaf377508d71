import type { Report } from './report.ts'
import { ann, declined, openShop } from './shop.ts'

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
]
