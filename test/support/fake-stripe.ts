import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { StripeModel } from './stripe-model.ts'

const paths = [
  /^\/v1\/(?:subscriptions|customers|charges|payment_intents|invoices|invoice_payments|refunds|disputes)\/(\w+)$/,
  /^\/v1\/checkout\/sessions\/(\w+)$/,
]

/** Stripe's API on loopback: answers from whatever model it serves, with the model's clock in `Date`. */
export async function startFakeStripe() {
  let model: StripeModel | null = null
  let between: () => Promise<unknown> = async () => {}
  let asked = 0

  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    const id = paths.map((path) => path.exec(pathname)?.[1]).find((found) => found !== undefined)
    const object = id === undefined ? null : (model?.read(id) ?? null)
    // Of lists it has none.
    if (id !== undefined) {
      asked++
      // The object was read; until the answer leaves, the world goes on.
      await between()
    }
    const missing = {
      error: { type: 'invalid_request_error', code: 'resource_missing', message: 'No such object' },
    }
    response
      .writeHead(object ? 200 : 404, {
        'content-type': 'application/json',
        date: (model?.now() ?? new Date(0)).toUTCString(),
        'stripe-should-retry': 'false',
      })
      .end(JSON.stringify(object ?? missing))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Serves that model; `meanwhile` runs between reading an object and answering. */
    serve: (next: StripeModel, meanwhile: () => Promise<unknown> = async () => {}) => {
      model = next
      between = meanwhile
      asked = 0
    },
    asked: () => asked,
    close: () => {
      server.closeAllConnections()
      return new Promise<void>((done) => server.close(() => done()))
    },
  }
}
export type FakeStripe = Awaited<ReturnType<typeof startFakeStripe>>
