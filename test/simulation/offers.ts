import { isMembershipError, type User } from '../../src/index.ts'
import { type Chance, createChance } from './chance.ts'
import {
  addressOf,
  arrive,
  elapse,
  idLike,
  note,
  openOffersSite,
  order,
  sendForm,
  userOf,
} from './offers-site.ts'
import { costs, type Seller } from './sellers.ts'

/** The laws of features, limits, gifts and teams, by name. */
export const offerLaws = {
  'features follow plans': 'a feature is open exactly while a plan that opens it is',
  'never over': 'no window, no top-up and no shared count gives more than its amount',
  'never lost': 'what was not used can be used',
  'taken once': 'a key takes once, however often it is asked for',
  'only what is paid': 'nothing is included without access, and a refunded top-up gives nothing more',
  'as shown': 'view.limit says what use then gives or refuses',
  'no seat twice': 'a subscription opens its plan for no more people than it has seats',
  'seats follow': 'all seats close when the subscription ends, and open while it is paid',
  'redeemed once': 'a gift is one person’s, whoever else has its code',
  'given whole': 'a redeemed gift keeps its plan open until its time is over, and a refund closes it',
  'never charged and given': 'no day of a gift is also a day of a paid period',
} as const
type Law = keyof typeof offerLaws

export interface OfferLife {
  readonly provider: string
  readonly counts: ReadonlyMap<string, number>
  readonly broken: readonly string[]
}

const included = 5
const shared = 6
const topUp = 3
const names = ['ann', 'ben', 'cid', 'dee', 'eli'] as const
type Name = (typeof names)[number]

/**
 * Lets five members live with features, a limit, a shared limit, gifts and a team at a provider. What they
 * may have is worked out from what they did and from the provider's books, and compared after each step.
 */
