import { once } from 'node:events'
import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import { z } from 'zod'
import { isMembershipError, MembershipError } from '../../src/core/errors.ts'
import { createMembership, defineProvider, type MembershipOptions } from '../../src/index.ts'
import type {
  Change,
  Delivery,
  Provider,
  ProviderEvent,
  Ref,
  WebhookSecret,
} from '../../src/providers/contract.ts'
import { stripe } from '../../src/providers/stripe/index.ts'
import { createFakeStripe } from '../../src/testkit/index.ts'
import { freshDatabase } from '../support/databases.ts'
import { own } from '../support/own-providers.ts'
import { openStripeSite, start, webhookSecret } from '../support/stripe-site.ts'
import { buy, buyByLink, createMailbox, createVisitor, logIn } from '../support/visitor.ts'

const p = 'membership.providers.stripe'
const two = { eu: 'whsec_of_eu', us: 'whsec_of_us' }

async function open(t: ExecutionContext, options: MembershipOptions, log: string[] = []) {
  const m = await createMembership({
    ...(await freshDatabase()),
    'membership.provider.handler': 'stripe',
    install: false,
    'membership.compare.automatic': false,
    root: false,
    log: (text) => log.push(text),
    ...options,
  })
  t.teardown(() => m.close())
  return m
}

const refused: [title: string, options: MembershipOptions, message: RegExp, action: RegExp][] = [
  [
    'one key beside several labels',
    { [`${p}.webhook`]: two, [`${p}.secret`]: 'sk_test_1' },
    /labels eu, us/,
    /stripe\.account: eu, or .*stripe\.secret: \{ eu: …, us: … \}/,
  ],
  [
    'a key with a label of no webhook',
    { [`${p}.webhook`]: two, [`${p}.secret`]: { asia: 'sk_test_1' } },
    /"asia"/,
    /stripe\.webhook\.asia/,
  ],
  [
    'keys with labels beside a webhook without',
    { [`${p}.webhook`]: 'whsec_1', [`${p}.secret`]: { eu: 'sk_test_1' } },
    /"eu".*\(no label\)/,
    /stripe\.webhook\.eu/,
  ],
  [
    'an account of no label',
    { [`${p}.webhook`]: two, [`${p}.secret`]: 'sk_test_1', [`${p}.account`]: 'asia' },
    /"asia"/,
    /stripe\.webhook\.asia/,
  ],
  [
    'an account without a key',
    { [`${p}.webhook`]: two, [`${p}.secret`]: { eu: 'sk_test_1' }, [`${p}.account`]: 'us' },
    /"us", which has no key/,
    /stripe\.secret\.us/,
  ],
  ['an empty webhook secret', { [`${p}.webhook`]: '' }, /webhook/, /./],
  ['an empty API key', { [`${p}.webhook`]: 'whsec_1', [`${p}.secret`]: '' }, /secret/, /./],
]
for (const [title, options, message, action] of refused)
  test(`the start refuses ${title}`, async (t) => {
    const error = await t.throwsAsync(open(t, options))
    t.true(isMembershipError(error, 'ERR_CONFIG'))
    t.regex(error.message, message)
    t.regex((error as { action?: string }).action ?? '', action)
  })

test('labels need no account if nothing is fetched, each key has its own, or the account is named', async (t) => {
  await open(t, { [`${p}.webhook`]: two })
  await open(t, { [`${p}.webhook`]: two, [`${p}.secret`]: { us: 'sk_test_1' } })
  await open(t, { [`${p}.webhook`]: two, [`${p}.secret`]: 'sk_test_1', [`${p}.account`]: 'us' })
  t.pass()
})

