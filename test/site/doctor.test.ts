import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { createMembership, isMembershipError } from '../../src/index.ts'
import { isPing } from '../../src/memberships/verification/trust.ts'
import { planSite } from '../../src/migrate/index.ts'
import { bareProvider } from '../../src/providers/bare.ts'
import { type DoctorOptions, examine } from '../../src/site/doctor/index.ts'
import { definitions } from '../../src/testkit/definitions.ts'
import { openHost, secret } from '../support/host.ts'
import { emptyFolder } from '../support/migrate.ts'

const well = {
  'site/config/config.php': `<?php\nreturn [\n  'membership.provider.handler' => 'stripe',\n  'membership.providers.stripe.webhook' => '${secret}',\n];\n`,
  'site/blueprints/users/member.yml': 'fields:\n  stripe:\n    type: hidden\n    membership: false\n',
}
async function siteOf(t: ExecutionContext, files: Record<string, string>): Promise<string> {
  const site = join(await emptyFolder(t), 'site-folder')
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(site, file)), { recursive: true })
    writeFileSync(join(site, file), text)
  }
  return site
}
function ask(folder: string, options: Partial<DoctorOptions> = {}) {
  return examine(folder, {
    env: {},
    now: () => new Date(),
    randomId: () => 'x1',
    timeoutSeconds: 20,
    ...options,
  })
}
async function statuses(folder: string, options: Partial<DoctorOptions> = {}) {
  const { checks } = await ask(folder, options)
  return Object.fromEntries(checks.map(({ name, status }) => [name, status]))
}

test('a site of version 2 is well', async (t) => {
  const { isWell, checks } = await ask(await siteOf(t, well))
  t.true(isWell)
  t.deepEqual([...new Set(checks.map(({ status }) => status))], ['ok'])
})

test('leftovers of version 1 are problems with advice', async (t) => {
  const site = await siteOf(t, {
    'site/config/config.php':
      "<?php return ['membership.stripe.secret' => 'hunter2', 'membership.manageUsers.role' => role('hunter3')];",
    'site/blueprints/users/member.yml': 'title: Member\n',
    'site/accounts/a/user.txt': 'Stripe:\n\ncustomer: c\npurchases: []\n',
  })
  const { isWell, checks } = await ask(site)
  t.false(isWell)
  const problems = checks.filter(({ status }) => status === 'problem')
  t.true(problems.every(({ fix }) => fix !== null))
  t.deepEqual(problems.map(({ file }) => file).sort(), [
    null,
    'site/accounts/a/user.txt',
    'site/blueprints/users/member.yml',
    'site/config/config.php',
    'site/config/config.php',
  ])
  t.notRegex(JSON.stringify(checks), /hunter2/)
})

test('missing settings, open .env files and left backups are warnings', async (t) => {
  const site = await siteOf(t, {
    ...well,
    'site/config/config.php': "<?php return ['membership.cache' => 1];",
    '.env': 'A=1',
  })
  chmodSync(join(site, '.env'), 0o644)
  mkdirSync(join(site, '.membership-migration'))
  t.like(await statuses(site), {
    handler: 'warning',
    'webhook-secret': 'warning',
    'env-readable': 'warning',
    backups: 'warning',
  })
  writeFileSync(join(site, 'index.php'), '<?php')
  t.like(await statuses(site), { 'env-shown': 'warning' })
})

