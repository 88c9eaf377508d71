import type { MembershipOptions, User } from '../../../src/index.ts'
import { type Chance, createChance } from '../chance.ts'
import type { Figures } from '../figures.ts'
import type { Held } from '../held.ts'
import { sellers } from '../sellers.ts'
import { heldAtAll, oneDay, settle } from '../year.ts'
import { type Buyer, openYear, start, type Year } from '../year-site.ts'
import { type Act, type Apps, fateBy, openApps, type Purchase, settingsOf } from './life.ts'
import { type InApp, storeKeys } from './store.ts'

/** What came of it: what somebody paid for and does not have, and what is open, or counted, without being paid. */
export interface StoresEnd {
  readonly lost: readonly string[]
  readonly wrong: readonly string[]
  readonly figures: Figures
  readonly lines: readonly string[]
  /** Messages of stores by their fate. */
  readonly sent: ReadonlyMap<string, number>
  /** Purchases of testers. */
  readonly tests: number
  /** People who pay at the end, by the places where they do. */
  readonly places: Readonly<Record<'web' | 'app' | 'both', number>>
}

/**
 * Members buy the same plans on the web, at two providers, and in the apps of three stores. Messages of the
 * stores come late, twice or never. At the end, access, subscriptions and payments are compared with the
 * books of all five.
 */
export async function simulateStores(options: {
  readonly seed: string
  readonly members: number
  readonly months: number
  readonly database: string
}): Promise<StoresEnd> {
  const { seed, months } = options
  const apps = await openApps(start)
  const [seller, ...beside] = sellers.filter(({ key }) => key === 'stripe' || key === 'paddle')
  const more = settingsOf(apps) as MembershipOptions
  const { year, years, close } = await openYear({ ...options, seller: seller!, beside, more })
  const { fake } = year
  const { advance } = fake
  Object.assign(fake, {
    advance: async (...by: Parameters<typeof advance>) => {
      await advance(...by)
      apps.moveTo(fake.now())
    },
  })
  const chance = createChance(seed, 'apps')
  const fate = fateBy(createChance(seed, 'messages of stores'), { comes: 70, twice: 8, late: 14, lost: 8 })
  const places = { web: 0, app: 0, both: 0 }
  try {
    for (let day = 0; day < months * 30; day++) {
      await oneDay(years, chance, day)
      for (const buyer of year.buyers) if (chance.one(0.07)) await inTheApp(year, apps, chance, buyer)
      if (chance.one(0.8)) await apps.deliver(year.site, fate)
      if (day % 10 === 9) await catchUp(year, apps)
    }
    // A subscription that is on hold is asked for once a day.
    for (const hours of [0, 25, 3]) {
      await fake.advance({ ms: hours * 3_600_000 })
      await apps.deliver(year.site, () => 'comes')
      await settle(years)
      await catchUp(year, apps)
      await year.m.runDueJobs()
    }
    const found = { lost: [] as string[], wrong: [] as string[] }
    for (const buyer of year.buyers) await compare(years, apps, buyer, { found, places })
    found.wrong.push(...(await strangers(year, apps)))
    const given = await year.m.webhooks.list({ failed: true })
    // A message about a test purchase is held, and stays so.
    for (const { event_id, status, provider, reason } of given)
      if (status !== 'held') found.lost.push(`${provider}: the message ${event_id} is ${status}: ${reason}`)
    for (const { unacknowledged } of apps.stores)
      found.lost.push(...unacknowledged().map((id) => `google: ${id} was never acknowledged`))
    const tests = apps.purchases.filter(({ isTest }) => isTest).length
    return {
      ...found,
      figures: year.figures,
      sent: apps.sent,
      tests,
      places,
      lines: linesOf(apps, tests, places),
    }
  } finally {
    await close()
    await apps.close()
  }
}

const dayMs = 86_400_000

/** Asks for what no message told. */
async function catchUp({ m, fake, figures }: Year, { stores }: Apps): Promise<void> {
  const since = new Date(fake.now().getTime() - 29 * dayMs)
  for (const { key } of stores) {
    if (key === 'revenuecat') {
      const { mended } = await m.operator.compare({ provider: key, write: true, yes: true })
      figures.count('world', `${key} mended`, mended)
      continue
    }
    for await (const { outcome } of m.webhooks.pull(key, since))
      if (outcome !== 'duplicate') figures.count('world', `${key} pulled`)
  }
}

/** Somebody opens the app, and is logged in there. */
async function inTheApp({ m, figures, buyers, fake }: Year, apps: Apps, chance: Chance, buyer: Buyer) {
  const user =
    (await m.users.findByEmail(buyer.email)) ?? (await m.users.create({ email: buyer.email, verified: true }))
  const id = await m.appUserId(user)
  const own = apps.purchases.filter((purchase) => purchase.user === id)
  const living = own.filter(({ state, isTest }) => state !== 'over' && !isTest)
  const note = (kind: string, more: string) => {
    const what = `${kind} ${more}`
    figures.count('actions', `app: ${kind}`)
    buyer.history.push(`${fake.now().toISOString()} in the app: ${what}`)
  }
  if (living.length === 0 || chance.one(0.2)) {
    const key = chance.of(storeKeys)
    const plan = chance.of<InApp>(['pro', 'pro', 'pro', 'team', 'book'])
    const isTest = chance.one(0.12)
    const isAnonymous = key === 'revenuecat' && chance.one(0.2)
    const there = living.filter(({ store }) => store.key === key)
    // A store sells one membership of a group at a time, and a book once.
    if (there.some((other) => other.plan === plan || (other.plan !== 'book' && plan !== 'book'))) return
    const bought = apps.buy(key, { user: id, plan, isTest, isAnonymous })
    const how = `${isTest ? ' as a test' : ''}${isAnonymous ? ' anonymously' : ''}`
    note(`buy${how}`, `${plan} at ${key} ${bought.id}`)
    if (isAnonymous && chance.one(0.8)) apps.act(bought, 'log in', id)
    return
  }
  const what = chance.weighted<Act>({
    'turn off': 16,
    'turn on': 14,
    fail: 12,
    'fail without grace': 8,
    recover: 16,
    pause: 8,
    refund: 10,
    'refund an earlier payment': 6,
    upgrade: 10,
    transfer: 3,
    'log in': 0,
  })
  const purchase = chance.of(living)
  const other = chance.of(buyers)
  const to = what === 'transfer' ? await m.users.findByEmail(other.email) : null
  if (apps.act(purchase, what, to === null ? undefined : await m.appUserId(to)))
    note(what, `${purchase.store.key} ${purchase.id}${to === null ? '' : ` to ${other.email}`}`)
}

