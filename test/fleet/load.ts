import { setTimeout as pause } from 'node:timers/promises'
import { Pool } from 'undici'
import { percentile, signature } from '../bench/events.ts'
import { hotEvent } from '../bench/hot-events.ts'

/** One delivery of a provider's, and what became of it. */
export interface Sent {
  readonly id: string
  readonly status: number
  /** Until it was answered, and when that was: milliseconds. */
  readonly took: number
  readonly at: number
}

/** Whom deliveries go to: a process, or the proxy. */
export interface Target {
  readonly port: number
  readonly pool: Pool
}

/** So many connections to a port, one delivery at a time on each. */
export function toTarget(port: number, connections: number): Target {
  return {
    port,
    pool: new Pool(`http://127.0.0.1:${port}`, { connections, pipelining: 1, headersTimeout: 60_000 }),
  }
}

export const path = '/membership/webhooks/stripe'
export function headersOf(body: Buffer) {
  return {
    'content-type': 'application/json',
    'content-length': String(body.length),
    'stripe-signature': signature(body),
  }
}

/** A delivery, signed when it is sent. */
export interface Prepared {
  readonly id: string
  readonly body: Buffer
}

export function prepare(event: Readonly<Record<string, unknown>>): Prepared {
  return {
    id: String(event.id),
    body: Buffer.from(JSON.stringify(event)),
  }
}

/** Signs and sends one; a line that is cut is status 0. */
export function send(target: Target, event: Readonly<Record<string, unknown>>): Promise<Sent> {
  return sendPrepared(target, prepare(event))
}

export async function sendPrepared({ pool }: Target, { id, body }: Prepared): Promise<Sent> {
  const begun = performance.now()
  const status = await pool
    .request({ method: 'POST', path, headers: headersOf(body), body })
    .then(async (answer) => {
      await answer.body.dump()
      return answer.statusCode
    })
    .catch(() => 0)
  const at = performance.now()
  return { id, status, took: at - begun, at }
}

/** The numbers of a stream of messages, from one on; each is sent by whoever comes first. */
export function createStream(among: string, customers: number, first = 0) {
  let n = first
  return { next: () => hotEvent(n++, customers, among), sent: () => n - first }
}
export type Stream = ReturnType<typeof createStream>

/** So many messages over all targets, each with its connections full. */
export async function sendAll(
  targets: readonly Target[],
  stream: Stream,
  count: number,
  connections: number,
): Promise<Sent[]> {
  const all: Sent[] = []
  let left = count
  const worker = async (target: Target) => {
    while (left-- > 0) all.push(await send(target, stream.next()))
  }
  await Promise.all(targets.flatMap((target) => Array.from({ length: connections }, () => worker(target))))
  return all
}

/** Sends until told to end; what is not answered 200 is sent again, as providers do. Answers hold every try. */
export async function sendUntil(
  target: Target,
  stream: Stream,
  connections: number,
  isOver: () => boolean,
  againMs = 200,
): Promise<Sent[]> {
  const all: Sent[] = []
  const worker = async () => {
    while (!isOver()) {
      const event = stream.next()
      for (;;) {
        const sent = await send(target, event)
        all.push(sent)
        if (sent.status === 200 || isOver()) break
        await pause(againMs)
      }
    }
  }
  await Promise.all(Array.from({ length: connections }, worker))
  return all
}

/** Half, ninety-nine of a hundred, and the longest, in milliseconds. */
export function spread(sent: readonly Sent[]) {
  const times = sent.map(({ took }) => took).sort((a, b) => a - b)
  return { p50: percentile(times, 0.5), p99: percentile(times, 0.99), most: times.at(-1) ?? 0 }
}
