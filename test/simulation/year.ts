import type { OutageKind } from '../../src/fakes/engine/index.ts'
import { type Chance, createChance } from './chance.ts'
import type { Figures } from './figures.ts'
import { type Held, heldBy } from './held.ts'
import { sortKeptMoney } from './kept-money.ts'
import type { costs } from './sellers.ts'
import { type Buyer, openYear, start, type Year, type YearOptions } from './year-site.ts'
import { atTheProvider, visit } from './year-visits.ts'

/**
 * Members, a site and one provider, or several, for so many months: purchases, changes, refusals, refunds,
 * messages that are lost, late and double, outages and restarts. What the provider cannot do is refused, and
 * tried all the same. Then everybody's access is compared with the fake's books.
 */
export async function simulateYear(options: YearOptions): Promise<{ broken: string[]; figures: Figures }> {
  const { seed, months } = options
  const chance = createChance(seed, `year of ${options.seller.key}`)
  const { year, years, close } = await openYear(options)
  try {
    for (let day = 0; day < months * 30; day++) {
      // Those that name no provider go to one after the other.
      const next = years[Math.floor((day * years.length) / (months * 30))]!
      if (next.seller.key !== year.handler) await year.restart(next.seller.key)
      await oneDay(years, chance, day)
    }
    await settle(years)
    const broken: string[] = []
    for (const buyer of year.buyers) broken.push(...(await problemsOf(years, buyer)))
    broken.push(...(await unfinished(year)))
    const kept = await sortKeptMoney(years)
    for (const [what, n] of kept.behind) year.figures.count('money', `behind ${what}`, n)
    broken.push(...kept.broken)
    return { broken, figures: year.figures }
  } finally {
    await close()
  }
}

const dayMs = 86_400_000

type Years = readonly Year[]

/** One day of everybody on the web. */
export async function oneDay(years: Years, chance: Chance, day: number): Promise<void> {
  const { figures, buyers, restart } = years[0]!
  const moment = new Date(start.getTime() + day * dayMs + chance.number(3_600, 80_000) * 1000)
  for (const { fake } of years) await fake.advance(moment)
  for (const { fake, outages } of years)
    if (chance.one(0.03)) {
      const kind = chance.of<OutageKind>(['500', '503', 'reset', 'after'])
      outages.push(fake.outage({ kind, requests: chance.of([1, 2, 3, 6]) }))
      figures.count('world', `outage ${kind}`)
    }
  if (chance.one(0.05)) {
    const delivering = Promise.all(years.map(({ fake }) => fake.deliver()))
    await restart()
    await delivering
    figures.count('world', 'restart')
  }
  for (const buyer of buyers) {
    if (chance.one(0.06)) await visit(yearFor(years, chance, buyer), chance, buyer)
    if (chance.one(0.01)) atTheProvider(yearFor(years, chance, buyer), chance, buyer)
  }
  for (const { fake } of years)
    if (chance.one(0.7)) figures.count('world', 'delivered', (await fake.deliver()).delivered)
  if (chance.one(0.7)) await years[0]!.m.runDueJobs()
  if (day % 10 === 9) for (const year of years) await catchUp(year)
}

/** Whoever has a membership is mostly seen where it is; sometimes they try another provider. */
function yearFor(years: Years, chance: Chance, buyer: Buyer): Year {
  if (years.length === 1) return years[0]!
  const own = years.find((year) => heldBy(year, buyer).living.length > 0)
  return own !== undefined && chance.one(0.7) ? own : chance.of(years)
}

/** What was never delivered is asked for; where the provider keeps no messages, everything is compared with it. */
async function catchUp({ m, seller, fake, figures }: Year): Promise<void> {
  try {
    if (seller.keepsNoMessages) {
      const { mended } = await m.operator.compare({ provider: seller.key, write: true, yes: true })
      figures.count('world', 'mended', mended)
      return
    }
    const since = new Date(fake.now().getTime() - 29 * dayMs)
    for await (const { outcome } of m.webhooks.pull(seller.key, since))
      if (outcome !== 'duplicate') figures.count('world', 'pulled')
  } catch {
    // An outage: the next time will do.
    figures.count('world', 'pulls that failed')
  }
}

