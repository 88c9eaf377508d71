import test from 'ava'
import { env } from '../../../src/core/config/index.ts'
import { load, refusal } from './support.ts'

async function secretOf(secret: unknown, environment: Record<string, string>) {
  const { config } = await load({ 'providers.stripe.secret': secret }, { env: environment })
  return (config.providers.stripe?.options as { secret: string } | undefined)?.secret
}

test(`env() and \${NAME} read the environment when the configuration is loaded`, async (t) => {
  t.is(await secretOf(env('STRIPE_SECRET'), { STRIPE_SECRET: 'a' }), 'a')
  t.is(await secretOf(`\${STRIPE_SECRET}`, { STRIPE_SECRET: 'a' }), 'a')
  t.is(await secretOf(`sk_\${MODE}_\${ID}`, { MODE: 'test', ID: '1' }), 'sk_test_1')
})

test('a default replaces an unset or empty variable', async (t) => {
  t.is(await secretOf(env('NONE', 'b'), {}), 'b')
  t.is(await secretOf(`\${NONE:-b}`, { NONE: '' }), 'b')
  t.is(await secretOf(`x\${NONE:-}`, {}), 'x')
})

test('a default may contain other variables with their own defaults', async (t) => {
  const text = `\${URL:-http://localhost:\${PORT:-3000}}/x`
  t.is(await secretOf(text, {}), 'http://localhost:3000/x')
  t.is(await secretOf(text, { PORT: '4000' }), 'http://localhost:4000/x')
  t.is(await secretOf(text, { PORT: '4000', URL: 'https://a.example' }), 'https://a.example/x')
  const problem = await refusal(t, { 'providers.stripe.secret': `\${A:-\${B}}` }, { env: {} })
  t.regex(problem.message, /The environment variable B is not set/)
})

test(`$\${ stands for itself, and values are not expanded twice`, async (t) => {
  t.is(await secretOf(`$\${NAME}`, { NAME: 'a' }), `\${NAME}`)
  t.is(await secretOf(`\${A}`, { A: `\${B}`, B: 'b' }), `\${B}`)
})

test('variables are read inside lists', async (t) => {
  const { config } = await load(
    { 'providers.stripe.webhook': [`\${A}`, env('B')] },
    { env: { A: 'a', B: 'b' } },
  )
  t.deepEqual(
    config.providers.stripe?.webhook.map(({ secret }) => secret),
    ['a', 'b'],
  )
})

test('a number may come from the environment', async (t) => {
  t.is((await load({ 'ratelimit.limit': env('LIMIT') }, { env: { LIMIT: '60' } })).config.ratelimit.limit, 60)
})

test('a missing variable is reported with its key, once', async (t) => {
  const { message, action } = await refusal(t, { 'providers.paddle.secret': env('PADDLE_SECRET') })
  t.is(
    message,
    'The environment variable PADDLE_SECRET is not set, and membership.providers.paddle.secret needs it (options in code)',
  )
  t.regex(action ?? '', /Set PADDLE_SECRET .*reads it from \.env only if/)
})

test('a misspelled reference is an error', async (t) => {
  const { message } = await refusal(t, { 'providers.stripe.secret': `\${STRIPE-SECRET}` })
  t.regex(message, /membership\.providers\.stripe\.secret holds "\$\{" that names no environment variable/)
})

test('an invalid value from the environment is reported with its variable and stays hidden', async (t) => {
  const { message } = await refusal(t, { 'ratelimit.limit': `\${LIMIT}` }, { env: { LIMIT: 'hidden' } })
  t.is(
    message,
    'membership.ratelimit.limit must be a whole number above 0; it is set by LIMIT (options in code)',
  )
})

test('env() is no literal, so that a framework that copies literals leaves it as it is', async (t) => {
  // As Strapi's merge of plugins' configurations recognises a literal.
  t.not(Object.getPrototypeOf(env('SITE_URL')).constructor, Object)
  t.true(Object.isFrozen(env('SITE_URL')))
  t.is(await secretOf(env('STRIPE_SECRET'), { STRIPE_SECRET: 'a' }), 'a')
})
