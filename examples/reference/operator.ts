import { codeOf, type Examples, equal, type Given } from './site.ts'

/** Somebody fills in the public page for cancellations. */
const declare = async (m: Given['m'], app: Given['app'], open: Given['open']): Promise<void> => {
  app.use(m.koa())
  const page = await open('/membership/cancel')
  const token = /name="token" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
  await open('/membership/cancel', {
    token,
    email: 'ann@example.com',
    name: 'Ann',
    contract: 'Pro',
    nature: 'extraordinary',
    reason: 'too dear',
  })
  await m.runDueJobs()
}

/** Examples of `m.operator`. */
export const operator: Examples = {
  async compare({ m }) {
    const { differences } = await m.operator.compare({ provider: 'stripe' })
    equal(differences, []) // with `write: true` it corrects them
  },

  async import({ m }) {
    const file = Buffer.from('Email,Name\ncleo@example.com,Cleo\n')
    const map = { email: 'Email', name: 'Name' }
    await m.operator.import({ file, map })
    equal(await m.users.findByEmail('cleo@example.com'), null)
    await m.operator.import({ file, map, write: true })
    equal((await m.users.findByEmail('cleo@example.com'))?.name, 'Cleo')
  },

  async 'foreign.list'({ m }) {
    const lists = await m.operator.foreign.list()
    equal(lists.foreign, [])
  },

  async 'foreign.remove'({ m }) {
    const lists = await m.operator.foreign.remove({ write: false })
    equal(lists.foreign, [])
  },

  async 'foreign.keep'({ m }) {
    equal(await m.operator.foreign.keep({ ids: [] }), await m.operator.foreign.list())
  },

  async switch({ m }) {
    const ask = () => m.operator.switch({ from: 'stripe', to: 'paddle', by: 'eve' })
    equal(await codeOf(ask), 'ERR_PROVIDER_UNKNOWN') // this site has no Paddle to move to
  },

  async afterRestore({ m }) {
    const { ended } = await m.operator.afterRestore()
    equal(ended.sessions, 0)
  },

  async deletedSince({ m, bob }) {
    await m.users.delete(bob.id)
    const [account] = await m.operator.deletedSince('2026-01-01T00:00:00Z')
    equal(account?.id, bob.id)
  },

  async 'declarations.list'({ m, app, open }) {
    await declare(m, app, open)
    const [declaration] = await m.operator.declarations.list({ open: true })
    equal([declaration?.kind, declaration?.email], ['cancellation', 'ann@example.com'])
  },

  async 'declarations.get'({ m, app, open }) {
    await declare(m, app, open)
    const [declaration] = await m.operator.declarations.list({ open: true })
    equal((await m.operator.declarations.get(declaration?.id ?? '')).status, 'open')
  },

  async 'declarations.settle'({ m, app, open }) {
    await declare(m, app, open)
    const [declaration] = await m.operator.declarations.list({ open: true })
    const { status } = await m.operator.declarations.settle(declaration?.id ?? '', 'eve')
    equal(status, 'done')
  },

  async 'outbox.list'({ m }) {
    equal(await m.operator.outbox.list({ dead: true }), [])
  },

  async 'outbox.replay'({ m }) {
    const [message] = await m.operator.outbox.list()
    if (message !== undefined) await m.operator.outbox.replay(message.seq)
    equal(typeof message, 'object')
  },

  async 'outbox.replayTo'({ m }) {
    const replay = () => m.operator.outbox.replayTo({ to: 'https://crm.example.com/hook' })
    equal(await codeOf(replay), 'ERR_USAGE') // `membership.notify` has no such receiver here
  },

  async 'audit.during'({ m, ann }) {
    const entry = { by: 'eve', action: 'refund' as const, memberId: ann.id }
    equal(await m.operator.audit.during(entry, async () => 'done'), 'done')
    const [record] = await m.operator.audit.list({ member: ann.id })
    equal([record?.by, record?.outcome], ['eve', 'done'])
  },

  async 'audit.list'({ m, ann, bob }) {
    await m.users.merge({ keep: ann.id, merge: bob.id, by: 'eve', write: true })
    const [record] = await m.operator.audit.list({ member: ann.id, limit: 1 })
    equal([record?.action, record?.by], ['merge', 'eve'])
  },

  async 'catalogue.refresh'({ m, fake }) {
    fake.addPrice({ id: 'price_new', unit_amount: 700, currency: 'eur', recurring: { interval: 'month' } })
    await m.operator.catalogue.refresh('stripe')
    equal(m.operator.catalogue.isStale('stripe'), false)
  },

  async 'catalogue.isStale'({ m }) {
    await m.operator.catalogue.refresh('stripe')
    equal(m.operator.catalogue.isStale('stripe'), false)
  },

  'catalogue.shop'({ m }) {
    const shop = m.operator.catalogue.shop('stripe')
    equal(shop.prices.has('price_month'), true)
  },

  async health({ m }) {
    const { status, troubles } = await m.operator.health()
    equal([status, troubles], ['ok', []])
  },

  async leaks({ m }) {
    const read = () => m.operator.leaks({ site: 'http://127.0.0.1:9' })
    equal(await codeOf(read), 'ERR_REFUSED') // another site, or none, answers there
  },

  async openapi({ m }) {
    const document = (await m.operator.openapi()) as { openapi: string }
    equal(document.openapi, '3.1.0')
  },
}
