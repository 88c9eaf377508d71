import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'
import { packageFolder } from '../../core/pages/index.ts'
import { publicOnly, type ReportsOptions, resolveHost } from '../../reports/index.ts'

const page = z.object({
  html: z.string(),
  status: z.number().default(200),
  headers: z.record(z.string(), z.string()).default({ 'content-type': 'text/html; charset=utf-8' }),
})
const websites = z.record(z.string(), z.record(z.string(), page))

/**
 * The few websites that the demo's index can visit without a network. They are served on loopback at the
 * first visit. Only their names lead there; every other name is looked up and must be on the public web.
 */
export function demoWebsites(): Required<Pick<ReportsOptions, 'resolve' | 'policy'>> {
  const hosts = websites.parse(
    parse(readFileSync(join(packageFolder(), 'templates', 'content', 'websites.yml'), 'utf8')),
  )
  let serving: Promise<number> | null = null
  return {
    resolve: async (host) => {
      if (!Object.hasOwn(hosts, host)) return resolveHost(host)
      serving ??= serve(hosts)
      return [{ address: '127.0.0.1', port: await serving }]
    },
    policy: {
      allowsHost: (host) => Object.hasOwn(hosts, host) || publicOnly.allowsHost(host),
      allowsAddress: (address, host) =>
        Object.hasOwn(hosts, host) ? address === '127.0.0.1' : publicOnly.allowsAddress(address, host),
    },
  }
}

function serve(hosts: z.output<typeof websites>): Promise<number> {
  return new Promise((done, failed) => {
    const server = createServer((request, response) => {
      const host = String(request.headers.host).replace(/:\d+$/, '')
      const found = Object.hasOwn(hosts, host) ? hosts[host]?.[request.url ?? '/'] : undefined
      if (!found) return void response.writeHead(404, { 'content-type': 'text/html' }).end()
      response.writeHead(found.status, found.headers).end(found.html)
    })
    server.once('error', failed)
    server.listen(0, '127.0.0.1', () => {
      // The server ends with the process, and does not keep it alive.
      server.unref()
      done((server.address() as AddressInfo).port)
    })
  })
}
