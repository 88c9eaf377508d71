import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'
import { openStorage } from '../../src/core/storage/index.ts'
import { createMembership } from '../../src/index.ts'
import { listCounted, listKinds } from '../../src/office/money-list.ts'
import type { TestDatabase } from '../support/databases.ts'
import { median } from './events.ts'
import { fillOffice } from './office-rows.ts'
import { databaseTitle, onlyAbsolute, report, table } from './report.ts'

const office = '/membership/office'

/** Every page of the office with what it is asked for, for somebody inside. */
export function pagesOf(member: string): readonly (readonly [name: string, path: string])[] {
  return [
    ['Today', ''],
    ['Members, the newest', '/members'],
    ['search: a common word', '/members?q=example'],
    ['search: a part of many names', '/members?q=ann'],
    ['search: a rare word', '/members?q=number%2077777'],
    ['search: nobody', '/members?q=zzzzzz'],
    ['search: an address', '/members?q=m4242.chlo%C3%AB@example.com'],
    ['search: a customer', '/members?q=cus_4242'],
    ['search: a payment', '/members?q=pay_4242_1'],
    ['search: an id that nothing has', '/members?q=cus_nobody'],
    ...['trials', 'failed', 'cancels', 'given', 'former', 'twice'].map(
      (view) => [`view: ${view}`, `/members?view=${view}`] as const,
    ),
    ['a member', `/members/${member}`],
    ['Money', '/money'],
    ['Plans', '/plans'],
    ...['begun', 'lost', 'paying', 'recurring', 'received', 'refunded', 'people', 'left'].map(
      (kind) => [`list: ${kind}`, `/money/list?kind=${kind}&month=${monthBefore(1)}`] as const,
    ),
    ['Left over', '/leftovers'],
    ['Deliveries', '/deliveries'],
    ['Deliveries: gave up', '/deliveries?status=dead'],
    ['Deliveries: a rare type', '/deliveries?type=charge.refunded'],
    ['Deliveries: a type that there is not', '/deliveries?type=nothing'],
    ['Check', '/check'],
    ['Log', '/log'],
  ]
}

/** The month before this one. */
function monthBefore(months: number): string {
  const now = new Date()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 1)).toISOString().slice(0, 7)
}

/** How long one page took, in ms, and the CPU of the site and of the database. */
interface Opened {
  readonly database: string
  readonly name: string
  readonly times: readonly number[]
  readonly cpu: number
  readonly databaseCpu: number | null
}

/** How long the server takes for each page of the office of so many members. */
export async function benchOffice(
  database: TestDatabase,
  members: number,
  rounds: number,
): Promise<Opened[]> {
  const opened: Opened[] = []
  const row = { database: databaseTitle(database), cpu: Number.NaN, databaseCpu: null }
  const url = await database.url()
  const m = await openOffice(url, members)
  const admin = new pg.Client({ connectionString: url })
  if (database.name === 'postgres') await admin.connect()
  const server = createServer(m.listener()).listen(0, '127.0.0.1')
  await new Promise((ready) => server.once('listening', ready))
  const site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const ask = async (path: string): Promise<number> => {
    const begun = performance.now()
    const answer = await fetch(`${site}${office}${path}`, { headers: { accept: 'text/html' } })
    const text = await answer.text()
    const took = performance.now() - begun
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${text.slice(0, 400)}`)
    return took
  }
  // The clock that other people's work does not move; this process asks and answers, so that it is a little much.
  const backends = async (): Promise<ReadonlyMap<number, number> | null> => {
    if (database.name !== 'postgres' || process.platform !== 'linux') return null
    const { rows } = await admin.query<{ pid: number }>(
      'select pid from pg_stat_activity where datname = current_database()',
    )
    return new Map(rows.map(({ pid }) => [pid, cpuOf(pid)]))
  }
  const isCounting = async () => {
    const answer = await fetch(`${site}${office}/money`, { headers: { accept: 'text/html' } })
    await answer.text()
    return answer.headers.has('refresh')
  }
  try {
    const first = await ask('')
    const whileCounting = await ask('/members')
    while (await isCounting()) await new Promise((later) => setTimeout(later, 200))
    const [{ id } = { id: '' }] = await m.storage.read((db) =>
      db.selectFrom('members').select('id').orderBy('id').limit(1),
    )
    opened.push(
      { ...row, name: 'the very first page', times: [first] },
      { ...row, name: 'Members while it counts', times: [whileCounting] },
    )
    for (const [name, path] of pagesOf(id)) {
      await ask(path)
      const times: number[] = []
      const [used, usedThere] = [process.cpuUsage(), await backends()]
      for (let i = 0; i < rounds; i++) times.push(await ask(path))
      const { user, system } = process.cpuUsage(used)
      const there = usedThere === null ? null : since(usedThere, await backends())
      const cpu = (user + system) / 1000 / rounds
      opened.push({ ...row, name, times, cpu, databaseCpu: there === null ? null : there / rounds })
    }
    return opened
  } finally {
    server.closeAllConnections()
    server.close()
    if (database.name === 'postgres') await admin.end()
    await m.close()
  }
}

/** The slowest page of each group; with `--absolute` each page. */
export function printOffice(opened: readonly Opened[], members: number): void {
  const groupOf = ({ database, name }: Opened) => `${database} ${name.split(':')[0]}`
  const groups = [...new Set(opened.map(groupOf))].map((group) =>
    opened.filter((page) => groupOf(page) === group),
  )
  const slowest = (pages: readonly Opened[]) => Math.max(...pages.map(({ times }) => median(times)))
  report(
    'office',
    `The office, ${members} members: the server's time for a page, with an aim of 100 ms`,
    table(groups, {
      database: ([page]) => page!.database,
      page: (pages) => {
        const [kind = ''] = pages[0]!.name.split(':')
        return pages.length === 1 ? kind : `${kind}: the slowest of ${pages.length}`
      },
      'median, ms': (pages) => slowest(pages).toFixed(0),
      'longest, ms': (pages) => Math.max(...pages.flatMap(({ times }) => times)).toFixed(0),
    }),
    ...onlyAbsolute(
      table(opened, {
        database: ({ database }) => database,
        page: ({ name }) => name,
        'median, ms': ({ times }) => median(times).toFixed(1),
        'longest, ms': ({ times }) => Math.max(...times).toFixed(1),
        'CPU ms': ({ cpu }) => (Number.isNaN(cpu) ? '' : cpu.toFixed(1)),
        'CPU ms of the database': ({ databaseCpu }) => databaseCpu?.toFixed(1) ?? '',
      }),
    ),
  )
}

