import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { Unit } from '../../../src/core/storage/index.ts'
import type { Chaos, FakeServer } from '../../../src/fakes/engine/index.ts'
import { createMembership, type Membership, type MembershipOptions } from '../../../src/index.ts'
import { toResponse } from '../../../src/site/hosts/web.ts'
import { lemonsqueezy } from '../../providers/lemonsqueezy/selling.ts'
import { paddle } from '../../providers/paddle/selling.ts'
import { polar } from '../../providers/polar/selling.ts'
import type { SellingCase } from '../../providers/selling-case.ts'
import { stripe } from '../../providers/stripe/selling.ts'
import { freshDatabase } from '../../support/databases.ts'
import { own } from '../../support/own-providers.ts'
import { createMailbox, createVisitor, type Visitor } from '../../support/visitor.ts'
import { openWorldApps, type WorldApps } from './apps.ts'
import { isInProcess, keepPort, portOf, reach, withoutTimers } from './in-process.ts'
import { goodsOf } from './offers.ts'
import { type Desk, openRoad } from './road.ts'
import {
  type Goods,
  type History,
  type Plan,
  type PlansAre,
  type ProviderKey,
  people,
  type Step,
  type Who,
} from './steps.ts'
import { wallSite } from './terms.ts'

const sellers: Record<ProviderKey, SellingCase> = { stripe, paddle, polar, lemonsqueezy }
export const start = new Date('2026-01-15T12:00:00Z')
export const dayMs = 86_400_000
/** Hears of money that opens nothing. */
export const operatorEmail = 'shop@example.com'
export const modelSecret = 'a secret of the model, long enough'
/** Exports that pro includes in a month, and that a top-up adds. */
export const included = 5
export const topUp = 3
/** The sale of pro ends then; while it runs, the usual price is on sale, too. */
export const saleEnds = '2026-01-18T12:00:00.000Z'
/** Free pages of a visitor and of a member, and the days of a period. */
export const wallTerms = { free: 2, loggedIn: 3, days: 10 } as const
export const noticeDays = 10
/** The range of an amount of one's own. */
export const choice = { min: 301, suggested: [503, 1003], max: 50_001 } as const

/** One account of a provider. */
export interface Shop {
  readonly seller: SellingCase
  readonly fake: FakeServer
  readonly chaos: { -readonly [K in keyof Chaos]: Chaos[K] }
  readonly label: 'a' | 'b'
  /** End what is wrong with its API; until everything has settled, something may be. */
  readonly outages: (() => void)[]
}

/** A payment page, and who asked for it. */
export interface Page {
  readonly id: string
  readonly shop: Shop
  readonly who: Who
  readonly plan: Goods | 'gift'
  readonly back: string
  readonly isMove: boolean
  /** It was open beside others. */
  readonly wasLeft: boolean
  /** Who was merged into whom when it was opened, and when it was paid. */
  readonly openedIn: string
  paidIn: string | null
}

/** The pages of one period. Whether `perhaps` ones were counted is unknown: the process died meanwhile. */
export interface Reads {
  readonly pages: Set<number>
  readonly perhaps: Set<number>
  readonly endsAt: number
  /** A login took them along. */
  isJoined: boolean
}

/** What people did by hand, as far as it decides over access. */
export interface Journal {
  readonly pages: Page[]
  readonly grants: { id: string | null; who: Who; gate: Plan; until: number | null; isRevoked: boolean }[]
  readonly merged: Map<Who, Who>
  readonly deleted: Set<Who>
  /** Subscriptions that somebody asked to end. */
  readonly ended: Set<string>
  readonly paused: Set<string>
  /** Subscriptions to which the dashboard gave free days. */
  readonly gifted: Set<string>
  /** Refunded payments whose provider's answer was lost. */
  readonly unanswered: Set<string>
  /** Gates of people whose import died, as `ann pro`. */
  readonly perhapsGiven: Set<string>
  /** Browsers of people who are logged in. */
  readonly visitors: Map<Who, Visitor>
  /** By gift: who was told that they redeemed it. */
  readonly redeemed: Map<string, Set<Who>>
  /** Gifts whose code was taken back. */
  readonly revoked: Set<string>
  /** Pages that were read behind the wall, by browser and by account. */
  readonly reads: { readonly browsers: Map<Who, Reads>; readonly members: Map<Who, Reads> }
  /** The raise, and when it was undone. */
  raise: { readonly id: string; undoneAt: string | null } | null
  /** By subscription: the amounts that were asked for, and if the site said that they count. */
  readonly chosen: Map<string, { readonly at: number; readonly amount: number; readonly isSure: boolean }[]>
  isSwitching: boolean
  /** Somebody took the switch back. */
  isUndone: boolean
  /** Lines of what happened, and what was found broken meanwhile. */
  readonly log: string[]
  readonly broken: string[]
}

