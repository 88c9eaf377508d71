import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { titleOf } from '../../scripts/provider-tables.ts'
import type { MembershipOptions } from '../../src/index.ts'
import { definitions } from '../../src/testkit/definitions.ts'
import { sandboxCertificate } from '../providers/paypal/certificate.ts'
import { customers, median } from './events.ts'
import { deliveryOf, introductionOf, messaging, secret } from './provider-messages.ts'
import { ratio, report, table } from './report.ts'

/** What one provider's messages cost, beside Stripe's of the same rounds. */
interface Rate {
  readonly perSecond: number
  readonly cpuMicroseconds: number
  readonly ofStripe: number
  /** Read and written for an event, beside what the housekeeping asks for. */
  readonly statements: number
}

/** A burst: nobody is looked at again. Or each customer's message comes minutes after their last one, as most do. */
type Pace = 'together' | 'apart'

/** Gives each provider's verified messages to the built package, in turn with Stripe's. */
export async function benchProviders(input: {
  which: string
  rounds: number
  events: number
}): Promise<void> {
  const { which } = input
  if (which !== 'all' && !messaging.includes(which))
    throw new Error(
      `--provider all, or one of ${messaging.join(', ')}; of those that only ping see --only pings`,
    )
  const keys = which === 'all' ? messaging : [which]
  const ratesAt = async (pace: Pace): Promise<ReadonlyMap<string, Rate>> => {
    const rates = new Map<string, Rate>()
    for (const key of keys) rates.set(key, await besideStripe(key, { ...input, pace }))
    return rates
  }
  const [together, apart] = [await ratesAt('together'), await ratesAt('apart')]
  report(
    'providers',
    'Webhooks by provider, SQLite: CPU of an event',
    table(
      keys.map((key) => ({ key, burst: together.get(key)!, minutes: apart.get(key)! })),
      {
        provider: ({ key }) => titleOf(definitions.find((definition) => definition.key === key)!),
        'a burst, of Stripe’s': ({ burst }) => ratio(burst.ofStripe),
        'its statements': ({ burst }) => burst.statements.toFixed(1),
        'ten minutes apart, of Stripe’s': ({ minutes }) => ratio(minutes.ofStripe),
        statements: ({ minutes }) => minutes.statements.toFixed(1),
      },
      {
        'CPU µs, a burst': ({ burst }) => Math.round(burst.cpuMicroseconds),
        'events/s': ({ burst }) => Math.round(burst.perSecond),
        'CPU µs, apart': ({ minutes }) => Math.round(minutes.cpuMicroseconds),
        'events/s, apart': ({ minutes }) => Math.round(minutes.perSecond),
      },
    ),
  )
}

async function besideStripe(
  key: string,
  { rounds, events, pace }: { rounds: number; events: number; pace: Pace },
): Promise<Rate> {
  const folder = await mkdtemp(join(tmpdir(), 'membership-providers-'))
  const stripe = await openSite('stripe', join(folder, 'stripe.db'))
  const site = key === 'stripe' ? stripe : await openSite(key, join(folder, `${key}.db`))
  const taken: { cpu: number; wall: number; ofStripe: number }[] = []
  const each = events / customers
  for (let pass = 0; pass < (warmUp + rounds) * each; pass++) {
    const base = await stripe.take(pace)
    const own = site === stripe ? base : await site.take(pace)
    // Within a pass, so that what the machine did meanwhile met both.
    if (pass >= warmUp * each) taken.push({ ...own, ofStripe: own.cpu / base.cpu })
  }
  // After the last round, so that counting costs no measured event anything.
  const statements = await site.statements(pace)
  for (const { close } of new Set([stripe, site])) await close()
  await rm(folder, { recursive: true })
  return {
    perSecond: median(taken.map(({ wall }) => customers / wall)),
    cpuMicroseconds: median(taken.map(({ cpu }) => cpu)) / customers,
    ofStripe: median(taken.map(({ ofStripe }) => ofStripe)),
    statements,
  }
}

// So many rounds compile what runs often, and have told of everybody.
const warmUp = 2

/** One site with one provider, whose clock stands still in a burst; `take` has events signed before it measures. */
async function openSite(key: string, file: string) {
  const built = new URL('../../dist/index.js', import.meta.url).href
  const { createMembership } = (await import(built)) as typeof import('../../src/index.ts')
  let now = Date.now()
  // Of these days, as what providers send is: what is old is looked for among what left.
  const begin = now - 6 * 86_400_000
  let told = 0
  const m = await createMembership({
    'membership.database.url': `sqlite:${file}`,
    [`membership.providers.${key}.webhook`]: secret,
    [`membership.providers.${key}.livemode`]: false,
    ...more[key],
    install: false,
    root: false,
    log: () => {},
    now: () => new Date(now),
  })
  const about = (n: number) => {
    const at = begin + n * 1000
    return { id: n % customers, iso: new Date(at).toISOString(), seconds: Math.floor(at / 1000) }
  }
  for (let n = 0; n < customers; n++) {
    const introduction = introductionOf(key, about(n), new Date(now))
    if (introduction) await m.webhooks.receive(key, introduction)
  }
  /** A message about each. */
  const take = async (pace: Pace): Promise<{ cpu: number; wall: number }> => {
    if (pace === 'apart') now += 10 * 60_000
    const deliveries = Array.from({ length: customers }, () =>
      deliveryOf(key, about(told++), new Date(now)),
    ).values()
    const [cpu, wall] = [process.cpuUsage(), performance.now()]
    const sender = async () => {
      for (const delivery of deliveries) {
        const outcome = await m.webhooks.receive(key, delivery)
        if (outcome !== 'processed') throw new Error(`${key}: an event was ${outcome}`)
      }
    }
    await Promise.all(Array.from({ length: 16 }, sender))
    const { user, system } = process.cpuUsage(cpu)
    return { cpu: user + system, wall: (performance.now() - wall) / 1000 }
  }
  const statements = async (pace: Pace): Promise<number> => {
    const { all, commit } = m.storage
    let count = 0
    m.storage.all = (statement, params) => {
      if (!statement.name.includes('claim')) count++
      return all(statement, params)
    }
    m.storage.commit = (unit) => {
      count += unit.length
      return commit(unit)
    }
    await take(pace)
    return count / customers
  }
  return { take, statements, close: m.close }
}

const more: Readonly<Record<string, MembershipOptions>> = {
  paypal: { 'membership.providers.paypal.certificate': sandboxCertificate },
}
