import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Chaos } from '../../../src/fakes/engine/index.ts'
import { createMembership, type Membership, type MembershipOptions, type User } from '../../../src/index.ts'
import type { AfterEvents, Hooks } from '../../../src/memberships/hooks/hook-events.ts'
import { countFigures } from '../../../src/office/figures.ts'
import { monthRows } from '../../../src/office/money-page.ts'
import { createMailbox, logIn } from '../../support/visitor.ts'
import { type Chance, createChance } from '../chance.ts'
import type { Seller } from '../sellers.ts'
import { sellers } from '../sellers.ts'
import { openShop, settingsOf } from '../year-site.ts'
import {
  type Account,
  addPerson,
  fates,
  foreignWords,
  liveOn,
  lookUpKey,
  moveKey,
  ownWords,
  type Person,
  priceOf,
  stock,
  type Word,
} from './account.ts'

/** Of which provider, how large, and for how long. */
export interface ShopsOptions {
  readonly seller: Seller
  readonly seed: string
  readonly customers: number
  readonly months: number
  /** A fresh, empty database. */
  readonly database: string
  /** Hears which day is over, because a large account takes an hour. */
  readonly onDay?: (day: number) => void
}

/** The rules that hold, whatever the account sells beside this site. */
export const shopLaws = {
  'no account': 'who bought nothing here has no account',
  'no mail': 'who bought nothing here gets no mail, and no mail speaks of other shops',
  'no figure': 'the figures count nothing that other shops sold',
  'no hook': 'hooks and receivers hear nothing of other shops',
  'no changing call': 'no call changes what other shops sold',
  'open when paid': 'whoever pays for a plan of this site has its gate',
  counted: 'each payment for what this site sold is counted, and its buyer has an account',
  kept: 'the messages about what this site sold keep their bodies',
  forgotten: 'what is stored of another shop’s purchase names nobody',
  'nothing for nothing': 'what other shops sold opens nothing',
  'plan writes nothing': 'the plan of an import writes nothing, and says what the import then does',
  'quiet import': 'an import sends no mail',
  'second import': 'a second import changes nothing',
  'any order':
    'the same messages leave the same rows, whatever their order and whenever plans and prices are known',
} as const

export interface ShopsEnd {
  readonly broken: readonly string[]
  readonly counts: ReadonlyMap<string, number>
}

export const start = new Date('2026-01-05T06:00:00Z')
const historyDays = 40

/**
 * An account that already sells for three apps gets a site of this package: its plan, its import, a second import, then a
 * year of everybody's events, with deletions, a merge and a switch to another provider.
 */
export async function simulateShops(options: ShopsOptions): Promise<ShopsEnd> {
  const { seller, seed, customers, months, onDay } = options
  const chance = createChance(seed, `shops of ${seller.key}`)
  const counts = new Map<string, number>()
  const count = (what: string, n = 1): void => void counts.set(what, (counts.get(what) ?? 0) + n)
  const opened = await openSite({ ...options, isLarge: isLarge(customers) })
  const { fake } = opened
  const account: Account = {
    seller,
    fake,
    count,
    people: [],
    foreign: new Set(),
    mixed: new Set(),
    taken: new Set(),
  }
  const broken: string[] = []
  const world: Shops = Object.assign(opened, {
    account,
    chance,
    count,
    gone: new Map<string, string | null>(),
    broke: (law: Law, what: string) => void broken.push(`${seller.key}: ${law}: ${what}`),
  })
  try {
    await age(account, chance, customers)
    await world.begin()
    await takeOver(world)
    for (let day = 0; day < months * 30; day++) {
      await oneDay(world, day, months * 30)
      onDay?.(day)
    }
    await settle(world)
    await check(world)
    await checkForgotten(world)
    return { broken, counts }
  } finally {
    await opened.close()
  }
}

function isLarge(customers: number): boolean {
  return customers > 500
}

type Law = keyof typeof shopLaws

interface Shops extends Awaited<ReturnType<typeof openSite>> {
  readonly account: Account
  readonly chance: Chance
  /** Members who were deleted or merged: their address, and that of the account that is left. */
  readonly gone: Map<string, string | null>
  count(what: string, n?: number): void
  broke(law: Law, what: string): void
}

