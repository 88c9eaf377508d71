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
]
