import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../test/support/databases.ts'
import { createVisitor, type Visitor } from '../test/support/visitor.ts'
import { installInto, packInto, versionIn } from './install.ts'
import { type BackSite, closedText, createChecks, openSite, untilListening } from './runtime-site.ts'

const root = join(import.meta.dirname, '..')
const middlewares = {
  'middleware.js': 'the edge runtime',
  'proxy.js': 'Node',
} as const

/**
 * Builds a Next site from the packed package with the middleware of docs/edge.md, once for the edge runtime and once as
 * Next's proxy on Node, and walks each before and behind it.
 */
export async function* walkNext(folder: string): AsyncGenerator<string> {
  const place = join(folder, 'next')
  if (!existsSync(join(place, 'node_modules/next'))) {
    mkdirSync(place, { recursive: true })
    if (!existsSync(join(root, 'dist/index.js')))
      execFileSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: 'inherit' })
    installInto(place, [packInto(place), 'next@16', 'react@19', 'react-dom@19'])
  }
  const guide = readFileSync(join(root, 'docs/edge.md'), 'utf8')
  const [, middleware] = /```js middleware\.js\n([\s\S]*?)```/.exec(guide) ?? []
  assert.ok(middleware, 'docs/edge.md has no middleware.js')
  for (const [file, runtime] of Object.entries(middlewares)) {
    for (const name of Object.keys(middlewares)) rmSync(join(place, name), { force: true })
    writeSite(place)
    const own =
      file === 'proxy.js' ? middleware.replace('function middleware(', 'function proxy(') : middleware
    writeFileSync(join(place, file), own)
    const checks = await walkBuilt(place, { folder, isEdge: file === 'middleware.js' })
    yield `Next ${versionIn(place, 'next')}, ${file} on ${runtime}: ${checks} checks`
  }
}

function pageOf(text: string): string {
  return `export default function Page() {\n  return <p>${text}</p>\n}\n`
}

function writeSite(place: string): void {
  const files: Record<string, string> = {
    'next.config.mjs': `export default {
  turbopack: { root: import.meta.dirname },
  rewrites: async () => [
    { source: '/membership/:path*', destination: process.env.ORIGIN + '/membership/:path*' },
  ],
}
`,
    'app/layout.js': `export default function Layout({ children }) {
  return (
    <html lang="en">
      <body>{children}</body>
    </html>
  )
}
`,
    'app/page.js': pageOf('Open to all.'),
    // Next makes this page at the build, and would let every cache keep it for a year.
    'app/members/book/page.js': pageOf(closedText),
    'app/members/live/page.js': `export const dynamic = 'force-dynamic'\n${pageOf(closedText)}`,
    'app/members/data/route.js': `export const GET = () => Response.json({ text: ${JSON.stringify(closedText)} })\n`,
  }
  rmSync(join(place, 'app'), { recursive: true, force: true })
  rmSync(join(place, '.next'), { recursive: true, force: true })
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(place, name, '..'), { recursive: true })
    writeFileSync(join(place, name), text)
  }
}

