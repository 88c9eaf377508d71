import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { createMembership, type MembershipOptions } from '../../../src/index.ts'
import { events as chargebeeEvents } from '../../../src/providers/chargebee/endpoints.ts'
import { events as creemEvents } from '../../../src/providers/creem/endpoints.ts'
import { events as dodoEvents } from '../../../src/providers/dodo/endpoints.ts'
import { events as squeezyEvents } from '../../../src/providers/lemonsqueezy/endpoints.ts'
import { handles as handledByPaddle } from '../../../src/providers/paddle/changes.ts'
import { events as paddleEvents, needed as paddleNeeds } from '../../../src/providers/paddle/endpoints.ts'
import { kinds as polarKinds } from '../../../src/providers/polar/changes.ts'
import { events as polarEvents, needed as polarNeeds } from '../../../src/providers/polar/endpoints.ts'
import { handles as handledByStripe } from '../../../src/providers/stripe/changes.ts'
import { events as stripeEvents, needed as stripeNeeds } from '../../../src/providers/stripe/endpoints.ts'
import { createFakeServer } from '../../../src/testkit/index.ts'
import { runCommand } from '../../support/command.ts'
import { emptyFolder } from '../../support/migrate.ts'

type Json = Record<string, unknown>
interface Asked {
  readonly method: string
  readonly path: string
  readonly body: Json
}

