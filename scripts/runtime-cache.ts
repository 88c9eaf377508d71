import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { build } from 'esbuild'
import { freePort } from '../test/support/databases.ts'
import { createVisitor } from '../test/support/visitor.ts'
import { type BackSite, closedText, createChecks, openSite, untilListening } from './runtime-site.ts'

const root = join(import.meta.dirname, '..')

/**
 * Walks the static site of docs/edge.md between two caches: nginx in front as a CDN, which keeps what answers allow, and
 * the Cache API of Cloudflare's runtime behind the worker, which keeps every page for all readers.
 */
export async function* walkCachedSite(folder: string): AsyncGenerator<string> {
  const nginx = process.env.NGINX ?? 'nginx'
  try {
    execFileSync(nginx, ['-v'], { stdio: 'ignore' })
  } catch {
    if (process.env.CI) throw new Error('nginx is missing: install it, or name it in NGINX')
    yield 'the static site between caches is skipped, because nginx is missing (Debian: nginx-light)'
    return
  }
  const place = join(folder, 'cache')
  rmSync(place, { recursive: true, force: true })
  mkdirSync(place, { recursive: true })
  const [front, middle, back, store] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ]
  const [url, origin] = [`http://127.0.0.1:${front}`, `http://127.0.0.1:${back}`]
  const pages = await openPages(store)
  const site = await openSite({ url, port: back, folder: place })
  const children: ChildProcess[] = []
  try {
    const runtime = spawn(
      process.execPath,
      [await writeWorker({ place, folder, store }), String(middle), url, origin],
      { cwd: place, stdio: ['ignore', 'ignore', 'inherit'] },
    )
    children.push(runtime)
    await untilListening(`http://127.0.0.1:${middle}/membership/jwks.json`, runtime)
    const cdn = spawn(nginx, ['-p', place, '-c', writeNginx({ place, front, middle }), '-e', 'stderr'], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    children.push(cdn)
    await untilListening(`${url}/ready`, cdn)
    yield `the static site between nginx and the Cache API of workerd: ${await walk(url, site, pages)} checks`
  } finally {
    for (const child of children) child.kill('SIGTERM')
    pages.close()
    await site.close()
  }
}

