import type { SubscriptionData } from '../../core/dto/index.ts'
import { toMillisecond } from '../../core/dto/index.ts'
import type { SubscriptionRow } from './statements/index.ts'

/**
 * The moments that show when a subscription was paused, as a function of the set of its snapshots. Either list keeps
 * the first and the last snapshot of each day. Joining is commutative, associative and idempotent, so the order of
 * events does not matter.
 */
interface PauseMoments {
  /** Snapshots in a pause or before a planned one: their moment and its beginning, `at/from`, sorted. */
  readonly paused: readonly string[]
  /** The moments of snapshots without a pause, sorted. */
  readonly running: readonly string[]
}

type Pausing = Pick<SubscriptionData, 'status' | 'paused_at'>

/** True if this snapshot is paused, or a pause is planned. */
export function isPausing({ status, paused_at }: Pausing): boolean {
  return status === 'paused' || paused_at !== null
}

/** Builds the columns of a subscription's first snapshot. */
export function firstPauses(data: Pausing, at: string): PauseColumns {
  return toColumns(momentsOf(data, at))
}

/** Adds one snapshot, however old, to a row's moments. Returns the columns to write. */
export function withPauses(known: PauseColumns | undefined, data: Pausing, at: string): PauseColumns {
  const added = momentsOf(data, at)
  return toColumns(known ? joinMoments(toMoments(known), added) : added)
}

/** Joins the moments of two rows of one subscription. */
export function joinPauses(a: PauseColumns, b: PauseColumns): PauseColumns {
  return toColumns(joinMoments(toMoments(a), toMoments(b)))
}

type PauseColumns = Pick<SubscriptionRow, 'pauses' | 'pause_moments'>

function momentsOf(data: Pausing, at: string): PauseMoments {
  const moment = toMillisecond(at)
  return isPausing(data)
    ? { paused: [`${moment}/${toMillisecond(data.paused_at ?? at)}`], running: [] }
    : { paused: [], running: [moment] }
}

function joinMoments(a: PauseMoments, b: PauseMoments): PauseMoments {
  return {
    paused: endsOfDays([...a.paused, ...b.paused]),
    running: endsOfDays([...a.running, ...b.running]),
  }
}

// A day has few snapshots, but a site that writes metadata each minute would fill the row.
function endsOfDays(moments: readonly string[]): readonly string[] {
  const sorted = [...new Set(moments)].sort()
  const day = (n: number) => sorted[n]?.slice(0, 10)
  return sorted.filter((_, n) => day(n) !== day(n - 1) || day(n) !== day(n + 1))
}

function toMoments({ pause_moments }: PauseColumns): PauseMoments {
  const [paused = '', running = ''] = (pause_moments ?? '').split(';')
  return { paused: paused.split(',').filter(Boolean), running: running.split(',').filter(Boolean) }
}

function toColumns(moments: PauseMoments): PauseColumns {
  const { paused, running } = moments
  return { pauses: pausesOf(moments), pause_moments: `${paused.join(',')};${running.join(',')}` }
}

/**
 * Returns the beginning of the pause that the snapshot of this moment is in or before; undefined where it has none. A
 * provider that names the next renewal as the beginning names a later one with each renewal that it leaves out.
 */
export function pauseBegin(row: PauseColumns, at: string): string | undefined {
  const moment = toMillisecond(at)
  return snapshotsOf(toMoments(row)).findLast((snapshot) => snapshot.at === moment)?.from ?? undefined
}

/**
 * Returns the snapshots in their order, each with the beginning of its pause. A pause that has begun does not
 * begin again later, as long as no snapshot without one lies between.
 */
function snapshotsOf({ paused, running }: PauseMoments): readonly { at: string; from: string | null }[] {
  const named = [
    ...running.map((at) => ({ at, from: null })),
    ...paused.map((text) => ({ at: text.slice(0, 24), from: text.slice(25) })),
  ].sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
  let begun: string | null = null
  return named.map(({ at, from }) => {
    const goesOn = from !== null && begun !== null && begun <= at && at < from
    begun = goesOn ? begun : from
    return { at, from: begun }
  })
}

/** Each paused snapshot holds from the beginning of its pause until the next snapshot. */
function pausesOf(moments: PauseMoments): string | null {
  if (moments.paused.length === 0) return null
  const snapshots = snapshotsOf(moments)
  const spans = snapshots
    .flatMap(({ from }, n) => (from === null ? [] : [{ from, to: snapshots[n + 1]?.at ?? endless }]))
    // A planned pause that was called off leaves nothing.
    .filter(({ from, to }) => from < to)
    .sort((a, b) => (a.from < b.from ? -1 : a.from > b.from ? 1 : 0))
  const joined: { from: string; to: string }[] = []
  for (const span of spans) {
    const last = joined.at(-1)
    if (last === undefined || span.from > last.to) joined.push({ ...span })
    else if (span.to > last.to) last.to = span.to
  }
  return joined.map(({ from, to }) => `${from}/${to === endless ? '' : to}`).join(',') || null
}

// Sorts after every moment.
const endless = '~'
