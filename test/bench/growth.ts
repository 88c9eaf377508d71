import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createMembership, type Membership } from '../../src/index.ts'
import { signed } from '../../src/testkit/index.ts'
import type { TestDatabase } from '../support/databases.ts'
import { stripeEvent, subscriptionObject } from '../support/stripe-events.ts'
import { median, secret } from './events.ts'
import { fillOffice, memberEmail, memberId } from './office-rows.ts'
import { databaseTitle, onlyAbsolute, report, table } from './report.ts'

/** The longest standstill that a site may show, in milliseconds. */
const standstillAim = 50
/** A flat operation may take so many times as long in the largest site as in the smallest. */
const flatAim = 3
/** A growth up to so many milliseconds is not looked at: nobody feels it, and the clock decides. */
const unfelt = 20

/** One thing that a member, an operator or a job does. */
interface Operation {
  readonly who: 'member' | 'operator' | 'provider' | 'job'
  readonly name: string
  /**
   * flat: costs the same in every site. linear: looks at everybody it concerns, which is its work. reads: is
   * flat on PostgreSQL, and reads an index of everybody on SQLite.
   */
  readonly grows: 'flat' | 'linear' | 'reads'
  readonly times: number
  readonly run: (site: Site, round: number) => Promise<unknown>
}

interface Site {
  readonly m: Membership
  readonly members: number
  /** Opens a page, as an operator or as that member. @throws unless the answer is 200 */
  readonly open: (path: string, as?: string) => Promise<string>
}

interface Measured {
  readonly database: string
  readonly operation: Operation
  readonly members: number
  /** Milliseconds of each run. */
  readonly times: readonly number[]
  /** The longest time without a turn of the event loop, in milliseconds. */
  readonly standstill: number
}

/** A member with an ended membership, whom no other operation touches. */
function former(round: number): number {
  return 100 * (round + 1) + 13 + (round % 3)
}
function paying(round: number): number {
  return 100 * (round + 1) + 60
}
function pair(round: number): readonly [string, string] {
  return [memberId(100 * (round + 1) + 22), memberId(100 * (round + 1) + 25)]
}

const raise = { from: 'price_month', to: 'price_month_new', on: inDays(60), noticeDays: 30 }

function inDays(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
}

const operations: readonly Operation[] = [
  linear('job', 'all jobs, the first time', 1, ({ m }) => m.runDueJobs()),
  flat('member', 'the account page', 9, ({ open }, n) => open('/membership/account', memberId(paying(n)))),
  flat('member', 'what a page asks', 9, async ({ m }, n) =>
    (await m.viewOf(await m.users.findById(memberId(paying(n)))))
      .provider('stripe')
      .subscriptionForPrice('price_month'),
  ),
  flat('member', 'the prices', 9, ({ open }) => open('/membership/prices')),
  flat('member', 'the export', 9, async ({ m }, n) => m.users.export((await memberOf(m, paying(n)))!)),
  flat('member', 'another address', 5, ({ m }, n) =>
    m.users.setEmail(memberId(paying(n) + 1), `new${n}-${Date.now()}@example.com`),
  ),
  flat('member', 'a gift redeemed', 5, async ({ m }, n) => {
    const [made] = await m.gifts.create({ plan: 'pro', months: 1, count: 1 })
    return m.gifts.redeem({ code: made!.code, user: (await memberOf(m, paying(n) + 2))! })
  }),
  flat('member', 'the deletion', 5, ({ m }, n) => m.users.delete(memberId(former(n)))),
  flat('provider', 'a message about a subscription', 9, ({ m }, n) => receive(m, paying(n), n)),
  reads('operator', 'members by a rare word', 5, ({ m, members }) =>
    m.users.list({ q: `number ${members - 7}` }),
  ),
  flat('operator', 'members by a common word', 5, ({ m }) => m.users.list({ q: 'example' })),
  reads('operator', 'members by a word that nobody has', 5, ({ m }) => m.users.list({ q: 'zzzzzz' })),
  flat('operator', 'members by an address', 5, ({ m }) => m.users.list({ q: memberEmail(42) })),
  flat('operator', 'a grant and its end', 5, async ({ m }, n) =>
    m.users.revoke(await m.users.grant({ memberId: memberId(paying(n)), gate: 'pro' })),
  ),
  flat('operator', 'a merge', 5, ({ m }, n) => {
    const [keep, merge] = pair(n)
    return m.users.merge({ keep, merge, by: 'bench', write: true })
  }),
  flat('operator', 'its undo', 5, ({ m }, n) => m.users.unmerge({ merged: pair(n)[1], by: 'bench' })),
  flat('operator', 'the list of events', 5, ({ m }) => m.webhooks.list({ failed: true, limit: 50 })),
  flat('operator', 'the list of gifts', 5, ({ m }) => m.gifts.list()),
  flat('operator', 'payments of unknown purpose', 5, ({ m }) => m.payments.unassigned()),
  linear('operator', 'the plan of a raise', 2, ({ m }) => m.raises.plan(raise)),
  flat('job', 'all jobs, again', 3, ({ m }) => m.runDueJobs()),
  // Last, since the office goes on counting after its first page.
  reads('operator', 'the office: a word that nobody has', 5, ({ open }) =>
    open('/membership/office/members?q=zzzzzz'),
  ),
  flat('operator', 'the office: a member', 5, ({ open }, n) =>
    open(`/membership/office/members/${memberId(paying(n))}`),
  ),
  flat('operator', 'the office: the log', 5, ({ open }) => open('/membership/office/log')),
  flat('operator', 'the office: deliveries of a rare type', 5, ({ open }) =>
    open('/membership/office/deliveries?type=nothing'),
  ),
  flat('operator', 'the office: Today', 5, ({ open }) => open('/membership/office')),
]