for (const [title, options, what] of [
  ['an API key as webhook secret', { [`${p}.webhook`]: 'sk_test_tell_nobody' }, /looks like an API key/],
  ['the endpoint’s id as webhook secret', { [`${p}.webhook`]: 'we_tell_nobody' }, /the id of the endpoint/],
  ['a webhook secret as API key', { [`${p}.secret`]: 'whsec_tell_nobody' }, /looks like a webhook secret/],
  ['a public key as API key', { [`${p}.secret`]: 'pk_test_tell_nobody' }, /looks like a public key/],
  [
    'a package that selling needs and that is missing',
    { [`${p}.secret`]: 'sk_test_tell_nobody', customProviders: [{ ...stripe, needs: 'not-there-at-all' }] },
    /"not-there-at-all" is not installed.*npm install not-there-at-all/,
  ],
] as [string, MembershipOptions, RegExp][])
  test(`the start warns of ${title}`, async (t) => {
    const log: string[] = []
    await open(t, { [`${p}.webhook`]: 'whsec_1', ...options }, log)
    t.is(log.filter((line) => what.test(line)).length, 1, log.join('\n'))
    t.notRegex(log.join('\n'), /tell_nobody/)
  })

test('secrets in the right places, and a gate on sale, cause no warning', async (t) => {
  const log: string[] = []
  const m = await open(
    t,
    {
      [`${p}.webhook`]: 'whsec_1',
      [`${p}.secret`]: 'sk_test_1',
      [`${p}.plans`]: { pro: { prices: ['price_1'] } },
    },
    log,
  )
  m.gate(['pro', 'price_1'] as never)
  t.deepEqual(log, [])
  m.gate('por' as never)
  t.regex(log.join('\n'), /No plan, feature or price is called "por"/)
})

for (const [title, keyed] of [
  ['one key and its account', (key: string) => ({ [`${p}.secret`]: key, [`${p}.account`]: 'us' })],
  ['a key with a label', (key: string) => ({ [`${p}.secret`]: { us: key } })],
] as [string, (key: string) => MembershipOptions][])
  test(`with several labels, ${title}: a purchase is stored once, and its refund reaches it`, async (t) => {
    const site = await openStripeSite(t, {
      [`${p}.webhook`]: { eu: 'whsec_of_eu', us: webhookSecret },
      ...keyed('sk_test_fake'),
    })
    const { user, id } = await buy(site, 'ann@example.com')
    const rows = () =>
      site.m.storage.read((db) => db.selectFrom('payments').select(['account', 'id', 'status']))
    t.deepEqual(await site.m.storage.read((db) => db.selectFrom('subscriptions').select(['account', 'id'])), [
      { account: 'us', id },
    ])
    t.deepEqual(
      (await rows()).map(({ account }) => account),
      ['us'],
    )

    t.is(user.customer('stripe')?.account, 'us')
    const [charge] = site.fake.objects.list('charge')
    await site.fake.refund(String(charge!.id))
    await site.fake.deliver()
    t.deepEqual(
      (await rows()).map(({ account, status }) => [account, status]),
      [['us', 'refunded']],
    )
  })

