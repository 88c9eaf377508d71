import test from 'ava'
import { MembershipError } from '../../../src/core/errors.ts'
import { checkClock } from '../../../src/site/doctor/running.ts'
import { checkSite } from '../../../src/site/doctor/site.ts'
import type { MembershipOptions } from '../../../src/site/options.ts'
import { stripeProvider } from '../../support/stripe-events.ts'
import { findings, look, now, type siteWith } from './support.ts'

const p = 'membership.providers.stripe'
const cases: [
  title: string,
  options: Record<string, unknown>,
  more: NonNullable<Parameters<typeof siteWith>[1]>,
  name: string,
  status: string | null,
][] = [
  ['no handler', { 'membership.provider.handler': undefined }, {}, 'handler', 'warning'],
  ['a handler without a checkout', { [`${p}.secret`]: undefined }, {}, 'handler', 'problem'],
  ['a handler with a checkout', {}, {}, 'handler', null],
  [
    'a provider to choose that has no checkout',
    { 'membership.provider.choices': ['paddle'], 'membership.providers.paddle.webhook': 'pdl_ntfset_1' },
    {},
    'choices',
    'problem',
  ],
  ['a choice of the provider that sells', { 'membership.provider.choices': ['stripe'] }, {}, 'choices', null],
  [
    'an amount that looks like whole euros',
    { [`${p}.plans.nine`]: { prices: [{ id: 'price_1', amount: 9, currency: 'EUR' }] } },
    {},
    'amount',
    'warning',
  ],
  [
    'an amount in minor units, and one of a currency without them',
    {
      [`${p}.plans.nine`]: { prices: [{ id: 'price_1', amount: 900, currency: 'EUR' }] },
      [`${p}.plans.yen`]: { prices: [{ id: 'price_2', amount: 9, currency: 'JPY' }] },
    },
    {},
    'amount',
    null,
  ],
  [
    'a price of the sandbox without an amount',
    { 'membership.providers.sandbox.plans.nine': { prices: ['nine_monthly'] } },
    {},
    'price-without-amount',
    'problem',
  ],
  [
    'a price of the sandbox with an amount, and one whose amount buyers choose',
    {
      'membership.providers.sandbox.plans.nine': {
        prices: [
          { id: 'nine_monthly', amount: 900, currency: 'EUR', interval: 'month' },
          { id: 'nine_free', currency: 'EUR', choose: { min: 100, suggested: [500], max: 900 } },
        ],
      },
    },
    {},
    'price-without-amount',
    null,
  ],
  ['no webhook secret', { [`${p}.webhook`]: undefined }, {}, 'webhook-secret', 'problem'],
  ['a webhook secret', {}, {}, 'webhook-secret', null],
  [
    'pings, which nobody signs',
    { [`${p}.webhook`]: undefined },
    { provider: { trust: 'ping' } },
    'webhook-secret',
    null,
  ],
  [
    'pings that cannot be asked about',
    { [`${p}.webhook`]: undefined },
    { provider: { trust: 'ping', fetch: undefined as never } },
    'webhook-secret',
    'problem',
  ],
  ['an API key as webhook secret', { [`${p}.webhook`]: 'sk_live_another' }, {}, 'secret-mixed-up', 'problem'],
  [
    'the API key as webhook secret',
    { [`${p}.webhook`]: 'own_key_1', [`${p}.secret`]: 'own_key_1' },
    {},
    'secret-mixed-up',
    'problem',
  ],
  [
    'an address as webhook secret',
    { [`${p}.webhook`]: 'https://example.com' },
    {},
    'secret-mixed-up',
    'problem',
  ],
  ['the endpoint’s id as webhook secret', { [`${p}.webhook`]: 'we_1abc' }, {}, 'secret-mixed-up', 'problem'],
  ['a line end in the webhook secret', { [`${p}.webhook`]: 'whsec_1\n' }, {}, 'secret-mixed-up', 'problem'],
  ['a webhook secret as API key', { [`${p}.secret`]: 'whsec_1' }, {}, 'secret-mixed-up', 'problem'],
  ['a public key as API key', { [`${p}.secret`]: 'pk_live_1' }, {}, 'secret-mixed-up', 'problem'],
  ['secrets in their places', {}, {}, 'secret-mixed-up', null],
  [
    'a test key where live is said',
    { [`${p}.secret`]: 'sk_test_1', [`${p}.livemode`]: true },
    {},
    'mode',
    'problem',
  ],
  ['a test key in production', { [`${p}.secret`]: 'sk_test_1' }, {}, 'mode', 'warning'],
  ['a live key outside of production', {}, { isProduction: false }, 'mode', 'warning'],
  ['a live key in production', {}, {}, 'mode', null],
  [
    'a test key outside of production',
    { [`${p}.secret`]: 'sk_test_1' },
    { isProduction: false },
    'mode',
    null,
  ],
  ['a plan without prices', { [`${p}.plans.empty`]: {} }, {}, 'plans', 'problem'],
  ['plans with prices', {}, {}, 'plans', null],
  [
    'no secret on PostgreSQL',
    { 'membership.secret': undefined, 'membership.database.url': 'postgres://u@h/d' },
    {},
    'secret',
    'problem',
  ],
  ['no secret beside SQLite', { 'membership.secret': undefined }, {}, 'secret', null],
  ['a secret on PostgreSQL', { 'membership.database.url': 'postgres://u@h/d' }, {}, 'secret', null],
  ['https and no proxy', { 'membership.ratelimit.trust_proxy': 0 }, {}, 'proxy', 'warning'],
  ['a proxy that cannot be counted', {}, {}, 'proxy', 'skipped'],
  ['a proxy on this machine', { 'membership.url': 'http://localhost:3000' }, {}, 'proxy', 'warning'],
  [
    'no proxy on this machine',
    { 'membership.url': 'http://localhost:3000', 'membership.ratelimit.trust_proxy': 0 },
    {},
    'proxy',
    null,
  ],
  ['a database in memory', { 'membership.database.url': 'sqlite::memory:' }, {}, 'database-place', 'problem'],
  ['a database on NFS', {}, { fileSystem: () => 0x6969 }, 'database-place', 'problem'],
  [
    'a database on SMB, as a signed number',
    {},
    { fileSystem: () => 0xff534d42 | 0 },
    'database-place',
    'problem',
  ],
  ['a database on tmpfs', {}, { fileSystem: () => 0x01021994 }, 'database-place', 'warning'],
  [
    'a database below /tmp',
    { 'membership.database.url': 'sqlite:/tmp/x.db' },
    {},
    'database-place',
    'warning',
  ],
  ['a database in a container', {}, { fileSystem: () => 0x794c7630 }, 'database-place', 'warning'],
  ['a database on a disk', {}, {}, 'database-place', null],
  [
    'a database that is not flushed',
    { 'membership.database.synchronous': 'normal' },
    {},
    'database-synchronous',
    'warning',
  ],
  ['a database that is flushed', {}, {}, 'database-synchronous', null],
  ['no API key', { [`${p}.secret`]: undefined, [`${p}.livemode`]: true }, {}, 'api-key', 'warning'],
  ['an accepted API key', {}, {}, 'api-key', null],
]

