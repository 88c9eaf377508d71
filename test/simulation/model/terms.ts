import type { RequestListener } from 'node:http'
import Koa from 'koa'
import type { Membership } from '../../../src/index.ts'
import { createOperators } from '../../../src/office/operators.ts'
import { enrol } from '../../support/office.ts'
import { createVisitor, logIn, type Visitor } from '../../support/visitor.ts'
import { type Bought, hidesDispute, isKept, standing } from './laws.ts'
import { forNothing } from './money.ts'
import { goodsOf, visitorOf } from './offers.ts'
import { people, type Step, type Who } from './steps.ts'
import {
  addressOf,
  choice,
  dayMs,
  noticeDays,
  type Page,
  type Reads,
  saleEnds,
  type World,
  wallTerms,
} from './world.ts'

type TermsStep = Extract<
  Step,
  {
    do:
      | 'support'
      | 'choose'
      | 'read'
      | 'raise'
      | 'agree'
      | 'bounce'
      | 'notice again'
      | 'stop raise'
      | 'resume raise'
      | 'undo raise'
  }
>

const text = 'The whole article.'

/** The site's own pages: behind a wall of the gate of pro. */
export function wallSite(m: Membership): RequestListener {
  const app = new Koa()
  app.silent = true
  const { free, loggedIn, days } = wallTerms
  app.use(m.koa())
  app.use((ctx, next) => (ctx.path.startsWith('/wall/') ? next() : undefined))
  app.use(m.gate('pro', { free, loggedIn, every: `${days}d` }))
  app.use((ctx) => {
    ctx.body = text
  })
  return app.callback()
}

/** Does a step with the wall, a price raise or a chosen amount. */
export async function performTerms(
  world: World,
  step: TermsStep,
  pay: (page: Page) => Promise<string>,
): Promise<string> {
  const { m, journal, shops } = world
  switch (step.do) {
    case 'support':
      return beginSupport(world, step, pay)
    case 'choose':
      return chooseAmount(world, step)
    case 'read':
      return read(world, step)
    case 'raise': {
      if (journal.raise !== null) return 'one raise is enough'
      const { seller } = shops[0]!
      const terms = { from: seller.prices.month, to: goodsOf(seller).raised, on: world.now().toISOString() }
      const wish = { ...terms, noticeDays, needsConsent: step.needsConsent }
      const { id, members } = await m.raises.plan(wish)
      // A raise of nobody is refused.
      if (!members.some(({ does }) => does === 'raise')) return 'nobody to raise'
      journal.raise = { id, undoneAt: null }
      await m.raises.raise(wish, 'olga')
      return members.map(({ email, does, reason }) => `${email} ${does} ${reason ?? ''}`).join(', ')
    }
    case 'agree': {
      const mail = world.mailbox.of(addressOf(step.who), 'price-raise').at(-1)
      const [link] = /\/membership\/price\/\S+/.exec(mail?.text ?? '') ?? []
      if (link === undefined) return 'no notice'
      return String((await createVisitor(world.site).send(link, { does: 'agree' })).status)
    }
    default: {
      const { raise } = journal
      if (raise === null) return 'no raise'
      if (step.do === 'bounce') return String(await m.raises.noticeBounced(raise.id, addressOf(step.who)))
      if (step.do === 'notice again') return String(await m.raises.noticeAgain(raise.id, addressOf(step.who)))
      if (step.do === 'stop raise') return (await m.raises.stop(raise.id)).status
      if (step.do === 'resume raise') return (await m.raises.resume(raise.id)).status
      raise.undoneAt ??= world.now().toISOString()
      return (await m.raises.undo(raise.id)).status
    }
  }
}

function isInRange(amount: number): boolean {
  return amount >= choice.min && amount <= choice.max
}