/** One site with its database, its providers and what their people did. */
export interface World {
  readonly history: History
  readonly shops: readonly Shop[]
  /** Null in a history without apps. */
  readonly apps: WorldApps | null
  readonly m: Membership
  readonly site: string
  readonly ids: Readonly<Record<Who, string>>
  readonly desk: Desk
  readonly journal: Journal
  readonly mailbox: ReturnType<typeof createMailbox>
  messages: 'usual' | 'held'
  /** Jobs run when a message came, and every eight days: an hour costs as much as a month. */
  readonly isBrisk: boolean
  /** The account of the first provider that new checkouts go to. */
  sellsThrough: Shop['label']
  plansAre: PlansAre
  /** Commits until the process dies; null while it lives on. */
  diesIn: number | null
  readonly isDead: () => boolean
  now(): Date
  /** Stops the process as a power cut does, and starts it. */
  restart(account?: 'b'): Promise<void>
  /** Stops the process, and starts it with other plans. */
  sellBy(are: PlansAre): Promise<void>
  /**
   * Keeps everything but the rows of the database. The returned function brings it back, and starts the
   * process anew once `rows` brought those back.
   */
  save(): (rows: () => void) => Promise<void>
  close(): Promise<void>
}

/**
 * Opens a site of this history on an empty database, SQLite's unless another is given. `ordered` gives the order in which
 * the steps of a unit run.
 */
export async function openWorld(
  history: History,
  database?: string,
  ordered: (unit: Unit) => Unit = (unit) => unit,
): Promise<World> {
  let listener: RequestListener = (_, response) => void response.writeHead(503).end()
  const server = createServer((request, response) => listener(request, response))
  server.listen(portOf('site'), '127.0.0.1')
  await new Promise((ready) => server.once('listening', ready))
  const site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const first = await openShop(sellers[history.from], { site, history })
  const shops = [first]
  if (history.to !== undefined) shops.push(await openShop(sellers[history.to], { site, history }))
  const hasAccounts = history.steps.some((step) => step.do === 'change account')
  if (hasAccounts) shops.push(await openShop(first.seller, { site, history, beside: first.fake.secret }))
  const road = await openRoad(shops, portOf('road'))
  keepPort('site', site)
  keepPort('road', road.url)
  reach(site, (request) => toResponse(listener as never, request))
  reach(road.url, road.answer)
  for (const { fake, seller, label } of shops) {
    keepPort(`${seller.key} ${label}`, fake.url)
    reach(fake.url, fake.fetch)
  }
  const apps = await openWorldApps(history.steps, start, {
    pro: { opens: ['export'], limits: { exports: { amount: included, every: 'month' } } },
    team: { opens: ['export'] },
  })
  const mailbox = createMailbox()
  const settings: MembershipOptions = {
    ...(database === undefined ? await emptyDatabase() : { 'membership.database.url': database }),
    'membership.provider.handler': history.from,
    'membership.provider.choices': [...new Set(shops.map(({ seller }) => seller.key as ProviderKey))],
    'membership.url': site,
    'membership.secret': modelSecret,
    'membership.ratelimit.limit': 10_000_000,
    'membership.compare.automatic': false,
    'membership.operator.email': operatorEmail,
    ...(history.steps.some((step) => step.do === 'support') ? { 'membership.office.enabled': true } : {}),
    install: false,
    root: false,
    log: () => {},
    ...mailbox.options,
    ...apps?.settings,
  }
  const configure = (are: PlansAre): void => {
    for (const shop of shops.slice(0, history.to === undefined ? 1 : 2)) {
      const other = shop === first && hasAccounts ? shops.at(-1)! : null
      Object.assign(settings, settingsOf(history, shop, { api_base: road.url, other, are }))
    }
  }
  configure('usual')
  let isDead = false
  const begin = async (): Promise<Membership> => {
    const m = await open(() => createMembership({ ...settings, now: () => shops[0]!.fake.now() }))
    const { commit } = m.storage
    Object.assign(m.storage, {
      commit: (...[unit, how]: Parameters<typeof commit>) => {
        if (world.diesIn !== null && --world.diesIn < 0) isDead = true
        return isDead ? Promise.reject(new Error('killed')) : commit(ordered(unit), how)
      },
    })
    listener = wallSite(m)
    return m
  }
  const ids = {} as Record<Who, string>
  const world: World = {
    history,
    shops,
    apps,
    site,
    ids,
    mailbox,
    desk: road.desk,
    messages: 'usual',
    isBrisk: isInProcess(),
    diesIn: null,
    sellsThrough: 'a',
    plansAre: 'usual',
    m: undefined as unknown as Membership,
    journal: {
      pages: [],
      grants: [],
      log: [],
      broken: [],
      isSwitching: false,
      isUndone: false,
      merged: new Map(),
      deleted: new Set(),
      ended: new Set(),
      paused: new Set(),
      gifted: new Set(),
      unanswered: new Set(),
      perhapsGiven: new Set(),
      visitors: new Map(),
      redeemed: new Map(),
      chosen: new Map(),
      revoked: new Set(),
      raise: null,
      reads: { browsers: new Map(), members: new Map() },
    },
    isDead: () => isDead,
    now: () => shops[0]!.fake.now(),
    restart: async (account) => {
      await world.m.close().catch(() => {})
      world.diesIn = null
      isDead = false
      const key = `membership.providers.${history.from}` as 'membership.providers.stripe'
      if (account !== undefined) Object.assign(settings, { [key]: { ...settings[key], account } })
      Object.assign(world, { m: await begin() })
    },
    sellBy: async (are) => {
      world.plansAre = are
      configure(are)
      await world.restart(world.sellsThrough === 'b' ? 'b' : undefined)
    },
    save: () => {
      const fakes = shops.map((shop) => saveShop(shop))
      const { messages, diesIn, sellsThrough, plansAre, journal } = world
      const kept = { messages, diesIn, sellsThrough, plansAre }
      const [was, sent, made] = [
        { isDead, settings: { ...settings } },
        mailbox.sent.length,
        road.desk.made.length,
      ]
      const keptJournal = copyOf(journal)
      return async (rows) => {
        await world.m.close().catch(() => {})
        rows()
        for (const restore of fakes) restore()
        Object.assign(settings, was.settings)
        mailbox.sent.length = sent
        road.desk.made.length = made
        Object.assign(journal, copyOf(keptJournal))
        Object.assign(world, { diesIn: null })
        isDead = false
        Object.assign(world, { m: await begin(), ...kept })
        isDead = was.isDead
      }
    },
    close: async () => {
      server.closeAllConnections()
      server.close()
      // Jobs that come to no end are told of by whoever ran them.
      await Promise.race([world.m.close().catch(() => {}), pause(5000, null, { ref: false })])
      await road.close()
      await apps?.apps.close()
      for (const { fake } of shops) await fake.close()
    },
  }
  Object.assign(world, { m: await begin() })
  for (const who of people)
    ids[who] = (await world.m.users.create({ email: addressOf(who), verified: true })).id
  return world
}

