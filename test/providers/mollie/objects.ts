import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ExecutionContext } from 'ava'

type Raw = Readonly<Record<string, unknown>> & { readonly id: string; readonly resource: string }

/** Objects behind the addresses at which Mollie shows them, for tests that say what is in each. */
export async function startObjects(t: Pick<ExecutionContext, 'teardown'>, now: () => Date) {
  const objects = new Map<string, Raw>()
  const asked: string[] = []
  const api = {
    url: '',
    asked,
    put: (...given: readonly unknown[]): void => {
      for (const raw of given as Raw[]) objects.set(raw.id, raw)
    },
    isAway: false,
  }
  const of = (resource: string, field?: string, id?: string): Raw[] =>
    [...objects.values()]
      .filter((object) => object.resource === resource && (field === undefined || object[field] === id))
      .reverse()
  const list = (name: string, all: Raw[], query: URLSearchParams) => {
    const from = query.get('from')
    const rest = from === null ? all : all.slice(all.findIndex(({ id }) => id === from))
    if (from !== null && !all.some(({ id }) => id === from)) return null
    return { count: rest.length, _embedded: { [name]: rest }, _links: { next: null } }
  }
  const answer = (path: string, query: URLSearchParams): unknown => {
    const [, kind = '', id = '', below, child] = path.split('/')
    if (id === '') return list(kind, of(kind.slice(0, -1)), query)
    if (below === undefined) {
      const found = objects.get(id)
      if (found?.resource !== 'payment') return found
      const embedded = {
        refunds: of('refund', 'paymentId', id),
        chargebacks: of('chargeback', 'paymentId', id),
      }
      return { ...found, _embedded: embedded }
    }
    if (child !== undefined) return objects.get(child)
    return list(below, of(below.slice(0, -1), kind === 'customers' ? 'customerId' : 'linkId', id), query)
  }
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://localhost')
    asked.push(pathname)
    const found = api.isAway ? undefined : answer(pathname, searchParams)
    const status = api.isAway ? 503 : found ? 200 : 404
    response.writeHead(status, { 'content-type': 'application/hal+json', date: now().toUTCString() })
    response.end(JSON.stringify(found ?? { status, title: 'Not Found' }))
  }).listen(0, '127.0.0.1')
  await new Promise((ready) => server.once('listening', ready))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  api.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return api
}
/** What `startObjects` gives. */
export type Objects = Awaited<ReturnType<typeof startObjects>>