test('values are checked, not only their presence', async (t) => {
  const faults: [string, Record<string, string>, string, string][] = [
    ['an empty secret', { secret: "''" }, 'api-key', 'problem'],
    ['an empty webhook secret', { webhook: "''" }, 'webhook-secret', 'problem'],
    ['secrets in each other’s place', { secret: "'whsec_abcdefgh'" }, 'secret-mixed-up', 'problem'],
    ['an API key as webhook secret', { webhook: "'sk_live_abcdefgh'" }, 'secret-mixed-up', 'problem'],
    ['a handler without a provider', { handler: "'paddle'" }, 'handler', 'problem'],
    ['a variable that nothing sets', { secret: "env('STRIPE_SECRET')" }, 'variable-unset', 'warning'],
    ['a variable that is set to nothing', { secret: "env('EMPTY_SECRET')" }, 'api-key', 'problem'],
    ['a role without a blueprint', { roles: "['reader']" }, 'roles', 'warning'],
    ['a role as text', { roles: "'member'" }, 'roles', 'problem'],
    ['a limit of 0', { limit: '0' }, 'ratelimit', 'problem'],
    ['a limit that is a word', { limit: "'many'" }, 'ratelimit', 'problem'],
  ]
  const good = {
    handler: "'stripe'",
    secret: "'sk_live_abcdefgh'",
    webhook: "'whsec_abcdefgh'",
    roles: "['member']",
    limit: '30',
  }
  const keys = {
    handler: 'provider.handler',
    secret: 'providers.stripe.secret',
    webhook: 'providers.stripe.webhook',
    roles: 'members.roles',
    limit: 'ratelimit.limit',
  }
  const php = (values: Record<string, string>) =>
    `<?php return [${Object.entries(keys)
      .map(([name, key]) => `'membership.${key}' => ${values[name]}`)
      .join(', ')}];`
  const site = await siteOf(t, {
    ...well,
    'site/config/config.php': php(good),
    'site/.env': 'EMPTY_SECRET=\n',
  })
  chmodSync(join(site, 'site/.env'), 0o640)
  t.true((await ask(site)).isWell)
  for (const [title, wrong, name, status] of faults) {
    writeFileSync(join(site, 'site/config/config.php'), php({ ...good, ...wrong }))
    const { checks } = await ask(site)
    t.true(
      checks.some((check) => check.name === name && check.status === status),
      `${title}: ${JSON.stringify(checks)}`,
    )
    t.notRegex(JSON.stringify(checks), /abcdefgh/)
  }
})

