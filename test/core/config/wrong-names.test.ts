import test from 'ava'
import { configKeys } from '../../../src/core/config/index.ts'
import { codeOnly } from '../../../src/core/config/wrong-names.ts'
import { codeOptions } from '../../../src/site/options.ts'
import { load, refusal } from './support.ts'

const names: readonly (readonly [key: string, value: unknown, right: string])[] = [
  ['ratelimit.trustProxy', 1, 'membership.ratelimit.trust_proxy'],
  ['webhooks.keepBodiesDays', 1, 'membership.webhooks.keep_bodies_days'],
  ['webhooks.keep-bodies-days', 1, 'membership.webhooks.keep_bodies_days'],
  ['base_url', 'https://example.com', 'membership.url'],
  ['providers.stripe.api_key', 'x', 'membership.providers.stripe.secret'],
  ['providers.stripe.apiKey', 'x', 'membership.providers.stripe.secret'],
  ['providers.stripe.webhookSecret', 'x', 'membership.providers.stripe.webhook'],
]
for (const [key, value, right] of names)
  test(`${key} is refused with the name ${right}`, async (t) => {
    const { message, action } = await refusal(t, { membership: { [key]: value } })
    t.is(message, `Unknown key "membership.${key}" (options in code). Did you mean "${right}"?`)
    t.is(action, `Rename "membership.${key}" to "${right}".`)
  })

test('a key that is near nothing is not guessed, and no advice says only to remove it', async (t) => {
  for (const key of ['foo', 'teams', 'shop.zzz', 'providers.stripe.zzz']) {
    const { message, action } = await refusal(t, { membership: { [key]: 1 } })
    t.is(message, `Unknown key "membership.${key}" (options in code).`)
    t.regex(action ?? '', /^Correct the name of .*, or remove it\. docs\/configuration\.md/)
  }
})

test('each option that only code gives is refused as a key, with the place where it belongs', async (t) => {
  for (const [name, code] of Object.entries(codeOnly)) {
    const key = name === 'feeds./' ? 'feeds./podcast' : name
    const { message, action } = await refusal(t, { membership: { [key]: 'x' } })
    t.regex(message, /^Unknown key .* It is an option of createMembership/, name)
    t.true(action?.endsWith(`createMembership({ ${code} }).`), action)
  }
  const listed = new Set(Object.keys(codeOnly).map((name) => name.split('.')[0]))
  t.deepEqual([...listed].sort(), Object.keys(codeOptions).sort())
  const keys = new Set(configKeys().map(({ key }) => key))
  for (const name of Object.keys(codeOnly)) t.false(keys.has(`membership.${name}`), name)
})

test('the name of a provider in place of the group names the key', async (t) => {
  const { action } = await refusal(t, { membership: { provider: 'stripe' } })
  t.is(action, 'Write membership.provider.handler: "stripe".')
})

test('there is no third spelling of a key', async (t) => {
  for (const key of ['membership_url', 'membership-url', 'url']) {
    const { message, action } = await refusal(t, { 'membership.name': 'A', [key]: 'https://example.com' })
    t.regex(message, /Did you mean "membership\.url"\?$/)
    t.is(action, `Rename "${key}" to "membership.url".`)
  }
})

test('lines and features are refused in each other’s place, also in another language', async (t) => {
  const of = async (options: object) => {
    const { message, action } = await refusal(t, { membership: options })
    return `${message} ${action}`
  }
  await t.notThrowsAsync(load({ membership: { 'providers.sandbox': {}, 'plans.pro': { lines: ['a'] } } }))
  t.regex(
    await of({ 'providers.sandbox': {}, 'plans.pro': { words: { de: { features: ['a'] } } } }),
    /called "lines" here.*to "lines"\.$/,
  )
  const old = await of({ 'providers.stripe.plans.pro': { lines: ['a'] } })
  t.regex(old, /called "features" here.*to "features", or move the plan to membership\.plans\.pro\.$/)
  const opens = await of({ 'providers.sandbox': {}, 'plans.pro': { features: ['a'] } })
  t.regex(opens, /"lines" is what a pricing page lists, "opens" what the plan opens.*to "opens"/)
})
