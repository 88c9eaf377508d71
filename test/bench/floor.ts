import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import type { TestDatabase } from '../support/databases.ts'
import { benchEvent, customers, median, percentile, signature } from './events.ts'
import { databaseTitle, ratio, report, table } from './report.ts'

/** One kind of message at so many connections: CPU of each part in µs an event, and how long ours took in ms. */
interface Measured {
  readonly database: string
  readonly connections: number
  readonly message: string
  readonly http: number[]
  readonly bare: number[]
  readonly hand: number[]
  readonly own: number[]
  /** The package of another commit; empty without one. */
  readonly before: number[]
  readonly p50: number[]
  readonly p99: number[]
}

const kinds = [
  { name: 'a known customer', customers },
  // Each message is the first that is heard of its customer.
  { name: 'a customer nobody had told of', customers: 0 },
]
const warmUps = 6

/**
 * What an acknowledged event costs in CPU of the server's process, beside the sum of what cannot be saved: a bare server
 * that verifies it, and the bare statements that leave the same rows, as many in one commit as there are connections.
 * The statements alone run without a pause, so that a lone one is cheaper than it can be beside a server: what both cost
 * together, written by hand, stands beside their sum. All parts in turn in short rounds; the load is this process's.
 * `earlier` is the folder of another commit, built, which takes its turns, too.
 */
export async function benchFloor(
  database: TestDatabase,
  rounds: number,
  earlier: string | null,
): Promise<Measured[]> {
  const [http, bare, hand, own, before] = await Promise.all([
    start('http', ''),
    start('bare', await database.url()),
    start('hand', await database.url()),
    start('own', await database.url()),
    earlier === null ? null : start('own', await database.emptyUrl(), earlier),
  ])
  let first = 1
  const rows: Measured[] = []
  for (const connections of [1, 64])
    for (const { name, customers: among } of kinds) {
      const count = connections === 1 ? 500 : 2000
      const measured: Measured = {
        database: databaseTitle(database),
        connections,
        message: name,
        http: [],
        bare: [],
        hand: [],
        own: [],
        before: [],
        p50: [],
        p99: [],
      }
      for (let round = -warmUps; round < rounds; round++) {
        const place = { first, count, among, connections }
        first += count
        const verified = await load(http.port, place)
        const asked = `first=${place.first}&count=${count}&batch=${connections}&customers=${among}`
        const stated = Number(await text(`http://127.0.0.1:${bare.port}/?${asked}`))
        const written = await load(hand.port, place)
        // Whichever comes second finds the machine as the first one left it, so they change places.
        const then = before && round % 2 === 0 ? await load(before.port, place) : null
        const ours = await load(own.port, place)
        const earlierToo = then ?? (before ? await load(before.port, place) : null)
        if (round < 0) continue
        if (earlierToo) measured.before.push(earlierToo.cpu / count)
        measured.http.push(verified.cpu / count)
        measured.bare.push(stated / count)
        measured.hand.push(written.cpu / count)
        measured.own.push(ours.cpu / count)
        measured.p50.push(percentile(ours.times, 0.5))
        measured.p99.push(percentile(ours.times, 0.99))
      }
      rows.push(measured)
    }
  for (const item of [http, bare, hand, own, before]) item?.stop()
  return rows
}

export function printFloor(rows: readonly Measured[]): void {
  // Of each round, so that what the machine did meanwhile met all of them.
  const share = (own: readonly number[], of: (round: number) => number) =>
    ratio(median(own.map((us, round) => us / of(round))))
  const cpu = (us: readonly number[]) => median(us).toFixed(0)
  report(
    'floor',
    'A webhook by its floor: CPU of an event',
    table(
      rows,
      {
        database: ({ database }) => database,
        connections: ({ connections }) => connections,
        'message of': ({ message }) => message,
        'of the sum': ({ own, http, bare }) => share(own, (round) => http[round]! + bare[round]!),
        'of both by hand': ({ own, hand }) => share(own, (round) => hand[round]!),
        'of the commit before': ({ own, before }) =>
          before.length === 0 ? '' : share(own, (round) => before[round]!),
      },
      {
        'node:http, HMAC, µs': ({ http }) => cpu(http),
        'the statements, µs': ({ bare }) => cpu(bare),
        'both by hand, µs': ({ hand }) => cpu(hand),
        'membership, µs': ({ own }) => cpu(own),
        'p50 ms': ({ p50 }) => median(p50).toFixed(2),
        'p99 ms': ({ p99 }) => median(p99).toFixed(2),
      },
    ),
  )
}

async function start(...args: readonly string[]) {
  const file = new URL('floor-server.ts', import.meta.url).pathname
  const child = spawn(process.execPath, ['--import', 'tsx', file, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const gone = once(child, 'exit').then(() => Promise.reject(new Error(`${args[0]} did not start`)))
  const [line] = await Promise.race([once(child.stdout, 'data'), gone])
  return { port: Number(String(line)), stop: () => child.kill() }
}

async function text(url: string): Promise<string> {
  return (await fetch(url)).text()
}

interface Place {
  readonly first: number
  readonly count: number
  readonly among: number
  readonly connections: number
}

async function load(port: number, { first, count, among, connections }: Place) {
  // Signed before the clock starts.
  const requests = Array.from({ length: count }, (_, n) => {
    const body = benchEvent(`evt_${first + n}`, among > 0 ? n % among : first + n, first + n)
    const head = `POST /membership/webhooks/stripe${among > 0 ? '' : '?new'} HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nStripe-Signature: ${signature(body)}\r\n\r\n`
    return Buffer.concat([Buffer.from(head), body])
  })
  const times: number[] = []
  const before = Number(await text(`http://127.0.0.1:${port}/cpu`))
  let sent = 0
  const next = () => requests[sent++]
  await Promise.all(Array.from({ length: connections }, () => send(port, next, times)))
  const cpu = Number(await text(`http://127.0.0.1:${port}/cpu`)) - before
  return { cpu, times: times.sort((a, b) => a - b) }
}

/** One line, on which one message after the other is sent and waited for. */
function send(port: number, next: () => Buffer | undefined, times: number[]): Promise<void> {
  return new Promise((done, failed) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    let begun = 0
    const go = () => {
      const request = next()
      begun = performance.now()
      if (request) return socket.write(request)
      socket.end()
      return done()
    }
    let answer = ''
    socket.on('connect', go).on('error', failed)
    socket.on('data', (piece) => {
      answer += piece.toString('latin1')
      const end = answer.indexOf('\r\n\r\n')
      const isWhole = end > 0 && (answer.endsWith('}') || answer.endsWith('0\r\n\r\n'))
      if (!isWhole) return
      times.push(performance.now() - begun)
      const isTaken = answer.startsWith('HTTP/1.1 200')
      if (!isTaken) return failed(new Error(answer))
      answer = ''
      return go()
    })
  })
}
