import test from 'ava'
import { z } from 'zod'
import { sellersOf } from '../../../src/core/config/index.ts'
import { definitions, folder, load, refusal, stripe } from './support.ts'

// As in a site that is started with tsx. Not at the top: every test file that is loaded later would go through it.
test.before(() => import('tsx' as string))

test('later sources win key by key, and lists replace', async (t) => {
  const root = await folder(t, {
    'config/membership.yml':
      'ratelimit: { limit: 10, trust_proxy: 1 }\nmembers.roles: [a, b]\nproviders:\n  stripe:\n',
    'config/membership.staging.json':
      '{ "membership.ratelimit.limit": 20, "membership": { "members": { "roles": ["c"] } } }',
    'config/membership.production.yml': 'ratelimit.limit: 99',
  })
  const loaded = await load({ 'membership.ratelimit.webhooks': true }, { root, env: { NODE_ENV: 'staging' } })
  t.deepEqual(loaded.config.ratelimit, { limit: 20, trust_proxy: 1, store: null, webhooks: true })
  t.deepEqual(loaded.config.members.roles, ['c'])
  t.deepEqual(loaded.sources, ['config/membership.yml', 'config/membership.staging.json', 'options in code'])
  t.is((await load({}, { root })).config.ratelimit.limit, 10)
  t.is((await load({}, { root: false })).config.ratelimit.limit, 30)
})

test('every kind of file is read', async (t) => {
  const files = {
    ts: 'const limit: number = 7\nexport default { ratelimit: { limit } }',
    js: 'module.exports = { ratelimit: { limit: 7 } }',
    mjs: 'export default { "membership.ratelimit.limit": 7 }',
    json: '\uFEFF{\n\t"ratelimit": { "limit": 7 }\n}',
    yml: 'membership:\n  ratelimit.limit: 7',
    yaml: 'ratelimit.limit: 7',
  }
  for (const [extension, text] of Object.entries(files)) {
    const root = await folder(t, { [`config/membership.${extension}`]: text })
    t.is((await load({}, { root })).config.ratelimit.limit, 7, extension)
  }
})

test('an empty file and a missing folder change nothing', async (t) => {
  const root = await folder(t, { 'config/membership.yml': '# nothing yet\n' })
  t.is((await load({}, { root })).config.ratelimit.limit, 30)
  t.is((await load({}, { root: `${root}/none` })).config.ratelimit.limit, 30)
})

test('an empty value in an overlay keeps the group below it', async (t) => {
  const root = await folder(t, {
    'config/membership.yml': 'providers: { stripe: { field: billing } }',
    'config/membership.test.yml': 'providers:\n  stripe:\n',
  })
  const { config } = await load({}, { root, env: { NODE_ENV: 'test' } })
  t.is(config.providers.stripe?.field, 'billing')
})

test('an explicitly named file replaces the base file, with its overlay', async (t) => {
  const root = await folder(t, {
    'config/membership.yml': 'ratelimit.limit: 1',
    'shop.yml': 'ratelimit.limit: 2\nratelimit.trust_proxy: 2',
    'shop.test.yml': 'ratelimit.limit: 3',
  })
  const { config, sources } = await load(undefined, { root, config: 'shop.yml', env: { NODE_ENV: 'test' } })
  t.like(config.ratelimit, { limit: 3, trust_proxy: 2 })
  t.deepEqual(sources, ['shop.yml', 'shop.test.yml'])
  t.regex(
    (await refusal(t, {}, { root, config: 'none.yml' })).message,
    /^none\.yml could not be read: ENOENT$/,
  )
  t.regex((await refusal(t, {}, { root, config: 'shop.toml' })).message, /its name must end in \.ts, \.js/)
})

test('two base files are an error that names both', async (t) => {
  const root = await folder(t, { 'config/membership.yml': '', 'config/membership.json': '{}' })
  t.is(
    (await refusal(t, {}, { root })).message,
    'config/membership.json and config/membership.yml are both there, and only one may be',
  )
})

test('a file that cannot be parsed reports its line without quoting it', async (t) => {
  const root = await folder(t, { 'config/membership.json': '{\n  "secret": hidden\n}' })
  t.regex((await refusal(t, {}, { root })).message, /^config\/membership\.json is not valid JSON/)
  t.notRegex((await refusal(t, {}, { root })).message, /hidden/)
  const yaml = await folder(t, { 'config/membership.yml': 'a: b\nsecret: "hidden\n' })
  const { message } = await refusal(t, {}, { root: yaml })
  t.regex(message, /^config\/membership\.yml is not valid YAML \(line \d\)$/)
})

