import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import test from 'ava'
import Koa from 'koa'
import { createMembership, isMembershipError } from '../src/index.ts'

const options = {
  'membership.database.url': 'sqlite::memory:',
  'membership.providers.stripe.webhook': 'whsec_x',
  install: false,
  root: false,
  log: () => {},
} as const

test('a web-standard request is identified by the host’s own login', async (t) => {
  const m = await createMembership({
    ...options,
    identify: (request) => {
      const email = request instanceof Request ? request.headers.get('x-user') : null
      return email === null ? null : { email }
    },
  })
  t.teardown(() => m.close())
  const ada = await m.users.create({ email: 'ada@example.com', verified: true })
  await m.users.grant({ memberId: ada.id, gate: 'price_1' })
  const ask = (headers: Record<string, string>) => m.viewOf(new Request('https://example.com/a', { headers }))
  const inside = await ask({ 'x-user': 'ada@example.com' })
  t.is(inside.user()?.id, ada.id)
  t.true(inside.allows('price_1'))
  const outside = await ask({})
  t.is(outside.user(), null)
  t.false(outside.allows('price_1'))
})

test('a stream runs after the middleware: it is told so, and the view that it was handed answers', async (t) => {
  const m = await createMembership(options)
  const app = new Koa()
  app.use(m.koa())
  app.use((ctx) => {
    const view = ctx.membership
    const lines = async function* () {
      await new Promise(setImmediate)
      try {
        m.user()
        yield 'found'
      } catch (error) {
        yield isMembershipError(error, 'ERR_NO_VIEW') ? 'no view;' : String(error)
      }
      yield view.user() === null ? 'a visitor' : 'somebody'
    }
    ctx.type = 'text'
    ctx.body = Readable.from(lines())
  })
  const server = app.listen(0)
  t.teardown(async () => {
    server.close()
    await m.close()
  })
  const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  t.is(await answer.text(), 'no view;a visitor')
})
