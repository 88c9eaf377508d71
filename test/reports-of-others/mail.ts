import { openPayPalSite } from '../providers/paypal/site.ts'
import { askFake, createMailbox, createVisitor } from '../support/visitor.ts'
import type { Report } from './report.ts'
import { ann, declined, openShop, openStripeShop } from './shop.ts'

/** A mail or a hook came twice, never, or said something wrong. */
export const mailReports: readonly Report[] = [
  {
    link: 'https://github.com/nadineproject/nadine/issues/347',
    kind: 'mail',
    seller: 'stripe',
    wanted: 'a new member gets one welcome and one receipt, however often the messages come',
    why: 'Three identical mails arrived at the same time for one membership.',
    at6ca7: 'held',
    async run(t) {
      const { buy, fake, post, settle, mailbox } = await openShop(t, 'stripe')
      await buy()
      for (let round = 0; round < 2; round++)
        await Promise.all(fake.events().map((event) => post({ ...event, id: `${event.id}${round}` })))
      await fake.advance({ days: 1 })
      await settle()
      const kinds = mailbox.of(ann).map(({ kind }) => kind)
      t.true(kinds.includes('receipt' as never), kinds.join())
      t.is(new Set(kinds).size, kinds.length, kinds.join())
    },
  },
  {
    link: 'https://github.com/TryGhost/Ghost/issues/29806',
    kind: 'mail',
    seller: 'stripe',
    wanted: 'hooks run when a member cancels for later in the portal, and when they take it back',
    why: 'A planned cancellation ran no hook, so nobody could win a member back.',
    at6ca7: 'held',
    async run(t) {
      const heard: string[] = []
      const hooks = {
        'subscription.canceled': () => void heard.push('canceled'),
        'subscription.renewed': ({ reason }: { reason: string }) => void heard.push(reason),
      }
      const { buy, atProvider, settle, passing } = await openShop(t, 'stripe', { hooks } as never)
      await buy()
      await settle()
      for (const does of ['cancel later', 'keep'] as const) {
        await passing()
        await atProvider(does)
        await settle()
      }
      t.deepEqual(heard, ['canceled', 'kept'])
    },
  },
  {
    link: 'https://github.com/restrictcontentpro/restrict-content-pro/issues/1646',
    kind: 'mail',
    seller: 'stripe',
    wanted: 'a membership that has ended stays ended, and its member gets one mail',
    why: 'A late cancellation changed “expired” to “cancelled” and back.',
    at6ca7: 'held',
    async run(t) {
      const { buy, logIn, settle, pass, fake, post, member, mailbox } = await openShop(t, 'stripe')
      const { id } = await buy()
      await settle()
      t.is((await (await logIn()).send(`/membership/cancel/${id}`)).status, 200)
      await settle()
      await pass({ months: 1, days: 1 })
      const late = fake.events().filter(({ type }) => String(type).startsWith('customer.subscription'))
      for (const event of late) t.is(await post({ ...event, id: `${event.id}again` }), 200)
      await pass({ days: 1 })
      t.is((await member()).subscriptions()[0]!.status, 'canceled')
      t.is(mailbox.of(ann, 'cancellation').length, 1)
    },
  },
  {
    link: 'https://github.com/better-auth/better-auth/issues/9690',
    kind: 'mail',
    seller: null,
    wanted: 'a mail scanner that opens the login link uses nothing up, and gets no session',
    why: 'The scanner’s request used the link, and the person read that it had been used.',
    at6ca7: 'held',
    async run(t) {
      const { m, visitor, mailbox } = await openStripeShop(t)
      await m.users.create({ email: ann, verified: true })
      const person = visitor()
      await person.send('/membership/login', { email: ann })
      await m.runDueJobs()
      const [scanner, link] = [visitor(), mailbox.link(ann)]
      for (const method of ['HEAD', 'GET', 'GET']) await scanner.request(link, { method })
      t.is(scanner.cookies.get('membership_session'), undefined)
      t.is((await person.send(link)).status, 200)
      t.is((await visitor().send(link)).status >= 400, true, 'and works once')
    },
  },
  {
    link: 'https://github.com/TryGhost/Portal/issues/23',
    kind: 'mail',
    seller: null,
    wanted: 'one request for a login sends one mail',
    why: 'The activation arrived twice at a sign-up.',
    at6ca7: 'held',
    async run(t) {
      const { m, visitor, mailbox, settle } = await openStripeShop(t)
      await m.users.create({ email: ann, verified: true })
      await visitor().send('/membership/login', { email: ann })
      await Promise.all([m.runDueJobs(), m.runDueJobs()])
      await settle()
      t.is(mailbox.of(ann).length, 1)
    },
  },
  {
    link: 'https://github.com/superset-sh/superset/pull/7217',
    kind: 'mail',
    seller: 'stripe',
    wanted: 'somebody who left gets no reminder to pay, although the provider tries once more',
    why: 'The last reminder warned a former customer of losing what they had given up.',
    at6ca7: 'held',
    async run(t) {
      const { buy, fake, settle, logIn, mailbox, post } = await openStripeShop(t)
      const { id } = await buy()
      fake.useCard(fake.objects.list('customer')[0]!.id, declined)
      await fake.advance({ months: 1, ms: 7_200_000 })
      await settle()
      t.is(mailbox.of(ann, 'payment-failed').length, 1)
      t.is((await (await logIn()).send(`/membership/cancel/${id}`, { when: 'now' })).status, 200)
      await fake.advance({ days: 2 })
      await settle()
      const failed = fake.events().findLast(({ type }) => type === 'invoice.payment_failed')!
      const created = Math.floor(fake.now().getTime() / 1000)
      t.is(await post({ ...failed, id: 'evt_once_more', created }), 200)
      await fake.advance({ days: 1 })
      await settle()
      t.is(mailbox.of(ann, 'payment-failed').length, 1)
    },
  },
  {
    link: 'https://github.com/koala73/worldmonitor/issues/4796',
    kind: 'mail',
    seller: 'dodo',
    wanted: 'a renewal that fails is mailed at once, with the way to pay it',
    why: 'The subscription was on hold, and only a banner in the app said so.',
    at6ca7: 'held',
    async run(t) {
      const { buy, fake, sellingCase, settle, mailbox } = await openShop(t, 'dodo')
      await buy()
      await settle()
      fake.useCard(sellingCase.customerOf(fake, ann), declined)
      await fake.advance({ months: 1, days: 1 })
      await settle()
      const mails = mailbox.of(ann, 'payment-failed')
      t.is(mails.length, 1)
      t.regex(mails[0]!.text, /https?:\/\/\S+\/membership\//)
    },
  },
  {
    link: 'https://github.com/mozilla/subhub/issues/454',
    kind: 'mail',
    seller: 'stripe',
    wanted: 'a first payment that is declined sends no receipt and no welcome',
    why: 'The confirmation of a payment went out although the card had been blocked.',
    at6ca7: 'held',
    async run(t) {
      const { m, fake, logIn, choose, settle, mailbox, isOpen } = await openShop(t, 'stripe')
      await m.users.create({ email: ann, verified: true })
      const begun = await choose('pro', await logIn())
      t.not((await fake.pay(begun.checkout, { card: declined })).refusal, null)
      await settle()
      await fake.advance({ days: 2 })
      await settle()
      t.false(await isOpen())
      const kinds = mailbox.of(ann).map(({ kind }) => kind)
      t.deepEqual(
        kinds.filter((kind) => kind !== 'magic-link'),
        [],
      )
    },
  },
  {
    link: 'https://github.com/lukevella/rallly/issues/691',
    kind: 'mail',
    seller: null,
    wanted: 'a login link has the address of the site, https included, whatever the request was',
    why: 'The link in the mail began with http, although the site was set to https.',
    at6ca7: 'held',
    async run(t) {
      const options = { 'membership.url': 'https://members.example' }
      const { m, site, mailbox, settle } = await openStripeShop(t, { options })
      await m.users.create({ email: ann, verified: true })
      const visitor = createVisitor(site)
      const forwarded = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http' }
      await visitor.send('/membership/login', { email: ann }, forwarded)
      await settle()
      const links = mailbox.of(ann)[0]!.text.match(/https?:\/\/\S+/g) ?? []
      t.true(links.length > 0)
      for (const link of links) t.is(new URL(link).origin, 'https://members.example')
    },
  },
  {
    link: 'https://github.com/restrictcontentpro/restrict-content-pro/issues/256',
    kind: 'mail',
    seller: null,
    wanted: 'the mails of a member who comes back name the new period, and not the one that is over',
    why: 'The welcome was written before the new end was stored, and named the old one.',
    at6ca7: 'held',
    async run(t) {
      const { buy, fake, atProvider, passing, settle, choose, logIn, mailbox } = await openShop(
        t,
        'chargebee',
      )
      await buy()
      await settle()
      await passing()
      await atProvider('cancel later')
      await settle()
      await fake.advance({ months: 2 })
      await settle()
      const before = mailbox.sent.length
      await fake.pay((await choose('pro', await logIn())).url)
      await settle()
      const since = mailbox.sent.slice(before).filter(({ kind }) => kind !== 'magic-link')
      t.true(since.map(({ kind }) => kind).includes('receipt' as never))
      for (const { kind, text } of since) t.notRegex(text, /January|February/, kind)
      t.true(since.some(({ text }) => /15 April|April 15/.test(text)))
    },
  },
  {
    link: 'https://github.com/Hylozoic/hylo/issues/1254',
    kind: 'mail',
    seller: 'stripe',
    wanted: 'somebody whose money goes back is written to, with the amount, wherever it was refunded',
    why: 'Only a badge changed, and neither the person nor the admin read anything.',
    at6ca7: 'held',
    async run(t) {
      const { buy, fake, settle, passing, mailbox } = await openShop(t, 'stripe')
      await buy(ann, 'book')
      await passing()
      fake.refund(fake.books.list('charge')[0]!.id, 700)
      await settle()
      const [mail, ...more] = mailbox.of(ann, 'refund')
      t.regex(mail!.text, /€7\b/)
      t.deepEqual(more, [])
    },
  },
  {
    link: 'https://github.com/OWASP/owasp.github.io/issues/59',
    kind: 'mail',
    seller: null,
    wanted: 'somebody who paid for two years reads of no end and no renewal after one of them',
    why: 'After a year a mail said that the membership ends, and another one that it had ended.',
    at6ca7: 'held',
    async run(t) {
      const price = { id: 'price_two', amount: 9000, currency: 'EUR', interval: 'year' as const }
      const { fake, buy, settle, mailbox, isOpen } = await openStripeShop(t, {
        options: {
          'membership.providers.stripe.plans': { pro: { prices: [{ ...price, interval_count: 2 }] } },
        } as never,
      })
      const recurring = { interval: 'year', interval_count: 2 } as const
      fake.addPrice({ id: 'price_two', unit_amount: 9000, currency: 'eur', recurring })
      await buy({ price: 'price_two' })
      await settle()
      const before = mailbox.sent.length
      for (let month = 0; month < 22; month++) {
        await fake.advance({ months: 1 })
        await settle()
        t.true(await isOpen(), `month ${month}`)
      }
      t.deepEqual(mailbox.sent.slice(before), [])
      await fake.advance({ months: 1, days: 20 })
      await settle()
      t.is(mailbox.of(ann, 'renewal-ahead').length, 1)
    },
  },
  {
    link: 'https://github.com/buttondown/roadmap/issues/1682',
    kind: 'mail',
    seller: 'stripe',
    wanted: 'a renewal that is rescued with a new card is one renewal, with one receipt',
    why: 'The new card and the new status came as two messages, and the author got two mails.',
    at6ca7: 'held',
    async run(t) {
      const heard: string[] = []
      const hooks = {
        'subscription.renewed': ({ reason }: { reason: string }) => void heard.push(reason),
      }
      const { buy, fake, post, settle, mailbox } = await openShop(t, 'stripe', { hooks } as never)
      await buy()
      await settle()
      const customer = fake.books.list('customer')[0]!.id
      fake.useCard(customer, declined)
      await fake.advance({ months: 1, ms: 7_200_000 })
      await settle()
      t.deepEqual(heard, [])
      fake.useCard(customer, '4242424242424242')
      await fake.advance({ days: 4 })
      await settle()
      const rescued = fake.events().findLast(({ type }) => type === 'customer.subscription.updated')!
      t.is(await post({ ...rescued, id: 'evt_card' }), 200)
      await fake.advance({ days: 1 })
      await settle()
      t.deepEqual(heard, ['period'])
      t.is(mailbox.of(ann, 'receipt').length, 2)
    },
  },
  {
    link: 'https://github.com/mozilla/fxa/issues/7615',
    kind: 'mail',
    seller: 'paypal',
    wanted: 'money that arrives when its membership is long over is shown to somebody who can refund it',
    why: 'The pending payment went through after the end, and nobody gave it back.',
    at6ca7: 'failed',
    async run(t) {
      const options = { 'membership.operator.email': 'office@example.com' }
      const { buy, fake, settle, mailbox, isOpen } = await openStripeShop(t, { options })
      await buy()
      const customer = fake.objects.list('customer')[0]!.id
      fake.useCard(customer, declined)
      for (let days = 0; days < 80; days += 8) {
        await fake.advance({ days: 8 })
        await settle()
      }
      t.false(await isOpen())
      fake.useCard(customer, '4242424242424242')
      const bill = fake.objects.list('invoice').find(({ status }) => status === 'open')!
      const method = fake.objects.list('payment_method').at(-1)!
      await askFake(fake, 'POST', `/v1/invoices/${bill.id}/pay`, { payment_method: method.id })
      await fake.advance({ ms: 600_000 })
      await settle()
      t.false(await isOpen())
      t.is(mailbox.of('office@example.com', 'operator-deadline').length, 1)
    },
  },
  {
    link: 'https://github.com/koala73/worldmonitor/issues/7314',
    kind: 'mail',
    seller: 'dodo',
    wanted: 'a cancellation in Dodo’s portal is confirmed by a mail that names the last day of access',
    why: 'Nothing was sent, and the subscriber wanted the money of a month back that they still had.',
    at6ca7: 'held',
    async run(t) {
      const { buy, atProvider, settle, passing, mailbox, isOpen } = await openShop(t, 'dodo')
      await buy()
      await settle()
      await passing()
      await atProvider('cancel later')
      await settle()
      const [mail, ...more] = mailbox.of(ann, 'cancellation')
      t.regex(mail!.text, /15 February|February 15/)
      t.deepEqual(more, [])
      t.true(await isOpen())
    },
  },
  {
    link: 'https://github.com/AyeCode/invoicing/pull/923',
    kind: 'mail',
    seller: 'paypal',
    wanted: 'a renewal that PayPal cannot collect is mailed by the site, once, with the way to pay',
    why: 'Buyers had PayPal’s own mail, which named no website, and did not know what had failed.',
    at6ca7: 'held',
    async run(t) {
      const mailbox = createMailbox()
      const { paypal, subscribe, own, settle } = await openPayPalSite(t, { options: mailbox.options })
      await subscribe()
      paypal.useCard((await own()).customer_id!, declined)
      await paypal.advance({ months: 1, days: 1 })
      for (let round = 0; round < 3; round++) await settle()
      const [mail, ...more] = mailbox.of(ann, 'payment-failed')
      t.regex(mail!.text, /https?:\/\/\S+\/membership\//)
      t.deepEqual(more, [])
    },
  },
  {
    link: 'https://github.com/restrictcontentpro/restrict-content-pro/issues/460',
    kind: 'mail',
    seller: null,
    wanted: 'the reminder before a yearly charge comes each year, and once a year',
    why: 'A mark of the first reminder was never removed, so nobody was reminded a second time.',
    at6ca7: 'held',
    async run(t) {
      const { buy, pass, mailbox } = await openStripeShop(t)
      await buy({ price: 'price_year' })
      for (const sent of [1, 2]) {
        await pass({ months: 11 })
        for (const days of [5, 5]) await pass({ days })
        t.is(mailbox.of(ann, 'renewal-ahead').length, sent)
        await pass({ days: 21 })
      }
      const [first, second] = mailbox.of(ann, 'renewal-ahead')
      t.regex(first!.text, /2027/)
      t.regex(second!.text, /2028/)
    },
  },
  {
    link: 'https://github.com/aredotna/ervell/issues/1265',
    kind: 'mail',
    seller: 'stripe',
    wanted: 'an address that a member changes is changed at the provider, which writes to it from then on',
    why: 'Stripe kept the old address, and its mails reached nobody.',
    at6ca7: 'held',
    async run(t) {
      const { buy, fake, logIn, mailbox, settle, m, isOpen } = await openShop(t, 'paddle')
      await buy()
      await settle()
      const visitor = await logIn()
      t.is((await visitor.send('/membership/account', { email: 'ann@new.example' })).status, 200)
      await m.runDueJobs()
      t.deepEqual(
        fake.books.list('customer').map(({ email }) => email),
        [ann],
      )
      t.is((await visitor.send(mailbox.link('ann@new.example'))).status, 200)
      await settle()
      t.deepEqual(
        fake.books.list('customer').map(({ email }) => email),
        ['ann@new.example'],
      )
      t.true(await isOpen('pro', 'ann@new.example'))
    },
  },
]
