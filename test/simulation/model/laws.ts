import type { Invoice, Subscription } from '../../../src/fakes/engine/index.ts'
import type { User } from '../../../src/memberships/members/index.ts'
import { hasInApp, openByApps } from './apps.ts'
import { checkMoney } from './money.ts'
import { checkOffers, type Offers, openByGifts, openBySeats, pricesOfPlan, readOffers } from './offers.ts'
import { type Goods, type Plan, people, type Who } from './steps.ts'
import { checkTerms } from './terms.ts'
import { addressOf, type Journal, type Page, type Shop, type World } from './world.ts'

/** A subscription by its provider's books, and the page on which it was bought. */
export interface Bought {
  readonly s: Subscription
  readonly shop: Shop
  readonly page: Page
}

/** What a gate must be; `either` where the documentation leaves it to the provider. */
export type Must = 'open' | 'closed' | 'either'

/**
 * The laws, by the providers' own books and the journal of what people did by hand: nobody has access that was neither
 * paid for, given nor granted by a documented rule; nobody who paid lacks it or loses the membership; nobody pays for one
 * plan twice; the site knows how many seats are paid. Answers what is broken.
 */
export async function check(world: World): Promise<string[]> {
  const broken = [...world.journal.broken]
  const offers = await readOffers(world)
  broken.push(...(await accessWrong(world, offers, true)))
  for (const who of people) {
    if (world.journal.merged.has(who) || world.journal.deleted.has(who)) continue
    const user = await world.m.users.findByEmail(addressOf(who))
    for (const { s } of subscriptionsOf(world, who).filter(isLiving)) {
      const known = user?.subscriptions().find(({ id }) => id === s.id)
      const seats = s.items[0]?.quantity
      if (known !== undefined && known.quantity !== seats)
        broken.push(`${s.id} of ${who} has ${seats} seats, and ${known.quantity} are known`)
    }
    broken.push(...seatsForNothing(world, who))
    broken.push(...paidTwice(world, who))
  }
  for (const bought of allSubscriptions(world)) broken.push(...endedByNobody(world, bought))
  broken.push(...(await checkOffers(world, offers, allSubscriptions(world))))
  broken.push(...(await checkTerms(world, allSubscriptions(world))))
  broken.push(...(await checkMoney(world, allSubscriptions(world))))
  return broken
}

/**
 * The properties that hold after every step. What was never paid, given or granted is closed, and an open gate names a
 * ground that is there: both also while messages are late or lost. Where every message has come, a running period that is
 * paid and that nobody closed is open.
 */
export async function checkStep(world: World): Promise<string[]> {
  return accessWrong(world, await readOffers(world), isCalm(world))
}

async function accessWrong(world: World, offers: Offers, isKnown: boolean): Promise<string[]> {
  const broken: string[] = []
  for (const who of people) {
    if (world.journal.merged.has(who) || world.journal.deleted.has(who)) continue
    const user = await world.m.users.findByEmail(addressOf(who))
    for (const gate of ['pro', 'team', 'book'] as const) {
      const is = user?.hasGate(gate as never) === true ? 'open' : 'closed'
      const must = mustBe(world, offers, who, gate)
      if (isKnown && must !== 'either' && must !== is)
        broken.push(`${gate} of ${who} is ${is} and must be ${must}`)
      if (user === null || is === 'closed') continue
      broken.push(...withoutGround(user, gate))
      if (hasNothing(world, offers, who)) broken.push(`${gate} of ${who} is open, and nothing was ever paid`)
    }
  }
  return broken
}

/** Whether every message has come: none was held or lost since everything was settled, and no process died meanwhile. */
function isCalm({ messages, diesIn, shops }: World): boolean {
  return (
    messages === 'usual' &&
    diesIn === null &&
    shops.every(
      ({ chaos, outages }) => (chaos.drop ?? 0) === 0 && (chaos.reorder ?? 0) === 0 && outages.length === 0,
    )
  )
}

