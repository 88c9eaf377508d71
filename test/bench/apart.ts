import { spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import type { TestDatabase } from '../support/databases.ts'
import { databaseTitle, ratio, report, table } from './report.ts'

const connections = 64
const perRound = 3000
const handName = 'a composition by hand'
const thinName = 'a thin server'
const buyers = 800
const begun = Math.floor(Date.now() / 1000) - 5 * 86_400

interface Server {
  readonly database: string
  readonly name: string
  readonly port: number
  readonly stop: () => void
  readonly cpu: number[]
  readonly seconds: number[]
}

/**
 * A second comparison, written apart from the others: a Koa composition by hand that stores the same in one
 * commit per turn, and a thin server that stores the body alone, beside the package, at 64 connections. All
 * take turns in each round; every tenth event is a new buyer's first.
 */
export async function benchApart(
  database: TestDatabase,
  rounds: number,
  earlier: string | null,
): Promise<Server[]> {
  const open = (name: string, ...args: readonly string[]) => start(databaseTitle(database), name, ...args)
  const servers = [
    await open(handName, 'hand', await database.url()),
    await open(thinName, 'thin', await database.emptyUrl()),
    await open('membership', 'own', await database.url()),
    ...(earlier === null
      ? []
      : [await open('membership, the commit before', 'own', await database.emptyUrl(), earlier)]),
  ]
  for (let round = -4; round < rounds; round++)
    // Whichever comes second finds the machine as the first one left it, so they change places.
    for (const server of round % 2 === 0 ? servers : [...servers].reverse()) {
      // One list for all connections, in the order of the events.
      const requests = Array.from({ length: perRound }, (_, n) =>
        request((round + 4) * perRound + n),
      ).values()
      const before = await cpuOf(server)
      const from = performance.now()
      await Promise.all(Array.from({ length: connections }, () => browse(server.port, requests)))
      if (round < 0) continue
      server.seconds.push((performance.now() - from) / 1000)
      server.cpu.push((await cpuOf(server)) - before)
    }
  for (const { stop } of servers) stop()
  return servers
}

export function printApart(servers: readonly Server[]): void {
  const beside = (wanted: string) => (of: Server) =>
    servers.find(({ database, name }) => database === of.database && name === wanted)!
  const [byHand, thinly] = [beside(handName), beside(thinName)]
  const share = (of: readonly number[], to: readonly number[]) =>
    ratio(middle(of.map((_, round) => to[round]! / of[round]!)))
  report(
    'apart',
    `A composition by hand, one commit per turn, ${connections} connections`,
    table(
      servers.filter(({ name }) => name !== handName && name !== thinName),
      {
        database: ({ database }) => database,
        server: ({ name }) => name,
        'rate by CPU, of by hand': (server) => share(server.cpu, byHand(server).cpu),
        'events a second, of by hand': (server) => share(server.seconds, byHand(server).seconds),
        'rate by CPU, of a thin server': (server) => share(server.cpu, thinly(server).cpu),
        'events a second, of a thin server': (server) => share(server.seconds, thinly(server).seconds),
      },
      {
        'CPU µs an event': ({ cpu }) => (middle(cpu) / perRound).toFixed(0),
        'events/s': ({ seconds }) => (perRound / middle(seconds)).toFixed(0),
      },
    ),
  )
}

function middle(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

async function start(database: string, name: string, ...args: readonly string[]): Promise<Server> {
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', join(import.meta.dirname, 'apart-server.ts'), ...args],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const over = once(child, 'exit').then(() => Promise.reject(new Error(`${name} did not start`)))
  const [line] = (await Promise.race([once(child.stdout, 'data'), over])) as [Buffer]
  return { database, name, port: Number(line.toString()), stop: () => child.kill(), cpu: [], seconds: [] }
}

async function cpuOf({ port }: Server): Promise<number> {
  return Number(await (await fetch(`http://127.0.0.1:${port}/cpu`)).text())
}

/** The n-th delivery, signed. */
function request(n: number): Buffer {
  const buyer = n % 10 === 9 ? `new${n}` : String(n % buyers)
  const seconds = begun + n
  const period = { current_period_start: begun - 86_400, current_period_end: begun + 29 * 86_400 }
  const price = {
    id: 'price_gold',
    object: 'price',
    active: true,
    billing_scheme: 'per_unit',
    created: begun,
    currency: 'eur',
    livemode: false,
    metadata: {},
    nickname: 'Gold',
    product: 'prod_gold',
    recurring: { interval: 'month', interval_count: 1, usage_type: 'licensed' },
    type: 'recurring',
    unit_amount: 1900,
    unit_amount_decimal: '1900',
  }
  const subscription = {
    id: `sub_${buyer}`,
    object: 'subscription',
    application: null,
    automatic_tax: { enabled: false },
    billing_cycle_anchor: begun,
    cancel_at: null,
    cancel_at_period_end: false,
    canceled_at: null,
    collection_method: 'charge_automatically',
    created: begun,
    currency: 'eur',
    customer: `cus_${buyer}`,
    default_payment_method: `pm_${buyer}`,
    description: 'd'.repeat(1500),
    discounts: [],
    ended_at: null,
    items: {
      object: 'list',
      data: [
        { id: `si_${buyer}`, object: 'subscription_item', created: begun, ...period, price, quantity: 1 },
      ],
      has_more: false,
      url: `/v1/subscription_items?subscription=sub_${buyer}`,
    },
    latest_invoice: `in_${n}`,
    livemode: false,
    metadata: { seen: String(n) },
    start_date: begun,
    status: 'active',
    trial_end: null,
    trial_start: null,
  }
  const event = {
    id: `evt_apart_${n}`,
    object: 'event',
    api_version: '2025-10-29.clover',
    created: seconds,
    data: { object: subscription, previous_attributes: { metadata: { seen: String(n - buyers) } } },
    livemode: false,
    pending_webhooks: 1,
    request: { id: null, idempotency_key: null },
    type: 'customer.subscription.updated',
  }
  const body = Buffer.from(JSON.stringify(event))
  const t = Math.floor(Date.now() / 1000)
  const v1 = createHmac('sha256', 'whsec_apart').update(`${t}.`).update(body).digest('hex')
  const head = [
    'POST /membership/webhooks/stripe HTTP/1.1',
    'Host: bench',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${body.length}`,
    `Stripe-Signature: t=${t},v1=${v1}`,
  ]
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body])
}

/** One connection: a delivery, its answer, the next delivery. */
async function browse(port: number, requests: Iterable<Buffer>): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await once(socket, 'connect')
  for (const next of requests) {
    socket.write(next)
    const answer = await answerOf(socket)
    if (!answer.startsWith('HTTP/1.1 200') || !answer.includes('"processed"')) throw new Error(answer)
  }
  socket.end()
}

function answerOf(socket: Socket): Promise<string> {
  return new Promise((done, failed) => {
    let text = ''
    const take = (piece: Buffer) => {
      text += piece.toString('latin1')
      const head = text.indexOf('\r\n\r\n')
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? Number.NaN)
      if (head < 0 || text.length < head + 4 + length) return
      socket.off('data', take).off('error', failed)
      done(text)
    }
    socket.on('data', take).on('error', failed)
  })
}