const hookNames: readonly (keyof AfterEvents)[] = [
  'subscription.started',
  'subscription.changed',
  'subscription.paused',
  'subscription.renewed',
  'subscription.canceled',
  'payment.received',
  'payment.refunded',
  'member.created',
  'access.changed',
]

interface SiteOptions extends Pick<ShopsOptions, 'seller' | 'seed' | 'database'> {
  /** True for an account so large that deliveries reach the site without a socket. */
  readonly isLarge?: boolean
  /** What becomes of deliveries, instead of the usual mishaps. */
  readonly chaos?: Chaos
}

const mishaps: Chaos = { drop: 0.02, duplicate: 0.06, delay: 0.1, reorder: 0.15 }

/** What a site sells beside the plans of every simulation. */
interface MorePlans {
  readonly plans: Readonly<Record<string, object>>
  /** Names of prices beside the plans. */
  readonly names: readonly string[]
}

/** Opens the account, and the address of a site that is not there yet. */
export async function openSite({ seller, seed, database, chaos = mishaps, isLarge = false }: SiteOptions) {
  let m: Membership | null = null
  let listener: ReturnType<Membership['listener']> | null = null
  const heard: { readonly name: string; readonly text: string }[] = []
  const server = createServer((request, response) => {
    if (listener) listener(request, response)
    else response.writeHead(503).end()
  }).listen(0, '127.0.0.1')
  await new Promise((ready) => server.once('listening', ready))
  const site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const other = sellers.find(({ key }) => key === (seller.key === 'stripe' ? 'paddle' : 'stripe'))!
  const fetch = async (request: Request): Promise<Response> =>
    listener === null ? new Response(null, { status: 503 }) : m!.fetch(request)
  const fake = await openShop(seller, { seed, start, site, chaos, ...(isLarge ? { fetch } : {}) })
  const beside = await openShop(other, { seed, start, site })
  stock(fake, seller)
  const mailbox = createMailbox()
  const hooks: Hooks = Object.fromEntries(
    hookNames.map((name) => [
      name,
      (event: object) => void heard.push({ name, text: JSON.stringify(event) }),
    ]),
  )
  const own = settingsOf({ seller, fake })
  const settingsWith = ({ plans, names }: MorePlans) => ({
    'membership.database.url': database,
    'membership.database.synchronous': 'normal',
    'membership.url': site,
    'membership.provider.handler': seller.key as 'stripe',
    'membership.provider.choices': [seller.key as 'stripe', other.key as 'stripe'],
    [`membership.providers.${seller.key}`]: {
      ...own,
      prices: [...names],
      plans: {
        ...own.plans,
        ...plans,
        pro: {
          group: 'membership',
          prices: [
            ...own.plans.pro.prices,
            { id: priceOf(seller, 'year'), amount: 9000, currency: 'USD', interval: 'year' },
            ...(seller.key === 'stripe' ? [{ id: lookUpKey }] : []),
          ],
          retired: [
            priceOf(seller, 'old'),
            ...(seller.key === 'stripe' ? [] : [priceOf(seller, 'keyed'), priceOf(seller, 'keyedNow')]),
          ],
        },
      },
    },
    [`membership.providers.${other.key}`]: settingsOf({ seller: other, fake: beside }),
    'membership.ratelimit.limit': 10_000_000,
    'membership.secret': 'a secret of the simulation, long enough',
    'membership.compare.automatic': false,
    install: false,
    root: false,
    hooks,
    now: () => fake.now(),
    log: () => {},
    ...mailbox.options,
  })
  return {
    fake,
    beside,
    other,
    site,
    mailbox,
    heard,
    begin: async (more: MorePlans = { plans: {}, names: [] }): Promise<void> => {
      m = await createMembership(settingsWith(more) as MembershipOptions)
      listener = m.listener()
    },
    /** Ends the site's process; the account goes on. */
    end: async (): Promise<void> => {
      listener = null
      await m?.close()
    },
    get m(): Membership {
      return m!
    },
    close: async (): Promise<void> => {
      server.closeAllConnections()
      server.close()
      await m?.close()
      await fake.close()
      await beside.close()
    },
  }
}

