import { setTimeout as pause } from 'node:timers/promises'
import { addOnce, type Charge } from '../../../src/fakes/engine/index.ts'
import type { Payment, Subscription, User } from '../../../src/index.ts'
import { storeKeys } from '../stores/store.ts'
import { catchUpApps, isPaidInApp, performInApp, tellOfApps } from './apps.ts'
import { mayBuy, standing, subscriptionsOf } from './laws.ts'
import { goodsOf, performOffer } from './offers.ts'
import { type PlansAre, people, type Step, type Who } from './steps.ts'
import { joinReads, performTerms } from './terms.ts'
import { addressOf, dayMs, type Page, type Shop, saleEnds, type World } from './world.ts'

/** Does one step, and notes what came of it. What the site refuses is no failure. */
export async function play(world: World, step: Step): Promise<void> {
  const { journal } = world
  let outcome: string
  try {
    outcome = (await perform(world, step)) ?? 'done'
  } catch (error) {
    const { code, message } = error as { code?: string; message?: string }
    outcome = `${code ?? ''} ${message ?? error}`.trim()
  }
  journal.log.push(`${world.now().toISOString()} ${JSON.stringify(step)}: ${outcome}`)
  if (world.isDead()) await world.restart()
  if (!atOnce.has(step.do)) await arrive(world)
}

// What follows these comes before any job ran.
const atOnce: ReadonlySet<Step['do']> = new Set(['messages', 'die', 'outage', 'change account'])

/** A few seconds later, messages that are sent have come. */
async function arrive(world: World): Promise<void> {
  await elapse(world, 5000)
  if (world.messages === 'held') return
  await deliver(world)
  await tellOfApps(world)
  await work(world)
}

/** Answers how many messages came, or could not. */
async function deliver({ shops }: World): Promise<number> {
  let count = 0
  for (const { fake } of shops) {
    const { delivered, failed } = await fake.deliver()
    count += delivered + failed
  }
  return count
}

async function elapse({ shops, apps, now }: World, ms: number): Promise<void> {
  for (const { fake } of shops) await fake.advance({ ms })
  apps?.apps.moveTo(now())
}

async function work(world: World): Promise<void> {
  const never = pause(20_000, 'never', { ref: false })
  const end = await Promise.race([world.m.runDueJobs().catch(() => {}), never])
  if (end === 'never') world.journal.broken.push('jobs do not come to an end')
  if (world.isDead()) await world.restart()
}

/** Everything arrives, what was lost is asked for, and jobs run until nothing is left to do. */
export async function settle(world: World): Promise<void> {
  await world.restart()
  world.messages = 'usual'
  for (const shop of world.shops) {
    Object.assign(shop.chaos, { drop: 0, duplicate: 0, reorder: 0 })
    for (const end of shop.outages.splice(0)) end()
  }
  for (const [round, ms] of (world.isBrisk ? briskRounds : rounds).entries()) {
    for (const { fake } of world.shops) await fake.deliver({ settle: true })
    await tellOfApps(world, true)
    if (round === 0 || !world.isBrisk) await catchUp(world)
    await work(world)
    // The command is run again after a crash, as its page says.
    const { isSwitching, isUndone } = world.journal
    if (isSwitching || isUndone) await switchOver(world, isSwitching)
    await elapse(world, ms)
  }
  for (const { fake } of world.shops) await fake.deliver({ settle: true })
  await tellOfApps(world, true)
  await work(world)
}

const rounds = [5000, 5000, 3_600_000, 3_600_000, 5000]
const briskRounds = [5000, 3_600_000, 5000]

async function catchUp(world: World): Promise<void> {
  const { m, shops } = world
  await catchUpApps(world)
  for (const { seller, fake } of shops) {
    const since = new Date(fake.now().getTime() - 29 * dayMs)
    if (seller.keepsDays === null) await m.operator.compare({ provider: seller.key, write: true, yes: true })
    else for await (const _ of m.webhooks.pull(seller.key, since));
  }
}

/** Who is merged into whom. */
function mergesOf({ journal }: World): string {
  return JSON.stringify([...journal.merged])
}

