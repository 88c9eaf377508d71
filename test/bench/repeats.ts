import type { TestDatabase } from '../support/databases.ts'
import { benchEvent, median, secret, signature } from './events.ts'

type Kind = 'new' | 'repeated' | 'half repeated'

interface Taken {
  readonly cpu: number
  readonly wall: number
}

/** CPU time of deliveries that were taken before, beside new ones of the same rounds: providers send all of an outage again. */
export async function benchRepeats(
  database: TestDatabase,
  { rounds, events, senders = 64 }: { rounds: number; events: number; senders?: number },
): Promise<void> {
  const built = new URL('../../dist/index.js', import.meta.url).href
  const { createMembership } = (await import(built)) as typeof import('../../src/index.ts')
  const m = await createMembership({
    'membership.database.url': await database.url(),
    'membership.providers.stripe.webhook': secret,
    'membership.providers.stripe.livemode': false,
    install: false,
    root: false,
    log: () => {},
  })
  let version = 0
  const bodies = () => {
    version++
    return Array.from({ length: events }, (_, n) => benchEvent(`evt_${version}_${n}`, n, version))
  }
  const take = async (all: readonly Buffer[]): Promise<Taken> => {
    const deliveries = all
      .map((body) => ({ body, headers: { 'stripe-signature': signature(body) } }))
      .values()
    const [cpu, wall] = [process.cpuUsage(), performance.now()]
    const sender = async () => {
      for (const one of deliveries) await m.webhooks.receive('stripe', one)
    }
    await Promise.all(Array.from({ length: senders }, sender))
    const { user, system } = process.cpuUsage(cpu)
    return { cpu: (user + system) / all.length, wall: (performance.now() - wall) / all.length }
  }
  const taken: Record<Kind, Taken[]> = { new: [], repeated: [], 'half repeated': [] }
  for (let round = -2; round < rounds; round++) {
    const before = bodies()
    const fresh = await take(before)
    const again = await take(before)
    const after = bodies()
    const mixed = await take(after.map((body, n) => (n % 2 === 0 ? body : before[n]!)))
    // The first two compile what runs often.
    if (round < 0) continue
    taken.new.push(fresh)
    taken.repeated.push(again)
    taken['half repeated'].push(mixed)
  }
  await m.close()
  const ofNew = (kind: Kind) => median(taken[kind].map(({ cpu }, i) => cpu / taken.new[i]!.cpu))
  console.log(
    `\n### Repeated deliveries, ${database.name === 'sqlite' ? 'SQLite' : 'PostgreSQL'}, ${senders} connections\n\n| deliveries | CPU µs each | of new | ms each |\n|---|---|---|---|`,
  )
  for (const kind of Object.keys(taken) as Kind[])
    console.log(
      `| ${kind} | ${Math.round(median(taken[kind].map(({ cpu }) => cpu)))} | ${ofNew(kind).toFixed(2)} | ${median(taken[kind].map(({ wall }) => wall)).toFixed(2)} |`,
    )
}
