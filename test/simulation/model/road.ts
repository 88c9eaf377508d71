import { request as ask, createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Shop } from './world.ts'

type Json = Record<string, unknown>

/** One address in front of a provider's accounts, which tells them apart by their keys. At Paddle it also plays the
 *  people who decide over refunds: the fake itself approves each at once. */
export async function openRoad(accounts: readonly Shop[]) {
  const desk = createDesk()
  const server = createServer((request, response) => {
    const key = request.headers.authorization?.replace('Bearer ', '')
    const shop = accounts.find(({ fake }) => fake.secret === key)
    if (shop === undefined) return void response.writeHead(401).end()
    if (shop.seller.key === 'paddle' && desk.isAsked(request))
      return void desk.answer(request, response, shop).catch(() => response.destroy())
    const { method, headers } = request
    const asked = ask(`${shop.fake.url}${request.url}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    })
    asked.on('error', () => response.destroy())
    request.pipe(asked)
  }).listen(0, '127.0.0.1')
  await new Promise((ready) => server.once('listening', ready))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    desk,
    close: () =>
      new Promise<void>((done) => {
        server.closeAllConnections()
        server.close(() => done())
      }),
  }
}

/** Refunds that Paddle rejects: asked for and pending, then rejected, and no money has moved.
 *  https://developer.paddle.com/build/transactions/create-transaction-adjustments */
function createDesk() {
  const made: Json[] = []
  let isStrict = false
  const isMaking = ({ method, url }: IncomingMessage): boolean =>
    isStrict && method === 'POST' && url === '/adjustments'
  return {
    made,
    /** Until it is told otherwise, each refund that is asked for is rejected. */
    reject: (rejects: boolean): void => {
      isStrict = rejects
    },
    isAsked: (request: IncomingMessage): boolean =>
      isMaking(request) ||
      (made.length > 0 && request.method === 'GET' && /^\/(adjustments|transactions\/)/.test(request.url!)),
    answer: async (request: IncomingMessage, response: ServerResponse, { fake }: Shop): Promise<void> => {
      const send = (status: number, body: unknown): void => {
        const headers = { 'Content-Type': 'application/json', Date: fake.now().toUTCString() }
        response.writeHead(status, headers).end(JSON.stringify(body))
      }
      if (isMaking(request)) {
        let text = ''
        for await (const chunk of request) text += chunk
        const pending = toPending(JSON.parse(text), made.length, fake.now())
        const decidedAt = new Date(fake.now().getTime() + 1000).toISOString()
        made.push({ ...pending, status: 'rejected', updated_at: decidedAt })
        return send(201, { data: pending, meta: {} })
      }
      const headers = { authorization: request.headers.authorization! }
      const answer = await fetch(`${fake.url}${request.url}`, { headers })
      const body = (await answer.json()) as { data: Json | Json[] }
      const { data } = body
      if (Array.isArray(data)) {
        const of = new URL(request.url!, fake.url).searchParams.get('transaction_id')
        data.push(...made.filter(({ transaction_id }) => of === null || of === transaction_id))
      } else if (Array.isArray(data?.adjustments))
        data.adjustments.push(...made.filter(({ transaction_id }) => transaction_id === data.id))
      send(answer.status, body)
    },
  }
}
export type Desk = ReturnType<typeof createDesk>

const toPending = (asked: Json, count: number, now: Date): Json => {
  const items = asked.items as { item_id: string; amount: string }[]
  const total = String(items.reduce((sum, { amount }) => sum + Number(amount), 0))
  return {
    ...asked,
    id: `adj_01rejected${String(count).padStart(12, '0')}00`,
    subscription_id: null,
    customer_id: null,
    currency_code: 'EUR',
    status: 'pending_approval',
    items: items.map((item, n) => ({ ...item, id: `adjitm_01rejected${count}${n}`, totals: {} })),
    totals: { subtotal: total, tax: '0', total, fee: '0', earnings: total, currency_code: 'EUR' },
    created_at: now.toISOString(),
    updated_at: now.toISOString(),
  }
}