/** Fills the account, as if it had sold for weeks. */
export async function age(account: Account, chance: Chance, customers: number): Promise<void> {
  const planned = Array.from({ length: customers }, (_, n) => {
    const fate = chance.weighted(fates)
    // Whose card fails at the first renewal is past due when the site comes.
    const day = fate === 'past due' ? chance.number(5, 7) : Math.floor((n / customers) * (historyDays - 2))
    return { day, fate }
  })
  for (let day = 0; day < historyDays; day++) {
    if (day === historyDays / 2 && account.seller.key === 'stripe')
      await moveKey(account.fake, {
        from: priceOf(account.seller, 'keyed'),
        to: priceOf(account.seller, 'keyedNow'),
      })
    for (const each of planned) if (each.day === day) await addPerson(account, chance, each.fate)
    await account.fake.advance({ days: 1 })
  }
  // Periods end at the hour of their purchase; the site comes between two of them.
  await account.fake.advance({ ms: 5 * 3_600_000 })
}

/** Looks at the plan of an import, imports, and imports again. */
async function takeOver({ m, account, mailbox, broke, count }: Shops): Promise<void> {
  const { key } = account.seller
  const empty = await rowsOf(m)
  const planned = await m.operator.import({ provider: key })
  if ((await rowsOf(m)) !== empty) broke('plan writes nothing', 'rows changed')
  const written = await m.operator.import({ provider: key, write: true })
  for (const what of ['made', 'matched', 'others', 'unmatched'] as const) {
    const [said, did] = [JSON.stringify(planned[what]), JSON.stringify(written[what])]
    if (said !== did) broke('plan writes nothing', `${what}: said ${said}, did ${did}`)
  }
  await m.runDueJobs()
  const before = await rowsOf(m)
  await m.operator.import({ provider: key, write: true })
  await m.runDueJobs()
  const after = await rowsOf(m)
  if (after !== before) broke('second import', differenceOf(before, after))
  for (const { to, subject, text } of mailbox.sent)
    broke('quiet import', `${to}: ${subject}: ${text.slice(0, 200)}`)
  count('accounts by import', written.made)
  count(
    'subscriptions of others at import',
    written.others.reduce((sum, each) => sum + each.subscriptions, 0),
  )
}

const kept = [
  'members',
  'customers',
  'subscriptions',
  'other_subscriptions',
  'facts',
  'payment_refs',
  'payments',
] as const

/** Every row that an import could write, as text. */
async function rowsOf(m: Membership): Promise<string> {
  const lines: string[] = []
  for (const table of kept)
    for (const row of await m.storage.read((db) => db.selectFrom(table).selectAll()))
      lines.push(`${table} ${JSON.stringify(row)}`)
  return lines.sort().join('\n')
}

function differenceOf(before: string, after: string): string {
  const known = new Set(before.split('\n'))
  return after
    .split('\n')
    .filter((line) => !known.has(line))
    .slice(0, 3)
    .join(' | ')
}

/** One day of everybody, and of the site. */
async function oneDay(shops: Shops, day: number, days: number): Promise<void> {
  const { account, chance, fake, beside, m, count } = shops
  const { people } = account
  await fake.advance({ days: 1 })
  await beside.advance(fake.now())
  for (let n = 0; n < Math.max(1, people.length * 0.02); n++) await liveOn(account, chance)
  if (chance.one(Math.min(1, people.length / 400))) await addPerson(account, chance, 'living')
  if (chance.one(0.8)) await fake.deliver()
  await beside.deliver()
  if (chance.one(0.8)) await m.runDueJobs()
  // A large account is compared more rarely, because each comparison reads all of it.
  if ((day + 1) % Math.max(10, Math.round(people.length / 10)) === 0) {
    const { mended } = await m.operator.compare({ provider: account.seller.key, write: true, yes: true })
    count('mended', mended)
  }
  // A site asks for missed messages by itself; a provider without lists of subscriptions can say them in no other way.
  if ((day + 1) % 28 === 0 || day === days - 1) await pullMissed(shops)
  // A tenth of the members leaves, spread over the middle of the year.
  if (day > days * 0.2 && day < days * 0.8 && chance.one((0.1 * people.length) / (days * 0.6)))
    await leave(shops)
  if (day === Math.floor(days * 0.3)) await switchPlan(shops)
  if (day === Math.floor(days * 0.4)) await merge(shops)
  if (day === Math.floor(days * 0.9)) await switchProvider(shops)
}

