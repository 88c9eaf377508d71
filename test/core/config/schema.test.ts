import test from 'ava'
import { load, refusal } from './support.ts'

test('a time takes text with a unit, and a number keeps the unit of its key', async (t) => {
  const { config } = await load({
    membership: {
      login: { minutes: '1h' },
      pass: { seconds: '2m' },
      mails: { trial_days: '1w', renewal_days: '0d' },
      webhooks: { keep_bodies_days: '48h' },
      reports: {
        wait_seconds: '1m',
        crawl: { pause_seconds: 3, interval_days: '2w', max_interval_days: '9' },
      },
      providers: { sandbox: { pause: { max_days: '4w' } } },
      plans: { pro: { prices: [{ id: 'a', amount: 900, currency: 'EUR', trial_days: '2w' }] } },
    },
  })
  t.is(config.login.minutes, 60)
  t.is(config.pass.seconds, 120)
  t.deepEqual([config.mails.trial_days, config.mails.renewal_days], [7, 0])
  t.is(config.webhooks.keep_bodies_days, 2)
  t.is(config.reports.wait_seconds, 60)
  t.like(config.reports.crawl, { pause_seconds: 3, interval_days: 14, max_interval_days: 9 })
  t.is(config.providers.sandbox?.pause?.max_days, 28)
  t.is(config.providers.sandbox?.plans.pro?.prices[0]?.trial_days, 14)
  t.is((await load({ membership: { login: { minutes: 20 } } })).config.login.minutes, 20)
  for (const [key, value, words] of [
    ['login.minutes', '90s', /a time of whole minutes such as "20m" .*; it is "90s"/],
    ['login.minutes', '20 m', /must be a whole number of minutes above 0/],
    ['login.minutes', 1.5, /must be a whole number of minutes above 0/],
    ['mails.renewal_days', '12h', /must be a whole number of days, 0 or more, or a time of whole days/],
    ['pass.seconds', '6m', /at most 300 because a refund/],
  ] as const)
    t.regex((await refusal(t, { membership: { [key]: value } })).message, words)
})

test('an access time after a failed renewal is a number of days, or text with a unit', async (t) => {
  const seconds = async (past_due: unknown) =>
    (await load({ gates: { past_due } })).config.gates.past_due_seconds
  t.deepEqual(
    await Promise.all([7, '7', '7d', '12h', '30m', '90s', '1w'].map(seconds)),
    [604_800, 604_800, 604_800, 43_200, 1800, 90, 604_800],
  )
  t.regex(
    (await refusal(t, { gates: { past_due: 'soon' } })).message,
    /gates\.past_due must be a number of days .*"soon"/,
  )
})

test('webhook secrets are a single one, a list, or labelled, under each provider’s name for them', async (t) => {
  const secrets = async (stripe: unknown) =>
    (await load({ providers: { stripe } })).config.providers.stripe?.webhook
  t.deepEqual(await secrets({ webhook: 'a' }), [{ label: '', secret: 'a' }])
  t.deepEqual(await secrets({ webhook_secret: ['a', 'b'] }), [
    { label: '', secret: 'a' },
    { label: '', secret: 'b' },
  ])
  for (const name of ['webhook_id', 'webhook_auth'])
    t.deepEqual(await secrets({ [name]: 'a' }), [{ label: '', secret: 'a' }], name)
  t.deepEqual(await secrets({ webhook: { shop: 'a', club: ['b', 'c'] } }), [
    { label: 'shop', secret: 'a' },
    { label: 'club', secret: 'b' },
    { label: 'club', secret: 'c' },
  ])
})

test('webhook and its other name together are an error that names both', async (t) => {
  const { message } = await refusal(t, {
    providers: { stripe: { webhook: 'hidden-a', webhook_secret: 'hidden-b' } },
  })
  t.regex(
    message,
    /"providers\.stripe\.webhook" and "providers\.stripe\.webhook_secret" are the same key, given twice/,
  )
  t.notRegex(message, /hidden/)
})

test('an overlay may use the other name of webhook', async (t) => {
  const env = { NODE_ENV: 'test' }
  const { config } = await load({ 'providers.stripe.webhook_secret': 'later' }, { env })
  t.deepEqual(config.providers.stripe?.webhook, [{ label: '', secret: 'later' }])
})