/** A provider as a class, as many SDKs are written: what is its own is #private. */
class Acme implements Provider {
  readonly key = 'acme'
  readonly #secret: string
  readonly #asked: string[] = []
  constructor(secret: string) {
    this.#secret = secret
  }
  get capabilities() {
    const no = { portal: false, pause: false, swap: false, quantity: false, invoice_preview: false }
    return { ...no, one_time: true, fetch: this.#secret !== '', catalogue: false, pull: false }
  }
  verify({ body }: Delivery, secrets: readonly WebhookSecret[]): string {
    const signed = secrets.find(({ secret }) => `${this.#secret} ${secret}` === JSON.parse(String(body)).by)
    if (!signed) throw new MembershipError('ERR_WEBHOOK_SIGNATURE', 'Nobody signed it.')
    return signed.label
  }
  read({ body }: Delivery): ProviderEvent[] {
    const { id } = JSON.parse(String(body)) as { id: string }
    this.#asked.push(id)
    const at = '2026-01-01T00:00:00.000Z'
    return [{ id, type: 'told', occurred_at: at, livemode: null, object_id: null, object: { id } }]
  }
  changes(): readonly Change[] {
    return [{ type: 'touch', ref: { kind: 'customer', id: `cus_of_${this.#asked.at(-1)}` } }]
  }
  sign() {
    return {}
  }
  async fetch({ id }: Ref) {
    const data = { id, email: 'ann@example.com', name: this.#secret, deleted: false, livemode: false }
    return {
      changes: [{ type: 'customer' as const, id, stage: 'updated' as const, data }],
      at: '2026-01-01T00:00:10.000Z',
    }
  }
}

test('a provider class with #private members works with labels, however its methods are called', async (t) => {
  const acme = defineProvider({
    key: 'acme',
    options: z.object({ secret: z.string() }),
    create: ({ options }) => new Acme(options.secret),
  })
  const m = await open(t, {
    customProviders: [acme],
    'membership.provider.handler': null,
    ...own({ 'membership.providers.acme.secret': 'key' }),
    ...own({ 'membership.providers.acme.webhook': { eu: 'of_eu', us: 'of_us' } }),
    ...own({ 'membership.providers.acme.account': 'us' }),
  })
  const body = JSON.stringify({ id: 'evt_1', by: 'key of_us' })
  const url = 'http://localhost/membership/webhooks/acme'
  const answer = await m.fetch(new Request(url, { method: 'POST', body }), { address: '203.0.113.1' })
  t.is(answer.status, 200, await answer.text())
  await m.runDueJobs()
  t.deepEqual(
    await m.storage.read((db) => db.selectFrom('customers').select(['account', 'customer_id', 'name'])),
    [{ account: 'us', customer_id: 'cus_of_evt_1', name: 'key' }],
  )
})

/** Two accounts of Stripe behind one address, told apart by their keys. */
async function openTwoAccounts(t: ExecutionContext) {
  const fakes = new Map<string, { url: string }>()
  const proxy = createServer((request, response) => {
    const { url } = fakes.get(request.headers.authorization?.replace('Bearer ', '') ?? '')!
    const { method, headers, url: path } = request
    const asked = httpRequest(`${url}${path}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    })
    request.pipe(asked)
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  t.teardown(() => proxy.close())
  const mailbox = createMailbox()
  const opened = await openStripeSite(t, {
    ...mailbox.options,
    [`${p}.api_base`]: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    [`${p}.webhook`]: { eu: webhookSecret, us: 'whsec_of_us' },
    [`${p}.secret`]: { eu: 'sk_test_fake', us: 'sk_test_us' },
    [`${p}.plans`]: { pro: { prices: ['pro_month', 'price_us_year'] } },
  })
  const webhook = { url: `${opened.site}/membership/webhooks/stripe`, secret: 'whsec_of_us' }
  const us = await createFakeStripe({ seed: 2, start, secret: 'sk_test_us', webhook })
  t.teardown(() => us.close())
  const month = { currency: 'usd', recurring: { interval: 'month' } } as const
  us.addPrice({ id: 'price_us', lookup_key: 'pro_month', unit_amount: 1000, ...month })
  us.addPrice({ id: 'price_us_year', unit_amount: 9900, currency: 'usd', recurring: { interval: 'year' } })
  fakes.set('sk_test_fake', opened.fake).set('sk_test_us', us)
  return { ...opened, mailbox, us }
}

test('a purchase that only another account sells is refused with a message before any request', async (t) => {
  const { m, site, fake: eu, us } = await openTwoAccounts(t)
  await m.runDueJobs()
  const refused = await createVisitor(site).send('/membership/subscribe/pro', { price: 'price_us_year' })
  t.is(refused.status, 501, refused.text)
  t.like(refused.json, { code: 'ERR_PROVIDER_UNSUPPORTED' })
  t.regex(refused.json.detail, /"eu".*price_us_year/)
  t.regex(refused.json.action, /membership\.providers\.stripe\.account/)
  t.deepEqual(
    [eu, us].map((fake) => fake.objects.list('checkout.session').length),
    [0, 0],
  )
})

test('another selling account sells from the first second of a new start, before prices are read again', async (t) => {
  const opened = await openTwoAccounts(t)
  await opened.m.runDueJobs()
  const { site } = await opened.another({ [`${p}.account`]: 'us' } as never)
  const sold = await createVisitor(site).send('/membership/subscribe/pro', { price: 'price_us_year' })
  t.is(sold.status, 201, sold.text)
  const named = await createVisitor(site).send('/membership/subscribe/pro', { price: 'price_us' })
  t.is(named.status, 201, named.text)
  t.is(opened.us.objects.list('checkout.session').length, 2)
})

test('with two accounts and keys, calls about a purchase use the account where it was made', async (t) => {
  const opened = await openTwoAccounts(t)
  const { m, fake: eu, us, mailbox } = opened
  await m.runDueJobs()
  const { user, visitor, id: atEu } = await buy(opened, 'ann@example.com')
  t.is(user.customer('stripe')?.account, 'eu', 'new checkouts are the first key’s')
  t.deepEqual(us.objects.list('checkout.session'), [])
  await logIn(opened, mailbox, 'ann@example.com', visitor)
  const { subscription: atUs, customer } = await buyByLink(
    { fake: us },
    { email: 'ann@example.com', price: 'price_us' },
  )
  await us.deliver()
  await eu.advance({ ms: 60_000 })
  await us.advance({ ms: 65_000 })
  await m.runDueJobs()

  const ann = async () => (await m.users.findByEmail('ann@example.com'))!
  const labels = async () =>
    Object.fromEntries((await ann()).subscriptions().map(({ id, account }) => [id, account]))
  t.deepEqual(await labels(), { [atEu]: 'eu', [atUs]: 'us' })
  t.deepEqual(
    (await ann())
      .payments()
      .map(({ account }) => account)
      .sort(),
    ['eu', 'us'],
  )

  const [plan] = (await m.viewOf(await ann())).plans()
  t.deepEqual(
    plan?.prices.map(({ id, amount, currency, retired }) => [id, amount, currency, retired]),
    [
      ['price_month', 900, 'EUR', false],
      ['price_us', 1000, 'USD', true],
      ['price_us_year', 9900, 'USD', false],
    ],
    'each account’s prices are known; a name is sold by the account of new checkouts and opened by all',
  )

  t.is((await visitor.send('/membership/portal', { subscription: atUs })).status, 201)
  t.is((await visitor.send('/membership/portal', { subscription: atEu })).status, 201)
  const portals = (fake: typeof us) =>
    fake
      .requests()
      .flatMap(({ path, params }) => (path === '/v1/billing_portal/sessions' ? [params.customer] : []))
  t.deepEqual([portals(eu), portals(us)], [[user.customerId('stripe')], [customer]])

  const changed = await visitor.send(`/membership/change/${atUs}`, { price: 'price_us_year' })
  t.is(changed.status, 200, changed.text)
  t.is(us.objects.list('subscription')[0]?.items.data[0]?.price.id, 'price_us_year')
  await us.deliver()
  await us.advance({ ms: 60_000 })
  const cancelled = await visitor.send(`/membership/cancel/${atUs}`, { when: 'now' })
  t.is(cancelled.status, 200, cancelled.text)
  t.is(us.objects.list('subscription')[0]?.status, 'canceled')
  t.is(eu.objects.list('subscription')[0]?.status, 'active')

  await (await m.viewOf(await ann())).provider('stripe').updateCustomer({ name: 'Ann' })
  await m.runDueJobs()
  const nameAt = (fake: typeof us) => fake.objects.list('customer').map(({ name }) => name)
  t.deepEqual([nameAt(eu), nameAt(us)], [['Ann'], ['Ann']])

  const [charge] = us.objects.list('charge')
  await us.refund(String(charge!.id))
  await us.deliver()
  const statuses = (await ann()).payments().map(({ account, status }) => `${account} ${status}`)
  t.true(statuses.includes('us refunded') && statuses.includes('eu paid'), statuses.join())
})