async function perform(world: World, step: Step): Promise<string | undefined> {
  const { m, journal, shops, ids } = world
  if (world.plansAre !== 'usual' && bySale.has(step.do)) return 'not sold by these plans'
  switch (step.do) {
    case 'buy':
      return buy(world, step)
    case 'pay': {
      const page = journal.pages.find(({ who, paidIn }) => who === step.who && paidIn === null)
      if (page === undefined) return 'nothing to pay'
      return pay(world, page, {})
    }
    case 'change': {
      const { user, s } = await held(world, step.who, (each) => !isChosen(world, each))
      const { plan = null, seats: quantity = null } = step
      const { seller } = shops.find(({ fake }) =>
        fake.books.list('subscription').some(({ id }) => id === s.id),
      )!
      const price = plan === 'pro' ? seller.prices.month : null
      const done = await m.subscriptions.change({ user, subscriptionId: s.id, plan, price, quantity })
      return JSON.stringify({ ...done, subscription: undefined })
    }
    case 'cancel': {
      const { user, s } = await held(world, step.who, isOfWeb)
      journal.ended.add(s.id)
      await m.subscriptions.cancel({ user, subscriptionId: s.id, when: step.when })
      return s.id
    }
    case 'pause': {
      const { user, s } = await held(world, step.who, isOfWeb)
      journal.paused.add(s.id)
      await m.subscriptions.pause({ user, subscriptionId: s.id })
      return s.id
    }
    case 'resume': {
      const { user, s } = await held(world, step.who, isOfWeb)
      await m.subscriptions.resume({ user, subscriptionId: s.id })
      journal.ended.delete(s.id)
      return s.id
    }
    case 'refund':
      return refund(world, step)
    case 'seats':
      return changeSeats(world, step.who, step.seats)
    case 'dispute': {
      const { charge, shop } = newestCharge(world, step.who)
      shop.fake.dispute(charge.id)
      return charge.id
    }
    case 'decide': {
      for (const { fake } of shops)
        for (const { id, status } of fake.books.list('dispute'))
          if (status === 'open') fake.closeDispute(id, step.outcome)
      return
    }
    case 'fail': {
      const { s, shop } = atProvider(world, step.who)
      shop.fake.failNextPayment(s.id)
      return s.id
    }
    case 'card': {
      const { s, shop } = boughtLast(world, step.who)
      shop.fake.useCard(s.customer, cards[step.is])
      return s.id
    }
    case 'pay late':
      return payLate(world, step.who)
    case 'add book':
      return addBook(world, step.who)
    case 'free days':
      return freeDays(world, step.who, step.days)
    case 'grant':
    case 'import':
      return give(world, step)
    case 'revoke': {
      const given = journal.grants.find(
        ({ who, id, isRevoked }) => who === step.who && id !== null && !isRevoked,
      )
      if (given === undefined) return 'nothing to revoke'
      await m.users.revoke(given.id!)
      given.isRevoked = true
      return given.id!
    }
    case 'delete': {
      if (journal.merged.has(step.who)) return 'merged into another'
      for (const { s } of subscriptionsOf(world, step.who)) journal.ended.add(s.id)
      // Where the process dies meanwhile it may have begun, and goes on by itself.
      journal.deleted.add(step.who)
      await m.users.delete(ids[step.who])
      return
    }
    case 'merge': {
      const { who: merge, into: keep } = step
      if (journal.merged.size > 0) return 'once at a time'
      await m.users.merge({ keep: ids[keep], merge: ids[merge], by: 'Eve', write: true })
      journal.merged.set(merge, keep)
      joinReads(world, merge, keep)
      return
    }
    case 'merge back': {
      const [merged = step.who] = journal.merged.keys()
      await m.users.unmerge({ merged: ids[merged], by: 'Eve' })
      journal.merged.delete(merged)
      return
    }
    case 'switch':
    case 'undo switch':
      return switchOver(world, step.do === 'switch')
    case 'change account': {
      await world.restart('b')
      world.sellsThrough = 'b'
      return
    }
    case 'time': {
      for (let days = step.days; days > 0; days -= 2) {
        await elapse(world, Math.min(days, 2) * dayMs)
        const came = world.messages === 'usual' ? await deliver(world) : 0
        await tellOfApps(world)
        // Jobs that nothing is due for cost as much as others.
        const isIdle = world.isBrisk && came === 0 && days > 2 && days % 16 > 0
        if (!isIdle) await work(world)
      }
      return
    }
    case 'messages': {
      const chance = { lost: { drop: 1 }, shuffled: { duplicate: 0.5, reorder: 0.5 }, held: {}, usual: {} }
      for (const { chaos } of shops)
        Object.assign(chaos, { drop: 0, duplicate: 0, reorder: 0 }, chance[step.are])
      world.messages = step.are === 'held' ? 'held' : 'usual'
      return
    }
    case 'outage': {
      const { kind, requests } = step
      for (const { fake, outages } of shops) outages.push(fake.outage({ kind, requests }))
      return
    }
    case 'die': {
      world.diesIn = step.after
      return
    }
    case 'use':
    case 'reserve':
    case 'release':
    case 'give':
    case 'make code':
    case 'redeem':
    case 'send gift':
    case 'revoke gift':
    case 'invite':
    case 'join':
    case 'leave':
    case 'remove':
    case 'transfer':
      return performOffer(world, step, {
        user: await userOf(world, step.who),
        pay: (page) => pay(world, page, {}),
      })
    case 'support':
    case 'choose':
    case 'read':
    case 'raise':
    case 'agree':
    case 'bounce':
    case 'notice again':
    case 'stop raise':
    case 'resume raise':
    case 'undo raise':
      return performTerms(world, step, (page) => pay(world, page, {}))
    case 'app buy':
    case 'app act':
      return performInApp(world, step)
    case 'plans':
      return changePlans(world, step.are)
    case 'settle':
      return settle(world).then(() => undefined)
    default:
      throw new TypeError(`unhandled ${step satisfies never}`)
  }
}

