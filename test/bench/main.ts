// npm run bench -- [--quick] [--only webhooks|floor|apart|limits|several|repeats|reads|memory|migrate|reports|crawl|uploads|flood|pings|pages|start|disk|drivers|office|office-lists|compare] [--million] [--size 100000]

// npm run bench -- --only office [--database sqlite|postgres] [--size 100000]: the server time of each page of the office
// npm run bench -- --only growth [--quick|--million]: what takes longer, or stops the event loop, in a larger site
// npm run bench -- --only office-lists [--database sqlite|postgres] [--size 1000000]: the lists that a figure of the office opens
// npm run bench -- --only paint [--url http://localhost:4321]: what the demo's pages weigh, and when they are painted
// npm run bench -- --only webhooks --provider all|paddle|…: each provider's messages beside Stripe's
// npm run bench -- --only merges [--before FOLDER]: merges while purchases arrive, on PostgreSQL
// npm run bench -- --only floor|apart|repeats|pages --before FOLDER: the same in turn with another commit, built in FOLDER
// npm run bench -- --absolute: what is of this machine alone, too, as microseconds and events a second
// npm run bench -- --write docs/performance.md: puts the tables between the document's marks of these parts
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { postgresDatabases, sqliteDatabases, type TestDatabase } from '../support/databases.ts'
import { benchApart, printApart } from './apart.ts'
import { benchCompare } from './compare.ts'
import { benchCrawl } from './crawl.ts'
import { benchDisk } from './disk.ts'
import { benchDrivers } from './drivers.ts'
import { benchFlood } from './flood.ts'
import { benchFloor, printFloor } from './floor.ts'
import { benchSiteGrowth, growthFaults, printGrowth } from './growth.ts'
import { benchHot, printHot } from './hot.ts'
import { benchLimits } from './limits.ts'
import { benchMemory } from './memory.ts'
import { benchMerges, printMerges } from './merges.ts'
import { benchMigrate } from './migrate.ts'
import { benchOffice, benchOfficeLists, printOffice, printOfficeLists } from './office.ts'
import { benchPages, printPages } from './pages.ts'
import { benchPaint } from './paint.ts'
import { bringPeers } from './peers.ts'
import { benchPings } from './pings.ts'
import { benchProviders } from './providers.ts'
import { benchReads } from './reads.ts'
import { benchRepeats, printRepeats } from './repeats.ts'
import { partsIn, withReports } from './report.ts'
import { benchGrowth, benchLists } from './reports.ts'
import { benchStart } from './start.ts'
import { benchUploads } from './uploads.ts'
import { benchWebhooks, printLevels } from './webhooks.ts'

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean' },
    only: { type: 'string' },
    million: { type: 'boolean' },
    size: { type: 'string' },
    provider: { type: 'string' },
    seconds: { type: 'string' },
    rounds: { type: 'string' },
    database: { type: 'string' },
    url: { type: 'string' },
    before: { type: 'string' },
    absolute: { type: 'boolean' },
    write: { type: 'string' },
  },
})
function wants(part: string) {
  return values.only === undefined || values.only === part
}
/** Parts of the webhooks that also run alone. */
function wantsWebhooks(part: string) {
  return wants(part) || (values.only === 'webhooks' && values.provider === undefined)
}
const before = values.before === undefined ? null : resolve(values.before)
const seconds = Number(values.seconds ?? (values.quick ? 1 : 3))
const rounds = Number(values.rounds ?? (values.quick ? 1 : 3))
const connections = values.quick ? [16] : [1, 16, 64]

if (values.write !== undefined) {
  if (values.absolute) throw new Error('a document shows ratios: --write or --absolute')
  const parts = partsIn(readFileSync(values.write, 'utf8'))
  const asked = values.provider === undefined ? values.only : 'providers'
  if (asked !== undefined && !parts.includes(asked))
    throw new Error(`${values.write} has no <!-- bench ${asked} -->; it has ${parts.join(', ')}`)
}

/** What is measured on each database, or on the one of `--database`. */
async function onEach<Row>(
  measure: (database: TestDatabase) => Promise<readonly Row[]>,
  postgres: () => Promise<TestDatabase> = postgresDatabases,
): Promise<Row[]> {
  const rows: Row[] = []
  for (const [name, open] of Object.entries({ sqlite: sqliteDatabases, postgres })) {
    if (values.database !== undefined && !name.startsWith(values.database)) continue
    const database = await open()
    rows.push(...(await measure(database)))
    await database.close()
  }
  return rows
}
function durable() {
  return postgresDatabases({ durable: true })
}

