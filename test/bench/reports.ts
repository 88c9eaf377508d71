import { type ChildProcess, execFile, fork } from 'node:child_process'
import { promisify } from 'node:util'
import Database from 'better-sqlite3'
import { type Statement, step } from '../../src/core/storage/index.ts'
import { bind } from '../../src/core/storage/statement.ts'
import { createMembership, type Membership } from '../../src/index.ts'
import { createReady } from '../../src/reports/answers/ready.ts'
import { pendingData } from '../../src/reports/entries/record.ts'
import { createStatements, type ReportRow } from '../../src/reports/statements/index.ts'
import { median } from './events.ts'
import { ratio, report, table } from './report.ts'

const run = promisify(execFile)
const moment = '2026-01-01T00:00:00.000Z'

/** A row as a check of a website leaves it. */
export function listedRow(n: number, partnerId: string | null): ReportRow {
  const url = `https://www.website-${n}.example.com/`
  const data = {
    ...pendingData(moment, 'Kirby'),
    final_url: url,
    title: `Website number ${n}, a studio for patient things`,
    description: 'We design and build websites for people who like to take their time, since 2009.',
    language: 'en',
    favicon_url: `${url}assets/favicon.svg`,
    system: { name: 'Kirby', detected: true, version: null, confidence: 100 },
    status: 'listed' as const,
    checked_at: moment,
    next_check_at: moment,
    details: {
      evidence: [
        {
          channel: 'asset',
          rule: '^/media/pages/',
          matched: '/media/pages/home/0a1b2c3d4e-1700000000/a.jpg',
          weight: 100,
        },
      ],
      channels: ['cookie', 'meta', 'asset', 'dom'],
      summary: '100 of 100: asset path',
      icons: [`${url}assets/favicon.svg`],
      image_url: null,
      http: { status: 200, hops: [url], bytes: 20_000, milliseconds: 300 },
      checks: [
        {
          at: moment,
          outcome: 'listed' as const,
          reason: null,
          http_status: 200,
          milliseconds: 300,
          bytes: 20_000,
          changed: true,
        },
      ],
    },
  }
  return {
    id: `rpt_${String(n).padStart(12, '0')}`,
    partner_id: partnerId,
    url,
    url_key: `website-${n}.example.com`,
    host: `www.website-${n}.example.com`,
    domain: 'example.com',
    status: 'listed',
    source: 'crawler',
    indexed: 1,
    content_key: null,
    version: 1,
    revision: 1,
    data: JSON.stringify(data),
    prior: null,
    changed_hour: 0,
    changed_version: 0,
    due_at: '2100-01-01T00:00:00.000Z',
    interval_seconds: 604_800,
    failures: 0,
    failing_since: null,
    misses: 0,
    keep_until: null,
    created_at: new Date(Date.parse(moment) + n * 1000).toISOString(),
    updated_at: moment,
  }
}

export function openIndex(url: string, now?: () => Date): Promise<Membership> {
  return createMembership({
    'membership.database.url': url,
    'membership.database.synchronous': 'normal',
    'membership.reports.system': 'kirby',
    'membership.reports.contact': 'index@operator.example',
    'membership.reports.crawl.enabled': false,
    'membership.url': 'http://index.example',
    install: false,
    root: false,
    log: () => {},
    now,
  })
}

/** So many websites, 100 to a partner; the first partner's id and key. */
export async function populate(m: Membership, websites: number) {
  const statements = createStatements(m.storage)
  const partner = await m.reports.partners.add({ name: 'Ann', email: 'ann@partner.example' })
  const { key } = await m.reports.keys.issue(partner.id)
  for (let from = 0; from < websites; from += 1000)
    await Promise.all(
      Array.from({ length: Math.min(1000, websites - from) }, (_, i) => {
        const n = from + i
        const row = listedRow(n, n < 100 ? partner.id : `prt_${Math.floor(n / 100)}`)
        return m.storage.commit([step(statements.reportInsert, row)])
      }),
    )
  return { partner, key }
}

