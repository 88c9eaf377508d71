import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { createMembership } from '../../../src/index.ts'
import { startSite } from '../../../src/site/runtime/start.ts'
import { type LeakFixture, openLeakySite, readLeakFixture } from '../../support/leaky-site.ts'

async function audit(
  t: ExecutionContext,
  fixture: LeakFixture,
  options: Parameters<typeof openLeakySite>[2] = {},
) {
  const opened = await openLeakySite(t, fixture, options)
  const report = await opened.m.operator.leaks({ site: opened.site, pauseMs: 0, ...fixture.audit })
  const found = report.leaks.map(
    ({ kind, url, reader }) => `${kind} ${url.slice(opened.site.length)} ${reader}`,
  )
  return { ...opened, report, found }
}
function planted({ leaks }: LeakFixture) {
  return leaks.map(({ kind, at, reader = 'nobody' }) => `${kind} ${at} ${reader}`).sort()
}

/** The same site without its leaks: the teaser where closed text leaked, closed files, and private pages. */
function cleanTwin(fixture: LeakFixture): LeakFixture {
  const teased = (body: string) => body.replace(/\{\{(?!teaser|free)\w+(:\w+)?\}\}/g, '{{teaser$1}}')
  const routes = Object.entries(fixture.routes).map(([path, route]) => {
    const { body, headers: _, ...member } = route.member ?? { body: '' }
    const own = body.replace(/<script>.*?<\/script>/gs, teased)
    return [
      path,
      {
        ...route,
        body: teased(route.body),
        ...(/^image|pdf/.test(route.type ?? '') ? { status: 403 } : {}),
        ...(route.member
          ? { member: { ...member, body: own, headers: { 'cache-control': 'private' } } }
          : {}),
      },
    ]
  })
  return { ...fixture, routes: Object.fromEntries(routes), leaks: [] }
}

for (const name of ['planted', 'difficult'])
  test(`every leak of ${name}.yml is found, and nothing else; its clean twin has none`, async (t) => {
    const fixture = readLeakFixture(name)
    const { found, report } = await audit(t, fixture)
    t.deepEqual([...found].sort(), planted(fixture))
    for (const { evidence } of report.leaks) t.true(evidence.split(/\s+/).length <= 10, evidence)
    const clean = await audit(t, cleanTwin(fixture))
    t.deepEqual(clean.found, [])
    t.is(clean.report.closed, new Set(Object.values(fixture.routes).filter(({ member }) => member)).size)
  })

test('an audit that takes longer than its keys are good finds the same', async (t) => {
  const fixture = readLeakFixture('planted')
  const { found, asked } = await audit(t, fixture, { secondsPerPage: 40 })
  t.true(asked.length * 40 > 900, 'a quarter of an hour')
  t.deepEqual(found.sort(), planted(fixture))
})

test('the fixtures have a leak of every kind', (t) => {
  const kinds = ['planted', 'difficult'].flatMap((name) =>
    readLeakFixture(name).leaks.map(({ kind }) => kind),
  )
  const [, table] = /## What it finds([\s\S]*?)## What it does/.exec(readFileSync('docs/leaks.md', 'utf8'))!
  const documented = [...table!.matchAll(/^\| ((?:`[\w-]+`(?:, )?)+) \|/gm)].flatMap(([, names]) =>
    [...names!.matchAll(/`([\w-]+)`/g)].map(([, name]) => name),
  )
  t.deepEqual([...new Set(kinds)].sort(), documented.sort())
})

test('teasers, quotations and refused files are no leaks', async (t) => {
  const { found, report } = await audit(t, readLeakFixture('clean'))
  t.deepEqual(found, [])
  t.true(report.closed >= 1)
})

test('only a site with the same secret is read', async (t) => {
  const { site, asked } = await openLeakySite(t, readLeakFixture('clean'))
  const other = await createMembership({
    'membership.database.url': 'sqlite::memory:',
    'membership.secret': 'another secret, which is also long enough',
    install: false,
    root: false,
    log: () => undefined,
  })
  t.teardown(() => other.close())
  await t.throwsAsync(other.operator.leaks({ site, pauseMs: 0 }), { code: 'ERR_REFUSED' })
  await t.throwsAsync(other.operator.leaks({ site: 'not an address' }), { code: 'ERR_USAGE' })
  t.deepEqual(asked, [], 'no page was asked for')
})

test('the key of an audit reads, for minutes, and opens no action', async (t) => {
  const { m, site } = await openLeakySite(t, readLeakFixture('clean'))
  const headers = { 'membership-audit': 'a.b.c', accept: 'application/json' }
  t.notRegex(await (await fetch(`${site}/chapter`, { headers })).text(), /Marta/)
  t.is((await fetch(`${site}/membership/audit/a.b.c`)).status, 404)
  const users = await m.storage.read((db) => db.selectFrom('members').selectAll())
  await m.operator.leaks({ site, pauseMs: 0 })
  t.deepEqual(await m.storage.read((db) => db.selectFrom('members').selectAll()), users)
})

test('the demo leaks nothing, and an audit uses up no free page', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'membership-leaks-'))
  const site = await startSite({ folder, databaseUrl: 'sqlite::memory:', port: 0, host: '127.0.0.1' })
  t.teardown(async () => {
    await site.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const m = site.membership
  const { leaks, closed, isCut } = await m.operator.leaks({ site: site.url, pauseMs: 0 })
  t.deepEqual(leaks, [])
  t.true(closed >= 8, 'an article, the archive, four issues, and the pages about the member')
  t.false(isCut)
  t.deepEqual(await m.storage.read((db) => db.selectFrom('wall_counts').selectAll()), [])
})
