import type { User } from '../../../src/index.ts'
import { isMembershipError } from '../../../src/index.ts'
import { createCodes } from '../../../src/memberships/gifts/codes.ts'
import { createVisitor, logIn, type Visitor } from '../../support/visitor.ts'
import { type Bought, isKept, type Must, standing } from './laws.ts'
import { type Plan, people, type Step, type Who } from './steps.ts'
import { addressOf, included, modelSecret, type Page, type Shop, topUp, type World } from './world.ts'

type OfferStep = Extract<
  Step,
  {
    do:
      | 'use'
      | 'release'
      | 'reserve'
      | 'give'
      | 'make code'
      | 'redeem'
      | 'send gift'
      | 'revoke gift'
      | 'invite'
      | 'join'
      | 'leave'
      | 'remove'
      | 'transfer'
  }
>

const codes = createCodes(() => [modelSecret])
const exports = 'exports' as never

/** Does a step with limits, gifts or teams. `user` is its member as the site has them now. */
export async function performOffer(
  world: World,
  step: OfferStep,
  tools: { readonly user: User; readonly pay: (page: Page) => Promise<string> },
): Promise<string | undefined> {
  const { m, journal, shops } = world
  const { user } = tools
  switch (step.do) {
    case 'use': {
      const before = user.limit(exports)
      const isKnown = await knowsKey(world, user, step.key)
      try {
        const after = await m.limits.use(user, exports, step.amount, { key: step.key })
        if (!isKnown && before.left < step.amount)
          journal.broken.push(`${step.who} had ${before.left} left and was given ${step.amount}`)
        return JSON.stringify(after)
      } catch (error) {
        if (isMembershipError(error, 'ERR_LIMIT') && before.left >= step.amount)
          journal.broken.push(`${step.who} had ${before.left} left and was refused ${step.amount}`)
        throw error
      }
    }
    case 'release':
      return JSON.stringify(await m.limits.release(user, exports, { key: step.key }))
    case 'reserve':
      return (await m.limits.reserve(user, exports, step.amount, { key: step.key })).expires_at ?? 'kept'
    case 'give': {
      const shop = shops.find(({ label }) => label === world.sellsThrough)!
      const visitor = await visitorOf(world, step.who)
      const fields = { price: goodsOf(shop.seller).months, provider: shop.seller.key }
      const begun = await visitor.send('/membership/gift/pro', {
        ...fields,
        ...(step.to === undefined ? {} : { to: addressOf(step.to) }),
      })
      if (begun.status !== 201) return `${begun.status} ${begun.text.slice(0, 200)}`
      const { url, intent_id } = begun.json as { url: string; intent_id: string }
      if (new URL(url).pathname.startsWith('/membership/')) return `led to ${url}`
      const id = shop.seller.checkoutIn(url)
      const known = journal.pages.find((page) => page.id === id)
      const merged = JSON.stringify([...journal.merged])
      const page: Page = known ?? {
        id,
        shop,
        who: standing(journal, step.who),
        plan: 'gift',
        isMove: false,
        wasLeft: false,
        back: `/membership/payment/${intent_id}`,
        openedIn: merged,
        paidIn: null,
      }
      if (known === undefined) journal.pages.push(page)
      return tools.pay(page)
    }
    case 'make code': {
      const [made] = await m.gifts.create({ plan: 'pro', months: 1, count: 1 })
      return made?.id
    }
    case 'redeem': {
      const gift = await newestGift(world)
      if (gift === null) return 'no gift'
      await m.gifts.redeem({ code: gift.code, user })
      const winners = journal.redeemed.get(gift.id) ?? new Set()
      journal.redeemed.set(gift.id, winners.add(standing(journal, step.who)))
      return gift.id
    }
    case 'send gift': {
      const gift = (await m.gifts.of(user)).bought[0]
      if (gift === undefined) return 'no gift'
      const visitor = await visitorOf(world, step.who)
      return String((await visitor.send(`/membership/gifts/${gift.id}`, { to: 'x@example.com' })).status)
    }
    case 'revoke gift': {
      const gift = await newestGift(world)
      if (gift === null) return 'no gift'
      journal.revoked.add(gift.id)
      await m.gifts.revoke(gift.id, 'Eve')
      return gift.id
    }
    case 'invite': {
      const subscriptionId = teamOf(world, user)
      const seat = await m.teams.invite({ subscriptionId, email: addressOf(step.person), role: step.role })
      return seat.id
    }
    case 'join': {
      await m.runDueJobs()
      const mail = world.mailbox.of(addressOf(step.who), 'group-invitation').at(-1)
      const [link] = /\/membership\/join\/\S+/.exec(mail?.text ?? '') ?? []
      if (link === undefined) return 'not invited'
      const visitor = await visitorOf(world, step.who)
      return String((await visitor.send(link)).status)
    }
    case 'leave': {
      const [seat] = await ownSeats(world, user)
      if (seat === undefined) return 'no seat'
      await m.teams.leave({ subscriptionId: seat.subscription_id, user })
      return seat.id
    }
    case 'remove': {
      const subscriptionId = teamOf(world, user)
      const [seat] = (await m.teams.find(subscriptionId)).members
      if (seat === undefined) return 'no seat'
      await m.teams.remove({ subscriptionId, seatId: seat.id })
      return seat.id
    }
    case 'transfer': {
      const subscriptionId = teamOf(world, user)
      const seat = (await m.teams.find(subscriptionId)).members.find(({ status }) => status === 'joined')
      if (!seat?.member_id) return 'no seat'
      await m.teams.transfer({ subscriptionId, to: seat.member_id })
      return seat.id
    }
    default:
      throw new TypeError(`unhandled ${step satisfies never}`)
  }
}

