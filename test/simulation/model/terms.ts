import type { RequestListener } from 'node:http'
import Koa from 'koa'
import type { Membership } from '../../../src/index.ts'
import { createVisitor } from '../../support/visitor.ts'
import { type Bought, isKept, standing } from './laws.ts'
import { goodsOf, visitorOf } from './offers.ts'
import { people, type Step, type Who } from './steps.ts'
import { addressOf, dayMs, noticeDays, type Reads, saleEnds, type World, wallTerms } from './world.ts'

type TermsStep = Extract<
  Step,
  {
    do: 'read' | 'raise' | 'agree' | 'bounce' | 'notice again' | 'stop raise' | 'resume raise' | 'undo raise'
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

/** Does a step with the wall or a price raise. */
export async function performTerms(world: World, step: TermsStep): Promise<string> {
  const { m, journal, shops } = world
  switch (step.do) {
    case 'read':
      return read(world, step)
    case 'raise': {
      if (journal.raise !== null) return 'one raise is enough'
      const { seller } = shops[0]!
      const terms = { from: seller.prices.month, to: goodsOf(seller).raised, on: world.now().toISOString() }
      const wish = { ...terms, noticeDays, needsConsent: step.needsConsent }
      journal.raise = { id: (await m.prices.plan(wish)).id, undoneAt: null }
      const { members } = await m.prices.raise(wish, 'olga')
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
      if (step.do === 'bounce') return String(await m.prices.noticeBounced(raise.id, addressOf(step.who)))
      if (step.do === 'notice again') return String(await m.prices.noticeAgain(raise.id, addressOf(step.who)))
      if (step.do === 'stop raise') return (await m.prices.stop(raise.id)).status
      if (step.do === 'resume raise') return (await m.prices.resume(raise.id)).status
      raise.undoneAt ??= world.now().toISOString()
      return (await m.prices.undo(raise.id)).status
    }
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
    ...{ pages: new Set(), perhaps: new Set() },
    ...{ endsAt: moment + wallTerms.days * dayMs, isJoined: false },
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

const current = (count: Reads | undefined, moment: number): Reads | null =>
  count !== undefined && count.endsAt > moment ? count : null

function joinInto(members: Map<Who, Reads>, who: Who, own: Reads, moment: number): void {
  const count = current(members.get(who), moment)
  own.isJoined = true
  members.set(who, {
    pages: new Set([...(count?.pages ?? []), ...own.pages]),
    perhaps: new Set([...(count?.perhaps ?? []), ...own.perhaps]),
    ...{ endsAt: count?.endsAt ?? own.endsAt, isJoined: false },
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
  return [...(await raisedWrong(world, all)), ...soldAfterSale(all), ...(await paidTimeWrong(world, all))]
}

/** Nobody is raised twice, without a notice in time, against a silence that keeps, or after the end of the raise. */
async function raisedWrong({ m, journal, mailbox, shops }: World, all: readonly Bought[]): Promise<string[]> {
  const { raise } = journal
  const to = goodsOf(shops[0]!.seller).raised
  const raise_ = raise === null ? null : (await m.prices.list()).find(({ id }) => id === raise.id)
  const rows =
    raise === null || raise_ === undefined || raise_ === null
      ? []
      : await m.prices.members(raise.id, { account: '', subscription_id: '' }, 200)
  return all.flatMap(({ s, shop, page }) => {
    const bills = shop.merchant.books
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

/** Paid time is at most what was paid or given, and at least what was paid without a pause, a gap or a refund. */
async function paidTimeWrong(world: World, all: readonly Bought[]): Promise<string[]> {
  const { m, journal, history } = world
  const inexact = [
    'merge',
    'switch',
    'undo switch',
    'change',
    'free days',
    'app buy',
    'grant',
    'import',
    'redeem',
    'seats',
  ]
  if (
    history.steps.some((step) => inexact.includes(step.do) || (step.do === 'buy' && step.plan === 'months'))
  )
    return []
  const broken: string[] = []
  const now = world.now().getTime() / 1000
  for (const who of people) {
    if (journal.deleted.has(who)) continue
    const user = await m.users.findByEmail(addressOf(who))
    const mine = all.filter(({ page }) => page.who === who)
    const periodsOf = (isSure: boolean) =>
      mine
        .filter(
          ({ s }) =>
            !isSure || (!journal.paused.has(s.id) && !journal.ended.has(s.id) && s.status === 'active'),
        )
        .flatMap(({ s, shop }) =>
          shop.merchant.books
            .list('invoice')
            .filter((bill) => bill.subscription === s.id && bill.status === 'paid')
            .filter((bill) => !isSure || isKept(shop, bill.payment))
            .flatMap(({ lines }) => lines)
            .filter(({ price, amount }) => amount > 0 && price.id !== shop.seller.prices.team)
            .map(({ period }) => [period.start, Math.min(now, period.end)] as const),
        )
    const time = user?.paidTime('pro' as never).seconds ?? 0
    const [most, least] = [lengthOf(periodsOf(false)), lengthOf(periodsOf(true))]
    if (time > most + leewaySeconds) broken.push(`${who} has ${time} s of paid time, and paid for ${most}`)
    if (time < least - leewaySeconds) broken.push(`${who} has ${time} s of paid time of ${least}`)
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
