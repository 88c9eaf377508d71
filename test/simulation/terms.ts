import type { RequestListener } from 'node:http'
import Koa from 'koa'
import { isMembershipError, type Membership, type Raise } from '../../src/index.ts'
import { createOperators } from '../../src/office/operators.ts'
import { enrol } from '../support/office.ts'
import { createVisitor, logIn, type Visitor } from '../support/visitor.ts'
import { type Chance, createChance } from './chance.ts'
import {
  addressOf,
  arrive,
  comeBack,
  elapse,
  idLike,
  note,
  openOffersSite,
  order,
  type SoldPrice,
  sendForm,
  start,
  userOf,
} from './offers-site.ts'
import type { Seller } from './sellers.ts'

/** The laws of walls, timed content, chosen amounts, price raises and sales, by name. */
export const termLaws = {
  'free pages': 'a reader without the plan opens as many pages in a period as are free, and no more',
  'counted once': 'a counted page stays open until its period ends, and reading it again takes nothing',
  'wall as told': 'view.wall says how many pages are left',
  'members read': 'the plan opens every page and counts none',
  'cached rightly':
    'an open page behind a gate is for its reader alone, a closed one for strangers and an ungated one are for all',
  'paid time': 'paid time is what the books charged and kept: no gap, no pause, no refund, no day twice',
  'opens in time': 'a lesson is open exactly while the plan is, once its days were paid',
  'sold where it can': 'a chosen amount is sold where the capability table says so, and refused elsewhere',
  'as chosen':
    'each bill charges what its member chose last before it; account, receipt and office say the same',
  'in range': 'no amount outside min and max is taken or charged',
  'refund ends it': 'a chosen amount that was given back opens nothing',
  'with notice':
    'nobody pays the new price without a notice, or before its days are over, or before the raise',
  'raised once': 'each bill has one of the two prices, and the old one never comes back without an undo',
  'raised in time': 'the first renewal after the notice charges the new price',
  'silence keeps': 'where consent is needed, only members who agreed pay more',
  'never after an undo': 'no renewal after an undo charges the new price to those who did not pay it before',
  'sold until its end': 'a sale sells its price until its last second, and the usual one from then on',
  'said alike': 'the price page and the order page say the same of a sale',
  'sale price kept':
    'those who bought in the sale go on at its price, and no raise of the usual one reaches them',
} as const
type Law = keyof typeof termLaws

export interface TermsLife {
  readonly provider: string
  readonly counts: ReadonlyMap<string, number>
  readonly broken: readonly string[]
}

/**
 * Lets five members and two strangers live with a wall, a lesson, amounts that they choose, a raise and a
 * sale. What they may have and what they owe is worked out from what they did and from the provider's books.
 */
export async function liveWithTerms(
  seller: Seller,
  seed: string,
  steps: number,
  first: OpeningSteps = usualFirst,
): Promise<TermsLife> {
  const world = await openWorld(seller)
  const chance = createChance(seed, `terms ${seller.key}`)
  try {
    for (let i = 0; i < steps && world.broken.length === 0; i++) {
      const [planned, name] = first[i] ?? [chance.weighted(weights), chance.of(names)]
      const isAsked = planned === 'raise' && first === usualFirst && chance.one(0.3)
      const what = isAsked ? 'raise with consent' : planned
      try {
        await doings[what](world, name, chance)
      } catch (error) {
        if (!isMembershipError(error)) throw error
        note(world, `${what} refused`)
        world.log.push(`${name} ${what}: ${error.code} ${error.message}`)
      }
      await arrive(world)
      await check(world, `${i} ${what} of ${name}`)
    }
    if (world.broken.length === 0) await checkOffice(world)
    const raised = billsOf(world).filter(({ price, amount }) => price === 'raised' && amount > 0).length
    if (raised > 0) world.counts.set('bills at the new price', raised)
    const { counts, broken, log } = world
    return { provider: seller.key, counts, broken: broken.length > 0 ? [...broken, ...log] : broken }
  } finally {
    await world.close()
  }
}

const names = ['ann', 'ben', 'cid', 'dee', 'eli'] as const
type Name = (typeof names)[number]
const strangers = ['fay', 'gus'] as const

/** Steps that come first, and who does them. */
export type OpeningSteps = readonly (readonly [keyof typeof weights, Name])[]