/**
 * Ids of what is sold beside the three plans: a top-up, months of pro, two more prices of pro, an amount of
 * one's own, a price that the provider has with another amount, and the prices of pro and of the book while
 * their usual ones are not there.
 */
export function goodsOf({ prices: { book } }: { readonly prices: { readonly book: string } }) {
  const named = (name: string, digit: string) =>
    book.includes('book') ? book.replace('book', name) : book.replace(/3$/, digit)
  return {
    pack: named('pack', '4'),
    months: named('months', '5'),
    raised: named('raised', '6'),
    sale: named('sale', '7'),
    support: named('support', '8'),
    differing: named('differing', '9'),
    later: named('later', '0'),
    edition: named('edition', 'a'),
  }
}

/** The prices that open a plan: pro has the old one, the one to which it is raised, and that of the sale. */
export function pricesOfPlan({ seller }: Shop, plan: Plan): readonly string[] {
  const { month, team, book } = seller.prices
  if (plan === 'pro') return [month, goodsOf(seller).raised, goodsOf(seller).sale]
  return [plan === 'team' ? team : book]
}

export async function visitorOf(world: World, who: Who): Promise<Visitor> {
  const { m, site, mailbox, journal } = world
  const known = journal.visitors.get(who)
  if (known !== undefined) {
    const { status } = await known.get('/membership/redeem', { accept: 'application/json' })
    if (status === 200 && known.cookies.has('membership_session')) return known
  }
  // The browser stays the same one, with what it read before the login.
  const visitor = await logIn({ m, site }, mailbox, addressOf(who), known ?? createVisitor(site))
  journal.visitors.set(who, visitor)
  return visitor
}

function teamOf({ shops }: World, user: User): string {
  const s = user
    .subscriptions()
    .find((each) => !each.ended && shops.some(({ seller }) => each.hasPrice(seller.prices.team as never)))
  if (s === undefined) throw new Error('has no team')
  return s.id
}

function ownSeats({ m }: World, user: User) {
  return m.storage.read((db) =>
    db
      .selectFrom('group_seats')
      .select(['id', 'subscription_id'])
      .where('member_id', '=', user.id)
      .where('status', '=', 'joined'),
  )
}

async function knowsKey({ m }: World, user: User, key: string): Promise<boolean> {
  const rows = await m.storage.read((db) =>
    db
      .selectFrom('limit_keys')
      .select('key')
      .where('member_id', '=', user.id)
      .where('key', '=', key)
      .where('released_at', 'is', null),
  )
  return rows.length > 0
}

async function newestGift({ m }: World): Promise<{ id: string; code: string } | null> {
  const rows = await m.storage.read((db) =>
    db
      .selectFrom('gifts')
      .select(['id', 'code_hash'])
      .where('code_hash', 'is not', null)
      .where('status', '!=', 'ordered')
      .orderBy('id', 'desc')
      .limit(1),
  )
  const [row] = rows
  const code = row?.code_hash ? codes.codeOf(row.id, row.code_hash) : null
  return row === undefined || code === null ? null : { id: row.id, code }
}