// What was put wrong, in version 2's words and in version 1's, and the check that names it.
const faults: [string, readonly string[], readonly string[], string][] = [
  ['an empty secret', ['providers.stripe.secret', "''"], ['stripe.secret', "''"], 'api-key'],
  ['an empty webhook secret', ['providers.stripe.webhook', "''"], ['stripe.webhook', "''"], 'webhook-secret'],
  [
    'a webhook secret as key',
    ['providers.stripe.secret', "'whsec_abcdefgh'"],
    ['stripe.secret', "'whsec_abcdefgh'"],
    'secret-mixed-up',
  ],
  [
    'a key as webhook secret',
    ['providers.stripe.webhook', "'sk_live_abcdefgh'"],
    ['stripe.webhook', "'sk_live_abcdefgh'"],
    'secret-mixed-up',
  ],
  [
    'a restricted key as webhook secret',
    ['providers.stripe.webhook', "'rk_live_abcdefgh'"],
    ['stripe.webhook', "'rk_live_abcdefgh'"],
    'secret-mixed-up',
  ],
  [
    'a publishable key as secret',
    ['providers.stripe.secret', "'pk_live_abcdefgh'"],
    ['stripe.secret', "'pk_live_abcdefgh'"],
    'secret-mixed-up',
  ],
  [
    'a misspelt secret',
    ['providers.stripe.secert', "'sk_live_abcdefgh'"],
    ['stripe.secert', "'sk_live_abcdefgh'"],
    'misspelt',
  ],
  [
    'a misspelt webhook',
    ['providers.stripe.webook', "'whsec_abcdefgh'"],
    ['stripe.webook', "'whsec_abcdefgh'"],
    'misspelt',
  ],
  [
    'a misspelt section',
    ['provders.stripe.secret', "'sk_live_abcdefgh'"],
    ['manageUser.role', "'member'"],
    'misspelt',
  ],
  ['a misspelt handler', ['provider.hander', "'stripe'"], ['provider.curent', "'stripe'"], 'misspelt'],
  [
    'a handler without a provider',
    ['provider.handler', "'paddle'"],
    ['provider.current', "'paddle'"],
    'handler',
  ],
  ['an empty handler', ['provider.handler', "''"], ['provider.current', "''"], 'handler'],
  [
    'a variable that nothing sets',
    ['providers.stripe.secret', "env('NO_SECRET')"],
    ['stripe.secret', "env('NO_SECRET')"],
    'variable-unset',
  ],
  [
    'another that nothing sets',
    ['providers.stripe.webhook', "getenv('NO_WEBHOOK')"],
    ['stripe.webhook', "getenv('NO_WEBHOOK')"],
    'variable-unset',
  ],
  [
    'a variable that is empty',
    ['providers.stripe.secret', "env('EMPTY_SECRET')"],
    ['stripe.secret', "env('EMPTY_SECRET')"],
    'api-key',
  ],
  ['a role without a blueprint', ['members.roles', "['reader']"], ['manageUsers.role', "'reader'"], 'roles'],
  [
    'a test key of the live site',
    ['providers.stripe.secret', "'sk_test_abcdefgh'"],
    ['stripe.secret', "'sk_test_abcdefgh'"],
    'mode',
  ],
  ['a limit of 0', ['ratelimit.limit', '0'], ['ratelimit.limit', '0'], 'ratelimit'],
  ['a limit below 0', ['ratelimit.limit', '-1'], ['ratelimit.limit', '-1'], 'ratelimit'],
  ['a limit that is a word', ['ratelimit.limit', "'many'"], ['ratelimit.limit', "'many'"], 'ratelimit'],
]
const rightly = {
  v2: {
    'provider.handler': "'stripe'",
    'providers.stripe.secret': "'sk_live_abcdefgh'",
    'providers.stripe.webhook': "'whsec_abcdefgh'",
    'members.roles': "['member']",
    'ratelimit.limit': '30',
  },
  v1: {
    'provider.current': "'stripe'",
    'stripe.secret': "'sk_live_abcdefgh'",
    'stripe.webhook': "'whsec_abcdefgh'",
    'manageUsers.role': "'member'",
    'ratelimit.limit': '30',
  },
}
for (const version of ['v2', 'v1'] as const)
  test(`twenty kinds of mistakes in the settings of ${version} are named, and no false ones`, async (t) => {
    const site = await siteOf(t, { ...well, 'site/.env': 'EMPTY_SECRET=\n' })
    chmodSync(join(site, 'site/.env'), 0o640)
    const checksWith = async (wrong: Record<string, string>) => {
      const settings = Object.entries({ ...rightly[version], ...wrong })
      const lines = settings.map(([key, value]) => `  'membership.${key}' => ${value},`).join('\n')
      writeFileSync(join(site, 'site/config/config.php'), `<?php\nreturn [\n${lines}\n];\n`)
      return (await ask(site, { env: { NODE_ENV: 'production' } })).checks
    }
    const names = new Set(faults.map(([, , , name]) => name))
    const namesOf = (checks: Awaited<ReturnType<typeof checksWith>>) =>
      checks.filter(({ name, status }) => names.has(name) && status !== 'ok').map(({ name }) => name)
    t.deepEqual(namesOf(await checksWith({})), [])
    for (const [title, v2, v1, name] of faults) {
      const [key, value] = version === 'v2' ? v2 : v1
      const found = namesOf(await checksWith({ [key!]: value! }))
      t.true(found.includes(name), `${title}: ${found}`)
    }
  })

test('a dotted prefix and another accessor are checked under their own names', async (t) => {
  const key = 'bnomei.klub'
  const files = {
    'site/config/config.php': `<?php\nreturn [\n  '${key}.provider.handler' => 'stripe',\n  '${key}.providers.stripe.webhook' => '${secret}',\n];\n`,
    'site/blueprints/users/member.yml': 'fields:\n  stripe:\n    type: hidden\n    klub: false\n',
    'site/templates/account.php':
      "<?php $own = null; foreach (members()->user()->subscriptions() as $s) { if ($s['items']['data'][0]['price']['id'] === 'p') { $own = $s; break; } }",
  }
  const site = await siteOf(t, files)
  const options = { prefix: key, accessor: 'members' }
  const plan = await planSite(site, options)
  t.deepEqual(
    plan.webhooks.map(({ path }) => path),
    ['/klub/webhooks/stripe'],
  )
  const call = "members()->provider()->subscriptionForPrice('p')"
  t.true(plan.decisions.some(({ replacement }) => replacement?.includes(call)))
  const leftover = (await ask(site, options)).checks.find(({ name }) => name === 'leftover')
  t.regex(leftover?.what ?? '', /price_id/)
  const { 'site/templates/account.php': _, ...without } = files
  const well = await ask(await siteOf(t, without), { prefix: key })
  t.deepEqual(
    well.checks.filter(({ status }) => status === 'problem'),
    [],
  )
  const asked: string[] = []
  const address = await serverOf(t, (request, response) => {
    asked.push(request.url ?? '')
    response.writeHead(404).end()
  })
  await ask(await siteOf(t, without), { prefix: key, url: address })
  t.true(asked.length > 0 && asked.every((path) => path.startsWith('/klub/webhooks/stripe')), asked.join())
})