/** Orders and pays an amount of one's own each month, where the site sells it. */
async function beginSupport(
  world: World,
  { who: by, amount }: Extract<Step, { do: 'support' }>,
  pay: (page: Page) => Promise<string>,
): Promise<string> {
  const { m, journal, shops, ids } = world
  const who = standing(journal, by)
  const shop = shops.find(({ seller, label }) => seller.key === 'stripe' && label === world.sellsThrough)
  const user = await m.users.findById(ids[who])
  if (shop === undefined || user === null) return 'not sold here'
  const price = goodsOf(shop.seller).support as never
  const begun = await m.checkout.start({ user, price, amount, provider: 'stripe', redirect: '/' })
  if (!isInRange(amount)) journal.broken.push(`${amount} is sold to ${who}, outside the range`)
  if (new URL(begun.url).pathname.startsWith('/membership/')) return `led to ${begun.url}`
  const id = shop.seller.checkoutIn(begun.url)
  const back = `/membership/subscribe/${begun.intentId}`
  const merged = JSON.stringify([...journal.merged])
  const known = journal.pages.find((page) => page.id === id)
  const page: Page = known ?? {
    id,
    shop,
    who,
    plan: 'support',
    back,
    isMove: false,
    wasLeft: false,
    openedIn: merged,
    paidIn: null,
  }
  if (known === undefined) journal.pages.push(page)
  const paid = await pay(page)
  const checkout = shop.fake.books.list('checkout').find((each) => each.id === id)
  const subscription = checkout?.subscription
  if (subscription) journal.chosen.set(subscription, [{ at: 0, amount, isSure: true }])
  return paid
}

async function chooseAmount(world: World, { who, amount }: Extract<Step, { do: 'choose' }>): Promise<string> {
  const { m, journal, ids } = world
  const user = await m.users.findById(ids[standing(journal, who)])
  const s = user?.subscriptions().find((each) => !each.ended && journal.chosen.has(each.id))
  if (!user || s === undefined) return 'chose nothing before'
  const choices = journal.chosen.get(s.id)!
  const at = world.now().getTime() / 1000
  try {
    const { url } = await m.subscriptions.change({ user, subscriptionId: s.id, amount })
    if (!isInRange(amount)) journal.broken.push(`${amount} is taken from ${who}, outside the range`)
    choices.push({ at, amount, isSure: url === undefined })
    return s.id
  } catch (error) {
    // A refusal changes nothing. A lost answer may have changed it.
    if (isInRange(amount)) choices.push({ at, amount, isSure: false })
    throw error
  }
}

/** Opens a page, and compares with a count of our own. */
async function read(world: World, { who, page, isIn }: Extract<Step, { do: 'read' }>): Promise<string> {
  const { m, journal, ids } = world
  const account = standing(journal, who)
  const visitor = isIn
    ? await visitorOf(world, account)
    : (journal.visitors.get(account) ?? createVisitor(world.site))
  journal.visitors.set(account, visitor)
  if (!isIn) visitor.cookies.delete('membership_session')
  const user = isIn ? await m.users.findById(ids[account]) : null
  const isPaid = user?.hasGate('pro' as never) === true
  const mayDie = world.diesIn !== null
  const moment = world.now().getTime()
  const answer = await openPage(visitor, page).catch(() => null)
  const isOpen = answer?.includes(text) === true
  const said = `page ${page} ${isOpen ? 'open' : 'closed'}`
  if (isPaid) {
    if (!isOpen && !mayDie && !world.isDead()) journal.broken.push(`${who} has pro, and ${said}`)
    return said
  }
  const { browsers, members } = journal.reads
  const own = current(browsers.get(account), moment)
  if (isIn && own !== null && !own.isJoined) joinInto(members, account, own, moment)
  const counts = isIn ? members : browsers
  const count = current(counts.get(account), moment)
  const most = isIn ? wallTerms.loggedIn : wallTerms.free
  const must = mustOpen(count, page, most)
  if (must !== null && must !== isOpen && !mayDie && !world.isDead())
    journal.broken.push(`${who} (${isIn ? 'logged in' : 'a visitor'}) finds ${said}, and must not`)
  const begun: Reads = count ?? {
    pages: new Set(),
    perhaps: new Set(),
    endsAt: moment + wallTerms.days * dayMs,
    isJoined: false,
  }
  if (isOpen && !begun.pages.has(page)) {
    begun.pages.add(page)
    begun.perhaps.delete(page)
    begun.isJoined = false
    counts.set(account, begun)
  } else if (!isOpen && (mayDie || world.isDead())) {
    begun.perhaps.add(page)
    counts.set(account, begun)
  }
  return said
}