test('a plan becomes the DTO with its group', async (t) => {
  const { config } = await load({
    'membership.providers.stripe.plans': {
      'pro-plus': {
        group: 'main',
        retired: ['price.old'],
        prices: [
          'price.1',
          { id: 'm', amount: 900, currency: 'eur', interval: 'month', trial_days: 7, label: 'Monthly' },
          { id: 'once', amount: 5000, currency: 'EUR' },
        ],
      },
    },
  })
  const price = {
    plan: 'pro-plus',
    provider: 'stripe',
    type: 'recurring',
    currency: null,
    amount: null,
    interval: null,
    interval_count: null,
    trial_days: null,
    trial_amount: null,
    label: null,
    lookup_key: null,
    retired: false,
  }
  t.deepEqual(config.providers.stripe?.plans['pro-plus'], {
    id: 'pro-plus',
    provider: 'stripe',
    name: 'Pro plus',
    description: null,
    lines: [],
    features: [],
    group: 'main',
    trial: 'once',
    supply: null,
    quantity: { min: 1, max: 1 },
    prices: [
      { ...price, id: 'price.1' },
      {
        ...price,
        id: 'm',
        amount: 900,
        currency: 'EUR',
        interval: 'month',
        interval_count: 1,
        trial_days: 7,
        trial_amount: null,
        label: 'Monthly',
      },
      { ...price, id: 'once', amount: 5000, currency: 'EUR', type: 'one_time' },
      { ...price, id: 'price.old', retired: true },
    ],
  })
})

test('prices that contradict themselves are refused', async (t) => {
  const refused = async (price: unknown) =>
    (await refusal(t, { providers: { stripe: { plans: { pro: { prices: [price] } } } } })).message
  const key = 'membership.providers.stripe.plans.pro.prices[0]'
  t.true((await refused({ id: 'a', amount: 1 })).startsWith(`${key}.currency is missing beside an amount`))
  t.true(
    (await refused({ id: 'a', type: 'one_time', interval: 'month' })).startsWith(
      `${key}.interval cannot stand beside`,
    ),
  )
  t.true((await refused({ id: 'a', interval_count: 2 })).startsWith(`${key}.interval is missing beside`))
  t.true(
    (await refused({ id: 'a', amount: 9.99, currency: 'EUR' })).includes(
      `${key}.amount must be a whole number of minor`,
    ),
  )
  t.true((await refused({ id: 'a', intervall: 'month' })).includes(`Did you mean "${key}.interval"?`))
})

test('a price in two plans is refused', async (t) => {
  const plans = { a: { prices: ['p1'] }, b: { retired: ['p1'] } }
  t.regex(
    (await refusal(t, { providers: { stripe: { plans } } })).message,
    /names the price "p1" 2 times: in a, b/,
  )
})

test('checkout and metadata are groups or functions', async (t) => {
  const checkout = () => ({ locale: 'de' })
  const { config } = await load({ providers: { stripe: { checkout, metadata: { site: 'a', year: 2026 } } } })
  t.is(config.providers.stripe?.checkout as unknown, checkout)
  t.deepEqual(config.providers.stripe?.metadata as unknown, { site: 'a', year: '2026' })
  t.regex(
    (await refusal(t, { providers: { stripe: { metadata: { a: { b: 'c' } } } } })).message,
    /metadata must be a flat group of texts or a function/,
  )
})

test('a single role needs no list', async (t) => {
  t.deepEqual((await load({ 'members.roles': 'reader' })).config.members.roles, ['reader'])
  t.regex(
    (await refusal(t, { members: { roles: [] } })).message,
    /membership\.members\.roles must be a list of at least one role/,
  )
})

test('a final slash of the site’s address is removed, and invalid addresses are refused', async (t) => {
  const { config } = await load({ url: 'https://example.com/shop/', base_path: '/shop/' })
  t.is(config.url, 'https://example.com/shop')
  t.is(config.base_path, '/shop')
  t.is(
    (await load({ url: 'https://example.com', base_path: '/shop' })).config.url,
    'https://example.com/shop',
  )
  for (const url of ['example.com', 'ftp://example.com', 'https://example.com/?a', 'https://u:p@example.com'])
    t.regex((await refusal(t, { url })).message, /^membership\.url must be the full address/)
})

test('numbers and booleans may be text', async (t) => {
  const { config } = await load({
    ratelimit: { limit: '60', webhooks: 'true' },
    'providers.stripe.webhook_tolerance': '10',
  })
  t.deepEqual(config.ratelimit, { limit: 60, trust_proxy: 0, store: null, webhooks: true })
  t.like(config.providers.stripe?.options, { webhook_tolerance: 10 })
})

test('two providers cannot share a field', async (t) => {
  const { message } = await refusal(t, {
    providers: { stripe: { field: 'billing' }, sandbox: { field: 'billing' } },
  })
  t.regex(message, /sandbox\.field and membership\.providers\.stripe\.field are both "billing"/)
})