test('a key twice in a file names both lines', async (t) => {
  const files = {
    json: '{\n"url": null,\n"url": null }',
    yml: '\nurl: null\nurl: null',
  }
  for (const [extension, text] of Object.entries(files)) {
    const root = await folder(t, { [`config/membership.${extension}`]: text })
    t.is(
      (await refusal(t, {}, { root })).message,
      `"url" is given twice in config/membership.${extension}: on line 2 and on line 3`,
    )
  }
})

test('a TypeScript file that Node cannot import gets an error with the next step', async (t) => {
  // What Node 20 throws without tsx.
  const text =
    'throw Object.assign(new Error("x"), { code: "ERR_UNKNOWN_FILE_EXTENSION" })\nexport default {}'
  const root = await folder(t, { 'config/membership.ts': text })
  const { message, action } = await refusal(t, {}, { root })
  t.is(
    message,
    `config/membership.ts is TypeScript. Node ${process.version} cannot import it, and the site has neither tsx nor jiti.`,
  )
  t.is(
    action,
    'Run Node 22.18 or newer, install tsx (npm install --save-dev tsx), or write config/membership.js in its place.',
  )
})

test('a module that throws or exports nothing is explained', async (t) => {
  const throwing = await folder(t, { 'config/membership.mjs': 'throw new Error("no such thing")' })
  t.is(
    (await refusal(t, {}, { root: throwing })).message,
    'config/membership.mjs could not be loaded: no such thing',
  )
  const silent = await folder(t, { 'config/membership.mjs': 'export const a = 1' })
  t.regex(
    (await refusal(t, {}, { root: silent })).message,
    /^config\/membership\.mjs has no default export\.$/,
  )
})

test('NODE_ENV cannot point outside the folder', async (t) => {
  const root = await folder(t, {})
  t.regex((await refusal(t, {}, { root, env: { NODE_ENV: '../../x' } })).message, /NODE_ENV may hold letters/)
})

test('all mistakes are reported at once, each with its source', async (t) => {
  const root = await folder(t, {
    'config/membership.yml': 'ratelimit.limt: 5\nproviders.strip.secret: hidden',
  })
  const { message, action } = await refusal(
    t,
    { 'members.create': 'perhaps', 'provider.handler': 'paddel' },
    { root },
  )
  t.deepEqual(message.split('\n').sort(), [
    'There is no provider "strip": unknown key "membership.providers.strip" (config/membership.yml). Providers: stripe, sandbox, paddle. Did you mean "membership.providers.stripe"?',
    'Unknown key "membership.ratelimit.limt" (config/membership.yml). Did you mean "membership.ratelimit.limit"?',
    'membership.members.create must be true or false; it is "perhaps" (options in code)',
    'membership.provider.handler names "paddel", which is not configured (options in code); configured: strip.',
  ])
  t.regex(action ?? '', /Rename "membership\.ratelimit\.limt"/)
})

test('a provider that forms may choose must be configured, like the one for new checkouts', async (t) => {
  const options = { 'provider.handler': 'stripe', 'providers.stripe': {}, 'providers.paddle.secret': 'pdl_1' }
  t.deepEqual((await load(options)).config.provider.choices, [])
  const choosing = await load({ ...options, 'provider.choices': ['paddle', 'stripe'] })
  t.deepEqual(sellersOf(choosing.config), ['stripe', 'paddle'])
  const { message } = await refusal(t, { ...options, 'provider.choices': ['stripe', 'padle'] })
  t.is(
    message,
    'membership.provider.choices names "padle", which is not configured (options in code); configured: stripe, paddle. Did you mean "paddle"?',
  )
  const wrong = await refusal(t, { ...options, 'provider.choices': 'paddle' })
  t.regex(wrong.message, /membership\.provider\.choices must be a list of providers’ keys/)
  const onlyChosen = await load({ ...options, 'provider.handler': null, 'provider.choices': ['paddle'] })
  t.notRegex(onlyChosen.warnings.join(), /nothing can be bought/)
})