/** What those have used meanwhile that were there before and are still. */
function since(before: ReadonlyMap<number, number>, now: ReadonlyMap<number, number> | null): number {
  return [...before].reduce((sum, [pid, used]) => sum + Math.max(0, (now?.get(pid) ?? used) - used), 0)
}

/** Milliseconds that a process has used, in hundredths of a second: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
function cpuOf(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
    return (Number(fields[11]) + Number(fields[12])) * 10
  } catch {
    return 0
  }
}

async function openOffice(url: string, members: number) {
  const settings = {
    'membership.database.url': url,
    'membership.database.synchronous': 'normal' as const,
    'membership.office.enabled': true,
    'membership.providers.stripe.webhook': 'whsec_bench',
    'membership.providers.stripe.plans': {
      pro: { prices: [{ id: 'price_month', amount: 900, currency: 'EUR', interval: 'month' as const }] },
      year: { prices: [{ id: 'price_year', amount: 9000, currency: 'EUR', interval: 'year' as const }] },
    },
    'membership.compare.automatic': false,
    office: { who: () => ({ name: 'bench', role: 'operator' as const }) },
    install: false,
    root: false as const,
    log: () => {},
  }
  const empty = await createMembership(settings)
  await empty.close()
  await fillOffice(url, members, Date.now())
  return createMembership(settings)
}

interface ListOpened {
  readonly database: string
  readonly kind: string
  readonly found: number
  readonly times: readonly number[]
}

/** How long the lists take that a figure opens, among so many members with as many subscriptions and twice as many payments. */
export async function benchOfficeLists(
  database: TestDatabase,
  members: number,
  rounds: number,
): Promise<ListOpened[]> {
  const url = await database.url()
  const now = new Date()
  await fillOffice(url, members, now.getTime(), ['customers', 'subscriptions', 'payments'])
  const storage = await openStorage({ url, synchronous: 'normal', pool: 1, now: () => now })
  try {
    const opened: ListOpened[] = []
    for (const kind of listKinds) {
      const rowsIn = async (month: string) => {
        const deps = { storage, plans: [], now, inIso: ({ amount }: { amount: number }) => amount }
        return (await listCounted(deps, { kind, month, plan: null, currency: null }, 201)).length
      }
      // An empty list shows little, and how the rows fall into months depends on the day.
      const counts = new Map<string, number>()
      for (const back of [0, 1, 2, 3]) counts.set(monthBefore(back), await rowsIn(monthBefore(back)))
      const [month, found] = [...counts].toSorted(([, x], [, y]) => y - x)[0]!
      const times: number[] = []
      for (let round = 0; round < rounds; round++) {
        const begun = performance.now()
        await rowsIn(month)
        times.push(performance.now() - begun)
      }
      opened.push({ database: databaseTitle(database), kind, found, times })
    }
    return opened
  } finally {
    await storage.close()
  }
}

export function printOfficeLists(opened: readonly ListOpened[], members: number): void {
  report(
    'office-lists',
    `Lists of the office, ${members} members: with an aim of 100 ms`,
    table(opened, {
      database: ({ database }) => database,
      list: ({ kind }) => kind,
      rows: ({ found }) => found,
      'median, ms': ({ times }) => median(times).toFixed(0),
      'longest, ms': ({ times }) => Math.max(...times).toFixed(0),
    }),
  )
}
