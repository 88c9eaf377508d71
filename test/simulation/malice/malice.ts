import { type Chance, createChance } from '../chance.ts'
import { createFigures, type Figures } from '../figures.ts'
import { brokenMoney, lookAtDoubles } from '../invariants.ts'
import { gates } from '../plan.ts'
import { openSite } from '../site.ts'
import { settleEverything } from '../trouble.ts'
import type { World } from '../world.ts'
import { entitledTo, moneyOf, type Rules } from './entitled.ts'
import { type MisdeedName, misdeeds } from './misdeeds.ts'
import { anotherSelf, comeIn, type Rogue, selfOf } from './rogue.ts'

export interface MaliceOptions {
  readonly seed: string
  readonly rogues: number
  readonly days: number
  /** A fresh, empty database. */
  readonly database: string
  /** What is not tried. */
  readonly without?: readonly MisdeedName[]
  readonly trial?: Rules['trial']
  readonly progress?: (line: string) => void
}

export interface Malice {
  /** Access that nobody paid for, and money that was taken twice; none when all is well. */
  readonly broken: readonly string[]
  /** Money in against access given, a line for each. */
  readonly table: readonly string[]
  readonly figures: Figures['counts']
  readonly seconds: number
}

const start = new Date('2026-01-15T06:00:00Z')
const hours = [8, 20] as const

/** A site whose every member wants the most for the least, and is looked at several times a day. */
export async function simulateMalice(options: MaliceOptions): Promise<Malice> {
  const began = Date.now()
  const site = await openSite({ ...options, chance: createChance(options.seed, 'site'), start, chaos: {} })
  const world: World = { site, people: [], figures: createFigures(), broken: new Map(), timeouts: 0 }
  const rules = { trial: options.trial ?? 'once' } as const
  const rogues = Array.from({ length: options.rogues }, (_, n): Rogue => ({ number: n + 1, selves: [] }))
  const books = new Map(rogues.map((rogue) => [rogue, new Map<string, number>()]))
  try {
    for (const rogue of rogues) anotherSelf(world, rogue)
    for (let n = 0; n < options.days; n++) {
      for (const hour of hours) {
        await site.fake.advance(new Date(start.getTime() + n * 86_400_000 + hour * 3_600_000))
        await settle(world)
        for (const rogue of rogues) await look(world, rogue, books.get(rogue)!, rules)
        for (const rogue of rogues) {
          const chance = createChance(options.seed, `${n} ${hour} ${rogue.number}`)
          if (chance.one(0.2)) await misbehave(world, rogue, chance, options.without ?? [])
        }
        await settle(world)
        for (const rogue of rogues) await look(world, rogue, books.get(rogue)!, rules)
      }
      lookAtDoubles(world)
      if (n % 30 === 29) options.progress?.(`day ${n + 1} of ${options.days}: ${site.served()} requests`)
    }
    await settleEverything(world, [])
    const broken = [...world.broken.values(), ...brokenMoney(world)]
    const table = rogues.map((rogue) => line(world, rogue, books.get(rogue)!))
    return { broken, table, figures: world.figures.counts, seconds: (Date.now() - began) / 1000 }
  } finally {
    await site.close()
  }
}

async function settle({ site }: World): Promise<void> {
  await site.fake.deliver({ settle: true })
  await site.m().runDueJobs()
}

async function misbehave(
  world: World,
  rogue: Rogue,
  chance: Chance,
  without: readonly MisdeedName[],
): Promise<void> {
  await comeIn(world, selfOf(rogue))
  const hasSomething = selfOf(rogue).sessions.size > 0
  const names = (Object.keys(misdeeds) as MisdeedName[]).filter((name) => !without.includes(name))
  const name = hasSomething ? chance.of(names) : 'buy the cheapest'
  world.figures.count('world', name)
  selfOf(rogue).history.push(`${world.site.fake.now().toISOString()} tries: ${name}`)
  await misdeeds[name](world, rogue, chance)
}

/** What is open now, against what may be: noted once for each gate and person. */
async function look(world: World, rogue: Rogue, book: Map<string, number>, rules: Rules): Promise<void> {
  const { users } = world.site.m()
  const may = entitledTo(world, rogue, rules)
  for (const self of rogue.selves) {
    const user = self.gone ? null : await users.findByEmail(self.email)
    const open = user === null ? [] : Object.keys(gates).filter((gate) => user.hasGate(gate as never))
    for (const gate of open) book.set(gate, (book.get(gate) ?? 0) + 1)
    const extra = open.filter((gate) => !may.has(gate))
    if (extra.length > 0) book.set(unpaid, (book.get(unpaid) ?? 0) + 1)
    const key = `${self.email} ${extra.join()}`
    if (extra.length > 0 && !world.broken.has(key))
      world.broken.set(
        key,
        [
          `${world.site.fake.now().toISOString()} ${self.email} has ${extra.join(', ')}, which nobody paid for`,
          ...user!
            .subscriptions()
            .map(
              (subscription) => `  ours: ${subscription.id} ${subscription.status} ${subscription.price_id}`,
            ),
          ...rogue.selves.flatMap(({ history }) => history).map((entry) => `  - ${entry}`),
        ].join('\n'),
      )
  }
}

// Beside the gates, how often somebody had one for nothing.
const unpaid = 'for nothing'

/** Looks, two a visit, become days. */
function daysOf(looks: number | undefined): number {
  return Math.round((looks ?? 0) / (2 * hours.length))
}

function line(world: World, rogue: Rogue, book: ReadonlyMap<string, number>): string {
  const { paid, back } = moneyOf(world, rogue)
  const days = ['pro', 'team', 'book', unpaid].map((gate) => `${gate} ${daysOf(book.get(gate))} d`)
  const name = `rogue ${rogue.number} under ${rogue.selves.length} names`
  return `${name}: in ${(paid / 100).toFixed(2)}, back ${(back / 100).toFixed(2)}; ${days.join(', ')}`
}
