import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import membership, { astroHost } from '../../src/entries/astro.ts'
import { reactRouterHost } from '../../src/entries/react-router.ts'
import { svelteKitHost } from '../../src/entries/sveltekit.ts'
import { createMembership, type Membership, type MembershipOptions } from '../../src/index.ts'

function open(options: MembershipOptions = {}): Promise<Membership> {
  return createMembership({
    'membership.database.url': 'sqlite::memory:',
    'membership.provider.handler': 'sandbox',
    'membership.providers.sandbox.plans': {
      pro: { prices: [{ id: 'pro_monthly', amount: 900, currency: 'EUR', interval: 'month' }] },
      basic: { prices: [{ id: 'basic_monthly', amount: 300, currency: 'EUR', interval: 'month' }] },
    },
    'membership.compare.automatic': false,
    install: false,
    root: false,
    log: () => {},
    identify: ({ headers }) =>
      headers.get('x-user') === null ? null : { email: headers.get('x-user') ?? '' },
    ...options,
  })
}

function closing(t: ExecutionContext, instance: () => Promise<Membership>) {
  return t.teardown(async () => (await instance()).close())
}

/** An event as SvelteKit makes it: the data of a page has the page's address in `url`. */
function eventOf(id: string, { user, data = false }: { user?: string; data?: boolean } = {}) {
  const path = id.replaceAll(/\/\([^)]*\)/g, '')
  return {
    request: new Request(`https://example.com${path}${data ? '/__data.json' : ''}`, {
      headers: { accept: 'text/html', ...(user === undefined ? {} : { 'x-user': user }) },
    }),
    url: new URL(path, 'https://example.com'),
    locals: {} as App.Locals,
    route: { id },
    isDataRequest: data,
    getClientAddress: () => '192.0.2.1',
  }
}
async function page() {
  return new Response('The archive.', { headers: { 'content-type': 'text/html' } })
}

test('SvelteKit: the gate of a folder closes pages and their data, for everybody but its members', async (t) => {
  const host = svelteKitHost(open, { gates: { '/(members)': 'pro' } })
  closing(t, host.instance)
  const m = await host.instance()
  const { id } = await m.users.create({ email: 'ada@example.com', verified: true })
  await m.users.grant({ memberId: id, gate: 'pro' })
  const answerTo = (event: ReturnType<typeof eventOf>) => host.handle({ event, resolve: page })
  for (const data of [false, true])
    for (const user of [undefined, 'bob@example.com']) {
      const answer = await answerTo(eventOf('/(members)/archive', { user, data }))
      t.is(answer.status, 403)
      t.false((await answer.text()).includes('The archive.'))
    }
  const failed = await answerTo(eventOf('/(members)/archive', { data: true }))
  t.deepEqual(await failed.json(), { message: 'This page is for members.' })
  for (const data of [false, true]) {
    const answer = await answerTo(eventOf('/(members)/archive', { user: 'ada@example.com', data }))
    t.is(answer.status, 200)
    t.is(answer.headers.get('cache-control'), 'private, no-store')
  }
  t.is((await answerTo(eventOf('/(membership-news)/open'))).status, 200, 'another folder is open')
})

test('SvelteKit: the inner gate counts, and an endpoint has one of its own', async (t) => {
  const host = svelteKitHost(open, { gates: { '/news': 'pro', '/news/short': 'basic' } })
  closing(t, host.instance)
  const m = await host.instance()
  const { id } = await m.users.create({ email: 'ada@example.com', verified: true })
  await m.users.grant({ memberId: id, gate: 'basic' })
  const statusOf = async (route: string) =>
    (await host.handle({ event: eventOf(route, { user: 'ada@example.com' }), resolve: page })).status
  t.is(await statusOf('/news/[slug]'), 403)
  t.is(await statusOf('/news/short/[slug]'), 200)
  const endpoint = host.gated('pro', page)
  const asked = eventOf('/export', { user: 'ada@example.com' })
  t.is((await host.handle({ event: asked, resolve: endpoint })).status, 403)
})

test('SvelteKit: a page and its data count once against free pages', async (t) => {
  const host = svelteKitHost(open)
  closing(t, host.instance)
  const endpoint = host.gated('pro', page, { free: 1, every: '30d' })
  const read = async (route: string, data: boolean) =>
    (await host.handle({ event: eventOf(route, { user: 'ada@example.com', data }), resolve: endpoint }))
      .status
  t.is(await read('/one', false), 200)
  t.is(await read('/one', true), 200)
  t.is(await read('/two', true), 403)
})

