import { createServer } from 'node:http'
import { type Examples, equal } from './site.ts'

/** Examples of the calls of `m` itself. */
export const instance: Examples = {
  user({ m, ann }) {
    equal(
      m.runAs(ann, () => m.user()?.email),
      'ann@example.com',
    )
  },

  provider({ m, ann }) {
    equal(
      m.runAs(ann, () => m.provider().subscriptionForPrice('price_month')?.active),
      true,
    )
  },

  allows({ m, ann, bob }) {
    equal(
      m.runAs(ann, () => m.allows('pro')),
      true,
    )
    equal(
      m.runAs(bob, () => m.allows(['pro', 'team'])),
      false,
    )
  },

  plans({ m }) {
    equal(
      m.plans().map(({ name }) => name),
      ['Pro', 'Team', 'The book'],
    )
  },

  async viewOf({ m, ann }) {
    const view = await m.viewOf(ann) // or a request, or null for a visitor
    equal(view.allows('pro'), true)
    equal((await m.viewOf(null)).allows('pro'), false)
  },

  runAs({ m, ann }) {
    const greeting = m.runAs(ann, () => `Hello ${m.user()?.name}`)
    equal(greeting, 'Hello Ann')
  },

  async appUserId({ m, ann }) {
    const id = await m.appUserId(ann)
    equal(id, await m.appUserId(ann))
    equal(id.length, 36)
  },

  async koa({ m, app, open }) {
    app.use(m.koa())
    app.use((ctx) => {
      ctx.body = m.allows('pro') ? 'Welcome back.' : 'For members.'
    })
    equal((await open('/')).text, 'For members.')
    equal((await open('/membership/prices')).status, 200)
  },

  async koaView({ m, app, open }) {
    app.use(m.koaView()) // the visitor, and no route
    app.use((ctx) => {
      ctx.body = `${ctx.membership.user() === null}`
    })
    equal((await open('/')).text, 'true')
  },

  async listener({ m }) {
    const membership = m.listener()
    const server = createServer((request, response) =>
      membership(request, response, () => response.end(m.allows('pro') ? 'Welcome back.' : 'For members.')),
    )
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : 0
    equal(await (await fetch(`http://127.0.0.1:${port}/`)).text(), 'For members.')
    server.close()
    server.closeAllConnections()
  },

  async fetch({ m }) {
    const answer = await m.fetch(new Request('https://example.com/'), {
      next: async () => new Response(m.allows('pro') ? 'Welcome back.' : 'For members.'),
    })
    equal(await answer.text(), 'For members.')
  },

  async gate({ m, app, open }) {
    app.use(m.koa())
    app.use(m.gate('pro'))
    equal((await open('/')).status, 403)
  },

  async guard({ m, ann }) {
    const outcome = await m.guard('pro')(new Request('https://example.com/archive'))
    equal(outcome.allowed ? null : outcome.error.code, 'ERR_GATED')
    equal((await m.guard('pro')(await m.viewOf(ann))).allowed, true)
  },

  listRoutes({ m }) {
    const paths = m.listRoutes().map(({ path }) => path)
    equal(paths.includes('/membership/prices'), true)
  },

  async runDueJobs({ m, bob, mails }) {
    const { url } = await m.users.loginLink(bob.id)
    equal(url.length > 0, true)
    await m.runDueJobs() // sends what waits
    equal(mails.map(({ to }) => to).includes('ann@example.com'), true) // her welcome
  },

  async close({ m }) {
    await m.close() // the work that runs ends first
    equal(await m.users.findById('nobody').catch(() => 'closed'), 'closed')
  },
}
