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
  {
    link: 'https://github.com/TryGhost/Ghost/issues/16917',
    kind: 'migration',
    seller: null,
    wanted: 'a list is read with the mark of its encoding or without, and with one column or several',
    why: 'A list of addresses alone failed by its encoding, with an error that named neither.',
    at6ca7: 'held',
    async run(t) {
      const lines = [
        ['Email', 'Plan', 'Note'],
        [ann, 'pro', '"a, b; c"'],
        ['ben@example.com', 'book', ''],
      ]
      for (const mark of ['', '\uFEFF'])
        for (const between of [null, ',', ';', '\t']) {
          const { m } = await openHost(t, { 'membership.providers.stripe.plans': plans })
          const written = lines.map((line) => (between === null ? line[0] : line.join(between)))
          const file = Buffer.from(mark + written.join('\r\n'))
          const map = { email: 'Email', ...(between !== null && { price_id: 'Plan' }) }
          t.like(await m.operator.import({ file, map, write: true }), { rows: 2, created: 2, refused: [] })
          const opens = (await m.users.findByEmail(ann))!.hasGate('pro' as never)
          t.is(opens, between !== null, `${between}`)
          t.truthy(await m.users.findByEmail('ben@example.com'))
        }
    },
  },
  {
    link: 'https://github.com/woocommerce/woocommerce-subscriptions-importer-exporter/issues/70',
    kind: 'migration',
    seller: null,
    wanted: 'a day that has two readings is read as the operator says, and never guessed',
    why: 'Sellers had to rewrite each date of their file by hand.',
    at6ca7: 'held',
    async run(t) {
      const now = () => new Date('2026-01-15T12:00:00Z')
      const ends = { mdy: '2027-03-04', dmy: '2027-04-03' }
      for (const dates of ['mdy', 'dmy'] as const) {
        const { m } = await openHost(t, { 'membership.providers.stripe.plans': plans, now })
        const file = Buffer.from(`Email,Plan,Ends\n${ann},pro,3/4/2027\n`)
        const map = { email: 'Email', price_id: 'Plan', ends_at: 'Ends' }
        t.like(await m.operator.import({ file, map, write: true }), { created: 0, granted: 0 })
        t.is(await m.users.findByEmail(ann), null)
        await m.operator.import({ file, map, dates, write: true })
        const { until } = (await m.users.findByEmail(ann))!.explain('pro' as never)
        t.is(until?.slice(0, 10), ends[dates])
      }
    },
  },
  {
    link: 'https://github.com/TryGhost/Ghost/pull/19658',
    kind: 'migration',
    seller: null,
    wanted: 'an empty cell of a later file takes nothing from a member',
    why: 'A column that was left blank unsubscribed everybody in the file.',
    at6ca7: 'held',
    async run(t) {
      const now = () => new Date('2026-01-15T12:00:00Z')
      const { m } = await openHost(t, { 'membership.providers.stripe.plans': plans, now })
      const map = { email: 'Email', name: 'Name', price_id: 'Plan', ends_at: 'Ends' }
      const read = (line: string) =>
        m.operator.import({ file: Buffer.from(`Email,Name,Plan,Ends\n${line}\n`), map, write: true })
      await read(`${ann},Ann,pro,2026-09-30`)
      const explained = async () => (await m.users.findByEmail(ann))!.explain('pro' as never)
      const first = await explained()
      t.true(first.open)
      t.like(await read(`${ann},,,`), { created: 0, refused: [] })
      t.deepEqual(await explained(), first)
      t.is((await m.users.findByEmail(ann))!.name, 'Ann')
    },
  },
  {
    link: 'https://github.com/dayanch96/YTLite/issues/804',
    kind: 'migration',
    seller: 'patreon',
    wanted: 'a year that was paid at Patreon stays a year after the move',
    why: 'Everybody who moved had one month, and people who had paid a year were shut out.',
    at6ca7: 'held',
    async run(t) {
      let now = new Date('2026-01-15T12:00:00Z')
      const { m } = await openHost(t, { 'membership.providers.stripe.plans': plans, now: () => now })
      const head = 'Name,Email,Patron Status,Tier,Access Expiration,Next Charge Date'
      const rows = [
        `Ann,${ann},Active patron,Gold,2026-12-20 10:00:00,2026-12-20 10:00:00`,
        'Ben,ben@example.com,Active patron,Gold,,2026-02-14 10:00:00',
        'Cid,cid@example.com,Former patron,Gold,,2025-02-14 10:00:00',
      ]
      const file = Buffer.from([head, ...rows, ''].join('\n'))
      await m.operator.import({ file, from: 'patreon', gates: { Gold: 'pro' }, write: true })
      const inside = async () => {
        const open = []
        for (const email of [ann, 'ben@example.com', 'cid@example.com'])
          if ((await m.users.findByEmail(email))?.hasGate('pro' as never)) open.push(email)
        return open
      }
      t.deepEqual(await inside(), [ann, 'ben@example.com'])
      now = new Date('2026-12-19T12:00:00Z')
      t.deepEqual(await inside(), [ann])
      now = new Date('2026-12-21T12:00:00Z')
      t.deepEqual(await inside(), [])
    },
  },
  {
    link: 'https://github.com/commonknowledge/leftbookclub/issues/193',
    kind: 'migration',
    seller: 'stripe',
    wanted: 'subscribers of a product that is no longer sold have the plan that followed it',
    why: 'Old subscriptions were of one general product, which said nothing about what they open.',
    at6ca7: 'held',
    async run(t) {
      const plan = { prices: ['price_month'], retired: ['price_old'] }
      const { fake, m, isOpen, visitor } = await openStripeShop(t, {
        options: { 'membership.providers.stripe.plans': { pro: plan } },
      })
      const monthly = { currency: 'eur', recurring: { interval: 'month' as const } }
      fake.addPrice({ id: 'price_old', unit_amount: 500, ...monthly })
      await buyByLink({ fake }, { email: ann, price: 'price_old' })
      await fake.advance({ days: 1 })
      await m.operator.import({ provider: 'stripe', write: true } as never)
      t.true(await isOpen())
      const sold = await visitor().send('/membership/subscribe/pro', { price: 'price_old' })
      t.true(sold.status >= 400)
    },
  },
]
