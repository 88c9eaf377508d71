import type { ExecutionContext } from 'ava'
import { loadConfig } from '../../../src/core/config/index.ts'
import { openStorage, type Storage } from '../../../src/core/storage/index.ts'
import type { ConfiguredProvider } from '../../../src/providers/configured.ts'
import type { Provider } from '../../../src/providers/contract.ts'
import { mistakesOf } from '../../../src/providers/mistakes.ts'
import type { TopicCheck } from '../../../src/site/doctor/index.ts'
import { checkRunning, type RunningSite } from '../../../src/site/doctor/running.ts'
import { definitions } from '../../../src/testkit/definitions.ts'
import type { TestDatabase } from '../../support/databases.ts'
import { stripeProvider } from '../../support/stripe-events.ts'

export const now = new Date('2026-03-10T12:00:00.000Z')
export function ago(minutes: number): string {
  return new Date(now.getTime() - minutes * 60_000).toISOString()
}

const well = {
  'membership.url': 'https://example.com',
  'membership.secret': 'x'.repeat(40),
  'membership.ratelimit.trust_proxy': 1,
  'membership.provider.handler': 'stripe',
  'membership.providers.stripe.secret': 'sk_live_of_the_tests',
  'membership.providers.stripe.webhook': 'whsec_of_the_tests',
  'membership.providers.stripe.plans.pro': { prices: ['price_pro'] },
  'membership.providers.stripe.plans.plus': { prices: ['price_plus'], group: 'pro' },
  'membership.providers.stripe.plans.book': { prices: [{ id: 'price_book', type: 'one_time' }] },
}

/** A site that is well, but for what is given. */
export async function siteWith(
  options: Record<string, unknown> = {},
  more: Partial<RunningSite> & { provider?: Partial<Provider>; livemode?: boolean | null } = {},
): Promise<RunningSite> {
  const { config } = await loadConfig({
    options: { ...well, ...options },
    root: false,
    env: {},
    definitions,
  })
  const providers = new Map<string, ConfiguredProvider>(
    Object.entries(config.providers).map(([key, settings]) => {
      const secret = (settings.options as { secret?: string }).secret
      const provider: Provider = {
        ...stripeProvider(secret === undefined ? {} : { secret }),
        key,
        // The customer that is asked for does not exist: the key was accepted.
        ...(secret === undefined ? {} : { fetch: async () => null }),
        ...more.provider,
      }
      const livemode = settings.livemode ?? provider.livemode ?? null
      const { webhook: secrets, options } = settings
      const given = { secrets, options }
      const definition = definitions.find((definition) => definition.key === key)!
      return [
        key,
        {
          provider,
          secrets,
          mode: null,
          livemode,
          rate: null,
          isHere: definition.inProcess === true,
          mistakes: mistakesOf(definition, provider, given),
        },
      ]
    }),
  )
  return {
    config,
    providers,
    storage: null,
    folder: '/srv/site',
    isProduction: true,
    now: () => now,
    // ext4
    fileSystem: () => 0xef53,
    ...more,
  }
}

/** The findings of a name; those that say "ok" are left out. */
export function findings(checks: readonly TopicCheck[], name: string): TopicCheck[] {
  return checks.filter((check) => check.name === name && check.status !== 'ok')
}

export async function look(
  options: Record<string, unknown> = {},
  more: Parameters<typeof siteWith>[1] = {},
): Promise<TopicCheck[]> {
  return checkRunning(await siteWith(options, more))
}

export async function openDatabase(t: ExecutionContext, database: TestDatabase): Promise<Storage> {
  const url = await database.url()
  const storage = await openStorage({ url, synchronous: 'normal', pool: 3, now: () => now })
  t.teardown(() => storage.close())
  return storage
}

let counter = 0

/** One received event. */
export function event(fields: Record<string, unknown> = {}) {
  return {
    provider: 'stripe',
    account: '',
    event_id: `evt_${++counter}`,
    type: 'customer.updated',
    object_id: null,
    occurred_at: ago(10),
    received_at: ago(10),
    livemode: 1,
    status: 'processed',
    reason: null,
    attempts: 0,
    next_try_at: null,
    body_hash: 'x',
    body: null,
    ...fields,
  } as never
}

function fact(fields: Record<string, unknown>) {
  return {
    provider: 'stripe',
    account: '',
    id: `id_${++counter}`,
    data: '{}',
    at: ago(10),
    source: 0,
    marks: '[]',
    tied: null,
    prior_at: null,
    prior_marks: null,
    contested: 0,
    revision: 1,
    ...fields,
  }
}

export function subscription(fields: Record<string, unknown> = {}) {
  return fact({ owner_id: 'cus_1', status: 'active', price_id: 'price_pro', ...fields }) as never
}
export function chargeFact(fields: Record<string, unknown> = {}) {
  return fact({ kind: 'payment', ...fields }) as never
}
export function payment(fields: Record<string, unknown> = {}) {
  return {
    provider: 'stripe',
    account: '',
    id: `pi_${++counter}`,
    owner_id: 'cus_1',
    subscription_id: null,
    status: 'paid',
    price_id: 'price_book',
    data: '{}',
    revision: 1,
    ...fields,
  } as never
}
export function customer(fields: Record<string, unknown> = {}) {
  return {
    provider: 'stripe',
    account: '',
    customer_id: 'cus_1',
    guest: 0,
    member_id: 'mem_1',
    email: 'ann@example.com',
    name: null,
    deleted: 0,
    purchased: 1,
    revision: 1,
    ...fields,
  } as never
}
export function intent(fields: Record<string, unknown> = {}) {
  return {
    id: `int_${++counter}`,
    provider: 'stripe',
    mode: 'subscription',
    plan: 'pro',
    price_id: 'price_pro',
    quantity: 1,
    member_id: null,
    checkout_id: 'cs_1',
    checkout_url: null,
    redirect: '/',
    browser: null,
    status: 'open',
    created_at: ago(120),
    expires_at: ago(-9000),
    settled_at: null,
    ...fields,
  } as never
}
export function wish(fields: Record<string, unknown> = {}) {
  return {
    provider: 'stripe',
    account: '',
    kind: 'payment',
    id: `ch_${++counter}`,
    due_at: ago(-10),
    attempts: 5,
    wishes: 1,
    error: 'Stripe could not be asked',
    ...fields,
  } as never
}
