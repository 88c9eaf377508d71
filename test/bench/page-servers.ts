// A page of a site by Koa alone, or with the members' middleware around it: node --import tsx page-servers.ts DATABASE_URL|bare.
// Prints its port, and a member's cookie.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import { secret } from './events.ts'

const [url = 'bare'] = process.argv.slice(2)
const page = '<!doctype html><title>A page</title><p>Hello.</p>'

/** What a page costs is asked for, not guessed from outside. */
const usage = new Koa()
usage.use((ctx, next) => {
  if (ctx.path !== '/cpu') return next()
  const { user, system } = process.cpuUsage()
  ctx.body = String(user + system)
})

const own = async (): Promise<string> => {
  const built = new URL('../../dist/index.js', import.meta.url).href
  const { createMembership } = (await import(built)) as typeof import('../../src/index.ts')
  const m = await createMembership({
    'membership.database.url': url,
    'membership.providers.stripe.webhook': secret,
    'membership.secret': 'x'.repeat(40),
    root: false,
    log: () => {},
  })
  usage.use(async (ctx, next) => {
    if (ctx.path !== '/enter') return next()
    await m.openSession(ctx, 'm_1', true)
    ctx.body = 'welcome'
  })
  usage.use(m.koa())
  usage.use((ctx) => {
    ctx.body = m.allows('price_1') ? page : page.replace('Hello', 'Subscribe')
  })
  return '/enter'
}

if (url === 'bare')
  usage.use((ctx) => {
    ctx.body = page
  })
const entry = url === 'bare' ? null : await own()

const server = createServer(usage.callback())
server.listen(0, '127.0.0.1', async () => {
  const { port } = server.address() as AddressInfo
  const entered = entry === null ? null : await fetch(`http://127.0.0.1:${port}${entry}`)
  const cookie = entered?.headers.getSetCookie().map((one) => one.split(';')[0]) ?? []
  console.log(JSON.stringify({ port, cookie: cookie.join('; ') }))
})
