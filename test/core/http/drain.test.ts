import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import { drain } from '../../../src/core/http/drain.ts'

async function open(t: ExecutionContext) {
  const waiting: (() => void)[] = []
  const server = createServer((request, response) => {
    if (request.url === '/slow') waiting.push(() => response.end('done'))
    else response.end('at once')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  t.teardown(() => server.closeAllConnections())
  const line = async () => {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    return socket
  }
  return { server, port, waiting, line }
}

/** Asks on a line, as a proxy does that keeps its lines, and reads one answer. */
async function ask(socket: Socket, path = '/'): Promise<string> {
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
  const [piece] = (await once(socket, 'data')) as [Buffer]
  return piece.toString()
}

test('an ending server answers accepted requests and those on idle connections before it closes them', async (t) => {
  const { server, port, waiting, line } = await open(t)
  const [idle, busy] = [await line(), await line()]
  t.notRegex(await ask(idle), /connection: close/i)
  const slow = ask(busy, '/slow')
  while (waiting.length === 0) await new Promise((next) => setImmediate(next))
  const drained = drain(server, { idleMs: 60_000 })
  // A request that was on its way when the end began.
  t.regex(await ask(idle), /^HTTP\/1\.1 200.*connection: close.*at once/is)
  const refused = connect(port, '127.0.0.1')
  const [error] = (await once(refused, 'error')) as [NodeJS.ErrnoException]
  t.is(error.code, 'ECONNREFUSED')
  waiting[0]?.()
  t.regex(await slow, /^HTTP\/1\.1 200.*done/s)
  // Taken before the end began, its answer did not say so: one more is answered.
  t.regex(await ask(busy), /^HTTP\/1\.1 200.*connection: close/is)
  await drained
})

test('idle connections are closed, and finally those that never end', async (t) => {
  const first = await open(t)
  await ask(await first.line())
  await drain(first.server, { idleMs: 0 })
  const second = await open(t)
  const stuck = await second.line()
  const cut = once(stuck, 'close')
  stuck.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n')
  while (second.waiting.length === 0) await new Promise((next) => setImmediate(next))
  await drain(second.server, { idleMs: 0, longestMs: 100 })
  await cut
  t.pass()
})