/** The files of the static site, and how often each was asked for. */
async function openPages(port: number) {
  const asked: string[] = []
  const texts: Record<string, string> = { '/': 'Open to all.', '/members/book': closedText }
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://pages')
    asked.push(pathname)
    const text = texts[pathname]
    response.writeHead(text === undefined ? 404 : 200, { 'Cache-Control': 'public, max-age=300' })
    response.end(text ?? 'not found')
  })
  await once(server.listen(port, '127.0.0.1'), 'listening')
  return {
    askedFor: (path: string) => asked.filter((item) => item === path).length,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Writes the guide's worker with files behind the Cache API, and the program that runs it. */
async function writeWorker({ place, folder, store }: { place: string; folder: string; store: number }) {
  const guide = readFileSync(join(root, 'docs/edge.md'), 'utf8')
  const [, worker] = /```js worker\.js\n([\s\S]*?)```/.exec(guide) ?? []
  assert.ok(worker, 'docs/edge.md has no worker.js')
  writeFileSync(join(place, 'worker.js'), worker)
  writeFileSync(
    join(place, 'start.js'),
    `import worker from './worker.js'
const PAGES = {
  fetch: async (request) => {
    const key = 'http://127.0.0.1:${store}' + new URL(request.url).pathname
    const kept = await caches.default.match(key)
    if (kept) return kept
    const page = await fetch(key)
    await caches.default.put(key, page.clone())
    return page
  },
}
export default { fetch: (request, env) => worker.fetch(request, { ...env, PAGES }) }
`,
  )
  await build({
    entryPoints: [join(place, 'start.js')],
    outfile: join(place, 'bundle.mjs'),
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    logLevel: 'warning',
    conditions: ['worker', 'import'],
    alias: { 'membership/edge': join(root, 'src/entries/edge.ts'), jose: join(root, 'node_modules/jose') },
    mainFields: ['module', 'main'],
  })
  const program = join(place, 'run.mjs')
  writeFileSync(
    program,
    `import { createRequire } from 'node:module'
const { Miniflare } = createRequire(${JSON.stringify(join(folder, 'x.js'))})('miniflare')
const [, , port, ISSUER, ORIGIN] = process.argv
const runtime = new Miniflare({
  modules: true,
  scriptPath: ${JSON.stringify(join(place, 'bundle.mjs'))},
  compatibilityDate: '2026-01-01',
  bindings: { ISSUER, ORIGIN },
  host: '127.0.0.1',
  port: Number(port),
})
process.once('SIGTERM', () => runtime.dispose().then(() => process.exit()))
await runtime.ready
`,
  )
  return program
}

/** A CDN: it keeps what Cache-Control allows, by address, and looks at no cookie. */
function writeNginx({ place, front, middle }: { place: string; front: number; middle: number }): string {
  const file = join(place, 'nginx.conf')
  writeFileSync(
    file,
    `daemon off;
pid ${place}/nginx.pid;
error_log stderr error;
events { worker_connections 64; }
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${place}/${name};`).join('\n  ')}
  proxy_cache_path ${place}/kept keys_zone=cdn:1m;
  server {
    listen 127.0.0.1:${front};
    location = /ready { return 204; }
    location / {
      proxy_pass http://127.0.0.1:${middle};
      proxy_set_header Host $http_host;
      proxy_cache cdn;
      proxy_cache_key $scheme$host$request_uri;
      add_header X-Kept $upstream_cache_status always;
    }
  }
}
`,
  )
  return file
}

async function walk(
  url: string,
  site: BackSite,
  pages: Awaited<ReturnType<typeof openPages>>,
): Promise<number> {
  const { same, count } = createChecks()
  const [html, json] = [{ accept: 'text/html' }, { accept: 'application/json' }]
  const kept = (answer: { headers: Headers }) => answer.headers.get('x-kept')
  const closed = '/members/book'

  const stranger = createVisitor(url)
  const first = await stranger.get('/', html)
  const again = await createVisitor(url).get('/', html)
  same(
    [kept(first), kept(again), again.text],
    ['MISS', 'HIT', 'Open to all.'],
    'an open page is kept for everybody',
  )

  const member = createVisitor(url)
  await member.get('/membership/enter')
  await site.give()
  const pass = await member.get('/membership/pass', json)
  same([pass.status, kept(pass)], [200, 'MISS'], 'a member gets a pass through the cache')
  const other = await stranger.get('/membership/pass', json)
  same([other.status, other.text.includes(pass.json.pass)], [401, false], 'nobody else gets that pass')
  const open = await member.get('/', html)
  same([kept(open), open.headers.get('set-cookie')], ['HIT', null], 'a member shares the open page')

  for (const time of ['first', 'second']) {
    const read = await member.get(closed, html)
    same(
      [read.status, read.text, kept(read), read.headers.get('cache-control')],
      [200, closedText, 'MISS', 'private, no-store'],
      `the ${time} reading of a closed page is not kept in front`,
    )
  }
  same(pages.askedFor(closed), 1, 'behind the worker the closed page is kept for all readers')

  const strangers: Record<string, readonly [path: string, headers: Record<string, string>]> = {
    'a stranger': [closed, html],
    'a program': [closed, json],
    'a forged pass': [closed, { ...html, cookie: 'membership_pass=a.b.c' }],
    'an expired pass': [
      closed,
      { ...html, cookie: `membership_pass=${await site.passWith({ minutesAgo: 6 })}` },
    ],
    'a pass for another audience': [
      closed,
      { ...html, cookie: `membership_pass=${await site.passWith({ audience: 'elsewhere' })}` },
    ],
    'a range': [closed, { ...html, range: 'bytes=0-20' }],
    'a condition': [closed, { ...html, 'if-modified-since': new Date().toUTCString() }],
    'a query': [`${closed}?utm=1`, html],
    'an encoded letter': ['/%6dembers/book', html],
    'a slash more': ['/.//members/book', html],
    'a path with dots': ['/x/../members/book', html],
  }
  for (const [who, [path, headers]] of Object.entries(strangers)) {
    const answer = await createVisitor(url).get(path, headers)
    same(
      [
        answer.text.includes(closedText),
        answer.text.includes(closedText.slice(0, 20)),
        kept(answer) === 'HIT',
      ],
      [false, false, false],
      `${who} reads nothing after the member filled the caches`,
    )
  }
  const refused = await createVisitor(url).get(closed, html)
  same(
    [refused.status, refused.location, kept(refused), refused.headers.get('cache-control')],
    [303, `${url}/membership/pass?redirect=%2Fmembers%2Fbook`, 'MISS', 'private, no-store'],
    'a refusal is not kept either',
  )
  same((await member.get(closed, html)).text, closedText, 'the member still reads it after the strangers')

  await fetch(`${url}/membership/jwks.json`)
  const keys = await fetch(`${url}/membership/jwks.json`)
  same([keys.status, kept(keys)], [200, 'HIT'], 'the public keys are kept for everybody')
  await member.send('/membership/logout')
  same((await member.get(closed, html)).status, 303, 'after the logout the browser reads nothing')
  return count()
}