for (const [title, options, more, name, status] of cases)
  test(`${title}: ${name} ${status ?? 'is fine'}`, async (t) => {
    const all = findings(await look(options, more), name)
    t.deepEqual(
      all.map((check) => check.status),
      status === null ? [] : [status as never],
    )
    t.true(all.every(({ fix }) => fix !== null && fix !== ''))
  })

function answerOf(statusCode?: number) {
  const cause = Object.assign(
    new Error('sk_live_of_the_tests'),
    statusCode === undefined ? {} : { statusCode },
  )
  return { fetch: () => Promise.reject(new MembershipError('ERR_PROVIDER_ANSWER', 'no', { cause })) }
}
for (const [title, statusCode, status, words] of [
  ['a key that is not accepted', 401, 'problem', /does not accept/],
  ['a key that may not read', 403, 'warning', /may not read/],
  ['a provider that is down', 500, 'warning', /no usable answer \(500\)/],
  ['a provider that cannot be reached', undefined, 'warning', /no usable answer/],
] as const)
  test(`${title} is a ${status}, without the key`, async (t) => {
    const checks = await look({}, { provider: answerOf(statusCode) })
    const [check] = findings(checks, 'api-key')
    t.is(check?.status, status)
    t.regex(check?.what ?? '', words)
    t.notRegex(JSON.stringify(checks), /of_the_tests/)
  })

