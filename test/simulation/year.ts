import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createMembership, type Membership } from '../../src/index.ts'
import type { Merchant, OutageKind } from '../../src/merchant/index.ts'
import { createMailbox, createVisitor, logIn, prove, type Visitor } from '../support/visitor.ts'
import { type Chance, createChance } from './chance.ts'
import { createFigures, type Figures } from './figures.ts'
import { type Held, heldBy } from './held.ts'
import type { Seller } from './sellers.ts'

/** Somebody who buys. */
interface Buyer {
  readonly email: string
  visitor: Visitor
  /** Payment pages that they were given. */
  readonly pages: Set<string>
  readonly history: string[]
}

interface Year {
  readonly seller: Seller
  readonly merchant: Merchant
  readonly site: string
  readonly mailbox: ReturnType<typeof createMailbox>
  readonly buyers: readonly Buyer[]
  readonly figures: Figures
  m: Membership
  restart(): Promise<void>
}

export interface YearOptions {
  readonly seller: Seller
  readonly seed: string
  readonly members: number
  readonly months: number
  /** A fresh, empty database. */
  readonly database: string
}

const start = new Date('2026-01-15T06:00:00Z')
const dayMs = 86_400_000

/** Members, a site and one provider for so many months: purchases, changes, refusals, refunds, messages that are lost, late
 *  and double, outages and restarts. What the provider cannot do is refused, and tried all the same. Then everybody's
 *  access is compared with the merchant's books. */
export const simulateYear = async (options: YearOptions): Promise<{ broken: string[]; figures: Figures }> => {
  const { seed, months } = options
  const chance = createChance(seed, `year of ${options.seller.key}`)
  const { year, close } = await open(options)
  try {
    for (let day = 0; day < months * 30; day++) await oneDay(year, chance, day)
    await settle(year)
    const broken: string[] = []
    for (const buyer of year.buyers) broken.push(...(await problemsOf(year, buyer)))
    broken.push(...(await unfinished(year)))
    return { broken, figures: year.figures }
  } finally {
    await close()
  }
}

const open = async ({ seller, seed, members, database }: YearOptions) => {
  const server = createServer((request, response) => listener(request, response)).listen(0, '127.0.0.1')
  await new Promise((ready) => server.once('listening', ready))
  const site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const merchant = await seller.open({
    seed,
    start,
    webhook: { url: `${site}/membership/webhooks/${seller.key}`, secret: seller.webhook },
    chaos: { drop: 0.04, duplicate: 0.06, delay: 0.12, reorder: 0.15 },
  })
  const { month, team, book } = seller.prices
  const monthly = { currency: 'usd', recurring: { interval: 'month' }, product: 'prod_site' } as const
  merchant.addPrice({ id: month, unit_amount: 900, ...monthly })
  merchant.addPrice({ id: team, unit_amount: 2500, ...monthly })
  merchant.addPrice({ id: book, unit_amount: 1900, currency: 'usd' })
  const mailbox = createMailbox()
  const begin = (): Promise<Membership> =>
    createMembership({
      'membership.database.url': database,
      'membership.database.synchronous': 'normal',
      'membership.url': site,
      'membership.provider.handler': seller.key,
      [`membership.providers.${seller.key}`]: {
        webhook: seller.webhook,
        secret: merchant.secret,
        api_base: merchant.url,
        livemode: false,
        ...seller.settings?.(merchant),
        plans: {
          pro: { group: 'membership', prices: [month] },
          team: { group: 'membership', prices: [team] },
          book: { prices: [{ id: book, amount: 1900, currency: 'USD', type: 'one_time' }] },
        },
      },
      'membership.ratelimit.limit': 10_000_000,
      'membership.secret': 'a secret of the simulation, long enough',
      install: false,
      root: false,
      now: () => merchant.now(),
      log: () => {},
      ...mailbox.options,
    })
  let m = await begin()
  let listener = m.listener()
  const year: Year = {
    seller,
    merchant,
    site,
    mailbox,
    figures: createFigures(),
    buyers: Array.from({ length: members }, (_, i) => ({
      email: `m${i + 1}@example.com`,
      visitor: createVisitor(site),
      pages: new Set<string>(),
      history: [],
    })),
    get m() {
      return m
    },
    restart: async () => {
      // What is under way finds no database any more, as if the power had gone.
      await m.storage.close()
      await m.close().catch(() => {})
      m = await begin()
      listener = m.listener()
    },
  }
  const close = async () => {
    server.closeAllConnections()
    server.close()
    await m.close()
    await merchant.close()
  }
  return { year, close }
}