/** Whether nobody ever paid, gave or granted anything to this person, in no account of theirs. */
function hasNothing(world: World, offers: Offers, who: Who): boolean {
  const { journal, shops } = world
  const isTheirs = (each: Who) => standing(journal, each) === who
  const hasPaid = shops.some(({ fake }) => {
    const { list } = fake.books
    const theirs = journal.pages.filter((page) => page.shop.fake === fake && isTheirs(page.who))
    const pages = list('checkout').filter(({ id }) => theirs.some((page) => page.id === id))
    const bills = list('invoice').filter((bill) =>
      pages.some(({ subscription }) => subscription === bill.subscription),
    )
    const payments = [...pages, ...bills].map(({ payment }) => payment)
    return list('charge').some(({ payment, status }) => status === 'paid' && payments.includes(payment))
  })
  const isFree = subscriptionsOf(world, who).some(
    ({ s, page }) => s.trial_end !== null || page.isMove || journal.gifted.has(s.id),
  )
  const isGiven =
    journal.grants.some((grant) => isTheirs(grant.who)) ||
    people.some((each) => isTheirs(each) && [...journal.perhapsGiven].some((given) => given.startsWith(each)))
  const isOffered =
    openByGifts(world, offers, who).length > 0 ||
    (['pro', 'team', 'book'] as const).some((gate) => openByApps(world, who, gate).length > 0) ||
    offers.seats.some(({ member_id }) =>
      people.some((each) => isTheirs(each) && world.ids[each] === member_id),
    )
  return !hasPaid && !isFree && !isGiven && !isOffered
}

/** An open gate whose explanation names nothing that the member has at this moment. */
function withoutGround(user: User, gate: string): string[] {
  const { ground, by, payment, reason } = user.explain(gate as never)
  const says = `${gate} of ${user.email} is open as ${reason} ${by} (${ground}, payment ${payment})`
  const subscription = user.subscriptions().find(({ id }) => id === by)
  const paid = user.payments().find(({ id }) => id === payment)
  const stayed = ({ status }: { status: string }) =>
    status !== 'refunded' && status !== 'failed' && status !== 'pending'
  if (ground === null || by === null) return [`${says}, without a ground`]
  if (reason === 'subscription' || reason === 'trial' || reason === 'past_due') {
    if (subscription === undefined) return [`${says}, which is no subscription of theirs`]
    if (payment !== null && paid === undefined) return [`${says}, which is no payment of theirs`]
    if (ground === 'paid' && paid !== undefined && !stayed(paid)) return [`${says}, whose money went back`]
    if (ground === 'trial' && !subscription.on_trial && subscription.trial_ends_at === null)
      return [`${says}, without a trial`]
  }
  if (reason === 'payment' && (paid === undefined || !stayed(paid))) return [`${says}, whose money went back`]
  if ((reason === 'gift' || reason === 'grant') && !user.grants().some(({ id }) => id === by))
    return [`${says}, which is no grant of theirs`]
  return []
}

/** The account by which somebody acts: of one that was merged, the one that was kept. */
export function standing({ merged }: Pick<Journal, 'merged'>, who: Who): Who {
  const into = merged.get(who)
  return into === undefined ? who : standing({ merged }, into)
}

function allSubscriptions({ shops, journal }: World): Bought[] {
  return shops.flatMap((shop) => {
    const { list } = shop.fake.books
    return list('subscription').flatMap((s) => {
      const checkout = list('checkout').find(({ subscription }) => subscription === s.id)
      const page = journal.pages.find(({ id, shop: at }) => id === checkout?.id && at === shop)
      return page === undefined ? [] : [{ s, shop, page }]
    })
  })
}

/** What somebody bought by any of their accounts, oldest first. */
export function subscriptionsOf(world: World, who: Who): Bought[] {
  const { journal } = world
  return allSubscriptions(world)
    .filter(({ page }) => standing(journal, page.who) === who)
    .sort((a, b) => a.s.created - b.s.created)
}