/** The answer of a browser that goes where it is led, as to a visitor whose cookie is tried. */
async function openPage(visitor: ReturnType<typeof createVisitor>, page: number): Promise<string> {
  let path = `/wall/${page}`
  for (let led = 0; led < 4; led++) {
    const { status, location, text: body } = await visitor.get(path, { accept: 'text/html' })
    if (status !== 302 || location === null) return body
    path = location
  }
  return ''
}

function current(count: Reads | undefined, moment: number): Reads | null {
  return count !== undefined && count.endsAt > moment ? count : null
}

function joinInto(members: Map<Who, Reads>, who: Who, own: Reads, moment: number): void {
  const count = current(members.get(who), moment)
  own.isJoined = true
  members.set(who, {
    pages: new Set([...(count?.pages ?? []), ...own.pages]),
    perhaps: new Set([...(count?.perhaps ?? []), ...own.perhaps]),
    endsAt: count?.endsAt ?? own.endsAt,
    isJoined: false,
  })
}

/** Null where a process died while it counted. */
function mustOpen(count: Reads | null, page: number, most: number): boolean | null {
  const { pages, perhaps } = count ?? { pages: new Set<number>(), perhaps: new Set<number>() }
  if (pages.has(page)) return true
  if (perhaps.size > 0) return pages.size >= most ? false : null
  return pages.size < most
}

/** The pages of both accounts count together once they are one. */
export function joinReads({ journal, now }: World, merged: Who, kept: Who): void {
  const { members } = journal.reads
  const own = current(members.get(merged), now().getTime())
  if (own !== null && !own.isJoined) joinInto(members, kept, own, now().getTime())
}

/** Answers which laws of raises, sales and paid time are broken. */
export async function checkTerms(world: World, all: readonly Bought[]): Promise<readonly string[]> {
  return [
    ...(await raisedWrong(world, all)),
    ...soldAfterSale(all),
    ...(await paidTimeWrong(world, all)),
    ...(await chosenWrong(world, all)),
  ]
}