// What is bought or agreed on is bought by the plans of that day: these wait for the usual ones.
const bySale: ReadonlySet<Step['do']> = new Set([
  ...(['buy', 'pay', 'change', 'give', 'support', 'choose', 'change account', 'add book'] as const),
  ...(['switch', 'undo switch', 'raise', 'agree', 'stop raise', 'resume raise', 'undo raise'] as const),
])

/** Other plans take nothing from what was bought by the plans of before. */
async function changePlans(world: World, are: PlansAre): Promise<string> {
  const { journal } = world
  if (journal.raise !== null || journal.isSwitching || journal.isUndone) return 'a raise or a switch is there'
  await settle(world)
  const before = await opensNow(world)
  await world.sellBy(are)
  const after = await opensNow(world)
  for (const [who, had] of before)
    if (after.get(who) !== had)
      journal.broken.push(
        `${who} had ${had} by the plans of before, and has ${after.get(who)} by ${are} ones`,
      )
  return are
}

/** What each person has: the plans, and what is left of the exports. */
async function opensNow({ m, journal }: World): Promise<ReadonlyMap<Who, string>> {
  const found = new Map<Who, string>()
  for (const who of people) {
    if (journal.merged.has(who) || journal.deleted.has(who)) continue
    const user = await m.users.findByEmail(addressOf(who))
    if (user === null) continue
    const open = ['pro', 'team', 'book'].filter((gate) => user.hasGate(gate as never))
    found.set(who, [...open, `${user.limit('exports' as never).left} exports`].join(', '))
  }
  return found
}

async function userOf({ m, ids, journal }: World, who: Who): Promise<User> {
  const user = await m.users.findById(ids[standing(journal, who)])
  if (user === null) throw new Error(`${who} is gone`)
  return user
}

/** The subscription that somebody has now, as the site shows it. */
async function held(
  world: World,
  who: Who,
  isMeant: (s: Subscription) => boolean = () => true,
): Promise<{ user: User; s: Subscription }> {
  const user = await userOf(world, who)
  const s = user.subscriptions().find((each) => !each.ended && isMeant(each))
  if (s === undefined) throw new Error('has nothing')
  return { user, s }
}

/** Nothing that was bought in an app is paused here. */
function isOfWeb({ provider }: Subscription): boolean {
  return !storeKeys.some((key) => key === provider)
}

function isChosen({ shops }: World, s: Subscription): boolean {
  return shops.some(({ seller }) => s.hasPrice(goodsOf(seller).support as never))
}

