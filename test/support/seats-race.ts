import { spawn } from 'node:child_process'
import { createMembership, type MembershipOptions } from '../../src/index.ts'
import { signed } from '../../src/testkit/index.ts'
import { loader, programFile } from './command.ts'
import { customerObject, start, stripeEvent, subscriptionItem, subscriptionObject } from './stripe-events.ts'
import { tableOf } from './table.ts'

const webhook = 'whsec_of_the_seats'
/** Every process signs links with it. */
export const secret = 'x'.repeat(32)

/** A site whose one plan has a seat for each unit that is paid. */
export const seatSite: MembershipOptions = {
  'membership.providers.stripe.webhook': webhook,
  'membership.providers.stripe.plans': {
    team: { seats: 'quantity', quantity: { max: 1000 }, prices: ['price_gold'] },
  },
  'membership.compare.automatic': false,
  'membership.ratelimit.store': 'memory',
  'membership.secret': secret,
  'membership.ratelimit.limit': 1e6,
  install: false,
  root: false,
  log: () => {},
}

export interface SeatsRace {
  readonly url: string
  readonly processes: number
  /** Invitations, of all processes together. */
  readonly calls: number
  readonly groups: number
  /** The seats of each group, its buyer's included. Half-way, two thirds of them are paid on. */
  readonly seats: number
  /** How many processes are killed in the middle; each comes again with the same people. */
  readonly kills: number
}

export interface SeatsResult {
  readonly invited: number
  /** Seats that somebody took by their link. */
  readonly joined: number
  /** Links that were opened too late, or a second time. */
  readonly closed: number
  readonly removed: number
  /** Seats that ended because fewer are paid. */
  readonly ended: number
  readonly refused: number
  readonly killed: number
  /** How often the tables were looked at meanwhile, each time as one moment. */
  readonly looks: number
  /** Looks at which a group had more seats taken than paid. */
  readonly over: number
  /** Seats that somebody was told of, nobody removed, and that are gone. */
  readonly lost: readonly string[]
  /** Links that gave their seat to two people. */
  readonly twice: number
  /** Two seats of one group at one place, or of one person. */
  readonly shared: number
  /** Groups that refuse with a seat free at the end, or take one more than they have. */
  readonly inexact: readonly string[]
  readonly seconds: number
}

/**
 * Lets processes invite to the same groups at once, open each link for two people, and take seats back. Meanwhile fewer
 * seats are paid, and some processes are killed.
 */
