import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type {
  Chaos,
  FakeServer,
  FakeServerOptions,
  FaultName,
  Webhook,
} from '../../src/fakes/engine/index.ts'
import { createMembership, type Membership, type MembershipOptions } from '../../src/index.ts'
import { createMailbox, createVisitor, type Visitor } from '../support/visitor.ts'
import { createFigures, type Figures } from './figures.ts'
import { costs, type Seller } from './sellers.ts'

/** Somebody who buys. */
export interface Buyer {
  readonly email: string
  visitor: Visitor
  /** Payment pages that they were given. */
  readonly pages: Set<string>
  readonly history: string[]
}

/** A site, one of its providers and those who buy. */
export interface Year {
  readonly seller: Seller
  readonly fake: FakeServer
  readonly site: string
  readonly mailbox: ReturnType<typeof createMailbox>
  readonly buyers: readonly Buyer[]
  readonly figures: Figures
  /** End what is wrong with the fake's API. */
  readonly outages: (() => void)[]
  m: Membership
  /** Where purchases go that name no provider. */
  readonly handler: string
  /** With another provider for new checkouts, or the same. */
  restart(handler?: string): Promise<void>
}

/** Of whom, and for how long. */
export interface YearOptions {
  readonly seller: Seller
  /** Others at which the same site sells. */
  readonly beside?: readonly Seller[]
  readonly seed: string
  readonly members: number
  readonly months: number
  /** A fresh, empty database. */
  readonly database: string
  /** What becomes of deliveries, instead of the usual mishaps. */
  readonly chaos?: Chaos
  /** The site asks its provider by itself. */
  readonly automatic?: boolean
  /** Lasting faults of the providers, to the end. */
  readonly faults?: readonly FaultName[]
  /** More settings of the site. */
  readonly more?: MembershipOptions
}

/** When it begins. */
export const start = new Date('2026-01-15T06:00:00Z')

/** Opens the site and its providers; each has its own view of the year. */
export async function openYear({
  seller,
  beside = [],
  seed,
  members,
  database,
  chaos = { drop: 0.04, duplicate: 0.06, delay: 0.12, reorder: 0.15 },
  automatic = false,
  faults = [],
  more = {},
}: YearOptions) {
  const server = createServer((request, response) => listener(request, response)).listen(0, '127.0.0.1')
  await new Promise((ready) => server.once('listening', ready))
  const site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const shops = await Promise.all(
    [seller, ...beside].map(async (seller) => ({
      seller: seller,
      fake: await openShop(seller, { seed, chaos, site, faults }),
    })),
  )
  const mailbox = createMailbox()
  let handler = seller.key
  const begin = (): Promise<Membership> =>
    createMembership({
      'membership.database.url': database,
      'membership.database.synchronous': 'normal',
      'membership.url': site,
      'membership.provider.handler': handler as 'stripe',
      'membership.provider.choices': shops.map((shop) => shop.seller.key as 'stripe'),
      ...Object.fromEntries(
        shops.map((shop) => [`membership.providers.${shop.seller.key}`, settingsOf(shop)] as const),
      ),
      'membership.ratelimit.limit': 10_000_000,
      'membership.secret': 'a secret of the simulation, long enough',
      install: false,
      'membership.compare.automatic': automatic,
      root: false,
      now: () => shops[0]!.fake.now(),
      log: () => {},
      ...mailbox.options,
      ...more,
    })
  let m = await begin()
  let listener = m.listener()
  const shared = {
    site,
    mailbox,
    figures: createFigures(),
    buyers: Array.from({ length: members }, (_, i) => ({
      email: `m${i + 1}@example.com`,
      visitor: createVisitor(site),
      pages: new Set<string>(),
      history: [],
    })),
    restart: async (to = handler) => {
      // What is under way finds no database any more, as if the power had gone.
      await m.storage.close()
      await m.close().catch(() => {})
      handler = to
      m = await begin()
      listener = m.listener()
    },
  }
  const years = shops.map(
    (shop): Year => ({
      ...shop,
      ...shared,
      outages: [],
      get m() {
        return m
      },
      get handler() {
        return handler
      },
    }),
  )
  const close = async () => {
    server.closeAllConnections()
    server.close()
    await m.close()
    for (const { fake } of shops) await fake.close()
  }
  return { year: years[0]!, years, close }
}

/** Opens a provider with everything that is sold. */
export async function openShop(
  seller: Seller,
  {
    site,
    fetch,
    ...options
  }: Omit<FakeServerOptions, 'webhook'> & { site: string; fetch?: Webhook['fetch'] },
): Promise<FakeServer> {
  const fake = await seller.open({
    start,
    webhook: { url: `${site}/membership/webhooks/${seller.key}`, secret: seller.webhook, fetch },
    ...options,
  })
  const { month, team, book } = seller.prices
  const monthly = { currency: 'usd', recurring: { interval: 'month' }, product: 'prod_site' } as const
  fake.addPrice({ id: month, unit_amount: costs.month, ...monthly })
  fake.addPrice({ id: team, unit_amount: costs.team, ...monthly })
  fake.addPrice({ id: book, unit_amount: costs.book, currency: 'usd' })
  return fake
}

/** Settings of a site that sells at this provider. */
export function settingsOf({ seller, fake }: { seller: Seller; fake: FakeServer }) {
  const { month, team, book } = seller.prices
  const sold = (what: keyof typeof costs) => ({ amount: costs[what], currency: 'USD' })
  return {
    webhook: seller.webhook,
    secret: fake.secret,
    api_base: `${fake.url}${seller.apiPath ?? ''}`,
    livemode: false,
    ...seller.settings?.(fake),
    plans: {
      pro: { group: 'membership', prices: [{ id: month, ...sold('month'), interval: 'month' }] },
      team: { group: 'membership', prices: [{ id: team, ...sold('team'), interval: 'month' }] },
      book: { prices: [{ id: book, ...sold('book'), type: 'one_time' }] },
    },
  }
}
