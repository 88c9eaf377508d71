import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { signed } from '../../src/testkit/index.ts'
import type { TestDatabase } from '../support/databases.ts'
import { stripeEvent, subscriptionObject } from '../support/stripe-events.ts'

const path = '/membership/webhooks/stripe'
const idle = 5000
const slow = 200
const large = 16

/**
 * What signed deliveries wait while 5 000 connections say nothing, 200 send slowly, and sixteen send 10 MB,
 * all from another address of this machine.
 */
export async function benchFlood(database: TestDatabase): Promise<void> {
  const url = await database.url()
  const host = join(import.meta.dirname, '..', 'support', 'crash-host.ts')
  const server = spawn(process.execPath, ['--import', 'tsx', host, url], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(server.stdout, 'data')) as [Buffer]
  const port = Number(line.toString().trim())
  const megabytes = (field: string) =>
    Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1]) /
    1024
  const sockets: Socket[] = []
  const open = async (address: string): Promise<Socket> => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: address })
    socket.on('error', () => undefined).on('data', () => undefined)
    sockets.push(socket)
    await Promise.race([once(socket, 'connect'), once(socket, 'close')])
    return socket
  }
  try {
    const before = await measure(port)
    const memory = megabytes('VmRSS')
    for (let i = 0; i < idle; i += 100)
      await Promise.all(Array.from({ length: 100 }, () => open('127.0.0.2')))
    for (let i = 0; i < slow; i++)
      (await open('127.0.0.3')).write(
        `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 1048576\r\n\r\n{"a`,
      )
    const trickle = setInterval(() => {
      for (const socket of sockets.slice(idle)) socket.write(' ')
    }, 500)
    const body = Buffer.alloc(10_000_000, 0x20)
    for (let i = 0; i < large; i++) void post(port, '127.0.0.4', body, {}).catch(() => undefined)
    const during = await measure(port)
    clearInterval(trickle)
    console.log(
      `\n### Deliveries in a flood, ${database.name === 'sqlite' ? 'SQLite' : 'PostgreSQL'}\n\n| | taken | p50 ms | longest ms |\n|---|---|---|---|\n${row('alone', before)}\n${row(`with ${idle} idle connections, ${slow} slow ones, ${large} of 10 MB`, during)}\n\nMemory ${Math.round(memory)} MB before, ${Math.round(megabytes('VmHWM'))} MB at most.`,
    )
    const refused = during.statuses.filter((status) => status !== 200)
    if (refused.length > 0) throw new Error(`signed deliveries were refused: ${refused.join(', ')}`)
    if (Math.max(...during.times) > 1000) throw new Error('a signed delivery waited for more than a second')
  } finally {
    for (const socket of sockets) socket.destroy()
    server.kill('SIGKILL')
  }
}

/** Signed deliveries, four at a time for four seconds, from the first address of the machine. */
async function measure(port: number) {
  const statuses: number[] = []
  const times: number[] = []
  const until = performance.now() + 4000
  const item = async () => {
    while (performance.now() < until) {
      const event = stripeEvent('customer.subscription.created', subscriptionObject())
      const { body, headers } = signed('stripe', event, { secret: 'whsec_crash' })
      const begun = performance.now()
      statuses.push(await post(port, '127.0.0.1', body, headers).catch(() => 0))
      times.push(performance.now() - begun)
      await pause(20)
    }
  }
  await Promise.all([item(), item(), item(), item()])
  return { statuses, times: times.sort((a, b) => a - b) }
}

function row(name: string, { statuses, times }: Awaited<ReturnType<typeof measure>>): string {
  return `| ${name} | ${statuses.filter((s) => s === 200).length} of ${statuses.length} | ${times[times.length >> 1]!.toFixed(1)} | ${times.at(-1)!.toFixed(1)} |`
}

async function post(
  port: number,
  localAddress: string,
  body: Buffer,
  headers: Record<string, string>,
): Promise<number> {
  const sending = request({
    port,
    host: '127.0.0.1',
    localAddress,
    method: 'POST',
    path,
    headers,
    agent: false,
  })
  // Whoever is cut off while it still sends may get its answer first.
  sending.on('error', () => undefined).end(body)
  const [answer] = (await once(sending, 'response')) as [IncomingMessage]
  answer.resume()
  return answer.statusCode ?? 0
}