function isLiving({ s }: Pick<Bought, 's'>): boolean {
  return s.status === 'active' || s.status === 'trialing' || s.status === 'past_due' || s.status === 'paused'
}

function secondsNow(world: World): number {
  return world.now().getTime() / 1000
}

function has({ s, shop }: Bought, plan: Plan): boolean {
  return s.items.some(({ price }) => pricesOfPlan(shop, plan).includes(price.id))
}

function billsOf({ s, shop }: Bought): Invoice[] {
  return shop.fake.books.list('invoice').filter(({ subscription }) => subscription === s.id)
}

/** Whether that money arrived, and is there still: not given back whole, not disputed. */
export function isKept({ fake }: Shop, payment: string | null): boolean {
  const { books } = fake
  return books
    .list('charge')
    .filter((charge) => charge.payment === payment && payment !== null && charge.status === 'paid')
    .some(
      ({ id, amount, refunded }) =>
        refunded < amount &&
        books.list('dispute').every(({ charge, status }) => charge !== id || status === 'won'),
    )
}

/** Whether this plan is paid at this moment, by a bill whose money stayed. */
function isCovered(world: World, bought: Bought, plan: Plan): boolean {
  const now = secondsNow(world)
  return billsOf(bought).some(
    ({ status, payment, lines }) =>
      status === 'paid' &&
      isKept(bought.shop, payment) &&
      lines.some(
        ({ price, amount, period }) =>
          pricesOfPlan(bought.shop, plan).includes(price.id) &&
          amount > 0 &&
          period.start <= now &&
          now < period.end,
      ),
  )
}

function wasPaid(bought: Bought): boolean {
  return billsOf(bought).some(({ total, payment }) => total > 0 && isKept(bought.shop, payment))
}

function mustBe(world: World, offers: Offers, who: Who, gate: Plan): Must {
  const { journal } = world
  const now = world.now().getTime()
  const isGiven = journal.grants.some(
    (grant) =>
      standing(journal, grant.who) === who &&
      grant.gate === gate &&
      !grant.isRevoked &&
      (grant.until === null || grant.until > now),
  )
  const all = gate === 'book' ? [...boughtOnce(world, who), ...boughtBeside(world, who)] : []
  all.push(...subscriptionsOf(world, who).map((bought) => opens(world, bought, gate)))
  all.push(...openByApps(world, who, gate))
  if (gate === 'pro') all.push(...openByGifts(world, offers, who))
  if (gate === 'team') {
    const paid = { all: allSubscriptions(world), opens: (bought: Bought) => opens(world, bought, gate) }
    all.push(...openBySeats(world, offers, who, paid))
  }
  if (isGiven || all.includes('open')) return 'open'
  const isPerhapsGiven = people.some(
    (each) => standing(journal, each) === who && journal.perhapsGiven.has(`${each} ${gate}`),
  )
  return isPerhapsGiven || all.includes('either') ? 'either' : 'closed'
}

function boughtOnce({ shops, journal }: World, who: Who): Must[] {
  return shops.flatMap((shop) =>
    shop.fake.books
      .list('checkout')
      .filter(({ id, mode, status }) => {
        const page = journal.pages.find((each) => each.id === id && each.shop === shop)
        return (
          mode === 'payment' &&
          page?.plan === 'book' &&
          status === 'complete' &&
          page !== undefined &&
          standing(journal, page.who) === who
        )
      })
      .map(({ payment }) => (isKept(shop, payment) || hidesDispute(shop, payment) ? 'open' : 'closed')),
  )
}