/** One of each kind happens, and then whatever chance brings. */
const usualFirst: OpeningSteps = [
  ['subscribe', 'ann'],
  ['read', 'ben'],
  ['look at the sale', 'ann'],
  ['support', 'ben'],
  ['tip', 'cid'],
  ['month', 'ann'],
  ['subscribe', 'cid'],
  ['subscribe', 'dee'],
  ['raise', 'ann'],
  ['agree', 'cid'],
  ['change the amount', 'ben'],
  ['month', 'ann'],
  ['read as a stranger', 'ann'],
  ['month', 'ann'],
]

const dayMs = 86_400_000
const amounts = { usual: 900, raised: 1200, sale: 700 } as const
const choice = { min: 301, suggested: [501, 1001], max: 50_001 } as const
const wall = { free: 2, loggedIn: 3, days: 10 } as const
const lessonDays = 14
const noticeDays = 10
const saleEnds = new Date(start.getTime() + 12 * dayMs)
/** Payments are dated by their arrival, and some providers charge minutes before a period begins. */
const leewaySeconds = 86_400

// The capability table of docs/selling.md.
const choosesMonthly: readonly string[] = ['stripe', 'mollie', 'paddle', 'chargebee', 'polar']
const choosesOnce: readonly string[] = [...choosesMonthly, 'paypal', 'creem', 'dodo', 'lemonsqueezy']
const pauses: readonly string[] = ['stripe', 'paddle', 'polar', 'chargebee']

interface Reads {
  readonly pages: Set<number>
  readonly endsAt: number
}

const text = 'The whole article.'

function siteOf(m: Membership): RequestListener {
  const app = new Koa()
  app.silent = true
  app.use(m.koa())
  app.use(async (ctx, next) => {
    if (ctx.path === '/open') {
      ctx.set('Cache-Control', 'public, max-age=60')
      ctx.body = 'For everybody.'
      return
    }
    if (ctx.path === '/who') {
      ctx.body = ctx.membership.user?.email ?? 'nobody'
      return
    }
    if (ctx.path === '/banner') {
      ctx.body = JSON.stringify(ctx.membership.wall('pro'))
      return
    }
    await next()
  })
  const metered = m.gate('pro', { free: wall.free, loggedIn: wall.loggedIn, every: `${wall.days}d` })
  const timed = m.gate('pro', { after: `${lessonDays}d` })
  app.use((ctx, next) => (ctx.path === '/lesson' ? timed : metered)(ctx, next))
  app.use((ctx) => {
    ctx.body = text
  })
  return app.callback()
}

async function openWorld(seller: Seller) {
  const { key } = seller
  const ids = {
    usual: seller.prices.month,
    raised: idLike(seller, 'raised', '6'),
    sale: idLike(seller, 'sale', '7'),
    tip: idLike(seller, 'tip', '4'),
    support: idLike(seller, 'support', '5'),
  }
  const monthly = { currency: 'EUR', interval: 'month' }
  const prices: SoldPrice[] = (['usual', 'raised', 'sale'] as const).map((each) => ({
    id: ids[each],
    unit_amount: amounts[each],
    isMonthly: true,
  }))
  prices.push({ id: ids.support, unit_amount: 500, isMonthly: true })
  // Dodo sells a chosen amount of products that are turned on for it.
  prices.push({ id: ids.tip, unit_amount: 300, isMonthly: false, metadata: { pay_what_you_want: 'true' } })
  const site = await openOffersSite({
    seller,
    names,
    prices,
    listener: siteOf,
    settings: pauses.includes(key) ? { pause: { max_days: 90 } } : {},
    options: { 'membership.office.enabled': true },
    plans: {
      pro: {
        prices: [
          { id: ids.usual, amount: amounts.usual, ...monthly },
          { id: ids.raised, amount: amounts.raised, ...monthly, retired: true },
          {
            id: ids.sale,
            amount: amounts.sale,
            ...monthly,
            label: 'Winter',
            was: ids.usual,
            until: saleEnds.toISOString(),
          },
        ],
      },
      supporter: { prices: [{ id: ids.support, choose: choice, ...monthly }] },
      tip: { prices: [{ id: ids.tip, choose: choice, currency: 'EUR' }] },
    },
  })
  return {
    ...site,
    ids,
    strangers: Object.fromEntries(strangers.map((name) => [name, createVisitor(site.site)])) as Record<
      (typeof strangers)[number],
      Visitor
    >,
    reads: new Map<string, Reads>(),
    /** By subscription: the amounts that its member chose, and since when. */
    chosen: new Map<string, { readonly at: number; readonly amount: number }[]>(),
    /** By member: what they chose to give once, and whether they have it back. */
    tips: new Map<Name, { readonly amount: number; isRefunded: boolean }>(),
    raise: null as { readonly id: string; readonly needsConsent: boolean; undoneAt: number | null } | null,
    agreed: new Set<string>(),
    /** Subscriptions whose member or operator did something by which a raise waits. */
    disturbed: new Set<string>(),
  }
}
type World = Awaited<ReturnType<typeof openWorld>>

