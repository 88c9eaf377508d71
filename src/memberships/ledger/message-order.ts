import { msOf } from '../../core/dto/index.ts'
import type { Stage } from '../../providers/contract.ts'

/** The evidence of one snapshot, enough to order it among others of the same moment. */
export interface Mark {
  /** {@link markId} */
  readonly id: string
  /** The digest of the content. */
  readonly digest: string
  /** Digest of the content before this event, if the event states it. */
  readonly follows: string | null
  readonly stage: Stage
  /** A later status of an object has the higher rank. It decides where the evidence does not. */
  readonly rank: number
  readonly source: 'event' | 'fetch'
}

/**
 * Returns the id of a mark. Chained changes and fetched answers each count, so they keep the event's id. Any other
 * snapshot is evidence once and has no id: every event of a customer may carry the same copy of an object. A copy that
 * a row already holds is not written again.
 */
export function markId({ id, source }: Pick<Mark, 'id' | 'source'>, follows: string | null = null): string {
  return source === 'event' && follows === null ? '' : id
}

/** One object's kept history: its two newest moments. */
export interface History<T> {
  readonly at: string
  readonly marks: readonly Mark[]
  /** Contents of the newest moment, by digest. */
  readonly contents: Readonly<Record<string, T>>
  readonly prior: Moment | null
  /** The fetched answer that stands (see `answerStands`), else null. */
  readonly answer: T | null
}

/** All events of one moment, with their evidence for the order. */
export interface Moment {
  readonly at: string
  readonly marks: readonly Mark[]
}

/** The current content, and whether the evidence left a tie. */
export interface MessageRank {
  readonly digest: string
  readonly contested: boolean
}

/** An answer to our own call may or may not include changes within this time after its moment. */
export const fetchWindowMs = 2000

/**
 * Joins two histories of one object. Commutative, associative and idempotent, so the result depends only on the set of
 * snapshots. It keeps the two newest moments, and every content of the newest. An earlier answer is kept while it
 * stands. Once it falls, no further snapshot of these two moments restores it.
 */
export function joinHistories<T>(a: History<T>, b: History<T>): History<T> {
  const joined = joinNewest(a, b)
  return {
    ...joined,
    answer: answerStands(joined) ? (answerIn(a, joined.prior) ?? answerIn(b, joined.prior)) : null,
  }
}

function joinNewest<T>(a: History<T>, b: History<T>): Omit<History<T>, 'answer'> {
  const [newer, older] = a.at >= b.at ? [a, b] : [b, a]
  if (newer.at === older.at)
    return {
      at: newer.at,
      marks: joinMarks(newer.marks, older.marks),
      contents: joinContents(newer.contents, older.contents),
      prior: joinMoments(newer.prior, older.prior),
    }
  return { ...newer, prior: joinMoments(newer.prior, { at: older.at, marks: older.marks }) }
}

function answerIn<T>(history: History<T>, { at, marks: [mark] }: Moment): T | null {
  if (history.at === at) return history.contents[mark!.digest] ?? null
  return history.prior?.at === at ? history.answer : null
}

/**
 * True if an answer to our own call stands although events within its window are newer. Those events report only the
 * object's creation, and the answer came later. A return page that opened before the webhooks therefore stays open.
 */
export function answerStands<T>(
  history: Pick<History<T>, 'at' | 'marks' | 'prior'>,
): history is { readonly at: string; readonly marks: readonly Mark[]; readonly prior: Moment } {
  const { at, marks, prior } = history
  if (prior === null || prior.marks.length !== 1 || !isInFetchWindow(at, prior)) return false
  return marks.every((m) => m.stage === 'created' && m.source === 'event')
}

// Contents of one digest differ in key order, or in the fields of a later version. The longer text tells more; of two
// equally long ones the lesser is kept, so that all rows are equal.
function joinContents<T>(a: Readonly<Record<string, T>>, b: Readonly<Record<string, T>>): Record<string, T> {
  const joined = { ...a, ...b }
  for (const [digest, content] of Object.entries(a))
    if (digest in b && isPreferred(JSON.stringify(content), JSON.stringify(b[digest])))
      joined[digest] = content
  return joined
}

function isPreferred(text: string, other: string): boolean {
  return text.length === other.length ? text < other : text.length > other.length
}

function joinMoments(a: Moment | null, b: Moment | null): Moment | null {
  if (a === null || b === null) return a ?? b
  if (a.at === b.at) return { at: a.at, marks: joinMarks(a.marks, b.marks) }
  return a.at > b.at ? a : b
}

function joinMarks(a: readonly Mark[], b: readonly Mark[]): Mark[] {
  const known = new Map<string, Mark>()
  for (const mark of [...a, ...b]) {
    const key = evidenceOf(mark)
    const same = known.get(key)
    if (same === undefined || mark.id < same.id) known.set(key, mark)
  }
  const placed = [...known].map(([key, mark]) => [`${placeOf(mark)} ${key}`, mark] as const)
  return placed.sort(([x], [y]) => (x < y ? -1 : 1)).map(([, mark]) => mark)
}

