// npm run bench -- [--quick] [--only webhooks|floor|apart|limits|several|repeats|reads|memory|migrate|reports|crawl|uploads|flood|pings|pages|start|disk|drivers|office|office-lists|compare] [--million] [--size 100000]

// npm run bench -- --only office [--database sqlite|postgres] [--size 100000]: the server time of each page of the office
// npm run bench -- --only office-lists [--database sqlite|postgres] [--size 1000000]: the lists that a figure of the office opens
// npm run bench -- --only paint [--url http://localhost:4321]: what the demo's pages weigh, and when they are painted
// npm run bench -- --only webhooks --provider all|paddle|…: each provider's messages beside Stripe's
// npm run bench -- --only floor|apart|repeats|pages --before FOLDER: the same in turn with another commit, built in FOLDER
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { postgresDatabases, sqliteDatabases } from '../support/databases.ts'
import { benchApart } from './apart.ts'
import { benchCompare } from './compare.ts'
import { benchCrawl } from './crawl.ts'
import { benchDisk } from './disk.ts'
import { benchDrivers } from './drivers.ts'
import { benchFlood } from './flood.ts'
import { benchFloor } from './floor.ts'
import { benchHot } from './hot.ts'
import { benchLimits } from './limits.ts'
import { benchMemory } from './memory.ts'
import { benchMigrate } from './migrate.ts'
import { benchOffice, benchOfficeLists } from './office.ts'
import { benchPages } from './pages.ts'
import { benchPaint } from './paint.ts'
import { bringPeers } from './peers.ts'
import { benchPings } from './pings.ts'
import { benchProviders } from './providers.ts'
import { benchReads } from './reads.ts'
import { benchRepeats } from './repeats.ts'
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
  },
})
const wants = (part: string) => values.only === undefined || values.only === part
/** Parts of the webhooks that also run alone. */
const wantsWebhooks = (part: string) =>
  wants(part) || (values.only === 'webhooks' && values.provider === undefined)
const before = values.before === undefined ? null : resolve(values.before)
const seconds = Number(values.seconds ?? (values.quick ? 1 : 3))
const rounds = Number(values.rounds ?? (values.quick ? 1 : 3))
const connections = values.quick ? [16] : [1, 16, 64]

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
  else if (wants('webhooks')) {
    for (const synchronous of values.quick ? ['full'] : ['full', 'normal']) {
      const database = await sqliteDatabases()
      printLevels(
        await benchWebhooks({
          database,
          kinds: ['a', 'b', 'c', 'd'],
          synchronous,
          rounds,
          seconds,
          connections,
        }),
      )
      await database.close()
    }
    const database = await postgresDatabases({ durable: true })
    printLevels(
      await benchWebhooks({
        database,
        kinds: ['e', 'c', 'd'],
        synchronous: 'full',
        rounds,
        seconds,
        connections,
      }),
    )
    await database.close()
  }
  if (wants('floor'))
    for (const databases of [sqliteDatabases, postgresDatabases]) {
      if (values.database !== undefined && !databases.name.startsWith(values.database)) continue
      const database = await databases()
      await benchFloor(database, values.quick ? 5 : 15, before)
      await database.close()
    }
  if (wants('limits')) {
    const database = await sqliteDatabases()
    await benchLimits(database, values.quick ? 3 : 9)
    await database.close()
  }
  if (wants('apart'))
    for (const databases of [sqliteDatabases, postgresDatabases]) {
      if (values.database !== undefined && !databases.name.startsWith(values.database)) continue
      const database = await databases()
      await benchApart(database, values.quick ? 5 : 15, before)
      await database.close()
    }
  if (wantsWebhooks('several'))
    for (const databases of [sqliteDatabases, () => postgresDatabases({ durable: true })]) {
      const database = await databases()
      if (values.database === undefined || database.name.startsWith(values.database))
        await benchHot(database, values.quick ? 1000 : 5000)
      await database.close()
    }
  if (wantsWebhooks('repeats'))
    for (const databases of [sqliteDatabases, postgresDatabases]) {
      if (values.database !== undefined && !databases.name.startsWith(values.database)) continue
      const database = await databases()
      await benchRepeats(database, { rounds, events: values.quick ? 500 : 2000, earlier: before })
      await database.close()
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
    for (const databases of [sqliteDatabases, postgresDatabases]) {
      if (values.database !== undefined && !databases.name.startsWith(values.database)) continue
      const database = await databases()
      await benchFlood(database)
      await database.close()
    }
  // A commit before is compared alone.
  const peers = before === null && ['pages', 'start'].some(wants) ? bringPeers(join(folder, 'peers')) : null
  if (wants('pages'))
    for (const databases of [sqliteDatabases, postgresDatabases]) {
      if (values.database !== undefined && !databases.name.startsWith(values.database)) continue
      const database = await databases()
      await benchPages(database, values.quick ? 5 : 20, { peers, earlier: before })
      await database.close()
    }
  // A browser's, and not asked for with everything else.
  if (values.only === 'paint') await benchPaint(values.quick ? 3 : 15, values.url)
  if (wants('start')) benchStart(folder, values.quick ? 5 : 15, peers)
  if (wants('drivers')) benchDrivers(folder, rounds)
  if (wants('disk')) benchDisk(join(import.meta.dirname, '../..'))
  if (wants('office'))
    for (const databases of [sqliteDatabases, postgresDatabases]) {
      if (values.database !== undefined && !databases.name.startsWith(values.database)) continue
      const database = await databases()
      await benchOffice(
        database,
        Number(values.size ?? (values.quick ? 10_000 : 100_000)),
        values.quick ? 5 : 15,
      )
      await database.close()
    }
  // Its million of rows is not asked for with everything else.
  if (values.only === 'office-lists')
    for (const databases of [sqliteDatabases, postgresDatabases]) {
      if (values.database !== undefined && !databases.name.startsWith(values.database)) continue
      const database = await databases()
      await benchOfficeLists(database, Number(values.size ?? (values.quick ? 10_000 : 1_000_000)), rounds * 3)
      await database.close()
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
  await rm(folder, { recursive: true, force: true })
}
