import { never } from '../hours.ts'
import type { ReportChange } from '../statements/index.ts'
import {
  contentKeyOf,
  type Failed,
  type Finding,
  fingerprintOf,
  httpOf,
  type Judged,
  type Same,
  type Seen,
  withPage,
} from './finding.ts'
import type { Entry, ReportData } from './record.ts'

/** Intervals between checks. */
export interface IntervalRules {
  readonly baseSeconds: number
  readonly maxSeconds: number
}

type Next = {
  readonly data: ReportData
  readonly columns: Partial<ReportChange>
  /** Two checks in a row found another system, so a person should look. */
  readonly needsReview: boolean
}

const daySeconds = 86_400
const keptSeconds = 30 * daySeconds

/**
 * Computes the state that follows from a finding. `chance` from 0 to 1 spreads the checks: ±20 %.
 *
 * listed → unreachable (first failure) → gone (5 failures over 14 days; sooner after 410 and for unknown
 * names) → archived (after 90 days). Another system twice: rejected, and a case for review. A website that
 * was never in the index is refused at once and kept for 30 days.
 */
export function afterCheck(input: {
  entry: Entry
  finding: Finding
  now: Date
  rules: IntervalRules
  chance: number
}): Next {
  const { entry, finding } = input
  if (finding.kind === 'unchanged') return same(input, finding)
  const isNew = entry.row.indexed === 0
  if (finding.kind === 'listed' || (finding.kind === 'rejected' && entry.data.accepted))
    return listed(input, finding)
  if (isNew) return refused(input, finding)
  return finding.kind === 'rejected' ? missed(input, finding) : failed(input, finding)
}

type Input = Parameters<typeof afterCheck>[0]

function same(input: Input, { page }: Same): Next {
  const { entry, now, rules, chance } = input
  const interval = longer(entry, rules)
  return next(input, {
    data: {
      ...entry.data,
      status: 'listed',
      status_reason: null,
      details: { ...entry.data.details, http: httpOf(page) },
    },
    changed: false,
    dueInSeconds: interval * (0.8 + 0.4 * chance),
    columns: { interval_seconds: interval, failures: 0, failing_since: null, misses: 0 },
    at: now,
  })
}

function longer(entry: Entry, { maxSeconds }: IntervalRules): number {
  return Math.min(maxSeconds, Math.round(entry.row.interval_seconds * 1.5))
}

function listed(input: Input, finding: Seen<'listed' | 'rejected'>): Next {
  const { entry, now, rules, chance } = input
  const seen = withPage(entry.data, finding)
  const changed = fingerprintOf(seen) !== fingerprintOf(entry.data)
  // A first check or a change resets the interval. A website that stays the same is checked less and less
  // often.
  const interval = changed || entry.row.indexed === 0 ? rules.baseSeconds : longer(entry, rules)
  return next(input, {
    data: { ...seen, status: 'listed', status_reason: null },
    changed,
    dueInSeconds: interval * (0.8 + 0.4 * chance),
    columns: {
      indexed: 1,
      content_key: contentKeyOf(finding),
      interval_seconds: interval,
      failures: 0,
      failing_since: null,
      misses: 0,
      keep_until: null,
    },
    at: now,
  })
}

function refused(input: Input, finding: Judged | Failed): Next {
  const { entry, now } = input
  const data: ReportData =
    finding.kind === 'unreachable'
      ? { ...entry.data, status: 'unreachable', status_reason: finding.reason }
      : { ...withPage(entry.data, finding), status: 'rejected', status_reason: 'system-not-detected' }
  return {
    ...next(input, {
      data,
      changed: false,
      dueInSeconds: null,
      columns: { keep_until: inSeconds(now, keptSeconds) },
      at: now,
    }),
    needsReview: finding.kind === 'rejected',
  }
}

function missed(input: Input, finding: Seen<'rejected'>): Next {
  const { entry, now, rules } = input
  const misses = entry.row.misses + 1
  const isOver = misses >= 2
  const data: ReportData = isOver
    ? { ...withPage(entry.data, finding), status: 'rejected', status_reason: 'system-not-detected' }
    : entry.data
  return {
    ...next(input, {
      data,
      changed: isOver,
      dueInSeconds: isOver ? rules.maxSeconds : daySeconds,
      columns: { misses, failures: 0, failing_since: null },
      at: now,
    }),
    needsReview: isOver,
  }
}

function failed(input: Input, finding: Failed): Next {
  const { entry, now } = input
  // A site that limits requests is not down.
  if (finding.reason === 'rate-limited')
    return next(input, {
      data: entry.data,
      changed: false,
      dueInSeconds: Math.min(7 * daySeconds, Math.max(3600, finding.retryAfterSeconds ?? 0)),
      columns: {},
      at: now,
    })
  const failures = entry.row.failures + 1
  const failing_since = entry.row.failing_since ?? now.toISOString()
  const days = (now.getTime() - Date.parse(failing_since)) / 1000 / daySeconds
  const isGone =
    (failures >= 5 && days >= 14) ||
    (finding.httpStatus === 410 && failures >= 2) ||
    (finding.isUnknownName && failures >= 3)
  const status = isGone && days >= 90 ? 'archived' : isGone ? 'gone' : 'unreachable'
  const retryDays = { unreachable: [1, 2, 4, 7][failures - 1] ?? 7, gone: 30, archived: 90 }[status]
  return next(input, {
    data: { ...entry.data, status, status_reason: finding.reason },
    changed: status !== entry.data.status,
    dueInSeconds: retryDays * daySeconds,
    columns: { failures, failing_since, misses: 0 },
    at: now,
  })
}

function next(
  { finding }: Input,
  given: {
    data: ReportData
    changed: boolean
    dueInSeconds: number | null
    columns: Partial<ReportChange>
    at: Date
  },
): Next {
  const at = given.at.toISOString()
  const due_at = given.dueInSeconds === null ? never : inSeconds(given.at, given.dueInSeconds)
  const page = 'page' in finding ? finding.page : null
  const check = {
    at,
    outcome:
      finding.kind === 'unchanged' || (given.data.status === 'listed' && page)
        ? ('listed' as const)
        : finding.kind,
    reason: finding.kind === 'unreachable' ? finding.reason : null,
    http_status: page?.status ?? (finding.kind === 'unreachable' ? finding.httpStatus : null),
    milliseconds: page?.milliseconds ?? null,
    bytes: page?.bytes ?? null,
    changed: given.changed,
  }
  return {
    data: {
      ...given.data,
      checked_at: at,
      next_check_at: given.dueInSeconds === null ? null : due_at,
      updated_at: at,
      details: { ...given.data.details, checks: [check, ...given.data.details.checks].slice(0, 10) },
    },
    columns: { ...given.columns, due_at },
    needsReview: false,
  }
}

function inSeconds(at: Date, seconds: number): string {
  return new Date(at.getTime() + seconds * 1000).toISOString()
}