// An older version wrote an id here. It is the same evidence as a mark without an id, which sorts first and is kept.
function evidenceOf(mark: Mark): string {
  return mark.source === 'event' && mark.follows === null
    ? `${mark.stage} ${mark.rank} ${mark.digest}`
    : `${mark.source} ${placeOf(mark)}`
}

function placeOf({ id, digest }: Mark): string {
  return `${id} ${digest}`
}

/** Returns a history's current content. Pure. */
export function currentOf<T>(history: Pick<History<T>, 'at' | 'marks' | 'prior'>): MessageRank {
  const { at, marks, prior } = history
  if (answerStands(history)) {
    const { digest } = history.prior.marks[0]!
    return { digest, contested: marks.some((m) => m.digest !== digest) }
  }
  // An answer within its window may show this moment half done, so it does not prove where the moment began.
  const saysStart = prior !== null && !isInFetchWindow(at, prior)
  const start = saysStart ? resolve(prior.marks, null).digest : null
  const decided = resolve(marks, start)
  return {
    digest: decided.digest,
    contested: decided.contested || insideFetchWindow(at, marks, prior, decided.digest),
  }
}

// True for an event soon after an answer to our own call. The answer may be the later of the two.
function insideFetchWindow(
  at: string,
  marks: readonly Mark[],
  prior: Moment | null,
  digest: string,
): boolean {
  if (prior === null || marks.some((m) => m.source === 'fetch')) return false
  return isInFetchWindow(at, prior) && resolve(prior.marks, null).digest !== digest
}

function isInFetchWindow(at: string, prior: Moment): boolean {
  return prior.marks.some((m) => m.source === 'fetch') && msOf(at) - msOf(prior.at) <= fetchWindowMs
}

function resolve(marks: readonly Mark[], start: string | null): MessageRank {
  const answers = marks.filter((m) => m.source === 'fetch')
  if (answers.length > 0) return { digest: last(answers).digest, contested: distinct(answers) > 1 }
  if (distinct(marks) === 1) return { digest: marks[0]!.digest, contested: false }

  const created = marks.filter((m) => m.stage === 'created')
  const deleted = marks.filter((m) => m.stage === 'deleted')
  const updated = marks.filter((m) => m.stage === 'updated')
  // A deletion comes last, unless the id was created again in the same second, or the deleted object changed once more.
  if (deleted.length > 0) {
    const { digest } = last(deleted)
    const wentOn = created.length > 0 || updated.some((m) => m.follows === digest && m.digest !== digest)
    return { digest, contested: wentOn || distinct(deleted) > 1 }
  }
  if (distinct(updated) === 1) return { digest: updated[0]!.digest, contested: false }
  const end = endOfChain(updated, created.length > 0 ? last(created).digest : start)
  if (end !== null) return { digest: end, contested: false }
  return { digest: last(updated.length > 0 ? updated : marks).digest, contested: true }
}

/**
 * Finds the end of a chain that uses every event once. Each event leads from the content it follows to its own. An open
 * chain has one end. A closed chain (cancelled and resumed within a second) ends where it started.
 */
function endOfChain(marks: readonly Mark[], start: string | null): string | null {
  const balance = new Map<string, number>()
  const moves: [string, string][] = []
  for (const { follows, digest } of marks) {
    if (follows === null) return null
    // The change concerned a field that is not stored.
    if (follows === digest) continue
    moves.push([follows, digest])
    balance.set(follows, (balance.get(follows) ?? 0) - 1)
    balance.set(digest, (balance.get(digest) ?? 0) + 1)
  }
  if (!isConnected(moves) || marks.some((m) => !balance.has(m.digest))) return null
  const ends = [...balance].filter(([, n]) => n > 0)
  if (ends.length === 0) return start !== null && balance.has(start) ? start : null
  return ends.length === 1 && ends[0]![1] === 1 ? ends[0]![0] : null
}

function isConnected(moves: readonly [string, string][]): boolean {
  const reached = new Set(moves[0])
  for (let grew = true; grew; ) {
    grew = false
    for (const [from, to] of moves)
      if (reached.has(from) !== reached.has(to)) {
        reached.add(from).add(to)
        grew = true
      }
  }
  return moves.every(([from]) => reached.has(from))
}

function distinct(marks: readonly Mark[]): number {
  return new Set(marks.map((m) => m.digest)).size
}

// Sorted by rank, then by digest: arbitrary, but the same everywhere.
function last(marks: readonly Mark[]): Mark {
  return marks.reduce((a, b) => (b.rank > a.rank || (b.rank === a.rank && b.digest > a.digest) ? b : a))
}