/** Each bill, the receipt and the office say what the member chose last, within the range. */
async function chosenWrong(world: World, all: readonly Bought[]): Promise<string[]> {
  const { m, journal } = world
  const broken: string[] = []
  const mine = all.filter(({ page }) => page.plan === 'support')
  const office = mine.length > 0 ? await openOffice(world) : null
  for (const { s, shop, page } of mine) {
    const choices = journal.chosen.get(s.id) ?? []
    const wrong = (what: string) =>
      broken.push(`${s.id} of ${page.who}, who chose ${choices.map(({ amount }) => amount)}, ${what}`)
    const bills = shop.fake.books
      .list('invoice')
      .filter((bill) => bill.subscription === s.id && bill.status === 'paid' && bill.total > 0)
    for (const { reason, total, period, lines } of bills) {
      const from = Math.min(...lines.map((line) => line.period.start))
      const last = choices.findLastIndex(({ at, isSure }) => isSure && at <= from)
      const allowed = choices.slice(Math.max(0, last)).filter(({ at }) => at <= Math.max(from, period.end))
      const most = Math.max(...choices.map(({ amount }) => amount))
      if (reason === 'change' ? total > most : !allowed.some(({ amount }) => amount === total))
        wrong(`is charged ${total} (${reason})`)
      if (total > choice.max || (reason !== 'change' && total < choice.min))
        wrong(`is charged ${total}, outside the range`)
    }
    const who = standing(journal, page.who)
    const user = journal.deleted.has(who) ? null : await m.users.findByEmail(addressOf(who))
    const known = user?.subscriptions().find(({ id }) => id === s.id)
    if (!user || known === undefined) continue
    const paid = user
      .payments()
      .filter((p) => p.subscription_id === s.id && p.amount > 0 && p.status !== 'failed')
    const [told, charged] = [paid.map(({ amount }) => amount), bills.map(({ total }) => total)].map((list) =>
      list.toSorted((a, b) => a - b),
    )
    if (String(told) !== String(charged)) wrong(`is charged ${charged}, and the account has ${told}`)
    const now = known.scheduled_change?.unit_amount ?? known.unit_amount
    const sure = choices.findLastIndex(({ isSure }) => isSure)
    if (!known.ended && !choices.slice(sure).some(({ amount }) => amount === now))
      wrong(`has ${now} in the account`)
    const shown = await office!.get(`/membership/office/members/${user.id}`, { accept: 'text/html' })
    for (const amount of [known.unit_amount ?? 0, ...told!])
      if (!shown.text.includes(euros(amount))) wrong(`has no ${euros(amount)} in the office`)
    const [payment] = paid
    if (payment === undefined || world.history.steps.some((step) => step.do === 'merge')) continue
    const receipt = await (await visitorOf(world, who)).get(`/membership/payments/${payment.id}`, {
      accept: 'text/html',
    })
    if (receipt.status === 200 && !receipt.text.includes(euros(payment.amount)))
      wrong(`has a receipt without ${payment.amount}`)
  }
  return broken
}

async function openOffice({ m, site, mailbox, now }: World): Promise<Visitor> {
  // An address gets few links in a minute.
  const email = `operator-${now().getTime()}@example.com`
  await createOperators({ storage: m.storage, now }).add({ email, role: 'operator', by: 'test' })
  await m.users.create({ email })
  const operator = await logIn({ m, site }, mailbox, email)
  await enrol(operator, now)
  return operator
}

function euros(minor: number): string {
  const form = { style: 'currency', currency: 'EUR', trailingZeroDisplay: 'stripIfInteger' } as const
  return new Intl.NumberFormat('en', form).format(minor / 100)
}

/**
 * Nobody is raised twice, without a notice in time, against a silence that keeps, or after the end of the
 * raise. Nobody who leaves is told of a new price.
 */
async function raisedWrong({ m, journal, mailbox, shops }: World, all: readonly Bought[]): Promise<string[]> {
  const { raise } = journal
  const to = goodsOf(shops[0]!.seller).raised
  const raise_ = raise === null ? null : (await m.raises.list()).find(({ id }) => id === raise.id)
  const rows =
    raise === null || raise_ === undefined || raise_ === null
      ? []
      : await m.raises.members(raise.id, { account: '', subscription_id: '' }, 200)
  const toldInVain = all.flatMap(({ s, page }) => {
    const told = rows.find(({ subscription_id }) => subscription_id === s.id)?.noticed_at
    if (told == null || s.canceled_at === null) return []
    // Where the answer to the cancellation is lost, the site learns of it within two days.
    const isLate = Date.parse(told) > s.canceled_at * 1000 + 2 * dayMs
    return isLate ? [`${page.who} was told of a new price of ${s.id}, which had been cancelled`] : []
  })
  const charged = all.flatMap(({ s, shop, page }) => {
    const bills = shop.fake.books
      .list('invoice')
      .filter((bill) => bill.subscription === s.id && bill.status === 'paid')
      .filter(({ lines }) => lines.some(({ price, amount }) => price.id === to && amount > 0))
    const [first] = bills
    if (first === undefined) return []
    const begins = Math.min(...first.lines.map(({ period }) => period.start)) * 1000
    const row = rows.find(({ subscription_id }) => subscription_id === s.id)
    const broken: string[] = []
    const wrong = (what: string) => broken.push(`${s.id} of ${page.who} pays the new price ${what}`)
    if (row?.noticed_at == null) wrong('without a notice')
    else if (Date.parse(row.noticed_at) + noticeDays * dayMs > begins) wrong('before its notice is over')
    if (raise_?.needs_consent && row?.agreed_at == null) wrong('without consent')
    if (raise_ != null && raise_.starts_at > new Date(begins).toISOString()) wrong('before the raise')
    if (raise?.undoneAt != null && new Date(begins).toISOString() > raise.undoneAt) wrong('after an undo')
    if (mailbox.sent.every(({ kind }) => kind !== 'price-raise')) wrong('without a mail')
    const dearer = bills.flatMap(({ lines }) => lines).filter(({ price }) => price.id === to)
    if (dearer.some(({ amount, quantity }) => amount > 1200 * quantity)) wrong('twice')
    return broken
  })
  return [...toldInVain, ...charged]
}

