import { getRequestListener } from '@hono/node-server'
import test, { type ExecutionContext } from 'ava'
import { Hono } from 'hono'
import { honoHost } from '../../src/entries/hono.ts'
import { createMembership } from '../../src/index.ts'
import { pagesOn, serve, servePages } from '../support/pages.ts'

function open() {
  return createMembership({
    'membership.database.url': 'sqlite::memory:',
    'membership.provider.handler': 'sandbox',
    'membership.providers.sandbox.plans': {
      pro: { prices: [{ id: 'pro_monthly', amount: 900, currency: 'EUR', interval: 'month' }] },
    },
    'membership.compare.automatic': false,
    install: false,
    root: false,
    log: () => {},
    identify: ({ headers }) => (headers.has('x-user') ? { email: headers.get('x-user')! } : null),
  })
}

const as = { 'x-user': 'ada@example.com' }

for (const host of Object.keys(pagesOn)) {
  test(`${host}: a page that used the view, or has a form, stays out of shared caches, streamed or not`, async (t) => {
    const { site } = await servePages(t, host, open)
    const ask = async (path: string) => {
      const answer = await fetch(`${site}${path}`, { headers: as })
      return [await answer.text(), answer.headers.get('cache-control')] as const
    }
    t.deepEqual(await ask('/looked'), ['closed', 'private, no-store'])
    t.deepEqual(await ask('/own'), ['closed', 'public, max-age=600'])
    t.deepEqual(await ask('/plain'), ['plain', null])
    t.is((await ask('/form'))[1], 'private, no-store')
    t.deepEqual(await ask('/late'), ['Hello, ada@example.com', 'private'])
  })

  test(`${host}: our routes are found in any case, and an unreadable form type says so`, async (t) => {
    const { site } = await servePages(t, host, open)
    t.is((await fetch(`${site}/Membership/login`)).status, 200)
    const body = new FormData()
    body.set('email', 'ann@example.com')
    const answer = await fetch(`${site}/membership/login`, {
      method: 'POST',
      body,
      headers: { accept: 'application/json' },
    })
    const problem = (await answer.json()) as { code: string; detail: string }
    t.is(problem.code, 'ERR_FORM')
    t.regex(problem.detail, /multipart\/form-data/)
  })
}

async function openHono(t: ExecutionContext) {
  const m = await open()
  t.teardown(() => m.close())
  const ada = await m.users.create({ email: 'ada@example.com', verified: true })
  await m.users.grant({ memberId: ada.id, gate: 'pro' })
  const host = honoHost(m)
  const app = new Hono().use(host.middleware())
  const elsewhere = await serve(t, (_request, response) => void response.end('from elsewhere'))
  app.get('/fetched', host.gate('pro'), () => fetch(elsewhere))
  app.get('/sent-on', host.gate('pro'), () => Response.redirect('https://example.com/next', 302))
  return serve(t, getRequestListener(app.fetch))
}

test('Hono: a gated handler may return a fetched answer, and redirect', async (t) => {
  const site = await openHono(t)
  const fetched = await fetch(`${site}/fetched`, { headers: as })
  t.deepEqual(
    [fetched.status, await fetched.text(), fetched.headers.get('cache-control')],
    [200, 'from elsewhere', 'private, no-store'],
  )
  const sentOn = await fetch(`${site}/sent-on`, { headers: as, redirect: 'manual' })
  t.deepEqual(
    [sentOn.status, sentOn.headers.get('location'), sentOn.headers.get('cache-control')],
    [302, 'https://example.com/next', 'private, no-store'],
  )
})