test('misspelt keys and test keys of a live site are problems', async (t) => {
  const of = (file: string, text: string) => ({ ...well, [`site/config/${file}`]: `<?php return [${text}];` })
  const cases: [Record<string, string>, string][] = [
    [of('config.dev.php', "'membership.providers.stripe.webook' => 'whsec_x'"), 'misspelt'],
    [of('config.dev.php', "'membership.provders.stripe.secret' => 'sk_live_x'"), 'misspelt'],
    [of('config.dev.php', "'membership' => ['provider' => ['hander' => 'stripe']]"), 'misspelt'],
    [of('config.production.php', "'membership.providers.stripe.secret' => 'sk_test_x'"), 'mode'],
    [of('config.example.com.php', "'membership.providers.stripe.secret' => 'sk_test_x'"), 'mode'],
  ]
  for (const [files, name] of cases) {
    const { isWell, checks } = await ask(await siteOf(t, files))
    t.false(isWell)
    t.deepEqual(
      checks.filter(({ status }) => status === 'problem').map((check) => check.name),
      [name],
    )
  }
  const local = of('config.localhost.php', "'membership.providers.stripe.secret' => 'sk_test_x'")
  t.true((await ask(await siteOf(t, local))).isWell)
})

test('a running site accepts the signed event, refuses the unsigned one, and nothing changes', async (t) => {
  const { m, site: url } = await openHost(t)
  const { isWell, checks } = await ask(await siteOf(t, well), { url })
  t.true(isWell, JSON.stringify(checks))
  t.deepEqual(
    checks.filter(({ name }) => name.startsWith('webhook-')).map(({ name, status }) => [name, status]),
    [
      ['webhook-secret', 'ok'],
      ['webhook-unsigned', 'ok'],
      ['webhook-signed', 'ok'],
    ],
  )
  t.deepEqual(
    (await m.webhooks.list()).map(({ type, status }) => [type, status]),
    [['membership.doctor.ping', 'ignored']],
  )
  t.deepEqual(await m.storage.read((db) => db.selectFrom('members').selectAll()), [])
})

test('every provider’s signature is accepted, even if its events have another shape', async (t) => {
  const keys = definitions.filter(({ inProcess }) => !inProcess).map(({ key }) => key)
  const { site: url } = await openHost(t, {
    ...Object.fromEntries(keys.map((key) => [`membership.providers.${key}.webhook`, secret])),
    // One provider reads a store.
    'membership.providers.revenuecat.stores': ['amazon'],
  })
  const folder = await siteOf(t, well)
  const signed = async (provider: string, own: string) =>
    (await statuses(folder, { url, provider, env: { OWN: own }, secretEnv: 'OWN' }))['webhook-signed']
  for (const definition of definitions.filter(({ inProcess }) => !inProcess)) {
    const provider = bareProvider(definition)
    const expected = isPing(provider, { headers: {} }) ? undefined : provider.sign ? 'ok' : 'skipped'
    t.is(await signed(definition.key, secret), expected, definition.key)
    if (expected === 'ok') t.is(await signed(definition.key, 'another secret'), 'problem', definition.key)
  }
})