test('a known handler without configuration is an error that says what to add', async (t) => {
  const { message, action } = await refusal(t, { 'provider.handler': 'paddle', 'providers.stripe': {} })
  t.regex(message, /names "paddle", which is not configured \(options in code\); configured: stripe\./)
  t.is(action, 'Add membership.providers.paddle.')
})

test('the sandbox is refused in production', async (t) => {
  const { message, action } = await refusal(
    t,
    { 'providers.sandbox': {} },
    { env: { NODE_ENV: 'production' } },
  )
  t.regex(message, /membership\.providers\.sandbox .* refused under NODE_ENV=production/)
  t.regex(action ?? '', /Configure a real provider/)
})

const acme = {
  key: 'acme',
  options: z.object({ speed: z.number().default(2) }),
  create: stripe.create,
}

test('a site’s own provider may be the handler, configured or not', async (t) => {
  const plain = await load({ 'membership.provider.handler': acme })
  t.is(plain.config.provider.handler, 'acme')
  t.deepEqual(plain.config.providers.acme?.options, { speed: 2 })
  t.deepEqual(plain.definitions, [acme])
  const configured = await load({ provider: { handler: acme }, 'providers.acme.speed': 3 })
  t.deepEqual(configured.config.providers.acme?.options, { speed: 3 })
})

test('a class with static members may be the handler', async (t) => {
  class Acme {
    static readonly key = 'acme'
    static readonly options = acme.options
    static create = acme.create
    readonly label = Acme.key
  }
  t.is((await load({ provider: { handler: Acme } })).config.provider.handler, 'acme')
})

test('a site’s own provider replaces the packaged one with the same key', async (t) => {
  const own = { ...acme, key: 'stripe' }
  const { config } = await load({ provider: { handler: own } })
  t.deepEqual(config.providers.stripe?.options, { speed: 2 })
  t.regex(
    (await refusal(t, { provider: { handler: { ...acme, key: 'A b' } } })).message,
    /must be lower-case letters/,
  )
})

test('a probable omission is a warning', async (t) => {
  const { warnings } = await load(
    { 'providers.stripe': {} },
    { env: { NODE_ENV: 'production' }, definitions },
  )
  t.regex(warnings[0] ?? '', /membership\.provider\.handler is not set/)
  t.regex(warnings[1] ?? '', /membership\.url is not set/)
})

test('an address over http in production is a warning, and so is an amount in whole euros', async (t) => {
  const of = async (options: object) =>
    (await load(options, { env: { NODE_ENV: 'production' }, definitions })).warnings.join('\n')
  t.regex(await of({ 'membership.url': 'http://site.example' }), /over http browsers drop the cookies/)
  t.is(await of({ 'membership.url': 'https://site.example' }), '')
  t.notRegex(await of({ 'membership.url': 'http://localhost:3000' }), /over http/)
  const costs = (amount: number, currency: string) =>
    of({
      'membership.url': 'https://site.example',
      'membership.provider.handler': 'stripe',
      'membership.providers.stripe.plans': { pro: { prices: [{ id: 'price_1', amount, currency }] } },
    })
  t.regex(await costs(9, 'EUR'), /price_1 of the plan pro at stripe costs 0\.09 EUR.*write 900 for 9 EUR/)
  t.is(await costs(900, 'EUR'), '')
  t.is(await costs(9, 'JPY'), '', 'whole yen')
  t.is(await costs(0, 'EUR'), '', 'free')
})

test('PostgreSQL without the site’s own secret is refused in production, and a warning elsewhere', async (t) => {
  const options = {
    'membership.database.url': 'postgres://localhost/site',
    'membership.url': 'https://site.example',
  }
  const { warnings } = await load(options)
  t.regex(warnings.join(), /membership\.secret is not set/)
  const production = { env: { NODE_ENV: 'production' } }
  t.regex((await refusal(t, options, production)).message, /membership\.secret is not set/)
  const secret = 'a secret of the site that is long enough for signing'
  t.deepEqual((await load({ ...options, 'membership.secret': secret }, production)).warnings, [])
})

test('text with the prefix of any provider’s secret is shown in no message', async (t) => {
  const acme = { ...stripe, key: 'acme', secrets: { prefixes: ['acme_'] } }
  const given = { definitions: [...definitions, acme] }
  const messageOf = async (url: string) => (await refusal(t, { 'membership.url': url }, given)).message
  t.regex(await messageOf('shop'), /"shop"/)
  t.notRegex(await messageOf('acme_tell_nobody'), /tell_nobody/)
})
