import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'

// The words at the start for what fails later, in a process of its own, because NODE_ENV is the process's.

const entry = join(import.meta.dirname, '../../src/index.ts')
const settings = {
  'membership.database.url': 'sqlite::memory:',
  'membership.secret': 'x'.repeat(32),
  'membership.url': 'https://site.example',
  'membership.compare.automatic': false,
  'membership.provider.handler': 'stripe',
  install: false,
  root: false,
}

/** Starts a site in a process with this NODE_ENV and returns what it says. */
async function start(options: object, nodeEnv: string): Promise<string> {
  const script = `const { createMembership } = await import(${JSON.stringify(entry)})
const said = []
const m = await createMembership({ ...${JSON.stringify({ ...settings, ...options })}, log: (text) => said.push(text) })
console.log(said.join('\\n'))
await m.close()`
  const { NODE_ENV: _, ...env } = process.env
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import=tsx', '--input-type=module', '-e', script],
    { env: { ...env, NODE_ENV: nodeEnv }, cwd: join(import.meta.dirname, '../..') },
  )
  return stdout
}

const stripe = { 'membership.providers.stripe.secret': 'sk_test_1' }

test('production says at the start that deliveries will be refused and that a key is a test key', async (t) => {
  const said = await start(stripe, 'production')
  t.regex(
    said,
    /The webhook secret of stripe is missing: every delivery is refused\. Set membership\.providers\.stripe\.webhook/,
  )
  t.regex(said, /NODE_ENV is production, and stripe is in test mode: nobody is charged/)
  t.regex(said, /stripe: each purchase of the account makes a member/)
  const whole = await start(
    {
      'membership.providers.stripe.secret': 'sk_live_1',
      'membership.providers.stripe.webhook': 'whsec_1',
      'membership.providers.stripe.plans': { pro: { prices: ['price_1'] }, team: { prices: [] } },
    },
    'production',
  )
  t.notRegex(whole, /webhook secret|test mode/)
  t.regex(whole, /stripe: purchases of prices that no plan names .* are left alone/)
  t.regex(whole, /Plans of stripe without a price: team/)
})

test('an amount like whole euros is said once', async (t) => {
  const nine = { prices: [{ id: 'price_1', amount: 9, currency: 'EUR', interval: 'month' }] }
  const said = await start({ ...stripe, 'membership.providers.stripe.plans': { pro: nine } }, 'development')
  t.deepEqual(
    said.split('\n').filter((line) => /900/.test(line)),
    [
      'the price price_1 of the plan pro at stripe costs 0.09 EUR, because amounts count cents: write 900 for 9 EUR',
    ],
  )
})

test('development names a plan and a price of the sandbox that nobody can buy, and production an address over http', async (t) => {
  const plans = { pro: { prices: ['pro_monthly'] }, team: { prices: [] } }
  const sandbox = { 'membership.provider.handler': 'sandbox', 'membership.providers.sandbox.plans': plans }
  const said = await start(sandbox, 'development')
  t.regex(said, /Plans of sandbox without a price: team\. They open for nobody/)
  t.regex(said, /has the price "pro_monthly" of sandbox without an amount, so nobody can buy it/)
  t.regex(
    await start({ ...stripe, 'membership.url': 'http://site.example' }, 'production'),
    /membership\.url is http:\/\/site\.example: over http browsers drop the cookies/,
  )
})

test('tests start without these words, and development says what the account’s purchases are', async (t) => {
  t.notRegex(await start(stripe, 'test'), /webhook secret|each purchase/)
  const said = await start(stripe, 'development')
  t.regex(said, /stripe: each purchase of the account makes a member/)
  t.notRegex(said, /webhook secret/)
})
