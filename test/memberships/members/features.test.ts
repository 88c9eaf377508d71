import type { AddressInfo } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import Koa from 'koa'
import { createMembership, isMembershipError, type MembershipOptions } from '../../../src/index.ts'
import { createGateCheck } from '../../../src/memberships/members/index.ts'
import { freshDatabase } from '../../support/databases.ts'

const plans = {
  basic: { opens: ['archive'], prices: ['price_basic'] },
  pro: { opens: ['archive', 'export'], prices: ['price_pro'] },
} as const

async function open(t: ExecutionContext, options: MembershipOptions = {}, log: string[] = []) {
  const m = await createMembership({
    ...(await freshDatabase()),
    'membership.providers.sandbox': { plans },
    'membership.provider.handler': 'sandbox',
    'membership.secret': 'x'.repeat(32),
    install: false,
    root: false,
    log: (line) => log.push(line),
    ...options,
  })
  t.teardown(() => m.close())
  return m
}

async function memberWith(m: Awaited<ReturnType<typeof open>>, gate: string) {
  const { id } = await m.users.create({ email: 'ann@example.com' })
  await m.users.grant({ memberId: id, gate })
  return m.viewOf(await m.users.findById(id))
}

test('a view lists the open features, and each is a gate of its own', async (t) => {
  const m = await open(t)
  const view = await memberWith(m, 'basic')
  t.deepEqual(view.features(), ['archive'])
  t.true(view.allows('archive'))
  t.false(view.allows('export'))
  t.true(view.user()?.hasGate(['export', 'archive']))
  t.is(view.user()?.explain('archive').reason, 'grant')
  t.deepEqual((await m.viewOf(null)).features(), [])
})

test('a route can require a feature, and the replacement page offers the plans that open it', async (t) => {
  const m = await open(t)
  const app = new Koa()
  app.use(m.koa())
  app.use(m.gate('export'))
  app.use((ctx) => {
    ctx.body = 'the file'
  })
  const server = app.listen(0)
  t.teardown(() => server.close())
  const site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const problem = await fetch(`${site}/export`, { headers: { accept: 'application/json' } })
  t.is(problem.status, 403)
  t.is(((await problem.json()) as { code: string }).code, 'ERR_GATED')
  const page = await (await fetch(`${site}/export`, { headers: { accept: 'text/html' } })).text()
  t.regex(page, /Pro/)
  t.notRegex(page, /Basic/)
})

test('the price page lists the configured features by plan, in the requested language', async (t) => {
  const m = await open(t, {
    'membership.features': {
      archive: { name: 'The archive', words: { de: 'Das Archiv' } },
      export: {},
      exports: { name: 'Exports' },
    },
    'membership.providers.sandbox': {
      plans: {
        basic: {
          opens: ['archive'],
          prices: [{ id: 'price_basic', amount: 500, currency: 'EUR', interval: 'month' }],
        },
        pro: {
          opens: ['archive', 'export'],
          limits: { exports: { amount: 100, every: 'month' } },
          prices: [{ id: 'price_pro', amount: 900, currency: 'EUR', interval: 'month' }],
        },
      },
    },
  })
  const ask = async (language: string) =>
    (
      await m.fetch(
        new Request('http://site.example/membership/prices', { headers: { 'accept-language': language } }),
      )
    ).text()
  const english = (await ask('en')).replaceAll(/\s+/g, ' ')
  t.regex(
    english,
    /<th scope="row">The archive<\/th><td data-label="Basic">.+?>Included<.+?<\/td><td data-label="Pro">.+?>Included</,
  )
  t.regex(
    english,
    /<th scope="row">Export<\/th><td data-label="Basic">.+?>Not included<.+?<\/td><td data-label="Pro">.+?>Included</,
  )
  t.regex(
    english,
    /<th scope="row">Exports<\/th><td data-label="Basic">.+?>Not included<.+?<\/td><td data-label="Pro">100 a month/,
  )
  const german = await ask('de')
  t.regex(german, /Das Archiv/)
  t.regex(german, /100 pro Monat/)
})

test('in development an unknown name throws, with the closest known one', async (t) => {
  const known = process.env.NODE_ENV
  t.teardown(() => {
    process.env.NODE_ENV = known
  })
  process.env.NODE_ENV = 'development'
  const m = await open(t)
  process.env.NODE_ENV = known
  const view = await memberWith(m, 'basic')
  const nobody = await m.viewOf(null)
  for (const ask of [
    () => view.allows('exprot'),
    () => view.user()?.explain('exprot'),
    () => nobody.allows('exprot'),
    () => nobody.disallows(['export', 'exprot']),
    () => m.gate('exprot'),
    () => m.guard('exprot'),
  ]) {
    const error = t.throws(ask)
    t.true(isMembershipError(error, 'ERR_GATE_UNKNOWN') && error.action === 'Did you mean "export"?')
  }
  t.false(view.allows('price_pro'))
})

test('in production an unknown name is logged once and opens only by a grant', (t) => {
  const log: string[] = []
  const check = createGateCheck({
    plans: () => [
      {
        id: 'pro',
        provider: 'a',
        name: 'Pro',
        description: null,
        lines: [],
        features: [],
        opens: ['export'],
        prices: [],
      },
    ],
    features: ['beta'],
    isDevelopment: false,
    log: (line) => log.push(line),
  })
  for (const gate of ['exprot', 'exprot', 'export', 'pro', 'beta']) check(gate)
  t.deepEqual(log, [
    'No plan, feature or price is called "exprot": only a grant opens that gate. Did you mean "export"?',
  ])
})

test('a manually granted name is not unknown, and no name is if nothing is sold', async (t) => {
  const log: string[] = []
  const m = await open(t, {}, log)
  const view = await memberWith(m, 'press')
  t.true(view.allows('press'))
  const without = await open(t, { 'membership.providers.sandbox': {} }, log)
  t.false((await without.viewOf(null)).allows('anything'))
  t.deepEqual(
    log.filter((line) => line.includes('is called')),
    [],
  )
})
