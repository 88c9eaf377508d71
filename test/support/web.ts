import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ReportsOptions } from '../../src/reports/index.ts'

export type Page = string | ((request: IncomingMessage, response: ServerResponse) => void)

/**
 * A web of our own on loopback: hosts by name, pages by path. Its name service and policy know nothing else.
 * With several `addresses`, hosts that have a number in their name are spread over them.
 */
export async function startWeb(hosts: Record<string, Record<string, Page>> = {}, addresses = 1) {
  const asked: { host: string; path: string; at: number; line: string }[] = []
  const answers = new Map<string, readonly string[]>()
  const txt = new Map<string, string[][]>()
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    const host = String(request.headers.host).replace(/:\d+$/, '')
    const path = request.url ?? '/'
    const { remoteAddress, remotePort } = request.socket
    asked.push({ host, path, at: Date.now(), line: `${remoteAddress}:${remotePort}` })
    const page = hosts[host]?.[path]
    if (typeof page === 'function') return page(request, response)
    if (page === undefined)
      return void response.writeHead(404, { 'content-type': 'text/html' }).end('<title>Not here</title>')
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page)
  }
  const servers = Array.from({ length: addresses }, () => createServer(listener))
  let port = 0
  for (const [i, server] of servers.entries()) {
    await new Promise<void>((done) => server.listen(port, `127.0.0.${i + 1}`, done))
    port = (server.address() as AddressInfo).port
  }

  const options: ReportsOptions = {
    resolve: async (host) => {
      const given = answers.get(host)
      if (given) return given.map((address) => ({ address, port }))
      if (hosts[host]) return [{ address: addressOf(host, addresses), port }]
      throw Object.assign(new Error(`no ${host}`), { code: 'ENOTFOUND' })
    },
    resolveTxt: async (host) => {
      const records = txt.get(host)
      if (records) return records
      throw Object.assign(new Error(`no TXT of ${host}`), { code: 'ENODATA' })
    },
    policy: {
      allowsHost: (host) => host.endsWith('.example'),
      allowsAddress: (address) => servers.some((_, i) => address === `127.0.0.${i + 1}`),
    },
    chance: () => 0.5,
  }
  return {
    hosts,
    asked,
    port,
    /** What the name service says of a host, in place of loopback. */
    answers,
    /** The TXT records of a host. */
    txt,
    options,
    close: () =>
      Promise.all(
        servers.map(
          (server) =>
            new Promise<void>((done) => {
              server.close(() => done())
              server.closeAllConnections()
            }),
        ),
      ),
  }
}
export type Web = Awaited<ReturnType<typeof startWeb>>

/** Where a host lives: the same for whoever asks. */
export function addressOf(host: string, addresses: number): string {
  return `127.0.0.${1 + (Number(/\d+/.exec(host)?.[0] ?? 0) % addresses)}`
}

/** A page of the system that the tests' index is for. */
export function kirbyPage(title = 'A site', body = ''): string {
  return (
    `<!doctype html><html lang="en"><head><title>${title}</title><meta name="description" content="About ${title}">` +
    '<meta name="generator" content="Kirby 4.5.0"><link rel="icon" href="/favicon.png"></head>' +
    `<body><img src="/media/pages/home/0a1b2c3d4e-1700000000/cover-800x.jpg" alt="">${body}</body></html>`
  )
}

export function plainPage(title = 'By hand'): string {
  return `<!doctype html><html lang="en"><head><title>${title}</title></head><body><p>Nothing special.</p></body></html>`
}