async function walkBuilt(place: string, { folder, isEdge }: { folder: string; isEdge: boolean }) {
  const [front, back] = [await freePort(), await freePort()]
  const url = `http://127.0.0.1:${front}`
  const site = await openSite({ url, port: back, folder })
  const next = join(place, 'node_modules/next/dist/bin/next')
  const env = {
    ...process.env,
    NODE_ENV: 'production' as const,
    NEXT_TELEMETRY_DISABLED: '1',
    ISSUER: url,
    ORIGIN: `http://127.0.0.1:${back}`,
  }
  let child: ChildProcess | null = null
  try {
    execFileSync(process.execPath, [next, 'build'], {
      cwd: place,
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    assert.equal(
      existsSync(join(place, '.next/server/edge')),
      isEdge,
      'the middleware is built for another runtime',
    )
    child = spawn(process.execPath, [next, 'start', '-H', '127.0.0.1', '-p', String(front)], {
      cwd: place,
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    await untilListening(url, child)
    return await walk(url, site, readFileSync(join(place, '.next/BUILD_ID'), 'utf8'))
  } finally {
    child?.kill('SIGKILL')
    await site.close()
  }
}

/** Every way in which Next answers with a page, or with a part of it. */
function waysOf(build: string): Record<string, readonly [path: string, headers?: Record<string, string>]> {
  const deep = Array(6).fill('middleware').join(':')
  return {
    'the page': ['/members/book', { accept: 'text/html' }],
    'a page of each request': ['/members/live', { accept: 'text/html' }],
    'a route': ['/members/data'],
    'its payload': ['/members/book', { rsc: '1' }],
    'its payload by a query': ['/members/book?_rsc=1', { rsc: '1' }],
    'its payload as a file': ['/members/book.rsc'],
    'a prefetch': ['/members/book', { rsc: '1', 'next-router-prefetch': '1' }],
    'a segment': [
      '/members/book',
      { rsc: '1', 'next-router-prefetch': '1', 'next-router-segment-prefetch': '/_full' },
    ],
    'a segment as a file': ['/members/book.segments/_full.segment.rsc'],
    'the data of a page': [`/_next/data/${build}/members/book.json`],
    'a slash at the end': ['/members/book/'],
    'two slashes': ['/.//members/book'],
    'an encoded letter': ['/%6dembers/book'],
    'an encoded slash': ['/members%2Fbook'],
    'capital letters': ['/Members/book'],
    'the file of the build': ['/members/book.html'],
    // CVE-2025-29927: old versions took such a request for their own.
    'a forged inner request': ['/members/book', { 'x-middleware-subrequest': deep }],
    'a forged rewrite': ['/', { 'x-middleware-rewrite': '/members/book', 'x-matched-path': '/members/book' }],
  }
}

async function walk(url: string, site: BackSite, build: string): Promise<number> {
  const { same, count } = createChecks()
  const [html, json] = [{ accept: 'text/html' }, { accept: 'application/json' }]
  const ways = Object.entries(waysOf(build))
  const readers = async (
    visitor: Pick<Visitor, 'get'>,
    more: Record<string, string> = {},
  ): Promise<string[]> => {
    const found: string[] = []
    for (const [name, [path, headers]] of ways) {
      let answer = await visitor.get(path, { ...headers, ...more })
      // Next itself redirects some of them to the address that it knows.
      for (let hops = 0; hops < 3 && answer.location?.includes('embers'); hops++) {
        const to = new URL(answer.location, url)
        if (to.pathname.startsWith('/membership/')) break
        answer = await visitor.get(to.pathname + to.search, { ...headers, ...more })
      }
      if (answer.text.includes(closedText)) found.push(name)
    }
    return found
  }
  const open = await createVisitor(url).get('/', html)
  same([open.status, open.text.includes('Open to all.')], [200, true], 'an open page')
  same(await readers(createVisitor(url)), [], 'a stranger reads nothing')
  const asked = await createVisitor(url).get('/members/book', html)
  same(
    [asked.status, new URL(asked.location ?? '', url).href, asked.headers.get('cache-control')],
    [303, `${url}/membership/pass?redirect=%2Fmembers%2Fbook`, 'private, no-store'],
    'a stranger is sent for a pass',
  )
  const refused: Record<string, string> = {
    'an expired pass': await site.passWith({ minutesAgo: 6 }),
    'a pass for another audience': await site.passWith({ audience: 'https://elsewhere.example' }),
    'a forged pass': `${(await site.passWith({})).slice(0, -8)}AAAAAAAA`,
  }
  for (const [what, pass] of Object.entries(refused)) {
    same(await readers(createVisitor(url), { cookie: `membership_pass=${pass}` }), [], `${what} in a cookie`)
    same(await readers(createVisitor(url), { authorization: `Bearer ${pass}` }), [], `${what} as a bearer`)
    const program = await createVisitor(url).get('/members/data', {
      ...json,
      authorization: `Bearer ${pass}`,
    })
    same(program.status, 401, what)
  }

  const member = createVisitor(url)
  await member.get('/membership/enter')
  await member.get('/membership/pass', json)
  same(await readers(member), [], 'a member without the plan reads nothing')
  same((await member.get('/members/data', json)).status, 403, 'a program of a member without the plan')
  const grantId = await site.give()
  await member.get('/membership/pass', json)
  for (const path of ['/members/book', '/members/live', '/members/data']) {
    const read = await member.get(path, html)
    same(
      [read.status, read.text.includes(closedText), read.headers.get('cache-control')],
      [200, true, 'private, no-store'],
      `the plan opens ${path}, and no cache keeps it`,
    )
  }
  const ownWays = await readers(member)
  for (const way of [
    'the page',
    'a page of each request',
    'a route',
    'its payload',
    'a prefetch',
    'a segment',
  ])
    same(ownWays.includes(way), true, `the member reads by ${way}, so its refusal means something`)
  same(await readers(createVisitor(url)), [], 'a stranger after the member reads nothing')
  await site.take(grantId)
  await member.get('/membership/pass', json)
  same(await readers(member), [], 'access that ended opens nothing with the next pass')
  return count()
}
