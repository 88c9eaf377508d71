import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
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
}

/** A site with planted leaks: see docs/testing.md. */
export interface LeakFixture {
  readonly plans: readonly string[]
  readonly texts: Readonly<Record<string, string>>
  readonly routes: Readonly<Record<string, Route>>
  readonly leaks: readonly { readonly kind: string; readonly at: string; readonly reader?: string }[]
  readonly audit?: { readonly sitemaps?: readonly string[]; readonly addresses?: readonly string[] }
}

export const readLeakFixture = (name: string): LeakFixture =>
  parse(readFileSync(new URL(`../fixtures/leaks/${name}.yml`, import.meta.url), 'utf8')) as LeakFixture

/** Serves a fixture on loopback, behind a site of this package. */
export async function openLeakySite(t: Pick<ExecutionContext, 'teardown'>, fixture: LeakFixture) {
  const plans = Object.fromEntries(fixture.plans.map((plan) => [plan, { prices: [`price_${plan}`] }]))
  const m = await createMembership({
    ...(await freshDatabase()),
    'membership.secret': 'a secret of the planted site, long enough',
    'membership.providers.sandbox': { plans },
    'membership.provider.handler': 'sandbox',
    'membership.ratelimit.limit': 100_000,
    ...{ install: false, root: false, log: () => undefined },
  })
  t.teardown(() => m.close())
  const asked: string[] = []
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
    ctx.body = filled(body, fixture.texts)
    ctx.type = route.type ?? 'html'
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

/** Puts texts into their places: `{{name}}`, or `{{name:json}}` as the inside of a JSON text. */
const filled = (body: string, texts: Readonly<Record<string, string>>): string =>
  body.replace(/\{\{(\w+)(:json)?\}\}/g, (_, name: string, isJson) => {
    const text = (texts[name] ?? '').trim()
    return isJson ? JSON.stringify(text).slice(1, -1) : text
  })