function law({ broken, seller }: World, name: Law, isKept: boolean, about: string): void {
  if (!isKept) broken.push(`${seller.key}: ${name}: ${about}`)
}

const weights = {
  read: 10,
  'read as a stranger': 8,
  subscribe: 6,
  cancel: 1,
  resume: 2,
  pause: 2,
  'go on': 2,
  refund: 1,
  support: 3,
  'change the amount': 4,
  tip: 3,
  'refund a tip': 1,
  'look at the sale': 2,
  raise: 2,
  'raise with consent': 1,
  agree: 2,
  bounce: 1,
  'stop and go on': 0.5,
  undo: 0.2,
  days: 5,
  month: 4,
} as const

const doings: Record<keyof typeof weights, (world: World, name: Name, chance: Chance) => Promise<void>> = {
  read: async (world, name, chance) => {
    const visitor = world.visitors[name]
    const { body } = await openPath(visitor, '/who')
    if (body !== addressOf(name) && !(await comeBack(world, name))) return
    const isPaid = (await userOf(world, name)).hasGate('pro' as never)
    for (let count = chance.number(1, 4); count > 0; count--)
      await read(world, name, visitor, { page: chance.number(1, 6), most: wall.loggedIn, isPaid })
  },
  'read as a stranger': async (world, _, chance) => {
    const name = chance.of(strangers)
    for (let count = chance.number(1, 3); count > 0; count--)
      await read(world, name, world.strangers[name], {
        page: chance.number(1, 6),
        most: wall.free,
        isPaid: false,
      })
  },
  subscribe: async (world, name) => {
    const { ids, fake } = world
    if (livingOf(await userOf(world, name), [ids.usual, ids.raised, ids.sale]) !== undefined) return
    const isSale = fake.now() < saleEnds
    const [sold, other] = isSale ? [ids.sale, ids.usual] : [ids.usual, ids.sale]
    const path = '/membership/subscribe/pro'
    const refused = await sendForm(world, name, path, { price: other })
    law(world, 'sold until its end', refused.status >= 400, `${other} is sold at ${fake.now().toISOString()}`)
    if ((await order(world, name, path, { price: sold })) === null) return
    note(world, isSale ? 'subscribed in the sale' : 'subscribed')
    const s = livingOf(await userOf(world, name), [sold])
    law(world, 'sold until its end', s !== undefined, `${name} paid ${sold}, and has it not`)
  },
  cancel: async (world, name) => {
    const user = await userOf(world, name)
    const s = user.subscriptions().find((each) => !each.ended)
    if (s === undefined) return
    world.disturbed.add(s.id)
    await world.m.subscriptions.cancel({ user, subscriptionId: s.id, when: 'period_end' })
    note(world, 'cancelled')
  },
  resume: async (world, name) => {
    const user = await userOf(world, name)
    const s = user.subscriptions().find((each) => !each.ended && each.cancel_at_period_end)
    if (s === undefined) return
    await world.m.subscriptions.resume({ user, subscriptionId: s.id })
    note(world, 'resumed')
  },
  pause: async (world, name) => {
    const user = await userOf(world, name)
    const s = livingOf(user, Object.values(world.ids))
    if (s === undefined) return
    world.disturbed.add(s.id)
    await world.m.subscriptions.pause({ user, subscriptionId: s.id })
    note(world, 'paused')
  },
  'go on': async (world, name) => {
    const user = await userOf(world, name)
    const s = user.subscriptions().find((each) => !each.ended && each.paused_at !== null)
    if (s === undefined) return
    await world.m.subscriptions.resume({ user, subscriptionId: s.id })
    note(world, 'went on after a pause')
  },
  refund: async (world, name) => {
    const { ids } = world
    const pro = [ids.usual, ids.raised, ids.sale]
    const payment = (await userOf(world, name))
      .payments()
      .find((p) => p.status === 'paid' && p.subscription_id !== null && pro.includes(p.price_id ?? ''))
    if (payment === undefined) return
    await world.m.payments.refund({ payment })
    note(world, 'refund of a month')
  },
  support: async (world, name, chance) => {
    if (livingOf(await userOf(world, name), [world.ids.support]) !== undefined) return
    const path = '/membership/subscribe/supporter'
    if (!choosesMonthly.includes(world.seller.key))
      return refusesChoice(world, name, path, { price: world.ids.support })
    await refusesOutside(world, name, path, { price: world.ids.support })
    const amount = someAmount(chance)
    if ((await order(world, name, path, { price: world.ids.support, ...asForm(amount, chance) })) === null)
      return
    const s = livingOf(await userOf(world, name), [world.ids.support])
    law(world, 'as chosen', s !== undefined, `${name} chose ${amount} a month and paid, and has nothing`)
    if (s === undefined) return
    note(world, 'supporter')
    world.chosen.set(s.id, [{ at: 0, amount }])
  },
  'change the amount': async (world, name, chance) => {
    const user = await userOf(world, name)
    const s = livingOf(user, [world.ids.support])
    const chosen = s === undefined ? undefined : world.chosen.get(s.id)
    if (s === undefined || chosen === undefined) return
    const path = `/membership/change/${s.id}`
    await refusesOutside(world, name, path, { price: world.ids.support })
    const amount = someAmount(chance)
    const fields = { price: world.ids.support, ...asForm(amount, chance) }
    const at = world.fake.now().getTime() / 1000
    const { status, json } = await sendForm(world, name, path, fields)
    world.log.push(`${name} chooses ${amount}: ${status} ${json?.code ?? ''}`)
    if (status !== 200) return note(world, `change refused ${json?.code ?? status}`)
    chosen.push({ at, amount })
    note(world, amount > chosen.at(-2)!.amount ? 'chose more' : 'chose less')
  },
  tip: async (world, name, chance) => {
    if (world.tips.has(name)) return
    const path = '/membership/payment'
    if (!choosesOnce.includes(world.seller.key))
      return refusesChoice(world, name, path, { product: world.ids.tip })
    await refusesOutside(world, name, path, { product: world.ids.tip })
    const amount = someAmount(chance)
    if ((await order(world, name, path, { product: world.ids.tip, ...asForm(amount, chance) })) === null)
      return
    note(world, 'tip')
    world.tips.set(name, { amount, isRefunded: false })
  },
  'refund a tip': async (world, name) => {
    const tip = world.tips.get(name)
    const payment = (await userOf(world, name)).payments().find(({ price_id }) => price_id === world.ids.tip)
    if (tip === undefined || tip.isRefunded || payment === undefined) return
    await world.m.payments.refund({ payment })
    tip.isRefunded = true
    note(world, 'refund of a tip')
  },
  'look at the sale': async (world) => {
    const { ids, fake, site } = world
    const visitor = createVisitor(site)
    const html = { accept: 'text/html' }
    const isSale = fake.now() < saleEnds
    const said = /Reduced until ([^<]*?) from €9, the lowest price of the 30 days before\./
    const list = (await visitor.get('/membership/prices', html)).text
    const sold = isSale ? ids.sale : ids.usual
    const page = (await visitor.get(`/membership/order?plan=pro&price=${sold}`, html)).text
    const until = [said.exec(list)?.[1] ?? null, said.exec(page)?.[1] ?? null]
    law(
      ...([world, 'said alike'] as const),
      until[0] === until[1] && (until[0] !== null) === isSale,
      `the price page says until ${until[0]}, the order page ${until[1]}`,
    )
    for (const [where, shown] of [
      ['price', list],
      ['order', page],
    ] as const)
      law(
        ...([world, 'said alike'] as const),
        shown.includes(isSale ? '€7' : '€9') && (isSale || !shown.includes('€7')),
        `the ${where} page shows another price at ${fake.now().toISOString()}`,
      )
    note(world, isSale ? 'saw the sale' : 'saw no sale')
  },
  raise: async (world) => raise(world, false),
  'raise with consent': async (world) => raise(world, true),
  agree: async (world, name) => {
    const mail = world.mailbox.of(addressOf(name), 'price-raise').at(-1)
    const [link] = /\/membership\/price\/\S+/.exec(mail?.text ?? '') ?? []
    if (link === undefined || world.raise === null || !world.raise.needsConsent) return
    const s = livingOf(await userOf(world, name), [world.ids.usual])
    if (s === undefined) return
    await createVisitor(world.site).send(link, { does: 'agree' })
    world.agreed.add(s.id)
    note(world, 'agreed')
  },
  bounce: async (world, name) => {
    if (world.raise === null) return
    if ((await world.m.raises.noticeBounced(world.raise.id, addressOf(name))) === 0) return
    for (const { id } of (await userOf(world, name)).subscriptions()) world.disturbed.add(id)
    note(world, 'notice bounced')
    await elapse(world, 2, 1)
    if ((await world.m.raises.noticeAgain(world.raise.id, addressOf(name))) > 0) note(world, 'notice again')
  },
  'stop and go on': async (world) => {
    if (world.raise === null || world.raise.undoneAt !== null) return
    for (const { id } of world.fake.books.list('subscription')) world.disturbed.add(id)
    await world.m.raises.stop(world.raise.id)
    await elapse(world, 4, 1)
    await world.m.raises.resume(world.raise.id)
    note(world, 'raise stopped and went on')
  },
  undo: async (world) => {
    if (world.raise === null || world.raise.undoneAt !== null) return
    world.raise.undoneAt = world.fake.now().getTime() / 1000
    await world.m.raises.undo(world.raise.id)
    note(world, 'raise undone')
  },
  days: async (world) => elapse(world, 6, 1),
  month: async (world) => elapse(world, 31, 1),
}