/** Asks for the messages of the last month that never arrived, where the provider keeps them. */
async function pullMissed({ account: { seller }, fake, m, count }: Shops): Promise<void> {
  if (seller.keepsNoMessages) return
  await fake.deliver({ settle: true })
  const since = new Date(fake.now().getTime() - 29 * 86_400_000)
  for await (const { outcome } of m.webhooks.pull(seller.key as 'stripe', since))
    if (outcome !== 'duplicate') count('pulled')
}

function membersOf({ account, gone }: Shops): Person[] {
  return account.people.filter(({ email, kind }) => email !== null && kind !== 'foreign' && !gone.has(email))
}

async function leave(shops: Shops): Promise<void> {
  const { m, chance, gone, count } = shops
  const person = chance.of(membersOf(shops))
  const user = await m.users.findByEmail(person.email!)
  if (user === null) return
  gone.set(person.email!, null)
  person.history.push(`${shops.fake.now().toISOString()} deletes the account`)
  await m.users.delete(user.id)
  count('deleted accounts')
}

async function merge(shops: Shops): Promise<void> {
  const { m, site, mailbox, chance, gone, count } = shops
  const [keep, other] = [chance.of(membersOf(shops)), chance.of(membersOf(shops))]
  if (keep === other) return
  const users = await Promise.all([keep, other].map(({ email }) => m.users.findByEmail(email!)))
  const [into, from] = users
  if (!into || !from) return
  // Only proved addresses are merged.
  for (const { email } of [keep, other]) await logIn({ m, site }, mailbox, email!)
  await m.users.merge({ keep: into.id, merge: from.id, by: 'simulation', write: true })
  gone.set(other.email!, keep.email)
  count('merged accounts')
}

/** Members take another plan. What holds items of another shop stays as it is. */
async function switchPlan(shops: Shops): Promise<void> {
  const { m, account, count } = shops
  for (const person of membersOf(shops).slice(0, 20)) {
    const user = await m.users.findByEmail(person.email!)
    for (const held of user?.subscriptions() ?? []) {
      if (held.ended) continue
      const wish = { user: user!, subscriptionId: held.id, plan: 'team', price: null, quantity: null }
      const outcome = await m.subscriptions.change({ ...wish, proration: null, prorationAt: null }).then(
        () => 'done',
        ({ code, reason = '' }: { code?: string; reason?: string }) => `${code} ${reason}`,
      )
      count(`switch of plan${account.mixed.has(held.id) ? ' of a mixed subscription' : ''}: ${outcome}`)
    }
  }
}

async function switchProvider(shops: Shops): Promise<void> {
  const { m, account, other, count } = shops
  // Some providers end at once what is switched.
  await settle(shops)
  for (const person of membersOf(shops)) await checkGates(shops, person)

  const { subscriptions } = await m.operator.switch({
    from: account.seller.key as 'stripe',
    to: other.key as 'stripe',
    write: true,
  })
  for (const { kind, reason = null } of subscriptions)
    count(`switch of provider: ${kind}${reason === null ? '' : `: ${reason}`}`)
}

/** Everything arrives, and what was lost is asked for. */
async function settle({ fake, m, account }: Shops): Promise<void> {
  for (let round = 0; round < 6; round++) {
    await fake.deliver({ settle: true })
    if (round === 0 || (round === 3 && !isLarge(account.people.length)))
      await m.operator.compare({ provider: account.seller.key, write: true, yes: true })
    await m.runDueJobs()
    await fake.advance({ ms: 5000 })
  }
}

