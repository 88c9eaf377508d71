import test from 'ava'
import fc from 'fast-check'
import type { Detection } from '../../../src/reports/detection/index.ts'
import type { Finding } from '../../../src/reports/entries/finding.ts'
import { afterCheck } from '../../../src/reports/entries/outcome.ts'
import { type Entry, pendingData } from '../../../src/reports/entries/record.ts'
import type { ReportRow } from '../../../src/reports/statements/index.ts'
import { type Reason, reasons } from '../../../src/reports/visit/index.ts'
import { settings } from '../../support/converge.ts'

const day = 86_400_000
const start = Date.parse('2026-03-01T00:00:00.000Z')
const rules = { baseSeconds: 7 * 86_400, maxSeconds: 30 * 86_400 }

function blank(): Entry {
  const at = new Date(start).toISOString()
  const data = pendingData(at, 'Kirby')
  const row = {
    id: 'rpt_1',
    indexed: 0,
    status: 'pending',
    interval_seconds: rules.baseSeconds,
    failures: 0,
    failing_since: null,
    misses: 0,
    keep_until: null,
    due_at: at,
  } as ReportRow
  return { row, data }
}

function seen(kind: 'listed' | 'rejected', title = 'A site'): Finding {
  return {
    kind,
    page: {
      url: 'http://a.example/',
      key: 'a.example',
      status: 200,
      headers: {},
      html: '',
      headTail: '',
      isCut: false,
      bytes: 100,
      milliseconds: 5,
      hops: ['http://a.example/'],
      validators: { url: 'http://a.example/', etag: null, last_modified: null, digest: '' },
      isUnchanged: false,
    },
    scan: {
      signs: {} as never,
      metadata: { title, description: null, language: 'en', favicon_url: null, icons: [], image_url: null },
      canonical: null,
      content: '',
      links: [],
      stopped: null,
      isHeadTailRead: false,
    },
    detection: {
      system: 'kirby',
      name: 'Kirby',
      detected: kind === 'listed',
      certainty: kind === 'listed' ? 'certain' : 'none',
      score: kind === 'listed' ? 100 : 0,
      version: null,
      evidence: [],
      channels: [],
      summary: '',
    } satisfies Detection,
  }
}
function failed(reason: Reason, more: Partial<Extract<Finding, { kind: 'unreachable' }>> = {}): Finding {
  return {
    kind: 'unreachable',
    reason,
    httpStatus: null,
    retryAfterSeconds: null,
    isUnknownName: false,
    ...more,
  }
}

/** One check after the other, each when it is due; `after` days in place of that. */
function run(findings: readonly (Finding | { finding: Finding; after: number })[], accepted = false) {
  let entry = blank()
  if (accepted) entry = { ...entry, data: { ...entry.data, accepted: true } }
  let now = start
  let needsReview = false
  for (const [i, item] of findings.entries()) {
    const finding = 'finding' in item ? item.finding : item
    // A refused one is not visited again by itself: its partner asks a day later.
    const due = entry.row.due_at > '9000' ? now + day : Date.parse(entry.row.due_at)
    if (i > 0) now = 'finding' in item ? now + item.after * day : due
    const next = afterCheck({ entry, finding, now: new Date(now), rules, chance: 0.5 })
    needsReview = next.needsReview
    entry = { row: { ...entry.row, ...next.columns, status: next.data.status } as ReportRow, data: next.data }
  }
  return {
    ...entry,
    needsReview,
    days: (Date.parse(entry.row.due_at) - now) / day,
    sinceStart: (now - start) / day,
  }
}

test('a first visit that finds the system lists the website for seven days', (t) => {
  const { data, row, days } = run([seen('listed')])
  t.like(data, { status: 'listed', status_reason: null, title: 'A site', next_check_at: row.due_at })
  t.like(row, { indexed: 1, failures: 0, misses: 0, keep_until: null })
  t.is(days, 7)
})

test('without changes the interval grows by half, to thirty days; a change resets it', (t) => {
  const same = (count: number) => Array.from({ length: count }, () => seen('listed'))
  t.deepEqual(
    [1, 2, 3, 4, 5, 6].map((count) => run(same(count)).days),
    [7, 10.5, 15.75, 23.625, 30, 30],
  )
  t.is(run([...same(5), seen('listed', 'New title')]).days, 7)
})

test('visits are spread by ±20 %', (t) => {
  const at = (chance: number) => {
    const entry = blank()
    const { columns } = afterCheck({ entry, finding: seen('listed'), now: new Date(start), rules, chance })
    return Math.round(((Date.parse(columns.due_at ?? '') - start) / day) * 1000) / 1000
  }
  t.deepEqual([at(0), at(0.5), at(1)], [5.6, 7, 8.4])
})

