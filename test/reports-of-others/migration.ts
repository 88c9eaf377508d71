import { addCustomer } from '../../src/fakes/engine/index.ts'
import { createMembership } from '../../src/index.ts'
import { freshDatabase } from '../support/databases.ts'
import { openHost } from '../support/host.ts'
import { buyByLink, createMailbox } from '../support/visitor.ts'
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
]