test('each of several API keys is checked', async (t) => {
  const answering = { ...stripeProvider({ secret: 'sk_live_of_the_tests' }), fetch: async () => null }
  const accounts = new Map([
    ['eu', answering],
    ['us', { ...answering, ...answerOf(401) }],
  ]) as never
  const checks = (await look({}, { provider: { accounts } })).filter(({ name }) => name === 'api-key')
  t.deepEqual(
    checks.map(({ status, what }) => [status, what]),
    [
      ['ok', 'stripe (eu) answers and accepts the API key.'],
      ['problem', 'stripe (us) does not accept the API key.'],
    ],
  )
})

test('a missing package is a problem that says how to install it', async (t) => {
  const error = new MembershipError('ERR_CONFIG', 'The package "x" could not be loaded', {
    action: 'npm install x',
  })
  const [check] = findings(await look({}, { provider: { fetch: () => Promise.reject(error) } }), 'api-key')
  t.like(check, { status: 'problem', fix: 'npm install x' })
})

// The provider's `Date` less one second is what `at` says.
for (const [seconds, status, words] of [
  [0, null, null],
  [29, null, null],
  [60, 'warning', /60 s behind/],
  [-60, 'warning', /60 s ahead of/],
  [600, 'problem', /10 min behind.*refused/],
] as const)
  test(`a clock that is ${seconds} s from the provider’s: ${status ?? 'is fine'}`, async (t) => {
    const at = new Date(now.getTime() + (seconds - 1) * 1000).toISOString()
    const [check] = findings(
      await look({}, { provider: { fetch: async () => ({ changes: [], at }) } }),
      'clock',
    )
    t.is(check?.status ?? null, status)
    if (words) t.regex(check?.what ?? '', words)
  })

for (const [seconds, status, words] of [
  [0, 'ok', /agrees/],
  [-119, 'ok', /agrees/],
  [121, 'problem', /2 min behind/],
  [-600, 'problem', /10 min ahead of/],
] as const)
  test(`a clock that is ${seconds} s from the shared database’s: ${status}`, async (t) => {
    const ms = now.getTime() + seconds * 1000
    const storage = { dialect: 'postgres' as const, read: (async () => [{ ms }]) as never }
    const [check] = await checkClock(storage, () => now)
    t.is(check?.status, status)
    t.regex(check?.what ?? '', words)
  })

test('a database that this user may not write to is a problem that names the reason', async (t) => {
  const options = { 'membership.database.url': `sqlite:${import.meta.filename}` }
  const closed = async (mayWrite: (path: string) => boolean) =>
    findings(await look(options, { mayWrite }), 'database-writable').map(({ status, what }) => [status, what])
  t.deepEqual(await closed(() => true), [])
  t.deepEqual(await closed((path) => path !== import.meta.filename), [
    ['problem', `This user may not write to ${import.meta.filename}.`],
  ])
  t.is((await closed((path) => path === import.meta.filename)).length, 1)
})

test('each mistake of a configuration has its own fix below it', async (t) => {
  const given = {
    'membership.database.url': 'sqlite::memory:',
    'membership.providers.sandbox': {},
    'membership.shop.country': 3,
    'membership.ratelimit.limt': 5,
    'membership.plans.pro': { features: ['a'] },
  }
  const options = { root: false as const, ...given } as object as MembershipOptions
  const { checks } = await checkSite({ folder: '.', options, env: {}, now: () => now, randomId: () => 'a' })
  t.deepEqual(
    checks.map(({ what, fix }) => [what.slice(0, 40), fix]),
    [
      ['membership.shop.country must be a countr', 'Correct the configuration.'],
      [
        'Unknown key "membership.ratelimit.limt" ',
        'Rename "membership.ratelimit.limt" to "membership.ratelimit.limit".',
      ],
      [
        'membership.plans.pro.features is called ',
        'Rename "features" to "lines", or to "opens" if it names features.',
      ],
    ],
  )
})