async function raise(world: World, needsConsent: boolean): Promise<void> {
  const { m, ids, fake } = world
  if (world.raise !== null) return
  const on = fake.now().toISOString()
  const wish = { from: ids.usual, to: ids.raised, on, noticeDays, needsConsent }
  const { id, members } = await m.raises.plan(wish)
  // A raise of nobody is refused.
  if (!members.some(({ does }) => does === 'raise')) return
  await m.raises.raise(wish, 'olga')
  world.raise = { id, needsConsent, undoneAt: null }
  for (const { subscription_id, does } of members) {
    const now = priceAt(world, subscription_id)
    law(
      world,
      'sale price kept',
      does === 'keep' || now === 'usual',
      `${subscription_id} of ${now} is to be raised`,
    )
  }
  note(world, needsConsent ? 'raise with consent' : 'raise')
}

function livingOf(user: Awaited<ReturnType<typeof userOf>>, prices: readonly string[]) {
  return user
    .subscriptions()
    .find((s) => !s.ended && s.status !== 'incomplete' && prices.some((price) => s.hasPrice(price as never)))
}

function priceAt({ fake }: World, id: string): Sold {
  return soldAt(fake.books.list('subscription').find((s) => s.id === id)?.items[0]?.price.amount ?? null)
}

// Amounts that no other price has.
function someAmount(chance: Chance): number {
  return chance.one(0.2) ? chance.of([choice.min, choice.max]) : chance.number(40, 4000) * 10 + 3
}

