import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { createMembership, type MembershipOptions } from '../../../src/index.ts'
import { runCommand } from '../../support/command.ts'
import { emptyFolder } from '../../support/migrate.ts'

type Json = Record<string, unknown>
interface Asked {
  readonly method: string
  readonly path: string
  readonly body: Json
}

const bodyOf = async (request: IncomingMessage): Promise<Json> => {
  let text = ''
  for await (const chunk of request) text += chunk
  if (request.headers['content-type']?.startsWith('application/json')) return JSON.parse(text || '{}')
  const form = new URLSearchParams(text)
  return {
    ...Object.fromEntries(form),
    events: [...form].filter(([name]) => name.startsWith('enabled_events')).map(([, name]) => name),
  }
}

/** A provider's endpoints as its documentation shows them, behind HTTP. */
const serve = async (t: ExecutionContext, answer: (asked: Asked) => Json | null) => {
  const asked: Asked[] = []
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1')
    const call = { method: request.method ?? '', path: pathname, body: await bodyOf(request) }
    asked.push(call)
    const made = answer(call)
    response.writeHead(made === null ? 404 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(made ?? { error: {} }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  return { asked, base: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const open = async (t: ExecutionContext, provider: string, options: Json) => {
  const m = await createMembership({
    install: false,
    root: false,
    log: () => undefined,
    'membership.url': 'https://example.com/app',
    'membership.base_path': '/app',
    'membership.database.url': 'sqlite::memory:',
    [`membership.providers.${provider}`]: options,
  } as MembershipOptions)
  t.teardown(() => m.close())
  return m
}
const elsewhere = 'https://example.com/old/webhook'

/** Each provider: its options, the endpoint of another address, the place of creation and of a change, and what it
 *  answers. */
const providers = {
  // https://docs.stripe.com/api/webhook_endpoints
  stripe: {
    options: { secret: 'sk_test_1', webhook: 'whsec_0' },
    list: '/v1/webhook_endpoints',
    listed: (all: Json[]) => ({ object: 'list', has_more: false, data: all }),
    made: (url: string) => ({
      id: 'we_1',
      url,
      status: 'enabled',
      enabled_events: ['invoice.paid'],
      secret: 'whsec_new',
    }),
    change: { method: 'POST', path: '/v1/webhook_endpoints/we_1' },
    secret: 'whsec_new',
    /** Stripe shows the secret with the creation alone. */
    again: null,
    events: ({ events }: Json) => events,
    first: 'checkout.session.completed',
  },
  // https://developer.paddle.com/api-reference/notification-settings/overview
  paddle: {
    options: { secret: 'pdl_sdbx_apikey_1', webhook: 'pdl_ntfset_0', livemode: false },
    list: '/notification-settings',
    listed: (all: Json[]) => ({ data: all, meta: { pagination: { has_more: false } } }),
    made: (url: string) => ({
      id: 'ntfset_1',
      type: 'url',
      destination: url,
      active: true,
      subscribed_events: [{ name: 'transaction.completed' }],
      endpoint_secret_key: 'pdl_ntfset_new',
    }),
    change: { method: 'PATCH', path: '/notification-settings/ntfset_1' },
    secret: 'pdl_ntfset_new',
    again: 'pdl_ntfset_new',
    events: ({ subscribed_events }: Json) => subscribed_events,
    first: 'customer.created',
  },
  // https://polar.sh/docs/api-reference/webhooks/endpoints/create
  polar: {
    options: { secret: 'polar_oat_1', webhook: 'polar_whs_0', livemode: false },
    list: '/v1/webhooks/endpoints',
    listed: (all: Json[]) => ({ items: all, pagination: { total_count: all.length, max_page: 1 } }),
    made: (url: string) => ({
      id: '11111111-1111-4111-8111-111111111111',
      url,
      enabled: true,
      events: ['order.paid'],
      secret: 'polar_whs_new',
    }),
    change: { method: 'PATCH', path: '/v1/webhooks/endpoints/11111111-1111-4111-8111-111111111111' },
    secret: 'polar_whs_new',
    again: 'polar_whs_new',
    events: ({ events }: Json) => events,
    first: 'subscription.created',
  },
  // https://developer.paypal.com/docs/api/webhooks/v1/
  paypal: {
    options: { client_id: 'id', secret: 'secret', webhook: 'WH-0', livemode: false },
    list: '/v1/notifications/webhooks',
    listed: (all: Json[]) => ({ webhooks: all }),
    made: (url: string) => ({
      id: 'WH-NEW',
      url,
      event_types: [{ name: 'PAYMENT.SALE.COMPLETED', status: 'ENABLED' }],
    }),
    change: { method: 'PATCH', path: '/v1/notifications/webhooks/WH-NEW' },
    secret: 'WH-NEW',
    again: 'WH-NEW',
    events: (body: Json) =>
      (Array.isArray(body) ? body[0].value : (body.event_types as Json[])).map(({ name }: Json) => name),
    first: 'BILLING.SUBSCRIPTION.ACTIVATED',
  },
}

for (const [key, provider] of Object.entries(providers))
  test(`the endpoint of this site is made, then changed, and others stay: ${key}`, async (t) => {
    const url = `https://example.com/app/membership/webhooks/${key}`
    let all: Json[] = [provider.made(elsewhere)]
    const { asked, base } = await serve(t, ({ method, path }) => {
      if (path === '/v1/oauth2/token') return { access_token: 'a', expires_in: 3600, token_type: 'Bearer' }
      if (method === 'GET' && path === provider.list) return provider.listed(all)
      const isMade = method === 'POST' && path === provider.list
      if (!isMade && !(method === provider.change.method && path === provider.change.path)) return null
      const { secret: _, ...shown } = provider.made(url) as Json
      const answer = isMade || key !== 'stripe' ? provider.made(url) : shown
      return key === 'paddle' ? { data: answer } : answer
    })
    const writes = () => asked.filter(({ method, path }) => method !== 'GET' && !path.endsWith('/token'))
    const m = await open(t, key, { ...provider.options, api_base: base })
    const input = { provider: key, by: 'Op' }

    t.like(await m.webhooks.connect(input), {
      change: 'create',
      address: url,
      others: [elsewhere],
      secret: null,
    })
    t.deepEqual(writes(), [], 'a plan changes nothing')

    t.like(await m.webhooks.connect({ ...input, write: true }), { change: 'create', secret: provider.secret })
    t.deepEqual([writes().length, writes()[0]?.method, writes()[0]?.path], [1, 'POST', provider.list])
    t.true(JSON.stringify(writes()[0]?.body).includes(url))
    t.true((provider.events(writes()[0]!.body) as string[]).includes(provider.first))

    all = [provider.made(elsewhere), provider.made(url)]
    const plan = await m.webhooks.connect(input)
    t.is(plan.change, 'update')
    t.true(plan.missing.includes(provider.first))
    t.is((await m.webhooks.connect({ ...input, write: true })).secret, provider.again)
    t.like(writes()[1], provider.change)
    t.true((provider.events(writes()[1]!.body) as string[]).includes(provider.first))
  })

test('an address that no provider can reach, and a provider whose addresses are set elsewhere, are said', async (t) => {
  const m = await createMembership({
    install: false,
    root: false,
    log: () => undefined,
    'membership.url': 'http://localhost:3000',
    'membership.database.url': 'sqlite::memory:',
    'membership.providers.stripe': { secret: 'sk_test_1', webhook: 'whsec_0' },
  })
  t.teardown(() => m.close())
  const error = await t.throwsAsync(m.webhooks.connect({ provider: 'stripe', by: 'Op' }))
  t.like(error, { code: 'ERR_USAGE' })
  t.regex((error as unknown as { action: string }).action, /webhooks pull --provider stripe --follow/)
  t.like(await t.throwsAsync(m.webhooks.connect({ provider: 'strpe', by: 'Op' })), {
    code: 'ERR_PROVIDER_UNKNOWN',
  })
  const creem = await open(t, 'creem', { secret: 'creem_test_1', webhook: 'whsec_0', livemode: false })
  const refused = await t.throwsAsync(creem.webhooks.connect({ provider: 'creem', by: 'Op' }))
  t.like(refused, { code: 'ERR_PROVIDER_UNSUPPORTED' })
  t.regex(
    (refused as unknown as { action: string }).action,
    /^Enter https:\/\/example\.com\/app\/membership\/webhooks\/creem/,
  )
})

test('the variable of .env is the one that the provider’s example names', async (t) => {
  const url = 'https://example.com/membership/webhooks/paypal'
  const { paypal } = providers
  const { base } = await serve(t, ({ method, path }) => {
    if (path === '/v1/oauth2/token') return { access_token: 'a', expires_in: 3600, token_type: 'Bearer' }
    return path !== paypal.list ? null : method === 'GET' ? paypal.listed([]) : paypal.made(url)
  })
  const folder = await emptyFolder(t)
  mkdirSync(join(folder, 'config'))
  writeFileSync(
    join(folder, 'config/membership.yml'),
    `membership:\n  url: https://example.com\n  providers:\n    paypal: { client_id: id, secret: s, webhook: "\${PAYPAL_WEBHOOK_ID}", livemode: false, api_base: "${base}" }\n`,
  )
  writeFileSync(join(folder, '.env'), '# Keys\n')
  const made = await runCommand(folder, ['webhooks', 'connect', 'paypal', '--write'])
  t.is(made.code, 0, made.stderr)
  t.is(readFileSync(join(folder, '.env'), 'utf8'), '# Keys\nPAYPAL_WEBHOOK_ID=WH-NEW\n')
})

test('the command writes the secret into an .env without another value, and prints it nowhere', async (t) => {
  const url = 'https://example.com/membership/webhooks/stripe'
  const { stripe } = providers
  const { base } = await serve(t, ({ method, path }) =>
    path !== stripe.list ? null : method === 'GET' ? stripe.listed([]) : stripe.made(url),
  )
  const folder = await emptyFolder(t)
  mkdirSync(join(folder, 'config'))
  writeFileSync(
    join(folder, 'config/membership.yml'),
    `membership:\n  url: https://example.com\n  providers:\n    stripe: { secret: sk_test_1, webhook: "\${STRIPE_WEBHOOK_SECRET}", api_base: "${base}" }\n`,
  )
  const connect = (...flags: string[]) => runCommand(folder, ['webhooks', 'connect', 'stripe', ...flags])

  const plan = await connect()
  t.is(plan.code, 0, plan.stderr)
  t.regex(
    plan.stdout,
    /^Would make the endpoint https:\/\/example\.com\/membership\/webhooks\/stripe at stripe\./,
  )

  writeFileSync(join(folder, '.env'), 'STRIPE_WEBHOOK_SECRET=')
  const made = await connect('--write')
  t.regex(made.stdout, /Its secret is in \.env: STRIPE_WEBHOOK_SECRET/)
  t.notRegex(made.stdout + made.stderr, /whsec_/)
  t.is(readFileSync(join(folder, '.env'), 'utf8'), 'STRIPE_WEBHOOK_SECRET=whsec_new')

  writeFileSync(join(folder, '.env'), 'STRIPE_WEBHOOK_SECRET=whsec_old\n')
  t.like(JSON.parse((await connect('--write', '--json')).stdout), { kept: 'printed', secret: 'whsec_new' })
  t.is(readFileSync(join(folder, '.env'), 'utf8'), 'STRIPE_WEBHOOK_SECRET=whsec_old\n')
})