const wrong: [key: string, value: unknown, words: RegExp][] = [
  [
    'ratelimit.limit',
    'thirty',
    /^membership\.ratelimit\.limit must be a whole number above 0; it is "thirty" \(options in code\)$/,
  ],
  ['ratelimit.limit', 0, /must be a whole number above 0; it is 0/],
  ['ratelimit.trust_proxy', -1, /must be a whole number, 0 or more; it is -1/],
  ['ratelimit.webhooks', 'yes', /must be true or false; it is "yes"/],
  ['members.create', 1, /must be true or false; it is 1/],
  ['database.synchronous', 'off', /must be "full" or "normal"; it is "off"/],
  [
    'database.url',
    'mysql://root:hidden@db',
    /must begin with sqlite:, postgres:\/\/ or postgresql:\/\/ \(options/,
  ],
  [
    'database.url',
    'sqlite:site.db?mode=ro',
    /must be sqlite: and a file: "\?" and "#" have no effect there\. .*rename/,
  ],
  [
    'database.url',
    'postgres://site:hidden@db/site?sslmode=require&schema=shop&connection_limit=5#x',
    /^membership\.database\.url has parts without effect: schema, connection_limit, #\. Remove them; .*sslmode/,
  ],
  ['database.pool', 1.5, /must be a whole number above 0; it is 1\.5/],
  ['webhooks.retries', -1, /must be a whole number, 0 or more/],
  ['webhooks.keep_bodies_days', 0, /must be a whole number of days above 0, .*; it is 0/],
  ['secret', 'hidden', /must be text of at least 32 characters, or a list of such texts \(options in code\)/],
  ['provider.handler', {}, /must be a provider’s key or what defineProvider\(\) returned/],
  ['members', 'all', /^membership\.members must be a group of keys; it is "all"/],
  ['providers', ['stripe'], /^membership\.providers must be a group of keys/],
  ['providers.stripe', 'hidden', /^membership\.providers\.stripe must be a group of keys/],
  ['providers.stripe.webhook', 5, /must be a secret, a list of secrets, or secrets by label/],
  ['providers.stripe.webhook', '', /must be a secret/],
  ['providers.stripe.field', 'a b', /must be the name of a field; it is "a b"/],
  ['providers.stripe.livemode', 'maybe', /must be true or false; it is "maybe"/],
  ['providers.stripe.plans', ['pro'], /plans must be a group of keys; it is a list/],
  ['providers.stripe.secret', 5, /stripe\.secret must be text \(options in code\)/],
  ['providers.stripe.webhook_tolerance', 'long', /webhook_tolerance must be a number/],
  ['providers.paddle', {}, /^membership\.providers\.paddle\.secret is missing \(options in code\)$/],
]
for (const [index, [key, value, words]] of wrong.entries())
  test(`an invalid value is explained: ${key} (${index + 1})`, async (t) => {
    const { message } = await refusal(t, { [key]: value })
    t.regex(message, words)
    t.notRegex(message, /hidden/)
    t.notRegex(message, /\n/)
  })

test('a one-time price may give a plan for some months, and a plan may have seats', async (t) => {
  const pro = {
    prices: [
      'price_month',
      { id: 'price_gift', amount: 9000, currency: 'EUR', gives: { plan: 'pro', months: 12 } },
    ],
    seats: 'quantity',
  }
  const { config } = await load({ providers: { stripe: { plans: { pro, office: { seats: 5 } } } } })
  const plans = config.providers.stripe!.plans
  t.deepEqual(plans.pro?.prices[1]?.gives, { plan: 'pro', months: 12 })
  t.is(plans.pro?.prices[1]?.type, 'one_time')
  t.is(plans.pro?.seats, 'quantity')
  t.is(plans.office?.seats, 5)
  const message = async (price: object, more: object = {}) =>
    (await refusal(t, { providers: { stripe: { plans: { pro: { prices: [price], ...more } } } } })).message
  t.regex(await message({ id: 'p', gives: { plan: 'prp', months: 1 } }), /"prp".*Did you mean "pro"\?/)
  t.regex(await message({ id: 'p', gives: { plan: 'pro', months: 0 } }), /whole number of months above 0/)
  t.regex(
    await message({
      id: 'p',
      amount: 1,
      currency: 'EUR',
      interval: 'month',
      gives: { plan: 'pro', months: 1 },
    }),
    /gives: can only stand at a price that is paid once/,
  )
  t.regex(await message({ id: 'p' }, { seats: 0 }), /seats must be a whole number above 0/)
})