/** The subscription that somebody has now, by the provider's books. */
function atProvider(world: World, who: Who) {
  const found = subscriptionsOf(world, standing(world.journal, who)).findLast(
    ({ s }) => s.status !== 'canceled',
  )
  if (found === undefined) throw new Error('has nothing')
  return found
}

/** The newest subscription by the provider's books, also one that ended. */
function boughtLast(world: World, who: Who) {
  const found = subscriptionsOf(world, standing(world.journal, who)).at(-1)
  if (found === undefined) throw new Error('has bought nothing')
  return found
}

const cards = {
  declined: '4000000000000341',
  good: '4242424242424242',
  debit: 'DE89370400440532013000',
} as const

// Stripe keeps an invoice payable after the end of its subscription. What other providers do then is in
// test/lifecycles: the fakes of Paddle, Polar and Lemon Squeezy have no page for it.
async function payLate(world: World, who: Who): Promise<string> {
  const owner = standing(world.journal, who)
  for (const { s, shop } of subscriptionsOf(world, owner)) {
    if (shop.seller.key !== 'stripe') continue
    const { list } = shop.fake.books
    const open = list('invoice').find((bill) => bill.subscription === s.id && bill.status === 'open')
    if (open === undefined || list('payment').some(isRunning(open.payment))) continue
    shop.fake.useCard(s.customer, cards.good)
    const method = list('method').findLast(({ customer }) => customer === s.customer)!
    const answer = await fetch(`${shop.fake.url}/v1/invoices/${open.id}/pay`, {
      method: 'POST',
      headers: { authorization: `Bearer ${shop.fake.secret}` },
      body: new URLSearchParams({ payment_method: method.id }),
    })
    return `${open.id} ${answer.status}`
  }
  return 'nothing is open'
}

/** A debit that the bank has not answered. */
function isRunning(payment: string | null) {
  return ({ id, status }: { id: string; status: string }): boolean =>
    id === payment && status === 'processing'
}

/** An item on the next invoice, as the dashboard adds it. https://docs.stripe.com/api/invoiceitems/create */
async function addBook(world: World, who: Who): Promise<string> {
  const { s, shop } = atProvider(world, who)
  if (shop.seller.key !== 'stripe') return 'not at this provider'
  const { book } = shop.seller.prices
  await shop.fake.act((account) => addOnce(account, s, account.store.get('price', book)))
  return s.id
}

async function buy(world: World, step: Extract<Step, { do: 'buy' }>): Promise<string> {
  const { m, journal, shops, history } = world
  const who = standing(journal, step.who)
  const user = await userOf(world, who)
  // In a switch the page of what is to be bought again leads there.
  const isThere = (step.at === 'to' || journal.isSwitching) && history.to !== undefined
  const shop = shops.find(({ seller, label }) =>
    isThere ? seller.key === history.to : seller.key === history.from && label === world.sellsThrough,
  )!
  const { key, prices } = shop.seller
  const isCalm = world.diesIn === null && shops.every(({ outages }) => outages.length === 0)
  const price = { ...goodsOf(shop.seller), pro: prices.month, team: prices.team, book: prices.book }[
    step.plan
  ]
  // Prices are compared once the provider's are read.
  if (step.plan === 'differing') await work(world)
  const isOnce = !['pro', 'team', 'sale', 'differing'].includes(step.plan)
  const wish = { user, price: price as never, provider: key, redirect: '/' }
  const quantity = isOnce ? {} : { quantity: step.seats ?? 1 }
  const begun = await m.checkout.start({ ...wish, ...quantity }).catch((error: unknown) => {
    if (isCalm && mayBuy(world, who, step.plan))
      journal.broken.push(`${who} may buy ${step.plan} and is refused: ${String(error)}`)
    throw error
  })
  if (new URL(begun.url).pathname.startsWith('/membership/')) return `led to ${begun.url}`
  if (!isOnce && isPaidInApp(user)) journal.broken.push(`${step.plan} is sold to ${who}, who pays in an app`)
  if (step.plan === 'differing')
    journal.broken.push(`${who} is sold a price that the provider charges otherwise`)
  if (step.plan === 'sale' && world.now().toISOString() >= saleEnds)
    journal.broken.push(`the price of the sale is sold to ${who} after its end`)
  const id = shop.seller.checkoutIn(begun.url)
  const back = `/membership/${isOnce ? 'payment' : 'subscribe'}/${begun.intentId}`
  const known = journal.pages.find((page) => page.id === id)
  const opened = {
    id,
    shop,
    who,
    plan: step.plan,
    back,
    isMove: isThere && journal.isSwitching,
    wasLeft: step.pays === 'later',
  }
  const page: Page = known ?? { ...opened, openedIn: mergesOf(world), paidIn: null }
  if (known === undefined) journal.pages.push(page)
  return step.pays === 'later' ? `opened ${id}` : pay(world, page, step)
}

