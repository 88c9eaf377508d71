import type { Report } from './report.ts'
import { ann, openShop, openStripeShop } from './shop.ts'

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
    why: 'Nothing was told of a planned cancellation, so nobody could win a member back.',
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
    wanted: 'a membership that has ended stays ended, and its member is told once',
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
    why: 'The scanner’s request used the link, and the person was told that it had been used.',
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
]
