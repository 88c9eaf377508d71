import { readFile } from 'node:fs/promises'
import test from 'ava'
import type { FakeServer, FakeServerOptions } from '../../src/fakes/engine/index.ts'
import { createMembership, type MembershipOptions } from '../../src/index.ts'
import type { Alert } from '../../src/memberships/monitoring/troubles.ts'
import { checkWatching } from '../../src/site/doctor/running.ts'
import { createFakeServer } from '../../src/testkit/index.ts'
import { freshDatabase } from '../support/databases.ts'

type Endpoint = Omit<NonNullable<FakeServerOptions['webhook']>, 'secret'>

/** What stands in the configuration beside the usual, a secret of a webhook, and one message that is not chosen. */
const providers = {
  paypal: {
    settings: (fake: FakeServer) => ({ client_id: (fake as { clientId?: string }).clientId }),
    webhook: '8PT597110X687430LKGECATA',
    lacks: 'BILLING.SUBSCRIPTION.CANCELLED',
    // Only its messages can be switched off, all of them.
    disabled: 'endpoint_events',
  },
  chargebee: {
    settings: () => ({ site: 'acme-test' }),
    webhook: 'user:a password of some length',
    lacks: 'subscription_cancelled',
    disabled: 'endpoint_disabled',
  },
  mollie: {
    // Its API keys may not read this: https://docs.mollie.com/reference/list-webhooks
    key: 'a token that may',
    settings: (fake: FakeServer) => ({ api_base: `${fake.url}/v2` }),
    webhook: 'a signing secret',
    lacks: 'chargeback.received',
    disabled: 'endpoint_disabled',
  },
  creem: {
    settings: () => ({}),
    webhook: 'whsec_of_the_fake',
    lacks: 'subscription.canceled',
    disabled: 'endpoint_disabled',
  },
  dodo: {
    settings: () => ({}),
    webhook: 'whsec_of_the_fake',
    lacks: 'subscription.cancelled',
    disabled: 'endpoint_disabled',
  },
} as const

for (const [key, { settings, webhook: secret, lacks, disabled, ...own }] of Object.entries(providers))
  test(`${key}: a different, disabled or incomplete webhook is reported by an alert and doctor, and so is its correction`, async (t) => {
    const url = `https://example.com/membership/webhooks/${key}`
    const fake = await createFakeServer(key, {
      seed: 1,
      start: new Date('2026-01-15T12:00:00Z'),
      ...('key' in own ? { secret: own.key } : {}),
    })
    t.teardown(() => fake.close())
    const alerts: Alert[] = []
    const now = () => fake.now()
    const m = await createMembership({
      ...(await freshDatabase()),
      [`membership.providers.${key}`]: {
        secret: fake.secret,
        api_base: fake.url,
        webhook: secret,
        livemode: false,
        ...settings(fake),
      },
      'membership.url': 'https://example.com',
      install: false,
      root: false,
      log: () => undefined,
      now,
      onAlert: (alert) => void alerts.push(alert),
    } as MembershipOptions)
    t.teardown(() => m.close())
    const chosen = async (endpoint: Endpoint) => {
      alerts.length = 0
      fake.sendTo({ ...endpoint, secret })
      await fake.advance({ ms: 61 * 60_000 })
      // What is noticed is told with the next turn.
      await m.runDueJobs()
      await m.runDueJobs()
      const doctor = await checkWatching(m.storage, now())
      return {
        told: alerts
          .filter(({ kind }) => kind.startsWith('endpoint'))
          .map(({ kind, state }) => `${kind} ${state}`)
          .sort(),
        missing: alerts.find(({ kind, state }) => kind === 'endpoint_events' && state === 'begun')?.message,
        doctor: doctor.map(({ name }) => name).filter((name) => name.startsWith('trouble-endpoint')),
      }
    }
    const all = await allEvents(key)
    t.like(await chosen({ url }), { told: [], doctor: [] })
    t.like(await chosen({ url: `${url}/old` }), {
      told: ['endpoint_missing begun'],
      doctor: ['trouble-endpoint_missing'],
    })
    t.like(await chosen({ url, isEnabled: false }), {
      told: [`${disabled} begun`, 'endpoint_missing over'].sort(),
      doctor: [`trouble-${disabled}`],
    })
    const fewer = await chosen({ url, events: all.filter((name) => name !== lacks) })
    t.deepEqual(fewer.doctor, ['trouble-endpoint_events'])
    if (disabled !== 'endpoint_events')
      t.regex(fewer.missing ?? '', new RegExp(` does not send ${lacks.replaceAll('.', '\\.')} to this site`))
    t.like(await chosen({ url }), { told: ['endpoint_events over'], doctor: [] })
  })

