// One of several processes that take messages about the same customers:
// node --import tsx hot-process.ts DATABASE_URL INDEX PROCESSES COUNT CUSTOMERS CONNECTIONS
// Prints "ready", begins when it is told anything, and prints one line of JSON.
import { once } from 'node:events'
import { createMembership } from '../../src/index.ts'
import { signed } from '../../src/testkit/index.ts'
import { percentile, secret } from './events.ts'
import { hotEvent } from './hot-events.ts'

const [url = '', ...numbers] = process.argv.slice(2)
const [index = 0, processes = 1, count = 1, customers = 1, connections = 1] = numbers.map(Number)

const log: string[] = []
const m = await createMembership({
  'membership.database.url': url,
  'membership.providers.stripe.webhook': secret,
  install: false,
  'membership.compare.automatic': false,
  root: false,
  log: (message, details) => details && log.push(`${message} ${JSON.stringify(details)}`),
})
// A process that runs for days has its code compiled.
const warmUp = 6000
function sign(event: object) {
  return signed('stripe', Buffer.from(JSON.stringify(event)), { secret })
}
// In turns, as a balancer hands them out: messages about one customer meet in every process.
const deliveries = Array.from({ length: count }, (_, n) => n)
  .filter((n) => n % processes === index)
  .map((n) => sign(hotEvent(n, customers)))

function receive(delivery: ReturnType<typeof sign>) {
  return m.webhooks.receive('stripe', delivery)
}
await Promise.all(
  Array.from({ length: 32 }, async (_, i) => {
    for (let n = i; n < warmUp; n += 32) await receive(sign(hotEvent(n, 200, `warm_${index}_`)))
  }),
)
console.log('ready')
await once(process.stdin, 'data')
const cpu = process.cpuUsage()
const times: number[] = []
const refused: string[] = []
let next = 0
async function run() {
  for (let delivery = deliveries[next++]; delivery; delivery = deliveries[next++]) {
    const begun = performance.now()
    await receive(delivery).catch((error: unknown) => refused.push(String(error)))
    times.push(performance.now() - begun)
  }
}
await Promise.all(Array.from({ length: connections }, run))
const { user, system } = process.cpuUsage(cpu)
times.sort((a, b) => a - b)
console.log(
  JSON.stringify({
    cpu: (user + system) / 1e6,
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
    refused: refused.length,
    why: refused[0] ?? log[0] ?? null,
  }),
)
await m.close()
process.exit(0)
