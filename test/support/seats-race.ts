import { spawn } from 'node:child_process'
import { createMembership, type MembershipOptions } from '../../src/index.ts'
import { signed } from '../../src/testkit/index.ts'
import { loader, programFile } from './command.ts'
import { customerObject, start, stripeEvent, subscriptionItem, subscriptionObject } from './stripe-events.ts'
import { tableOf } from './table.ts'

const webhook = 'whsec_of_the_seats'

/** A site whose one plan has a seat for each unit that is paid. */
export const seatSite: MembershipOptions = {
  'membership.providers.stripe.webhook': webhook,
  'membership.providers.stripe.plans': {
    team: { seats: 'quantity', quantity: { max: 1000 }, prices: ['price_gold'] },
  },
  'membership.compare.automatic': false,
  'membership.ratelimit.store': 'memory',
  'membership.secret': 'x'.repeat(32),
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
  /** The seats of each group, its buyer's included. */
  readonly seats: number
  /** How many processes are killed in the middle; each comes again with the same people. */
  readonly kills: number
}

export interface SeatsResult {
  readonly invited: number
  readonly removed: number
  readonly refused: number
  readonly killed: number
  /** How often the tables were looked at meanwhile, each time as one moment. */
  readonly looks: number
  /** Looks at which a group had more seats taken than paid. */
  readonly over: number
  /** Seats that somebody was told of, nobody removed, and that are gone. */
  readonly lost: readonly string[]
  /** Two seats of one group at one place, or of one person. */
  readonly shared: number
  /** Groups that refuse with a seat free at the end, or take one more than they have. */
  readonly inexact: readonly string[]
  readonly seconds: number
}

/** Lets processes invite to the same groups at once, take seats back, and kills some in the middle. */
export async function raceForSeats(race: SeatsRace): Promise<SeatsResult> {
  const { url, processes, calls, groups, seats, kills } = race
  const m = await createMembership({ ...seatSite, 'membership.database.url': url })
  const ids = Array.from({ length: groups }, (_, i) => `sub_group${i}`)
  const items = (id: string) => ({
    data: [
      subscriptionItem({
        ...{ id: `si_${id}`, quantity: seats },
        ...{ current_period_start: start, current_period_end: start + 366 * 86_400 },
      }),
    ],
  })
  const send = (type: string, object: Record<string, unknown>) =>
    m.webhooks.receive('stripe', signed('stripe', stripeEvent(type, object), { secret: webhook }))
  await send('customer.created', customerObject())
  for (const id of ids)
    await send('customer.subscription.created', subscriptionObject({ id, items: items(id) }))
  const began = Date.now()
  let [killsLeft, killed, looks, over] = [kills, 0, 0, 0]
  const told = new Map<string, string>()
  const removed = new Set<string>()
  const refused = new Set<string>()

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
        else refused.add(key)
      }
      heard += lines.length
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
        .selectFrom('group_seats')
        .select(['id', 'subscription_id', 'place', 'email'])
        .where('status', '!=', 'ended'),
    )
  let isOver = false
  const look = async (): Promise<void> => {
    while (!isOver) {
      const rows = await taken()
      looks++
      if (ids.some((id) => rows.filter((row) => row.subscription_id === id).length + 1 > seats)) over++
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
  const rows = await taken()
  const there = new Set(rows.map(({ id }) => id))
  const lost = [...told.keys()].filter((id) => !removed.has(id) && !there.has(id))
  const people = new Set(rows.map(({ subscription_id, email }) => `${subscription_id} ${email}`))
  const places = new Set(rows.map(({ subscription_id, place }) => `${subscription_id} ${place}`))
  const inexact: string[] = []
  for (const id of ids) {
    let more = rows.filter((row) => row.subscription_id === id).length + 1
    for (let i = 0; i <= seats; i++)
      await m.groups
        .invite({ subscriptionId: id, email: `last${i}@example.com` })
        .then(() => more++)
        .catch(() => {})
    if (more !== seats) inexact.push(id)
  }
  await m.close()
  return {
    ...{ invited: told.size, removed: removed.size, refused: refused.size, killed, looks, over, lost },
    ...{ shared: 2 * rows.length - people.size - places.size, inexact },
    seconds: (Date.now() - began) / 1000,
  }
}

/** True where a law of the seats is broken. */
export const isBroken = ({ over, lost, shared, inexact }: SeatsResult): boolean =>
  over + lost.length + shared + inexact.length > 0

/** The results as lines of a table. */
export function tableOfSeats(
  races: readonly { readonly title: string; readonly result: SeatsResult }[],
): string[] {
  const head = [
    'run',
    'invited',
    'removed',
    'refused',
    'kills',
    'looks',
    'over',
    'lost',
    'shared',
    'inexact',
    'seconds',
  ]
  const rows = races.map(({ title, result: r }) => [
    title,
    ...[r.invited, r.removed, r.refused, r.killed, r.looks, r.over, r.lost.length, r.shared].map(String),
    ...[String(r.inexact.length), r.seconds.toFixed(1)],
  ])
  return tableOf([head, ...rows])
}