test('unreachable at the first failure, gone after five over fourteen days, archived after ninety', (t) => {
  const failures = (count: number) =>
    run([seen('listed'), ...Array.from({ length: count }, () => failed('refused'))])
  t.deepEqual(
    [1, 2, 3, 4].map((count) => failures(count).data.status),
    ['unreachable', 'unreachable', 'unreachable', 'unreachable'],
  )
  t.deepEqual(
    [1, 2, 3].map((count) => failures(count).days),
    [1, 2, 4],
  )
  t.is(failures(5).data.status, 'gone')
  t.is(failures(5).sinceStart - 7, 14)
  t.is(failures(7).data.status, 'gone')
  t.is(failures(8).data.status, 'archived')
  // Five in one day are not fourteen days.
  const quick = Array.from({ length: 6 }, () => ({ finding: failed('refused'), after: 0.1 }))
  t.is(run([seen('listed'), ...quick]).data.status, 'unreachable')
  // Whenever it is back, it is back.
  const back = run([seen('listed'), ...Array.from({ length: 8 }, () => failed('dns')), seen('listed')])
  t.like(back.data, { status: 'listed', status_reason: null })
  t.like(back.row, { failures: 0, failing_since: null })
})

test('a 410 and an unknown name are faster', (t) => {
  const gone = failed('http-4xx', { httpStatus: 410 })
  t.is(run([seen('listed'), gone]).data.status, 'unreachable')
  t.is(run([seen('listed'), gone, gone]).data.status, 'gone')
  const unknown = failed('dns', { isUnknownName: true })
  t.is(run([seen('listed'), unknown, unknown]).data.status, 'unreachable')
  t.is(run([seen('listed'), unknown, unknown, unknown]).data.status, 'gone')
  t.is(run([seen('listed'), failed('dns'), failed('dns'), failed('dns')]).data.status, 'unreachable')
})

test('a website that limits requests is not down', (t) => {
  const { data, row, days } = run([
    seen('listed'),
    failed('rate-limited', { httpStatus: 429, retryAfterSeconds: 86_400 }),
  ])
  t.is(data.status, 'listed')
  t.is(row.failures, 0)
  t.is(days, 1)
})

test('another system once changes nothing, twice in a row removes it and opens a review', (t) => {
  const once = run([seen('listed'), seen('rejected')])
  t.is(once.data.status, 'listed')
  t.false(once.needsReview)
  t.is(once.days, 1)
  const twice = run([seen('listed'), seen('rejected'), seen('rejected')])
  t.like(twice.data, { status: 'rejected', status_reason: 'system-not-detected' })
  t.true(twice.needsReview)
  t.is(run([seen('listed'), seen('rejected'), seen('listed'), seen('rejected')]).data.status, 'listed')
})

test('a website never in the index is refused at once, kept for thirty days and not visited again', (t) => {
  for (const [finding, status] of [
    [seen('rejected'), 'rejected'],
    [failed('dns'), 'unreachable'],
  ] as const) {
    const { data, row } = run([finding])
    t.is(data.status, status)
    t.like(row, { indexed: 0, keep_until: new Date(start + 30 * day).toISOString() })
    t.is(data.next_check_at, null)
    t.true(row.due_at > '9000')
  }
  t.true(run([seen('rejected')]).needsReview)
})

test('a website accepted by the operator stays, whatever its signs', (t) => {
  t.is(
    run([seen('listed'), seen('rejected'), seen('rejected'), seen('rejected')], true).data.status,
    'listed',
  )
})

test('ten visits are stored, newest first', (t) => {
  const { data } = run(Array.from({ length: 14 }, (_, i) => seen('listed', `Title ${i}`)))
  t.is(data.details.checks.length, 10)
  t.is(data.details.checks[0]?.at, data.checked_at ?? undefined)
})

test('the rules of each state hold for findings in any order', (t) => {
  const finding = fc.oneof(
    fc.constantFrom('listed', 'rejected').map((kind) => seen(kind as 'listed')),
    fc.string({ maxLength: 5 }).map((title) => seen('listed', title)),
    fc
      .record({
        reason: fc.constantFrom(...reasons),
        httpStatus: fc.constantFrom(null, 404, 410, 429, 503),
        retryAfterSeconds: fc.option(fc.integer({ min: 0, max: 1e9 })),
        isUnknownName: fc.boolean(),
      })
      .map(({ reason, ...more }) => failed(reason, more)),
  )
  fc.assert(
    fc.property(fc.array(finding, { minLength: 1, maxLength: 30 }), (findings) => {
      const { data, row, days } = run(findings)
      const wasListed = findings.some(({ kind }) => kind === 'listed')
      if ((row.indexed === 1) !== wasListed) throw new Error('in the index without having been seen')
      if (!(days > 0)) throw new Error('due at once')
      if (data.status === 'listed' && data.status_reason !== null) throw new Error('listed with a reason')
      if (data.status !== 'listed' && data.status_reason === null)
        throw new Error('not listed without a reason')
      if ((row.keep_until !== null) === (row.indexed === 1)) throw new Error('kept for a while, or for good')
      if (days > 90 && row.indexed === 1) throw new Error('forgotten')
    }),
    settings(500),
  )
  t.pass()
})
