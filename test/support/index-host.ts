import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import { createMembership, type Membership, type MembershipOptions } from '../../src/index.ts'
import { atNewest } from './databases.ts'
import type { Web } from './web.ts'

/** A clock that stands still until it is moved. */
export function createClock(at = '2026-03-01T10:20:30.000Z') {
  let time = Date.parse(at)
  return {
    now: () => new Date(time),
    set: (iso: string) => {
      time = Date.parse(iso)
    },
    move: (ms: number) => {
      time += ms
    },
  }
}

/** A website index on loopback: an instance whose routes stand alone, one partner, one key. */
export async function startIndex(
  web: Web,
  { url = 'sqlite::memory:', ...more }: MembershipOptions & { url?: string } = {},
) {
  const m = await createMembership({
    install: false,
    root: false,
    log: () => {},
    'membership.database.url': await atNewest(url),
    ...(url.startsWith('sqlite:')
      ? { 'membership.database.synchronous': 'normal' }
      : { 'membership.database.pool': 3 }),
    'membership.reports.system': 'kirby',
    'membership.reports.contact': 'index@operator.example',
    'membership.reports.crawl.enabled': false,
    'membership.reports.crawl.pause_seconds': 0,
    'membership.reports.limit_visits': 10_000,
    'membership.reports.limit': 10_000,
    reports: web.options,
    ...more,
  })
  const app = new Koa()
  app.silent = true
  app.use(m.reports.koa())
  const server = createServer(app.callback())
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    m,
    site,
    /** A partner with a key of its own. */
    partner: (name: string) => addPartner(m, site, name),
    close: async () => {
      await new Promise<void>((done) => {
        server.close(() => done())
        server.closeAllConnections()
      })
      await m.close()
    },
  }
}
export type Index = Awaited<ReturnType<typeof startIndex>>

async function addPartner(m: Membership, site: string, name: string) {
  const partner = await m.reports.partners.add({ name, email: `${name}@partner.example` })
  const { key, entry } = await m.reports.keys.issue(partner.id)
  return { id: partner.id, key, keyId: entry.id, ...clientOf(site, key) }
}

/** What a partner does with curl. */
export function clientOf(site: string, key: string) {
  const ask = (
    method: string,
    path: string,
    headers: Record<string, string> = {},
    body?: RequestInit['body'],
  ) =>
    fetch(new URL(path, site), {
      method,
      headers: { 'X-API-KEY': key, ...headers },
      body,
      ...(body instanceof ReadableStream ? { duplex: 'half' } : {}),
    } as RequestInit)
  return {
    ask,
    add: (url: string, headers?: Record<string, string>) =>
      ask('POST', `/reports?url=${encodeURIComponent(url)}`, headers),
    list: (query = '', headers?: Record<string, string>) => ask('GET', `/reports${query}`, headers),
    read: (id: string, query = '', headers?: Record<string, string>) =>
      ask('GET', `/reports/${id}${query}`, headers),
    refresh: (id: string, headers?: Record<string, string>) => ask('PATCH', `/reports/${id}`, headers),
    remove: (id: string, headers?: Record<string, string>) => ask('DELETE', `/reports/${id}`, headers),
    upload: (id: string, file: Uint8Array, headers?: Record<string, string>) => {
      const form = new FormData()
      form.set('preview', new Blob([new Uint8Array(file)], { type: 'image/jpeg' }), 'shot.jpg')
      return ask('POST', `/reports/${id}`, headers, form)
    },
  }
}
export type Client = ReturnType<typeof clientOf>