/** Nobody begins at the price of the sale after its end, where the provider can close its pages. */
function soldAfterSale(all: readonly Bought[]): string[] {
  const end = Date.parse(saleEnds) / 1000
  return all
    .filter(({ page, shop }) => page.plan === 'sale' && ['stripe', 'paddle'].includes(shop.seller.key))
    .filter(({ s }) => s.created > end)
    .map(({ s, page }) => `${s.id} of ${page.who} was bought after the sale, at its price`)
}

// Payments are dated by their arrival, and a day of grace may lie between two periods.
const leewaySeconds = 3 * 86_400

/** Paid time is what the books charged and kept, whoever sold it and to whichever account: no pause, no gap, no refund. */
async function paidTimeWrong(world: World, all: readonly Bought[]): Promise<string[]> {
  const { m, journal, history } = world
  // Prorations, seats, free days and what is given have lengths of their own.
  const inexact = ['change', 'free days', 'app buy', 'grant', 'import', 'redeem', 'seats']
  if (
    history.steps.some((step) => inexact.includes(step.do) || (step.do === 'buy' && step.plan === 'months'))
  )
    return []
  const broken: string[] = []
  const now = world.now().getTime() / 1000
  const unused = all.flatMap((bought) => forNothing(world, bought))
  for (const who of people) {
    if (journal.deleted.has(who) || journal.merged.has(who)) continue
    const user = await m.users.findByEmail(addressOf(who))
    const paid = all
      .filter(({ page }) => standing(journal, page.who) === who && page.plan !== 'support')
      .flatMap(({ s, shop }) =>
        shop.fake.books
          .list('invoice')
          .filter((bill) => bill.subscription === s.id && bill.status === 'paid')
          .filter((bill) => isKept(shop, bill.payment) || hidesDispute(shop, bill.payment))
          .filter((bill) => !unused.includes(bill))
          .flatMap(({ lines }) => lines)
          .filter(({ price, amount }) => amount > 0 && price.id !== shop.seller.prices.team)
          .map(({ period }) => {
            // Nobody chose the end of failed payments, and what is paid stays open.
            const end = s.cancellation.reason === 'unpaid' ? null : s.ended_at
            return [period.start, Math.min(now, period.end, end ?? now)] as const
          }),
      )
    const time = user?.paidTime('pro' as never).seconds ?? 0
    const most = lengthOf(paid)
    if (Math.abs(time - most) > leewaySeconds)
      broken.push(`${who} has ${time} s of paid time, and paid for ${Math.round(most)}`)
  }
  return broken
}

/** Seconds in a union of spans. */
function lengthOf(spans: readonly (readonly [number, number])[]): number {
  let [until, sum] = [0, 0]
  for (const [from, to] of spans.toSorted((a, b) => a[0] - b[0])) {
    sum += Math.max(0, to - Math.max(from, until))
    until = Math.max(until, to)
  }
  return sum
}
