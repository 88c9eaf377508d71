import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { createFakeStripe } from '../../src/testkit/index.ts'
import { paddle } from '../providers/paddle/selling.ts'
import { polar } from '../providers/polar/selling.ts'
import { runCommand } from '../support/command.ts'
import { emptyFolder } from '../support/migrate.ts'
import { openSellingSite, purchase } from '../support/selling-site.ts'
import { askFake, buyByLink } from '../support/visitor.ts'

type Account = { readonly id: string } & Record<string, unknown>

function write(folder: string, path: string, value: unknown) {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), JSON.stringify(value))
}

/** A folder with accounts of version 1 and the keys of the provider's account. */
async function siteOf(
  t: ExecutionContext,
  accounts: readonly Account[],
  providers: Readonly<Record<string, unknown>>,
) {
  const folder = await emptyFolder(t)
  const database = { url: `sqlite:${join(folder, 'site.db')}` }
  write(folder, 'config/membership.json', {
    membership: { database, provider: { handler: Object.keys(providers)[0] }, providers },
  })
  for (const account of accounts) write(folder, `site/accounts/${account.id}/user.json`, account)
  return (...args: string[]) => runCommand(folder, ['migrate', '--prove', '--ask', ...args])
}

async function openStripe(t: ExecutionContext, seed = 1) {
  const fake = await createFakeStripe({ seed, start: new Date() })
  t.teardown(() => fake.close())
  const monthly = { currency: 'eur', recurring: { interval: 'month' } } as const
  for (const name of ['month', 'team', 'film'])
    fake.addPrice({ id: `price_${name}`, unit_amount: 900, ...monthly })
  fake.addPrice({ id: 'price_book', unit_amount: 1900, currency: 'eur' })
  const rawOf = (id: string): Record<string, unknown> => structuredClone({ ...fake.objects.get(id) })
  /** Buys there, and answers what version 1 would have stored of it. */
  const subscribe = async (name: string, price = 'price_month') => {
    const { customer, subscription } = await buyByLink({ fake }, { email: `${name}@example.com`, price })
    return { customer, id: subscription, stored: rawOf(subscription) }
  }
  const pay = async (name: string) => {
    const session = await askFake(fake, 'POST', '/v1/checkout/sessions', {
      mode: 'payment',
      success_url: 'https://example.com/thanks',
      'line_items[0][price]': 'price_book',
      'line_items[0][quantity]': '1',
      customer_creation: 'always',
    })
    await fake.pay(session.id, { email: `${name}@example.com` })
    const { customer, payment_intent } = rawOf(session.id)
    return { customer: String(customer), intent: String(payment_intent) }
  }
  const settings = { stripe: { secret: fake.secret, api_base: fake.url, webhook: 'whsec_1' } }
  return { fake, subscribe, pay, settings }
}

function account(id: string, stripe: Record<string, unknown>): Account {
  return {
    id,
    email: `${id}@example.com`,
    stripe,
  }
}

