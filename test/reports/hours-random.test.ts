import test, { type ExecutionContext } from 'ava'
import fc from 'fast-check'
import { createLeaving } from '../../src/core/storage/index.ts'
import { oldVisits } from '../../src/reports/statements/leaving-statements.ts'
import { settings } from '../support/converge.ts'
import { postgresDatabases, sqliteDatabases, type TestDatabase } from '../support/databases.ts'
import { createClock, type Index, startIndex } from '../support/index-host.ts'
import { kirbyPage, startWeb, type Web } from '../support/web.ts'
import { createModel, type Model } from './hours-model.ts'

const start = '2026-03-01T10:20:30.000Z'
const hourMs = 3_600_000

const by = fc.constantFrom(0, 1)
const site = fc.constantFrom(0, 1, 2)
const who = fc.constantFrom('ann', 'bob')
const move = fc.oneof(
  fc.constantFrom(1, 60_000, 29 * 60_000, hourMs, 2 * hourMs),
  fc.constantFrom(-60_000, -40 * 60_000, -hourMs, -3 * hourMs),
)
const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('add' as const), by, site, who, isLater: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('refresh' as const), by, site, who }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), by, site, who }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('relink' as const), by, site, who }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('crawl' as const), by, site }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('move' as const), ms: move }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('full-hour' as const), before: fc.constantFrom(0, 1) }),
  },
  // One of the two processes may have an answer ready from before; it must be the other's as well.
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('read' as const),
      by,
      key: fc.constantFrom('ann', 'ann2', 'bob'),
    }),
  },
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

interface World {
  readonly web: Web
  readonly clock: ReturnType<typeof createClock>
  readonly instances: readonly [Index, Index]
  runs: number
}
async function openWorld(database: TestDatabase): Promise<World> {
  const web = await startWeb()
  const clock = createClock(start)
  const shared = {
    url: await database.url(),
    now: clock.now,
    'membership.url': 'http://index.example',
    'membership.reports.limit_unchanged': 100_000,
    'membership.reports.limit': 100_000,
  }
  return { web, clock, instances: [await startIndex(web, shared), await startIndex(web, shared)], runs: 0 }
}

/** One sequence from the beginning, with partners and websites of its own. */
async function play(world: World, steps: readonly Step[]): Promise<void> {
  const { web, clock, instances } = world
  const run = ++world.runs
  clock.set(start)
  await forgetPauses(instances[0])
  const [ann, bob] = [await instances[0].partner(`ann${run}`), await instances[0].partner(`bob${run}`)]
  const { key: second } = await instances[0].m.reports.keys.issue(ann.id)
  const keys = { ann: ann.key, ann2: second, bob: bob.key }
  const model = createModel(['ann', 'bob'])
  const player = createPlayer({ world, model, keys, partnerIds: { ann: ann.id, bob: bob.id }, run })
  const hourNow = () => Math.floor(clock.now().getTime() / hourMs)
  model.clock(hourNow())
  for (const step of steps) {
    if (step.do === 'move') {
      clock.move(step.ms)
      if (step.ms < 0) await forgetPauses(instances[0])
    } else if (step.do === 'full-hour')
      clock.set(new Date((hourNow() + 1) * hourMs - step.before).toISOString())
    else await player[step.do](step as never)
    model.clock(hourNow())
  }
  for (const key of ['ann', 'ann2', 'bob'] as const) await player.compare(key)
  for (const name of player.hosts) delete web.hosts[name]
}

// A clock that stands still never comes to the end of a pause that began later.
function forgetPauses({ m }: Index): Promise<number> {
  return createLeaving(m.storage, oldVisits)('9999')
}

