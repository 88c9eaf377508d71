import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import express from 'express'
import Koa from 'koa'
import { createMembership, type Membership, type MembershipOptions } from '../../../src/index.ts'
import { clientOf } from '../../support/index-host.ts'
import { openDocument } from '../../support/openapi.ts'
import { kirbyPage, startWeb, type Web } from '../../support/web.ts'
import { plainJpeg } from '../preview/support.ts'
import { bodyOf, type List, refused } from './support.ts'

async function openWeb(t: ExecutionContext): Promise<Web> {
  const web = await startWeb({ 'a.example': { '/': kirbyPage('Site A') } })
  t.teardown(() => web.close())
  return web
}

function settings(web: Web): MembershipOptions {
  return {
    'membership.reports.system': 'kirby',
    'membership.reports.contact': 'index@operator.example',
    'membership.reports.crawl.enabled': false,
    'membership.reports.crawl.pause_seconds': 0,
    reports: web.options,
  }
}

async function open(t: ExecutionContext, options: MembershipOptions): Promise<Membership> {
  const m = await createMembership({
    install: false,
    root: false,
    log: () => {},
    'membership.database.url': 'sqlite::memory:',
    ...options,
  })
  t.teardown(() => m.close())
  return m
}

async function serve(t: ExecutionContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** What every way of mounting must do. */
async function use(t: ExecutionContext, m: Membership, site: string): Promise<void> {
  const partner = await m.reports.partners.add({ name: 'ann', email: 'ann@partner.example' })
  const { key } = await m.reports.keys.issue(partner.id)
  const { checkAnswer } = await openDocument(site)
  const client = clientOf(site, key)
  await refused(t, await fetch(`${site}/reports`), 401, 'ERR_API_KEY')
  const created = await client.add('http://a.example/')
  await checkAnswer('POST', '/reports', created)
  t.is(created.status, 201)
  const { data } = await bodyOf(created)
  t.is(created.headers.get('location'), `${site}/reports/${data.id}`)
  const uploaded = await client.upload(data.id, await plainJpeg(12, 8))
  await checkAnswer('POST', `/reports/${data.id}`, uploaded)
  const { preview } = (await bodyOf(uploaded)).data
  t.is((await fetch(preview!.url)).headers.get('content-type'), 'image/jpeg')
  const list = await client.ask('POST', '/reports/imports', {}, 'http://a.example/')
  t.is(list.status, 202)
  t.is((await fetch(`${site}/reports/docs`)).status, 200)
  await refused(t, await client.ask('GET', '/reports/a/b'), 404, 'ERR_NOT_FOUND')
  t.is((await client.remove(data.id)).status, 204)
}

test('the partner API runs alone in a Koa host, which answers everything else', async (t) => {
  const m = await open(t, settings(await openWeb(t)))
  const app = new Koa()
  app.use(m.reports.koa())
  app.use((ctx) => {
    ctx.body = `the host at ${ctx.path}`
  })
  const site = await serve(t, app.callback())
  await use(t, m, site)
  for (const path of ['/', '/reportsmore', '/report', '/membership/checkout'])
    t.is(await (await fetch(site + path)).text(), `the host at ${path}`)
})

test('the partner API is part of m.koa(), beside memberships', async (t) => {
  const m = await open(t, { ...settings(await openWeb(t)), 'membership.providers.stripe.webhook': 'whsec_x' })
  const app = new Koa()
  app.use(m.koa())
  app.use((ctx) => {
    ctx.body = `${ctx.membership.user() === null ? 'a visitor' : 'a member'} at ${ctx.path}`
  })
  const site = await serve(t, app.callback())
  await use(t, m, site)
  t.is(await (await fetch(`${site}/other`)).text(), 'a visitor at /other')
  t.is((await fetch(`${site}/membership/webhooks/stripe`, { method: 'POST', body: '{}' })).status, 403)
})

test('the partner API is part of m.listener() in plain Node', async (t) => {
  const m = await open(t, settings(await openWeb(t)))
  const site = await serve(t, m.listener())
  await use(t, m, site)
  await refused(t, await fetch(`${site}/other`), 404, 'ERR_NOT_FOUND')
})

test('the partner API is part of m.listener() in Express', async (t) => {
  const m = await open(t, settings(await openWeb(t)))
  const app = express()
  app.use(m.listener())
  app.use((request, response) => void response.send(`the host at ${request.path}`))
  const site = await serve(t, app)
  await use(t, m, site)
  t.is(await (await fetch(`${site}/reportsmore`)).text(), 'the host at /reportsmore')
})

test('the partner API is part of m.fetch()', async (t) => {
  const m = await open(t, settings(await openWeb(t)))
  const site = await serve(t, async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const answer = await m.fetch(
      new Request(`http://${request.headers.host}${request.url}`, {
        method: request.method,
        headers: request.headers as Record<string, string>,
        body: ['GET', 'HEAD'].includes(request.method!) ? undefined : Buffer.concat(chunks),
      }),
    )
    response.writeHead(answer.status, Object.fromEntries(answer.headers))
    response.end(Buffer.from(await answer.arrayBuffer()))
  })
  await use(t, m, site)
})

