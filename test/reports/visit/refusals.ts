// Every address that must not be reached, tried three ways; then websites and pictures that are refused: npm run refusals
import { existsSync, readFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { join } from 'node:path'
import ipaddr from 'ipaddr.js'
import { publicOnly } from '../../../src/reports/index.ts'
import { startIndex } from '../../support/index-host.ts'
import { startWeb } from '../../support/web.ts'
import { tryRules } from '../refusals-by-rule.ts'

/** The public lists of payloads, where they are. */
export const corpus = join(import.meta.dirname, '..', '..', '..', '..', 'shared', 'corpora', 'urls')

export interface Refusal {
  readonly payload: string
  readonly way: 'as it is' | 'by its name' | 'by redirect'
  /** A code, or the reason why the website could not be read. */
  readonly verdict: string
  /** Connections that were begun to anything but the redirecting website. */
  readonly connected: number
  /** The whole answer, without the address itself. */
  readonly answer: string
}

/** Addresses in every notation that a URL may have for what must not be reached. */
export const addresses: readonly string[] = [
  '2130706433',
  '0x7f000001',
  '017700000001',
  '127.1',
  '127.0.1',
  '①②⑦.⓪.⓪.①',
  '127。0。0。1',
  '0',
  '0x7f.1',
  '127.0.0.1',
  '127.255.255.254',
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '169.254.169.254',
  '168.63.129.16',
  '100.64.0.1',
  '100.100.100.200',
  '192.0.0.192',
  '192.0.2.1',
  '198.18.0.1',
  '198.51.100.7',
  '203.0.113.9',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '0.0.0.0',
  '[::]',
  '[::1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b:1::1]',
  '[2002:7f00:1::]',
  '[2001::4242]',
  '[2001:db8::1]',
  '[fe80::1]',
  '[fec0::1]',
  '[fc00::1]',
  '[fd12:3456::1]',
  '[ff02::1]',
  '[100::1]',
  '[3fff::1]',
  '[5f00::1]',
  '[::ffff:0:127.0.0.1]',
]

/** Addresses that are no public website in other ways. */
export const oddUrls: readonly string[] = [
  'http://localhost/',
  'http://localhost./',
  'http://foo/',
  'http://a..example.com/',
  'http://.example.com/',
  'http://user@example.com/',
  'http://user:secret@example.com/',
  'http://example.com:8080/',
  'https://example.com:22/',
  'ftp://example.com/',
  'file:///etc/passwd',
  'gopher://example.com/',
  'javascript:alert(1)',
  'data:text/html,x',
  'dict://example.com/',
  'http://printer.local/',
  'http://db.internal/',
  'http://metadata.google.internal/',
  // Names that no public name service knows, and the tree of addresses.
  'http://expyuzz4wqqyqhjn.onion/',
  'http://nas.home.arpa/',
  'http://1.0.0.127.in-addr.arpa/',
  'http://router.lan/',
  'http://co.uk/',
  'http://com/',
  'http://',
  '//example.com/',
  'example.com',
  '',
  `http://${'a'.repeat(64)}.example.com:81/`,
  `http://example.com/${'a'.repeat(3000)}`,
]

interface Payload {
  readonly url: string
  /** What its name service says, for the second way. */
  readonly address: string | null
}

export function payloads(): Payload[] {
  const listed = addresses.map((host) => `http://${host}/`)
  const files = existsSync(corpus) ? corpusUrls() : []
  return [...new Set([...listed, ...oddUrls, ...files])].map((url) => ({ url, address: addressOf(url) }))
}

function corpusUrls(): string[] {
  const read = (name: string) =>
    JSON.parse(readFileSync(join(corpus, name), 'utf8')) as { cases: Record<string, unknown>[] }
  const ranges = read('ip-ranges.dev.json').cases as { ip: string; family: number; public: boolean }[]
  const hosts = ranges
    .filter((range) => !range.public)
    .map(({ ip, family }) => (family === 6 ? `[${ip}]` : ip))
  return [
    ...(read('ssrf.dev.json').cases as { url: string }[]).map(({ url }) => url),
    ...hosts.map((host) => `http://${host}/`),
  ]
}

function addressOf(url: string): string | null {
  if (!URL.canParse(url)) return null
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '')
  return ipaddr.isValid(host) ? host : null
}

