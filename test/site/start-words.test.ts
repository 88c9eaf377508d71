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

test('tests start without these words, and development says what the account’s purchases are', async (t) => {
  t.notRegex(await start(stripe, 'test'), /webhook secret|each purchase/)
  const said = await start(stripe, 'development')
  t.regex(said, /stripe: each purchase of the account makes a member/)
  t.notRegex(said, /webhook secret/)
})
