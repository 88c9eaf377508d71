import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ExecutionContext } from 'ava'
import Stripe from 'stripe'
import { createFakeStripe, type FakeStripe, type FakeStripeOptions } from '../../../src/testkit/index.ts'

/** 2026-01-15T12:00:00Z. */
export const start = new Date('2026-01-15T12:00:00Z')
export function at(text: string): number {
  return Date.parse(text) / 1000
}

/** The real client, without retries of its own. */
export function clientOf(
  { url, secret }: { url: string; secret: string },
  options: { maxNetworkRetries?: number; timeout?: number } = {},
): Stripe {
  const { hostname, port } = new URL(url)
  return new Stripe(secret, {
    host: hostname,
    port,
    protocol: 'http',
    maxNetworkRetries: 0,
    telemetry: false,
    ...options,
  })
}

/** A fake with a few prices, and the real client to it. */
export async function openFake(t: ExecutionContext, options: FakeStripeOptions = {}) {
  const fake = await createFakeStripe({ seed: 7, start, ...options })
  t.teardown(fake.close)
  fake.addProduct({ id: 'prod_gold', name: 'Gold' })
  fake.addProduct({ id: 'prod_silver', name: 'Silver' })
  fake.addPrice({
    id: 'price_gold',
    product: 'prod_gold',
    lookup_key: 'gold',
    unit_amount: 3000,
    currency: 'eur',
    recurring: { interval: 'month' },
  })
  fake.addPrice({
    id: 'price_silver',
    product: 'prod_silver',
    lookup_key: 'silver',
    unit_amount: 1000,
    currency: 'eur',
    recurring: { interval: 'month' },
  })
  fake.addPrice({
    id: 'price_gold_year',
    product: 'prod_gold',
    unit_amount: 30_000,
    currency: 'eur',
    recurring: { interval: 'year' },
  })
  fake.addPrice({ id: 'price_book', unit_amount: 4900, currency: 'eur', nickname: 'Book' })
  return { fake, stripe: clientOf(fake) }
}

/** A member who bought a subscription. */
export async function subscribe(
  { fake, stripe }: { fake: FakeStripe; stripe: Stripe },
  {
    price = 'price_gold',
    email = 'ann@example.com',
    quantity = 1,
    card,
    ...rest
  }: Partial<Stripe.Checkout.SessionCreateParams> & {
    price?: string
    email?: string
    quantity?: number
    card?: string
  } = {},
) {
  const session = await stripe.checkout.sessions.create({
    mode: 'subscription',
    line_items: [{ price, quantity }],
    success_url: 'https://site.example/thanks',
    ...rest,
  })
  const { session: paid } = await fake.pay(session.id, { email, card })
  return { session: paid, id: String(paid.subscription), customer: String(paid.customer) }
}

/** The types of the events since a moment in the list. */
export function typesSince(fake: FakeStripe, from: number): string[] {
  return fake
    .events()
    .slice(from)
    .map(({ type }) => type)
}

export interface Received {
  readonly body: string
  readonly signature: string
}

/** An endpoint that answers what it is told to. */
export async function openEndpoint(t: ExecutionContext, statusOf: (nth: number) => number = () => 200) {
  const received: Received[] = []
  let count = 0
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    const status = statusOf(count++)
    if (status < 300)
      received.push({
        body: Buffer.concat(chunks).toString(),
        signature: String(request.headers['stripe-signature']),
      })
    response.writeHead(status).end()
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    ids: () => received.map(({ body }) => (JSON.parse(body) as { id: string }).id),
  }
}
