import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createMembership, type Membership } from '../src/index.ts'
import { createFakeStripe } from '../src/testkit/index.ts'
import type { createBrowser } from '../test/support/browser.ts'
import { freePort, postgresDatabases } from '../test/support/databases.ts'
import { must, up, walk } from './hosts/walk.ts'

const root = join(import.meta.dirname, '..')
const secret = 'whsec_of_the_walk'
const siteSecret = 'a secret of the walk, long enough'

/** A runtime that runs the whole site, and the command that starts a file of it. */
export interface ServerRuntime {
  readonly name: string
  readonly command: readonly string[]
}

/** Examples of docs/node.md and docs/bun-and-deno.md that need no package but their host's. */
const examples = ['web-standard', 'node', 'koa', 'express', 'hono'] as const

/**
 * Runs the examples of hosts in another runtime than Node, on its own SQLite and on PostgreSQL, and walks each as
 * `npm run hosts` does: events, gates, a purchase and a cancellation, with the account page in between.
 * Returns false after a walk that failed.
 */
export async function walkServers(runtimes: readonly ServerRuntime[], folder: string): Promise<boolean> {
  const place = join(folder, 'servers')
  install(place)
  const postgres = await postgresDatabases()
  let isWell = true
  try {
    for (const runtime of runtimes)
      for (const example of examples)
        for (const kind of example === 'web-standard'
          ? (['sqlite', 'postgres'] as const)
          : (['sqlite'] as const)) {
          const database =
            kind === 'postgres'
              ? await postgres.emptyUrl()
              : `sqlite:${join(place, `${runtime.name}-${example}.db`)}`
          const wrong = await walkServer(runtime, { place, example, database })
          console.log(
            `${wrong === null ? '✔' : '✖'} ${runtime.name} as a server, ${example}, ${kind === 'postgres' ? 'PostgreSQL' : 'node:sqlite'}${wrong === null ? '' : `: ${wrong}`}`,
          )
          isWell &&= wrong === null
        }
    for (const runtime of runtimes) {
      const wrong = await startDemo(runtime, place)
      console.log(
        `${wrong === null ? '✔' : '✖'} ${runtime.name}: membership start, and its end by SIGTERM${wrong === null ? '' : `: ${wrong}`}`,
      )
      isWell &&= wrong === null
    }
  } finally {
    await postgres.close()
  }
  return isWell
}

/** Puts the examples into a folder beside the package as it is published. */
function install(place: string): void {
  if (!existsSync(join(root, 'dist/index.js')))
    execFileSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: 'inherit' })
  rmSync(place, { recursive: true, force: true })
  mkdirSync(join(place, 'node_modules/@hono'), { recursive: true })
  for (const name of [...examples.map((example) => `${example}.mjs`), 'membership.config.mjs'])
    cpSync(join(root, 'examples/hosts', name), join(place, name))
  symlinkSync(root, join(place, 'node_modules/membership'))
  for (const name of ['stripe', 'koa', 'express', 'hono', '@hono/node-server'])
    if (existsSync(join(root, 'node_modules', name)))
      symlinkSync(join(root, 'node_modules', name), join(place, 'node_modules', name))
}

/** Walks one server; returns the first thing that is wrong, or null. */
async function walkServer(
  runtime: ServerRuntime,
  { place, example, database }: { place: string; example: string; database: string },
): Promise<string | null> {
  const fake = await createFakeStripe({ seed: 1, running: true })
  fake.addPrice({ id: 'price_pro', unit_amount: 900, currency: 'eur', recurring: { interval: 'month' } })
  const port = await freePort()
  const site = `http://127.0.0.1:${port}`
  fake.sendTo({ url: `${site}/membership/webhooks/stripe`, secret })
  const [command = '', ...args] = runtime.command
  let said = ''
  const child: ChildProcess = spawn(command, [...args, join(place, `${example}.mjs`)], {
    cwd: place,
    env: {
      ...process.env,
      NODE_ENV: 'production',
      PORT: String(port),
      SITE_URL: site,
      MEMBERSHIP_DATABASE: database,
      MEMBERSHIP_SECRET: siteSecret,
      STRIPE_SECRET: fake.secret,
      STRIPE_API_BASE: fake.url,
      STRIPE_WEBHOOK_SECRET: secret,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (said += chunk))
  try {
    const isMember = (email: string) => isMemberIn(database, email)
    const { wrong } = await walk({
      site,
      fake,
      secret,
      isMember,
      showsLocked: false,
      join: (email: string) => joinIn(database, email),
      printed: () => said,
      boughtBy: (buyer) => showsAccount(buyer),
    })
    return wrong === undefined ? null : `${wrong}\n${said}`
  } finally {
    child.kill('SIGKILL')
    await fake.close()
  }
}

/** Starts the demo with the command line, reads a page and ends it; returns what is wrong, or null. */
async function startDemo(
  { name, command: [command = '', ...args] }: ServerRuntime,
  place: string,
): Promise<string | null> {
  const [cwd, port] = [join(place, `demo-${name}`), await freePort()]
  mkdirSync(cwd)
  let said = ''
  const child = spawn(command, [...args, join(root, 'dist/cli/main.js'), 'start', '--port', String(port)], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk))
  const ended = once(child, 'exit')
  try {
    await up(`http://127.0.0.1:${port}/pricing`)
    // It answers a moment before it listens to signals.
    for (let tries = 0; tries < 100 && !said.includes('ready'); tries++) await sleep(50)
    child.kill('SIGTERM')
    const [code] = await ended
    return code === 0 ? null : `it ended with ${code}\n${said}`
  } catch (error) {
    return `${(error as Error).message}\n${said}`
  } finally {
    child.kill('SIGKILL')
  }
}

async function showsAccount(buyer: ReturnType<typeof createBrowser>): Promise<void> {
  const account = await buyer.request('/membership/account', { headers: { accept: 'text/html' } })
  const page = await account.text()
  must(
    account.status === 200 && page.includes('€9'),
    `the buyer’s account was answered ${account.status}: ${page.slice(0, 300)}`,
  )
}

function isMemberIn(database: string, email: string): Promise<boolean> {
  return withSite(database, async (m) => (await m.users.findByEmail(email))?.hasGate('price_pro') ?? false)
}

function joinIn(database: string, email: string): Promise<void> {
  return withSite(database, async (m) => void (await m.users.create({ email, verified: true })))
}

/** Opens the database of a running site from this process. */
async function withSite<T>(database: string, run: (m: Membership) => Promise<T>): Promise<T> {
  const m = await createMembership({
    root: false,
    install: false,
    log: () => undefined,
    'membership.database.url': database,
    'membership.secret': siteSecret,
  })
  try {
    return await run(m)
  } finally {
    await m.close()
  }
}