test('SvelteKit: two endpoints with the same gates keep their own terms', async (t) => {
  const host = svelteKitHost(open)
  closing(t, host.instance)
  const byPath = host.gated('pro', page, { free: 1, every: '30d', page: ({ pathname }) => pathname })
  const allOne = host.gated('pro', page, { free: 1, every: '30d', page: () => 'one' })
  const read = async (route: string, resolve: typeof byPath) =>
    (await host.handle({ event: eventOf(route, { user: 'ada@example.com' }), resolve })).status
  t.is(await read('/one', allOne), 200)
  t.is(await read('/two', allOne), 200, 'it is the same page there')
  t.is(await read('/two', byPath), 403)
})

test('SvelteKit: a page that is written at build time opens nothing, asks for nobody, and has no gate', async (t) => {
  let opened = 0
  const host = svelteKitHost(
    () => {
      opened++
      return open()
    },
    { gates: { '/archive': 'pro' } },
  )
  const building = (id: string) => ({
    ...eventOf(id),
    getClientAddress: (): string => {
      throw new Error('Cannot read clientAddress during prerendering')
    },
  })
  const about = building('/about')
  t.is(await (await host.handle({ event: about, resolve: page })).text(), 'The archive.')
  t.throws(() => about.locals.membership, { message: /prerendered page has no visitor/ })
  await t.throwsAsync(host.handle({ event: building('/archive'), resolve: page }), {
    message: /\/archive has a gate, but it is prerendered/,
  })
  t.is(opened, 0)
})

function contextOf(routePattern: string, user?: string) {
  return {
    request: new Request(`https://example.com${routePattern}`, {
      headers: { accept: 'text/html', ...(user === undefined ? {} : { 'x-user': user }) },
    }),
    locals: {} as App.Locals,
    routePattern,
    isPrerendered: false,
    clientAddress: '192.0.2.1',
  }
}

test('Astro: the middleware sets the view and closes the routes below a gate', async (t) => {
  const host = astroHost(open, { gates: { '/archive': 'pro' } })
  closing(t, host.instance)
  const m = await host.instance()
  const { id } = await m.users.create({ email: 'ada@example.com', verified: true })
  await m.users.grant({ memberId: id, gate: 'pro' })
  const home = contextOf('/')
  t.is((await host.onRequest(home, page)).status, 200)
  t.false(home.locals.membership.allows('pro'))
  t.is((await host.onRequest(contextOf('/archive/[slug]'), page)).status, 403)
  t.is((await host.onRequest(contextOf('/archive', 'bob@example.com'), page)).status, 403)
  t.is((await host.onRequest(contextOf('/archive', 'ada@example.com'), page)).status, 200)
  t.is((await host.onRequest(contextOf('/membership/prices'), page)).status, 200)
  t.is(
    (
      await host.onRequest(contextOf('/export', 'bob@example.com'), async () =>
        host.gated('pro', page)(contextOf('/export')),
      )
    ).status,
    403,
  )
})

test('Astro: a page that is written at build time opens nothing, and a gated one ends the build', async (t) => {
  const host = astroHost(() => Promise.reject(new Error('it was opened')))
  const about = { ...contextOf('/about'), isPrerendered: true }
  t.is((await host.onRequest(about, page)).status, 200)
  t.throws(() => about.locals.membership, { message: /prerendered page has no visitor/ })
  const resolved = membership({ gates: { '/archive': 'pro' } }).hooks['astro:routes:resolved']
  t.notThrows(() =>
    resolved({
      routes: [
        { pattern: '/archive', isPrerendered: false },
        { pattern: '/about', isPrerendered: true },
      ],
    }),
  )
  t.throws(() => resolved({ routes: [{ pattern: '/archive/[slug]', isPrerendered: true }] }), {
    message: /\/archive\/\[slug\] has a gate, but it is prerendered/,
  })
})

test('React Router: a gate closes a page and its data, and ends in an answer or in a thrown one', async (t) => {
  const host = reactRouterHost(open)
  closing(t, host.instance)
  const m = await host.instance()
  const { id } = await m.users.create({ email: 'ada@example.com', verified: true })
  await m.users.grant({ memberId: id, gate: 'pro' })
  const gate = host.gate('pro')
  const ask = (accept: string, user?: string) => {
    const headers = { accept, ...(user === undefined ? {} : { 'x-user': user }) }
    const request = new Request('https://example.com/archive', { headers })
    return host.middleware({ request }, () => gate({ request }, page))
  }
  t.is((await ask('text/html')).status, 403)
  const thrown = await ask('*/*', 'bob@example.com').catch((error: unknown) => error)
  t.is((thrown as Response).status, 403)
  const read = await ask('*/*', 'ada@example.com')
  t.is(await read.text(), 'The archive.')
  t.is(read.headers.get('cache-control'), 'private, no-store')
})