console.log(
  `${cpus()[0]?.model}, ${cpus().length} cores, Node ${process.version}; ${rounds} rounds of ${seconds} s, medians`,
)
const folder = await mkdtemp(join(tmpdir(), 'membership-bench-'))
try {
  // What is measured is the built package, as a site runs it.
  if (['webhooks', 'floor', 'apart', 'repeats', 'migrate', 'reports', 'crawl', 'pages', 'start'].some(wants))
    execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' })
  if (wants('webhooks') && values.provider !== undefined)
    await benchProviders({ which: values.provider, rounds, events: values.quick ? 1000 : 3000 })
  else if (wants('webhooks'))
    printLevels(
      await onEach(async (database) => {
        if (database.name === 'postgres')
          return benchWebhooks({
            database,
            rounds,
            seconds,
            connections,
            kinds: ['e', 'c', 'd'],
            synchronous: 'full',
          })
        const levels = []
        for (const synchronous of values.quick ? ['full'] : ['full', 'normal'])
          levels.push(
            ...(await benchWebhooks({
              database,
              rounds,
              seconds,
              connections,
              kinds: ['a', 'b', 'c', 'd'],
              synchronous,
            })),
          )
        return levels
      }, durable),
    )
  if (wants('floor'))
    printFloor(await onEach((database) => benchFloor(database, values.quick ? 5 : 15, before)))
  if (wants('limits')) {
    const database = await sqliteDatabases()
    await benchLimits(database, values.quick ? 3 : 9)
    await database.close()
  }
  // Not asked for with everything else.
  if (values.only === 'merges') {
    const database = await durable()
    printMerges(await benchMerges(database, values.quick ? 2 : 5, before))
    await database.close()
  }
  if (wants('apart'))
    printApart(await onEach((database) => benchApart(database, values.quick ? 5 : 15, before)))
  if (wantsWebhooks('several')) {
    const count = values.quick ? 1000 : 5000
    printHot(await onEach((database) => benchHot(database, count), durable), count)
  }
  if (wantsWebhooks('repeats')) {
    const events = values.quick ? 500 : 2000
    printRepeats(await onEach((database) => benchRepeats(database, { rounds, events, earlier: before })))
  }
  if (wants('reads'))
    await benchReads(join(folder, 'reads'), [
      1000,
      10_000,
      ...(values.quick ? [] : [100_000]),
      ...(values.million ? [1_000_000] : []),
    ])
  if (wants('memory')) await benchMemory(join(folder, 'memory.db'), values.quick ? 20_000 : 100_000)
  const file = (name: string) => `sqlite:${join(folder, `${name}.db`)}`
  if (wants('reports')) {
    await benchLists(file('lists'), rounds, seconds, connections)
    await benchGrowth(file, [1000, values.quick ? 10_000 : 100_000, ...(values.million ? [1_000_000] : [])])
  }
  // 100 000 pages with --million: whether memory stays flat.
  if (wants('crawl')) await benchCrawl(file, values.quick ? 2000 : values.million ? 100_000 : 10_000)
  if (wants('uploads')) await benchUploads(folder)
  if (wantsWebhooks('flood'))
    await onEach(async (database) => {
      await benchFlood(database)
      return []
    })
  // A commit before is compared alone.
  const peers = before === null && ['pages', 'start'].some(wants) ? bringPeers(join(folder, 'peers')) : null
  if (wants('pages'))
    printPages(
      await onEach((database) => benchPages(database, values.quick ? 5 : 20, { peers, earlier: before })),
    )
  // A browser's, and not asked for with everything else.
  if (values.only === 'paint') await benchPaint(values.quick ? 3 : 15, values.url)
  if (wants('start')) benchStart(folder, values.quick ? 5 : 15, peers)
  if (wants('drivers')) benchDrivers(folder, rounds)
  if (wants('disk')) benchDisk(join(import.meta.dirname, '../..'))
  if (wants('office')) {
    const members = Number(values.size ?? (values.quick ? 10_000 : 100_000))
    const opens = values.quick ? 5 : 15
    printOffice(await onEach((database) => benchOffice(database, members, opens)), members)
  }
  // Its million of rows is not asked for with everything else.
  if (values.only === 'office-lists') {
    const members = Number(values.size ?? (values.quick ? 10_000 : 1_000_000))
    printOfficeLists(await onEach((database) => benchOfficeLists(database, members, rounds * 3)), members)
  }
  // Its hundred thousand of members are not asked for with everything else.
  if (values.only === 'growth') {
    const sizes = [1000, values.quick ? 10_000 : 100_000, ...(values.million ? [1_000_000] : [])]
    const measured = await onEach((database) => benchSiteGrowth(database, sizes))
    printGrowth(measured)
    const faults = growthFaults(measured)
    for (const fault of faults) console.error(`!! ${fault}`)
    if (faults.length > 0) process.exitCode = 1
  }
  if (wants('pings')) await benchPings(file('pings'))
  if (wants('compare')) {
    const size = Number(values.size ?? (values.quick ? 2000 : 100_000))
    const sizes = [Math.round(size / 10), size]
    if (values.database?.startsWith('postgres')) {
      const database = await postgresDatabases()
      await benchCompare(() => database.url(), sizes)
      await database.close()
    } else await benchCompare(file, sizes)
  }
  if (wants('migrate')) benchMigrate(join(folder, 'site'), Math.max(rounds, 3))
} finally {
  // Also where a later part failed.
  if (values.write !== undefined) writeFileSync(values.write, withReports(readFileSync(values.write, 'utf8')))
  await rm(folder, { recursive: true, force: true })
}