/** Everything arrives, nothing is broken any more, and what failed was tried for the last time. */
export async function settle(years: Years): Promise<void> {
  const arrive = async (isCaughtUp: boolean): Promise<void> => {
    for (const { fake } of years) await fake.deliver({ settle: true })
    if (isCaughtUp) for (const year of years) await catchUp(year)
  }
  const wait = async (ms: number): Promise<void> => {
    for (const { fake } of years) await fake.advance({ ms })
  }
  for (const { outages } of years) for (const end of outages) end()
  for (let round = 0; round < 12; round++) {
    await arrive(round % 4 === 0)
    await years[0]!.m.runDueJobs()
    await wait(round < 4 ? 5_000 : 6 * 3_600_000)
  }
  await arrive(true)
  for (let round = 0; round < 3; round++) {
    await wait(5_000)
    await years[0]!.m.runDueJobs()
  }
}

/** What somebody has at all providers together. */
export function heldAtAll(years: Years, buyer: Buyer) {
  const all = years.map((year) => heldBy(year, buyer))
  return {
    opens: (what: keyof typeof costs): Held => {
      const each = all.map((held) => held.opens(what))
      return each.includes('open') ? 'open' : each.includes('either') ? 'either' : 'closed'
    },
    living: all.flatMap(({ living }) => living),
    unbegun: all.reduce((sum, { unbegun }) => sum + unbegun, 0),
    subscriptions: all.flatMap(({ subscriptions }) => subscriptions),
  }
}

/** What of a buyer's access does not follow from the providers' books. */
export async function problemsOf(years: Years, buyer: Buyer): Promise<string[]> {
  const held = heldAtAll(years, buyer)
  const user = await years[0]!.m.users.findByEmail(buyer.email)
  const gates: [gate: string, wanted: Held][] = [
    ['pro', held.opens('month')],
    ['team', held.opens('team')],
    ['book', held.opens('book')],
  ]
  const wrong = gates
    .map(([gate, wanted]) => ({
      gate,
      wanted,
      is: user?.hasGate(gate as never) === true ? 'open' : 'closed',
    }))
    .filter(({ wanted, is }) => wanted !== 'either' && wanted !== is)
    .map(({ gate, wanted, is }) => `${gate} is ${is}, and must be ${wanted}`)
  for (const { id, provider } of user?.subscriptions() ?? []) {
    const at = years.find(({ seller }) => seller.key === provider)
    if (at?.fake.books.list('subscription').every((subscription) => subscription.id !== id) !== false)
      wrong.push(`${id} is not of ${provider}`)
  }
  for (const [plan, what] of [
    ['pro', 'month'],
    ['team', 'team'],
  ] as const) {
    const prices = years.map(({ seller }) => seller.prices[what])
    const living = held.living.find(({ items }) => items.some(({ price }) => prices.includes(price.id)))
    const found = user?.subscriptionForPrice(plan as never)?.id
    // Where an approved change waits for its payment, the plan that was paid last is still found.
    if (living !== undefined && found !== living.id && held.opens(what) !== 'either')
      wrong.push(`for ${plan} ${found} is found, not ${living.id}`)
  }
  if (held.living.length > 1) wrong.push(`pays ${held.living.length} memberships at once`)
  if (held.unbegun > 0) wrong.push(`paid for ${held.unbegun} memberships that never began`)
  return wrong.length === 0
    ? []
    : [
        [
          `${years.map(({ seller }) => seller.key).join(' and ')}: ${buyer.email}`,
          ...wrong.map((line) => `  ! ${line}`),
          ...held.subscriptions.map(
            (subscription) =>
              `  theirs: ${subscription.id} ${subscription.status} ${subscription.items[0]?.price.id}`,
          ),
          ...(user?.subscriptions() ?? []).map(
            (subscription) =>
              `  ours: ${subscription.provider} ${subscription.id} ${subscription.status} ${subscription.price_id}`,
          ),
          ...(user?.payments() ?? []).map(
            (payment) => `  ours: ${payment.id} ${payment.status} ${payment.price_id}`,
          ),
          ...buyer.history.map((line) => `  - ${line}`),
        ].join('\n'),
      ]
}

/** Nothing failed for good, and nothing waits that could be done. */
export async function unfinished({ m, seller }: Year): Promise<string[]> {
  return [
    ...(await m.webhooks.list({ failed: true })).map(
      ({ event_id, status, reason }) => `${seller.key}: the event ${event_id} is ${status}: ${reason}`,
    ),
  ]
}