const oneDay = async (year: Year, chance: Chance, day: number): Promise<void> => {
  const { merchant, figures, buyers } = year
  await merchant.advance(new Date(start.getTime() + day * dayMs + chance.number(3_600, 80_000) * 1000))
  if (chance.one(0.03)) {
    const kind = chance.of<OutageKind>(['500', '503', 'reset', 'after'])
    merchant.outage({ kind, requests: chance.of([1, 2, 3, 6]) })
    figures.count('world', `outage ${kind}`)
  }
  if (chance.one(0.05)) {
    const delivering = merchant.deliver()
    await year.restart()
    await delivering
    figures.count('world', 'restart')
  }
  for (const buyer of buyers) {
    if (chance.one(0.06)) await visit(year, chance, buyer)
    if (chance.one(0.01)) atTheProvider(year, chance, buyer)
  }
  if (chance.one(0.7)) figures.count('world', 'delivered', (await merchant.deliver()).delivered)
  if (chance.one(0.7)) await year.m.work()
  if (day % 10 === 9) await pull(year)
}

const visit = async (year: Year, chance: Chance, buyer: Buyer): Promise<void> => {
  if (!buyer.visitor.cookies.has('membership_session')) await comeIn(year, buyer)
  const living = heldBy(year, buyer).subscriptions.find(({ status }) => status === 'active')
  if (!living || chance.one(0.1)) return buy(year, chance, buyer, living !== undefined)
  const { prices } = year.seller
  const what = chance.weighted({
    change: 30,
    cancel: 20,
    'cancel now': 8,
    resume: 20,
    pause: 6,
    invoice: 8,
    portal: 8,
  })
  const fields: Record<string, string> =
    what === 'change' || what === 'invoice'
      ? { price: chance.of([prices.month, prices.team]) }
      : what === 'cancel now'
        ? { when: 'now' }
        : {}
  const path = what === 'portal' ? 'portal' : `${what.split(' ')[0]}/${living.id}`
  const { json } = await send(year, buyer, what, `/membership/${path}`, fields)
  // Where the buyer has to agree to a change, they do, or not.
  if (what === 'change' && typeof json?.url === 'string' && 'agree' in year.merchant && chance.one(0.7))
    await (year.merchant as unknown as { agree(id: string): Promise<void> }).agree(living.id)
}

/** By a link in a mail, once there is an account. */
const comeIn = async (year: Year, buyer: Buyer): Promise<void> => {
  if ((await year.m.users.findByEmail(buyer.email)) === null) return
  await logIn(year, year.mailbox, buyer.email, buyer.visitor).catch((error: unknown) => {
    buyer.history.push(`could not log in: ${error}`)
  })
}

const cards = ['4242424242424242', '4242424242424242', '4000000000000341', '4000000000000002']

const buy = async (year: Year, chance: Chance, buyer: Buyer, isMember: boolean): Promise<void> => {
  const { seller, merchant, figures } = year
  const { month, team, book } = seller.prices
  const what = isMember ? 'book' : chance.of(['pro', 'pro', 'team', 'book'])
  const { status, json } = await (what === 'book'
    ? send(year, buyer, 'buy once', '/membership/payment', { product: book })
    : send(year, buyer, 'subscribe', `/membership/subscribe/${what}`, {
        price: what === 'pro' ? month : team,
      }))
  if (status !== 201) return
  const page = seller.checkoutIn(json.url)
  if (page === null) return comeBack(year, buyer, what, json.intent_id)
  buyer.pages.add(page)
  if (chance.one(0.12)) return
  const paid = await merchant
    .pay(page, { email: buyer.email, name: buyer.email, card: chance.of(cards) })
    .catch((error: unknown) => ({ refusal: String(error) }))
  figures.count('actions', paid.refusal === null ? 'pay' : 'pay in vain')
  buyer.history.push(`${merchant.now().toISOString()} pays ${page}: ${paid.refusal ?? 'paid'}`)
  if (paid.refusal !== null) return
  const way = chance.weighted({ before: 50, after: 25, never: 25 })
  if (way === 'after') await merchant.deliver()
  // Where the provider leaves something to do, it waits for somebody who looks.
  if (way !== 'never') await comeBack(year, buyer, what, json.intent_id)
}

const comeBack = async (year: Year, buyer: Buyer, what: string, intent: string): Promise<void> => {
  const path = `/membership/${what === 'book' ? 'payment' : 'subscribe'}/${intent}`
  const { status, text } = await buyer.visitor.get(path, { accept: 'application/json' })
  buyer.history.push(`comes back: ${status} ${text.slice(0, 80)}`)
  await prove(year.m, buyer.visitor)
}