/** Compares one member with the books of all providers and stores. */
async function compare(
  years: readonly Year[],
  apps: Apps,
  buyer: Buyer,
  {
    found,
    places,
  }: { found: { lost: string[]; wrong: string[] }; places: Record<'web' | 'app' | 'both', number> },
): Promise<void> {
  const { m } = years[0]!
  const user = await m.users.findByEmail(buyer.email)
  const web = heldAtAll(years, buyer)
  const id = user === null ? null : await m.appUserId(user)
  const own = apps.purchases.filter((each) => each.user === id && !each.isTest)
  const [lost, wrong]: [string[], string[]] = [[], []]
  const paid = { web: false, app: false }
  for (const [plan, what] of [
    ['pro', 'month'],
    ['team', 'team'],
    ['book', 'book'],
  ] as const) {
    const [there, here] = [
      web.opens(what),
      own.some((each) => each.plan === plan && each.store.isOpen(each.id)),
    ]
    const must: Held = here ? 'open' : there
    const is = user?.hasGate(plan as never) === true ? 'open' : 'closed'
    if (must === 'open' && is === 'closed') lost.push(`${plan} is closed and must be open`)
    if (must === 'closed' && is === 'open') wrong.push(`${plan} is open and must be closed`)
    paid.web ||= there === 'open'
    paid.app ||= here
  }
  if (paid.web || paid.app) places[paid.web && paid.app ? 'both' : paid.web ? 'web' : 'app']++
  for (const each of own) checkPurchase(user, each, lost, wrong)
  if (web.living.length > 1) wrong.push(`pays ${web.living.length} memberships on the web at once`)
  const tell = (problems: readonly string[]) =>
    [
      buyer.email,
      ...problems,
      ...web.subscriptions.map((each) => `web: ${each.id} ${each.status}`),
      ...own.map((each) => `${each.store.key}: ${each.id} ${each.plan} ${each.state}`),
      ...(user?.subscriptions() ?? []).map(
        (each) => `here: ${each.provider} ${each.id} ${each.price_id} ${each.status}`,
      ),
      ...buyer.history,
    ].join('\n  ')
  if (lost.length > 0) found.lost.push(tell(lost))
  if (wrong.length > 0) found.wrong.push(tell(wrong))
}

/** One purchase in an app: known, open as the store says, with every payment that the store kept. */
function checkPurchase(user: User | null, purchase: Purchase, lost: string[], wrong: string[]): void {
  const { store, plan, earlier } = purchase
  for (const id of [...earlier, purchase.id]) {
    if (plan !== 'book') {
      const known = user?.subscriptions().find((each) => each.id === id)
      if (known === undefined) lost.push(`${store.key} ${id} is not known`)
      else if (known.active !== store.isOpen(id))
        (known.active ? wrong : lost).push(`${store.key} ${id} is ${known.status} (${known.provider_status})`)
    }
    for (const [payment, amount] of store.kept(id)) {
      const known = user?.payments().find((each) => each.id === payment)
      const kept = known === undefined ? 0 : known.amount - known.amount_refunded
      if (kept < amount) lost.push(`${store.key} ${payment}: ${kept} of ${amount} is known`)
      if (kept > amount) wrong.push(`${store.key} ${payment}: ${kept} is known, and the store kept ${amount}`)
    }
  }
}

/** What is stored of test purchases and of people who never logged in: no live subscription with an owner. */
async function strangers({ m }: Year, apps: Apps): Promise<string[]> {
  const rows = await m.storage.read((db) => db.selectFrom('subscriptions').select(['id', 'provider']))
  const tests = new Set(apps.purchases.filter(({ isTest }) => isTest).map(({ id }) => id))
  return rows
    .filter(({ id }) => tests.has(id))
    .map(({ id, provider }) => `${provider}: the test purchase ${id} is stored`)
}

function linesOf(apps: Apps, tests: number, places: Readonly<Record<string, number>>): string[] {
  const real = apps.purchases.filter(({ isTest }) => !isTest)
  const perStore = apps.stores.map(
    ({ key }) => `${key} ${real.filter(({ store }) => store.key === key).length}`,
  )
  return [
    `purchases in apps: ${perStore.join(', ')}; test purchases: ${tests}`,
    `messages of stores: ${[...apps.sent].map(([name, count]) => `${name} ${count}`).join(', ')}`,
    `paid at the end: ${Object.entries(places)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ')}`,
  ]
}
