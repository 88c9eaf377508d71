import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import express from 'express'
import Koa from 'koa'
import { createMembership, type MembershipOptions } from '../../../src/index.ts'
import { allDatabases } from '../../support/databases.ts'
import { clientOf, startIndex } from '../../support/index-host.ts'
import { kirbyPage, startWeb } from '../../support/web.ts'
import { picture } from './support.ts'

const settings: MembershipOptions = {
  install: false,
  root: false,
  log: () => {},
  'membership.database.url': 'sqlite::memory:',
  'membership.reports.system': 'kirby',
  'membership.reports.contact': 'index@operator.example',
  'membership.reports.crawl.enabled': false,
}
const openInstance = async (t: ExecutionContext, more: MembershipOptions = {}) => {
  const m = await createMembership({ ...settings, ...more })
  t.teardown(() => m.close())
  const { id } = await m.reports.partners.add({ name: 'Ann', email: 'ann@partner.example' })
  return { m, key: (await m.reports.keys.issue(id)).key }
}
const listen = async (t: ExecutionContext, handler: Parameters<typeof createServer>[1]) => {
  const server = createServer(handler).listen(0, '127.0.0.1')
  await new Promise((done) => server.once('listening', done))
  t.teardown(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
const statusOf = async (site: string, path: string, key?: string) =>
  (await fetch(site + path, { headers: key === undefined ? {} : { 'X-API-KEY': key } })).status

test('mounted alone, the rest of the package is not there', async (t) => {
  const { m, key } = await openInstance(t)
  const site = await listen(t, new Koa().use(m.reports.routes()).callback())
  t.is(await statusOf(site, '/reports', key), 200)
  t.is(await statusOf(site, '/reports'), 401)
  t.is(await statusOf(site, '/membership/webhooks/stripe'), 404)
  t.is(await statusOf(site, '/reportsx'), 404)
})

test('mounted with everything else, on Koa, Express, plain Node and web-standard servers', async (t) => {
  const { m, key } = await openInstance(t, { 'membership.providers.stripe.webhook': 'whsec_test' })
  const koa = await listen(t, new Koa().use(m.koa()).callback())
  const app = express()
  app.use(m.listener())
  app.get('/own', (_, response) => void response.send('own'))
  const onExpress = await listen(t, app)
  const node = await listen(t, m.listener())
  for (const site of [koa, onExpress, node]) {
    t.is(await statusOf(site, '/reports?expand=1', key), 200)
    t.is(await statusOf(site, '/reports/docs'), 200)
    t.is(await statusOf(site, '/reports'), 401)
    t.is(await statusOf(site, '/membership/webhooks/nobody'), 404)
  }
  t.is(await statusOf(onExpress, '/own'), 200)
  const answer = await m.fetch(new Request('http://index.example/reports', { headers: { 'X-API-KEY': key } }))
  t.is(answer.status, 200)
})

test('two instances of one process do not see each other', async (t) => {
  const [one, two] = [await openInstance(t), await openInstance(t)]
  const site = await listen(t, new Koa().use(one.m.reports.routes()).callback())
  t.is(await statusOf(site, '/reports', one.key), 200)
  t.is(await statusOf(site, '/reports', two.key), 401)
})

test('without a system there is no index, and whoever wants one is told what to set', async (t) => {
  const m = await createMembership({ ...settings, 'membership.reports.system': null })
  t.teardown(() => m.close())
  t.throws(() => m.reports.routes(), { code: 'ERR_CONFIG', message: /membership\.reports\.system/ })
  t.throws(() => m.reports.partners, { code: 'ERR_CONFIG' })
  const app = new Koa().use(m.koa()).use((ctx) => {
    ctx.body = 'the host’s own'
  })
  const site = await listen(t, app.callback())
  t.is(await (await fetch(`${site}/reports`)).text(), 'the host’s own')
})

test('an unknown system and a missing contact are said with what to do', async (t) => {
  await t.throwsAsync(createMembership({ ...settings, 'membership.reports.system': 'kirbi' }), {
    code: 'ERR_CONFIG',
    message: /kirbi.*kirby/,
  })
  await t.throwsAsync(createMembership({ ...settings, 'membership.reports.contact': null }), {
    code: 'ERR_CONFIG',
    message: /contact/,
  })
})

test('a site brings fingerprints of its own, in the place of ours where they have the same name', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'membership-site-'))
  t.teardown(() => rm(root, { recursive: true, force: true }))
  await mkdir(join(root, 'config', 'fingerprints'), { recursive: true })
  const rules =
    'name: Acme\nrules:\n  - { channel: meta, contains: generator=acme, pattern: "^generator=acme ([0-9.]+)", weight: 100, version: true }\n'
  await writeFile(join(root, 'config', 'fingerprints', 'acme.yml'), rules)
  const web = await startWeb({
    'a.example': { '/': '<meta name="generator" content="Acme 2.1">' },
    'b.example': { '/': kirbyPage() },
  })
  t.teardown(web.close)
  const { m } = await openInstance(t, {
    root,
    'membership.reports.system': 'acme',
    'membership.reports.crawl.pause_seconds': 0,
    reports: web.options,
  })
  const found = (await m.reports.detect('http://a.example/')).finding
  t.is(found.kind, 'listed')
  if (found.kind === 'listed') t.is(found.detection.version, '2.1')
  const other = await m.reports.detect('http://b.example/')
  t.is(other.other?.name, 'Kirby', 'which other system it is')
})

for (const open of allDatabases)
  test.serial(`${open.name}: a partner’s whole way`, async (t) => {
    const database = await open()
    const web = await startWeb({
      'a.example': { '/': kirbyPage('Alpha') },
      'b.example': { '/': kirbyPage('Beta') },
    })
    const index = await startIndex(web, { url: await database.url() })
    t.teardown(async () => {
      await index.close()
      await web.close()
      await database.close()
    })
    const ann = await index.partner('ann')
    const again = clientOf(index.site, ann.key)
    const added = await ann.add('http://a.example/', { 'Idempotency-Key': '"one"' })
    t.is(added.status, 201)
    t.is((await again.add('http://a.example/', { 'Idempotency-Key': '"one"' })).status, 201)
    const { id } = ((await added.json()) as { data: { id: string } }).data
    t.is((await ann.refresh(id)).status, 200)
    const uploaded = (await (await ann.upload(id, await picture())).json()) as {
      data: { preview: { url: string; bytes: number } }
    }
    t.is(
      (await (await fetch(uploaded.data.preview.url)).arrayBuffer()).byteLength,
      uploaded.data.preview.bytes,
    )
    const list = await ann.ask(
      'POST',
      '/reports/imports',
      { 'content-type': 'text/plain' },
      'http://b.example/\nhttp://a.example/\n',
    )
    t.is(list.status, 202)
    await index.m.work()
    const lines = (await (
      await ann.ask('GET', new URL(list.headers.get('location') ?? '').pathname)
    ).json()) as { data: { lines: { outcome: string }[] } }
    t.deepEqual(
      lines.data.lines.map(({ outcome }) => outcome),
      ['added', 'existing'],
    )
    t.is(((await (await ann.list('?expand=1')).json()) as { data: unknown[] }).data.length, 2)
    t.is((await ann.remove(id)).status, 204)
    t.is((await ann.read(id)).status, 404)
    t.like(await index.m.reports.crawl.status(), { websites: { listed: 1 } })
    t.true((await index.m.reports.audit.list()).length >= 6)
  })
