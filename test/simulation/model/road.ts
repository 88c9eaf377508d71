import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Shop } from './world.ts'

type Json = Record<string, unknown>

/**
 * One address in front of a provider's accounts, which tells them apart by their keys. At Paddle it also
 * plays the people who decide over refunds: the fake itself approves each at once.
 */
export async function openRoad(accounts: readonly Shop[], port = 0) {
  const desk = createDesk()
  const answer = async (request: Request): Promise<Response> => {
    const key = request.headers.get('authorization')?.replace('Bearer ', '')
    const shop = accounts.find(({ fake }) => fake.secret === key)
    if (shop === undefined) return new Response(null, { status: 401 })
    const isAtDesk = shop.seller.key === 'paddle' && desk.isAsked(request)
    return isAtDesk ? desk.answer(request, shop) : pass(request, shop)
  }
  const server = createServer((request, response) => {
    forward(answer, request, response).catch(() => response.destroy())
  }).listen(port, '127.0.0.1')
  await new Promise((ready) => server.once('listening', ready))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answer,
    desk,
    close: () =>
      new Promise<void>((done) => {
        server.closeAllConnections()
        server.close(() => done())
      }),
  }
}

function pathOf(request: Request): string {
  return request.url.slice(new URL(request.url).origin.length)
}

async function pass(request: Request, { fake }: Shop): Promise<Response> {
  const { method, headers } = request
  const body = method === 'GET' ? null : await request.text()
  return fetch(`${fake.url}${pathOf(request)}`, { method, headers, body, redirect: 'manual' })
}

async function forward(
  answer: (request: Request) => Promise<Response>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  let body = ''
  for await (const chunk of request) body += chunk
  const { method = 'GET', headers } = request
  const asked = { method, headers: headers as Record<string, string>, body: method === 'GET' ? null : body }
  const answered = await answer(new Request(`http://${headers.host}${request.url}`, asked))
  response.writeHead(answered.status, Object.fromEntries(answered.headers)).end(await answered.text())
}

/**
 * Refunds that Paddle rejects: asked for and pending, then rejected, and no money has moved.
 * https://developer.paddle.com/build/transactions/create-transaction-adjustments
 */
function createDesk() {
  const made: Json[] = []
  let isStrict = false
  const isMaking = (request: Request): boolean =>
    isStrict && request.method === 'POST' && pathOf(request) === '/adjustments'
  return {
    made,
    /** Until it is told otherwise, each refund that is asked for is rejected. */
    reject: (rejects: boolean): void => {
      isStrict = rejects
    },
    isAsked: (request: Request): boolean =>
      isMaking(request) ||
      (made.length > 0 &&
        request.method === 'GET' &&
        /^\/(adjustments|transactions\/)/.test(pathOf(request))),
    answer: async (request: Request, shop: Shop): Promise<Response> => {
      const { fake } = shop
      const send = (status: number, body: unknown): Response =>
        Response.json(body, { status, headers: { Date: fake.now().toUTCString() } })
      if (isMaking(request)) {
        const pending = toPending((await request.json()) as Json, made.length, fake.now())
        const decidedAt = new Date(fake.now().getTime() + 1000).toISOString()
        made.push({ ...pending, status: 'rejected', updated_at: decidedAt })
        return send(201, { data: pending, meta: {} })
      }
      const answer = await pass(request, shop)
      const body = (await answer.json()) as { data: Json | Json[] }
      const { data } = body
      if (Array.isArray(data)) {
        const of = new URL(request.url).searchParams.get('transaction_id')
        data.push(...made.filter(({ transaction_id }) => of === null || of === transaction_id))
      } else if (Array.isArray(data?.adjustments))
        data.adjustments.push(...made.filter(({ transaction_id }) => transaction_id === data.id))
      return send(answer.status, body)
    },
  }
}
export type Desk = ReturnType<typeof createDesk>

function toPending(asked: Json, count: number, now: Date): Json {
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
