import test from 'ava'
import { createClient } from '../../src/client/index.ts'
import { openDocument } from '../support/openapi.ts'
import { openStripeSite } from '../support/stripe-site.ts'
import { buy } from '../support/visitor.ts'

test('a site’s answers match its document, from a purchase to a deleted account', async (t) => {
  const opened = await openStripeSite(t)
  const { site } = opened
  const document = await openDocument(site, '/membership/openapi.json')
  const { visitor, id } = await buy(opened, 'ada@example.com')
  const ask = async (method: 'GET' | 'POST', path: string, fields: Record<string, string> = {}) => {
    const sent =
      method === 'POST' ? { body: new URLSearchParams({ token: await visitor.formToken(), ...fields }) } : {}
    const response = await visitor.request(path, { method, headers: { accept: 'application/json' }, ...sent })
    await document.checkAnswer(method, path, response)
    return response.status
  }
  t.is(await ask('POST', '/membership/payment', { product: 'price_nobody_has' }), 404)
  t.is(await ask('POST', `/membership/invoice/${id}`, { price: 'price_year' }), 200)
  t.is(await ask('POST', `/membership/change/${id}`, { price: 'price_year' }), 200)
  t.is(await ask('POST', `/membership/cancel/${id}`), 200)
  t.is(await ask('POST', `/membership/resume/${id}`), 200)
  t.is(await ask('POST', `/membership/pause/${id}`), 409)
  t.is(await ask('POST', '/membership/portal'), 201)
  t.is(await ask('POST', '/membership/language', { language: 'de' }), 200)
  t.is(await ask('POST', '/membership/account', { name: 'Ada' }), 200)
  t.is(await ask('POST', '/membership/account/compare'), 200)
  t.is(await ask('GET', '/membership/account/export'), 200)
  t.is(await ask('GET', '/membership/health'), 200)
  t.is(await ask('POST', '/membership/webhooks/stripe'), 403)
  t.is(await ask('POST', '/membership/account/delete', { confirm: 'delete' }), 200)
  t.is(await ask('POST', '/membership/logout'), 200)
})

test('the client knows the routes, and returns errors as problems', async (t) => {
  const { site } = await openStripeSite(t)
  const client = createClient({ baseUrl: site })
  const { data } = await client.GET('/membership/health')
  t.is(data?.status, 'ok')
  const { error, response } = await client.POST('/membership/cancel/{subscription}', {
    params: { path: { subscription: 'sub_1' } },
    body: { token: 'made up' },
  })
  t.is(response.status, 403)
  t.is(error?.code, 'ERR_CSRF')
  // @ts-expect-error there is no such route
  await client.GET('/membership/nowhere').catch(() => undefined)
})
