/**
 * `npm run runtimes [-- workerd bun deno next cache]`: runs the worker of docs/edge.md in other runtimes, which come from
 * the registry into a folder of their own, in front of a site of this package, and walks it as a stranger and as a member.
 * `next` builds a Next site whose middleware asks for a pass, and `cache` puts a shared cache before the worker and one
 * behind it. On Bun and Deno it also runs whole sites. `RUNTIMES_FOLDER` keeps what was installed.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { freePort } from '../test/support/databases.ts'
import { createVisitor } from '../test/support/visitor.ts'
import { walkCachedSite } from './runtime-cache.ts'
import { walkNext } from './runtime-next.ts'
import { walkServers } from './runtime-servers.ts'
import { type BackSite, closedText, createChecks, openSite, untilListening } from './runtime-site.ts'

const root = join(import.meta.dirname, '..')
const all = ['workerd', 'bun', 'deno'] as const
type Runtime = (typeof all)[number]
const asked = process.argv.slice(2)
function isAsked(name: string) {
  return asked.length === 0 || asked.includes(name)
}
const runtimes = all.filter(isAsked)
const folder = process.env.RUNTIMES_FOLDER ?? mkdtempSync(join(tmpdir(), 'membership-runtimes-'))

mkdirSync(folder, { recursive: true })
const needed = [...runtimes, ...(isAsked('cache') ? ['miniflare'] : [])]
const missing = needed.filter((name) => !existsSync(join(folder, 'node_modules', name)))
if (missing.length > 0) {
  writeFileSync(join(folder, 'package.json'), '{ "private": true }')
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--silent', ...missing], {
    cwd: folder,
    stdio: 'inherit',
  })
}
await bundleWorker()
let failed = 0
for (const runtime of runtimes)
  try {
    const shown = await walkIn(runtime)
    console.log(`✔ ${runtime} ${versionOf(runtime)}: ${shown} checks`)
  } catch (error) {
    failed += 1
    console.log(`✖ ${runtime}: ${(error as Error).message}`)
  }
const further = { next: walkNext, cache: walkCachedSite }
for (const [name, walkFurther] of Object.entries(further).filter(([name]) => isAsked(name)))
  try {
    for await (const shown of walkFurther(folder)) console.log(`✔ ${shown}`)
  } catch (error) {
    failed += 1
    console.log(`✖ ${name}: ${(error as Error).message}`)
  }
const servers = runtimes
  .filter((runtime) => runtime !== 'workerd')
  .map((name) => ({
    name,
    command: [
      join(folder, 'node_modules/.bin', name),
      'run',
      ...(name === 'deno' ? ['--no-lock', '-A'] : []),
    ],
  }))
if (servers.length > 0 && !(await walkServers(servers, folder))) failed += 1
if (process.env.RUNTIMES_FOLDER === undefined) rmSync(folder, { recursive: true, force: true })
process.exit(failed === 0 ? 0 : 1)

/** Bundles the guide's worker, as a worker's own tool does, with one start for each runtime. */
async function bundleWorker(): Promise<void> {
  const guide = readFileSync(join(root, 'docs/edge.md'), 'utf8')
  const worker = /```js worker\.js\n([\s\S]*?)```/.exec(guide)?.[1]
  assert.ok(worker, 'docs/edge.md has no worker.js')
  writeFileSync(join(folder, 'worker.js'), worker)
  const pages = `const pages = { '/': '<p>Open to all.</p>', '/members/book': ${JSON.stringify(closedText)} }
const PAGES = {
  fetch: async (request) => {
    const text = pages[new URL(request.url).pathname]
    return new Response(text ?? 'not found', { status: text === undefined ? 404 : 200 })
  },
}
`
  const starts: Record<Runtime, string> = {
    workerd: `export default { fetch: (request, env) => worker.fetch(request, { ...env, PAGES }) }`,
    bun: `const { ISSUER, ORIGIN, PORT } = process.env
Bun.serve({ hostname: '127.0.0.1', port: Number(PORT), fetch: (request) => worker.fetch(request, { ISSUER, ORIGIN, PAGES }) })`,
    deno: `const env = (name) => Deno.env.get(name)
Deno.serve({ hostname: '127.0.0.1', port: Number(env('PORT')) }, (request) =>
  worker.fetch(request, { ISSUER: env('ISSUER'), ORIGIN: env('ORIGIN'), PAGES }))`,
  }
  for (const runtime of runtimes) {
    const start = join(folder, `start-${runtime}.js`)
    writeFileSync(start, `import worker from './worker.js'\n${pages}${starts[runtime]}\n`)
    await build({
      entryPoints: [start],
      outfile: join(folder, `${runtime}.js`),
      bundle: true,
      format: 'esm',
      platform: 'neutral',
      logLevel: 'warning',
      conditions: ['worker', 'import'],
      alias: { 'membership/edge': join(root, 'src/entries/edge.ts'), jose: join(root, 'node_modules/jose') },
      mainFields: ['module', 'main'],
    })
  }
}