async function emptyDatabase() {
  return isInProcess() ? { 'membership.database.url': 'sqlite::memory:' } : freshDatabase()
}

function open(run: () => Promise<Membership>): Promise<Membership> {
  return isInProcess() ? withoutTimers(run) : run()
}

function saveShop({ fake, chaos, outages }: Shop): () => void {
  const [restore, keptChaos, keptOutages] = [fake.save(), { ...chaos }, [...outages]]
  return () => {
    restore()
    Object.assign(chaos, { drop: 0, duplicate: 0, reorder: 0 }, keptChaos)
    outages.splice(0, outages.length, ...keptOutages)
  }
}

/** A copy that shares nothing that changes: accounts keep their own state, and a browser is its cookies. */
function copyOf<T>(value: T): T
function copyOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || 'fake' in value) return value
  if (Array.isArray(value)) return value.map((each) => copyOf(each))
  if (value instanceof Map) return new Map([...value].map(([key, each]) => [key, copyOf(each)]))
  if (value instanceof Set) return new Set(value)
  if ('cookies' in value) return copyVisitor(value as Visitor)
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, copyOf(each)]))
}

function copyVisitor({ cookies, site }: Visitor): Visitor {
  const copy = createVisitor(site)
  for (const [name, value] of cookies) copy.cookies.set(name, value)
  return copy
}

export function addressOf(who: Who): string {
  return `${who}@example.com`
}

/** An account of a provider; its second one, beside an account with that key. */
async function openShop(
  seller: SellingCase,
  { site, history, beside }: { site: string; history: History; beside?: string },
): Promise<Shop> {
  const chaos: Shop['chaos'] = {}
  const { key, prices } = seller
  const label = beside === undefined ? 'a' : 'b'
  const fake = await seller.open({
    seed: `${key} ${label}`,
    port: portOf(`${key} ${label}`),
    start,
    webhook: { url: `${site}/membership/webhooks/${key}`, secret: webhookOf(seller, label) },
    chaos,
    ...(beside === undefined ? {} : { secret: `${beside}b` }),
    ...(history.patient ? { dunning: { outcome: 'past_due' as const } } : {}),
  })
  const monthly = { currency: 'eur', recurring: { interval: 'month' } } as const
  fake.addPrice({ id: prices.month, unit_amount: 900, ...monthly })
  fake.addPrice({ id: prices.team, unit_amount: 2500, ...monthly })
  fake.addPrice({ id: prices.book, unit_amount: 1900, currency: 'eur' })
  const { pack, months, raised, sale, support, differing, later, edition } = goodsOf(seller)
  fake.addPrice({ id: later, unit_amount: 1000, ...monthly })
  fake.addPrice({ id: edition, unit_amount: 2100, currency: 'eur' })
  fake.addPrice({ id: differing, unit_amount: 1300, ...monthly })
  fake.addPrice({ id: raised, unit_amount: 1200, ...monthly })
  fake.addPrice({ id: sale, unit_amount: 700, ...monthly })
  fake.addPrice({ id: support, unit_amount: 500, ...monthly })
  fake.addPrice({ id: pack, unit_amount: 500, currency: 'eur' })
  fake.addPrice({ id: months, unit_amount: 1700, currency: 'eur' })
  return { seller, fake, chaos, label, outages: [] }
}