export async function raceForSeats(race: SeatsRace): Promise<SeatsResult> {
  const { url, processes, calls, groups, seats, kills } = race
  const m = await createMembership({ ...seatSite, 'membership.database.url': url })
  const ids = Array.from({ length: groups }, (_, i) => `sub_group${i}`)
  const fewer = Math.ceil((seats * 2) / 3)
  const subscriptionOf = (id: string, quantity: number, end: number) =>
    subscriptionObject({
      id,
      items: {
        data: [
          subscriptionItem({
            id: `si_${id}`,
            quantity,
            current_period_start: start,
            current_period_end: end,
          }),
        ],
      },
    })
  const send = (type: string, object: Record<string, unknown>, created = start) =>
    m.webhooks.receive(
      'stripe',
      signed('stripe', stripeEvent(type, object, { created }), { secret: webhook }),
    )
  await send('customer.created', customerObject())
  for (const id of ids)
    await send('customer.subscription.created', subscriptionOf(id, seats, start + 366 * 86_400))
  const began = Date.now()
  let [killsLeft, killed, looks, over, heardOfAll, closed] = [kills, 0, 0, 0, 0, 0]
  const told = new Map<string, string>()
  const removed = new Set<string>()
  const refused = new Set<string>()
  const takenBy = new Map<string, Set<string>>()

  /** Fewer seats are paid; the newest end with the period, in two seconds. */
  const lower = async (): Promise<void> => {
    const end = Math.floor(Date.now() / 1000) + 2
    for (const id of ids)
      await send('customer.subscription.updated', subscriptionOf(id, fewer, end), start + 60)
  }

  const run = async (from: number, to: number): Promise<void> => {
    const args = [...loader, programFile('seats-process'), url, ids.join(), String(from), String(to)]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    let rest = ''
    let heard = 0
    child.stdout.on('data', (data: Buffer) => {
      const lines = (rest + data.toString()).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        const [key = '', seat = ''] = line.slice(1).split(' ')
        if (line.startsWith('+')) told.set(seat, key)
        else if (line.startsWith('~')) removed.add(key)
        else if (line.startsWith('^')) takenBy.set(key, (takenBy.get(key) ?? new Set()).add(seat))
        else if (line.startsWith('!')) closed++
        else refused.add(key)
      }
      heard += lines.length
      heardOfAll += lines.filter((line) => /^[+-]/.test(line)).length
      if (killsLeft > 0 && heard > (to - from) / 4) {
        killsLeft--
        killed++
        child.kill('SIGKILL')
      }
    })
    const [code, signal] = await new Promise<[number | null, string | null]>((done) => {
      child.on('close', (exit, by) => done([exit, by]))
    })
    if (signal === 'SIGKILL') return run(from, to)
    if (code !== 0) throw new Error(`a process ended with ${code}`)
  }
  const taken = () =>
    m.storage.read((db) =>
      db
        .selectFrom('group_seats as s')
        .innerJoin('groups as g', 'g.subscription_id', 's.subscription_id')
        .select(['s.id', 's.subscription_id', 's.place', 's.email', 's.status', 's.ended_for', 'g.seats']),
    )
  type Taken = Awaited<ReturnType<typeof taken>>
  const liveOf = (rows: Taken, id: string) =>
    rows.filter((row) => row.subscription_id === id && row.status !== 'ended')
  let isOver = false
  let lowered: Promise<void> | null = null
  const look = async (): Promise<void> => {
    while (!isOver) {
      const rows = await taken()
      looks++
      // The group's row has the seats that are paid, and until the period's end those that were.
      if (ids.some((id) => liveOf(rows, id).length + 1 > (liveOf(rows, id)[0]?.seats ?? seats))) over++
      if (lowered === null && heardOfAll > calls / 2) lowered = lower()
      if (looks % 10 === 0) await m.runDueJobs()
      await new Promise((done) => setTimeout(done, 20))
    }
  }
  const looking = look()
  const share = Math.ceil(calls / processes)
  await Promise.all(
    Array.from({ length: processes }, (_, i) => run(i * share, Math.min((i + 1) * share, calls))),
  ).finally(() => {
    isOver = true
  })
  await looking
  await (lowered ?? lower())
  await new Promise((done) => setTimeout(done, 3000))
  await m.runDueJobs()
  const all = await taken()
  const rows = all.filter(({ status }) => status !== 'ended')
  const ended = new Set(all.filter(({ ended_for }) => ended_for === 'fewer_seats').map(({ id }) => id))
  const there = new Set(rows.map(({ id }) => id))
  const lost = [...told.keys()].filter((id) => !removed.has(id) && !ended.has(id) && !there.has(id))
  const people = new Set(rows.map(({ subscription_id, email }) => `${subscription_id} ${email}`))
  const places = new Set(rows.map(({ subscription_id, place }) => `${subscription_id} ${place}`))
  const inexact: string[] = []
  for (const id of ids) {
    let more = liveOf(rows, id).length + 1
    for (let i = 0; i <= seats; i++)
      await m.teams
        .invite({ subscriptionId: id, email: `last${i}@example.com` })
        .then(() => more++)
        .catch(() => {})
    if (more !== fewer) inexact.push(id)
  }
  await m.close()
  return {
    invited: told.size,
    joined: takenBy.size,
    closed,
    removed: removed.size,
    ended: ended.size,
    refused: refused.size,
    killed,
    looks,
    over,
    lost,
    twice: [...takenBy.values()].filter((people) => people.size > 1).length,
    shared: 2 * rows.length - people.size - places.size,
    inexact,
    seconds: (Date.now() - began) / 1000,
  }
}

/** True where a law of the seats is broken. */
export function isBroken({ over, lost, twice, shared, inexact }: SeatsResult): boolean {
  return over + lost.length + twice + shared + inexact.length > 0
}

/** The results as lines of a table. */
export function tableOfSeats(
  races: readonly { readonly title: string; readonly result: SeatsResult }[],
): string[] {
  const head = [
    'run',
    'invited',
    'joined',
    'links refused',
    'removed',
    'ended',
    'refused',
    'kills',
    'looks',
    'over',
    'lost',
    'twice',
    'shared',
    'inexact',
    'seconds',
  ]
  const rows = races.map(({ title, result: r }) => [
    title,
    ...[r.invited, r.joined, r.closed, r.removed, r.ended, r.refused, r.killed, r.looks].map(String),
    ...[r.over, r.lost.length, r.twice, r.shared].map(String),
    String(r.inexact.length),
    r.seconds.toFixed(1),
  ])
  return tableOf([head, ...rows])
}
