import test from 'ava'
import { step } from '../../src/core/storage/index.ts'
import {
  membershipOf,
  membershipPlugin,
  membershipRoutes,
  requires,
  requiresField,
  shownOffice,
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
function build(given: object) {
  return membershipPlugin({ members: 'members', membership } as never)(given) as unknown as Config
}

/** A running Payload whose session is a user that the test gives. */
function running(config: Config, user: object | null) {
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

test('a user whom Payload does not delete is tried again until it does', async (t) => {
  const alone = { members: 'members', membership: { ...membership, install: false } }
  const config = membershipPlugin(alone as never)({
    admin: { user: 'editors' },
    collections: [{ slug: 'members', fields: [] }],
  }) as unknown as Config
  const ada = { id: 7, collection: 'members', email: 'ada@example.com', _verified: true }
  const { payload, ...request } = running(config, ada)
  let isLocked = true
  let isThere = true
  // As Payload 3 does: a deletion by `where` returns its errors, one by `id` throws.
  const asPayload = Object.assign(payload, {
    find: async () => ({ docs: isThere ? [ada] : [] }),
    delete: async ({ id, where }: { id?: number; where?: object }) => {
      const locked = new Error('Document with ID 7 is currently locked and cannot be deleted.')
      if (isLocked && id !== undefined) throw locked
      if (isLocked) return { docs: [], errors: [{ id: 7, isPublic: true, message: locked.message }] }
      t.true(id === 7 || where !== undefined)
      isThere = false
      return ada
    },
  })
  const m = await membershipOf(asPayload)
  t.teardown(() => m.close())
  await requiresField('pro')({ req: { ...request, payload: asPayload } })
  const member = await m.users.findByLogin('members:7')
  await m.users.delete(member!.id)
  await m.runDueJobs()
  const waiting = () => m.storage.read((db) => db.selectFrom('outbox').select(['kind', 'status', 'attempts']))
  t.like((await waiting())[0], { kind: 'login:user-deleted', status: 'waiting', attempts: 1 })
  isLocked = false
  const again = m.storage.prepare<object>('test-again', (db) =>
    db.updateTable('outbox').set({ due_at: '2020-01-01T00:00:00.000Z' }),
  )
  await m.storage.commit([step(again, {})])
  await m.runDueJobs()
  t.false(isThere)
  t.deepEqual(await waiting(), [])
})

test('the plans of a user are for editors and for that user', async (t) => {
  const config = build({
    admin: { user: 'editors' },
    collections: [
      { slug: 'members', fields: [] },
      { slug: 'editors', fields: [] },
    ],
  })
  const field = config.collections[0]!.fields.find(({ name }) => name === 'membershipPlans') as unknown as {
    access: { read: (input: object) => Promise<boolean> }
  }
  const read = (user: object | null, input: object) =>
    field.access.read({ req: running(config, user), ...input })
  const ada = { id: 1, collection: 'members' }
  t.true(await read(ada, { id: 1, doc: { id: 1 } }))
  t.true(await read(ada, { id: '1' }))
  t.false(await read(ada, { id: 2, doc: { id: 2 } }), 'of another')
  t.false(await read(ada, {}), 'of nobody in particular')
  t.false(await read({ id: 2, collection: 'customers' }, { doc: { id: 2 } }), 'the same id elsewhere')
  t.false(await read(null, { doc: { id: 1 } }))
  t.true(await read({ id: 9, collection: 'editors' }, { doc: { id: 1 } }))
})

test('requires() without the plugin opens nothing', async (t) => {
  t.false(await requires('pro')({ req: { headers: new Headers(), payload: { config: {} } } }))
  t.is(typeof membershipRoutes({}).POST, 'function')
})

test('below a path of the site, the office and the API have it in front', async (t) => {
  const options = {
    members: 'members',
    showsOffice: () => true,
    membership: {
      ...membership,
      install: false,
      'membership.url': 'https://example.com/app',
      'membership.base_path': '/app',
    },
  }
  const config = membershipPlugin(options as never)({
    admin: { user: 'editors' },
    collections: [],
  }) as unknown as Config & {
    endpoints: { method: string; path: string; handler: (request: object) => Promise<Response> }[]
  }
  const { payload } = running(config, null)
  const m = await membershipOf(payload)
  t.teardown(() => m.close())
  const editor = { id: 9, collection: 'editors' }
  t.is(await shownOffice({ payload, user: editor }), '/app/membership/office')
  t.is(await shownOffice({ payload, user: null }), null)

  const { handler } = config.endpoints.find(({ method }) => method === 'get')!
  for (const path of ['/api/membership/health', '/app/api/membership/health']) {
    const request = Object.assign(new Request(`https://example.com${path}`), { payload, user: null })
    t.is((await handler(request)).status, 200, path)
  }
})