function flat(who: Operation['who'], name: string, times: number, run: Operation['run']): Operation {
  return { who, name, grows: 'flat', times, run }
}

function reads(who: Operation['who'], name: string, times: number, run: Operation['run']): Operation {
  return { who, name, grows: 'reads', times, run }
}

function linear(who: Operation['who'], name: string, times: number, run: Operation['run']): Operation {
  return { who, name, grows: 'linear', times, run }
}

function memberOf(m: Membership, n: number) {
  return m.users.findById(memberId(n))
}

/** A renewal that moves the period on, by a signed message. */
async function receive(m: Membership, n: number, version: number): Promise<void> {
  const object = subscriptionObject({
    id: `sub_${n}`,
    customer: `cus_${n}`,
    metadata: { version: String(version) },
  })
  const event = stripeEvent('customer.subscription.updated', object, {
    id: `evt_growth_${n}_${version}_${Date.now()}`,
    created: Math.floor(Date.now() / 1000) + version,
    previous: { metadata: {} },
  })
  await m.webhooks.receive('stripe', signed('stripe', event, { secret }))
}

/** What each operation takes in a site of each size. */
export async function benchSiteGrowth(database: TestDatabase, sizes: readonly number[]): Promise<Measured[]> {
  const measured: Measured[] = []
  for (const members of sizes) {
    const url = await database.url()
    const m = await openSite(url, members)
    const server = createServer(m.listener()).listen(0, '127.0.0.1')
    await new Promise((ready) => server.once('listening', ready))
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const open = async (path: string, as = ''): Promise<string> => {
      const answer = await fetch(origin + path, { headers: { accept: 'text/html', 'x-member': as } })
      const text = await answer.text()
      if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${text.slice(0, 400)}`)
      return text
    }
    try {
      for (const operation of operations) {
        if (process.stderr.isTTY)
          process.stderr.write(
            `\r\u001b[K  ${databaseTitle(database)}, ${members} members: ${operation.name}`,
          )
        measured.push(await measure({ m, members, open }, operation, database))
      }
    } finally {
      server.closeAllConnections()
      server.close()
      await m.close()
    }
  }
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K')
  return measured
}

async function measure(site: Site, operation: Operation, database: TestDatabase): Promise<Measured> {
  const times: number[] = []
  let standstill = 0
  for (let round = 0; round < operation.times; round++) {
    const watch = watchTurns()
    const begun = performance.now()
    await operation.run(site, round)
    times.push(performance.now() - begun)
    const longest = await watch.end()
    // The first of several warms up: what stands still then is the translation of a program that has just begun.
    if (round > 0 || operation.times === 1) standstill = Math.max(standstill, longest)
  }
  return {
    database: databaseTitle(database),
    operation,
    members: site.members,
    times: times.length > 1 ? times.slice(1) : times,
    standstill,
  }
}

/**
 * Watches for the longest time without a turn of the event loop. It counts the CPU of this process between
 * two turns, where that is less than the clock says, since other programs take turns on the machine.
 */
function watchTurns() {
  let longest = 0
  let at = performance.now()
  let used = process.cpuUsage()
  const look = () => {
    const [now, { user, system }] = [performance.now(), process.cpuUsage(used)]
    longest = Math.max(longest, Math.min(now - at, (user + system) / 1000))
    at = now
    used = process.cpuUsage()
  }
  const timer = setInterval(look, 1)
  return {
    end: async (): Promise<number> => {
      await new Promise((later) => setTimeout(later, 4))
      clearInterval(timer)
      return longest
    },
  }
}

async function openSite(url: string, members: number): Promise<Membership> {
  const priced = (id: string, amount: number, interval: 'month' | 'year') => ({
    id,
    amount,
    currency: 'EUR',
    interval,
  })
  const settings = {
    'membership.url': 'https://site.example',
    'membership.database.url': url,
    'membership.database.synchronous': 'normal' as const,
    'membership.office.enabled': true,
    'membership.providers.stripe.webhook': secret,
    'membership.providers.stripe.plans': {
      pro: { prices: [priced('price_month', 900, 'month'), priced('price_month_new', 1100, 'month')] },
      year: { prices: [priced('price_year', 9000, 'year')] },
    },
    'membership.compare.automatic': false,
    office: { who: () => ({ name: 'bench', role: 'operator' as const }) },
    identify: ({ headers }: { headers: Headers }) => {
      const member = headers.get('x-member')
      return member ? { member } : null
    },
    install: false,
    root: false as const,
    log: () => {},
  }
  const empty = await createMembership(settings)
  await empty.close()
  await fillOffice(url, members, Date.now())
  return createMembership(settings)
}

/** What belongs to one operation on one database, the smallest site first. */
function byOperation(measured: readonly Measured[]): Measured[][] {
  const names = new Set(measured.map(({ database, operation }) => `${database} ${operation.name}`))
  return [...names].map((name) =>
    measured.filter(({ database, operation }) => `${database} ${operation.name}` === name),
  )
}

/** The operations whose cost grows where it should not, and those that stop the event loop, in words. */
export function growthFaults(measured: readonly Measured[]): string[] {
  return byOperation(measured).flatMap((sizes) => {
    const least = sizes.map(({ times }) => Math.min(...times))
    const [first, last] = [least[0]!, least.at(-1)!]
    const members = sizes.map((row) => row.members)
    const { database, operation } = sizes[0]!
    const name = `${database}: ${operation.name}`
    const isLinear = operation.grows === 'linear' || (operation.grows === 'reads' && database === 'SQLite')
    const expected = isLinear ? flatAim * (members.at(-1)! / members[0]!) : flatAim
    const longest = sizes.at(-1)!.standstill
    return [
      ...(last > unfelt && last > first * expected
        ? [`${name} takes ${(last / first).toFixed(1)} times as long`]
        : []),
      ...(longest > standstillAim ? [`${name} stops the event loop for ${longest.toFixed(0)} ms`] : []),
    ]
  })
}

export function printGrowth(measured: readonly Measured[]): void {
  const sizes = [...new Set(measured.map(({ members }) => members))]
  const rows = byOperation(measured)
  const least = (row: Measured | undefined) => (row === undefined ? Number.NaN : Math.min(...row.times))
  report(
    'growth',
    'What grows with the members, in the time of the smallest site',
    table(
      rows,
      {
        database: ([row]) => row!.database,
        who: ([row]) => row!.operation.who,
        operation: ([row]) => row!.operation.name,
        ...Object.fromEntries(
          sizes
            .slice(1)
            .map((members, i) => [
              `${members.toLocaleString('en').replaceAll(',', ' ')} members`,
              (row: readonly Measured[]) => (least(row[i + 1]) / Math.max(least(row[0]), 0.1)).toFixed(1),
            ]),
        ),
        'longest standstill, ms': (row) => row.at(-1)!.standstill.toFixed(0),
      },
      Object.fromEntries(
        sizes.map((members, i) => [
          `${members}, ms`,
          (row: readonly Measured[]) => median(row[i]!.times).toFixed(1),
        ]),
      ),
    ),
    ...onlyAbsolute('The least of the runs decides, and the first run is not counted.'),
  )
}