const send = async (
  { figures, merchant }: Year,
  buyer: Buyer,
  name: string,
  path: string,
  fields: Record<string, string> = {},
) => {
  const answer = await buyer.visitor.send(path, fields)
  figures.count('actions', name)
  // A session is over after thirty days: the next visit begins with a link.
  if (answer.json?.code === 'ERR_LOGIN_REQUIRED') buyer.visitor.cookies.delete('membership_session')
  if (answer.status >= 500) figures.count('failed', `${name} ${answer.json?.code ?? answer.status}`)
  else if (answer.status >= 400) figures.count('refused', String(answer.json?.code ?? answer.status))
  buyer.history.push(
    `${merchant.now().toISOString()} ${name} ${path} ${JSON.stringify(fields)}: ${answer.status} ${answer.json?.code ?? ''}`,
  )
  return answer
}

const atTheProvider = ({ merchant, figures, ...year }: Year, chance: Chance, buyer: Buyer): void => {
  const { subscriptions, charges } = heldBy({ merchant, ...year }, buyer)
  const charge = charges.findLast(
    (one) => one.status === 'paid' && one.refunded < one.amount && !one.disputed,
  )
  const living = subscriptions.find(({ status }) => status === 'active')
  const what = chance.weighted({ refund: 30, partly: 15, dispute: 15, fail: 40 })
  const done = (id: string) => {
    figures.count('world', what)
    buyer.history.push(`${merchant.now().toISOString()} at the provider: ${what} ${id}`)
  }
  if (what === 'fail' && living) {
    merchant.failNextPayment(living.id)
    done(living.id)
  }
  if (what === 'fail' || !charge) return
  if (what === 'dispute') merchant.dispute(charge.id)
  else merchant.refund(charge.id, what === 'partly' ? 100 : undefined)
  done(charge.id)
}

/** What was never delivered is asked for, where the provider keeps its messages. */
const pull = async ({ m, seller, merchant, figures }: Year): Promise<void> => {
  try {
    const since = new Date(merchant.now().getTime() - 29 * dayMs)
    for await (const { outcome } of m.webhooks.pull(seller.key, since))
      if (outcome !== 'duplicate') figures.count('world', 'pulled')
  } catch {
    // An outage: the next time will do.
    figures.count('world', 'pulls that failed')
  }
}

/** Everything arrives, nothing is broken any more, and what failed was tried for the last time. */
const settle = async (year: Year): Promise<void> => {
  const { merchant } = year
  for (let i = 0; i < 10; i++) await fetch(`${merchant.url}/`).catch(() => {})
  for (let round = 0; round < 12; round++) {
    await merchant.deliver({ settle: true })
    if (round % 4 === 0) await pull(year)
    await year.m.work()
    await merchant.advance({ ms: round < 4 ? 5_000 : 6 * 3_600_000 })
  }
  await merchant.deliver({ settle: true })
  await pull(year)
  for (let round = 0; round < 3; round++) {
    await merchant.advance({ ms: 5_000 })
    await year.m.work()
  }
}

const problemsOf = async (year: Year, buyer: Buyer): Promise<string[]> => {
  const held = heldBy(year, buyer)
  const user = await year.m.users.findByEmail(buyer.email)
  const gates: [gate: string, wanted: Held][] = [
    ['pro', held.opens(year.seller.prices.month)],
    ['team', held.opens(year.seller.prices.team)],
    ['book', held.opens(year.seller.prices.book)],
  ]
  const wrong = gates
    .map(([gate, wanted]) => ({
      gate,
      wanted,
      is: user?.hasGate(gate as never) === true ? 'open' : 'closed',
    }))
    .filter(({ wanted, is }) => wanted !== 'either' && wanted !== is)
    .map(({ gate, wanted, is }) => `${gate} is ${is}, and must be ${wanted}`)
  const living = held.subscriptions.filter(({ status }) => status === 'active')
  if (living.length > 1) wrong.push(`pays ${living.length} memberships at once`)
  return wrong.length === 0
    ? []
    : [
        [
          `${year.seller.key}: ${buyer.email}`,
          ...wrong.map((line) => `  ! ${line}`),
          ...held.subscriptions.map((one) => `  theirs: ${one.id} ${one.status} ${one.items[0]?.price.id}`),
          ...(user?.subscriptions() ?? []).map((one) => `  ours: ${one.id} ${one.status} ${one.price_id}`),
          ...(user?.payments() ?? []).map((one) => `  ours: ${one.id} ${one.status} ${one.price_id}`),
          ...buyer.history.map((line) => `  - ${line}`),
        ].join('\n'),
      ]
}

/** Nothing failed for good, and nothing waits that could be done. */
const unfinished = async ({ m, seller }: Year): Promise<string[]> => [
  ...(await m.webhooks.list({ failed: true })).map(
    ({ event_id, status, reason }) => `${seller.key}: the event ${event_id} is ${status}: ${reason}`,
  ),
]