/** What the site's tables say of gifts, seats and counts, for the laws. */
export async function readOffers({ m }: World) {
  const { storage } = m
  return {
    gifts: await storage.read((db) =>
      db
        .selectFrom('gifts')
        .leftJoin('grants', 'grants.id', 'gifts.grant_id')
        .select(['gifts.id', 'status', 'code_hash', 'intent_id', 'buyer_id', 'gifts.member_id'])
        .select(['closed_for', 'grants.starts_at', 'grants.expires_at', 'put_off']),
    ),
    seats: await storage.read((db) =>
      db
        .selectFrom('group_seats')
        .select(['id', 'subscription_id', 'place', 'member_id'])
        .where('status', '=', 'joined')
        .orderBy('place'),
    ),
    usage: await storage.read((db) =>
      db.selectFrom('limit_usage').select(['member_id', 'bucket', 'used', 'starts_at', 'ends_at']),
    ),
    keys: await storage.read((db) =>
      db.selectFrom('limit_keys').select(['member_id', 'parts', 'taken_at']).where('released_at', 'is', null),
    ),
  }
}
export type Offers = Awaited<ReturnType<typeof readOffers>>

function isOf({ journal, ids }: World, memberId: string | null, who: Who): boolean {
  return people.some((each) => ids[each] === memberId && standing(journal, each) === who)
}

/** What gifts do to the gate of pro: one that is redeemed keeps it open until its time is over. */
export function openByGifts(world: World, { gifts }: Offers, who: Who): Must[] {
  const now = world.now().toISOString()
  return gifts
    .filter(({ status, member_id }) => status === 'redeemed' && isOf(world, member_id, who))
    .map(({ expires_at }) => (expires_at !== null && expires_at <= now ? 'closed' : 'open'))
}

/** What seats do to the gate of team, by the subscriptions that pay for them. */
export function openBySeats(
  world: World,
  { seats }: Offers,
  who: Who,
  { all, opens }: { readonly all: readonly Bought[]; readonly opens: (bought: Bought) => Must },
): Must[] {
  return seats
    .filter(({ member_id }) => isOf(world, member_id, who))
    .map((seat): Must => {
      const bought = all.find(({ s }) => s.id === seat.subscription_id)
      if (bought === undefined || world.journal.deleted.has(bought.page.who)) return 'either'
      const older = seats.filter(
        (other) => other.subscription_id === seat.subscription_id && other.place < seat.place,
      ).length
      const { now, before } = seatsOf(bought, world.now().getTime() / 1000)
      if (older + 1 < now) return opens(bought)
      return older + 1 < before && opens(bought) !== 'closed' ? 'either' : 'closed'
    })
}

/** The seats that are paid from now on, and those that were paid for this period. */
function seatsOf({ s, shop }: Bought, moment: number): { now: number; before: number } {
  const now = s.items[0]?.quantity ?? 1
  const paid = shop.fake.books
    .list('invoice')
    .filter(({ subscription, status }) => subscription === s.id && status === 'paid')
    .flatMap(({ lines }) => lines)
    .filter(({ period }) => period.start <= moment && moment < period.end)
    .map(({ quantity }) => quantity)
  return { now, before: Math.max(now, ...paid) }
}

/** Answers which laws of features, limits, gifts and teams are broken. */
export async function checkOffers(
  world: World,
  offers: Offers,
  all: readonly Bought[],
): Promise<readonly string[]> {
  const { journal, history, m } = world
  const broken: string[] = []
  const wasMerged = history.steps.some(({ do: kind }) => kind === 'merge')
  for (const who of people) {
    if (journal.merged.has(who) || journal.deleted.has(who)) continue
    const user = await m.users.findByEmail(addressOf(who))
    if (user === null) continue
    const isOpen = (gate: string) => user.hasGate(gate as never)
    if (isOpen('export') !== (isOpen('pro') || isOpen('team')))
      broken.push(`the feature of ${who} is not as the plans that open it`)
    if (!wasMerged)
      broken.push(...countedWrong(world, offers, user.id, who), ...chargedAndGiven(world, user, all))
  }
  broken.push(...sharedSeats(world, offers, all), ...giftsWrong(world, offers))
  if (!wasMerged)
    for (const [id, winners] of journal.redeemed)
      if (winners.size > 1) broken.push(`${id} was redeemed by ${[...winners].join(' and ')}`)
  return broken
}