/** As a program sends it, or as a person types it. */
function asForm(amount: number, chance: Chance): Record<string, string> {
  return chance.one(0.5)
    ? { amount: String(amount) }
    : { own_amount: (amount / 100).toFixed(2).replace('.', ',') }
}

const outside: readonly Record<string, string>[] = [
  { amount: String(choice.min - 1) },
  { amount: String(choice.max + 1) },
  { own_amount: '3,001' },
  { own_amount: '-5' },
]

async function refusesOutside(world: World, name: Name, path: string, what: Record<string, string>) {
  for (const fields of outside) {
    const { status, json } = await sendForm(world, name, path, { ...what, ...fields })
    law(world, 'in range', status >= 400, `${path} takes ${JSON.stringify(fields)}`)
    if (json?.code === 'ERR_FORM') note(world, 'outside the range')
  }
}

async function refusesChoice(world: World, name: Name, path: string, what: Record<string, string>) {
  const { json, status } = await sendForm(world, name, path, { ...what, amount: '777' })
  const isRefused = json?.code === 'ERR_PROVIDER_UNSUPPORTED'
  law(world, 'sold where it can', isRefused, `${path} is answered ${status} ${json?.code ?? ''}`)
  note(world, 'choice not sold here')
}

/** Opens a page behind the wall, and compares with a count of our own. */
async function read(
  world: World,
  reader: string,
  visitor: Visitor,
  { page, most, isPaid }: { page: number; most: number; isPaid: boolean },
): Promise<void> {
  const moment = world.fake.now().getTime()
  const told = async () => JSON.parse(await openPath(visitor, '/banner').then(({ body }) => body))
  const known = world.reads.get(reader)
  const count: Reads =
    known !== undefined && known.endsAt > moment
      ? known
      : { pages: new Set(), endsAt: moment + wall.days * dayMs }
  const { body, cache } = await openPath(visitor, `/wall/${page}`)
  const isOpen = body.includes(text)
  const about = `${reader} finds page ${page} ${isOpen ? 'open' : 'closed'} after ${[...count.pages]} of ${most}`
  note(world, isOpen ? 'read' : 'found a page closed')
  if (isOpen) law(world, 'cached rightly', cache === 'private, no-store', `${about}, ${cache}`)
  if (isPaid) {
    law(world, 'members read', isOpen, about)
    return law(world, 'members read', (await told()) === null, `${reader} has pro, and is told of a wall`)
  }
  if (count.pages.has(page)) law(world, 'counted once', isOpen, about)
  else law(world, 'free pages', isOpen === count.pages.size < most, about)
  if (isOpen) {
    count.pages.add(page)
    world.reads.set(reader, count)
  }
  const said = await told()
  const left = most - count.pages.size
  law(
    world,
    'wall as told',
    said?.left === left,
    `${reader} has ${left} left, and is told ${JSON.stringify(said)}`,
  )
  if (reader !== 'fay') return
  const bare = await fetch(`${world.site}/wall/${page}?stranger`, { headers: { accept: 'text/html' } })
  const closed = bare.headers.get('cache-control') ?? ''
  law(
    world,
    'cached rightly',
    closed.startsWith('public') && !(await bare.text()).includes(text),
    `without cookies ${closed}`,
  )
  const free = (await openPath(visitor, '/open')).cache
  law(world, 'cached rightly', free === 'public, max-age=60', `a page without a gate is ${free}`)
}