async function walkIn(runtime: Runtime): Promise<number> {
  const [front, back] = [await freePort(), await freePort()]
  const [issuer, origin] = [`http://127.0.0.1:${front}`, `http://127.0.0.1:${back}`]
  const site = await openSite({ url: issuer, port: back, folder })
  const child = startRuntime(runtime, { issuer, origin, port: front })
  try {
    await untilListening(issuer, child)
    return await walk(issuer, site)
  } finally {
    child.kill('SIGKILL')
    await site.close()
  }
}

function startRuntime(runtime: Runtime, at: { issuer: string; origin: string; port: number }): ChildProcess {
  const env = { ...process.env, ISSUER: at.issuer, ORIGIN: at.origin, PORT: String(at.port) }
  const script = join(folder, `${runtime}.js`)
  if (runtime === 'workerd') writeFileSync(join(folder, 'config.capnp'), workerdConfig(at))
  const args: Record<Runtime, readonly string[]> = {
    workerd: ['serve', join(folder, 'config.capnp')],
    bun: ['run', script],
    deno: ['run', '--no-lock', '--allow-net', '--allow-env', script],
  }
  return spawn(join(folder, 'node_modules/.bin', runtime), args[runtime], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

function workerdConfig({ issuer, origin, port }: { issuer: string; origin: string; port: number }): string {
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "internet", network = (allow = ["public", "private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  modules = [(name = "workerd.js", esModule = embed "workerd.js")],
  compatibilityDate = "2026-01-01",
  bindings = [(name = "ISSUER", text = "${issuer}"), (name = "ORIGIN", text = "${origin}")],
);
`
}

/** Walks the worker and returns the number of checks. */
async function walk(url: string, site: BackSite): Promise<number> {
  const { same, count } = createChecks()
  const [html, json] = [{ accept: 'text/html' }, { accept: 'application/json' }]
  const cacheOf = (answer: { headers: Headers }) => answer.headers.get('cache-control')

  const stranger = createVisitor(url)
  const open = await stranger.get('/', html)
  same([open.status, cacheOf(open)], [200, 'public, max-age=300'], 'an open page may be cached')
  const asked = await stranger.get('/members/book', html)
  same(
    [asked.status, asked.location, cacheOf(asked)],
    [303, `${url}/membership/pass?redirect=%2Fmembers%2Fbook`, 'private, no-store'],
    'a stranger is sent for a pass',
  )
  same(asked.text.includes(closedText), false, 'a stranger reads nothing')
  const program = await stranger.get('/members/book', json)
  same([program.status, program.text.includes(closedText)], [401, false], 'a program is refused')
  const login = await stranger.get('/membership/pass?redirect=%2Fmembers%2Fbook', html)
  same(
    [login.status, login.location?.startsWith('/membership/login?')],
    [303, true],
    'a stranger is asked to log in',
  )
  const forged = await stranger.get('/members/book', { ...json, cookie: 'membership_pass=a.b.c' })
  same(forged.status, 401, 'a forged pass opens nothing')

  const member = createVisitor(url)
  await member.get('/membership/enter')
  const passing = '/membership/pass?redirect=%2Fmembers%2Fbook'
  await member.get(passing, html)
  const closed = await member.get('/members/book', html)
  same(
    [closed.status, closed.location],
    [303, `${url}/membership/prices?redirect=%2Fmembers%2Fbook`],
    'a member without the plan is sent to the prices',
  )
  const grantId = await site.give()
  const given = await member.get('/membership/pass', json)
  const read = await member.get('/members/book', html)
  same(
    [read.status, read.text, cacheOf(read)],
    [200, closedText, 'private, no-store'],
    'the plan opens the page',
  )
  const bearer = await fetch(`${url}/members/book`, {
    headers: { authorization: `Bearer ${given.json.pass}` },
  })
  same([bearer.status, await bearer.text()], [200, closedText], 'a bearer token opens it, too')
  await site.take(grantId)
  await member.get('/membership/pass', json)
  const ended = await member.get('/members/book', html)
  same(
    [ended.status, ended.text.includes(closedText)],
    [303, false],
    'access that ended opens nothing with the next pass',
  )
  await member.send('/membership/logout')
  const left = await member.get('/members/book', html)
  same(left.location, `${url}/membership/pass?redirect=%2Fmembers%2Fbook`, 'a logout removes the pass')
  return count()
}

function versionOf(runtime: Runtime): string {
  return JSON.parse(readFileSync(join(folder, 'node_modules', runtime, 'package.json'), 'utf8')).version
}
