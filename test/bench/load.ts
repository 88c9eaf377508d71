// The load generator, a process of its own: node --import tsx load.ts PORT CONNECTIONS SECONDS FIRST_VERSION
// Bodies are signed before the clock starts. Prints one line of JSON.
import { connect } from 'node:net'
import { benchEvent, customers, percentile, signature } from './events.ts'

const [port = 0, connections = 1, seconds = 1, firstVersion = 1, perSecond = 6000] = process.argv
  .slice(2)
  .map(Number)

const total = Math.ceil(seconds * perSecond)
const requests = Array.from({ length: total }, (_, i) => {
  const customer = i % customers
  const version = firstVersion + Math.floor(i / customers)
  const body = benchEvent(`evt_${firstVersion}_${i}`, customer, version)
  const head = `POST /membership/webhooks/stripe HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nStripe-Signature: ${signature(body)}\r\n\r\n`
  return { customer, version, bytes: Buffer.concat([Buffer.from(head), body]) }
})

const times: number[] = []
const acknowledged = new Map<number, number>()
let next = 0
let refused = 0
const begun = performance.now()
const end = begun + seconds * 1000

function run() {
  return new Promise<void>((done, failed) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    let sent = 0
    let current = requests[0]!
    let text = ''
    const send = () => {
      if (performance.now() > end || next >= requests.length) {
        socket.end()
        return done()
      }
      current = requests[next++]!
      text = ''
      sent = performance.now()
      socket.write(current.bytes)
    }
    socket.on('connect', send)
    socket.on('error', failed)
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      const headEnd = text.indexOf('\r\n\r\n')
      if (headEnd < 0) return
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0)
      if (text.length < headEnd + 4 + length) return
      times.push(performance.now() - sent)
      if (text.startsWith('HTTP/1.1 200'))
        acknowledged.set(current.customer, Math.max(acknowledged.get(current.customer) ?? 0, current.version))
      else refused++
      send()
    })
  })
}

await Promise.all(Array.from({ length: connections }, run))
const elapsed = (performance.now() - begun) / 1000
times.sort((a, b) => a - b)
console.log(
  JSON.stringify({
    perSecond: times.length / elapsed,
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
    count: times.length,
    refused,
    ranOut: next >= requests.length,
    acknowledged: [...acknowledged],
  }),
)