/** A book on the invoice of a membership opens like any other. */
function boughtBeside(world: World, who: Who): Must[] {
  return subscriptionsOf(world, who).flatMap((bought) =>
    billsOf(bought)
      .filter(({ lines }) => lines.some(({ price }) => price.id === bought.shop.seller.prices.book))
      .map(({ status, payment }) => (status === 'paid' && isKept(bought.shop, payment) ? 'open' : 'closed')),
  )
}

// Lemon Squeezy tells nobody of what a bank took back.
export function hidesDispute({ seller, fake }: Shop, payment: string | null): boolean {
  return (
    seller.key === 'lemonsqueezy' &&
    fake.books.list('charge').some((charge) => charge.payment === payment && charge.disputed)
  )
}

/** What one subscription does to a gate. */
function opens(world: World, bought: Bought, gate: Plan): Must {
  const { s } = bought
  const covered = isCovered(world, bought, gate)
  // A cheaper plan that was agreed on leaves open what is paid; some providers give the rest back instead.
  if (!has(bought, gate)) return covered ? 'either' : 'closed'
  if (!isLiving(bought)) {
    if (world.journal.ended.has(s.id)) return 'closed'
    return covered ? 'open' : 'closed'
  }
  // The running period is paid, its money is still the site's, and nobody closed it; or nothing was ever paid.
  if (s.status === 'past_due' && !covered && isGraceOver(world, bought)) return 'closed'
  if (s.status === 'past_due')
    return covered ? 'open' : wasPaid(bought) || bought.page.isMove ? 'either' : neverPaid(world, bought)
  if (s.status === 'paused' || s.collection !== null) return covered ? 'either' : 'closed'
  if (s.status === 'trialing') return inFreeDays(world, bought, gate, covered)
  const latest = billsOf(bought).findLast(({ total }) => total > 0)
  return latest === undefined || isKept(bought.shop, latest.payment) ? 'open' : 'either'
}

/** Whether the days of grace are over since the first failure after what was paid last. */
function isGraceOver(world: World, bought: Bought): boolean {
  const bills = billsOf(bought)
  const paid = Math.max(0, ...bills.filter(({ status }) => status === 'paid').map(({ created }) => created))
  const failed = bills
    .filter(
      ({ status, created, first_failure }) => status === 'open' && created >= paid && first_failure !== null,
    )
    .map(({ first_failure }) => first_failure!)
  return failed.length > 0 && secondsNow(world) > Math.min(...failed) + 22 * 86_400
}

/** A subscription that nobody ever paid opens nothing once its free days are over. */
function neverPaid(world: World, { s }: Bought): Must {
  return s.trial_end !== null || world.journal.gifted.has(s.id) ? 'either' : 'closed'
}

/** Free days: of a trial, of a pause, of the dashboard, or of what was paid at the provider that is left. */
function inFreeDays(world: World, bought: Bought, gate: Plan, covered: boolean): Must {
  const { s, page } = bought
  if (covered) return 'open'
  if (world.journal.gifted.has(s.id)) return 'either'
  if (wasPaid(bought)) return world.journal.paused.has(s.id) ? 'closed' : 'either'
  const others = subscriptionsOf(world, standing(world.journal, page.who)).filter(
    (other) => other.s.id !== s.id,
  )
  const left = others.filter(({ shop }) => shop !== bought.shop)
  if (!page.isMove) return others.length === 0 ? 'open' : 'either'
  if (left.length === 0) return world.history.trial === undefined ? 'closed' : 'either'
  if (left.some((other) => isCovered(world, other, gate) && !isGivenUp(world, other))) return 'open'
  // Days are counted whole, and a page is open for a day.
  const isJustOver = left.some(
    (other) => has(other, gate) && other.s.items.some(({ end }) => end + 3 * 86_400 > secondsNow(world)),
  )
  return isJustOver ? 'either' : 'closed'
}

function seatsOf({ s }: Bought): number {
  return s.items[0]?.quantity ?? 1
}

