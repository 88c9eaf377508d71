import { codeOf, type Examples, equal } from './site.ts'

/** Examples of `m.webhooks`. */
export const webhooks: Examples = {
  async list({ m }) {
    const events = await m.webhooks.list({ provider: 'stripe', limit: 100 })
    equal(
      events.some(({ type }) => type === 'checkout.session.completed'),
      true,
    )
    equal(await m.webhooks.list({ failed: true }), [])
  },

  async get({ m }) {
    const [newest] = await m.webhooks.list({ limit: 1 })
    const event = await m.webhooks.get(newest?.event_id ?? '')
    equal(event.provider, 'stripe')
    equal(await codeOf(() => m.webhooks.get('evt_unknown')), 'ERR_NOT_FOUND')
  },

  async replay({ m }) {
    const [newest] = await m.webhooks.list({ limit: 1 })
    equal(await m.webhooks.replay(newest?.event_id ?? ''), true)
  },

  async release({ m }) {
    const [newest] = await m.webhooks.list({ limit: 1 })
    // This one is applied already: only an event of the other mode is held.
    equal(await codeOf(() => m.webhooks.release(newest?.event_id ?? '')), 'ERR_USAGE')
  },

  async koa({ m, app, open }) {
    app.use(m.webhooks.koa()) // above every body parser
    equal((await open('/membership/webhooks/stripe', {})).status, 403) // nobody signed it
  },

  async sign({ m }) {
    const body = Buffer.from(JSON.stringify({ id: 'evt_1', object: 'event' }))
    equal(Object.keys(m.webhooks.sign('stripe', body)), ['stripe-signature'])
  },

  async receive({ m, fake }) {
    const event = fake.events().find(({ type }) => type === 'invoice.paid')
    const body = Buffer.from(JSON.stringify(event))
    const outcome = await m.webhooks.receive('stripe', { body, headers: m.webhooks.sign('stripe', body) })
    equal(outcome, 'duplicate') // it came before
  },

  async pull({ m }) {
    const outcomes = new Set<string>()
    for await (const { outcome } of m.webhooks.pull('stripe', '2026-01-01T00:00:00Z')) outcomes.add(outcome)
    equal(outcomes.has('processed'), false) // nothing was missed
  },

  async connect({ m }) {
    const plan = await m.webhooks.connect({ provider: 'stripe', by: 'eve' })
    equal([plan.change, plan.address], ['create', 'https://example.com/membership/webhooks/stripe'])
    const made = await m.webhooks.connect({ provider: 'stripe', by: 'eve', write: true })
    equal(made.secret?.startsWith('whsec_'), true) // put it into the configuration
  },
}
