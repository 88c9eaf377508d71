import test from 'ava'
import fc from 'fast-check'
import { editDistance, findNearest } from '../../../src/core/config/nearest.ts'
import { load, refusal } from './support.ts'

test('dotted, nested and mixed keys mean the same', async (t) => {
  const forms = [
    { 'membership.providers.stripe.webhook': 'w', 'membership.ratelimit.limit': 5 },
    { membership: { providers: { stripe: { webhook: 'w' } }, ratelimit: { limit: 5 } } },
    { 'membership.providers': { 'stripe.webhook': 'w' }, membership: { 'ratelimit.limit': 5 } },
    { providers: { 'stripe.webhook': 'w' }, 'ratelimit.limit': 5 },
  ]
  const loaded = await Promise.all(forms.map(async (form) => (await load(form)).config))
  t.deepEqual(loaded[0]?.providers.stripe?.webhook, [{ label: '', secret: 'w' }])
  t.is(loaded[0]?.ratelimit.limit, 5)
  for (const config of loaded) t.deepEqual(config, loaded[0])
})

test('a key given twice in one source names both places as spelled', async (t) => {
  const { message, action } = await refusal(t, {
    'membership.providers': { 'stripe.secret': 'hidden-a' },
    membership: { providers: { stripe: { secret: 'hidden-b' } } },
  })
  t.is(
    message,
    '"membership.providers.stripe.secret" is given twice in options in code: as "membership.providers" > "stripe.secret" and as "membership" > "providers" > "stripe" > "secret"',
  )
  t.regex(action ?? '', /^Keep one of/)
})

test('a value and a group at one key are given twice, too', async (t) => {
  const checkout = () => ({})
  const { message } = await refusal(t, {
    'providers.stripe': { checkout },
    'providers.stripe.checkout.locale': 'de',
  })
  t.regex(message, /are the same key, given twice in options in code/)
})

test('an empty group beside a value is ignored', async (t) => {
  const checkout = () => ({})
  const { config } = await load({
    providers: { stripe: { checkout: {} } },
    'providers.stripe.checkout': checkout,
  })
  t.is(config.providers.stripe?.checkout as unknown, checkout)
})

test('keys that target prototypes are refused', async (t) => {
  const inputs: unknown[] = [
    JSON.parse('{"membership":{"__proto__":{"url":"https://example.com"}}}'),
    { 'membership.__proto__.polluted': true },
    { 'providers.stripe.plans.constructor.name': 'x' },
    { providers: { stripe: { plans: { pro: { prices: [JSON.parse('{"__proto__":{"id":"x"}}')] } } } } },
  ]
  for (const input of inputs) t.regex((await refusal(t, input)).message, /uses a key that is refused/)
  t.false('polluted' in {})
})

test('input that is not a group of keys is refused', async (t) => {
  class Options {
    url = null
  }
  for (const input of [[], 'membership', 5, new Options(), new Map()])
    t.is((await refusal(t, input)).message, 'The configuration must be a group of keys (options in code)')
  t.regex((await refusal(t, { membership: 'all' })).message, /membership must be a group of keys/)
})

test('a key with an empty part, a self-containing group, and a key outside membership are explained', async (t) => {
  const loop: Record<string, unknown> = {}
  loop.a = loop
  t.regex((await refusal(t, { 'ratelimit..limit': 1 })).message, /has an empty part between its dots/)
  t.regex((await refusal(t, { checkout: loop })).message, /"membership\.checkout\.a" holds itself/)
  t.regex(
    (await refusal(t, { 'membership.url': null, ratelimit: { limit: 5 } })).message,
    /^Unknown key "ratelimit" .* Did you mean "membership\.ratelimit"\?$/,
  )
})

