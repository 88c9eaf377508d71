import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import nuxtModule from '../../src/entries/nuxt.ts'
import { gated, type NuxtEvent, nuxtHost, prerendering } from '../../src/entries/nuxt-server.ts'
import { createMembership, type MembershipOptions, type View } from '../../src/index.ts'

const root = join(import.meta.dirname, '../..')
function open(options: MembershipOptions = {}) {
  return createMembership({
    'membership.database.url': 'sqlite::memory:',
    'membership.provider.handler': 'sandbox',
    'membership.providers.sandbox.plans': {
      pro: { prices: [{ id: 'pro_monthly', amount: 900, currency: 'EUR', interval: 'month' }] },
    },
    'membership.compare.automatic': false,
    install: false,
    root: false,
    log: () => {},
    identify: ({ kind, request, headers }) => {
      // It gets the event, as pages do.
      if (kind !== 'nuxt' || request.node.req.headers['x-user'] !== headers.get('x-user')) return null
      return headers.get('x-user') === null ? null : { email: headers.get('x-user') ?? '' }
    },
    ...options,
  })
}

interface Context {
  readonly membership: View
  readonly membershipPage: { enter(gate: string): Promise<void>; visitor(): Promise<{ gates: string[] }> }
  cache?: object
}

/** A server like Nitro's: it runs the handler for each request, with an event. */
async function serve(
  t: ExecutionContext,
  page: (event: NuxtEvent & { context: Context }) => Promise<unknown>,
) {
  const closing: (() => Promise<void>)[] = []
  const nitro = {
    h3App: { handler: page as (event: NuxtEvent) => Promise<unknown> },
    hooks: { hook: (_: 'close', listener: () => Promise<void>) => closing.push(listener) },
  }
  const host = nuxtHost(open)
  host.plugin(nitro)
  const server = createServer((req: IncomingMessage, res: ServerResponse) => {
    nitro.h3App.handler({ path: req.url ?? '/', node: { req, res }, context: {} }).catch((error: Error) => {
      res.statusCode = 500
      res.end(error.message)
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  t.teardown(async () => {
    server.close()
    for (const close of closing) await close()
  })
  const m = await host.instance()
  const { id } = await m.users.create({ email: 'ada@example.com', verified: true })
  await m.users.grant({ memberId: id, gate: 'pro' })
  const site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return (path: string, user?: string, accept = 'text/html') =>
    fetch(`${site}${path}`, { headers: { accept, ...(user === undefined ? {} : { 'x-user': user }) } })
}

test('Nuxt: our routes are answered, and every other one has the visitor', async (t) => {
  const ask = await serve(t, async ({ node, context }) => {
    const { gates } = await context.membershipPage.visitor()
    node.res.end(JSON.stringify([context.membership.allows('pro'), gates.includes('pro')]))
  })
  t.deepEqual(await (await ask('/')).json(), [false, false])
  const read = await ask('/', 'ada@example.com')
  t.deepEqual(await read.json(), [true, true])
  t.is(read.headers.get('cache-control'), 'private, no-store')
  t.regex(await (await ask('/membership/prices')).text(), /pro_monthly|€9/)
  const asked = await (await ask('/membership/me', 'ada@example.com', 'application/json')).json()
  t.is((asked as { member: { email: string } }).member.email, 'ada@example.com')
})

test('Nuxt: a closed page is answered before anything of it is shown, whatever happens then', async (t) => {
  const pages: Record<string, (event: NuxtEvent & { context: Context }) => Promise<unknown>> = {
    '/archive': async ({ node, context }) => {
      await context.membershipPage.enter('pro')
      return node.res.end('The archive.')
    },
    // Nuxt goes on with its page for errors.
    '/caught': async ({ node, context }) => {
      await context.membershipPage.enter('pro').catch(() => undefined)
      return node.res.writableEnded || node.res.end('The archive.')
    },
    '/endpoint': async (event) => {
      const answer = await gated('pro', () => 'The archive.')(event)
      return answer === undefined || event.node.res.end(answer)
    },
  }
  const ask = await serve(t, async (event) => pages[event.path]?.(event))
  for (const path of Object.keys(pages)) {
    for (const user of [undefined, 'bob@example.com']) {
      const closed = await ask(path, user)
      t.is(closed.status, 403, path)
      const text = await closed.text()
      t.true(text.includes('<html') && !text.includes('The archive.'), text)
      t.is(closed.headers.get('cache-control'), 'private, no-store')
      const problem = await ask(path, user, 'application/json')
      t.is(problem.status, 403)
      t.regex(problem.headers.get('content-type') ?? '', /problem\+json/)
    }
    const read = await ask(path, 'ada@example.com')
    t.is(await read.text(), 'The archive.', path)
    t.is(read.headers.get('cache-control'), 'private, no-store')
  }
})

test('Nuxt: an endpoint with free pages counts them', async (t) => {
  const endpoint = gated('pro', () => 'The archive.', { free: 1, every: '30d' })
  const ask = await serve(t, async (event) => {
    const answer = await endpoint(event)
    return answer === undefined || event.node.res.end(answer)
  })
  t.is((await ask('/one', 'bob@example.com')).status, 200)
  t.is((await ask('/one', 'bob@example.com')).status, 200)
  t.is((await ask('/two', 'bob@example.com')).status, 403)
})

test('Nuxt: a route whose answer Nitro keeps for everybody may not ask who is there', async (t) => {
  const ask = await serve(t, async ({ path, node, context }) => {
    context.cache = {}
    if (path === '/view') context.membership.allows('pro')
    if (path === '/gate') await context.membershipPage.enter('pro')
    if (path === '/visitor') await context.membershipPage.visitor()
    node.res.end('The archive.')
  })
  for (const path of ['/view', '/gate', '/visitor']) {
    const answer = await ask(path, 'ada@example.com')
    t.is(answer.status, 500)
    t.regex(await answer.text(), /keeps its answer for everybody/)
  }
  t.is((await ask('/open')).status, 200)
})

test('Nuxt: a page that is written at build time asks for nobody, and has no gate', async (t) => {
  const ask = async (page: (context: Context) => unknown) => {
    const nitro = {
      h3App: { handler: async (event: NuxtEvent): Promise<unknown> => page(event.context as Context) },
      hooks: { hook: () => undefined },
    }
    prerendering(nitro)
    return nitro.h3App.handler({ path: '/archive', node: {} as NuxtEvent['node'], context: {} })
  }
  t.is(await ask(() => 'About.'), 'About.')
  await t.throwsAsync(
    ask((context) => context.membership),
    { message: /prerendered page has no visitor/ },
  )
  await t.throwsAsync(
    ask((context) => context.membershipPage.enter('pro')),
    { message: /\/archive has a gate, but it is prerendered/ },
  )
})

test('Nuxt: the built server has every package that ours loads by its name', (t) => {
  const hooks = new Map<string, (given: never) => void>()
  const options = { rootDir: root, buildDir: join(root, '.nuxt'), build: { templates: [] }, nitro: {} }
  nuxtModule({}, { options, hook: (event, listener) => hooks.set(event, listener) })
  const config = { externals: { inline: ['vue', 'membership'] as unknown[], traceInclude: [] as string[] } }
  hooks.get('nitro:config')?.(config as never)
  t.deepEqual(config.externals.inline, ['vue'])
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(root, 'src', name), 'utf8'))
  const named = sources.flatMap((text) => [
    ...text.matchAll(/\b(?:loadFromSite|loadOwn|resolveFromSite)\('([^'/]+)/g),
  ])
  t.true(named.length > 5)
  for (const [, name = ''] of named)
    t.true(
      config.externals.traceInclude.some((path) => path.includes(`/node_modules/${name}/`)),
      name,
    )
})

test('Nuxt: the configuration is found by its name without the ending', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'membership-nuxt-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'membership.config.ts'), 'export default {}')
  for (const [config, file] of [
    [undefined, 'membership.config.ts'],
    ['./membership.config.ts', 'membership.config.ts'],
    ['./other', 'other'],
  ] as const) {
    const templates: { filename: string; write: true; getContents: () => string }[] = []
    const options = { rootDir: folder, buildDir: join(folder, '.nuxt'), build: { templates }, nitro: {} }
    nuxtModule(config === undefined ? {} : { config }, { options, hook: () => {} })
    t.true(templates[0]?.getContents().includes(`from ${JSON.stringify(join(folder, file))}\n`))
  }
})
