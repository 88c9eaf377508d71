import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ExecutionContext } from 'ava'
import { createMembership, type MembershipOptions } from '../../src/index.ts'
import { createFakeStripe } from '../../src/testkit/index.ts'
import { createBrowser } from './browser.ts'
import { freshDatabase } from './databases.ts'
import { keepAliveTimeout } from './patience.ts'

export const start = new Date('2026-01-15T12:00:00Z')
export const webhookSecret = 'whsec_of_the_fake'

/**
 * A site that sells through Stripe, and Stripe's double: the real package `stripe` between them, webhooks over HTTP. Both
 * share one clock, which only moves when it is told to.
 */
export async function openStripeSite(
  t: Pick<ExecutionContext, 'teardown'>,
  options: MembershipOptions = {},
  fakeOptions: Partial<Parameters<typeof createFakeStripe>[0]> = {},
) {
  // The site must be known to the fake before it is: a port is taken first.
  const server = createServer({ keepAliveTimeout }, (request, response) =>
    listener(request, response),
  ).listen(0, '127.0.0.1')
  await new Promise((ready) => server.once('listening', ready))
  const site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const fake = await createFakeStripe({
    seed: 1,
    start,
    webhook: { url: `${site}/membership/webhooks/stripe`, secret: webhookSecret },
    ...fakeOptions,
  })
  fake.addPrice({
    id: 'price_month',
    lookup_key: 'pro_month',
    unit_amount: 900,
    currency: 'eur',
    recurring: { interval: 'month' },
  })
  fake.addPrice({ id: 'price_year', unit_amount: 9000, currency: 'eur', recurring: { interval: 'year' } })
  fake.addPrice({ id: 'price_team', unit_amount: 2500, currency: 'eur', recurring: { interval: 'month' } })
  fake.addPrice({ id: 'price_book', unit_amount: 1900, currency: 'eur' })
  const log: string[] = []
  const settings: MembershipOptions = {
    ...(await freshDatabase()),
    'membership.provider.handler': 'stripe',
    // A further instance on an empty database is the same site.
    'membership.providers.stripe.secret': fake.secret,
    'membership.providers.stripe.webhook': webhookSecret,
    'membership.providers.stripe.api_base': fake.url,
    'membership.providers.stripe.plans': {
      pro: { group: 'membership', prices: ['price_month', 'price_year'], quantity: { max: 5 } },
      team: { group: 'membership', prices: ['price_team'], quantity: { max: 10 } },
      book: { prices: [{ id: 'price_book', amount: 1900, currency: 'EUR' }] },
    },
    'membership.ratelimit.limit': 10_000,
    // What a test asks for is what is asked; asking by itself has tests of its own.
    'membership.compare.automatic': false,
    install: false,
    root: false,
    now: () => fake.now(),
    log: (message, details) => log.push(`${message} ${JSON.stringify(details ?? {})}`),
    ...options,
  }
  const m = await createMembership(settings).catch(async (error: unknown) => {
    // A server that nobody closes would keep the process of the tests.
    server.close()
    await fake.close()
    throw error
  })
  const listener = m.listener()
  t.teardown(async () => {
    server.closeAllConnections()
    server.close()
    await m.close()
    await fake.close()
  })
  /** One more process of the same site: the same database, a port of its own. */
  const another = async (more: MembershipOptions = {}) => {
    const second = await createMembership({ ...settings, ...more })
    const beside = createServer({ keepAliveTimeout }, second.listener()).listen(0, '127.0.0.1')
    await new Promise((ready) => beside.once('listening', ready))
    const close = async () => {
      beside.closeAllConnections()
      beside.close()
      await second.close()
    }
    t.teardown(close)
    return { m: second, site: `http://127.0.0.1:${(beside.address() as AddressInfo).port}`, close }
  }
  return { m, fake, site, log, another, browser: () => createBrowser(site) }
}
export type StripeSite = Awaited<ReturnType<typeof openStripeSite>>
