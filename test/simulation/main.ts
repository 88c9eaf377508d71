// npm run simulate -- [--seed random|text] [--members 300] [--months 12] [--timeouts 0] [--database sqlite|postgres]
// npm run simulate -- --provider all|stripe|paddle|… [--seed …] [--members 30] [--months 12]: a year with each provider that
//   has a fake server; with several, such as --provider stripe,paddle, each with the same site at once
//   [--faults all|stale-reads,late-lists,…]: with lasting faults of the providers, which docs/testing.md lists
// npm run simulate -- --malice [--seed …] [--members 30] [--months 12] [--database …]: members who want it all for nothing
// npm run simulate -- --lost-hours 6 [--provider all|stripe|…] [--seed …] [--members 30]: every delivery of whole hours is lost;
//   how late a site knows
// npm run simulate -- --money [--seed …] [--members 40] [--months 12]: what the office says of revenue, counts and churn, beside the
//   books of two providers at once
// npm run simulate -- --stores [--seed …] [--members 24] [--months 6] [--database …]: members buy the same plans at two web
//   providers and in the apps of three stores, whose messages come late, twice or never; the books of all five are compared
// npm run simulate -- --stores --without [all|word]: plants a fault for each law of apps, and says whether the law finds it
// npm run simulate -- --shops [--provider all|stripe|…] [--members 2000] [--months 12] [--seed …] [--database …]: an account that
//   already sells for three apps gets a site of this package: its import, then a year of everybody's events, deletions, a merge
//   and a switch. What other shops sold makes nothing here, and no call changes it. The messages of a small account then
//   arrive in ten orders, with plans and prices known before, between or after them
// npm run simulate -- --shops --without [all|word]: takes each rule out, and says whether a law finds it
// npm run simulate -- --switch [--seed …] [--members 300]: everybody moves from one provider to another
// npm run simulate -- --model [--minutes 1] [--seed …] [--provider stripe,paddle] [--database …] [--only buy,merge,…]: a few people
//   on one site, and the laws of access and money; a history that breaks one is made as short as it can be
// npm run simulate -- --triples [--part 1/64] [--only merge,'cancel now'] [--depth 3] [--minutes 1] [--all]: every ordered
//   selection of three things that can happen to a member, each followed by two periods, under the same laws.
//   --part: the k-th of n parts. --all: two that come to the same state are both played on
// npm run simulate -- --migrate [--programs 2000] [--seed …] [--site ../cms]: random PHP and JavaScript is migrated and run by
//   PHP and Node with the data of each version; no program may be green and show something else. --site: what is
//   listed in a folder that never had memberships
// npm run simulate -- --offers [--provider stripe,paddle] [--seed …] [--steps 60]: members of one site at each provider use
//   features and limits, buy top-ups and gifts, share a team; others read behind a wall, wait for a lesson, choose amounts,
//   are raised and buy in a sale. The laws of all of these after each of so many steps
// npm run simulate -- --offers --without [all|word]: plants a fault for each law, and says whether the law finds it
// npm run simulate -- --limits [--processes 16] [--calls 100000] [--database …]: processes take from the same limits at once and
//   are killed in the middle; never over, never lost
// npm run simulate -- --seats [--processes 16] [--calls 4000] [--database …]: processes invite to the same seats at once, open
//   each link for two people, take seats back and are killed, while fewer are paid; never one seat for two, never more members
//   than seats
// npm run simulate -- --model --without [all|word]: takes the fix of each known fault out of a copy of the sources, and says
//   whether the model finds the fault
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type FaultName, faults } from '../../src/fakes/engine/index.ts'
import { paddle } from '../providers/paddle/selling.ts'
import { stripe } from '../providers/stripe/selling.ts'
import { postgresDatabases, sqliteDatabases } from '../support/databases.ts'
import { raceForLimits, tableOfRaces } from '../support/limits-race.ts'
import { isBroken, raceForSeats, tableOfSeats } from '../support/seats-race.ts'
import { type Figures, lineOf } from './figures.ts'
import { happenings, simulateLostHours, spreadOf } from './lost-hours.ts'
import { simulateMalice } from './malice/malice.ts'
import {
  lineOfAlarms,
  lineOfOutcome,
  simulatePhpMigration,
  simulateScriptMigration,
} from './migration/run.ts'
import { search } from './model/run.ts'
import { type ProviderKey, providers } from './model/steps.ts'
import { branchesOf, selections } from './model/triples.ts'
import { playTriples } from './model/triples-run.ts'
import { findFaults, trials } from './model/without.ts'
import { simulateMoney } from './money-year.ts'
import { liveWithOffers, offerLaws } from './offers.ts'
import { plantedTrials } from './planted.ts'
import { sellers } from './sellers.ts'
import { playShopCases } from './shops/cases.ts'
import { playShopOrders } from './shops/orders.ts'
import { shopTrials } from './shops/planted.ts'
import { shopLaws, simulateShops } from './shops/year.ts'
import { simulate } from './simulate.ts'
import { storeTrials } from './stores/planted.ts'
import { simulateStores } from './stores/year.ts'
import { simulateSwitch } from './switching.ts'
import { liveWithTerms, termLaws } from './terms.ts'
import { simulateYear } from './year.ts'

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', short: 'h', default: false },
    seed: { type: 'string', default: '1' },
    members: { type: 'string' },
    months: { type: 'string' },
    timeouts: { type: 'string', default: '0' },
    database: { type: 'string', default: 'sqlite' },
    malice: { type: 'boolean', default: false },
    provider: { type: 'string' },
    faults: { type: 'string' },
    'lost-hours': { type: 'string' },
    switch: { type: 'boolean', default: false },
    stores: { type: 'boolean', default: false },
    shops: { type: 'boolean', default: false },
    money: { type: 'boolean', default: false },
    model: { type: 'boolean', default: false },
    triples: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
    part: { type: 'string', default: '1/1' },
    depth: { type: 'string', default: '3' },
    minutes: { type: 'string', default: '1' },
    only: { type: 'string' },
    migrate: { type: 'boolean', default: false },
    programs: { type: 'string', default: '2000' },
    site: { type: 'string' },
    without: { type: 'string' },
    offers: { type: 'boolean', default: false },
    limits: { type: 'boolean', default: false },
    processes: { type: 'string', default: '16' },
    seats: { type: 'boolean', default: false },
    calls: { type: 'string' },
    steps: { type: 'string', default: '60' },
  },
})
if (values.help) {
  const lines = readFileSync(import.meta.filename, 'utf8').split('\n')
  const head = lines.slice(
    0,
    lines.findIndex((line) => !line.startsWith('//')),
  )
  console.log(head.map((line) => line.slice(3)).join('\n'))
  process.exit(0)
}
function secondsSince(moment: number): string {
  return ((Date.now() - moment) / 1000).toFixed(0)
}
const seed = values.seed === 'random' ? randomBytes(4).toString('hex') : values.seed
const [members, months] = [
  Number(
    values.members ??
      (values.shops
        ? 2000
        : values.stores
          ? 24
          : values.malice || (values.provider && !values.switch) || values['lost-hours']
            ? 30
            : 300),
  ),
  Number(values.months ?? (values.stores ? 6 : 12)),
]
if (!values.model && !values.triples && !values.migrate)
  console.log(`seed ${seed}, ${members} members, ${months} months`)