/** The answer of a browser that goes where it is led, as to a visitor whose cookie is tried. */
async function openPath(visitor: Visitor, path: string): Promise<{ body: string; cache: string | null }> {
  let next = path
  for (let led = 0; led < 4; led++) {
    const { status, location, text: body, headers } = await visitor.get(next, { accept: 'text/html' })
    if (status !== 302 || location === null) return { body, cache: headers.get('cache-control') }
    next = location
  }
  throw new Error(`${path} leads nowhere`)
}

type Sold = keyof typeof amounts | 'support'

interface Bill {
  readonly subscription: string
  readonly price: Sold
  readonly amount: number
  readonly reason: string
  readonly start: number
  readonly end: number
  readonly isKept: boolean
}

/** The price of an amount: no two are alike, because Mollie knows amounts alone. */
function soldAt(amount: number | null): Sold {
  return (
    (Object.keys(amounts) as (keyof typeof amounts)[]).find((name) => amounts[name] === amount) ?? 'support'
  )
}

/** What was charged for subscriptions, by the provider's books. */
function billsOf({ fake }: World): Bill[] {
  const charges = fake.books.list('charge')
  const isKept = (of: (charge: (typeof charges)[number]) => boolean) =>
    charges.every((charge) => !of(charge) || charge.refunded < charge.amount)
  const billed = fake.books
    .list('invoice')
    .filter(({ status }) => status === 'paid')
    .flatMap(({ subscription, lines, reason, payment }) =>
      lines
        .filter(({ amount }) => amount !== 0)
        .map(({ price, amount, period }) => ({
          subscription,
          price: soldAt(price.amount),
          amount,
          reason,
          start: period.start,
          end: period.end,
          isKept: isKept((charge) => charge.payment === payment),
        })),
    )
  // Mollie's subscriptions begin after a first payment of their own.
  const begun = fake.books
    .list('subscription')
    .filter(({ own, trial_end }) => trial_end !== null && own?.metadata !== undefined)
    .flatMap(({ id, customer, created, anchor }) => {
      const first = charges.findLast(
        (each) => each.customer === customer && each.created <= created && each.created > created - 120,
      )
      const bill = { subscription: id, reason: 'start', start: created, end: anchor }
      return first === undefined
        ? []
        : [
            {
              ...bill,
              price: soldAt(first.amount),
              amount: first.amount,
              isKept: isKept((each) => each === first),
            },
          ]
    })
  return [...begun, ...billed]
}

