import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'

import type { ProviderDefinition } from '../../src/providers/contract.ts'
import {
  type Certified,
  type CertifyRequest,
  certify,
  payAt,
  replay,
} from '../../src/testkit/certify/index.ts'
import { definitions } from '../../src/testkit/definitions.ts'
import { createFakeServer } from '../../src/testkit/index.ts'
import { runCommand } from '../support/command.ts'
import { emptyFolder } from '../support/migrate.ts'
import { thorough } from '../support/parts.ts'

const sellers = definitions.filter(({ testMode }) => testMode !== undefined)

// A service of each protocol shows it at every run, the others in the thorough ones.
function often({ key }: ProviderDefinition) {
  return key === 'stripe' || key === 'paypal' ? test : thorough(test)
}

/** Ids as each provider's look. */
const pricesOf: Readonly<Record<string, CertifyRequest['prices']>> = {
  lemonsqueezy: { month: '2001', team: '2002', once: '2003' },
}
const usual = { month: 'price_month1', team: 'price_team1', once: 'price_once1' }
const secrets: Readonly<Record<string, string>> = { paypal: '96605875FF6516633', dodo: 'whsec_c2VjcmV0' }

type Mutate = (method: string, path: string, answer: { status: number; body: unknown }) => void

/** The service with something planted in its answers. */
async function openPlanted(t: ExecutionContext, base: string, mutate: Mutate): Promise<string> {
  const server = createServer((request, response) => {
    void handle(request).then(({ status, headers, text }) => response.writeHead(status, headers).end(text))
  }).listen(0, '127.0.0.1')
  const handle = async (request: IncomingMessage) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers
    const answer = await fetch(new URL(request.url ?? '/', base), {
      method: request.method ?? 'GET',
      headers: headers as Record<string, string>,
      ...(body.length > 0 ? { body: new Uint8Array(body) } : {}),
    })
    const text = await answer.text()
    // A certificate, or nothing.
    if (!/^[[{]/.test(text)) return { status: answer.status, headers: {}, text }
    const planted = { status: answer.status, body: JSON.parse(text) as unknown }
    mutate(request.method ?? 'GET', new URL(request.url ?? '/', base).pathname, planted)
    return {
      status: planted.status,
      headers: { 'content-type': 'application/json', date: answer.headers.get('date') ?? '' },
      text: JSON.stringify(planted.body),
    }
  }
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function run(t: ExecutionContext, definition: ProviderDefinition, mutate?: Mutate): Promise<Certified> {
  const { key } = definition
  const prices = pricesOf[key] ?? usual
  const service = await createFakeServer(definition, { running: true, seed: 'the service' })
  t.teardown(() => service.close())
  const monthly = { currency: 'eur', recurring: { interval: 'month' }, product: 'PROD-CERTIFY' } as const
  service.addPrice({ id: prices.month, unit_amount: 900, ...monthly })
  service.addPrice({ id: prices.team, unit_amount: 2500, ...monthly })
  service.addPrice({ id: prices.once!, unit_amount: 1900, currency: 'eur', product: 'PROD-CERTIFY' })
  const secret = secrets[key] ?? 'whsec_of_the_test'
  const base = mutate === undefined ? service.url : await openPlanted(t, service.url, mutate)
  return certify({
    definition,
    prices,
    base,
    email: 'ann@example.com',
    webhook: { port: 0, secret, opened: (url) => service.sendTo({ url, secret }) },
    options: {
      secret: service.secret,
      ...('clientId' in service ? { client_id: service.clientId } : {}),
    },
    pay: (url) => payAt(service, url, 'ann@example.com'),
    deliver: async () => {
      await service.deliver()
    },
    now: () => service.now(),
  })
}

for (const definition of sellers)
  often(definition)(`${definition.key}: a service that equals the fake shows no difference`, async (t) => {
    const certified = await run(t, definition)
    t.deepEqual(
      certified.steps.filter(({ result }) => result === 'different'),
      [],
    )
  })

/** Every object in a body, with its fields. */
function objectsIn(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value)
    ? value.flatMap(objectsIn)
    : typeof value === 'object' && value !== null
      ? [value as Record<string, unknown>, ...Object.values(value).flatMap(objectsIn)]
      : []
}

const statusWords = new Set(['active', 'ACTIVE', 'subscribed'])
const moments = /^(?:created|created_at|createdAt|create_time|started_at)$/

/** Three things in which a service could differ from its fake, for every provider alike. */
const planted: readonly { readonly name: string; readonly mutate: Mutate; readonly says: RegExp }[] = [
  {
    name: 'a status that nobody knows',
    mutate: (_method, path, { body }) => {
      if (/subscription/.test(path))
        for (const object of objectsIn(body))
          if (statusWords.has(String(object.status))) object.status = 'uncharted'
    },
    says: /^(?:status|ends|error) is /,
  },
  {
    name: 'a field that is gone',
    mutate: (_method, path, { body }) => {
      if (/customer|subscription/.test(path))
        for (const object of objectsIn(body))
          for (const name of Object.keys(object)) if (moments.test(name)) delete object[name]
    },
    says: /(?:created|createdAt|create_time|created_at|started_at) is missing/,
  },
  {
    name: 'another status of an answer',
    mutate: (method, path, answer) => {
      if (method === 'POST' && answer.status < 300 && !/token/.test(path))
        answer.status = answer.status === 202 ? 203 : 202
    },
    says: /the status is 202, the fake says 20[01]/,
  },
]

for (const definition of sellers)
  for (const { name, mutate, says } of planted)
    often(definition)(`${definition.key}: ${name} is found`, async (t) => {
      const { isSame, steps } = await run(t, definition, mutate)
      t.false(isSame)
      const notes = steps.filter(({ result }) => result === 'different').flatMap((step) => step.notes)
      t.true(
        notes.some((note) => says.test(note)),
        notes.join('\n'),
      )
    })

for (const definition of sellers)
  often(definition)(
    `${definition.key}: a cassette holds no secret and nobody's address, and plays to the same outcome`,
    async (t) => {
      const { cassette } = await run(t, definition)
      const text = JSON.stringify(cassette)
      t.notRegex(text, /ann@example\.com|Ann Certify|Bearer |Basic /i)
      t.deepEqual(await replay(definition, JSON.parse(text)), [])
    },
  )

/** A service that counts what it is asked, and answers that. */
async function counting(t: ExecutionContext, answer: unknown) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  return { asked, base: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

async function refused(t: ExecutionContext, key: string, given: Partial<CertifyRequest>) {
  const definition = definitions.find((each) => each.key === key)!
  const { asked, base } = await counting(t, { meta: { test_mode: false } })
  await t.throwsAsync(
    certify({
      definition,
      base,
      prices: usual,
      email: 'ann@example.com',
      options: {},
      pay: async () => {},
      ...given,
    }),
    { code: 'ERR_CONFIG', message: /Test mode of .* is not proved: .* Nothing was written\./ },
  )
  return asked
}

const liveKeys: Readonly<Record<string, string>> = {
  stripe: 'sk_live_1',
  paddle: 'pdl_live_apikey_1',
  mollie: 'live_1',
  creem: 'creem_1',
  chargebee: 'live_1',
}

for (const [key, secret] of Object.entries(liveKeys))
  test(`${key}: a live key stops the run before any request`, async (t) => {
    t.deepEqual(await refused(t, key, { options: { secret } }), [])
  })

for (const key of ['stripe', 'mollie', 'creem', 'chargebee'])
  test(`${key}: a key that does not show its mode stops the run before any request`, async (t) => {
    t.deepEqual(await refused(t, key, { options: { secret: 'something' } }), [])
  })

for (const key of ['paypal', 'polar', 'dodo', 'paddle'])
  test(`${key}: an address outside test mode stops the run before any request`, async (t) => {
    await refused(t, key, { options: { secret: 'something' }, base: 'https://api.example.com' })
  })

test('lemonsqueezy: a key that the API reports as live stops the run before any write', async (t) => {
  t.deepEqual(await refused(t, 'lemonsqueezy', { options: { secret: 'something' } }), ['GET /v1/users/me'])
})

const cassettes = join(import.meta.dirname, '../fixtures/cassettes')
const recordings = existsSync(cassettes)
  ? readdirSync(cassettes).filter((name) => name.endsWith('.json'))
  : []

test('recordings of test accounts replay to the same outcome', async (t) => {
  for (const name of recordings) {
    const cassette = JSON.parse(readFileSync(join(cassettes, name), 'utf8')) as Certified['cassette']
    const definition = sellers.find(({ key }) => `${key}.json` === name)
    t.is(cassette.provider, definition?.key ?? name)
    t.deepEqual(await replay(definition!, cassette), [], name)
  }
  t.pass(`${recordings.length} recordings`)
})

// Waits two seconds for messages after each of its steps, as it does at a provider.
thorough(test)('the command certifies a fake server over HTTP, prints the table, and records', async (t) => {
  const service = await createFakeServer('stripe', { running: true, secret: 'sk_test_of_the_command' })
  t.teardown(() => service.close())
  const monthly = { currency: 'eur', recurring: { interval: 'month' } } as const
  service.addPrice({ id: 'price_month1', unit_amount: 900, ...monthly })
  service.addPrice({ id: 'price_team1', unit_amount: 2500, ...monthly })
  const folder = await emptyFolder(t)
  const args = [
    'providers',
    'certify',
    'stripe',
    '--price-month',
    'price_month1',
    '--price-team',
    'price_team1',
  ]
  const more = [
    '--email',
    'ann@example.com',
    '--api-base',
    service.url,
    '--record',
    join(folder, 'stripe.json'),
  ]
  const env = { STRIPE_SECRET: 'sk_test_of_the_command' }
  const shown = await runCommand(folder, [...args, ...more], { env })
  t.is(shown.code, 0, shown.stderr)
  t.regex(shown.stdout, /same +change_now/)
  t.regex(shown.stdout, /stripe is as the adapter and its fake server expect: \d{4}-\d\d-\d\d, API \S+\./)
  t.notRegex(readFileSync(join(folder, 'stripe.json'), 'utf8'), /sk_test|ann@/)
  const stopped = await runCommand(folder, [...args, ...more, '--json'], {
    env: { STRIPE_SECRET: 'sk_live_1' },
  })
  t.is(stopped.code, 1)
  t.regex(stopped.stderr + stopped.stdout, /Test mode of stripe is not proved/)
})