async function check(shops: Shops): Promise<void> {
  const { account, m, broke } = shops
  const own = new Set(account.people.flatMap(({ email, kind }) => (kind === 'foreign' ? [] : [email])))
  const strangers = new Set(
    account.people.flatMap(({ email }) => (email === null || own.has(email) ? [] : [email])),
  )
  const members = await m.storage.read((db) => db.selectFrom('members').select('email'))
  for (const { email } of members) if (email !== null && strangers.has(email)) broke('no account', email)
  for (const { to, subject, text } of shops.mailbox.sent) {
    if (strangers.has(to)) broke('no mail', `${to}: ${subject}`)
    const word = foreignText.exec(`${subject} ${text}`)
    if (word !== null) broke('no mail', `${to}: ${subject}: ${word[0]}`)
  }
  await checkFigures(shops)
  checkHooks(shops, strangers)
  checkCalls(shops)
  for (const person of membersOf(shops)) await checkGates(shops, person)
}

// Names and amounts of other shops.
const foreignText = /prod_(?:tool|club|shirt)|\b(?:4\.44|44\.44|7\.77|13\.13)\b/

/** A week later, nothing that is stored names anybody who bought from other shops alone. */
async function checkForgotten({ account, m, fake, broke, count }: Shops): Promise<void> {
  await fake.advance({ days: 8 })
  await m.runDueJobs()
  const strangers = new Set(
    account.people.flatMap(({ email, kind }) => (email !== null && kind === 'foreign' ? [email] : [])),
  )
  count('people of other shops', strangers.size)
  const look = (table: string, row: object): void => {
    const text = Object.values(row).map(String).join(' ')
    const found = text.match(address)?.find((email) => strangers.has(email))
    if (found !== undefined) broke('forgotten', `${table}: ${found}: ${text.slice(0, 300)}`)
  }
  for (const table of [...kept, 'past_events', 'fetches', 'outbox'] as const)
    for (const row of await m.storage.read((db) => db.selectFrom(table).selectAll())) look(table, row)
  for (let after = -1; ; ) {
    const rows = await m.storage.read((db) =>
      db.selectFrom('events').selectAll().where('seq', '>', after).orderBy('seq').limit(1000),
    )
    for (const row of rows) look('events', row)
    if (rows.length < 1000) return
    after = rows.at(-1)!.seq
  }
}

const address = /(?:own|foreign|both|mixed)\d+@example\.com/g

async function checkFigures({ m, fake, account, broke }: Shops): Promise<void> {
  const figures = await countFigures({
    storage: m.storage,
    plans: () => m.plans(),
    shopOf: m.operator.catalogue.shop,
    inIso: ({ amount }: { amount: number }) => amount,
    now: () => fake.now(),
  })
  const foreign = new Set(foreignWords.map((word) => priceOf(account.seller, word)))
  for (const { price } of figures.prices) if (foreign.has(price)) broke('no figure', `price ${price}`)
  const sums = [
    ...figures.recurring,
    ...monthRows(figures, null).flatMap(({ received, refunded, failed, recovered }) => [
      ...received,
      ...refunded,
      ...failed,
      ...recovered,
    ]),
  ]
  for (const { currency, amount } of sums) if (currency !== 'USD') broke('no figure', `${amount} ${currency}`)
  for (const { plan } of [...figures.recurring, ...figures.byMonth])
    if (foreign.has(plan)) broke('no figure', `plan ${plan}`)
}

function checkHooks({ heard, account, broke }: Shops, strangers: ReadonlySet<string>): void {
  for (const { name, text } of heard) {
    const words = text.split(/[^\w@.-]+/)
    const found = words.find((word) => strangers.has(word) || (word.length > 5 && account.foreign.has(word)))
    if (found !== undefined) broke('no hook', `${name} of ${found}`)
  }
}

