import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { openStorage } from '../../src/core/storage/index.ts'
import { type Migration, migrations } from '../../src/core/storage/migrations/index.ts'
import { median, secret } from '../bench/events.ts'
import { pagesOf } from '../bench/office.ts'
import { watch } from './bystander.ts'
import { type Cluster, createCluster } from './cluster.ts'
import { createStream, type Sent, sendAll, sendUntil, spread, toTarget } from './load.ts'
import { fillSite } from './rows.ts'
import { endSites, type Site, startSite } from './sites.ts'

const name = 'site'

/** A site of so many members and ten times as many events: an upgrade while others work, and then everything by the clock. */
export async function runSize(folder: string, members: number): Promise<void> {
  const cluster = await createCluster(folder, [
    'shared_buffers=1GB',
    'max_wal_size=8GB',
    'maintenance_work_mem=256MB',
  ])
  const sites: Site[] = []
  try {
    const filling = performance.now()
    await fillSite(cluster, name, members)
    const [size] = await cluster.query<{ text: string }>(
      `select pg_size_pretty(pg_database_size('${name}')) as text`,
    )
    console.log(
      `\n### ${members} members, ${members * 10} events\n\nFilled in ${seconds(filling)} s, ${size?.text} on disk (${diskOf(folder)} with its log).`,
    )
    sites.push(await upgrade(cluster, members))
    await deliveries(cluster, sites[0]!, members)
    await pages(cluster, sites[0]!, members)
    await doctor(cluster, folder)
    await cleaning(cluster, sites[0]!, members)
  } finally {
    await endSites(sites)
    await cluster.stop()
  }
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(1)
}
function diskOf(folder: string): string {
  return execFileSync('du', ['-sh', folder], { encoding: 'utf8' }).split('\t')[0]!
}

const settings = {
  'membership.office.enabled': true,
  'membership.providers.stripe.plans': { pro: { prices: ['price_1'] } },
}

/** Rewrites every fact and every subscription, adds a column, and makes an index: as much as a later release may. */
const heavy: Migration = {
  name: 'heavy',
  rewrites: () =>
    [
      { table: 'facts', key: ['provider', 'account', 'kind', 'id'] },
      { table: 'subscriptions', key: ['provider', 'account', 'id'] },
    ].map(({ table, key }) => ({
      table,
      key,
      texts: (range) => [`update ${table} set marks = marks || ' ' where ${range}`],
    })),
  up: (db) => [db.schema.alterTable('payments').addColumn('fleet_note', 'text')],
  indexes: (db) => [db.schema.createIndex('fleet_facts').on('facts').columns(['kind', 'at'])],
}

/** An upgrade by one heavy migration while others work; afterwards the database is as this release has it. */
async function upgrade(cluster: Cluster, members: number): Promise<Site> {
  const stop = await watch(cluster, name, members)
  await pause(2000)
  const begun = performance.now()
  const storage = await openStorage({
    url: cluster.url(name),
    synchronous: 'full',
    pool: 2,
    now: () => new Date(),
    migrations: [...migrations, heavy],
  })
  const started = seconds(begun)
  for (;;) {
    const [made] = await cluster.query<{ n: number }>(
      "select count(*)::int as n from pg_index i join pg_class c on c.oid = i.indexrelid where i.indisvalid and c.relname = 'fleet_facts'",
      name,
    )
    if (made?.n === 1) break
    await pause(500)
  }
  const { longest, tries, undone, locked } = await stop()
  console.log(
    [
      `\nA migration that rewrites every fact and subscription: done after ${started} s, its index stands after ${seconds(begun)} s. Meanwhile (${tries} times, ${undone.length} undone by the server${undone.length > 0 ? `: ${[...new Set(undone)].join(', ')}` : ''}):\n`,
      '| who else | waits at most, ms |\n|---|---|',
      ...Object.entries(longest).map(([work, ms]) => `| ${work} | ${ms.toFixed(0)} |`),
      '\n| table and lock | held at most, ms |\n|---|---|',
      ...locked.slice(0, 8).map(([what, ms]) => `| ${what} | ${ms.toFixed(0)} |`),
    ].join('\n'),
  )
  await storage.close()
  for (const text of [
    "delete from membership_migrations where name = 'heavy'",
    'drop index fleet_facts',
    'alter table payments drop column fleet_note',
  ])
    await cluster.query(text, name)
  return startSite(cluster.url(name), settings)
}

const grown = [
  'members',
  'customers',
  'subscriptions',
  'facts',
  'payment_refs',
  'payments',
  'events',
  'past_events',
]