test('an unknown key suggests the nearest known one', async (t) => {
  const unknown: [unknown, string, string | undefined][] = [
    [{ 'ratelimit.limt': 5 }, 'membership.ratelimit.limt', 'membership.ratelimit.limit'],
    [{ rate_limit: { limit: 5 } }, 'membership.rate_limit', 'membership.ratelimit'],
    [{ limit: 5 }, 'membership.limit', 'membership.ratelimit.limit'],
    [
      { 'providers.stripe.secert': 'x' },
      'membership.providers.stripe.secert',
      'membership.providers.stripe.secret',
    ],
    [
      { 'providers.sandbox.sped': 2 },
      'membership.providers.sandbox.sped',
      'membership.providers.sandbox.speed',
    ],
    [
      { 'providers.stripe.plans.pro.price': ['a'] },
      'membership.providers.stripe.plans.pro.price',
      'membership.providers.stripe.plans.pro.prices',
    ],
    [{ zebra: 1 }, 'membership.zebra', undefined],
  ]
  for (const [input, key, nearest] of unknown) {
    const { message } = await refusal(t, input)
    const question = nearest === undefined ? '' : ` Did you mean "${nearest}"?`
    t.is(message, `Unknown key "${key}" (options in code).${question}`)
  }
})

test('a swap counts as one step of distance', (t) => {
  t.is(editDistance('secert', 'secret'), 1)
  t.is(editDistance('', 'abc'), 3)
  t.is(editDistance('kitten', 'sitting'), 3)
  t.is(findNearest('x', ['completely']), undefined)
})

test('loading does not change the given objects', async (t) => {
  const options = {
    providers: { stripe: { plans: { pro: { prices: [{ id: `\${ID}`, amount: '5', currency: 'EUR' }] } } } },
  }
  const before = structuredClone(options)
  const { config } = await load(options, { env: { ID: 'price_1' } })
  t.is(config.providers.stripe?.plans.pro?.prices[0]?.id, 'price_1')
  t.is(config.providers.stripe?.plans.pro?.prices[0]?.amount, 5)
  t.deepEqual(options, before)
})

const name = fc
  .stringMatching(/^[a-z][a-z0-9_-]{0,6}$/)
  .filter((text) => text !== 'constructor' && text !== 'prototype')
const leaves = fc.record(
  {
    'ratelimit.limit': fc.integer({ min: 1, max: 1000 }),
    'ratelimit.trust_proxy': fc.nat(5),
    'members.create': fc.boolean(),
    'members.roles': fc.array(name, { minLength: 1, maxLength: 3 }),
    'gates.past_due': fc.oneof(fc.nat(30), fc.constantFrom('12h', '3d')),
    'providers.stripe.webhook': fc.oneof(name, fc.array(name)),
    'providers.stripe.secret': name,
    'providers.stripe.checkout.locale': name,
    'providers.stripe.plans.pro.name': name,
    'providers.stripe.plans.pro.prices': fc.uniqueArray(name),
    'providers.stripe.plans.basic.group': name,
    'providers.sandbox.field': name.map((text) => `f${text}`),
  },
  { requiredKeys: [] },
)

/** Renders dotted leaves nested, joining two levels into one dotted key wherever `join` says so. */
function render(flat: Record<string, unknown>, join: () => boolean): Record<string, unknown> {
  const rendered: Record<string, unknown> = {}
  const groups = new Map<string, Record<string, unknown>>()
  for (const [key, value] of Object.entries(flat)) {
    const dot = key.indexOf('.')
    if (dot < 0 || join()) rendered[key] = value
    else groups.set(key.slice(0, dot), { ...groups.get(key.slice(0, dot)), [key.slice(dot + 1)]: value })
  }
  for (const [key, group] of groups) rendered[key] = render(group, join)
  return rendered
}

test('a configuration means the same dotted, nested and mixed', async (t) => {
  await fc.assert(
    fc.asyncProperty(leaves, fc.infiniteStream(fc.boolean()), async (short, choices) => {
      const flat = Object.fromEntries(
        Object.entries(short).map(([key, value]) => [`membership.${key}`, value]),
      )
      const expected = (await load(flat)).config
      t.deepEqual((await load(render(flat, () => false))).config, expected)
      t.deepEqual((await load(render(flat, () => choices.next().value === true))).config, expected)
      t.deepEqual((await load(short)).config, expected)
    }),
    { numRuns: 60 },
  )
})
