import type { TestDatabase } from '../support/databases.ts'
import { benchEvent, median, secret, signature } from './events.ts'
import { databaseTitle, ratio, report, table } from './report.ts'

interface Taken {
  readonly cpu: number
  readonly wall: number
}

/** Each kind of deliveries on one database, with its measured rounds. */
interface Repeats {
  readonly database: string
  readonly kind: string
  readonly own: readonly Taken[]
  /** The package of another commit; empty without one. */
  readonly before: readonly Taken[]
}

/** Deliveries of one kind: those taken before the clock starts, and those that are measured. */
interface Round {
  readonly before: readonly Buffer[]
  readonly measured: readonly Buffer[]
  /** False for deliveries that nobody signed. */
  readonly isSigned?: false
}

const senders = 64
// A round's events are this many seconds newer than those of the round before.
const pace = 10

/** So many events at a moment, one for each customer. Two names give two events. */
function eventsAt(count: number, name: string, version: number): Buffer[] {
  return Array.from({ length: count }, (_, n) => benchEvent(`evt_${name}_${version}_${n}`, n, version))
}

/** Providers send all of an outage again, old events after newer ones, and many about one buyer. */
const kinds: Readonly<Record<string, (count: number, version: number) => Round>> = {
  new: (count, version) => ({ before: [], measured: eventsAt(count, 'new', version) }),
  repeated: (count, version) => {
    const before = eventsAt(count, 'new', version)
    return { before, measured: before }
  },
  'half repeated': (count, version) => {
    const before = eventsAt(count, 'new', version)
    const after = eventsAt(count, 'new', version + 1)
    return { before, measured: after.map((body, n) => (n % 2 === 0 ? body : before[n]!)) }
  },
  stale: (count, version) => ({
    before: eventsAt(count, 'new', version),
    measured: eventsAt(count, 'late', version - 1),
  }),
  'stale, then new': (count, version) => ({
    before: [...eventsAt(count, 'new', version), ...eventsAt(count, 'late', version - 1)],
    measured: eventsAt(count, 'new', version + 1),
  }),
  'a flood about one customer': (count, version) => ({
    before: [],
    measured: Array.from({ length: Math.ceil(count / 4) }, (_, n) =>
      benchEvent(`evt_flood_${version}_${n}`, 0, (version / pace) * count + n),
    ),
  }),
  'a flood without a signature': (count, version) => ({
    before: [],
    measured: eventsAt(count, 'invented', version),
    isSigned: false,
  }),
}

/**
 * CPU time of deliveries that are not simply new, beside new ones of the same rounds. Each kind has a site of
 * its own, because a site that was sent repeated or stale events looks before it writes for a while.
 * `earlier` is the folder of another commit, built, which takes its turns, too.
 */
export async function benchRepeats(
  database: TestDatabase,
  { rounds, events, earlier }: { rounds: number; events: number; earlier: string | null },
): Promise<Repeats[]> {
  const ours = new URL('../../', import.meta.url).pathname
  const sites = await Promise.all(
    Object.keys(kinds).map(async (kind) => ({
      kind,
      own: await open(ours, await database.url()),
      before: earlier === null ? null : await open(earlier, await database.emptyUrl()),
    })),
  )
  const taken = sites.map(() => ({ own: [] as Taken[], before: [] as Taken[] }))
  // The first two compile what runs often.
  for (let round = -2; round < rounds; round++)
    for (const [i, { kind, own, before }] of sites.entries()) {
      const turns = [
        { site: own, times: taken[i]!.own },
        ...(before ? [{ site: before, times: taken[i]!.before }] : []),
      ]
      for (const { site, times } of round % 2 === 0 ? turns : turns.reverse()) {
        const all = kinds[kind]!(events, (round + 3) * pace)
        await send(site, all.before, senders)
        const spent = await send(site, all.measured, senders, all.isSigned)
        if (round >= 0) times.push(spent)
      }
    }
  for (const { own, before } of sites) await Promise.all([own.close(), before?.close()])
  return sites.map(({ kind }, i) => ({ database: databaseTitle(database), kind, ...taken[i]! }))
}

export function printRepeats(measured: readonly Repeats[]): void {
  const share = (of: readonly Taken[], to: readonly Taken[]) =>
    of.length === 0 || to.length === 0 ? '' : ratio(median(of.map(({ cpu }, n) => cpu / to[n]!.cpu)))
  const newOnes = ({ database }: Repeats) =>
    measured.find((other) => other.database === database && other.kind === 'new')!
  report(
    'repeats',
    `Repeated and stale deliveries, and floods, ${senders} connections: CPU of a delivery`,
    table(
      measured,
      {
        database: ({ database }) => database,
        deliveries: ({ kind }) => kind,
        'of a new one': (row) => share(row.own, newOnes(row).own),
        'of the commit before': ({ own, before }) => share(own, before),
      },
      {
        'CPU µs each': ({ own }) => Math.round(median(own.map(({ cpu }) => cpu))),
        'ms each': ({ own }) => median(own.map(({ wall }) => wall)).toFixed(2),
      },
    ),
  )
}

async function open(folder: string, url: string) {
  const { createMembership } = (await import(
    `file://${folder}/dist/index.js`
  )) as typeof import('../../src/index.ts')
  return createMembership({
    'membership.database.url': url,
    'membership.providers.stripe.webhook': secret,
    'membership.providers.stripe.livemode': false,
    install: false,
    root: false,
    log: () => {},
  })
}
type Site = Awaited<ReturnType<typeof open>>

async function send(m: Site, bodies: readonly Buffer[], senders: number, isSigned = true): Promise<Taken> {
  const deliveries = bodies
    .map((body) => ({
      body,
      headers: { 'stripe-signature': signature(isSigned ? body : Buffer.from('other bytes')) },
    }))
    .values()
  const [cpu, wall] = [process.cpuUsage(), performance.now()]
  const sender = async () => {
    for (const delivery of deliveries) {
      const answered = m.webhooks.receive('stripe', delivery)
      await (isSigned ? answered : answered.then(failed, () => undefined))
    }
  }
  await Promise.all(Array.from({ length: senders }, sender))
  const { user, system } = process.cpuUsage(cpu)
  return { cpu: (user + system) / bodies.length, wall: (performance.now() - wall) / bodies.length }
}

function failed(): never {
  throw new Error('a delivery without a signature was taken')
}
