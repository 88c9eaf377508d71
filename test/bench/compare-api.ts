// tsx test/bench/compare-api.ts <buyers>: the test fake with one buyer, told again for each of so many.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createFakeStripe } from '../../src/testkit/index.ts'

const buyers = Number(process.argv[2])
const fake = await createFakeStripe({ seed: 1, start: new Date('2026-01-15T12:00:00Z') })
fake.addPrice({ id: 'price_month', unit_amount: 900, currency: 'eur', recurring: { interval: 'month' } })
async function ask(path: string, init: RequestInit = {}): Promise<string> {
  const headers = { authorization: `Bearer ${fake.secret}` }
  return (await fetch(`${fake.url}${path}`, { headers, ...init })).text()
}
const session = JSON.parse(
  await ask('/v1/checkout/sessions', {
    method: 'POST',
    body: new URLSearchParams({
      mode: 'subscription',
      success_url: 'https://example.com/thanks',
      'line_items[0][price]': 'price_month',
      'line_items[0][quantity]': '1',
    }),
  }),
)
await fake.pay(session.id, { email: 'buyer@example.com' })

// What one buyer has, and what everybody has together.
const own = /\b(?!price_|prod_)([a-z]{2,6}_[A-Za-z0-9_]+)(?=["/?&]|$)/g
function mark(n: number): string {
  return `Z${String(n).padStart(8, '0')}`
}
const marked = /Z(\d{8})/
function ofBuyer(text: string, n: number): string {
  return text
    .replace(own, (id) =>
      /^(cus|sub|in|ch|pi|cs|si|il|inpay|re|dp|ii|txn|test|cs_test)_/.test(id) ? id + mark(n) : id,
    )
    .replaceAll('buyer@', `buyer${n}@`)
}
function plain(text: string): string {
  return text.replaceAll(new RegExp(marked, 'g'), '')
}
const templates = new Map<string, Promise<string>>()
function template(path: string): Promise<string> {
  const known = templates.get(path) ?? ask(path)
  templates.set(path, known)
  return known
}

/** A page of a list of everybody's: each buyer has as many as the one. */
async function pageOf(path: string, query: URLSearchParams): Promise<string> {
  const limit = Number(query.get('limit') ?? 10)
  const after = marked.exec(query.get('starting_after') ?? '')
  const from = after === null ? 0 : Number(after[1]) + 1
  query.delete('starting_after')
  query.set('limit', '1')
  const { data } = JSON.parse(await template(`${path}?${query}`)) as { data: object[] }
  const item = data[0] === undefined ? null : JSON.stringify(data[0])
  const to = item === null ? from : Math.min(buyers, from + limit)
  const shown = Array.from({ length: to - from }, (_, k) => ofBuyer(item!, from + k))
  return `{"object":"list","has_more":${item !== null && to < buyers},"data":[${shown.join(',')}]}`
}

let requests = 0
const server = createServer(async (request, response) => {
  requests++
  const url = new URL(request.url ?? '/', 'http://x')
  if (url.pathname === '/requests') return void response.end(String(requests - 1))
  const query = new URLSearchParams(url.search)
  const cursor = query.get('starting_after') ?? ''
  const asked = marked.exec(url.pathname + url.search.replace(cursor, ''))
  const text =
    asked === null
      ? await pageOf(url.pathname, query)
      : ofBuyer(await template(plain(url.pathname + url.search)), Number(asked[1]))
  response.setHeader('content-type', 'application/json')
  response.setHeader('date', fake.now().toUTCString())
  response.end(text)
}).listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  console.log(
    JSON.stringify({ url: `http://127.0.0.1:${port}`, secret: fake.secret, now: fake.now().toISOString() }),
  )
})
