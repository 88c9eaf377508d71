// The load generator: node reports-load.mjs PORT CONNECTIONS SECONDS HEADERS_AS_JSON. Prints one line of JSON.
import { connect } from 'node:net'

const [port, connections, seconds] = process.argv.slice(2, 5).map(Number)
const headers = JSON.parse(process.argv[5] ?? '{}')
const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
const request = Buffer.from(`GET /reports HTTP/1.1\r\nHost: index.example\r\n${lines.join('')}\r\n`)

const times = []
let refused = 0
const end = performance.now() + seconds * 1000
const begun = performance.now()

const run = () =>
  new Promise((done, failed) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    let sent = 0
    let missing = -1
    const send = () => {
      if (performance.now() > end) {
        socket.end()
        return done()
      }
      missing = -1
      sent = performance.now()
      socket.write(request)
    }
    socket.on('connect', send)
    socket.on('error', failed)
    socket.on('data', (chunk) => {
      if (missing < 0) {
        const head = chunk.indexOf('\r\n\r\n')
        const text = chunk.toString('latin1', 0, head)
        const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0)
        if (!/^HTTP\/1.1 (200|304)/.test(text)) refused++
        missing = length - (chunk.length - head - 4)
      } else missing -= chunk.length
      if (missing > 0) return
      times.push(performance.now() - sent)
      send()
    })
  })

await Promise.all(Array.from({ length: connections }, run))
times.sort((a, b) => a - b)
console.log(
  JSON.stringify({
    perSecond: times.length / ((performance.now() - begun) / 1000),
    p99: times[Math.floor(times.length * 0.99)],
    count: times.length,
    refused,
  }),
)
