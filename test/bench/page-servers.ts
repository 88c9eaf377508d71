// A page of a site by Koa alone, with the members' middleware around it, or with better-auth's session looked up:
// node --import tsx page-servers.ts bare | own DATABASE_URL [FOLDER] | better-auth DATABASE_URL FOLDER. Prints its port, and
// the cookies of sixteen members. FOLDER has another commit of the package, built, or better-auth.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import Database from 'better-sqlite3'
import Koa from 'koa'
import pg from 'pg'
import { secret } from './events.ts'

const [kind = 'bare', url = '', folder = ''] = process.argv.slice(2)
const page = '<!doctype html><title>A page</title><p>Hello.</p>'
const stranger = page.replace('Hello', 'Subscribe')

/** What a page costs is asked for, not guessed from outside. */
const site = new Koa()
site.use((ctx, next) => {
  if (ctx.path !== '/cpu') return next()
  const { user, system } = process.cpuUsage()
  ctx.body = String(user + system)
})

async function bare(): Promise<void> {
  site.use((ctx) => {
    ctx.body = page
  })
}

async function own(): Promise<void> {
  const built = pathToFileURL(join(folder || join(import.meta.dirname, '../..'), 'dist/index.js')).href
  const { createMembership } = (await import(built)) as typeof import('../../src/index.ts')
  const m = await createMembership({
    'membership.database.url': url,
    'membership.providers.stripe.webhook': secret,
    'membership.secret': 'x'.repeat(40),
    root: false,
    log: () => {},
  })
  site.use(async (ctx, next) => {
    if (ctx.path !== '/enter') return next()
    await m.sessions.open(ctx, String(ctx.query.member), true)
    ctx.body = 'welcome'
  })
  site.use(m.koa())
  site.use((ctx) => {
    ctx.body = m.allows('price_1') ? page : stranger
  })
}

/** What is used of it here; it is no dependency, and brings its types in a folder of its own. */
interface BetterAuth {
  readonly options: object
  readonly api: {
    signUpEmail(input: object): Promise<Response>
    getSession(input: { headers: Headers }): Promise<object | null>
  }
}

/** Its session and user by the page's cookie, as its documentation has it; what somebody bought it is not asked. */
async function betterAuth(): Promise<void> {
  const { resolve } = createRequire(join(folder, 'package.json'))
  const load = (name: string) => import(pathToFileURL(resolve(name)).href)
  const { betterAuth: create } = (await load('better-auth')) as {
    betterAuth: (options: object) => BetterAuth
  }
  const { getMigrations } = await load('better-auth/db/migration')
  const { fromNodeHeaders } = await load('better-auth/node')
  const auth = create({
    database: url.startsWith('sqlite:')
      ? new Database(url.slice('sqlite:'.length))
      : new pg.Pool({ connectionString: url }),
    secret: 'x'.repeat(40),
    baseURL: 'http://127.0.0.1',
    emailAndPassword: { enabled: true },
    telemetry: { enabled: false },
  })
  await (await getMigrations(auth.options)).runMigrations()
  site.use(async (ctx, next) => {
    if (ctx.path !== '/enter') return next()
    const body = { email: `${ctx.query.member}@example.com`, password: 'x'.repeat(20), name: 'M' }
    const { headers } = await auth.api.signUpEmail({ body, asResponse: true })
    ctx.set('Set-Cookie', headers.getSetCookie())
    ctx.body = 'welcome'
  })
  site.use(async (ctx) => {
    const session = await auth.api.getSession({ headers: fromNodeHeaders(ctx.req.headers) })
    ctx.body = session ? page : stranger
  })
}

const servers: Readonly<Record<string, () => Promise<void>>> = { bare, own, 'better-auth': betterAuth }
await servers[kind]!()

const server = createServer(site.callback()).listen(0, '127.0.0.1')
await once(server, 'listening')
const { port } = server.address() as AddressInfo
const cookies: string[] = []
for (let n = 1; n <= (kind === 'bare' ? 0 : 16); n++) {
  const { headers } = await fetch(`http://127.0.0.1:${port}/enter?member=m_${n}`)
  cookies.push(
    headers
      .getSetCookie()
      .map((item) => item.split(';')[0])
      .join('; '),
  )
}
console.log(JSON.stringify({ port, cookies }))
