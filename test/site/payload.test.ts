import test from 'ava'
import {
  membershipOf,
  membershipPlugin,
  membershipRoutes,
  requires,
  requiresField,
} from '../../src/entries/payload.ts'

type Access = (input: { req: object }) => Promise<unknown>
interface Config {
  collections: {
    slug: string
    access: Record<string, Access>
    fields: { name?: string; options?: unknown }[]
  }[]
}

const membership = {
  root: false,
  log: () => {},
  'membership.database.url': 'sqlite::memory:',
  'membership.compare.automatic': false,
  'membership.provider.handler': 'sandbox',
  'membership.providers.sandbox.plans': {
    pro: { name: 'Pro', opens: ['export'], prices: [{ id: 'pro_monthly', amount: 900, currency: 'EUR' }] },
  },
} as const

const posts = { slug: 'posts', versions: { drafts: true }, access: { read: requires() }, fields: [] }
const build = (given: object) =>
  membershipPlugin({ members: 'members', membership } as never)(given) as unknown as Config

/** A running Payload whose session is a user that the test gives. */
const running = (config: Config, user: object | null) => {
  const payload = {
    config: { ...config, routes: { api: '/api' } },
    collections: {},
    auth: async () => ({ user }),
    find: async () => ({ docs: [] }),
    delete: async () => null,
  }
  return { payload, user, headers: new Headers() }
}

test('a collection with requires() gets the field gate, with the plans and features as choices', (t) => {
  const { collections } = build({ collections: [posts, { slug: 'notes', fields: [] }] })
  t.deepEqual(collections[0]!.fields.find(({ name }) => name === 'gate')?.options, [
    { label: 'Pro', value: 'pro' },
    { label: 'export', value: 'export' },
  ])
  t.deepEqual(collections[1]!.fields, [], 'others stay as they are')
})

test('members that share the collection of the editors need isEditor', (t) => {
  t.throws(() => membershipPlugin({ members: 'users' })({ collections: [] }), { message: /isEditor/ })
})

test('visitors and members get constraints, also for versions; editors get everything', async (t) => {
  const config = build({ admin: { user: 'editors' }, collections: [posts] })
  const { access } = config.collections[0]!
  const visitor = running(config, null)
  const m = await membershipOf(visitor.payload)
  t.teardown(() => m.close())
  const free = { or: [{ gate: { exists: false } }] }
  t.deepEqual(await access.read!({ req: visitor }), { and: [free, { _status: { equals: 'published' } }] })
  t.deepEqual(await access.readVersions!({ req: visitor }), {
    and: [{ or: [{ 'version.gate': { exists: false } }] }, { 'version._status': { equals: 'published' } }],
  })
  const ada = { id: 1, collection: 'members', email: 'ada@example.com', _verified: true }
  t.false(await requiresField('pro')({ req: running(config, ada) }))
  t.false(await access.update!({ req: running(config, ada) }), 'Payload lets every user change documents')
  const member = await m.users.findByLogin('members:1')
  await m.users.grant({ memberId: member!.id, gate: 'pro' })
  const open = { or: [{ gate: { exists: false } }, { gate: { in: ['pro', 'export'] } }] }
  t.deepEqual(await access.read!({ req: running(config, ada) }), {
    and: [open, { _status: { equals: 'published' } }],
  })
  t.true(await requiresField('pro')({ req: running(config, ada) }))
  const eve = { ...ada, id: 2, _verified: false }
  t.deepEqual(await access.read!({ req: running(config, eve) }), {
    and: [free, { _status: { equals: 'published' } }],
  })
  t.true(await access.read!({ req: running(config, { id: 9, collection: 'editors' }) }))
})

test('requires() without the plugin opens nothing', async (t) => {
  t.false(await requires('pro')({ req: { headers: new Headers(), payload: { config: {} } } }))
  t.is(typeof membershipRoutes({}).POST, 'function')
})