const kinds = ['bare', 'koa', 'serialising', 'plain', 'ours'] as const
const titles: Readonly<Record<string, string>> = {
  bare: 'bare node:http',
  koa: 'Koa, router, ready bytes',
  serialising: 'Koa, router, serialising each time',
  plain: 'membership on plain Node: key, ETag, limit, ready bytes',
  ours: "membership in a site's Koa application",
  'plain, 304': 'membership on plain Node, 304',
  'ours, 304': "membership in a site's Koa application, 304",
}

/** The list of 100 websites against a bare server of the same bytes, and 304s. */
export async function benchLists(
  url: string,
  rounds: number,
  seconds: number,
  connections: readonly number[],
) {
  const m = await openIndex(url)
  const { key } = await populate(m, 1000)
  const etag = await etagOf(m, key)
  await m.close()
  const servers = new Map<string, { child: ChildProcess; port: number }>()
  for (const kind of kinds) servers.set(kind, await start(kind, url, key))
  const measured: { count: number; figures: Map<string, { perSecond: number[]; cpu: number[] }> }[] = []
  for (const count of connections) {
    const cases = [
      ...kinds.map((kind) => ({ name: kind as string, kind, headers: { 'X-API-KEY': key } })),
      { name: 'plain, 304', kind: 'plain' as const, headers: { 'X-API-KEY': key, 'If-None-Match': etag } },
      { name: 'ours, 304', kind: 'ours' as const, headers: { 'X-API-KEY': key, 'If-None-Match': etag } },
    ]
    const figures = new Map<string, { perSecond: number[]; cpu: number[] }>()
    for (let round = 0; round < rounds; round++)
      for (const { name, kind, headers } of cases) {
        const { child, port } = servers.get(kind)!
        const before = await cpuOf(child)
        const { stdout } = await run(process.execPath, [
          new URL('reports-load.mjs', import.meta.url).pathname,
          String(port),
          String(count),
          String(seconds),
          JSON.stringify(headers),
        ])
        const result = JSON.parse(stdout) as { perSecond: number; count: number; refused: number }
        if (result.refused > 0) throw new Error(`${name}: ${result.refused} refused`)
        const entry = figures.get(name) ?? { perSecond: [], cpu: [] }
        entry.perSecond.push(result.perSecond)
        entry.cpu.push(((await cpuOf(child)) - before) / result.count)
        figures.set(name, entry)
      }
    measured.push({ count, figures })
  }
  for (const { child } of servers.values()) child.disconnect()
  const columns: Record<string, (name: string) => string> = { server: (name) => titles[name]! }
  const absolute: Record<string, (name: string) => string> = {}
  for (const { count, figures } of measured) {
    const middle = (name: string, what: 'perSecond' | 'cpu') => median(figures.get(name)![what])
    columns[`${count} at once`] = (name) => ratio(middle(name, 'perSecond') / middle('bare', 'perSecond'))
    absolute[`${count} at once, requests/s`] = (name) => middle(name, 'perSecond').toFixed(0)
    absolute[`${count} at once, CPU µs`] = (name) => middle(name, 'cpu').toFixed(1)
  }
  report(
    'reports',
    'The website index: requests a second for a list of 100 websites, of bare node:http',
    table(Object.keys(titles), columns, absolute),
  )
}

async function etagOf(m: Membership, key: string): Promise<string> {
  const answer = await m.fetch(new Request('http://index.example/reports', { headers: { 'X-API-KEY': key } }))
  return answer.headers.get('etag') ?? ''
}

function start(kind: string, url: string, key: string) {
  return new Promise<{ child: ChildProcess; port: number }>((done, failed) => {
    const child = fork(new URL('reports-server.mjs', import.meta.url).pathname, [kind, url, key], {
      execArgv: [],
    })
    child.once('message', (message) => done({ child, port: (message as { port: number }).port }))
    child.once('exit', (code) => failed(new Error(`${kind} ended with ${code}`)))
  })
}

function cpuOf(child: ChildProcess) {
  return new Promise<number>((done) => {
    child.once('message', (message) => {
      const { cpu } = message as { cpu: NodeJS.CpuUsage }
      done(cpu.user + cpu.system)
    })
    child.send('cpu')
  })
}