test('SvelteKit: a key of gates closes a page in a group by its address, and one that is no route is refused', async (t) => {
  const routes = ['/', '/(members)', '/(members)/archive', '/(members)/archive/[slug]', '/about']
  const at = (id: string, path: string, data = false) => ({
    ...eventOf(id, { data }),
    url: new URL(path, 'https://example.com'),
  })
  for (const key of ['/archive', '/archive/', 'archive', '/(members)/archive/', '/(members)']) {
    const host = svelteKitHost(open, { gates: { [key]: 'pro' }, routes })
    closing(t, host.instance)
    for (const data of [false, true]) {
      const event = at('/(members)/archive/[slug]', '/archive/one', data)
      t.is((await host.handle({ event, resolve: page })).status, 403, key)
    }
    t.is((await host.handle({ event: at('/about', '/about'), resolve: page })).status, 200, key)
  }
  for (const [key, nearest] of [
    ['/arhive', '/archive'],
    ['/(member)', '/(members)'],
    ['/nowhere/at/all', null],
  ] as const)
    t.throws(() => svelteKitHost(open, { gates: { [key]: 'pro' }, routes }), {
      message:
        nearest === null
          ? /is no route of this site, and closes nothing\.$/
          : `membership: "${key}" in gates is no route of this site, and closes nothing. Did you mean "${nearest}"?`,
    })
})

test('SvelteKit: the routes of a project are read from its folder', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'kit-'))
  const before = process.cwd()
  t.teardown(async () => {
    process.chdir(before)
    await rm(folder, { recursive: true })
  })
  await mkdir(join(folder, 'src/routes/(members)/archive/[slug]'), { recursive: true })
  process.chdir(folder)
  t.notThrows(() => svelteKitHost(open, { gates: { '/archive': 'pro', '/(members)/archive/[slug]': 'pro' } }))
  t.throws(() => svelteKitHost(open, { gates: { '/archives': 'pro' } }), {
    message: /Did you mean "\/archive"/,
  })
})

for (const name of ['SvelteKit', 'Astro'])
  test(`${name}: where routes are not known, a key closes what it matches and what is below its fixed beginning`, async (t) => {
    const gates = {
      '/archive': 'pro',
      '/posts/[slug]': 'pro',
      '/[lang]/shop': 'pro',
      '/docs/[...rest]': 'pro',
    } as const
    const kit = svelteKitHost(open, { gates })
    const astro = astroHost(open, { gates })
    closing(t, kit.instance)
    closing(t, astro.instance)
    const statusOf = async (path: string) => {
      // The pattern is one that no key names.
      const request = new Request(`https://example.com${path}`, { headers: { accept: 'text/html' } })
      const event = { ...eventOf('/(x)/other'), request, url: new URL(request.url) }
      const context = { ...contextOf('/(x)/other'), request }
      const answer =
        name === 'SvelteKit' ? kit.handle({ event, resolve: page }) : astro.onRequest(context, page)
      return (await answer).status
    }
    for (const path of [
      '/archive',
      '/archive/',
      '/archive/one',
      '/%61rchive',
      '/posts/one',
      '/posts',
      '/de/shop',
      '/de/shop/cart',
      '/docs',
      '/docs/a/b',
    ])
      t.is(await statusOf(path), 403, path)
    for (const path of ['/', '/archives', '/shop', '/de/blog', '/doc']) t.is(await statusOf(path), 200, path)
  })

test('Astro: a key of gates that is no route ends the build, with the nearest one', (t) => {
  const resolved = (key: string) =>
    membership({ gates: { [key]: 'pro' } }).hooks['astro:routes:resolved']({
      routes: [
        { pattern: '/archive', isPrerendered: false },
        { pattern: '/archive/[slug]', isPrerendered: false },
      ],
    })
  for (const key of ['/archive', '/archive/', '/archive/[slug]']) t.notThrows(() => resolved(key), key)
  t.throws(() => resolved('/archvie'), {
    message: /"\/archvie" in gates is no route.*Did you mean "\/archive"/,
  })
})
