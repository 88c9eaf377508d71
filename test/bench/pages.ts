import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import Database from 'better-sqlite3'
import type { TestDatabase } from '../support/databases.ts'
import { median } from './events.ts'
import type { bringPeers } from './peers.ts'
import { populated } from './reads.ts'
import { databaseTitle, report, table } from './report.ts'

type Peers = ReturnType<typeof bringPeers>

interface Kind {
  readonly name: string
  readonly site: Site
  /** One for each connection; none for a visitor. */
  readonly cookies: readonly string[]
  /** Done before each page. */
  readonly write?: () => void
}

interface Site {
  readonly port: number
  readonly cookies: readonly string[]
  stop(): void
}

/** What pages of one kind cost in each round, beside those of Koa alone. */
interface PageCost {
  readonly database: string
  readonly name: string
  /** Microseconds of CPU. */
  readonly us: readonly number[]
  readonly bare: readonly number[]
  readonly perSecond: readonly number[]
}

const pagesPerRound = 1500
const connections = 16

/**
 * What a page costs a visitor and a member more than by Koa alone, beside better-auth's session: CPU of the
 * server's process, all in turn, and pages a second. Each connection is another member's.
 */
export async function benchPages(
  database: TestDatabase,
  rounds: number,
  /** `earlier` is the folder of another commit, built, which takes its turns, too. */
  { peers, earlier }: { peers: Peers; earlier: string | null },
): Promise<PageCost[]> {
  const url = await database.url()
  const m = await populated(url, 1000)
  await m.close()
  const [bare, own] = [await start('bare'), await start('own', url)]
  const writer = openWriter(url)
  const before = earlier === null ? null : await start('own', url, earlier)
  const other = peers === null ? null : await start('better-auth', await database.url(), peers.folder)
  const kinds = [
    { name: 'Koa alone', site: bare, cookies: [] },
    { name: 'a visitor', site: own, cookies: [] },
    { name: 'a member', site: own, cookies: own.cookies },
    ...(writer === null
      ? []
      : [
          {
            name: 'a member, after a write of another process',
            site: own,
            cookies: own.cookies,
            write: () => void writer.run(),
          },
        ]),
    ...(before === null
      ? []
      : [
          { name: 'a visitor, the commit before', site: before, cookies: [] },
          { name: 'a member, the commit before', site: before, cookies: before.cookies },
        ]),
    ...(other === null
      ? []
      : [
          { name: `a visitor, better-auth ${peers?.version}`, site: other, cookies: [] },
          { name: 'a session and its user, better-auth', site: other, cookies: other.cookies },
        ]),
  ].map((kind: Kind) => ({ ...kind, us: [] as number[], perSecond: [] as number[] }))
  // The first ones warm up. The kinds change places, so that none always comes after the same other one.
  for (let round = -5; round < rounds; round++)
    for (const { site, cookies, write, us, perSecond } of round % 2 === 0 ? kinds : kinds.toReversed()) {
      const { cpu, seconds } = await load(site.port, cookies, write)
      if (round < 0) continue
      us.push(cpu / pagesPerRound)
      perSecond.push(pagesPerRound / seconds)
    }
  for (const item of [bare, own, other, before]) item?.stop()
  return kinds.map(({ name, us, perSecond }) => ({
    database: databaseTitle(database),
    name,
    us,
    perSecond,
    bare: kinds[0]!.us,
  }))
}

export function printPages(costs: readonly PageCost[]): void {
  const costOf = (database: string, name: string) =>
    costs.find((cost) => cost.database === database && cost.name === name)
  const columns: Record<string, (name: string) => string> = {
    'more CPU than Koa alone, in pages of Koa alone': (name) => name,
  }
  const absolute: Record<string, (name: string) => string> = {}
  for (const database of new Set(costs.map((cost) => cost.database))) {
    // Of each round, so that what the machine did meanwhile met both.
    columns[database] = (name) => {
      const cost = costOf(database, name)
      return cost ? (median(cost.us.map((us, round) => us / cost.bare[round]!)) - 1).toFixed(1) : ''
    }
    absolute[`${database}, CPU µs`] = (name) => median(costOf(database, name)?.us ?? []).toFixed(0)
    absolute[`${database}, pages/s`] = (name) => median(costOf(database, name)?.perSecond ?? []).toFixed(0)
  }
  const names = [...new Set(costs.map(({ name }) => name))]
  report('pages', 'A page', table(names, columns, absolute))
}

async function start(...args: readonly string[]): Promise<Site> {
  const file = new URL('page-servers.ts', import.meta.url).pathname
  const child = spawn(process.execPath, ['--import', 'tsx', file, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const gone = once(child, 'exit').then(() => Promise.reject(new Error(`${args[0]} did not start`)))
  const [line] = await Promise.race([once(child.stdout, 'data'), gone])
  return { ...(JSON.parse(String(line)) as Omit<Site, 'stop'>), stop: () => child.kill() }
}

/** A writer beside the site, so that no answer can be remembered. */
function openWriter(url: string): Database.Statement | null {
  if (!url.startsWith('sqlite:')) return null
  const database = new Database(url.slice('sqlite:'.length))
  database.pragma('synchronous = off')
  return database.prepare("update members set email_verified = 1 - email_verified where id = 'm_999'")
}

async function load(
  port: number,
  cookies: readonly string[],
  write: () => void = () => {},
): Promise<{ cpu: number; seconds: number }> {
  const cpu = async () => Number(await (await fetch(`http://127.0.0.1:${port}/cpu`)).text())
  const before = await cpu()
  const begun = performance.now()
  let left = pagesPerRound
  const next = () => {
    if (left-- <= 0) return false
    write()
    return true
  }
  await Promise.all(Array.from({ length: connections }, (_, i) => browse(port, cookies[i] ?? '', next)))
  const seconds = (performance.now() - begun) / 1000
  return { cpu: (await cpu()) - before, seconds }
}

/** One browser's line, on which it asks for one page after the other. */
function browse(port: number, cookie: string, next: () => boolean): Promise<void> {
  return new Promise((done, failed) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    const asked = `GET /article HTTP/1.1\r\nHost: bench\r\nAccept: text/html\r\n${cookie ? `Cookie: ${cookie}\r\n` : ''}\r\n`
    let text = ''
    const ask = () => {
      text = ''
      if (next()) return socket.write(asked)
      socket.end()
      return done()
    }
    socket.on('connect', ask).on('error', failed)
    socket.on('data', (piece) => {
      text += piece.toString('latin1')
      const end = text.indexOf('\r\n\r\n')
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? Number.NaN)
      if (end < 0 || text.length < end + 4 + length) return
      if (text.startsWith('HTTP/1.1 200')) ask()
      else failed(new Error(text.slice(0, end)))
    })
  })
}
