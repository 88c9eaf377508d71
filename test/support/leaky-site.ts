import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import type { ExecutionContext } from 'ava'
import Koa, { type Context } from 'koa'
import { parse } from 'yaml'
import { createMembership } from '../../src/index.ts'
import type { View } from '../../src/memberships/members/index.ts'
import { freshDatabase } from './databases.ts'

/** One answer of a fixture: what nobody gets, and what a member gets where that differs. */
interface Route {
  readonly type?: string
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string
  readonly member?: { readonly body: string; readonly headers?: Readonly<Record<string, string>> }
  /** The plan that opens the member's answer; the first one unless given. */
  readonly plan?: string
  /** Sends the body as ISO 8859-1, without saying so in a header. */
  readonly latin1?: boolean
  /** Sends the body packed, as a file of that kind. */
  readonly gzip?: boolean
}

/** A site with planted leaks: see test/LABORATORY.md. */
export interface LeakFixture {
  readonly plans: readonly string[]
  readonly texts: Readonly<Record<string, string>>
  readonly routes: Readonly<Record<string, Route>>
  readonly leaks: readonly { readonly kind: string; readonly at: string; readonly reader?: string }[]
  readonly audit?: { readonly sitemaps?: readonly string[]; readonly addresses?: readonly string[] }
}

export function readLeakFixture(name: string): LeakFixture {
  return parse(readFileSync(new URL(`../fixtures/leaks/${name}.yml`, import.meta.url), 'utf8')) as LeakFixture
}

/** Serves a fixture on loopback, behind a site of this package. */
export async function openLeakySite(
  t: Pick<ExecutionContext, 'teardown'>,
  fixture: LeakFixture,
  { secondsPerPage = 0 }: { secondsPerPage?: number } = {},
) {
  const asked: string[] = []
  const began = Date.now()
  const now = () => new Date(secondsPerPage === 0 ? Date.now() : began + asked.length * secondsPerPage * 1000)
  const plans = Object.fromEntries(fixture.plans.map((plan) => [plan, { prices: [`price_${plan}`] }]))
  const m = await createMembership({
    ...(await freshDatabase()),
    'membership.secret': 'a secret of the planted site, long enough',
    'membership.providers.sandbox': { plans },
    'membership.provider.handler': 'sandbox',
    'membership.ratelimit.limit': 100_000,
    install: false,
    root: false,
    log: () => undefined,
    now,
  })
  t.teardown(() => m.close())
  const app = new Koa()
  app.use(m.koa())
  app.use((ctx) => {
    asked.push(ctx.url)
    const view = (ctx as Context & { membership: View }).membership
    const route = fixture.routes[ctx.url] ?? fixture.routes[ctx.path]
    if (route === undefined) return
    const isOpen = route.member !== undefined && view.allows((route.plan ?? fixture.plans[0]!) as never)
    const { body, headers = {} } = isOpen ? route.member! : route
    ctx.status = route.status ?? 200
    const text = Buffer.from(filled(body, fixture.texts), route.latin1 ? 'latin1' : 'utf8')
    ctx.body = route.gzip ? gzipSync(text) : text
    if (route.latin1) ctx.set('Content-Type', route.type ?? 'text/html')
    else ctx.type = route.type ?? 'html'
    ctx.set(headers)
  })
  const server = createServer((request, response) => void app.callback()(request, response))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return { m, asked, site: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

/** Ways of writing a text: a JSON text's inside, base64, an address, or parts of a few words. */
const written: Readonly<Record<string, (text: string) => string>> = {
  json: (text) => JSON.stringify(text).slice(1, -1),
  base64: (text) => Buffer.from(text).toString('base64'),
  url: encodeURIComponent,
  hex: (text) => text.replace(/ /g, '\\x20'),
  /** Text nodes of an editor, three words each, every other one bold. */
  nodes: (text) =>
    JSON.stringify(
      (text.match(/(?:\S+\s*){1,3}/g) ?? []).map((part, n) => ({
        text: part,
        ...(n % 2 ? { bold: true } : {}),
      })),
    ),
  /** Every word with a tag and a soft hyphen inside. */
  split: (text) =>
    text.replace(
      /(\p{L}{2})(\p{L}+)/gu,
      (_, begin: string, end: string) => `<b>${begin}</b>&shy;<wbr>${end}`,
    ),
  twice: (text) => text.replace(/’/g, '&amp;#8217;').replace(/ü/g, '&amp;uuml;'),
}

/** Puts texts into their places: `{{name}}`, or `{{name:json}}` and the other ways of writing. */
function filled(body: string, texts: Readonly<Record<string, string>>): string {
  return body.replace(/\{\{(\w+)(?::(\w+))?\}\}/g, (_, name: string, way?: string) => {
    const text = (texts[name] ?? '').trim()
    return way === undefined ? text : written[way]!(text)
  })
}
