import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import type { Cluster } from './cluster.ts'

/** What somebody who uses the database meanwhile has to wait for, in milliseconds, and which tables were locked. */
export interface Waited {
  readonly longest: Readonly<Record<string, number>>
  readonly tries: number
  /** Why the server undid what they did, each time. */
  readonly undone: readonly string[]
  /** Against writers, against readers, or both: by table and mode. */
  readonly locked: readonly (readonly [what: string, ms: number])[]
}

/** Works as running processes do, a hundred times a second, until it is stopped. */
export async function watch(cluster: Cluster, name: string, members: number) {
  let isOver = false
  const longest: Record<string, number> = {}
  const undone: string[] = []
  let tries = 0
  const working = Object.entries(actions).map(async ([action, texts]) => {
    const client = new pg.Client({ connectionString: cluster.url(name) })
    await client.connect()
    for (let n = 0; !isOver; n++) {
      const begun = performance.now()
      const all = texts(`${action.length}_${n}`, (n * 7919) % members)
      try {
        for (const text of all) await client.query(text)
      } catch (error) {
        // As a batch that the server chose to be undone: it is tried again.
        undone.push(String((error as { code?: string }).code))
        await client.query('rollback')
      }
      longest[action] = Math.max(longest[action] ?? 0, performance.now() - begun)
      tries++
      await pause(20)
    }
    await client.end()
  })
  const looking = lookAtLocks(cluster, name, () => isOver)
  return async (): Promise<Waited> => {
    isOver = true
    await Promise.all(working)
    return { longest, tries, undone, locked: await looking }
  }
}

const key = "provider = 'stripe' and account = ''"
const actions: Readonly<Record<string, (id: string, n: number) => string[]>> = {
  'takes a message in': (id, n) => [
    'begin',
    `insert into events (provider, account, event_id, type, occurred_at, received_at, status, attempts, body_hash) values ('stripe', '', 'evt_by_${id}', 'customer.subscription.updated', '2026', '2026', 'processed', 0, '')`,
    `update subscriptions set revision = revision + 1 where ${key} and id = 'sub_${n}'`,
    'commit',
  ],
  'takes a payment in': (_, n) => [
    'begin',
    `update facts set revision = revision + 1 where ${key} and kind in ('charge', 'payment') and id = 'ch_${n}'`,
    `update payments set revision = revision + 1 where ${key} and id = 'ch_${n}'`,
    'commit',
  ],
  'loads a member': (_, n) => [
    `select m.id, s.data from members m join customers c on c.member_id = m.id left join subscriptions s on s.provider = c.provider and s.account = c.account and s.owner_id = c.customer_id where m.id = 'm_${n}'`,
    `select data from payments where ${key} and owner_id = 'cus_${n}'`,
  ],
}

const everyMs = 100

/** For how long locks are held that keep others from writing or reading, by sight: a little more than they were. */
async function lookAtLocks(cluster: Cluster, name: string, isOver: () => boolean) {
  const client = new pg.Client({ connectionString: cluster.url(name) })
  await client.connect()
  const seen = new Map<string, { readonly what: string; readonly first: number; last: number }>()
  while (!isOver()) {
    const { rows } = await client.query<{ pid: number; xact: string; name: string; mode: string }>(
      `select l.pid, l.virtualtransaction as xact, c.relname as name, l.mode from pg_locks l join pg_class c on c.oid = l.relation
       where l.granted and l.locktype = 'relation' and c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
         and l.mode in ('AccessExclusiveLock', 'ExclusiveLock', 'ShareRowExclusiveLock', 'ShareLock')`,
    )
    const now = performance.now()
    for (const { pid, xact, name: table, mode } of rows) {
      const id = `${pid} ${xact} ${table} ${mode}`
      const known = seen.get(id)
      if (known) known.last = now
      else seen.set(id, { what: `${table}, ${mode}`, first: now, last: now })
    }
    await pause(everyMs)
  }
  await client.end()
  const longest = new Map<string, number>()
  for (const { what, first, last } of seen.values())
    longest.set(what, Math.max(longest.get(what) ?? 0, last - first + everyMs))
  return [...longest].sort(([, a], [, b]) => b - a)
}
