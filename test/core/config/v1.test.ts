import test from 'ava'
import { findV1Key, v1Keys } from '../../../src/core/config/index.ts'
import { load, refusal } from './support.ts'

const values: Record<string, unknown> = { checkout: { locale: 'de' }, metadata: { a: 'b' } }

for (const entry of v1Keys) {
  const v1 = entry.v1.replace('{provider}', 'stripe')
  const v2 = entry.v2.replace('{provider}', 'stripe')
  const parts = v1.split('.')
  const value = values[parts.at(-1) ?? ''] ?? 'hidden'
  const nested = parts.reduceRight<unknown>((inner, part) => ({ [part]: inner }), value)

  test(`the v1 key ${v1} stops the start and names ${v2}`, async (t) => {
    for (const options of [{ [v1]: value }, nested]) {
      const { message, action } = await refusal(t, options)
      const [first] = message.split('\n')
      t.is(
        first,
        `"${v1}" is a key of version 1 (options in code); in version 2 it is "${v2}". To rewrite the files: npx membership migrate`,
      )
      t.regex(action ?? '', /npx membership migrate/)
    }
  })
}

test('another provider’s keys directly below membership are recognised in the same way', async (t) => {
  const { message } = await refusal(t, {
    'membership.paddle.environment': 'sandbox',
    'membership.paddle.secret': 'x',
  })
  t.regex(message, /"membership\.paddle\.environment" .* "membership\.providers\.paddle\.environment"/)
  t.regex(message, /"membership\.paddle\.secret" .* "membership\.providers\.paddle\.secret"/)
})

test('a v1 key in the short form is shown as it was written', async (t) => {
  const { message } = await refusal(t, { stripe: { secret: 'x' } })
  t.regex(message, /^"membership\.stripe\.secret", written as "stripe" > "secret", is a key of version 1/)
})

test('a v1 configuration that is complete has no other complaints', async (t) => {
  const { message } = await refusal(t, {
    'membership.stripe.secret': 'x',
    'membership.stripe.webhook': 'y',
    'membership.provider.current': 'stripe',
    'membership.manageUsers.role': 'member',
  })
  t.is(message.split('\n').length, 4)
  t.true(message.split('\n').every((line) => line.includes('version 1')))
})

test('v2 keys are not v1 keys', async (t) => {
  t.is(findV1Key(['providers', 'stripe', 'secret']), undefined)
  t.is(findV1Key(['provider', 'handler']), undefined)
  await t.notThrowsAsync(load({ 'providers.stripe.secret': 'x' }))
})