function webhookOf({ webhook }: SellingCase, label: Shop['label']): string {
  return label === 'a' ? webhook : `${webhook}b`
}

/** What a site is opened with: histories that agree in it can begin on the same one. */
export function siteOf({ steps, ...site }: History): string {
  const asked = steps.map(siteFor).filter((each) => each !== null)
  return JSON.stringify([site, [...new Set(asked)].sort()])
}

/** What the site needs for a step. */
function siteFor(step: Step): string | null {
  if (step.do === 'change account' || step.do === 'support' || step.do === 'raise') return step.do
  if (step.do === 'buy' && (step.plan === 'sale' || step.plan === 'differing')) return step.plan
  return step.do === 'app buy' ? 'apps' : null
}

/** A provider's settings: of its only account, or of two behind one address. */
function settingsOf(
  { from, trial, steps }: History,
  { seller, fake }: Shop,
  { api_base, other, are }: { api_base: string; other: Shop | null; are: PlansAre },
): MembershipOptions {
  const { prices, key } = seller
  // A switch finds the price that takes the place of another only where the plan has one: the other provider's.
  const hasTerms =
    key === from && steps.some((step) => step.do === 'raise' || (step.do === 'buy' && step.plan === 'sale'))
  const monthly = { currency: 'EUR', interval: 'month' as const }
  const free = trial === undefined || key !== 'stripe' ? {} : { trial_days: trial }
  const quantity = { max: 9 }
  const { pack, months, raised, sale, support, differing, later, edition } = goodsOf(seller)
  const usual = { id: prices.month, amount: 900, ...monthly, ...free }
  const hasUsual = are !== 'without' && are !== 'moved'
  const plans = {
    pro: {
      group: 'membership',
      opens: ['export'],
      quantity,
      limits: { exports: { amount: included, every: 'month' } },
      prices: [
        hasUsual ? usual : { id: later, amount: 1000, ...monthly },
        ...(hasTerms
          ? [
              { id: sale, amount: 700, ...monthly, until: saleEnds },
              { id: raised, amount: 1200, ...monthly, retired: true },
            ]
          : []),
      ],
    },
    team: {
      group: 'membership',
      opens: ['export'],
      seats: 'quantity',
      quantity,
      prices: [{ id: prices.team, amount: 2500, ...monthly }],
    },
    pack: {
      prices: [{ id: pack, amount: 500, currency: 'EUR', adds: { exports: are === 'fewer' ? 1 : topUp } }],
    },
    months: { prices: [{ id: months, amount: 1700, currency: 'EUR', gives: { plan: 'pro', months: 2 } }] },
    ...(key === 'stripe' && steps.some((step) => step.do === 'support')
      ? { supporter: { prices: [{ id: support, choose: choice, ...monthly }] } }
      : {}),
    ...(steps.some((step) => step.do === 'buy' && step.plan === 'differing')
      ? { wrong: { prices: [{ id: differing, amount: 1100, ...monthly }] } }
      : {}),
    ...(are === 'moved' ? { club: { prices: [usual] } } : {}),
    book: {
      prices: [
        are === 'without'
          ? { id: edition, amount: 2100, currency: 'EUR', type: 'one_time' }
          : { id: prices.book, amount: 1900, currency: 'EUR', type: 'one_time' },
      ],
    },
  }
  const accounts = other
    ? {
        webhook: { a: webhookOf(seller, 'a'), b: webhookOf(seller, 'b') },
        secret: { a: fake.secret, b: other.fake.secret },
        account: 'a',
      }
    : { webhook: webhookOf(seller, 'a'), secret: fake.secret }
  return own({
    [`membership.providers.${key}`]: {
      ...seller.settings?.(fake),
      ...accounts,
      api_base,
      livemode: false,
      ...(seller.cannot?.includes('pause') ? {} : { pause: { max_days: 90 } }),
      plans,
    },
  })
}
