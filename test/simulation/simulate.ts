import type { FaultName } from '../../src/fakes/engine/index.ts'
import { type Chance, createChance } from './chance.ts'
import { createFigures, type Figures } from './figures.ts'
import { findBroken, lookAtDoubles } from './invariants.ts'
import { visit } from './members.ts'
import { createPerson, type Person } from './person.ts'
import { openSite } from './site.ts'
import { pull, settleEverything, sweepUp, trouble } from './trouble.ts'
import type { World } from './world.ts'

export interface SimulationOptions {
  readonly seed: string
  readonly members: number
  readonly months: number
  /** A fresh, empty database. */
  readonly database: string
  /** How many requests are never answered: each costs twenty seconds of waiting. */
  readonly timeouts?: number
  /** Lasting faults of the provider, to the end. */
  readonly faults?: readonly FaultName[]
  readonly progress?: (line: string) => void
}

export interface Simulated {
  /** What does not hold, each ready to act on; none when all is well. */
  readonly broken: readonly string[]
  readonly figures: Figures['counts']
  readonly explained: readonly string[]
  readonly seconds: number
}

const start = new Date('2026-01-15T06:00:00Z')
const day = 86_400_000
// About one visit a month.
const visitsPerDay = 0.035

/** Members, a provider and a site for so many months, with everything that goes wrong in between. */
export async function simulate(options: SimulationOptions): Promise<Simulated> {
  const { seed, members, months } = options
  const began = Date.now()
  const chance = createChance(seed, 'world')
  const site = await openSite({ ...options, chance: createChance(seed, 'site'), start })
  const world: World = {
    site,
    people: [],
    figures: createFigures(),
    broken: new Map(),
    timeouts: options.timeouts ?? 0,
  }
  try {
    const days = months * 30
    for (let n = 0; n < days; n++) {
      // Everybody has come by when a third of the time is over.
      const expected = Math.ceil(members * Math.min(1, ((n + 1) * 3) / days))
      const newcomers = expected - world.people.length
      for (let i = 0; i < newcomers; i++) world.people.push(newcomer(world))
      await oneDay(world, chance, { seed, n, newcomers: newcomers > 0 ? world.people.slice(-newcomers) : [] })
      if (n % 7 === 0) lookAtDoubles(world)
      // More often than the provider forgets, also when one of them fails.
      if (n % 10 === 9) await pull(world)
      if (n % 30 === 29) options.progress?.(progressOf(world, { month: (n + 1) / 30, months, began }))
    }
    const explained: string[] = []
    await settleEverything(world, explained)
    const broken = [...world.broken.values(), ...(await findBroken(world, explained))]
    return { broken, explained, figures: world.figures.counts, seconds: (Date.now() - began) / 1000 }
  } finally {
    await site.close()
  }
}

function newcomer({ site, people }: World): Person {
  return createPerson(`Member ${people.length + 1}`, `m${people.length + 1}@example.com`, site.site)
}

async function oneDay(
  world: World,
  chance: Chance,
  { seed, n, newcomers }: { seed: string; n: number; newcomers: readonly Person[] },
): Promise<void> {
  const { fake } = world.site
  const midnight = start.getTime() + n * day
  for (const hour of [8, 14, 20]) {
    await fake.advance(new Date(midnight + hour * 3_600_000 + chance.number(0, 3_000) * 1000))
    await trouble(world, chance)
    const visits: (() => Promise<void>)[] = []
    for (const [i, person] of world.people.entries()) {
      // Of their own stream: what one does moves nobody else.
      const own = createChance(seed, `${n} ${hour} ${i}`)
      const isDue = newcomers.includes(person) ? hour === 8 : own.one(visitsPerDay / 3)
      if (isDue && !person.gone) visits.push(() => visit(world, person, own))
      else if (person.gone && !person.again && own.one(0.01)) comeAgain(world, person)
    }
    await allOf(world, visits, chance)
    await sweepUp(world, chance)
  }
}

/** One after the other, with some time in between; now and then all at once. */
async function allOf(
  { site }: World,
  visits: readonly (() => Promise<void>)[],
  chance: Chance,
): Promise<void> {
  if (chance.one(0.2)) {
    await Promise.all(visits.map((visit) => visit()))
    return
  }
  for (const visit of visits) {
    await visit()
    await site.fake.advance({ ms: chance.number(0, 40_000) })
  }
}

/** Somebody who had left buys again, with the same address. */
function comeAgain(world: World, person: Person): void {
  person.again = true
  world.figures.count('world', 'somebody who left comes again')
  world.people.push(createPerson(`${person.name} again`, person.email, world.site.site))
}

function progressOf(
  { people, site, figures }: World,
  { month, months, began }: { month: number; months: number; began: number },
): string {
  const actions = [...figures.counts.actions.values()].reduce((sum, count) => sum + count, 0)
  const living = site.fake.objects.list('subscription').filter(({ status }) => status !== 'canceled').length
  const seconds = ((Date.now() - began) / 1000).toFixed(0)
  return `month ${month} of ${months}: ${people.length} members, ${living} living subscriptions, ${actions} actions, ${site.served()} requests, ${seconds} s`
}