/** No request of the site changes anything of another shop, whatever it names it by. */
function checkCalls({ fake, account, broke, count }: Shops): void {
  const { books } = fake
  const foreign = new Set(account.foreign)
  for (const { id, payment, subscription } of books.list('invoice'))
    if (foreign.has(subscription)) for (const each of [id, payment]) if (each !== null) foreign.add(each)
  for (const { id, payment } of books.list('charge')) if (foreign.has(payment)) foreign.add(id)
  for (const { customers, kind } of account.people)
    if (kind === 'foreign') for (const id of customers) foreign.add(id)
  // A deletion may take this site's items out of a subscription of both shops: the others' items go on as they were, until
  // their buyer or their provider ends them.
  const others = new Set(foreignWords.map((word) => priceOf(account.seller, word)))
  const isLeftToOthers = (id: string): boolean => {
    const held = books.find('subscription', id)
    return (
      held !== undefined && held.items.length > 0 && held.items.every(({ price }) => others.has(price.id))
    )
  }
  for (const { method, path, params, status } of fake.requests()) {
    // A refused call changes nothing.
    if (method === 'GET' || (status ?? 0) >= 400) continue
    count('changing calls')
    const named = [
      ...path.split(/[/?]/),
      ...Object.entries(params).flatMap(([name, value]) =>
        /id|subscription|customer|payment|charge|invoice/i.test(name) ? [String(value)] : [],
      ),
    ]
    const isEnding = method === 'DELETE' || path.includes('cancel')
    const found = named.find(
      (word) => foreign.has(word) || (account.mixed.has(word) && (isEnding || !isLeftToOthers(word))),
    )
    if (found !== undefined)
      broke('no changing call', `${method} ${path} ${JSON.stringify(params)}: ${status}`)
  }
}

const gateOf: Partial<Readonly<Record<Word, string>>> = {
  month: 'pro',
  year: 'pro',
  old: 'pro',
  keyedNow: 'pro',
  team: 'team',
}

async function checkGates(shops: Shops, person: Person): Promise<void> {
  const { m, account, fake, mailbox, site, gone, broke, count } = shops
  const { books } = fake
  const email = person.email!
  const wordOf = new Map(ownWords.map((word) => [priceOf(account.seller, word), word] as const))
  const merged = account.people.filter((each) => each.email !== null && gone.get(each.email) === email)
  const customers = new Set([person, ...merged].flatMap((each) => [...each.customers]))
  const held = books.list('subscription').filter(({ customer }) => customers.has(customer))
  const open = new Set<string>()
  // What was bought by the earlier price is this site's by its product; its plan opens once its price is named.
  const isKeyed = account.seller.key !== 'stripe'
  const wordsOpening = (word: Word) => (word === 'keyed' && isKeyed ? 'pro' : gateOf[word])
  const bought = new Set(
    [person, ...merged].flatMap((each) => [...each.bought].map((word) => wordsOpening(word))),
  )
  for (const { id, status, items } of held)
    for (const { price } of items) {
      const gate = wordsOpening(wordOf.get(price.id) ?? 'book')
      if (gate === undefined) continue
      if ((status === 'active' || status === 'trialing') && !account.taken.has(id)) open.add(gate)
    }
  if (open.size === 0) return
  let user = await m.users.findByEmail(email)
  // Whoever has several customers of one address proves it once.
  if (customers.size > 1 && user !== null) {
    await logIn({ m, site }, mailbox, email)
    user = await m.users.findByEmail(email)
  }
  for (const gate of ['pro', 'team']) {
    const is = user?.hasGate(gate as never) === true
    if (open.has(gate)) count(is ? 'paid and open' : 'paid and closed')
    // No list shows them, so that what they bought before the site came is known with its next event.
    if (open.has(gate) && !is && !person.isOfClock)
      broke('open when paid', `${email} ${gate}: ${tell(person, held)}; ${seenBy(user, gate)}`)
    // A switch of plan led there.
    const isSwitched = gate === 'team' && bought.has('pro')
    if (is && !bought.has(gate) && !isSwitched)
      broke('nothing for nothing', `${email} ${gate}: ${tell(person, held)}`)
  }
}

/** What the site says of the gate and of the member's purchases. */
function seenBy(user: User | null, gate: string): string {
  return user === null
    ? 'no account'
    : JSON.stringify([user.explain(gate as never), user.subscriptions(), user.payments()])
}

function tell({ history }: Person, held: readonly { id: string; status: string }[]): string {
  return [...held.map(({ id, status }) => `${id} ${status}`), ...history].join('; ')
}
