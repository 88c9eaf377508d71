import { readFile } from 'node:fs/promises'
import test from 'ava'
import { createMembership, type MembershipOptions } from '../../src/index.ts'
import type { Alert } from '../../src/memberships/watch/troubles.ts'
import type { Merchant, MerchantOptions } from '../../src/merchant/index.ts'
import { checkWatching } from '../../src/site/doctor/watching.ts'
import { createMerchant } from '../../src/testkit/index.ts'
import { freshDatabase } from '../support/databases.ts'

type Endpoint = Omit<NonNullable<MerchantOptions['webhook']>, 'secret'>

/** What stands in the configuration beside the usual, a secret of a webhook, and one message that is not chosen. */
const providers = {
  paypal: {
    settings: (merchant: Merchant) => ({ client_id: (merchant as { clientId?: string }).clientId }),
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

for (const [key, { settings, webhook: secret, lacks, disabled }] of Object.entries(providers))
  test(`${key}: a webhook address that is another, is switched off or lacks events is told, by an alert and by doctor, and when it is mended`, async (t) => {
    const url = `https://example.com/membership/webhooks/${key}`
    const merchant = await createMerchant(key, { seed: 1, start: new Date('2026-01-15T12:00:00Z') })
    t.teardown(() => merchant.close())
    const alerts: Alert[] = []
    const now = () => merchant.now()
    const m = await createMembership({
      ...(await freshDatabase()),
      [`membership.providers.${key}`]: {
        secret: merchant.secret,
        api_base: merchant.url,
        webhook: secret,
        livemode: false,
        ...settings(merchant),
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
      merchant.sendTo({ ...endpoint, secret })
      await merchant.advance({ ms: 61 * 60_000 })
      // What is noticed is told with the next turn.
      await m.work()
      await m.work()
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

/** Every message that the provider's page names. */
const allEvents = async (key: string): Promise<string[]> => {
  const page = await readFile(new URL(`../../docs/providers/${key}.md`, import.meta.url), 'utf8')
  const events = /## Events\n([\s\S]*?)\n## /.exec(page)![1]!
  const named = [...events.matchAll(/`([A-Za-z_.-]+)`/g)].map(([, name]) => name!)
  // Their pages say `subscription.*`.
  const states: Readonly<Record<string, readonly string[]>> = {
    creem: ['active', 'paid', 'update', 'canceled', 'expired', 'paused'],
    dodo: ['active', 'renewed', 'on_hold', 'cancelled', 'failed', 'expired', 'plan_changed', 'updated'],
  }
  return [...named, ...(states[key] ?? []).map((state) => `subscription.${state}`)]
}
