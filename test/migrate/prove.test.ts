import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { type ProveOptions, proveAccess } from '../../src/migrate/prove/index.ts'
import { runCommand } from '../support/command.ts'
import { emptyFolder } from '../support/migrate.ts'
import { month, start, subscriptionItem, subscriptionObject } from '../support/stripe-events.ts'

function now() {
  return new Date((start + month / 2) * 1000)
}

function priced(price: string) {
  return subscriptionItem({ price: { id: price, product: 'prod', recurring: { interval: 'month' } } })
}

function subscription(id: string, fields = {}) {
  return subscriptionObject({ id, items: { data: [priced(`price_${id}`)] }, ...fields })
}

function account(id: string, stripe: Record<string, unknown>, more = {}) {
  return {
    id,
    email: `${id}@example.com`,
    stripe: { customer: `cus_${id}`, ...stripe },
    ...more,
  }
}

/** A site of version 1 with each way in which access may differ, and one account that is equal. */
const accounts = [
  account('same', { subscriptions: [subscription('same')], purchases: ['price_book'] }, { gates: 'gift' }),
  account('ended', { subscriptions: [subscription('over', { status: 'canceled', ended_at: start })] }),
  account('trial', {
    subscriptions: [subscription('trial', { status: 'trialing', trial_end: start + month })],
  }),
  account('late', { subscriptions: [subscription('late', { status: 'past_due' })] }),
  account('two', {
    subscriptions: [
      subscription('first', { items: { data: [priced('price_first'), priced('price_second')] } }),
    ],
  }),
  account('stale', { subscriptions: [subscription('stale', { cancel_at: start + 60 })] }),
  account('pause', {
    subscriptions: [
      // What is paid stays open in a pause; this one has used it up.
      subscription('pause', {
        items: { data: [{ ...priced('price_pause'), current_period_end: start + 60 }] },
        pause_collection: { behavior: 'void', resumes_at: null },
      }),
    ],
  }),
  account('broken', {
    subscriptions: [{ status: 'active', items: { data: [{ price: { id: 'price_broken' } }] } }],
  }),
  account('back', { purchases: [{ price: 'price_film', status: 'refunded' }] }),
  account('alone', { customer: null, subscriptions: [subscription('alone')] }),
  account('left', { purchases: ['price_book'] }, { email: '' }),
]

async function siteWith(t: ExecutionContext, all: readonly { id: string }[] = accounts): Promise<string> {
  const folder = await emptyFolder(t)
  for (const item of all) {
    const path = join(folder, 'site/accounts', item.id, 'user.json')
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, JSON.stringify(item))
  }
  return folder
}

const options: ProveOptions = {
  facts: { provider: 'stripe', prefix: 'membership', field: 'stripe' },
  pastDueSeconds: 21 * 86_400,
  now,
}

test('each difference of access between version 1 and version 2 has a name', async (t) => {
  const proof = await proveAccess(await siteWith(t), options)
  const told = proof.differences.map(
    ({ account, gate, v1, v2, kind }) =>
      `${account.split('/').at(-1)} ${gate} ${v1 ? 'open' : 'closed'} → ${v2 ? 'open' : 'closed'}: ${kind}`,
  )
  t.deepEqual(told.sort(), [
    'alone price_alone open → closed: customer-missing',
    'back price_film open → closed: refunded-closes',
    'broken price_broken open → closed: subscription-unreadable',
    'late price_late closed → open: grace-opens',
    'left price_book open → closed: left-behind',
    'stale price_stale open → closed: ended-closes',
    'trial price_trial closed → open: trial-opens',
    'two price_second closed → open: item-opens',
  ])
  t.is(proof.equal, 5, 'what is equal is counted')
  t.deepEqual(
    proof.troubles.map(({ code }) => code),
    ['no-email'],
  )
})

test('a subscription does not count for a second account with the same customer', async (t) => {
  const twin = account('zwilling', { customer: 'cus_same', subscriptions: [subscription('same')] })
  const proof = await proveAccess(await siteWith(t, [accounts[0]!, twin]), options)
  t.deepEqual(
    proof.differences.map(({ account, kind }) => [account.split('/').at(-1), kind]),
    [['zwilling', 'customer-missing']],
  )
})

test('the command proves before any upload: 0 when equal or accepted, 2 when somebody gains or loses', async (t) => {
  const equal = await siteWith(t, [accounts[0]!])
  t.is((await runCommand(equal, ['migrate', '--prove'])).code, 0)
  const folder = await siteWith(t, [accounts[0]!, accounts[4]!])
  const differs = await runCommand(folder, ['migrate', '--prove', '--json'])
  t.is(differs.code, 2, differs.stderr)
  t.like(JSON.parse(differs.stdout), { accounts: 2, open: 1 })
  const accepted = await runCommand(folder, ['migrate', '--prove', '--accept', 'item-opens'])
  t.is(accepted.code, 0, accepted.stderr)
  t.regex(accepted.stdout, /item-opens \(accepted\).*\n +.*two +price_second +gains/)
  t.is((await runCommand(equal, ['migrate', '--prove', '--accept', 'anything'])).code, 1)
})

test('the days of grace are those of the folder’s configuration', async (t) => {
  const begun = Math.floor(Date.now() / 1000) - 5 * 86_400
  const item = { ...priced('price_late'), current_period_start: begun, current_period_end: begun + month }
  const late = account('late', {
    subscriptions: [subscription('late', { status: 'past_due', items: { data: [item] } })],
  })
  for (const [setting, code] of [
    ['', 2],
    ["'membership.gates.past_due' => '10d'", 2],
    ["'membership.gates.past_due' => 4", 0],
    ["'membership' => ['gates' => ['past_due' => 0]]", 0],
  ] as const) {
    const folder = await siteWith(t, [late])
    mkdirSync(join(folder, 'site/config'), { recursive: true })
    writeFileSync(join(folder, 'site/config/config.php'), `<?php return [${setting}];`)
    t.is((await runCommand(folder, ['migrate', '--prove'])).code, code, setting)
  }
})
