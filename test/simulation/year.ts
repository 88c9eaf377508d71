import type { OutageKind } from '../../src/merchant/index.ts'
import { type Chance, createChance } from './chance.ts'
import type { Figures } from './figures.ts'
import { type Held, heldBy } from './held.ts'
import { type Buyer, openYear, start, type Year, type YearOptions } from './year-site.ts'
import { atTheProvider, visit } from './year-visits.ts'

/** Members, a site and one provider for so many months: purchases, changes, refusals, refunds, messages that are lost, late
 *  and double, outages and restarts. What the provider cannot do is refused, and tried all the same. Then everybody's
 *  access is compared with the merchant's books. */
export const simulateYear = async (options: YearOptions): Promise<{ broken: string[]; figures: Figures }> => {
  const { seed, months } = options
  const chance = createChance(seed, `year of ${options.seller.key}`)
  const { year, close } = await openYear(options)
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

const dayMs = 86_400_000

const oneDay = async (year: Year, chance: Chance, day: number): Promise<void> => {
  const { merchant, figures, buyers } = year
  await merchant.advance(new Date(start.getTime() + day * dayMs + chance.number(3_600, 80_000) * 1000))
  if (chance.one(0.03)) {
    const kind = chance.of<OutageKind>(['500', '503', 'reset', 'after'])
    year.outages.push(merchant.outage({ kind, requests: chance.of([1, 2, 3, 6]) }))
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
  if (day % 10 === 9) await catchUp(year)
}

/** What was never delivered is asked for; where the provider keeps no messages, everything is compared with it. */
const catchUp = async ({ m, seller, merchant, figures }: Year): Promise<void> => {
  try {
    if (seller.keepsNoMessages) {
      const { mended } = await m.compare({ provider: seller.key, write: true, yes: true })
      figures.count('world', 'mended', mended)
      return
    }
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
  for (const end of year.outages) end()
  for (let round = 0; round < 12; round++) {
    await merchant.deliver({ settle: true })
    if (round % 4 === 0) await catchUp(year)
    await year.m.work()
    await merchant.advance({ ms: round < 4 ? 5_000 : 6 * 3_600_000 })
  }
  await merchant.deliver({ settle: true })
  await catchUp(year)
  for (let round = 0; round < 3; round++) {
    await merchant.advance({ ms: 5_000 })
    await year.m.work()
  }
}

const problemsOf = async (year: Year, buyer: Buyer): Promise<string[]> => {
  const held = heldBy(year, buyer)
  const user = await year.m.users.findByEmail(buyer.email)
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
  if (held.living.length > 1) wrong.push(`pays ${held.living.length} memberships at once`)
  if (held.unbegun > 0) wrong.push(`paid for ${held.unbegun} memberships that never began`)
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
