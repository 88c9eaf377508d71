// One part of what a webhook costs: node --import tsx floor-server.ts http|own|hand|bare DATABASE_URL [FOLDER]. Prints its
// port. FOLDER has another commit of the package, built.
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import Koa from 'koa'
import { collect, committingPostgres, committingSqlite, isSigned } from './by-hand.ts'
import { benchEvent, secret } from './events.ts'

const [kind = 'http', url = '', folder = join(import.meta.dirname, '../..')] = process.argv.slice(2)

async function http(): Promise<RequestListener> {
  return async (request, response) => {
    const body = await collect(request)
    response.statusCode = isSigned(request, body) ? 200 : 403
    response.end('{"status":"processed"}')
  }
}

// The built package, as a site runs it.
async function own(): Promise<RequestListener> {
  const built = pathToFileURL(join(folder, 'dist/index.js')).href
  const { createMembership } = (await import(built)) as typeof import('../../src/index.ts')
  const m = await createMembership({
    'membership.database.url': url,
    'membership.providers.stripe.webhook': secret,
    root: false,
    log: () => {},
  })
  const app = new Koa()
  app.use(m.koa())
  return app.callback()
}

/** Both together, as somebody would write them who needs nothing else: one commit for what a turn of the event loop brings. */
async function hand(): Promise<RequestListener> {
  const write = await byHand()
  let isNew = false
  let queue: { body: Buffer; done: () => void }[] = []
  const flush = async () => {
    const batch = queue
    queue = []
    await write(
      batch.map(({ body }) => body),
      isNew,
    )
    for (const { done } of batch) done()
  }
  return async (request, response) => {
    const body = await collect(request)
    response.statusCode = isSigned(request, body) ? 200 : 403
    // Told, where ours has to find out.
    isNew = request.url?.endsWith('?new') === true
    if (response.statusCode === 200)
      await new Promise<void>((done) => {
        if (queue.push({ body, done }) === 1) setImmediate(flush)
      })
    response.end('{"status":"processed"}')
  }
}

function byHand() {
  return url.startsWith('sqlite:') ? committingSqlite(url, 'full') : committingPostgres(url, 'full')
}

/** The statements alone, in batches: `/?from=…&count=…&batch=…&new=1`, answered with their CPU in µs. */
async function bare(): Promise<RequestListener> {
  const write = await byHand()
  return async (request, response) => {
    const asked = new URL(request.url ?? '/', 'http://bench').searchParams
    const [first, count, batch, customers] = ['first', 'count', 'batch', 'customers'].map((name) =>
      Number(asked.get(name)),
    ) as [number, number, number, number]
    const bodies = Array.from({ length: count }, (_, n) =>
      benchEvent(`evt_${first + n}`, customers > 0 ? n % customers : first + n, first + n),
    )
    const before = process.cpuUsage()
    for (let n = 0; n < count; n += batch) await write(bodies.slice(n, n + batch), customers === 0)
    response.end(String(spent(before)))
  }
}

function spent(before?: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before)
  return user + system
}

const listener = await { http, own, hand, bare }[kind]!()
const server = createServer((request: IncomingMessage, response) => {
  if (request.url === '/cpu') response.end(String(spent()))
  else listener(request, response)
})
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))