test('two instances in one process do not see each other', async (t) => {
  const web = await openWeb(t)
  const [membership, two] = [await open(t, settings(web)), await open(t, settings(web))]
  const sites = [await serve(t, membership.listener()), await serve(t, two.listener())]
  const clients = []
  for (const [at, m] of [membership, two].entries()) {
    const partner = await m.reports.partners.add({ name: 'ann', email: 'ann@partner.example' })
    clients.push(clientOf(sites[at]!, (await m.reports.keys.issue(partner.id)).key))
  }
  const [ann, bob] = clients as [ReturnType<typeof clientOf>, ReturnType<typeof clientOf>]
  t.is((await ann.add('http://a.example/')).status, 201)
  t.deepEqual((await bodyOf<List>(await bob.list())).data, [])
  t.is((await bob.add('http://a.example/')).status, 201)
  const key = (await membership.reports.keys.issue('ann@partner.example')).key
  t.is((await clientOf(sites[1]!, key).list()).status, 401)
})

test('without a system there is no index: its routes throw with advice, and /reports is the host’s', async (t) => {
  const m = await open(t, { 'membership.providers.stripe.webhook': 'whsec_x' })
  const error = await t.throwsAsync(async () => m.reports.koa(), { code: 'ERR_CONFIG' })
  t.regex((error as { action?: string } & Error).action!, /membership\.reports\.system/)
  t.throws(() => m.reports.keys, { code: 'ERR_CONFIG' })
  const app = new Koa()
  app.use(m.koa())
  app.use((ctx) => {
    ctx.status = 404
    ctx.body = 'the host knows nothing'
  })
  const site = await serve(t, app.callback())
  for (const path of ['/reports', '/reports/openapi.json', '/reports/rpt_1']) {
    const answer = await fetch(site + path)
    t.deepEqual([answer.status, await answer.text()], [404, 'the host knows nothing'])
  }
  const behind = express()
  behind.use(m.listener())
  behind.use((_, response) => void response.status(404).send('Express knows nothing'))
  t.is(await (await fetch(`${await serve(t, behind)}/reports`)).text(), 'Express knows nothing')
})

test('a system can be the site’s own, from config/fingerprints in its folder', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'membership-own-'))
  t.teardown(() => rm(root, { recursive: true, force: true }))
  await mkdir(join(root, 'config', 'fingerprints'), { recursive: true })
  await writeFile(
    join(root, 'config', 'fingerprints', 'mine.yml'),
    [
      'name: Mine',
      'rules:',
      '  - channel: meta',
      '    pattern: ^generator=Mine (\\d+)',
      '    weight: 60',
      '    version: true',
      '  - channel: asset',
      '    contains: /mine/',
      '    pattern: ^/mine/',
      '    weight: 60',
      '',
    ].join('\n'),
  )
  const web = await startWeb({
    'mine.example': {
      '/': '<title>Mine</title><meta name="generator" content="Mine 7"><img src="/mine/a.jpg" alt="">',
    },
    'a.example': { '/': kirbyPage() },
  })
  t.teardown(() => web.close())
  const m = await open(t, { ...settings(web), 'membership.reports.system': 'mine', root })
  const site = await serve(t, m.listener())
  const partner = await m.reports.partners.add({ name: 'ann', email: 'ann@partner.example' })
  const client = clientOf(site, (await m.reports.keys.issue(partner.id)).key)
  t.like((await bodyOf(await client.add('http://mine.example/'))).data.system, {
    name: 'Mine',
    detected: true,
  })
  const other = await refused(t, await client.add('http://a.example/'), 422, 'ERR_SYSTEM_NOT_DETECTED')
  t.regex(other.detail, /Mine/)
})

test('an unknown system stops the start and lists the known ones', async (t) => {
  const web = await openWeb(t)
  const error = await t.throwsAsync(open(t, { ...settings(web), 'membership.reports.system': 'kirbi' }), {
    code: 'ERR_CONFIG',
  })
  t.regex(error.message, /"kirbi".*kirby/)
})

test('an index without a contact does not start; the site’s own address is enough', async (t) => {
  const web = await openWeb(t)
  const { 'membership.reports.contact': _, ...rest } = settings(web)
  const error = await t.throwsAsync(open(t, rest), { code: 'ERR_CONFIG' })
  t.regex(error.message, /membership\.reports\.contact/)
  const m = await open(t, { ...rest, 'membership.url': 'https://index.example' })
  const site = await serve(t, m.listener())
  const { document } = await openDocument(site)
  t.deepEqual(document.info.contact, { url: 'https://index.example' })
  t.deepEqual(document.servers, [{ url: 'https://index.example' }])
})