/** Seats that nobody paid for, in the free days of a switch. */
function seatsForNothing(world: World, who: Who): string[] {
  const all = subscriptionsOf(world, who)
  return all
    .filter((bought) => bought.page.isMove && bought.s.status === 'trialing' && !wasPaid(bought))
    .flatMap((bought) => {
      const left = all.filter(({ shop }) => shop !== bought.shop)
      const paid = Math.max(0, ...left.map(seatsOf))
      const seats = seatsOf(bought)
      return left.length > 0 && seats > paid ? [`${who} has ${seats} seats and paid for ${paid}`] : []
    })
}

function isGivenUp({ journal }: World, { s }: Bought): boolean {
  return s.status === 'canceled' && journal.ended.has(s.id)
}

/** A paid membership that ends, or is about to, although nobody asked for it. */
function endedByNobody(world: World, bought: Bought): string[] {
  const { journal, shops } = world
  const { s, page, shop } = bought
  // Deleting an account ends all that its owner pays for, also what was paid on a page that stayed open.
  if (journal.deleted.has(page.who)) return []
  const isEnding = s.status === 'canceled' || s.cancel_at !== null || s.cancel_at_period_end
  if (!isEnding || s.cancellation.reason === 'unpaid' || journal.ended.has(s.id)) return []
  // Whoever went on at the other provider has left this one.
  const hasMoved = subscriptionsOf(world, standing(journal, page.who)).some((other) => other.page.isMove)
  // Its second account is of the same provider.
  if (shop.seller.key === shops[0]?.seller.key && (journal.isSwitching || hasMoved)) return []
  return wasPaid(bought) ? [`${s.id} of ${page.who} was paid, and ends although nobody asked for it`] : []
}

/** Two memberships of one person that both go on, unless two accounts bought them before they were one. */
function paidTwice(world: World, who: Who): string[] {
  const going = subscriptionsOf(world, who).filter(
    ({ s, ...rest }) =>
      isLiving({ s }) && s.cancel_at === null && !s.cancel_at_period_end && rest.page.paidIn !== null,
  )
  return going.flatMap((first, n) =>
    going
      .slice(n + 1)
      // Support stands beside a membership: it is of no group.
      .filter(({ page }) => (page.plan === 'support') === (first.page.plan === 'support'))
      .filter((second) => !wereApart(first, second) && !wereOpenAtOnce(first, second))
      .map((second) => `${who} pays ${first.s.id} and ${second.s.id} at once`),
  )
}

/** Whether they belonged to two accounts when the later one was paid. */
function wereApart(first: Bought, second: Bought): boolean {
  const [{ page: earlier }, { page: later }] =
    first.s.created <= second.s.created ? [first, second] : [second, first]
  const then = { merged: new Map(JSON.parse(later.paidIn ?? '[]') as [Who, Who][]) }
  return standing(then, earlier.who) !== standing(then, later.who)
}

// Only Stripe closes a page for good: elsewhere whoever pays one that they left has that, too. Lemon Squeezy cannot be asked
// for its pages either.
function wereOpenAtOnce(first: Bought, second: Bought): boolean {
  return [first, second].some(
    ({ page, shop: { seller } }) =>
      seller.openCheckouts(page.shop.fake) === null || (page.wasLeft && seller.key !== 'stripe'),
  )
}

/** Whether nothing that somebody has or began stands in the way of buying a plan. */
export function mayBuy(world: World, who: Who, plan: Goods): boolean {
  const { journal } = world
  const theirs = journal.pages.filter((page) => standing(journal, page.who) === who)
  if (plan === 'pack' || plan === 'months') return true
  if (plan === 'sale' || plan === 'differing' || hasInApp(world, who)) return false
  const kindOf = (goods: Page['plan']) => (goods === 'team' || goods === 'sale' ? 'pro' : goods)
  const isOfKind = (page: Page) => kindOf(page.plan) === kindOf(plan)
  return theirs.every((page) => page.paidIn === null || !isOfKind(page))
}
