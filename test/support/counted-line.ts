import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import type { ExecutionContext } from 'ava'

/** The line to a database, on which each answer that is waited for before the next question is a turn. */
export async function countedLine(t: ExecutionContext, url: string) {
  const target = new URL(url)
  const { hostname: host, port } = target
  let [turns, isAnswered] = [0, true]
  const proxy = createServer((socket) => {
    const server = connect({ host, port: Number(port), noDelay: true })
    for (const end of [socket, server]) end.on('error', () => socket.destroy() && server.destroy())
    socket.on('data', () => {
      if (isAnswered) turns++
      isAnswered = false
    })
    server.on('data', () => {
      isAnswered = true
    })
    socket.pipe(server).pipe(socket)
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  t.teardown(() => proxy.close())
  target.port = String((proxy.address() as AddressInfo).port)
  const turnsOf = async (run: () => Promise<unknown>): Promise<number> => {
    const before = turns
    await run()
    return turns - before
  }
  return {
    url: target.href,
    turnsOf,
    /** The cheapest of eight runs: a job of the site may ask something meanwhile. */
    leastTurnsOf: async (run: () => Promise<unknown>): Promise<number> => {
      const counts: number[] = []
      for (let n = 0; n < 8; n++) counts.push(await turnsOf(run))
      return Math.min(...counts)
    },
  }
}