function createPlayer(deps: {
  world: World
  model: Model
  keys: Record<'ann' | 'ann2' | 'bob', string>
  partnerIds: Record<'ann' | 'bob', string>
  run: number
}) {
  const { world, model, keys, partnerIds, run } = deps
  const { web, instances } = world
  const hosts = [0, 1, 2].map((n) => `run${run}-site${n}.example`)
  const titles = hosts.map((host) => `${host} 0`)
  hosts.forEach((host, n) => {
    web.hosts[host] = {
      '/': (_, r) => void r.writeHead(200, { 'content-type': 'text/html' }).end(kirbyPage(titles[n])),
    }
  })
  const ids = new Map<string, string>()
  let changes = 0
  const change = (n: number): string => (titles[n] = `${hosts[n]} ${++changes}`)
  const ask = async (at: number, key: string, method: string, path: string, headers = {}) => {
    const answer = await fetch(instances[at]!.site + path, {
      method,
      headers: { 'X-API-KEY': key, ...headers },
    })
    return { status: answer.status, etag: answer.headers.get('etag') ?? '', text: await answer.text() }
  }
  const expect = (what: string, got: unknown, wanted: unknown): void => {
    if (JSON.stringify(got) !== JSON.stringify(wanted))
      throw new Error(`${what}: ${JSON.stringify(got)} in place of ${JSON.stringify(wanted)}`)
  }

  const known = new Map<string, { etag: string; state: string | null; text: string }>()
  const texts = new Map<string, string>()

  const readBoth = async (key: 'ann' | 'ann2' | 'bob', path: string) => {
    const [a, b] = await Promise.all([0, 1].map((at) => ask(at, keys[key], 'GET', path)))
    expect(`both processes at ${path}`, [b!.etag, b!.text], [a!.etag, a!.text])
    const partner = key === 'bob' ? 'bob' : 'ann'
    const name = `${partner} ${path} ${a!.etag}`
    expect(`the bytes of one ETag at ${path}`, a!.text, texts.get(name) ?? a!.text)
    texts.set(name, a!.text)
    const before = known.get(`${partner} ${path}`)
    const state = model.state(partner)
    if (before && a!.status === 200) {
      const again = await ask(1, keys[key], 'GET', path, { 'If-None-Match': before.etag })
      expect(`304 at ${path}`, again.status, before.text === a!.text && before.etag === a!.etag ? 304 : 200)
      if (state !== null && before.state !== null)
        expect(`304 by the rule at ${path}`, again.status, before.state === state ? 304 : 200)
    }
    if (a!.status === 200) known.set(`${partner} ${path}`, { ...a!, state })
    return a!
  }

  const compare = async (key: 'ann' | 'ann2' | 'bob'): Promise<void> => {
    const partner = key === 'bob' ? 'bob' : 'ann'
    const view = model.view(partner)
    const list = await readBoth(key, '/reports')
    const shown = (JSON.parse(list.text) as { data: { host: string; title: string }[] }).data
    expect('websites', shown.map(({ host }) => host).sort(), [...view.keys()].sort())
    for (const { host, title } of shown) {
      if (!view.get(host)!.includes(title)) expect(`the title of ${host}`, title, view.get(host))
      const item = await readBoth(key, `/reports/${ids.get(host)}`)
      expect('list and read', (JSON.parse(item.text) as { data: { title: string } }).data.title, title)
    }
    for (const [host, id] of ids)
      if (!view.has(host)) expect('another’s', (await readBoth(key, `/reports/${id}`)).status, 404)
  }

  return {
    hosts,
    compare,
    read: async ({ by, key }: { by: number; key: 'ann' | 'ann2' | 'bob' }) => {
      await ask(by, keys[key], 'GET', '/reports')
      await compare(key)
    },
    add: async ({
      by,
      site,
      who,
      isLater,
    }: {
      by: number
      site: number
      who: 'ann' | 'bob'
      isLater: boolean
    }) => {
      const host = hosts[site]!
      const owner = model.ownerOf(host)
      const headers = isLater ? { Prefer: 'respond-async' } : {}
      const answer = await ask(by, keys[who], 'POST', `/reports?url=http://${host}/`, headers)
      const fresh = isLater ? 202 : 201
      expect('adding', answer.status, owner === undefined ? fresh : owner === who ? 200 : 409)
      if (owner !== undefined) return
      const { id } = (JSON.parse(answer.text) as { data: { id: string } }).data
      ids.set(host, id)
      for (let tries = 0; tries < 400; tries++) {
        const { data } = JSON.parse((await ask(by, keys[who], 'GET', `/reports/${id}`)).text)
        if (data.status === 'listed') break
        await new Promise((done) => setTimeout(done, 5))
      }
      model.add(host, who, titles[site]!)
      await compare(who)
    },
    refresh: async ({ by, site, who }: { by: number; site: number; who: 'ann' | 'bob' }) => {
      const host = hosts[site]!
      const title = change(site)
      const answer = await ask(by, keys[who], 'PATCH', `/reports/${ids.get(host) ?? 'rpt_none'}`)
      expect('refreshing', answer.status, model.ownerOf(host) === who ? 200 : 404)
      if (answer.status === 200) model.refresh(host, title)
    },
    remove: async ({ by, site, who }: { by: number; site: number; who: 'ann' | 'bob' }) => {
      const host = hosts[site]!
      const answer = await ask(by, keys[who], 'DELETE', `/reports/${ids.get(host) ?? 'rpt_none'}`)
      expect('deleting', answer.status, model.ownerOf(host) === who ? 204 : 404)
      if (answer.status === 204) model.remove(host)
    },
    relink: async ({ by, site, who }: { by: number; site: number; who: 'ann' | 'bob' }) => {
      const host = hosts[site]!
      const { operator } = instances[by]!.m.reports
      const { lines } = await operator.relink(`http://${host}/`, partnerIds[who], { write: true })
      const owner = model.ownerOf(host)
      expect(
        'linking',
        lines[0]!.outcome,
        owner === undefined ? 'not-found' : owner === who ? 'already-linked' : 'reassigned',
      )
      if (owner !== undefined) model.link(host, who)
    },
    crawl: async ({ by, site }: { by: number; site: number }) => {
      const host = hosts[site]!
      if (model.ownerOf(host) === undefined) return
      const title = change(site)
      const { crawl } = instances[by]!.m.reports
      await crawl.retry(`http://${host}/`)
      expect('crawled', (await crawl.run()).listed, 1)
      model.crawl(host, title)
    },
  }
}

const cases: readonly { name: string; runs: number; open(): Promise<TestDatabase> }[] = [
  { name: 'sqlite', runs: 60, open: sqliteDatabases },
  { name: 'postgres', runs: 15, open: postgresDatabases },
]
for (const { name, runs, open } of cases)
  test.serial(
    `${name}: in any order of events, both processes show what the rule says`,
    async (t: ExecutionContext) => {
      const wanted = settings<[Step[]]>(runs)
      const database = await open()
      const world = await openWorld(database)
      t.teardown(async () => {
        for (const instance of world.instances) await instance.close()
        await world.web.close()
        await database.close()
      })
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 25, size: 'max' }), (steps) =>
          play(world, steps),
        ),
        wanted,
      )
      t.true(world.runs >= wanted.numRuns!)
    },
  )