async function check(world: World, after: string): Promise<void> {
  const bills = billsOf(world)
  for (const name of names) {
    const user = await userOf(world, name)
    const own = bills.filter(({ subscription }) => user.subscriptions().some(({ id }) => id === subscription))
    await checkPaidTime(world, name, own, `after ${after}`)
    checkChosen(world, name, { user, own }, `after ${after}`)
    checkSale(world, name, own)
  }
  await checkRaise(world, bills, after)
}

async function checkPaidTime(world: World, name: Name, own: readonly Bill[], after: string): Promise<void> {
  const { fake } = world
  const user = await userOf(world, name)
  const now = fake.now().getTime() / 1000
  const spans = own
    .filter(({ price, isKept, amount }) => isKept && amount > 0 && price !== 'support')
    .map(({ start, end }) => [start, Math.min(now, end)] as const)
    .toSorted((a, b) => a[0] - b[0])
  let [until, paid] = [0, 0]
  for (const [from, to] of spans) {
    paid += Math.max(0, to - Math.max(from, until))
    until = Math.max(until, to)
  }
  const { seconds } = user.paidTime('pro' as never)
  const isSame = Math.abs(seconds - paid) <= leewaySeconds * Math.max(1, spans.length / 3)
  law(
    world,
    'paid time',
    isSame,
    `${after}: ${name} has ${seconds} s of paid time, and paid for ${Math.round(paid)}`,
  )
  const missing = lessonDays * 86_400 - paid
  if (Math.abs(missing) <= leewaySeconds * 2) return
  const opens = user.hasGate('pro' as never, { after: `${lessonDays}d` })
  const must = user.hasGate('pro' as never) && missing < 0
  law(
    world,
    'opens in time',
    opens === must,
    `${after}: the lesson is ${opens ? 'open' : 'closed'} for ${name} after ${paid} s`,
  )
  note(world, opens ? 'lesson open' : 'lesson closed')
}

function checkChosen(
  world: World,
  name: Name,
  { user, own }: { user: Awaited<ReturnType<typeof userOf>>; own: readonly Bill[] },
  after: string,
): void {
  const { chosen, ids, tips, fake } = world
  for (const s of user.subscriptions()) {
    const choices = chosen.get(s.id)
    if (choices === undefined) continue
    const bills = own.filter(({ subscription }) => subscription === s.id)
    law(world, 'as chosen', bills.length > 0, `${s.id} of ${name} was chosen, and is in no bill`)
    for (const { amount, start, reason } of bills.filter((bill) => bill.reason !== 'change')) {
      const wish = choices.findLast(({ at }) => at <= start)!.amount
      law(
        world,
        'as chosen',
        amount === wish,
        `${after}: ${name} chose ${wish} and is charged ${amount} (${reason})`,
      )
      law(world, 'in range', amount >= choice.min && amount <= choice.max, `${name} is charged ${amount}`)
    }
    const known = s.scheduled_change?.unit_amount ?? s.unit_amount
    const last = choices.at(-1)!.amount
    if (!s.ended)
      law(world, 'as chosen', known === last, `${after}: ${name} chose ${last}, and ${known} is known`)
  }
  const tip = tips.get(name)
  if (tip === undefined) return
  const paid = user.payments().filter(({ price_id }) => price_id === ids.tip)
  law(
    world,
    'as chosen',
    paid.length === 1 && paid[0]!.amount === tip.amount,
    `${name} gave ${tip.amount}, and ${paid.map(({ amount }) => amount)} is known`,
  )
  const charged = fake.books.list('charge').some(({ amount }) => amount === tip.amount)
  law(world, 'as chosen', charged, `${name} gave ${tip.amount}, and nothing of that amount was charged`)
  law(
    world,
    'refund ends it',
    user.hasGate('tip' as never) === !tip.isRefunded,
    `${after}: the tip of ${name}`,
  )
}

function checkSale(world: World, name: Name, own: readonly Bill[]): void {
  const ofPro = own.filter(({ price, amount }) => amount > 0 && price !== 'support')
  for (const { subscription, start: from } of ofPro.filter(({ price }) => price === 'sale')) {
    const all = ofPro.filter((bill) => bill.subscription === subscription)
    const isKept = all.every(({ price, amount }) => price === 'sale' && amount === amounts.sale)
    law(
      world,
      'sale price kept',
      isKept,
      `${subscription} of ${name} is charged ${all.map(({ amount }) => amount)}`,
    )
    law(
      world,
      'sold until its end',
      all.some(({ start }) => start * 1000 < saleEnds.getTime()),
      `${name} began at ${from}`,
    )
  }
}

