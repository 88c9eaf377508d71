import { spawn } from 'node:child_process'
import { createMembership, type MembershipOptions } from '../../src/index.ts'
import { loader, programFile } from './command.ts'
import { tableOf } from './table.ts'

/** A site whose one plan counts exports, so many once. */
export function limitSite(amount: number): MembershipOptions {
  return {
    'membership.providers.sandbox': {
      plans: { pro: { limits: { exports: { amount, every: 'once' } }, prices: ['price_pro'] } },
    },
    'membership.provider.handler': 'sandbox',
    'membership.secret': 'x'.repeat(32),
    'membership.compare.automatic': false,
    'membership.ratelimit.store': 'memory',
    install: false,
    root: false,
    log: () => {},
  }
}

export interface Race {
  readonly url: string
  readonly processes: number
  readonly calls: number
  readonly members: number
  /** The amount of each member. */
  readonly amount: number
  /** How many processes are killed in the middle; each comes again with the same keys. */
  readonly kills: number
}

export interface RaceResult {
  readonly taken: number
  readonly refused: number
  readonly killed: number
  /** Members who had more than their amount. */
  readonly over: readonly string[]
  /** Keys whose process was told that they took, and that are not there. */
  readonly lost: readonly string[]
  /** Members of whom the count is not the sum of the keys that took. */
  readonly inexact: readonly string[]
  /** Members who were refused although something was left. */
  readonly refusedWrongly: readonly string[]
  readonly seconds: number
}

/** Lets processes take from the same limits at once, two of them with the same keys, and kills some in the middle. */
export async function raceForLimits(race: Race): Promise<RaceResult> {
  const { url, processes, calls, members, amount, kills } = race
  const options = { ...limitSite(amount), 'membership.database.url': url }
  const m = await createMembership(options)
  const ids: string[] = []
  for (let i = 0; i < members; i++) {
    const { id } = await m.users.create({ email: `member${i}@example.com` })
    await m.users.grant({ memberId: id, gate: 'pro' })
    ids.push(id)
  }
  const pairs = Math.max(1, processes / 2)
  const share = Math.ceil(calls / 2 / pairs)
  const began = Date.now()
  let killsLeft = kills
  let killed = 0
  const taken = new Set<string>()
  const refused = new Set<string>()

  const run = async (from: number, to: number): Promise<void> => {
    const args = [
      ...loader,
      programFile('limits-process'),
      url,
      ids.join(),
      String(from),
      String(to),
      String(amount),
    ]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    let rest = ''
    let heard = 0
    child.stdout.on('data', (data: Buffer) => {
      const lines = (rest + data.toString()).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) (line.startsWith('+') ? taken : refused).add(line.slice(1))
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
    // Whoever was killed knows of nothing that it did, and does it all again.
    if (signal === 'SIGKILL') return run(from, to)
    if (code !== 0) throw new Error(`a process ended with ${code}`)
  }
  await Promise.all(
    Array.from({ length: processes }, (_, i) => {
      const from = (i % pairs) * share
      return run(from, Math.min(from + share, Math.ceil(calls / 2)))
    }),
  )
  const usage = await m.storage.read((db) => db.selectFrom('limit_usage').select(['member_id', 'used']))
  const keys = await m.storage.read((db) =>
    db.selectFrom('limit_keys').select(['member_id', 'key', 'amount']).where('released_at', 'is', null),
  )
  await m.close()
  const usedBy = new Map(usage.map(({ member_id, used }) => [member_id, used]))
  const there = new Set(keys.map(({ key }) => key))
  const sums = new Map<string, number>()
  for (const { member_id, amount: n } of keys) sums.set(member_id, (sums.get(member_id) ?? 0) + n)
  const refusedMembers = new Set([...refused].map((key) => ids[Number(key) % ids.length]!))
  return {
    taken: taken.size,
    refused: refused.size,
    killed,
    over: ids.filter((id) => (usedBy.get(id) ?? 0) > amount),
    lost: [...taken].filter((key) => !there.has(key)),
    inexact: ids.filter((id) => (usedBy.get(id) ?? 0) !== (sums.get(id) ?? 0)),
    refusedWrongly: [...refusedMembers].filter((id) => (usedBy.get(id) ?? 0) < amount),
    seconds: (Date.now() - began) / 1000,
  }
}

/** The result as lines of a table. */
export function tableOfRaces(
  races: readonly { readonly title: string; readonly result: RaceResult }[],
): string[] {
  const head = ['run', 'taken', 'refused', 'kills', 'over', 'lost', 'inexact', 'refused wrongly', 'seconds']
  const rows = races.map(({ title, result: r }) => [
    title,
    ...[
      r.taken,
      r.refused,
      r.killed,
      r.over.length,
      r.lost.length,
      r.inexact.length,
      r.refusedWrongly.length,
    ].map(String),
    r.seconds.toFixed(1),
  ])
  return tableOf([head, ...rows])
}