test('the secret is found where the configuration says it is', async (t) => {
  const { site: url } = await openHost(t)
  const from = (value: string, more: Record<string, string> = {}) =>
    siteOf(t, {
      ...well,
      'site/config/config.php': `<?php return ['membership.providers.stripe.webhook' => ${value}];`,
      ...more,
    })
  const signed = async (folder: string, options: Partial<DoctorOptions> = {}) =>
    (await statuses(folder, { url, ...options }))['webhook-signed']
  t.is(await signed(await from("env('WH')", { '.env': `WH="${secret}"\n` })), 'ok')
  t.is(await signed(await from("fn () => env('WH')"), { env: { WH: secret } }), 'ok')
  t.is(await signed(await from('secret()'), { env: { OWN: secret }, secretEnv: 'OWN' }), 'ok')
  t.is(await signed(await from('secret()')), 'skipped')
  t.is(await signed(await from("env('WH')")), 'skipped')
  t.is(await signed(await from("'whsec_of_another'")), 'problem')
  const v1 = await siteOf(t, {
    'site/config/config.php': "<?php return ['membership.stripe.webhook' => env('WH')];",
  })
  t.is(await signed(v1, { env: { WH: secret } }), 'ok', 'of version 1')
})

async function serverOf(t: ExecutionContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await new Promise((ready) => server.once('listening', ready))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const answers: [string, number, string, RegExp][] = [
  ['a site that takes everything', 200, 'webhook-unsigned', /anybody could say that they have paid/],
  ['no such route', 404, 'webhook-address', /Nothing takes webhooks/],
  ['another method', 405, 'webhook-address', /Nothing takes webhooks/],
  ['a redirect', 301, 'webhook-address', /redirects/],
]
for (const [title, status, name, words] of answers)
  test(`from outside: ${title} is a problem`, async (t) => {
    const url = await serverOf(t, (_, response) => {
      response.statusCode = status
      response.end()
    })
    const { checks, isWell } = await ask(await siteOf(t, well), { url })
    t.false(isWell)
    const problem = checks.find((check) => check.name === name)
    t.is(problem?.status, 'problem')
    t.regex(problem!.what, words)
  })

for (const status of [429, 500, 503])
  test(`from outside: ${status} on a signed event is a problem that says where to look`, async (t) => {
    const url = await serverOf(t, (request, response) => {
      response.statusCode = request.headers['stripe-signature'] ? status : 403
      response.end()
    })
    const { checks } = await ask(await siteOf(t, well), { url })
    const problem = checks.find(({ name }) => name === 'webhook-signed')
    t.is(problem?.status, 'problem')
    t.truthy(problem?.fix)
  })

test('a missing answer and a missing server are described', async (t) => {
  const silent = await serverOf(t, () => {})
  const site = await siteOf(t, well)
  t.regex(JSON.stringify(await ask(site, { url: silent, timeoutSeconds: 1 })), /no answer within 1 seconds/)
  t.regex(JSON.stringify(await ask(site, { url: 'http://127.0.0.1:9' })), /cannot be reached/)
})

test('invalid addresses are refused; plain http is for this machine', async (t) => {
  const site = await siteOf(t, well)
  for (const url of ['example.com', 'http://example.com', 'ftp://example.com', '']) {
    const error = await t.throwsAsync(ask(site, { url }))
    t.true(isMembershipError(error, 'ERR_USAGE'), url)
  }
})

test('a site in code that sells by the sandbox has its provider, needs no webhook, and counts today’s checkouts', async (t) => {
  const folder = await siteOf(t, {
    'package.json': '{ "type": "module" }',
    'membership.config.js':
      "export default { 'membership.database.url': 'sqlite:site.db', 'membership.provider.handler': 'sandbox', 'membership.providers.sandbox.plans': { pro: { prices: [{ id: 'pro_month', amount: 500, currency: 'EUR', interval: 'month' }] } } }\n",
  })
  const m = await createMembership({
    'membership.database.url': `sqlite:${join(folder, 'site.db')}`,
    'membership.url': 'http://localhost:3000',
    'membership.provider.handler': 'sandbox',
    'membership.providers.sandbox.plans': {
      pro: { prices: [{ id: 'pro_month', amount: 500, currency: 'EUR', interval: 'month' }] },
    },
    install: false,
    root: false,
    log: () => undefined,
  })
  const ann = await m.users.create({ email: 'ann@example.com', verified: true })
  await m.checkout.start({ user: ann, price: 'pro_month' })
  await m.close()
  const { checks } = await ask(folder)
  const text = checks.map(({ what, fix }) => `${what} ${fix ?? ''}`).join('\n')
  t.notRegex(text, /is not set|Stripe|No checkout was started/)
  t.regex(text, /1 checkout of the last 7 days/)
})
