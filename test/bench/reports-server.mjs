// One of the servers that are compared: node reports-server.mjs KIND DATABASE_URL KEY. Tells its port, then, when asked,
// the processor time it has used.
import { createServer } from 'node:http'
import Router from '@koa/router'
import Koa from 'koa'

const [kind, url, key] = process.argv.slice(2)

const openOurs = async () => {
  const { createMembership } = await import(new URL('../../dist/index.js', import.meta.url).href)
  return createMembership({
    'membership.database.url': url,
    'membership.reports.system': 'kirby',
    'membership.reports.contact': 'index@operator.example',
    'membership.reports.crawl.enabled': false,
    'membership.reports.limit': 1_000_000_000,
    'membership.reports.limit_unchanged': 1_000_000_000,
    'membership.url': 'http://index.example',
    root: false,
    log: () => {},
  })
}

// An answer is its bytes, those of the header included: the bare server sends the same ones.
const sameHeaders = {
  'Content-Type': 'application/json; charset=utf-8',
  ETag: '"abcdefghijklmnopqrst"',
  'Cache-Control': 'private, no-cache',
  Vary: 'X-API-KEY',
  'RateLimit-Policy': '"default";q=600;w=60',
  RateLimit: '"default";r=599;t=42',
}

/** The bytes that ours serves, once. */
const readyBytes = async () => {
  const m = await openOurs()
  const app = new Koa().use(m.reports.koa())
  const server = createServer(app.callback())
  await new Promise((done) => server.listen(0, '127.0.0.1', done))
  const answer = await fetch(`http://127.0.0.1:${server.address().port}/reports`, {
    headers: { 'X-API-KEY': key },
  })
  const bytes = Buffer.from(await answer.arrayBuffer())
  server.closeAllConnections()
  server.close()
  await m.close()
  return bytes
}

const kinds = {
  bare: async () => {
    const bytes = await readyBytes()
    return (_request, response) => {
      response.writeHead(200, { ...sameHeaders, 'Content-Length': bytes.length })
      response.end(bytes)
    }
  },
  koa: async () => {
    const bytes = await readyBytes()
    const router = new Router().get('/reports', (ctx) => {
      ctx.type = 'application/json'
      ctx.body = bytes
    })
    return new Koa().use(router.routes()).callback()
  },
  serialising: async () => {
    const value = JSON.parse((await readyBytes()).toString('utf8'))
    const router = new Router().get('/reports', (ctx) => {
      ctx.body = value
    })
    return new Koa().use(router.routes()).callback()
  },
  // Mounted on plain Node, and in a Koa application of the host's.
  plain: async () => (await openOurs()).listener(),
  ours: async () => new Koa().use((await openOurs()).reports.koa()).callback(),
}

const server = createServer(await kinds[kind]())
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }))
process.on('message', () => process.send({ cpu: process.cpuUsage(), rss: process.memoryUsage().rss }))
process.on('disconnect', () => process.exit())
