import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The reading side of Stripe's API over real HTTP: what `find` gives now, with the clock's `Date`. */
export const startFakeStripe = async (input: {
  find: (id: string) => Record<string, unknown> | undefined
  now: () => Date
  onRead?: (id: string) => void
}) => {
  const server = createServer((request, response) => {
    const id = new URL(request.url ?? '/', 'http://stripe.test').pathname.split('/').at(-1) ?? ''
    const found = input.find(id)
    response.sendDate = false
    response.setHeader('date', input.now().toUTCString())
    response.setHeader('content-type', 'application/json')
    response.statusCode = found ? 200 : 404
    response.end(
      JSON.stringify(
        found ?? {
          error: {
            type: 'invalid_request_error',
            code: 'resource_missing',
            message: `No such object: ${id}`,
          },
        },
      ),
    )
    input.onRead?.(id)
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise<void>((done) => {
        server.closeAllConnections()
        server.close(() => done())
      }),
  }
}