/** Tries each payload each way, on a real index that may reach one redirecting website and the public web. */
export async function tryAll(given: readonly Payload[]): Promise<Refusal[]> {
  let target = ''
  const web = await startWeb({
    'door.example': {
      '/robots.txt': (_, response) => void response.writeHead(404).end(),
      '/': (_, response) => void response.writeHead(302, { location: target }).end(),
    },
  })
  let named = ''
  const index = await startIndex(web, {
    reports: {
      resolve: async (host) => {
        if (host === 'door.example') return [{ address: '127.0.0.1', port: web.port }]
        if (host === 'innocent.com') return [{ address: named }]
        throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' })
      },
      policy: {
        allowsHost: (host) => host === 'door.example' || publicOnly.allowsHost(host),
        allowsAddress: (address, host) =>
          host === 'door.example' ? address === '127.0.0.1' : publicOnly.allowsAddress(address, host),
      },
    },
  })
  const { key } = await index.partner('ann')
  const watch = watchSockets(web.port)
  // A watch that sees nothing proves nothing.
  const probe = new Socket().on('error', () => {}).connect({ port: 1, host: '127.0.0.1' })
  probe.destroy()
  if (watch.begun() !== 1) throw new Error('connections are not seen')
  const rows: Refusal[] = []
  try {
    // Without a socket of our own: what is counted is what the index does.
    const add = async (payload: string, way: Refusal['way'], url: string) => {
      const before = watch.begun()
      const response = await index.m.fetch(
        new Request(`http://index.example/reports?url=${encodeURIComponent(url)}`, {
          method: 'POST',
          headers: { 'X-API-KEY': key },
        }),
      )
      const problem = (await response.json()) as Record<string, string>
      rows.push({
        payload,
        way,
        verdict: problem.reason ?? problem.code ?? String(response.status),
        connected: watch.begun() - before,
        answer: JSON.stringify({ ...problem, id: undefined })
          .replaceAll(url, '')
          .replaceAll(problem.id ?? '-', ''),
      })
      // The next one begins anew.
      if (problem.id !== undefined) await index.m.fetch(removal(problem.id, key))
    }
    for (const { url, address } of given) {
      await add(url, 'as it is', url)
      if (address !== null) {
        named = address
        await add(url, 'by its name', 'http://innocent.com/')
      }
      // A header cannot hold some of them: those cannot come this way.
      if (!/^[\t\x20-\x7e]+$/.test(url)) continue
      target = url
      await add(url, 'by redirect', 'http://door.example/')
    }
  } finally {
    watch.end()
    await index.close()
    await web.close()
  }
  return rows
}

/** How many connections this process began, those to the redirecting website left out. */
function watchSockets(ownPort: number) {
  const { connect } = Socket.prototype
  let begun = 0
  Socket.prototype.connect = function (this: Socket, ...given: unknown[]) {
    // Node hands its own calls over as a list: the options first.
    const [first] = given.flat() as [{ port?: unknown }]
    if (Number(first?.port) !== ownPort) begun++
    return connect.apply(this, given as never)
  } as typeof connect
  return {
    begun: () => begun,
    end: () => {
      Socket.prototype.connect = connect
    },
  }
}

function removal(id: string, key: string) {
  return new Request(`http://index.example/reports/${id}`, {
    method: 'DELETE',
    headers: { 'X-API-KEY': key },
  })
}

if (process.argv[1] === import.meta.filename) {
  const rows = await tryAll(payloads())
  for (const { payload, way, verdict, connected } of rows)
    console.log(
      `${payload.slice(0, 70).padEnd(70)}  ${way.padEnd(11)}  ${verdict.padEnd(22)}  ${connected === 0 ? 'not connected' : `${connected} CONNECTED`}`,
    )
  const reached = rows.filter(({ connected }) => connected > 0).length
  console.log(
    `\n${rows.length} tries, ${reached} connected${existsSync(corpus) ? '' : ' (the public lists are not here)'}`,
  )
  const rules = await tryRules()
  for (const { rule, what, expected, verdict } of rules)
    console.log(
      `${rule.padEnd(22)}  ${what.padEnd(46)}  ${verdict}${verdict === expected ? '' : ` INSTEAD OF ${expected}`}`,
    )
  process.exitCode = reached === 0 && rules.every(({ expected, verdict }) => verdict === expected) ? 0 : 1
}