/** Never more than the amount; and each count is the sum of the keys that took it. */
function countedWrong(world: World, { usage, keys }: Offers, memberId: string, who: Who): string[] {
  const broken: string[] = []
  const now = world.now().toISOString()
  for (const row of usage.filter(({ member_id }) => member_id === memberId)) {
    const used = Number(row.used)
    const most = row.bucket === 'month' ? included : topUp
    if (used > most || used < 0) broken.push(`${who} used ${used} of ${most} (${row.bucket})`)
    // Keys are kept for 30 days.
    const isRecent = Date.parse(now) - Date.parse(row.starts_at) < 29 * 86_400_000
    if (row.ends_at <= now || !isRecent) continue
    const taken = keys
      .filter(({ member_id, taken_at }) => member_id === memberId && taken_at >= row.starts_at)
      .flatMap(({ parts }) => JSON.parse(parts) as [string, number][])
      .filter(([bucket]) => bucket === row.bucket)
      .reduce((sum, [, count]) => sum + count, 0)
    if (taken !== used) broken.push(`${who} used ${used} of ${row.bucket}, and keys took ${taken}`)
  }
  return broken
}

// A gift is looked at once a day. It then counts from the payment, to the second.
const leewaySeconds = 26 * 3600

/** No day of a gift is a day of a paid period, except where the member gave the rest of it up. */
function chargedAndGiven(world: World, user: User, all: readonly Bought[]): string[] {
  const { journal, history } = world
  if (history.steps.some((step) => step.do === 'change' || step.do === 'switch')) return []
  const now = world.now().getTime() / 1000
  const mine = new Set(user.subscriptions().map(({ id }) => id))
  const charged = all
    .filter(
      ({ s }) =>
        mine.has(s.id) && ![journal.ended, journal.paused, journal.gifted].some((set) => set.has(s.id)),
    )
    .flatMap(({ s, shop }) =>
      shop.fake.books
        .list('invoice')
        .filter((bill) => bill.subscription === s.id && bill.status === 'paid' && isKept(shop, bill.payment))
        .flatMap(({ lines }) => lines)
        .filter(({ price, amount }) => amount > 0 && pricesOfPlan(shop, 'pro').includes(price.id)),
    )
  return user
    .grants()
    .filter(
      ({ source, starts_at, expires_at }) => source === 'gift' && starts_at !== null && expires_at !== null,
    )
    .flatMap(({ id, starts_at, expires_at }) => {
      const [from, until] = [Date.parse(starts_at!) / 1000, Math.min(now, Date.parse(expires_at!) / 1000)]
      return charged
        .filter(({ period }) => Math.min(until, period.end) - Math.max(from, period.start) > leewaySeconds)
        .map(
          ({ period }) =>
            `${id} gives ${starts_at} on, which is paid from ${new Date(period.start * 1000).toISOString()}`,
        )
    })
}

/** As many seats as were paid, the buyer's among them. */
function sharedSeats(world: World, { seats }: Offers, all: readonly Bought[]): string[] {
  const moment = world.now().getTime() / 1000
  return all.flatMap((bought) => {
    const taken = seats.filter(({ subscription_id }) => subscription_id === bought.s.id).length
    const { before } = seatsOf(bought, moment)
    const isLiving = bought.s.status === 'active' || bought.s.status === 'trialing'
    return isLiving && taken > 0 && taken + 1 > before
      ? [`${bought.s.id} has ${taken + 1} people on ${before} seats`]
      : []
  })
}

/** A gift is there when it is paid, and closed when its money went back. */
function giftsWrong({ journal }: World, { gifts }: Offers): string[] {
  return gifts.flatMap(({ id, status, intent_id, closed_for }) => {
    const page = journal.pages.find(({ back }) => intent_id !== null && back.endsWith(`/${intent_id}`))
    if (page === undefined || journal.deleted.has(page.who) || journal.revoked.has(id)) return []
    const checkout = page.shop.fake.books.list('checkout').find((each) => each.id === page.id)
    if (checkout?.status !== 'complete')
      return status === 'ordered' ? [] : [`${id} is ${status} and was not paid`]
    const charge = page.shop.fake.books.list('charge').find(({ payment }) => payment === checkout.payment)
    if (charge?.disputed && page.shop.seller.key === 'lemonsqueezy') return []
    const isPaid = isKept(page.shop, checkout.payment)
    if (isPaid === (status === 'ready' || status === 'redeemed')) return []
    return [`${id} is ${status} (${closed_for}), and its payment is ${isPaid ? 'kept' : 'not kept'}`]
  })
}