async function pay(
  world: World,
  page: Page,
  { card, returns }: { card?: 'shared' | 'debit'; returns?: false },
): Promise<string> {
  const { shop, who, back } = page
  const number = card === 'debit' ? cards.debit : `${cards.good}#${card ?? who}`
  const own = shop.seller.key === 'stripe' ? { card: number } : {}
  const { refusal } = await shop.fake.pay(page.id, { email: addressOf(who), ...own })
  if (refusal !== null) return refusal
  page.paidIn = mergesOf(world)
  await elapse(world, 5000)
  if (returns === false) return `paid ${page.id}`
  const way = shop.seller.wayBack?.(shop.fake, { checkout: page.id, back })
  for (const path of way === undefined ? [back] : [way, back])
    await fetch(`${world.site}${path}`, { redirect: 'manual' }).catch(() => undefined)
  return `paid ${page.id}`
}

function newestCharge(world: World, who: Who): { charge: Charge; shop: Shop } {
  const owner = standing(world.journal, who)
  const all = world.shops.flatMap((shop) => {
    const { list } = shop.fake.books
    const theirs = world.journal.pages.filter(
      (page) => page.shop === shop && standing(world.journal, page.who) === owner,
    )
    const paid = new Set(
      list('checkout')
        .filter(({ id }) => theirs.some((page) => page.id === id))
        .map(({ payment }) => payment),
    )
    const subscribed = new Set(subscriptionsOf(world, owner).map(({ s }) => s.id))
    for (const bill of list('invoice')) if (subscribed.has(bill.subscription)) paid.add(bill.payment)
    return list('charge')
      .filter((charge) => paid.has(charge.payment) && charge.status === 'paid' && !charge.disputed)
      .map((charge) => ({ charge, shop }))
  })
  const found = all.sort((a, b) => a.charge.created - b.charge.created).at(-1)
  if (found === undefined) throw new Error('has paid nothing')
  return found
}

/**
 * What an operator is told was given back, the provider has to know of. Each of these providers gives back in the currency
 * of the charge, so no history has a refund in another: test/memberships/ledger/payments.test.ts has it.
 */
async function refund(world: World, step: Extract<Step, { do: 'refund' }>): Promise<string> {
  const { m, journal } = world
  if (step.by === 'dashboard') {
    const { charge, shop } = newestCharge(world, step.who)
    shop.fake.refund(charge.id, step.amount)
    return charge.id
  }
  const user = await userOf(world, step.who)
  const isOpen = ({ status, amount }: Payment) =>
    amount > 0 && ['paid', 'partially_refunded'].includes(status)
  const payment = user.payments().find(isOpen)
  if (payment === undefined) return 'nothing to give back'
  const { desk, shops } = world
  const made = () => shops.reduce((sum, { fake }) => sum + fake.books.list('refund').length, desk.made.length)
  const before = made()
  const { amount } = step
  desk.reject(step.is === 'rejected')
  const wish = { payment, ...(amount === undefined ? {} : { amount }) }
  try {
    const after = await m.payments.refund(wish)
    if (made() === before && !journal.unanswered.has(payment.id))
      journal.broken.push(`a refund of ${payment.id} is told as done, and its provider was not asked`)
    return `${payment.id} ${after.status} ${after.amount_refunded}`
  } catch (error) {
    // What the provider did although its answer was lost is found when it is asked for again.
    if (made() > before) journal.unanswered.add(payment.id)
    throw error
  } finally {
    desk.reject(false)
    if (made() > before && step.is === 'rejected') await tellRejected(world)
  }
}

