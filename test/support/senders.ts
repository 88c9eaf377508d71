import { once } from 'node:events'
import { createServer, request as httpRequest } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import type { ExecutionContext } from 'ava'
import express from 'express'
import Koa from 'koa'
import { createMembership, type Membership, type MembershipOptions } from '../../src/index.ts'
import { freshDatabase } from './databases.ts'
import { secret } from './host.ts'

/** A request as a stranger may send it: piece by piece, without an end, or cut off after its last piece. */
export interface Sending {
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>
  readonly isCut?: boolean
  /** An address of this machine: 127.0.0.1 to 127.255.255.254. */
  readonly address?: string
}

/** What came back; status 0 where nothing did. */
export interface Answer {
  readonly status: number
  readonly code: string | null
  readonly header: (name: string) => string | null
}

export interface Sender {
  readonly m: Membership
  readonly log: string[]
  send(sending: Sending): Promise<Answer>
}

/** Every way in which a site is reached, each with an instance of its own. */
export const hosts: Record<string, (t: ExecutionContext, options?: MembershipOptions) => Promise<Sender>> = {
  Koa: async (t, options) => {
    const { m, log } = await open(t, options)
    return {
      m,
      log,
      send: await onSockets(t, Object.assign(new Koa(), { silent: true }).use(m.koa()).callback()),
    }
  },
  'a Node listener': async (t, options) => {
    const { m, log } = await open(t, options)
    return { m, log, send: await onSockets(t, m.listener()) }
  },
  Express: async (t, options) => {
    const { m, log } = await open(t, options)
    return { m, log, send: await onSockets(t, express().use(m.listener()) as never) }
  },
  fetch: async (t, options) => {
    const { m, log } = await open(t, options)
    return { m, log, send: throughFetch(m) }
  },
}

async function open(t: ExecutionContext, options: MembershipOptions = {}) {
  const log: string[] = []
  const m = await createMembership({
    ...(await freshDatabase()),
    'membership.providers.stripe.webhook': secret,
    install: false,
    'membership.compare.automatic': false,
    root: false,
    log: (message, details) => log.push(`${message} ${JSON.stringify(details ?? {})}`),
    ...options,
  })
  t.teardown(() => m.close())
  return { m, log }
}

async function onSockets(t: ExecutionContext, listener: Parameters<typeof createServer>[1]) {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await new Promise((ready) => server.once('listening', ready))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return overHttp((server.address() as AddressInfo).port)
}

/** Sends over a connection of its own. */
export function overHttp(port: number) {
  return ({ path = hook, headers, pieces, isCut, address }: Sending): Promise<Answer> =>
    new Promise((done) => {
      const sending = httpRequest({
        port,
        host: '127.0.0.1',
        localAddress: address,
        method: 'POST',
        path,
        // Whoever says that it closes is not read to the end of what it sends.
        headers: { connection: 'keep-alive', ...headers },
        agent: false,
      })
      let isOver = false
      const closed = once(sending, 'close')
      sending.on('error', () => finish({ status: 0, code: null, header: () => null }))
      const finish = (answer: Answer) => {
        isOver = true
        done(answer)
        sending.destroy()
      }
      sending.on('response', async (answer) => {
        const text = Buffer.concat(await answer.toArray().catch(() => [])).toString()
        const header = (name: string) => answer.headers[name]?.toString() ?? null
        finish({ status: answer.statusCode ?? 0, code: codeOf(text), header })
      })
      const write = async () => {
        sending.flushHeaders()
        for await (const piece of pieces) {
          if (isOver) return
          await Promise.race([closed, new Promise((next) => sending.write(piece, next))])
        }
        if (isCut) sending.destroy()
        else sending.end()
      }
      void write()
    })
}

function throughFetch(m: Membership) {
  return async ({ path = hook, headers, pieces, isCut, address }: Sending): Promise<Answer> => {
    const all = Symbol.asyncIterator in pieces ? pieces[Symbol.asyncIterator]() : pieces[Symbol.iterator]()
    const body = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        const next = await all.next()
        if (!next.done) controller.enqueue(next.value)
        else if (isCut) controller.error(new Error('the connection was cut'))
        else controller.close()
      },
    })
    const init = { method: 'POST', headers, body, duplex: 'half' } as RequestInit
    const answer = await m.fetch(new Request(`http://site.example${path}`, init), { address })
    return {
      status: answer.status,
      code: codeOf(await answer.text()),
      header: (name) => answer.headers.get(name),
    }
  }
}

const hook = '/membership/webhooks/stripe'

function codeOf(text: string): string | null {
  return /"code":"(\w+)"/.exec(text)?.[1] ?? null
}

/** A connection that says what is given and then nothing more. */
export function sayAndWait(t: ExecutionContext, port: number, text: string, address = '127.0.0.1'): Socket {
  const socket = connect({ port, host: '127.0.0.1', localAddress: address })
  socket.on('error', () => undefined).on('data', () => undefined)
  socket.write(text)
  t.teardown(() => void socket.destroy())
  return socket
}

/** The pieces, and then silence: the body's end never comes. */
export async function* thenSilence(...pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array, void> {
  yield* pieces
  await new Promise(() => undefined)
}

/** Pieces of 64 kB, as good as for ever: 64 MB. `sent` says how many bytes were taken. */
export function endless() {
  const piece = Buffer.alloc(65_536, 0x20)
  const state = { sent: 0 }
  async function* pieces(): AsyncGenerator<Uint8Array, void> {
    while (state.sent < 64_000_000) {
      state.sent += piece.length
      yield piece
      await new Promise((next) => setImmediate(next))
    }
  }
  return { state, pieces: pieces() }
}