test('mollie: subscriptions with another address are listed, and their correction too; a key without permission says nothing', async (t) => {
  const fake = await createFakeServer('mollie', { seed: 1, start: new Date('2026-01-15T12:00:00Z') })
  t.teardown(() => fake.close())
  const ask = async (method: string, path: string, body: object) => {
    const answer = await fetch(`${fake.url}/v2${path}`, {
      method,
      headers: { authorization: `Bearer ${fake.secret}` },
      body: JSON.stringify(body),
    })
    return (await answer.json()) as { id: string }
  }
  const amount = { currency: 'EUR', value: '9.00' }
  const subscribed = async (name: string, own: object) => {
    const { id: customerId } = await ask('POST', '/customers', { email: `${name}@example.com` })
    const first = {
      amount,
      description: name,
      sequenceType: 'first',
      customerId,
      redirectUrl: 'https://a.example',
    }
    await fake.pay((await ask('POST', '/payments', first)).id)
    const path = `/customers/${customerId}/subscriptions`
    const { id } = await ask('POST', path, { amount, interval: '1 month', description: name, ...own })
    return { id, path: `${path}/${id}` }
  }
  const alerts: Alert[] = []
  const open = async (own: object) => {
    const m = await createMembership({
      ...(await freshDatabase()),
      'membership.providers.mollie': { secret: fake.secret, api_base: `${fake.url}/v2`, ...own },
      'membership.url': 'https://example.com',
      install: false,
      root: false,
      log: () => undefined,
      now: () => fake.now(),
      onAlert: (alert) => void alerts.push(alert),
    } as MembershipOptions)
    t.teardown(() => m.close())
    return async () => {
      alerts.length = 0
      await fake.advance({ ms: 61 * 60_000 })
      await m.runDueJobs()
      await m.runDueJobs()
      return alerts
        .filter(({ kind }) => kind.startsWith('endpoint'))
        .map(({ state, message }) => `${state}: ${message}`)
    }
  }
  const [classic, signed] = [await open({}), await open({ webhook: 'a signing secret' })]
  const metadata = { membership_intent: 'i1' }
  t.deepEqual(await classic(), [], 'nobody there')
  await subscribed('ann', { metadata, webhookUrl: 'https://example.com/membership/webhooks/mollie' })
  // Of another shop, of a machine that Mollie does not reach, and of somebody who left.
  await subscribed('bob', { webhookUrl: 'https://shop.example/mollie' })
  await subscribed('cid', { metadata })
  const over = await subscribed('dan', {
    metadata,
    webhookUrl: 'https://old.example/membership/webhooks/mollie',
  })
  await ask('DELETE', over.path, {})
  t.deepEqual(await classic(), [])
  const eve = await subscribed('eve', {
    metadata,
    webhookUrl: 'https://old.example/membership/webhooks/mollie',
  })
  t.deepEqual(await classic(), [
    `begun: mollie tells https://old.example/membership/webhooks/mollie what becomes of ${eve.id}, and not this site.`,
  ])
  t.deepEqual(await classic(), [], 'once')
  t.deepEqual(await signed(), [], 'a newer webhook tells of all, and an API key may not look at it')
  await ask('PATCH', eve.path, { webhookUrl: 'https://example.com/membership/webhooks/mollie' })
  t.is((await classic())[0]?.split(':')[0], 'over')
})

/** Every message that the provider's page names. */
async function allEvents(key: string): Promise<string[]> {
  const page = await readFile(new URL(`../../docs/providers/${key}.md`, import.meta.url), 'utf8')
  const events = /## Events\n([\s\S]*?)\n## /.exec(page)![1]!
  const named = [...events.matchAll(/`([A-Za-z_.-]+)`/g)].map(([, name]) => name!)
  // Their pages say `subscription.*`.
  const states: Readonly<Record<string, readonly string[]>> = {
    creem: ['active', 'paid', 'update', 'canceled', 'expired', 'paused'],
    dodo: ['active', 'renewed', 'on_hold', 'cancelled', 'failed', 'expired', 'plan_changed', 'updated'],
  }
  const ofMollie = ['payment.paid', 'payment.failed', 'refund.refunded', 'chargeback.received']
  return [
    ...named,
    ...(states[key] ?? []).map((state) => `subscription.${state}`),
    ...(key === 'mollie' ? ofMollie : []),
  ]
}
