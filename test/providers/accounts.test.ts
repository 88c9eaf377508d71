import test, { type ExecutionContext } from 'ava'
import { z } from 'zod'
import { isMembershipError, MembershipError } from '../../src/errors.ts'
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
import { openStripeSite, webhookSecret } from '../support/stripe-site.ts'
import { buy } from '../support/visitor.ts'

const p = 'membership.providers.stripe'
const two = { eu: 'whsec_of_eu', us: 'whsec_of_us' }

const open = async (t: ExecutionContext, options: MembershipOptions, log: string[] = []) => {
  const m = await createMembership({
    'membership.database.url': 'sqlite::memory:',
    'membership.provider.handler': 'stripe',
    install: false,
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

test('labels need no account where nothing is asked, each key has its own, or the account is said', async (t) => {
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
    { [`${p}.secret`]: 'sk_test_tell_nobody', providers: [{ ...stripe, needs: 'not-there-at-all' }] },
    /"not-there-at-all" is not installed.*npm install not-there-at-all/,
  ],
] as [string, MembershipOptions, RegExp][])
  test(`the start tells of ${title}`, async (t) => {
    const log: string[] = []
    await open(t, { [`${p}.webhook`]: 'whsec_1', ...options }, log)
    t.is(log.filter((line) => what.test(line)).length, 1, log.join('\n'))
    t.notRegex(log.join('\n'), /tell_nobody/)
  })

test('secrets in their places, and a gate that is sold, are nothing to tell of', async (t) => {
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
  t.regex(log.join('\n'), /No plan and no price is called "por"/)
})

for (const [title, keyed] of [
  ['one key and its account', (key: string) => ({ [`${p}.secret`]: key, [`${p}.account`]: 'us' })],
  ['a key with a label', (key: string) => ({ [`${p}.secret`]: { us: key } })],
] as [string, (key: string) => MembershipOptions][])
  test(`beside several labels, ${title}: a purchase stands once, and its refund reaches it`, async (t) => {
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
    return { changes: [{ type: 'customer' as const, id, stage: 'updated' as const, data }], at: '2026-01-01T00:00:10.000Z' }
  }
}

test('a provider that is a class with #private members works beside labels, however its methods are called', async (t) => {
  const acme = defineProvider({
    key: 'acme',
    options: z.object({ secret: z.string() }),
    create: ({ options }) => new Acme(options.secret),
  })
  const m = await open(t, {
    providers: [acme],
    'membership.provider.handler': null,
    'membership.providers.acme.secret': 'key',
    'membership.providers.acme.webhook': { eu: 'of_eu', us: 'of_us' },
    'membership.providers.acme.account': 'us',
  })
  const body = JSON.stringify({ id: 'evt_1', by: 'key of_us' })
  const url = 'http://localhost/membership/webhooks/acme'
  const answer = await m.fetch(new Request(url, { method: 'POST', body }), { address: '203.0.113.1' })
  t.is(answer.status, 200, await answer.text())
  await m.work()
  t.deepEqual(
    await m.storage.read((db) => db.selectFrom('customers').select(['account', 'customer_id', 'name'])),
    [{ account: 'us', customer_id: 'cus_of_evt_1', name: 'key' }],
  )
})