test('the provider’s current answer decides, and each member who gains or loses is listed with the reason', async (t) => {
  const { fake, subscribe, pay, settings } = await openStripe(t)
  const same = await subscribe('same')
  const ended = await subscribe('ended')
  await askFake(fake, 'DELETE', `/v1/subscriptions/${ended.id}`)
  const back = await subscribe('back')
  const missed = await subscribe('missed')
  await subscribe('stranger')
  const swapped = await subscribe('swapped')
  const [item] = (swapped.stored.items as { data: { id: string }[] }).data
  await askFake(fake, 'POST', `/v1/subscriptions/${swapped.id}`, {
    'items[0][id]': item!.id,
    'items[0][price]': 'price_team',
  })
  const lent = await subscribe('lent', 'price_film')
  const refunded = await pay('refunded')
  await askFake(fake, 'POST', '/v1/refunds', { payment_intent: refunded.intent })
  const paid = await pay('paid')
  const keeps = ({ customer, stored }: typeof same, fields = {}) => ({
    customer,
    subscriptions: [{ ...stored, ...fields }],
  })
  const run = await siteOf(
    t,
    [
      account('same', keeps(same)),
      account('ended', keeps(ended)),
      account('back', keeps(back, { status: 'canceled' })),
      account('missed', { customer: missed.customer }),
      account('swapped', keeps(swapped)),
      account('refunded', { customer: refunded.customer, purchases: ['price_book'] }),
      account('paid', { customer: paid.customer, purchases: ['price_book', 'price_cash'] }),
      account('borrower', { ...keeps(lent), customer: (await subscribe('other', 'price_team')).customer }),
      account('lost', { ...keeps(same, { id: 'sub_nowhere' }), customer: (await pay('lost')).customer }),
    ],
    settings,
  )
  const asked = fake.requests().length
  const proved = await run('--json')
  t.is(proved.code, 2, proved.stderr)
  const proof = JSON.parse(proved.stdout)
  const told = proof.differences.map(
    (difference: Record<string, unknown>) =>
      `${String(difference.account).split('/').at(-1)} ${difference.gate} ${difference.v1} → ${difference.v2}: ${difference.kind}`,
  )
  const expected = [
    'back price_month false → true: active-there',
    'borrower price_film true → false: other-owner-there',
    'borrower price_team false → true: bought-there',
    'ended price_month true → false: ended-there',
    'l…@example.com price_film false → true: new-member',
    'lost price_book false → true: bought-there',
    'lost price_month true → false: unknown-there',
    'missed price_month false → true: bought-there',
    'refunded price_book true → true: refunded-stays',
    's…@example.com price_month false → true: new-member',
    'swapped price_month true → false: other-price-there',
    'swapped price_team false → true: other-price-there',
  ]
  t.deepEqual(told.sort(), expected.sort())
  t.is(proof.equal, 4, 'same, refunded, and both of paid')
  const methods = fake.requests().slice(asked)
  t.true(methods.length > 0)
  t.deepEqual(
    methods.filter(({ method }) => method !== 'GET'),
    [],
    'nothing is changed there',
  )
})

test('asking exits with 0 when all is equal, and with 1, without a claim, when nobody could be asked', async (t) => {
  const first = await openStripe(t)
  const ann = await first.subscribe('ann')
  const accounts = [account('ann', { customer: ann.customer, subscriptions: [ann.stored] })]
  const { stripe } = first.settings
  const equal = await (await siteOf(t, accounts, first.settings))()
  t.is(equal.code, 0, equal.stdout + equal.stderr)
  t.regex(equal.stdout, /1 account; 1 gate open as before; 0 differences\.\n[\s\S]*objects of the provider/)

  const second = await openStripe(t, 2)
  await second.subscribe('eve')
  const wrong = [
    [/401[\s\S]*Check `membership\.providers\.stripe\.secret`/, { ...stripe, secret: 'sk_test_wrong' }],
    [/ERR_COMPARE_REFUSED/, second.settings.stripe],
    [/ERR_PROVIDER_ANSWER/, { ...stripe, api_base: 'http://127.0.0.1:1' }],
    [/ERR_PROVIDER_UNSUPPORTED/, { webhook: 'whsec_1' }],
  ] as const
  for (const [reason, settings] of wrong) {
    const failed = await (await siteOf(t, accounts, { stripe: settings }))()
    t.is(failed.code, 1, `${reason}: ${failed.stdout}`)
    t.regex(failed.stderr, reason)
    t.is(failed.stdout, '')
  }
  t.is((await (await siteOf(t, accounts, first.settings))('--freeze')).code, 1)
})

for (const sellingCase of [paddle, polar])
  test(`${sellingCase.key}: data stored in an undocumented form is reported as unknown, with the access that follows`, async (t) => {
    const { key, prices } = sellingCase
    const opened = await openSellingSite(t, sellingCase, {}, { start: new Date() })
    await purchase(opened, 'ann@example.com')
    const { fake } = opened
    const subscriptions = [{ id: 'sub_1', status: 'active', items: [{ price: { id: prices.month } }] }]
    const stored = { customer_id: sellingCase.customerOf(fake, 'ann@example.com'), subscriptions }
    const settings = {
      secret: fake.secret,
      api_base: fake.url,
      webhook: sellingCase.webhook,
      livemode: false,
      ...sellingCase.settings?.(fake),
    }
    const run = await siteOf(t, [{ id: 'ann', email: 'ann@example.com', [key]: stored }], { [key]: settings })
    const proved = await run('--provider', key)
    t.is(proved.code, 2, proved.stderr)
    t.regex(proved.stdout, new RegExp(`cannot-be-told: [^\\n]+\\n.*ann +${prices.month} +opens after`))
    t.is((await run('--provider', key, '--accept', 'cannot-be-told')).code, 0)
  })
