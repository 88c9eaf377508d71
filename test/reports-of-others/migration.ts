import { addCustomer } from '../../src/fakes/engine/index.ts'
import { createMembership } from '../../src/index.ts'
import { freshDatabase } from '../support/databases.ts'
import { openHost } from '../support/host.ts'
import { askFake, buyByLink, createMailbox } from '../support/visitor.ts'
import type { Report } from './report.ts'
import { ann, openShop, openStripeShop } from './shop.ts'

const plans = { pro: { prices: ['price_month'] }, book: { prices: ['price_book'] } }

/** Members came from somewhere else. */
export const migrationReports: readonly Report[] = [
  {
    link: 'https://github.com/woocommerce/woocommerce-subscriptions-importer-exporter/issues/74',
    kind: 'migration',
    seller: 'paypal',
    wanted: 'lines with the same address, however it is written, become one member with all they have',
    why: 'Years of purchases stood in several lines of one person, and the importer wanted one line each.',
    at6ca7: 'held',
    async run(t) {
      const { m } = await openHost(t, { 'membership.providers.stripe.plans': plans })
      const file = Buffer.from(
        'Email,Plan\nAnn@Example.com,pro\nann@example.com ,book\nANN@EXAMPLE.COM,pro\n',
      )
      const map = { email: 'Email', price_id: 'Plan' }
      t.like(await m.operator.import({ file, map, write: true }), { created: 1 })
      const member = (await m.users.findByEmail(ann))!
      t.true(member.hasGate('pro' as never))
      t.true(member.hasGate('book' as never))
    },
  },
  {
    link: 'https://github.com/TryGhost/Ghost/issues/16268',
    kind: 'migration',
    seller: null,
    wanted: 'an import mails nobody, and runs no hook of a sign-up',
    why: 'Everybody in the file was subscribed to the newsletter, whatever the file said.',
    at6ca7: 'held',
    async run(t) {
      const mailbox = createMailbox()
      const heard: string[] = []
      const hooks = { 'member.created': () => void heard.push('created') }
      const options = { 'membership.providers.stripe.plans': plans, ...mailbox.options, hooks }
      const { m } = await openHost(t, options)
      const file = Buffer.from(`Email,Plan\n${ann},pro\nbob@example.com,pro\n`)
      const map = { email: 'Email', price_id: 'Plan' }
      t.like(await m.operator.import({ file, map, write: true }), { created: 2 })
      await m.runDueJobs()
      t.deepEqual(mailbox.sent, [])
      t.deepEqual(heard, [])
    },
  },
  {
    link: 'https://github.com/TryGhost/Ghost/pull/17326',
    kind: 'migration',
    seller: 'stripe',
    wanted: 'an import from the provider finds the customer who pays among several of one address',
    why: 'The first customer of the address was taken, and it was an old one without a subscription.',
    at6ca7: 'held',
    async run(t) {
      const { fake, m } = await openStripeShop(t)
      await fake.act((world) => addCustomer(world, { email: ann }))
      const paying = await buyByLink({ fake }, { email: ann, price: 'price_month' })
      await fake.act((world) => addCustomer(world, { email: ann }))
      await fake.advance({ days: 1 })
      await m.operator.import({ provider: 'stripe', write: true } as never)
      const member = (await m.users.findByEmail(ann))!
      t.true(member.hasGate('pro' as never))
      t.is(member.customerId('stripe'), paying.customer)
    },
  },
  {
    link: 'https://github.com/pay-rails/pay/pull/353',
    kind: 'migration',
    seller: 'stripe',
    wanted: 'a new database gets all that was bought, although no message arrives',
    why: 'Messages of a whole development time were lost, and nothing could bring the state back.',
    at6ca7: 'held',
    async run(t) {
      const { buy, options, fake, member } = await openShop(t, 'paddle')
      await buy()
      const empty = await createMembership({ ...options, ...(await freshDatabase()) })
      t.teardown(() => empty.close())
      await fake.advance({ days: 1 })
      await empty.operator.compare({ provider: 'paddle', write: true, yes: true } as never)
      const again = (await empty.users.findByEmail(ann))!
      t.true(again.hasGate('pro' as never))
      t.deepEqual(
        again.subscriptions().map(({ id, status }) => [id, status]),
        (await member()).subscriptions().map(({ id, status }) => [id, status]),
      )
    },
  },
  {
    link: 'https://github.com/TryGhost/Ghost/issues/16225',
    kind: 'migration',
    seller: 'stripe',
    wanted: 'somebody who cancelled and still has paid days is imported with them, and with their end',
    why: 'They came in as free members, although weeks of their month were paid.',
    at6ca7: 'held',
    async run(t) {
      const { fake, m, isOpen, member } = await openStripeShop(t)
      const { subscription } = await buyByLink({ fake }, { email: ann, price: 'price_month' })
      await askFake(fake, 'POST', `/v1/subscriptions/${subscription}`, { cancel_at_period_end: 'true' })
      await fake.advance({ days: 10 })
      fake.sendTo({ url: 'http://127.0.0.1:9/', secret: 'nobody listens', isEnabled: false })
      await m.operator.import({ provider: 'stripe', write: true } as never)
      t.true(await isOpen())
      t.true((await member()).subscriptions()[0]!.on_grace_period)
      await fake.advance({ days: 22 })
      t.false(await isOpen())
    },
  },
  {
    link: 'https://github.com/strangerstudios/pmpro-import-users-from-csv/issues/21',
    kind: 'migration',
    seller: null,
    wanted: 'a file that is imported again changes no end, and makes nothing twice',
    why: 'The second run set the end to today, or left two active memberships.',
    at6ca7: 'held',
    async run(t) {
      const now = () => new Date('2026-01-15T12:00:00Z')
      const { m } = await openHost(t, { 'membership.providers.stripe.plans': plans, now })
      const file = Buffer.from(`Email,Plan,Ends\n${ann},pro,2026-09-30\n`)
      const map = { email: 'Email', price_id: 'Plan', ends_at: 'Ends' }
      const explained = async () => (await m.users.findByEmail(ann))!.explain('pro' as never)
      t.like(await m.operator.import({ file, map, write: true }), { created: 1 })
      const first = await explained()
      t.is(first.until?.slice(0, 10), '2026-09-30')
      t.like(await m.operator.import({ file, map, write: true }), { created: 0 })
      t.deepEqual(await explained(), first)
    },
  },
  {
    link: 'https://github.com/strangerstudios/pmpro-import-users-from-csv/pull/27',
    kind: 'migration',
    seller: null,
    wanted: 'former memberships in a file open nothing, and take nothing from the present one',
    why: 'A row of years ago could become the active membership of a member.',
    at6ca7: 'held',
    async run(t) {
      const now = () => new Date('2026-01-15T12:00:00Z')
      const { m } = await openHost(t, { 'membership.providers.stripe.plans': plans, now })
      const rows = [`${ann},pro,2026-09-30`, `${ann},pro,2023-05-31`, `${ann},book,2024-05-31`]
      const file = Buffer.from(['Email,Plan,Ends', ...rows, 'ben@example.com,pro,2024-12-31\n'].join('\n'))
      const map = { email: 'Email', price_id: 'Plan', ends_at: 'Ends' }
      await m.operator.import({ file, map, write: true })
      const member = (await m.users.findByEmail(ann))!
      t.is(member.explain('pro' as never).until?.slice(0, 10), '2026-09-30')
      t.false(member.hasGate('book' as never))
      t.false((await m.users.findByEmail('ben@example.com'))?.hasGate('pro' as never) ?? false)
    },
  },
  {
    link: 'https://github.com/woocommerce/woocommerce-subscriptions-importer-exporter/issues/65',
    kind: 'migration',
    seller: null,
    wanted: 'a member who renewed before the end keeps both periods, whichever row of the file comes first',
    why: 'Nobody could say how a renewal before the end is written, and months were at stake.',
    at6ca7: 'held',
    async run(t) {
      for (const ends of [
        ['2026-08-31', '2027-08-31'],
        ['2027-08-31', '2026-08-31'],
      ]) {
        let now = new Date('2026-01-15T12:00:00Z')
        const sold = { 'membership.providers.stripe.plans': plans }
        const { m } = await openHost(t, { ...sold, now: () => now })
        const file = Buffer.from(['Email,Plan,Ends', ...ends.map((end) => `${ann},pro,${end}`)].join('\n'))
        const map = { email: 'Email', price_id: 'Plan', ends_at: 'Ends' }
        await m.operator.import({ file, map, write: true })
        now = new Date('2027-08-31T12:00:00Z')
        t.true((await m.users.findByEmail(ann))!.hasGate('pro' as never), ends.join())
        now = new Date('2027-09-01T12:00:00Z')
        t.false((await m.users.findByEmail(ann))!.hasGate('pro' as never), ends.join())
      }
    },
  },
]
