// One of the two that are compared: node crawl-client.mjs ours|plain PORT PAGES DATABASE_URL. Prints one line of JSON.
import { gunzipSync } from 'node:zlib'
import { Client } from 'undici'

const [kind, port, pages, url, adds] = process.argv.slice(2)
const total = Number(pages)
const warmUp = Math.ceil(total / 20)
const memory = []
const note = (count) => {
  if (count % Math.max(1, Math.floor(total / 10)) === 0) memory.push(process.memoryUsage().rss)
}

const addressOf = (n) => `127.0.0.${1 + (n % 64)}`

const ours = async () => {
  const { createMembership } = await import(new URL('../../dist/index.js', import.meta.url).href)
  const m = await createMembership({
    'membership.database.url': url,
    'membership.database.synchronous': 'normal',
    'membership.reports.system': 'kirby',
    'membership.reports.contact': 'index@operator.example',
    'membership.reports.crawl': { enabled: false, pause_seconds: 0, concurrency: 16 },
    root: false,
    log: () => {},
    reports: {
      resolve: async (host) => [
        { address: addressOf(Number(/site-(\d+)/.exec(host)?.[1])), port: Number(port) },
      ],
      policy: { allowsHost: () => true, allowsAddress: () => true },
    },
  })
  // A crawler that runs for days has its code compiled and its fingerprints read.
  await m.reports.crawl.run({ limit: warmUp })
  begin()
  await m.reports.crawl.run({ limit: total - warmUp, onProgress: ({ visited }) => note(visited) })
  const taken = end()
  if (adds) {
    // One partner adds one website after the other, as over HTTP but for the socket.
    const { key } = await firstKey(m)
    taken.addMs = await addOneByOne(m, key)
  }
  await m.close()
  return taken
}

const firstKey = async (m) => {
  const partner = await m.reports.partners.add({ name: 'Ann', email: 'ann@example.com' })
  return m.reports.keys.issue(partner.email)
}

const addOneByOne = async (m, key) => {
  const times = []
  for (let n = total; n < total + 20; n++) {
    const begun = performance.now()
    const answer = await m.fetch(
      new Request(`http://index.example/reports?url=http://www.site-${n}.example/`, {
        method: 'POST',
        headers: { 'X-API-KEY': key },
      }),
    )
    if (answer.status !== 201) throw new Error(`${answer.status} ${await answer.text()}`)
    times.push(performance.now() - begun)
  }
  return times.sort((a, b) => a - b)[10]
}

let begun = 0
let cpu
const begin = () => {
  begun = performance.now()
  cpu = process.cpuUsage()
}
const end = () => {
  const used = process.cpuUsage(cpu)
  return {
    perSecond: (total - warmUp) / ((performance.now() - begun) / 1000),
    perCore: (total - warmUp) / ((used.user + used.system) / 1e6),
    memory,
  }
}

// A connection for each host, robots.txt, then the page: what any crawler has to do, and nothing else.
const plain = async () => {
  let next = 0
  let last = 0
  const worker = async () => {
    while (next < last) {
      const n = next++
      const client = new Client(`http://${addressOf(n)}:${port}`)
      for (const path of ['/robots.txt', '/']) {
        const { headers, body } = await client.request({
          method: 'GET',
          path,
          headers: { host: `www.site-${n}.example`, 'accept-encoding': 'gzip' },
        })
        const bytes = Buffer.from(await body.arrayBuffer())
        if (headers['content-encoding'] === 'gzip') gunzipSync(bytes).toString('utf8')
      }
      await client.close()
      note(n + 1)
    }
  }
  const visit = (count) => {
    last += count
    return Promise.all(Array.from({ length: 16 }, worker))
  }
  await visit(warmUp)
  begin()
  await visit(total - warmUp)
  return end()
}

console.log(JSON.stringify(await (kind === 'ours' ? ours() : plain())))