async function bodyOf(request: IncomingMessage): Promise<Json> {
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
async function serve(t: ExecutionContext, answer: (asked: Asked) => Json | null) {
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

async function open(t: ExecutionContext, provider: string, options: Json) {
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

/**
 * Each provider: its options, the endpoint of another address, the place of creation and of a change, and
 * what it answers.
 */
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
  const mollie = await open(t, 'mollie', { secret: 'test_1' })
  const refused = await t.throwsAsync(mollie.webhooks.connect({ provider: 'mollie', by: 'Op' }))
  t.like(refused, { code: 'ERR_PROVIDER_UNSUPPORTED' })
  t.regex(
    (refused as unknown as { action: string }).action,
    /^Enter https:\/\/example\.com\/app\/membership\/webhooks\/mollie/,
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

  rmSync(join(folder, '.env'))
  const printed = await connect('--write')
  t.regex(printed.stdout, /Its secret, shown this once: whsec_new\n {2}Keep it as STRIPE_WEBHOOK_SECRET\./)
  t.false(existsSync(join(folder, '.env')))
})

/**
 * Providers that the command is tried with through their fake servers: the variable of the secret, the rest
 * of the configuration, the events, what the fake reads of a request, and whether a change shows the secret
 * again.
 */
const played = {
  dodo: { variable: 'DODO_WEBHOOK_SECRET', rest: 'livemode: false', events: dodoEvents, showsAgain: true },
  creem: { variable: 'CREEM_WEBHOOK_SECRET', rest: 'livemode: false', events: creemEvents, showsAgain: true },
  lemonsqueezy: {
    variable: 'LEMONSQUEEZY_WEBHOOK_SECRET',
    rest: 'livemode: false',
    events: squeezyEvents,
    showsAgain: false,
  },
  chargebee: {
    variable: 'CHARGEBEE_WEBHOOK_AUTH',
    rest: 'site: acme-test, livemode: false',
    events: chargebeeEvents,
    showsAgain: false,
  },
}

/** A site below /app with a fake provider whose own endpoint is `webhook`, and the command in its folder. */
async function playing(
  t: ExecutionContext,
  key: keyof typeof played,
  webhook: { url: string; events?: readonly string[] },
) {
  const { variable, rest } = played[key]
  const fake = await createFakeServer(key, { seed: 1, webhook: { ...webhook, secret: 'set before' } })
  t.teardown(() => fake.close())
  const folder = await emptyFolder(t)
  mkdirSync(join(folder, 'config'))
  const standAt = (url: string) =>
    writeFileSync(
      join(folder, 'config/membership.yml'),
      `membership:\n  url: ${url}\n  base_path: /app\n  providers:\n    ${key}: { secret: "${fake.secret}", webhook: "\${${variable}}", api_base: "${fake.url}", ${rest} }\n`,
    )
  standAt('https://example.com/app')
  writeFileSync(join(folder, '.env'), `${variable}=\n`)
  const connect = (...flags: string[]) => runCommand(folder, ['webhooks', 'connect', key, ...flags])
  return {
    connect,
    /** Makes the endpoint of another site that sells through the same account. */
    connectForeign: async () => {
      standAt('https://other.example/app')
      await connect('--write')
      standAt('https://example.com/app')
      writeFileSync(join(folder, '.env'), `${variable}=\n`)
    },
    secret: () =>
      readFileSync(join(folder, '.env'), 'utf8')
        .trim()
        .slice(variable.length + 1),
    writes: () => fake.requests().filter(({ method }) => method !== 'GET'),
  }
}

for (const [name, { events, variable, showsAgain }] of Object.entries(played)) {
  const key = name as keyof typeof played
  const own = `https://example.com/app/membership/webhooks/${key}`

  test(`${key}: the plan changes nothing, --write makes the endpoint, and once more changes nothing`, async (t) => {
    const legacy = `https://example.com/membership/webhooks/${key}`
    const foreign = `https://other.example/app/membership/webhooks/${key}`
    const site = await playing(t, key, { url: legacy, events: [events[0]!] })
    const { connect, secret } = site
    await site.connectForeign()
    const before = site.writes().length
    const writes = () => site.writes().slice(before)

    const plan = await connect()
    t.is(plan.code, 0, plan.stderr)
    t.regex(plan.stdout, new RegExp(`^Would make the endpoint ${own} at ${key}\\.`))
    t.true(plan.stdout.includes(`Left as it is: ${legacy} (the address of version 1;`), plan.stdout)
    t.true(plan.stdout.includes(`Left as it is: ${foreign}\n`), plan.stdout)
    t.deepEqual([writes(), secret()], [[], ''])

    const made = await connect('--write')
    t.is(made.code, 0, made.stderr)
    t.true(made.stdout.includes(`Its secret is in .env: ${variable}`), made.stdout)
    t.true(secret().length > 20)
    t.false(`${made.stdout}${made.stderr}`.includes(secret()))
    t.is(writes().length, 1)
    const sent = JSON.stringify(writes()[0]!.params)
    t.true(sent.includes(own))
    for (const event of events) t.true(sent.includes(event), event)
    // Where the site chooses the secret, it is the one that was sent.
    t.is(sent.includes(secret().replace(/^.*:/, '')), !showsAgain)

    const again = await connect('--write')
    t.is(again.code, 0, again.stderr)
    t.regex(again.stdout, new RegExp(`^${key} sends every needed event to ${own}\\.`))
    t.is(writes().length, 1)

    const { others, legacy: known } = JSON.parse((await connect('--json')).stdout)
    t.deepEqual([others.toSorted(), known], [[legacy, foreign], [legacy]], 'those that were there stay')
  })

  test(`${key}: an endpoint of this address gets the missing events, and is turned on`, async (t) => {
    const { connect, secret, writes } = await playing(t, key, { url: own, events: [events[0]!] })
    const changed = await connect('--write')
    t.is(changed.code, 0, changed.stderr)
    t.regex(changed.stdout, new RegExp(`^Changed the endpoint ${own} at ${key}\\.`))
    t.is(secret(), showsAgain ? 'set before' : '')
    t.is(/Its secret stays as it was/.test(changed.stdout), !showsAgain)
    t.is(writes().length, 1)
    const sent = JSON.stringify(writes()[0]!.params)
    for (const event of events) t.true(sent.includes(event), event)
    t.regex((await connect('--write')).stdout, /sends every needed event/)
    t.is(writes().length, 1)
  })
}

test('every event that is registered is read, and the needed ones are among them', (t) => {
  const readers = {
    stripe: { needed: stripeNeeds, events: stripeEvents, reads: handledByStripe },
    paddle: { needed: paddleNeeds, events: paddleEvents, reads: handledByPaddle },
    polar: { needed: polarNeeds, events: polarEvents, reads: (type: string) => polarKinds.has(type) },
  }
  for (const [key, { needed, events, reads }] of Object.entries(readers)) {
    t.deepEqual(
      events.filter((type) => !reads(type)),
      [],
      key,
    )
    t.deepEqual(
      needed.filter((type) => !(events as readonly string[]).includes(type)),
      [],
      key,
    )
    t.is(new Set(events).size, events.length, key)
  }
})