/** How reading a list, reading one website and finding what is due grow with the index, beside the raw statements. */
export async function benchGrowth(file: (name: string) => string, sizes: readonly number[]): Promise<void> {
  const measured: { name: string; size: number; ours: number; raw: number }[] = []
  for (const size of sizes) {
    const url = file(`index-${size}`)
    let hour = 0
    const now = () => new Date(Date.parse(moment) + hour * 3_600_000)
    const m = await openIndex(url, now)
    await populate(m, size)
    const statements = createStatements(m.storage)
    const ready = createReady({ storage: m.storage, statements, now, cacheBytes: 1 })
    const raw = new Database(url.slice('sqlite:'.length), { readonly: true })
    const bare = <P extends object, R>(statement: Statement<P, R>) => {
      const compiled = (statement as unknown as Statement<never>).compile(1)
      const prepared = raw.prepare(compiled.sql)
      return (params: P) => prepared.all(bind(compiled, [params as never]))
    }
    const page = bare(statements.reportPage)
    const item = bare(statements.reportOf)
    // Claiming writes; what is measured is finding.
    const reportsDue = m.storage.prepare<{ now: string; limit: number }, object>('bench-due', (db, p) =>
      db
        .selectFrom('reports')
        .select(['id', 'due_at', 'domain'])
        .where('due_at', '<=', p.now)
        .orderBy('due_at')
        .limit(p.limit),
    )
    const due = bare(reportsDue)
    const partners = Math.max(1, Math.floor(size / 100))
    const pick = (i: number) => (i * 7919) % partners
    const partnerOf = (n: number) => (n === 0 ? firstPartner : `prt_${n}`)
    const [{ id: firstPartner = '' } = { id: '' }] = await m.reports.partners.list()
    const caller = (n: number) => ({
      partnerId: partnerOf(n),
      keyId: '',
      scopes: [],
      version: 1,
      changedAt: moment,
      crawled: 0,
    })
    const idOf = (n: number) => `rpt_${String(n * 100 + 7).padStart(12, '0')}`
    const cases: Record<string, { ours: (i: number) => unknown; raw: (i: number) => unknown }> = {
      'make a list of 100 anew': {
        ours: (i) => {
          hour++
          return ready.list(caller(pick(i)), { expand: false, limit: 100, cursor: null, status: null }, '')
        },
        raw: (i) => page({ partner_id: partnerOf(pick(i)), at: '9999', id: '', limit: 101, all: 0 }),
      },
      'read one website': {
        ours: (i) => {
          hour++
          return ready.item(caller(pick(i)), idOf(pick(i)), false, '')
        },
        raw: (i) => item({ id: idOf(pick(i)), partner_id: partnerOf(pick(i)) }),
      },
      'what is due': {
        ours: () => m.storage.all(reportsDue, { now: '2200-01-01T00:00:00.000Z', limit: 64 }),
        raw: () => due({ now: '2200-01-01T00:00:00.000Z', limit: 64 }),
      },
    }
    for (const [name, both] of Object.entries(cases)) {
      const ours = await timed(both.ours, 500)
      measured.push({ name, size, ours, raw: await timed(both.raw, 500) })
    }
    raw.close()
    await m.close()
  }
  const base = (name: string) => measured.find((row) => row.name === name)!
  report(
    'reports',
    'The website index grows: time',
    table(
      measured.filter(({ size }) => size > sizes[0]!),
      {
        work: ({ name }) => name,
        websites: ({ size }) => size,
        'of its statements': ({ ours, raw }) => ratio(ours / raw),
        [`of ${sizes[0]} websites`]: ({ name, ours }) => ratio(ours / base(name).ours),
        'its statements, likewise': ({ name, raw }) => ratio(raw / base(name).raw),
      },
      {
        µs: ({ ours }) => ours.toFixed(0),
        'its statements, µs': ({ raw }) => raw.toFixed(0),
      },
    ),
  )
}

async function timed(work: (i: number) => unknown, times: number): Promise<number> {
  const rounds: number[] = []
  // The first round warms up.
  for (let round = 0; round < 6; round++) {
    const begun = performance.now()
    for (let i = 0; i < times; i++) await work(round * times + i)
    if (round > 0) rounds.push(((performance.now() - begun) * 1000) / times)
  }
  return median(rounds)
}