export async function liveWithOffers(seller: Seller, seed: string, steps: number): Promise<OfferLife> {
  const world = await openWorld(seller)
  const chance = createChance(seed, `offers ${seller.key}`)
  try {
    for (const name of names.slice(0, 2)) await subscribe(world, name, name === 'ann' ? 'pro' : 'team')
    for (let i = 0; i < steps && world.broken.length === 0; i++) {
      const what = chance.weighted(weights)
      const name = chance.of(names)
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
    const { counts, broken, log } = world
    return { provider: seller.key, counts, broken: broken.length > 0 ? [...broken, ...log] : broken }
  } finally {
    await world.close()
  }
}

interface TopUp {
  left: number
  /** The id of its payment. */
  readonly payment: string
}

interface Person {
  /** Used of what the plan includes in this month. */
  used: number
  readonly topUps: TopUp[]
}

interface GivenGift {
  readonly id: string
  readonly buyer: Name
  readonly code: string
  redeemedBy: Name | null
  isRefunded: boolean
}

async function openWorld(seller: Seller) {
  const { prices } = seller
  const gift = idLike(seller, 'gift', '4')
  const sold = (amount: number) => ({ amount, currency: 'EUR' })
  const site = await openOffersSite({
    seller,
    names,
    listener: (m) => m.listener(),
    prices: [
      { id: prices.month, unit_amount: costs.month, isMonthly: true },
      { id: prices.team, unit_amount: costs.team, isMonthly: true },
      { id: prices.book, unit_amount: costs.book, isMonthly: false },
      { id: gift, unit_amount: giftCost, isMonthly: false },
    ],
    plans: {
      pro: {
        opens: ['archive', 'export'],
        limits: { exports: { amount: included, every: 'month' } },
        prices: [{ id: prices.month, ...sold(costs.month), interval: 'month' }],
      },
      team: {
        seats: 'quantity',
        quantity: { min: 2, max: 6 },
        opens: ['archive'],
        limits: { reports: { amount: shared, every: 'month', shared: true } },
        prices: [{ id: prices.team, ...sold(costs.team), interval: 'month' }],
      },
      pack: { prices: [{ id: prices.book, ...sold(costs.book), adds: { exports: topUp } }] },
      present: { prices: [{ id: gift, ...sold(giftCost), gives: { plan: 'pro', months: 2 } }] },
    },
  })
  const people = {} as Record<Name, Person>
  for (const name of names) people[name] = { used: 0, topUps: [] }
  return {
    ...site,
    people,
    gift,
    gifts: [] as GivenGift[],
    month: monthOf(site.fake.now()),
    /** By subscription: used of its shared count in this month. */
    pooled: new Map<string, number>(),
    keys: 0,
  }
}
type World = Awaited<ReturnType<typeof openWorld>>

const giftCost = 1700

function monthOf(at: Date): string {
  return at.toISOString().slice(0, 7)
}

function law(world: World, name: Law, isKept: boolean, about: string): void {
  if (!isKept) world.broken.push(`${world.seller.key}: ${name}: ${about}`)
}

async function subscribe(world: World, name: Name, plan: 'pro' | 'team', quantity = '4'): Promise<void> {
  const done = await order(world, name, `/membership/subscribe/${plan}`, plan === 'team' ? { quantity } : {})
  if (done !== null) note(world, `subscribed ${plan}`)
}

function livingOf(user: User, plan: 'pro' | 'team', { seller: { prices } }: World) {
  return user
    .subscriptions()
    .find(
      (s) =>
        !s.ended &&
        s.status !== 'incomplete' &&
        s.hasPrice((plan === 'pro' ? prices.month : prices.team) as never),
    )
}

async function teamOf(world: World) {
  const owner = await userOf(world, 'ben')
  const s = livingOf(owner, 'team', world)
  return s === undefined ? null : { id: s.id, group: await world.m.teams.find(s.id) }
}

const weights = {
  use: 12,
  'use shared': 6,
  'top up': 4,
  'refund a top-up': 2,
  subscribe: 4,
  cancel: 1,
  resume: 2,
  give: 3,
  redeem: 5,
  'refund a gift': 1,
  invite: 6,
  join: 6,
  leave: 1,
  remove: 1,
  days: 4,
  month: 3,
} as const

const doings: Record<keyof typeof weights, (world: World, name: Name, chance: Chance) => Promise<void>> = {
  use: async (world, name, chance) => {
    const { m, people } = world
    const person = people[name]
    const amount = chance.number(1, 4)
    const user = await userOf(world, name)
    const isOpen = user.hasGate('pro' as never)
    const left = leftOf(person, isOpen)
    const key = `k${++world.keys}`
    try {
      await m.limits.use(user, 'exports' as never, amount, { key })
      await m.limits.use(user, 'exports' as never, amount, { key })
      note(world, 'used')
      law(world, 'never over', amount <= left, `${amount} were given of ${left}`)
      takeFrom(person, amount, isOpen)
    } catch (error) {
      if (!isMembershipError(error, 'ERR_LIMIT')) throw error
      note(world, 'reached a limit')
      law(world, 'never lost', amount > left, `${amount} were refused of ${left}`)
    }
  },
  'use shared': async (world, name, chance) => {
    const { m, pooled } = world
    const team = await teamOf(world)
    const user = await userOf(world, name)
    const amount = chance.number(1, 3)
    const used = team === null ? 0 : (pooled.get(team.id) ?? 0)
    const left = user.hasGate('team' as never) ? shared - used : 0
    const key = `k${++world.keys}`
    try {
      await m.limits.use(user, 'reports' as never, amount, { key })
      note(world, 'used together')
      law(world, 'never over', amount <= left, `${amount} of a shared count were given of ${left}`)
      if (chance.one(0.2)) {
        await m.limits.release(user, 'reports' as never, { key })
        await m.limits.release(user, 'reports' as never, { key })
      } else if (team !== null) pooled.set(team.id, used + amount)
    } catch (error) {
      if (!isMembershipError(error, 'ERR_LIMIT')) throw error
      law(world, 'never lost', amount > left, `${amount} of a shared count were refused of ${left}`)
    }
  },
  'top up': async (world, name) => {
    const known = new Set((await userOf(world, name)).payments().map(({ id }) => id))
    if ((await order(world, name, '/membership/payment', { product: world.seller.prices.book })) === null)
      return
    const bought = (await userOf(world, name)).payments().find((p) => !known.has(p.id))
    law(world, 'only what is paid', bought !== undefined, `${name} paid a top-up that is not known`)
    if (bought === undefined) return
    note(world, 'top-up')
    world.people[name].topUps.push({ left: topUp, payment: bought.id })
  },
  'refund a top-up': async (world, name) => {
    const { topUps } = world.people[name]
    const [first] = topUps
    const payment = (await userOf(world, name)).payments().find(({ id }) => id === first?.payment)
    if (payment === undefined) return
    await world.m.payments.refund({ payment })
    note(world, 'refund of a top-up')
    topUps.shift()
  },
  subscribe: async (world, name) => {
    const plan = name === 'ben' ? 'team' : 'pro'
    const user = await userOf(world, name)
    // Who has the plan already is not sold it again.
    if (livingOf(user, plan, world) !== undefined) return
    await subscribe(world, name, plan)
  },
  cancel: async (world, name) => {
    const user = await userOf(world, name)
    const [s] = user.subscriptions().filter(({ ended }) => !ended)
    if (s === undefined) return
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
  give: async (world, name) => {
    const { m, visitors } = world
    const before = new Set((await m.gifts.of(await userOf(world, name))).bought.map(({ id }) => id))
    if ((await order(world, name, '/membership/gift/pro', { price: world.gift })) === null) return
    const bought = (await m.gifts.of(await userOf(world, name))).bought.find(({ id }) => !before.has(id))
    law(world, 'given whole', bought !== undefined, `${name} paid a gift that is not there`)
    if (bought === undefined) return
    const page = await visitors[name].get(`/membership/gifts/${bought.id}`, {
      accept: 'application/json',
    })
    note(world, 'gift')
    world.gifts.push({
      id: bought.id,
      buyer: name,
      code: page.json.code,
      redeemedBy: null,
      isRefunded: false,
    })
  },
  redeem: async (world, name) => {
    const gift = world.gifts.at(-1)
    if (gift === undefined) return
    const tries = await Promise.allSettled(
      [name, names.find((other) => other !== name)!].map(async (each) => {
        await world.m.gifts.redeem({ code: gift.code, user: await userOf(world, each) })
        return each
      }),
    )
    const winners = tries.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
    if (winners.length > 0) note(world, 'redeemed')
    law(
      world,
      'redeemed once',
      winners.length <= 1 && winners.every((each) => gift.redeemedBy === null || gift.redeemedBy === each),
      `${gift.id} of ${gift.redeemedBy} was redeemed by ${winners.join(' and ')}`,
    )
    gift.redeemedBy ??= winners[0] ?? null
  },
  'refund a gift': async (world) => {
    const gift = world.gifts.find(({ isRefunded }) => !isRefunded)
    if (gift === undefined) return
    const [row] = await world.m.storage.read((db) =>
      db.selectFrom('gifts').select('payment_id').where('id', '=', gift.id),
    )
    const payment = (await userOf(world, gift.buyer)).payments().find(({ id }) => id === row?.payment_id)
    if (payment === undefined) return
    await world.m.payments.refund({ payment })
    gift.isRefunded = true
    note(world, 'refund of a gift')
  },
  invite: async (world, name) => {
    const team = await teamOf(world)
    if (team === null || name === 'ben') return
    const { seats, members } = team.group
    const email = addressOf(name)
    await world.m.teams.invite({ subscriptionId: team.id, email })
    law(
      world,
      'no seat twice',
      members.length + 1 < seats || members.some((seat) => seat.email === email),
      `${name} was invited to a group with ${members.length + 1} of ${seats} seats`,
    )
    note(world, 'invited')
  },
  join: async (world, name) => {
    const text = world.mailbox.of(addressOf(name), 'group-invitation').at(-1)?.text ?? ''
    const [link] = /\/membership\/join\/\S+/.exec(text) ?? []
    if (link === undefined) return
    const { status } = await sendForm(world, name, link)
    note(world, status === 200 ? 'joined' : 'link is over')
  },
  leave: async (world, name) => {
    const team = await teamOf(world)
    if (team === null) return
    await world.m.teams.leave({ subscriptionId: team.id, user: await userOf(world, name) })
  },
  remove: async (world) => {
    const team = await teamOf(world)
    const [seat] = team?.group.members ?? []
    if (team === null || seat === undefined) return
    await world.m.teams.remove({ subscriptionId: team.id, seatId: seat.id })
    note(world, 'removed')
  },
  days: async (world) => elapse(world, 6),
  month: async (world) => elapse(world, 31),
}

function leftOf({ used, topUps }: Person, isOpen: boolean): number {
  return (isOpen ? Math.max(0, included - used) : 0) + topUps.reduce((sum, { left }) => sum + left, 0)
}

function takeFrom(person: Person, amount: number, isOpen: boolean): void {
  const own = isOpen ? Math.min(amount, Math.max(0, included - person.used)) : 0
  person.used += own
  let missing = amount - own
  for (const each of person.topUps) {
    const taken = Math.min(missing, each.left)
    each.left -= taken
    missing -= taken
  }
}

async function check(world: World, after: string): Promise<void> {
  const { fake, people, pooled } = world
  if (monthOf(fake.now()) !== world.month) {
    world.month = monthOf(fake.now())
    for (const name of names) people[name].used = 0
    pooled.clear()
  }
  for (const name of names) {
    const user = await userOf(world, name)
    const about = `after ${after}: ${name}`
    checkOpen(world, user, about)
    const isOpen = user.hasGate('pro' as never)
    const shown = user.limit('exports' as never)
    const left = leftOf(people[name], isOpen)
    law(world, 'as shown', shown.left === left, `${about} is shown ${shown.left} and has ${left}`)
    if (!isOpen) law(world, 'only what is paid', shown.amount === 0, `${about} has ${shown.amount} included`)
    checkGivenDays(world, user, about)
  }
  await checkTeam(world, after)
  await checkGifts(world, after)
}

function checkOpen(world: World, user: User, about: string): void {
  const [pro, team] = [user.hasGate('pro' as never), user.hasGate('team' as never)]
  const isRight =
    user.hasGate('export' as never) === pro && user.hasGate('archive' as never) === (pro || team)
  law(world, 'features follow plans', isRight, `${about} has ${user.features().join(' and ')}`)
}

async function checkTeam(world: World, after: string): Promise<void> {
  const owner = await userOf(world, 'ben')
  const open: Name[] = []
  for (const name of names)
    if ((await userOf(world, name)).explain('team' as never).reason === 'seat') open.push(name)
  const quantity = livingOf(owner, 'team', world)?.quantity ?? 0
  const isOpen = owner.hasGate('team' as never)
  law(
    world,
    'no seat twice',
    open.length === 0 || open.length + 1 <= quantity,
    `after ${after}: ${open.join(' and ')} have seats of ${quantity}`,
  )
  if (!isOpen)
    law(world, 'seats follow', open.length === 0, `after ${after}: ${open.join()} and ben has nothing`)
  const team = await teamOf(world)
  if (!isOpen || team === null) return
  for (const { member_id, status } of team.group.members) {
    const user = status === 'joined' && member_id ? await world.m.users.findById(member_id) : null
    if (user !== null)
      law(world, 'seats follow', user.hasGate('team' as never), `after ${after}: ${user.email} is shut out`)
  }
}

async function checkGifts(world: World, after: string): Promise<void> {
  const now = world.fake.now().toISOString()
  for (const gift of world.gifts) {
    const { status, ends_at } = await world.m.gifts.find(gift.id)
    if (gift.isRefunded) {
      law(
        world,
        'given whole',
        status === 'closed',
        `after ${after}: ${gift.id} was refunded and is ${status}`,
      )
      continue
    }
    if (gift.redeemedBy === null || (ends_at !== null && ends_at <= now)) continue
    const user = await userOf(world, gift.redeemedBy)
    const about = `after ${after}: ${gift.redeemedBy} has a gift until ${ends_at ?? 'later'} and no pro`
    law(world, 'given whole', user.hasGate('pro' as never), about)
  }
}

// A provider may charge the next period some minutes early.
const leewayMs = 2 * 3_600_000

/** Compares the time that gifts give with the periods that the provider's books have charged. */
function checkGivenDays({ fake, seller, ...world }: World, user: User, about: string): void {
  const mine = new Set(user.subscriptions().map(({ id }) => id))
  const now = fake.now().getTime()
  const charged = fake.books
    .list('invoice')
    .filter(({ subscription, status }) => status === 'paid' && mine.has(subscription ?? ''))
    .flatMap(({ lines }) => lines)
    .filter(({ price, amount }) => amount > 0 && price.id === seller.prices.month)
  for (const { source, starts_at, expires_at } of user.grants()) {
    if (source !== 'gift' || starts_at === null || expires_at === null) continue
    const [from, until] = [Date.parse(starts_at), Math.min(now, Date.parse(expires_at))]
    for (const { period } of charged) {
      const overlap = Math.min(until, period.end * 1000) - Math.max(from, period.start * 1000)
      law(
        { fake, seller, ...world },
        'never charged and given',
        overlap <= leewayMs,
        `${about} is given ${starts_at} to ${expires_at} and paid from ${new Date(period.start * 1000).toISOString()}`,
      )
    }
  }
}