async function checkRaise(world: World, bills: readonly Bill[], after: string): Promise<void> {
  const { raise, m, fake } = world
  const of = (price: Sold) => bills.filter((bill) => bill.price === price && bill.amount > 0)
  if (raise === null)
    return law(world, 'with notice', of('raised').length === 0, 'the new price without a raise')
  const { starts_at } = (await m.raises.list()).find(({ id }) => id === raise.id) as Raise
  const rows = await m.raises.members(raise.id, { account: '', subscription_id: '' }, 200)
  const now = fake.now().getTime() / 1000
  for (const id of new Set(bills.map(({ subscription }) => subscription))) {
    const own = bills.filter(({ subscription, amount }) => subscription === id && amount > 0)
    const row = rows.find(({ subscription_id }) => subscription_id === id)
    const about = `${after}: ${id} pays ${own.map(({ amount }) => amount)}, notice ${row?.noticed_at ?? 'none'}`
    const [first] = own.filter(({ price }) => price === 'raised')
    const earliest =
      row?.noticed_at == null
        ? Number.POSITIVE_INFINITY
        : Math.max(Date.parse(row.noticed_at) / 1000 + noticeDays * 86_400, Date.parse(starts_at) / 1000)
    if (first !== undefined) {
      law(world, 'with notice', first.start + 60 >= earliest, about)
      law(world, 'silence keeps', !raise.needsConsent || world.agreed.has(id), about)
      law(world, 'never after an undo', raise.undoneAt === null || first.start <= raise.undoneAt, about)
      const paid = own.filter(({ price }) => price === 'raised' || price === 'usual')
      const isOnce = paid.every(({ price, amount, start }) =>
        start < first.start ? amount === amounts.usual : price === 'raised' && amount === amounts.raised,
      )
      law(world, 'raised once', isOnce, about)
      law(
        world,
        'raised once',
        world.mailbox.sent.some(({ kind }) => kind === 'price-raise'),
        about,
      )
    }
    if (raise.needsConsent || raise.undoneAt !== null || world.disturbed.has(id)) continue
    const late = own.find(
      ({ price, start, end }) =>
        price === 'usual' && start > earliest + 3 * 86_400 && end > now - 40 * 86_400,
    )
    law(world, 'raised in time', late === undefined, about)
  }
}

/** The office of an operator says of each supporter what they chose. */
async function checkOffice(world: World): Promise<void> {
  const { m, site, mailbox, fake, chosen, tips, ids } = world
  const email = 'olga@example.com'
  await createOperators({ storage: m.storage, now: () => fake.now() }).add({
    email,
    role: 'operator',
    by: 'test',
  })
  await m.users.create({ email })
  const operator = await logIn({ m, site }, mailbox, email)
  await enrol(operator, () => fake.now())
  const html = { accept: 'text/html' }
  for (const name of names) {
    const user = await userOf(world, name)
    const page = (await operator.get(`/membership/office/members/${user.id}`, html)).text
    const shown = user
      .subscriptions()
      .filter((s) => !s.ended)
      .flatMap((s) => (chosen.has(s.id) ? (s.unit_amount ?? 0) : []))
    const tip = tips.get(name)
    for (const amount of [...shown, ...(tip ? [tip.amount] : [])]) {
      law(world, 'as chosen', page.includes(euros(amount)), `the office shows no ${euros(amount)} of ${name}`)
      note(world, 'amounts in the office')
    }
    for (const payment of user
      .payments()
      .filter(({ price_id }) => [ids.tip, ids.support].includes(price_id ?? ''))) {
      const { status, text: receipt } = await world.visitors[name].get(
        `/membership/payments/${payment.id}`,
        html,
      )
      if (status !== 200) continue
      law(
        world,
        'as chosen',
        receipt.includes(euros(payment.amount)),
        `a receipt of ${name} lacks ${euros(payment.amount)}`,
      )
      note(world, 'receipts')
    }
  }
}

function euros(minor: number): string {
  return new Intl.NumberFormat('en', {
    style: 'currency',
    currency: 'EUR',
    trailingZeroDisplay: 'stripIfInteger',
  }).format(minor / 100)
}