/** How often each large table was read whole since. */
async function wholeReads(cluster: Cluster) {
  const rows = await cluster.query<{ name: string; n: number }>(
    `select relname as name, seq_scan::int as n from pg_stat_user_tables where relname in (${grown.map((item) => `'${item}'`).join(', ')})`,
    name,
  )
  return new Map(rows.map((row) => [row.name, row.n]))
}
async function readWhole<T>(cluster: Cluster, run: () => Promise<T>): Promise<[T, string]> {
  const before = await wholeReads(cluster)
  const result = await run()
  // The server tells its figures a second later.
  await pause(1200)
  const after = await wholeReads(cluster)
  const read = grown.filter((table) => (after.get(table) ?? 0) > (before.get(table) ?? 0))
  return [result, read.join(', ') || 'none']
}

function lineOf(what: string, sent: readonly Sent[], read: string): string {
  const { p50, p99, most } = spread(sent)
  return `| ${what} | ${sent.length} | ${p50.toFixed(1)} | ${p99.toFixed(1)} | ${most.toFixed(0)} | ${read} |`
}

async function deliveries(cluster: Cluster, site: Site, members: number): Promise<void> {
  const target = toTarget(site.port, 16)
  await sendAll([target], createStream('w', 200), 2000, 16)
  console.log(
    '\n| deliveries | | p50 ms | p99 ms | longest ms | tables read whole |\n|---|---|---|---|---|---|',
  )
  for (const [what, among, customers] of [
    ['of members who are there', '', members],
    ['of customers nobody told of', 'new', 1_000_000_000],
  ] as const) {
    const [sent, read] = await readWhole(cluster, () =>
      sendAll([target], createStream(among, customers), 3000, 16),
    )
    console.log(lineOf(what, sent, read))
  }
  await target.pool.destroy()
}

async function pages(cluster: Cluster, site: Site, members: number): Promise<void> {
  const ask = async (path: string, member?: string): Promise<number> => {
    const begun = performance.now()
    const headers = { accept: 'text/html', ...(member === undefined ? {} : { 'x-member': member }) }
    const answer = await fetch(`http://127.0.0.1:${site.port}${path}`, { headers })
    await answer.text()
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`)
    return performance.now() - begun
  }
  console.log('\n| page | ms, median | most | tables read whole |\n|---|---|---|---|')
  const measure = async (what: string, times: number, item: (n: number) => Promise<number>) => {
    const [took, read] = await readWhole(cluster, async () => {
      const all: number[] = []
      for (let n = 0; n < times; n++) all.push(await item(n))
      return all
    })
    console.log(`| ${what} | ${median(took).toFixed(1)} | ${Math.max(...took).toFixed(0)} | ${read} |`)
  }
  await measure('the first page of the office, which counts', 1, () => ask('/membership/office'))
  await measure('a page of the site, for a member', 300, (n) => ask('/', `m_${1 + ((n * 7919) % members)}`))
  for (const [what, path] of pagesOf('m_1'))
    await measure(`office: ${what}`, 3, () => ask(`/membership/office${path}`))
}

/** What an operator's check of the site takes, in a folder of its own. */
async function doctor(cluster: Cluster, folder: string): Promise<void> {
  const place = `${folder}-doctor`
  mkdirSync(`${place}/config`, { recursive: true })
  const stripe = { webhook: secret, plans: settings['membership.providers.stripe.plans'] }
  const config = { url: 'http://localhost', database: { url: cluster.url(name) }, providers: { stripe } }
  writeFileSync(`${place}/config/membership.json`, JSON.stringify({ membership: config }))
  const program = join(import.meta.dirname, '../../dist/cli/main.js')
  const begun = performance.now()
  const [{ status, stderr }, read] = await readWhole(cluster, async () =>
    spawnSync(process.execPath, [program, 'doctor', '--json'], { cwd: place, encoding: 'utf8' }),
  )
  // 2: it has something to say.
  if (status !== 0 && status !== 2) throw new Error(`doctor: ${status} ${stderr}`)
  console.log(`\nmembership doctor: ${seconds(begun)} s; tables read whole: ${read}`)
}

/** Old events leave while messages come. */
async function cleaning(cluster: Cluster, site: Site, members: number): Promise<void> {
  const target = toTarget(site.port, 16)
  const before = await sendAll([target], createStream('before', members), 3000, 16)
  const count = async () => {
    const [row] = await cluster.query<{ n: number }>('select count(*)::int as n from events', name)
    return row?.n ?? 0
  }
  const there = await count()
  let isOver = false
  const load = sendUntil(target, createStream('beside', members), 16, () => isOver)
  const begun = performance.now()
  // It is due once an hour.
  const worker = await startSite(cluster.url(name), settings, { work: true })
  await worker.gone
  const took = seconds(begun)
  isOver = true
  const beside = await load
  console.log(
    [
      `\nIn ${took} s ${there + beside.length - (await count())} of ${there} events left, in parts:\n`,
      '| deliveries | | p50 ms | p99 ms | longest ms | |\n|---|---|---|---|---|---|',
      lineOf('alone', before, ''),
      lineOf('beside it', beside, ''),
    ].join('\n'),
  )
  await target.pool.destroy()
}