/** Paddle's word that it has decided against the newest refund. */
async function tellRejected({ m, desk, now }: World): Promise<void> {
  const data = desk.made.at(-1)
  if (data === undefined) return
  const event = {
    event_id: `evt_${data.id}`,
    event_type: 'adjustment.updated',
    notification_id: `ntf_${data.id}`,
  }
  const body = Buffer.from(JSON.stringify({ ...event, occurred_at: now().toISOString(), data }))
  await m.webhooks.receive('paddle', { body, headers: m.webhooks.sign('paddle', body) })
}

async function changeSeats(world: World, who: Who, quantity: number): Promise<string> {
  const { s, shop } = atProvider(world, who)
  const { id } = s.items[0]!
  if (shop.seller.key === 'stripe') {
    // https://docs.stripe.com/api/subscriptions/update: `allow_incomplete`, the default, changes it although it is not paid.
    const fields = { 'items[0][id]': id, 'items[0][quantity]': String(quantity) }
    const changed = await fetch(`${shop.fake.url}/v1/subscriptions/${s.id}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${shop.fake.secret}` },
      body: new URLSearchParams({ ...fields, proration_behavior: 'always_invoice' }),
    })
    return `${s.id} ${changed.status}`
  }
  if (shop.seller.key !== 'lemonsqueezy') return 'not at this provider'
  const attributes = { quantity, invoice_immediately: true }
  const answer = await fetch(`${shop.fake.url}/v1/subscription-items/${id}`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${shop.fake.secret}`, 'content-type': 'application/vnd.api+json' },
    body: JSON.stringify({ data: { type: 'subscription-items', id, attributes } }),
  })
  return `${s.id} ${answer.status}`
}

/** Free days of the dashboard: the next period begins later, unpaid. */
async function freeDays(world: World, who: Who, days: number): Promise<string> {
  const { s, shop } = atProvider(world, who)
  if (shop.seller.key !== 'stripe') return 'not at this provider'
  const until = Math.floor(world.now().getTime() / 1000) + days * 86_400
  const answer = await fetch(`${shop.fake.url}/v1/subscriptions/${s.id}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${shop.fake.secret}` },
    body: new URLSearchParams({ trial_end: String(until), proration_behavior: 'none' }),
  })
  if (answer.ok) world.journal.gifted.add(s.id)
  return `${s.id} ${answer.status}`
}

async function give(world: World, step: Extract<Step, { do: 'grant' | 'import' }>): Promise<string> {
  const { m, journal, ids } = world
  const { who, plan: gate, days } = step
  const until = days === undefined ? null : world.now().getTime() + days * dayMs
  if (step.do === 'grant') {
    const expires = until === null ? {} : { expiresAt: new Date(until) }
    const id = await m.users.grant({ memberId: ids[who], gate, ...expires })
    journal.grants.push({ id, who, gate, until, isRevoked: false })
    return id
  }
  // Where the process dies meanwhile, it may be given already: run again, the import goes on.
  journal.perhapsGiven.add(`${who} ${gate}`)
  const { granted } = await m.operator.import({
    file: Buffer.from(`email,plan,gift\n${addressOf(who)},${gate},yes`),
    map: { email: 'email', price_id: 'plan', gift: 'gift' },
    write: true,
  })
  journal.perhapsGiven.delete(`${who} ${gate}`)
  if (granted > 0) journal.grants.push({ id: null, who, gate, until: null, isRevoked: false })
  return `${granted} granted`
}

async function switchOver(world: World, isOn: boolean): Promise<string> {
  const { m, journal, history } = world
  const { from, to } = history
  if (to === undefined) return 'no second provider'
  const done = await m.operator.switch({ from, to, ...(isOn ? { write: true } : { undo: true }) })
  // Where no record says who ended it, and where it was over before the switch was taken back, the operator is told so.
  for (const { kind, id } of done.subscriptions)
    if (kind === 'unsure' || kind === 'gone') journal.ended.add(id)
  journal.isSwitching = isOn
  journal.isUndone = !isOn
  return done.subscriptions.map(({ id, kind }) => `${id} ${kind}`).join(', ')
}