interface Ended {
  readonly broken: readonly string[]
  readonly figures: Figures['counts']
  readonly lines: readonly string[]
}

function print({ broken, figures, lines }: Ended): void {
  console.log(`actions: ${lineOf(figures.actions)}`)
  console.log(`refused: ${lineOf(figures.refused)}`)
  console.log(`failed: ${lineOf(figures.failed)}`)
  console.log(`world: ${lineOf(figures.world)}`)
  if (figures.money.size > 0) console.log(`money: ${lineOf(figures.money)}`)
  for (const line of lines) console.log(line)
  console.log(`${((Date.now() - began) / 1000).toFixed(1)} s, ${broken.length} broken`)
  for (const item of broken) console.log(`\n${item}`)
  if (broken.length > 0) process.exitCode = 1
}

/** The lasting faults of `--faults`. */
function faultsNamed(text: string | undefined): readonly FaultName[] {
  const names = Object.keys(faults) as FaultName[]
  if (text === undefined || text === 'all') return text === undefined ? [] : names
  return text.split(',').map((name) => {
    const found = names.find((known) => known === name)
    if (found === undefined) throw new Error(`--faults all, or of ${names.join(', ')}`)
    return found
  })
}

const databases = await (values.database === 'postgres' ? postgresDatabases() : sqliteDatabases())
let began = Date.now()
const named = values.provider?.split(',') ?? ['all']
const chosen = sellers.filter(({ key }) => named[0] === 'all' || named.includes(key))
if (values.limits) {
  const races = []
  for (const [title, count] of [
    ['one member', 1],
    ['50 members', 50],
  ] as const) {
    const calls = Number(values.calls ?? 100_000) / 2
    const result = await raceForLimits({
      url: await databases.url(),
      processes: Number(values.processes),
      calls,
      members: count,
      kills: 8,
      amount: Math.ceil(calls / 3 / count),
    })
    races.push({ title, result })
    if (result.over.length + result.lost.length + result.inexact.length + result.refusedWrongly.length > 0)
      process.exitCode = 1
  }
  for (const line of tableOfRaces(races)) console.log(line)
} else if (values.seats) {
  const races = []
  for (const [title, groups] of [
    ['one group', 1],
    ['20 groups', 20],
  ] as const) {
    const calls = Number(values.calls ?? 4000) / 2
    const size = { calls, groups, seats: Math.max(3, Math.ceil(calls / 6 / groups)), kills: 4 }
    const result = await raceForSeats({
      ...size,
      url: await databases.url(),
      processes: Number(values.processes),
    })
    races.push({ title, result })
    if (isBroken(result)) process.exitCode = 1
  }
  for (const line of tableOfSeats(races)) console.log(line)
} else if (values.without !== undefined) {
  const { without: word } = values
  const root = join(import.meta.dirname, '../..')
  const all = values.shops ? shopTrials : values.stores ? storeTrials : values.offers ? plantedTrials : trials
  const missed = await findFaults(
    root,
    all.filter(({ name }) => word === 'all' || name.includes(word)),
    console.log,
  )
  console.log(`${missed.length} faults were not found`)
  if (missed.length > 0) process.exitCode = 1
} else if (values.offers) {
  for (const [laws, live] of [
    [offerLaws, liveWithOffers],
    [termLaws, liveWithTerms],
  ] as const) {
    for (const [name, law] of Object.entries(laws)) console.log(`law: ${name}: ${law}`)
    for (const seller of chosen) {
      const { counts, broken } = await live(seller, seed, Number(values.steps))
      console.log(`${seller.key}: ${broken.length} broken; ${lineOf(counts)}`)
      for (const line of broken) console.log(line)
      if (broken.length > 0) process.exitCode = 1
    }
  }
} else if (values.shops) {
  for (const [name, law] of Object.entries(shopLaws)) console.log(`law: ${name}: ${law}`)
  for (const seller of chosen) {
    began = Date.now()
    const size = { seed, months, customers: members, database: await databases.url() }
    const cases = await playShopCases({ seller, database: await databases.url() })
    const onDay = (day: number): void => {
      if ((day + 1) % 30 === 0) console.log(`${seller.key}: day ${day + 1}, ${secondsSince(began)} s`)
    }
    const { broken: lived, counts } = await simulateShops({ ...size, seller, onDay })
    const orders = await playShopOrders({ seller, seed, ways: 10, database: () => databases.url() })
    const broken = [...cases, ...orders, ...lived]
    console.log(`${seller.key}: ${broken.length} broken, ${secondsSince(began)} s`)
    for (const [what, n] of [...counts].sort()) console.log(`  ${what}: ${n}`)
    for (const line of broken) console.log(line)
    if (broken.length > 0) process.exitCode = 1
  }
} else if (values.migrate) {
  const folder = await mkdtemp(join(tmpdir(), 'membership-programs-'))
  const programs = Number(values.programs)
  console.log(`seed ${seed}`)
  for (const simulateMigration of [simulatePhpMigration, simulateScriptMigration]) {
    const outcome = simulateMigration({ seed, programs, folder })
    console.log(lineOfOutcome(outcome))
    for (const program of outcome.unsound) console.log(`\n${program}`)
    if (outcome.unsound.length > 0) process.exitCode = 1
  }
  if (values.site !== undefined) console.log(await lineOfAlarms(values.site))
  await rm(folder, { recursive: true })
} else if (values.model) {
  const keys = named[0] === 'all' ? providers : (named as ProviderKey[])
  const number = values.seed === 'random' ? randomBytes(4).readInt32BE() : Number(values.seed)
  const ms = Number(values.minutes) * 60_000
  const database = values.database === 'postgres' ? () => databases.url() : undefined
  const { played, report } = await search({ keys, seed: number, ms, only: values.only?.split(','), database })
  console.log(`seed ${number}: ${played} histories, ${report === null ? '0 broken laws' : 'a law is broken'}`)
  if (report !== null) console.log(report)
  if (report !== null) process.exitCode = 1
} else if (values.triples) {
  const [k = 1, n = 1] = values.part.split('/').map(Number)
  const only = values.only?.split(',') ?? []
  const depth = Number(values.depth)
  const { all, chosen } = selections(depth, only)
  const mine = branchesOf(chosen, [k, n]).flat().length
  const ms = Number(values.minutes) * 60_000
  const print = (line: string): void => console.log(line)
  const { played, twins, reports } = await playTriples({
    depth,
    only,
    part: [k, n],
    ms,
    all: values.all,
    print,
  })
  const seconds = ((Date.now() - began) / 1000).toFixed(0)
  console.log(
    `${all} selections, ${all - chosen.length} equal to another, ${mine} in part ${k} of ${n}; ${played} played in ${seconds} s, ${twins} of them to the state of another, ${reports.length} kinds of broken laws`,
  )
  for (const report of reports) console.log(`\n${report}`)
  if (reports.length > 0) process.exitCode = 1
} else if (values.money) {
  const size = { seed, months, members: Number(values.members ?? 40) }
  print(await simulateMoney({ ...size, database: await databases.url() }))
} else if (values.stores) {
  const size = { seed, months, members, database: await databases.url() }
  const { lost, wrong, figures, lines } = await simulateStores(size)
  for (const [what, counts] of Object.entries(figures.counts)) console.log(`${what}: ${lineOf(counts)}`)
  for (const line of lines) console.log(line)
  console.log(`${((Date.now() - began) / 1000).toFixed(1)} s, ${lost.length} lost, ${wrong.length} wrong`)
  for (const problem of [...lost, ...wrong]) console.log(`\n${problem}`)
  if (lost.length + wrong.length > 0) process.exitCode = 1
} else if (values.switch) {
  for (const [from, to] of [
    [paddle, stripe],
    [stripe, paddle],
  ] as const) {
    if (values.provider !== undefined && values.provider !== from.key) continue
    began = Date.now()
    const { table, broken } = await simulateSwitch({ from, to, seed, members })
    console.log(`\n${from.key} → ${to.key}: ${broken.length} broken, ${secondsSince(began)} s`)
    for (const line of [...table, ...broken]) console.log(line)
    if (broken.length > 0) process.exitCode = 1
  }
} else if (values['lost-hours'] !== undefined) {
  for (const seller of chosen) {
    const hours = Number(values['lost-hours'])
    const { late, bounds, broken } = await simulateLostHours({
      seller,
      seed,
      members,
      hours,
      database: await databases.url(),
    })
    console.log(`\n${seller.key}, ${hours} hours without a delivery: ${broken.length} wrong at the end`)
    for (const what of happenings)
      console.log(
        `${what.padEnd(13)}${spreadOf(late[what])}; bound ${bounds[what] ?? 'none'}${bounds[what] === null ? '' : ' s'}`,
      )
    for (const item of broken) console.log(item)
    if (broken.length > 0) process.exitCode = 1
  }
} else if (values.provider !== undefined) {
  if (chosen.length === 0)
    throw new Error(`--provider all, or one of ${sellers.map(({ key }) => key).join(', ')}`)
  const [first, ...beside] = chosen
  const sites =
    named.length > 1 ? [{ seller: first!, beside }] : chosen.map((seller) => ({ seller, beside: [] }))
  for (const { seller, beside } of sites) {
    began = Date.now()
    console.log(`\n${[seller, ...beside].map(({ key }) => key).join(' and ')}`)
    const { broken, figures } = await simulateYear({
      seller,
      beside,
      seed,
      members,
      months,
      database: await databases.url(),
      faults: faultsNamed(values.faults),
    })
    print({ broken, figures: figures.counts, lines: [] })
  }
} else {
  const size = { seed, database: await databases.url(), progress: (line: string) => console.log(line) }
  print(
    values.malice
      ? await simulateMalice({ ...size, rogues: members, days: months * 30 }).then((end) => ({
          ...end,
          lines: end.table,
        }))
      : await simulate({
          ...size,
          members,
          months,
          timeouts: Number(values.timeouts),
          faults: faultsNamed(values.faults),
        }).then((end) => ({
          ...end,
          lines: end.explained.map((line) => `explained: ${line}`),
        })),
  )
}
await databases.close()
